r"""The probability that a guess of the datum is wrong, without a matrix: k-ary response among the likeliest inputs.

Under LDP with ``E = e^epsilon``, write ``a_d = Q[d, d]`` for the probability of a right guess of d. Every other input
gives the guess d at least the probability ``a_d / E``, so that row d has ``a_d + sum_{j != d} a_j / E <= 1``. With
``s = sum_d a_d / E`` each ``a_d`` is at most ``(1 - s) E / (E - 1)``, and the a_d add up to ``E s``: the most that
``sum_d P_d a_d`` can be puts that limit on the likeliest inputs. It is linear in s between the levels at which a whole
number k of them reach the limit, and there it is ``E P(k likeliest) / (E + k - 1)``. The least error is

.. math:: 1 - \max_k \frac{E}{E + k - 1} \sum_{d \le k} P_{(d)},

which k-ary response among the k likeliest inputs has: `FewAnswers`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from mechdesign.exact import exp_up
from mechdesign.families import Family, FewAnswers, KaryResponse
from mechdesign.many_inputs.by_formula import UNITS, Bound, ByFormula
from mechdesign.many_inputs.covered_sets import CoveredSets
from mechdesign.objectives.decisions import shares
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

#: Which inputs are answers, shape (n,).
Flags = npt.NDArray[np.bool_]
#: The longest floats that there are, in which sums over inputs are taken.
LONG: Final = np.longdouble


class Guesses(ByFormula):
    """The error of the best guess from a report, which is the least loss of all decisions that reports may stand for.

    At the optimum the report itself is the best guess.
    """

    answers: ClassVar[str] = "ErrorProbability, HammingLoss"

    def fits(self, objective: Any, inputs: Problem) -> bool:
        """Return whether a guess of the input is right or wrong."""
        return bool(objective.is_of_guesses)

    def families(self, objective: Any, inputs: Problem, ratio: Fraction) -> tuple[Family, ...]:
        """Return k-ary response among the best number of inputs."""
        prior, n = shares(inputs), inputs.n
        order = np.argsort(-prior, kind="stable")
        errors = least_errors(prior[order], float(ratio))
        # The largest one of those that differ by rounding alone: all of equally likely inputs.
        alike = np.flatnonzero(errors <= errors.min() * (1.0 + rounding(n)))
        k = int(alike[-1]) + 1 if ratio > 1 else 1
        if k == n:
            return (KaryResponse(n, ratio),)
        answers = tuple(np.sort(order[:k]).tolist())
        return (FewAnswers(n, ratio if k > 1 else Fraction(1), answers),)

    def value(self, objective: Any, inputs: Problem, family: Family) -> float:
        """Return the error of the family, rounded up; NaN of reports that cover several inputs at unequal priors."""
        prior = shares(inputs)
        if isinstance(family, FewAnswers):
            chosen = np.zeros(inputs.n, dtype=bool)
            chosen[list(family.answers)] = True
            own = float(family.own)
            error = prior[np.logical_not(chosen)].sum() + prior[chosen].sum() * float(1 - family.own)
            error -= _gained_by_other_guesses(prior, chosen, own, float(family.least))
            return float(error) * (1.0 + rounding(inputs.n))
        sets = CoveredSets.of(family)
        if sets is None:
            return math.nan
        return self.value_of_sets(objective, inputs, family.ratio, sets) * (1.0 + rounding(inputs.n))

    def value_of_sets(self, objective: Any, inputs: Problem, ratio: Fraction, sets: CoveredSets) -> float:
        """Return the error of k-ary response at any prior, and of sets of one size at an equal one."""
        prior, n, level = shares(inputs), inputs.n, float(ratio)
        if sets.is_of_single_inputs(n):
            gained = _gained_by_other_guesses(prior, np.ones(n, dtype=bool), sets.own, sets.other)
            return (n - 1.0) / (level + n - 1.0) - gained
        equal = sets.share is not None and sets.spread == 0 and float(np.ptp(prior)) == 0.0
        if not equal or sets.share is None:
            return math.nan
        return float(1 - ratio / (n * (1 + (ratio - 1) * sets.share)))

    def bound(self, objective: Any, inputs: Problem, epsilon: float, slope: Array | None) -> Bound:
        """Return the least error over all numbers of answers, rounded down."""
        ranked = -np.sort(-shares(inputs))
        errors = least_errors(ranked, exp_up(min(epsilon, LARGEST_EXPONENT)))
        least, noise = float(errors.min()), rounding(inputs.n) * float(errors.min())
        return Bound(least - noise, noise, 1.0 - least)


def rounding(n: int) -> float:
    """Return the rounding of sums over n inputs that are taken one by one in the longest floats, as a share of them."""
    return UNITS + 4.0 * n * float(np.finfo(LONG).eps)


def least_errors(ranked: Array, ratio: float) -> Array:
    """Return the error of k-ary response among the k likeliest inputs, for each k from 1 on, shape (n,).

    Terms are not negative, so that small errors are not lost in rounding.

    Parameters
    ----------
    ranked : ndarray, shape (n,)
        The prior, the likeliest first.
    ratio : float
        E.

    Examples
    --------
    >>> least_errors(np.array([0.5, 0.25, 0.25]), 3.0).tolist()
    [0.5, 0.4375, 0.4]
    """
    others = np.arange(len(ranked))
    left_out = np.append(np.cumsum(ranked[:0:-1], dtype=LONG)[::-1], 0.0)
    return np.asarray(left_out + np.cumsum(ranked, dtype=LONG) * (others / (ratio + others)), dtype=float)


def _gained_by_other_guesses(prior: Array, chosen: Flags, own: float, other: float) -> float:
    """Return how much likelier the best guesses are than the reports themselves, added up over the chosen inputs.

    Of an input that is no answer each report has one probability, ``1 / k``.
    """
    count = int(chosen.sum())
    first = int(np.where(chosen, prior, -1.0).argmax())
    largest = np.full(len(prior), prior[first])
    rest = np.where(chosen, prior, -1.0)
    rest[first] = -1.0
    largest[first] = max(float(rest.max()), 0.0)
    outside = float(prior[np.logical_not(chosen)].max(initial=0.0)) / count
    gained = np.maximum(np.maximum(largest * other, outside) - prior * own, 0.0)
    return float(gained[chosen].sum())
