"""Frontiers as formulas: the optimum of a linear objective at every level at once, in exact arithmetic."""
