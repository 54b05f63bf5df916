"""Zamani, Sadeghi, Skoglund: an information geometric approach to local information privacy."""
