"""Mutants of what guarantees rest on, and how many of them the tests notice."""
