"""What one would use instead of a design."""
