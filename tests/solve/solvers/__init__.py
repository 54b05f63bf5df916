"""Solvers that fail, lie or are missing."""
