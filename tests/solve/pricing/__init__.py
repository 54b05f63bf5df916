"""Extreme rays and prices against formulas and programs."""
