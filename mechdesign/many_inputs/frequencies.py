"""All frequencies of a population without a matrix: variances of estimates by covers, and Ye and Barg's bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mechdesign.exact import exp_up
from mechdesign.families import Family
from mechdesign.families.best import families_for
from mechdesign.families.best_groups import best_two_groups
from mechdesign.families.pure_protocol import cover_variances
from mechdesign.many_inputs.by_formula import UNITS, Bound, ByFormula
from mechdesign.many_inputs.covered_sets import CoveredSets
from mechdesign.objectives.information_design import is_design
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.cell_frequencies import least_by_cells
from mechdesign.solve.certificate.frequencies import best_multiplier, least_of_total, total_of_sizes
from mechdesign.solve.search.cell_slopes import best_cell_slope
from mechdesign.tolerances import LARGEST_EXPONENT


class Frequencies(ByFormula):
    """The sum of the variances of all estimated frequencies, and the largest one if all are equally frequent.

    The value is of estimates by covers; the best unbiased estimates may have less. At equal frequencies all have the
    same variance, as it depends on pairs of inputs alone, which are alike; covariances depend on triples. The bound
    is the larger one of the bound of M. Ye and A. Barg, over sets of each size, and of the bound that a slope by cells
    of frequencies certifies.
    """

    answers: ClassVar[str] = 'InformationDesign("A") without weights or queries ("worst" at equal frequencies)'
    needs_information: ClassVar[bool] = True

    def fits(self, objective: object, inputs: Problem) -> bool:
        """Return whether it is such a criterion, without weights or queries."""
        if not is_design(objective) or objective.is_weighted:
            return False
        alike = objective.criterion == "worst" and float(np.ptp(objective.theta_of(inputs))) == 0.0
        return objective.criterion == "A" or alike

    def families(self, objective: Any, inputs: Problem, ratio: Fraction) -> tuple[Family, ...]:
        """Return the families that cover all inputs alike, and the best two groups of unequally frequent ones."""
        apart = best_two_groups(objective.theta_of(inputs), ratio)
        return *families_for(inputs.n, ratio), *(() if apart is None else (apart,))

    def value(self, objective: Any, inputs: Problem, family: Family) -> float:
        """Return the criterion of the estimates from one report, rounded up."""
        theta = objective.theta_of(inputs)
        if float(np.ptp(theta)) == 0.0:
            return math.nextafter(_of_alike(objective, inputs.n, family.total_variance()), math.inf)
        return float(family.variances(theta).sum()) * (1.0 + UNITS)

    def value_of_sets(self, objective: Any, inputs: Problem, ratio: Fraction, sets: CoveredSets) -> float:
        """Return the criterion of estimates by covers."""
        total = float(np.sum(cover_variances(objective.theta_of(inputs), sets.own, sets.other)))
        return _of_alike(objective, inputs.n, total)

    def bound(self, objective: Any, inputs: Problem, epsilon: float, slope: Array | None) -> Bound:
        """Return the largest one of the bounds by sizes of sets, by cells of frequencies, and without privacy."""
        theta = objective.theta_of(inputs)
        level = best_multiplier(theta, epsilon)
        least, noise = least_of_total(objective, inputs, *total_of_sizes(epsilon, theta, level))
        by_cells = least_by_cells(theta, rise_of_level(epsilon), slope)
        return Bound(max(least - noise, objective.no_privacy(inputs) * (1.0 - UNITS), by_cells), noise, level)

    def slope(self, objective: Any, inputs: Problem, epsilon: float, value: float) -> Array | None:
        """Return a slope by cells of frequencies, as `best_cell_slope` does; None of equal frequencies."""
        theta = objective.theta_of(inputs)
        if float(np.ptp(theta)) == 0.0:
            return None
        return best_cell_slope(theta, rise_of_level(epsilon), value)


def rise_of_level(epsilon: float) -> float:
    """Return ``e^epsilon - 1``, rounded upward."""
    return math.nextafter(exp_up(min(epsilon, LARGEST_EXPONENT)) - 1.0, math.inf)


def _of_alike(objective: Any, n: int, total: float) -> float:
    """Return the criterion of n estimates that are all alike, from the sum of their variances."""
    return total / n if objective.criterion == "worst" else total
