"""Shapes of columns: cones with or without budgets over all columns, their rays, support functions and exact tests."""

from mechdesign.columns.cone import Band, Budget, Cone, Rays, SmoothBudget, Support
from mechdesign.columns.listed import Listed
from mechdesign.columns.masses import Masses
from mechdesign.columns.shape import Shape, Through

__all__ = ["Band", "Budget", "Cone", "Listed", "Masses", "Rays", "Shape", "SmoothBudget", "Support", "Through"]
