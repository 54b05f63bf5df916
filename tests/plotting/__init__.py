"""Pictures show their numbers."""
