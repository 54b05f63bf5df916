"""Claims of geumlek: profile-based privacy."""
