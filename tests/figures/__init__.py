"""Recomputed figures, and the notebooks that show them."""
