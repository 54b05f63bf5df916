"""What one would use instead of a design, at the same level."""
