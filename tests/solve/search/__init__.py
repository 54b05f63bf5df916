"""Programs in rounds, against the same programs at once."""
