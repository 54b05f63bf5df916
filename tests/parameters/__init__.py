"""What arguments may be, and what errors say."""
