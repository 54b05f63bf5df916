r"""Mutual information of equally likely inputs without a matrix: subset selection of the best size.

A column that LDP allows is a sum of extreme ones, ``v = 1 + (E - 1) 1_S`` up to a factor with ``E = e^epsilon``. The
information is a sum over columns of a convex and homogeneous function, which is at most its sum over these extreme
columns. At equal priors that function depends on S by the share ``s = |S| / n`` alone: per unit of the column's
probability it is

.. math:: f(s) = \frac{s E \ln E}{u} - \ln u, \qquad u = 1 + (E - 1) s.

The probabilities of all columns add up to 1, so that no mechanism has more than the largest ``f(k / n)``. As a function
of u it rises up to ``E \ln E / (E - 1)`` and falls beyond, so that two sizes k decide. Reports that are sets of one
size reach it; if sizes differ, the information is at least

.. math:: f(s) - \frac{u - 1 - \ln u}{u s^2} \operatorname{Var},

with s the mean share and Var its variance: ``x ln x`` lies below the parabola that touches it at u and meets it at 1.

References
----------
M. Ye, A. Barg, "Optimal Schemes for Discrete Distribution Estimation under Locally Differential Privacy", IEEE
Transactions on Information Theory 64 (2018), for the sets.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from mechdesign.exact import exp_above, float_above, float_below, log_enclosed
from mechdesign.families import Family, KaryResponse, SubsetSelection
from mechdesign.families.best import best_subset_selection, geometries
from mechdesign.families.finite_field import MOST_NUMBERS
from mechdesign.many_inputs.by_formula import Bound, ByFormula
from mechdesign.many_inputs.covered_sets import CoveredSets
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

#: Shares are rounded to multiples of two to minus this power: any is near enough.
SHARE_BITS = 40


class Information(ByFormula):
    """Mutual information at equal priors, to be maximised."""

    answers: ClassVar[str] = "MutualInformation at equal priors"

    def fits(self, objective: Any, inputs: Problem) -> bool:
        """Return whether it is maximised, and all inputs are equally likely."""
        known = objective.is_of_information and not objective.measures_leakage
        return bool(known) and inputs.prior is not None and float(np.ptp(inputs.prior)) == 0.0

    def families(self, objective: Any, inputs: Problem, ratio: Fraction) -> tuple[Family, ...]:
        """Return subset selection of about the best size, geometries and k-ary response."""
        n, response = inputs.n, KaryResponse(inputs.n, ratio)
        if ratio == 1:
            return (response,)

        def cost(one: SubsetSelection) -> float:
            known = self.value(objective, inputs, one)
            return 1.0 / known if known > 0.0 else math.inf

        low, _ = best_share(ratio)
        share = Fraction(math.floor(low * 2**SHARE_BITS), 2**SHARE_BITS)
        selection = (best_subset_selection(n, ratio, share, cost),) if n <= MOST_NUMBERS else ()
        return *selection, *geometries(n, ratio), response

    def value(self, objective: Any, inputs: Problem, family: Family) -> float:
        """Return what the information is at least, rounded down; NaN of families without a formula."""
        sets = CoveredSets.of(family)
        return math.nan if sets is None else self.value_of_sets(objective, inputs, family.ratio, sets)

    def value_of_sets(self, objective: Any, inputs: Problem, ratio: Fraction, sets: CoveredSets) -> float:
        """Return what the information of equally likely reports off the person's input is at least."""
        if sets.share is None:
            return math.nan
        return max(0.0, float_below(information_of_sets(ratio, sets.share, sets.spread)[0]))

    def bound(self, objective: Any, inputs: Problem, epsilon: float, slope: Array | None) -> Bound:
        """Return the most information of sets of one size, rounded up."""
        ratio = exp_above(min(epsilon, LARGEST_EXPONENT))
        if ratio == 1:
            return Bound(0.0, 0.0, 0.0)
        n = inputs.n
        low, high = best_share(ratio)
        sizes = range(min(max(math.floor(n * low), 1), n), min(max(math.ceil(n * high), 1), n) + 1)
        most = float_above(max(information_of_sets(ratio, Fraction(k, n))[1] for k in sizes))
        return Bound(most, 0.0, most)


def information_of_sets(ratio: Fraction, share: Fraction, spread: Fraction = Fraction(0)) -> tuple[Fraction, Fraction]:
    """Return bounds of the information of reports that cover that share of equally likely inputs.

    Parameters
    ----------
    ratio : Fraction
        E.
    share : Fraction
        The mean share of the inputs that a report covers.
    spread : Fraction
        The variance of the share; with one above 0 the first number is below the information, and the second is above
        the information without it.

    Returns
    -------
    tuple of Fraction

    Examples
    --------
    >>> low, high = information_of_sets(Fraction(3), Fraction(1, 2))
    >>> round(float(low), 12), low < high
    (0.130812035941, True)
    """
    mean = 1 + (ratio - 1) * share
    own = share * ratio / mean
    (least, most), (low, high) = log_enclosed(ratio), log_enclosed(mean)
    lost = (mean - 1 - low) / (mean * share**2) * spread
    return own * least - high - lost, own * most - low


def best_share(ratio: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of the share of the inputs in a set at which its information is largest, for E above 1.

    Examples
    --------
    >>> [round(float(share), 6) for share in best_share(Fraction(3))]
    [0.323959, 0.323959]
    """
    least, most = log_enclosed(ratio)
    low, high = (ratio * log / (ratio - 1) for log in (least, most))
    return (low - 1) / (ratio - 1), (high - 1) / (ratio - 1)
