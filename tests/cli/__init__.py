"""The command, and the question files that it reads."""
