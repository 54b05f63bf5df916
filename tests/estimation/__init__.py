"""What is drawn from a mechanism, and what reports tell."""
