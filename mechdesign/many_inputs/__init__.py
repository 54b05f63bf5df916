"""Objectives that families answer without a matrix: for each, the value of a family and a bound for all mechanisms."""

from mechdesign.many_inputs.by_formula import Bound, ByFormula
from mechdesign.many_inputs.covered_sets import CoveredSets
from mechdesign.many_inputs.sorts import SORTS, in_words, sort_of

__all__ = ["SORTS", "Bound", "ByFormula", "CoveredSets", "in_words", "sort_of"]
