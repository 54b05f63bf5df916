"""One person's bit: errors of estimators that assume a prior, of printed mechanisms and of certified ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mechdesign.designing.result import Design
from mechdesign.figures.figure import Behind, Curve
from mechdesign.figures.squared_errors import audited, bound, certified, feasible
from mechdesign.notions import LIP, Notion
from mechdesign.objectives import MMSE
from mechdesign.parameters.checks import Array
from mechdesign.theorems.jiang_bounded_prior.binary import bit, bounded, channel, mismatched, published_flips


@dataclass(frozen=True)
class Bits:
    """Bits of people: the true probability of a 1, the range that is known, and how many there are of each.

    Attributes
    ----------
    true, lower, upper, weights : ndarray, shape (k,)
        The weights are counts.
    exact : bool
        Whether the range is the prior itself: LIP.
    """

    true: Array
    lower: Array
    upper: Array
    weights: Array
    exact: bool = False

    @property
    def assumed(self) -> Array:
        """What the estimator takes the probability to be: Theorem 5, the middle of the range."""
        return np.asarray(self.true if self.exact else (self.lower + self.upper) / 2.0)

    def notion(self, place: int, epsilon: float) -> Notion:
        """Return the privacy notion of person `place`."""
        if self.exact:
            return LIP(epsilon)
        return bounded(epsilon, np.array([self.lower[place], self.upper[place]]))

    def printed(self, place: int, epsilon: float) -> Behind:
        """Return the mechanism of Theorem 4 for the range."""
        flips = published_flips((self.lower[place], self.upper[place]), float(np.exp(-epsilon)))
        return Behind(channel(flips), self.notion(place, epsilon), bit(float(self.true[place])))

    def mean(self, errors: Sequence[float]) -> float:
        """Return the mean over the people."""
        return float(self.weights @ np.asarray(errors)) / float(self.weights.sum())

    def error(self, matrices: Sequence[Array]) -> float:
        """Return the mean error of eq. (5), each person with a mechanism of their own."""
        each = zip(self.true, self.assumed, matrices, strict=True)
        return self.mean([float(mismatched(true, assumed, matrix)) for true, assumed, matrix in each])


def printed(name: str, epsilons: Array, people: Bits, beside: str = "") -> Curve:
    """Return the mean error of the mechanism of Theorem 4."""
    behind = [[people.printed(place, float(e)) for place in range(len(people.true))] for e in epsilons]
    errors = [people.error([each.matrix for each in used]) for used in behind]
    return audited(name, epsilons, errors, behind, beside)


def best(name: str, epsilons: Array, people: Bits) -> tuple[Curve, Curve]:
    """Return the mean error of the certified optimum, with the same estimator, and the bound for any estimator."""
    made = [[_design(people, place, float(e)) for place in range(len(people.true))] for e in epsilons]
    errors = [people.error([each.matrix for each in used]) for used in made]
    least = [people.mean([each.bound for each in used]) for used in made]
    return feasible(name, epsilons, errors, made), bound(name, epsilons, least)


def _design(people: Bits, place: int, epsilon: float) -> Design:
    return certified(bit(float(people.true[place])), people.notion(place, epsilon), MMSE())


def named(curves: Sequence[Curve]) -> dict[str, Array]:
    """Return the heights of the curves by name."""
    return {curve.name: curve.y for curve in curves}
