"""Bounds and proofs from a matrix and multipliers alone."""
