"""What has to be known of an objective for it to be answered without a matrix under LDP."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mechdesign.families import Family
from mechdesign.many_inputs.covered_sets import CoveredSets
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Relative rounding of a few operations, and of sums over inputs by halves.
UNITS = 256.0 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Bound:
    """A bound for all mechanisms under LDP, rounded outward.

    Attributes
    ----------
    bound : float
        No mechanism does better.
    noise : float
        By how much it may have been rounded, of its own size.
    level : float
        The multiplier that it follows from.
    """

    bound: float
    noise: float
    level: float


class ByFormula(ABC):
    """One sort of objective: which families may be best for it, what they are worth, and what nothing passes."""

    #: Which objectives it is about, in a sentence that says what is answered without a matrix.
    answers: ClassVar[str]
    #: Whether reports have to reveal something: at epsilon 0 no mechanism has a finite value.
    needs_information: ClassVar[bool] = False

    @abstractmethod
    def fits(self, objective: Any, inputs: Problem) -> bool:
        """Return whether the objective is of this sort."""

    @abstractmethod
    def families(self, objective: Any, inputs: Problem, ratio: Fraction) -> tuple[Family, ...]:
        """Return the families that may be best."""

    @abstractmethod
    def value(self, objective: Any, inputs: Problem, family: Family) -> float:
        """Return a value that the family reaches, rounded for the worse; NaN if it has no formula."""

    @abstractmethod
    def value_of_sets(self, objective: Any, inputs: Problem, ratio: Fraction, sets: CoveredSets) -> float:
        """Return the value of a known mechanism by the sets that its reports cover; NaN if there is no formula."""

    @abstractmethod
    def bound(self, objective: Any, inputs: Problem, epsilon: float, slope: Array | None) -> Bound:
        """Return a bound for all mechanisms."""

    def slope(self, objective: Any, inputs: Problem, epsilon: float, value: float) -> Array | None:
        """Return what makes the bound better if it does not reach that value; None if nothing does."""
        return None
