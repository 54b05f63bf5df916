"""Programs in rounds: solved over some decisions, priced over all of them, and refined."""
