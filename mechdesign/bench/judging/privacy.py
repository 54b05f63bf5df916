"""How private a solver's matrix is as it comes: comparisons that it violates, counted exactly, and its level."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.bench.forms.pairs_of_inputs import all_pairs, distances
from mechdesign.exact import exp_below
from mechdesign.notions.exact_check import columns_hold
from mechdesign.parameters.checks import Array
from mechdesign.question import Question

#: Floats decide a comparison whose sides differ by more than this, relatively; the others are decided in fractions.
CLEAR = 1e-14


@dataclass(frozen=True)
class PrivacyScore:
    """How private a matrix is as it came from a solver.

    Attributes
    ----------
    comparisons : int
        What was compared: ordered pairs of inputs for each output under a notion of ratios, otherwise outputs; one for
        a notion that bounds a sum over outputs.
    violated : int
        How many of them do not hold, in exact arithmetic.
    amount : float
        The largest ``Q[x, y] - e^d Q[x', y]`` over pairs, at least 0: a probability. NaN under other notions.
    level : float
        The level of the matrix with negative entries set to 0 and rows divided by their sums: what would be given if
        it were deployed. Infinite where an output rules an input out.
    excess : float
        By how much the level passes the one asked for, at least 0, in its unit.
    row_error : float
        The largest ``|sum_y Q[x, y] - 1|``.
    negative : int
        The number of negative entries.
    least : float
        The least entry.
    """

    comparisons: int
    violated: int
    amount: float
    level: float
    excess: float
    row_error: float
    negative: int
    least: float

    @property
    def far(self) -> float:
        """How far it is from being private: a probability, or an excess of the level in its unit if that is larger."""
        return max(self.amount if math.isfinite(self.amount) else 0.0, self.excess, -self.least)


def privacy_of(matrix: Array, question: Question) -> PrivacyScore:
    """Return how private `matrix` is under the notion of `question`, as it is."""
    clipped = np.maximum(matrix, 0.0)
    sums = clipped.sum(axis=1, keepdims=True)
    deployed = np.divide(clipped, sums, out=np.full_like(clipped, 1.0 / clipped.shape[1]), where=sums > 0)
    notion, problem = question.notion, question.problem
    level = notion.level(deployed, problem)
    apart = distances(question)
    if apart is not None:
        comparisons, violated, amount = _pairs(matrix, apart)
    else:
        (comparisons, violated), amount = _outputs(matrix, deployed, question), math.nan
    return PrivacyScore(
        comparisons,
        violated,
        amount,
        level.value,
        max(level.excess(notion), 0.0),
        float(np.abs(matrix.sum(axis=1) - 1.0).max()),
        int((matrix < 0).sum()),
        float(matrix.min()),
    )


def _pairs(matrix: Array, apart: Array) -> tuple[int, int, float]:
    """Return the number of comparisons, how many fail, and by how much at most."""
    first, second = all_pairs(apart)
    factors = np.exp(apart[first, second])[:, None]
    larger, smaller = matrix[first], matrix[second]
    beyond = larger - factors * smaller
    sizes = np.abs(larger) + factors * np.abs(smaller)
    broken = beyond > 0
    for pair, output in zip(*np.nonzero(np.abs(beyond) <= CLEAR * sizes), strict=True):
        ratio = exp_below(float(apart[first[pair], second[pair]]))
        broken[pair, output] = Fraction(float(larger[pair, output])) > ratio * Fraction(float(smaller[pair, output]))
    # An amount that rounding hides is not shown as 0.
    amounts = np.where(broken, np.maximum(beyond, np.finfo(float).eps * sizes / 4.0), 0.0)
    return broken.size, int(broken.sum()), float(amounts.max(initial=0.0))


def _outputs(matrix: Array, deployed: Array, question: Question) -> tuple[int, int]:
    """Return the number of outputs and how many are not private; one where only their sum is bounded."""
    notion, problem = question.notion, question.problem
    if len(notion.columns(problem).budget()):
        return 1, int(bool(np.any(matrix < 0)) or notion.level(deployed, problem).excess(notion) > 0)
    negative = np.any(matrix < 0, axis=0)
    held = columns_hold(notion, _as_integers(np.maximum(matrix, 0.0)), problem)
    return matrix.shape[1], int((negative | ~held).sum())


def _as_integers(matrix: Array) -> Any:
    """Return the entries times one power of two, as integers."""
    fractions = [Fraction(float(entry)) for entry in matrix.ravel()]
    unit = max((each.denominator for each in fractions), default=1)
    numbers = np.array([int(each * unit) for each in fractions], dtype=object)
    return numbers.reshape(matrix.shape)
