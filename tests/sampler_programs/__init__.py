"""Samplers for applications: the same draws in every language, and what they refuse."""
