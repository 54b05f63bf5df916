"""Limits of memory and time."""
