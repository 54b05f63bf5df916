"""The setting of the paper's results: one bit, 1 with a probability P in a range [a, b], flipped before it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.notions import LIP, BoundedPriorLIP, Notion
from mechdesign.objectives import MMSE
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition
from mechdesign.theorems.family import Point
from mechdesign.theorems.variables import Real, Sizes, Variable, fraction


@dataclass(frozen=True)
class PriorRange(Variable):
    """A range ``(a, b)`` of the probability of a 1, inside ``[low, high]``; single points and whole sides come up."""

    low: float = 0.0
    high: float = 1.0

    def draw(self, rng: np.random.Generator, known: Sizes) -> Array:
        """Return a range: any, one that starts or ends where the outer one does, a narrow one, or nearly the whole."""
        a, b = np.sort(rng.uniform(self.low, self.high, 2))
        kind = rng.integers(8)
        if kind == 0:
            a = self.low
        elif kind == 1:
            b = self.high
        elif kind == 2:
            b = a + 0.1 * (b - a)
        elif kind <= 4:
            a, b = (end + (outer - end) * rng.uniform(0.8, 1.0) for end, outer in ((a, self.low), (b, self.high)))
        return np.array([a, b])

    def in_words(self) -> str:
        """Return from where both ends are."""
        return f"an interval within [{self.low:g}, {self.high:g}], or a point of it"

    def corners(self, known: Sizes) -> tuple[Array, ...]:
        """Return the whole range, two single points, and both halves."""
        shares = ((0.0, 1.0), (0.5, 0.5), (0.1, 0.1), (0.0, 0.5), (0.5, 1.0))
        return tuple(self.low + (self.high - self.low) * np.array(ends) for ends in shares)

    def simpler(self, value: Array) -> Iterator[Array]:
        """Yield both ends with one, two, three digits."""
        for digits in (1, 2, 3):
            short = np.round(value.astype(float), digits)
            # Not nothing but one of the outer ends, where one of the two bits never occurs.
            proper = self.low < short[1] <= self.high and self.low <= short[0] < self.high
            if proper and not np.array_equal(short, value):
                yield short

    def between(self, start: Array, end: Array, share: float) -> Array:
        """Return the mixture of the ends."""
        return np.asarray((1.0 - share) * start + share * end)

    def exactly(self, value: Array) -> Array:
        """Return short fractions."""
        return np.array([fraction(part) for part in value], dtype=object)


#: How far up the range a prior lies: 0 is its lower end, 1 its upper.
SHARE = Real(0.0, 1.0)


def within(prior_range: Array, share: Any) -> Any:
    """Return the probability that lies that share of the way up the range."""
    a, b = prior_range
    return a + share * (b - a)


def bounded(epsilon: float, prior_range: Array) -> BoundedPriorLIP:
    """Return the notion: local information privacy for every probability of a 1 in the range."""
    a, b = map(float, prior_range)
    return BoundedPriorLIP(epsilon, lower=[1.0 - b, a], upper=[1.0 - a, b])


def bit(p: float) -> Problem:
    """Return the problem of a bit that is 1 with probability p."""
    return Problem(prior=[1.0 - p, p], values=[0.0, 1.0])


def asked(at: Point) -> Question:
    """Return the question of the least squared error at the point's prior, under its range."""
    return Question(bit(within(at.range, at.share)), bounded(at.epsilon, at.range), MMSE())


def asked_at_known_prior(at: Point) -> Question:
    """Return the question of the least squared error under LIP, at the point's prior."""
    return Question(bit(at.prior), LIP(at.epsilon), MMSE())


def range_of(notion: Notion) -> tuple[float, float]:
    """Return the range ``(a, b)`` that a box leaves to the probability of the second input."""
    assert isinstance(notion, BoundedPriorLIP), "the form is about BoundedPriorLIP"
    (low_0, low_1), (high_0, high_1) = notion.lower, notion.upper
    return float(max(low_1, 1.0 - high_0)), float(min(high_1, 1.0 - low_0))


def channel(flips: Any) -> Array:
    """Return the mechanism that sends a 0 as 1 with probability ``q_0``, a 1 as 0 with ``q_1``."""
    q_0, q_1 = flips
    return np.array([[1 - q_0, q_0], [q_1, 1 - q_1]])


def published_flips(prior_range: Any, low: Any) -> Array:
    """Return ``q_0 = b/(b - a + E)`` and ``q_1 = (1 - a)/(b - a + E)``, divided by E: `low` is ``1/E = e^-epsilon``."""
    a, b = prior_range
    total = 1 + (b - a) * low
    return np.array([b * low / total, (1 - a) * low / total])


def estimates(p: Any, matrix: Array) -> Array:
    """Return ``Pr(X = 1 | Y = y)`` for y = 0, 1 by Bayes' rule, where a 1 has probability p."""
    ones = p * matrix[1]
    return np.asarray(ones / (ones + (1 - p) * matrix[0]))


def error(p: Any, guesses: Array, matrix: Array) -> Any:
    """Return ``E (X - guess of Y)^2`` as the sum over all x and y, where a 1 has probability p."""
    return ((1 - p) * matrix[0] * guesses**2 + p * matrix[1] * (1 - guesses) ** 2).sum()


def mismatched(p: Any, assumed: Any, matrix: Array) -> Any:
    """Return the error of eq. (5): a 1 has probability p, and the estimator takes it to be `assumed`."""
    return error(p, estimates(assumed, matrix), matrix)


def _zeros_common(question: Question) -> tuple[float, float]:
    a, b = range_of(question.notion)
    return a, (1.0 - b) * float(np.exp(-question.notion.parameter))


def _ones_common(question: Question) -> tuple[float, float]:
    a, b = range_of(question.notion)
    return 1.0 - b, a * float(np.exp(-question.notion.parameter))


#: Two rows of the cone nearly coincide next to the edge of Theorem 4's domain; closer than this, their rays agree up to
#: rounding, and a question counts as outside (the exact optimum answers it).
ROOM = 1e-9


class Clear(Condition):
    """An inequality that holds by more than rounding, or with equality."""

    def met(self, subject: Any) -> bool:
        """Return whether the two sides are equal, or the left one is larger by more than rounding."""
        margin = self.margin(subject)
        return margin == 0 or margin >= ROOM


#: The mechanism of Theorem 4 is private exactly where both hold: the range does not lie too far to one side.
BALANCED = (
    Clear("a", "(1 - b) e^-epsilon", _zeros_common),
    Clear("1 - b", "a e^-epsilon", _ones_common),
)


#: The conditions of `BALANCED` for points that carry ``E = e^epsilon`` itself, so that all numbers can be fractions.
BALANCED_AT = (
    Clear("a", "(1 - b)/E", lambda at: (at.range[0], (1 - at.range[1]) / at.E)),
    Clear("1 - b", "a/E", lambda at: (1 - at.range[1], at.range[0] / at.E)),
)


def published_channel(at: Point) -> Array:
    """Return the mechanism of Theorem 4 at a point that carries E."""
    return channel(published_flips(at.range, 1 / at.E))
