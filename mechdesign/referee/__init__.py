"""The referee: draws the points of a claim, decides its checks against certified optima, and computes the verdict."""

from mechdesign.referee.judge import Finding, Judge
from mechdesign.referee.row import Row, row_of, row_of_unchecked
from mechdesign.referee.verdict import VERDICTS, Ruling, hearing, referee

__all__ = ["VERDICTS", "Finding", "Judge", "Row", "Ruling", "hearing", "referee", "row_of", "row_of_unchecked"]
