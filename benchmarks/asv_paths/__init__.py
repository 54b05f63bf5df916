"""What asv follows, in a folder of its own: it imports all of it at every commit."""
