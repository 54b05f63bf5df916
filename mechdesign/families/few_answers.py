"""k-ary response among some of the inputs: what guesses of unequally likely inputs need."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.exact import ONE
from mechdesign.exact import Integers as Exact
from mechdesign.families.cover_law import CoverLaw
from mechdesign.families.family import Family
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers, Source, coins, uniform_below


@dataclass(frozen=True, eq=False)
class FewAnswers(Family):
    """k-ary response among k of the inputs; the others report one of these at random, each as likely as another.

    A report is the number of an input. With ``E <= e^epsilon`` an answer reports itself with the probability ``E / (E +
    k - 1)``, and each other answer with ``1 / (E + k - 1)``, between which ``1 / k`` lies.

    Parameters
    ----------
    n : int
        Inputs.
    ratio : Fraction
        E, at most ``e^epsilon``; 1 for a single answer.
    answers : tuple of int
        The inputs that are reported, in increasing order.

    Raises
    ------
    DomainError
        No answers, some that are no inputs, repeated or out of order; a single answer and another ratio than 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> one = FewAnswers(5, Fraction(3), answers=(1, 4))
    >>> [str(one.probability(x, 4)) for x in range(5)]
    ['1/2', '1/4', '1/2', '1/2', '3/4']
    """

    answers: tuple[int, ...]

    name: ClassVar[str] = "k-ary response among some inputs"
    identifies: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        given = np.asarray(self.answers)
        numbers = given.ndim == 1 and len(given) > 0 and given.dtype.kind == "i"
        if not (numbers and given[0] >= 0 and given[-1] < self.n and bool((np.diff(given) > 0).all())):
            rule = f"they have to be inputs from 0 to {self.n - 1}, in increasing order"
            raise DomainError("answers", self.answers, rule, "give (0, 1), say")
        if len(given) == 1 and self.ratio != 1:
            raise DomainError("ratio", self.ratio, "a single answer is as likely from every input", "give 1")

    @property
    def outputs(self) -> int:
        """N: reports are numbers of inputs, of which only the answers occur."""
        return self.n

    @property
    def used_outputs(self) -> int:
        """How many reports occur: one for each answer."""
        return len(self.answers)

    @property
    def least(self) -> Fraction:
        """The probability of an answer from another answer."""
        return 1 / (self.ratio + len(self.answers) - 1)

    @property
    def own(self) -> Fraction:
        """The probability that an answer reports itself."""
        return self.ratio * self.least

    @cached_property
    def numbers(self) -> Integers:
        """The answers, shape (k,)."""
        return np.array(self.answers, dtype=np.int64)

    @cached_property
    def places(self) -> Integers:
        """The place of each input among the answers, shape (n,); -1 for those that are none."""
        found = np.full(self.n, -1, dtype=np.int64)
        found[self.numbers] = np.arange(len(self.answers))
        return found

    @cached_property
    def law(self) -> CoverLaw:
        """No law of covers: no estimate of a frequency is unbiased.

        Raises
        ------
        UnsupportedError
            Always.
        """
        raise UnsupportedError(
            f"Reports of {len(self.answers)} answers do not identify the frequencies of {self.n} inputs: design for "
            'InformationDesign("A") to estimate them.'
        )

    @cached_property
    def pairs(self) -> tuple[Exact, ...]:
        """Two rows and the least of all, for two answers, if there are two, and for an answer and another input."""
        k, high, low = len(self.answers), self.ratio.numerator, self.ratio.denominator
        found = []
        if k > 1:
            rows = [[high, low, (k - 2) * low], [low, high, (k - 2) * low], [low, low, (k - 2) * low]]
            found.append(np.array(rows, dtype=object))
        if k < self.n:
            total = high + (k - 1) * low
            rows = [[k * high, k * (k - 1) * low], [total, (k - 1) * total], [k * low, k * (k - 1) * low]]
            found.append(np.array(rows, dtype=object))
        return tuple(found)

    def pair_of(self, x: int, z: int) -> Exact:
        """Return two rows for a pair of inputs, as integers of one sum, shape (2, k)."""
        answers = [bool(self.places[each] >= 0) for each in (x, z)]
        if x == z or not any(answers):
            return np.array([[1], [1]], dtype=object)
        if all(answers):
            return self.pairs[0][:2]
        return self.pairs[-1][[0, 1] if answers[0] else [1, 0]]

    @property
    def unlike(self) -> tuple[int, int]:
        """An answer and another input, another answer if there is one."""
        first = self.answers[0]
        return first, self.answers[1] if len(self.answers) > 1 else int(first == 0)

    def probability(self, x: int, y: int) -> Fraction:
        """Return ``Pr(y | x)``."""
        if self.places[y] < 0:
            return Fraction(0)
        if self.places[x] < 0:
            return Fraction(1, len(self.answers))
        return self.own if x == y else self.least

    def least_of_each(self) -> list[Fraction]:
        """Return the probability of each report from another answer, in the order of their numbers."""
        return [Fraction(0) if place < 0 else self.least for place in self.places.tolist()]

    def matrix_numerators(self) -> Exact:
        """Return the matrix in integers over ``2**53``, shape (n, n).

        What answers have left over by rounding down is a constant of each column, so that no ratio is larger.

        Raises
        ------
        DomainError
            So little is revealed that rounding is more.
        """
        k, chosen, others = len(self.answers), self.numbers, np.flatnonzero(self.places < 0)
        low = int(self.least * ONE)
        high = int(self.ratio * low)
        spare, even = _shared(ONE - high - (k - 1) * low, k), _shared(ONE, k)
        if len(others) and not self._between(low + spare, high + spare, even):
            rule = "multiples of 2**-53 cannot keep so low a level"
            raise DomainError("ratio", float(self.ratio), rule, "sample without the matrix, which is exact")
        made = np.zeros((self.n, self.n), dtype=np.int64)
        made[np.ix_(others, chosen)] = even
        made[np.ix_(chosen, chosen)] = low + spare
        made[chosen, chosen] = high + spare
        return made

    def _between(self, low: Integers, high: Integers, even: Integers) -> bool:
        """Return whether the entries of other inputs are so near to the answers' in each column as E allows."""
        up, down = self.ratio.numerator, self.ratio.denominator
        columns = zip(low.tolist(), high.tolist(), even.tolist(), strict=True)
        return all(b * down <= c * up and c * down <= a * up for a, b, c in columns)

    def incidence(self, reports: Integers | None = None) -> npt.NDArray[np.bool_]:
        """Return which report is which input, shape (n, k), of all n reports by default."""
        seen = np.arange(self.n) if reports is None else reports
        return np.asarray(np.arange(self.n)[:, None] == seen[None, :])

    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each report is the input beside it."""
        return np.asarray(inputs == reports)

    def sample(self, inputs: Integers, read: Source) -> Integers:
        """Return a report for each input, of exactly its law, from a source of random bytes; shape (k,)."""
        k, places = len(self.answers), self.places[inputs]
        drawn = uniform_below(k, len(inputs), read)
        asked = np.flatnonzero(places >= 0)
        if k > 1 and len(asked):
            own = places[asked]
            others = uniform_below(k - 1, len(asked), read)
            drawn[asked] = np.where(coins(self.own, len(asked), read), own, others + (others >= own))
        return np.asarray(self.numbers[drawn])

    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how often each input was reported."""
        found = np.zeros(self.n)
        found[reports] = counts
        return found

    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the weight of the input that each report is."""
        return np.asarray(weights[reports])

    def variances(self, frequencies: Array | None = None) -> Array:
        """Return infinite variances, shape (n,): reports do not identify the frequencies."""
        return np.full(self.n, np.inf)

    def sentences(self) -> tuple[str, ...]:
        """Return the name, the numbers and the ratio of the family in sentences."""
        k = len(self.answers)
        known = f"A report is one of {k} of {self.n} inputs, by its number." if k > 1 else "There is one report."
        listed = ", ".join(map(str, self.answers[:8])) + (", ..." if k > 8 else "")
        times = f"One is {float(self.ratio):.9g} times as likely from its own input as from another one of these."
        return (f"{self.name}: {listed}.", known, *([times] if k > 1 else []))

    @property
    def covers_in_words(self) -> str:
        """How likely an answer reports itself, and what other inputs report, in a sentence."""
        k = len(self.answers)
        if k == 1:
            return "It is the same from every input."
        own, other = float(self.own), float(self.least)
        return (
            f"An answer reports itself with probability {own:.6g}, any other answer with {other:.6g}; "
            f"other inputs report each answer with {1.0 / k:.6g}."
        )

    @property
    def parameters_in_words(self) -> str:
        """How many answers there are, in parentheses."""
        return f" ({len(self.answers)} answer{'s' * (len(self.answers) > 1)})"


def _shared(whole: int, count: int) -> Integers:
    """Return a whole number as a sum of `count` numbers that differ by at most one, shape (count,)."""
    each, rest = divmod(whole, count)
    return each + (np.arange(count) < rest).astype(np.int64)
