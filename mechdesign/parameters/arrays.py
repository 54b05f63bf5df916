"""Domains of vectors and matrices: numbers, distributions, rows of distributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.base import Cases, Domain
from mechdesign.parameters.checks import Array
from mechdesign.parameters.scalars import Real
from mechdesign.tolerances import SUM_TO_ONE

#: Any finite number.
ANY = Real()


@dataclass(frozen=True)
class Vector(Domain):
    """Vectors of at least one number, each of them in the domain `entries`."""

    entries: Real = ANY

    def check(self, argument: str, value: Any) -> Array:
        """Return `value` as a read-only vector."""
        return _within(argument, domains.numbers(argument, value, 1), self.entries)

    @property
    def example(self) -> Array:
        """Two numbers."""
        return np.full(2, self.entries.example)

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no vector of numbers, and vectors whose last entry is outside."""
        given = self.example if near is None else np.asarray(near)
        yield from no_arrays(given)
        yield from (
            (f"its last is {why}", [*given[:-1].tolist(), number])
            for why, number in self.entries.invalid()
            if why != "a list"
        )

    def ends(self, near: Any = None) -> Cases:
        """Yield vectors whose last entry is an end, and a valid one in other representations."""
        given = self.example if near is None else np.asarray(near)
        yield from ((f"its last is {why}", [*given[:-1].tolist(), number]) for why, number in self.entries.inner())
        yield from other_forms(given)


@dataclass(frozen=True)
class Matrix(Domain):
    """Matrices of at least one number, each of them in the domain `entries`.

    Parameters
    ----------
    entries : Real
        The domain of each number.
    square, symmetric, hollow : bool
        Whether there are as many rows as columns, entries are the same both ways, the diagonal is zero.
    """

    entries: Real = ANY
    square: bool = False
    symmetric: bool = False
    hollow: bool = False

    def check(self, argument: str, value: Any) -> Array:
        """Return `value` as a read-only matrix."""
        array = domains.numbers(argument, value, 2)
        if self.square and array.shape[0] != array.shape[1]:
            raise DomainError(argument, f"of shape {array.shape}", "it has to be a square matrix", "give (k, k)")
        _within(argument, array, self.entries)
        for asked, wrong, rule in (
            (self.hollow, lambda: np.diag(np.diag(array) != 0), "the diagonal has to be 0"),
            (self.symmetric, lambda: array != array.T, "it has to be the same both ways"),
        ):
            if asked and wrong().any():
                place, entry = domains.first_of(argument, array, wrong())
                raise DomainError(place, entry, rule, "correct it")
        return array

    @property
    def example(self) -> Array:
        """A matrix of two rows and columns."""
        return self.entries.example * (1.0 - np.eye(2) if self.hollow else np.ones((2, 2)))

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no matrix of numbers, matrices with an entry outside, and matrices of another form."""
        given = self._given(near)
        yield from no_arrays(given)
        yield from ((f"an entry is {why}", changed) for why, changed in self._with(given, self.entries.outer()))
        if self.square:
            yield "a row too few", given[:-1]
            yield "a column too many", np.hstack([given, given[:, :1]])
        if self.symmetric:
            one_way = np.array(given)
            one_way[0, -1] = self.entries.example if one_way[0, -1] != self.entries.example else one_way[0, -1] + 1.0
            yield "another number one way", one_way
        if self.hollow:
            diagonal = np.array(given)
            diagonal[-1, -1] = self.entries.example
            yield "a diagonal that is not zero", diagonal

    def ends(self, near: Any = None) -> Cases:
        """Yield matrices with an entry at an end, and a valid one in other representations."""
        given = self._given(near)
        yield from ((f"an entry is {why}", changed) for why, changed in self._with(given, self.entries.inner()))
        yield from other_forms(given)

    def _given(self, near: Any) -> Array:
        """Return `near`, or the example if `near` is missing or has no entry beside its diagonal."""
        return self.example if near is None or (self.hollow and len(near) == 1) else np.asarray(near)

    def _with(self, given: Array, numbers: Cases) -> Iterator[tuple[str, Array]]:
        """Yield `given` with each of `numbers` beside the diagonal, both ways where it is symmetric."""
        for why, number in numbers:
            changed = np.array(given)
            changed[0, -1] = number
            if self.symmetric:
                changed[-1, 0] = number
            yield why, changed


@dataclass(frozen=True)
class Distribution(Domain):
    """Vectors that are not negative and sum to one within 1e-9, kept as given; without zeros if `positive`."""

    positive: bool = False

    def check(self, argument: str, value: Any) -> Array:
        """Return `value` as a read-only vector."""
        check = domains.positive_distribution if self.positive else domains.distribution
        return check(argument, value)

    @property
    def example(self) -> Array:
        """A distribution on two."""
        return np.array([0.25, 0.75])

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no vector of numbers, vectors of another sum, and vectors of sum one with an entry outside."""
        given = self.example if near is None else np.asarray(near)
        yield from no_arrays(given)
        for why, number in Real().invalid():
            if why != "a list":
                yield f"its last is {why}", [*given[:-1].tolist(), number]
        for factor in (10.0, 0.5, 1.0 + 3.0 * SUM_TO_ONE, 1.0 - 3.0 * SUM_TO_ONE):
            yield f"a sum of {factor:.10g}", factor * given
        if len(given) > 1:
            yield "a negative entry", self._starting(given, -0.125)
            yield "a very small negative entry", self._starting(given, -5e-324)
            if self.positive:
                yield "a zero", self._starting(given, 0.0)

    def ends(self, near: Any = None) -> Cases:
        """Yield sums within 1e-9 of one, the smallest entry, and a valid vector in other representations."""
        given = self.example if near is None else np.asarray(near)
        for factor in (1.0 + 0.5 * SUM_TO_ONE, 1.0 - 0.5 * SUM_TO_ONE):
            yield f"a sum of {factor:.10g}", factor * given
        if len(given) > 1:
            yield "the smallest entry", self._starting(given, 5e-324 if self.positive else 0.0)
        yield from other_forms(given)

    @staticmethod
    def _starting(given: Array, first: float) -> Array:
        """Return `given` with another first entry, the rest made even so that the sum stays one."""
        return np.array([first, *[(1.0 - first) / (len(given) - 1)] * (len(given) - 1)])


@dataclass(frozen=True)
class Stochastic(Domain):
    """Matrices each of whose rows is a distribution."""

    row: Distribution = field(default_factory=Distribution)

    def check(self, argument: str, value: Any) -> Array:
        """Return `value` as a read-only matrix."""
        return domains.stochastic_rows(argument, value)

    @property
    def example(self) -> Array:
        """Two rows."""
        return np.array([self.row.example, self.row.example[::-1]])

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no matrix of numbers, and matrices whose last row is no distribution."""
        given = self.example if near is None else np.asarray(near)
        yield from no_arrays(given)
        if len(given) > 1:
            yield from ((f"its last row is {why}", [*given[:-1], row]) for why, row in self.row.invalid(given[-1]))

    def ends(self, near: Any = None) -> Cases:
        """Yield matrices whose last row is an end, and a valid one in other representations."""
        given = self.example if near is None else np.asarray(near)
        yield from ((f"its last row is {why}", [*given[:-1], row]) for why, row in self.row.ends(given[-1]))


@dataclass(frozen=True)
class ColumnStochastic(Domain):
    """Matrices each of whose columns is a distribution."""

    rows: Stochastic = field(default_factory=Stochastic)

    def check(self, argument: str, value: Any) -> Array:
        """Return `value` as a read-only matrix."""
        array = domains.matrix(argument, value)
        for index, column in enumerate(array.T):
            domains.distribution(f"{argument}[:, {index}]", column)
        return array

    @property
    def example(self) -> Array:
        """Two columns."""
        return self.rows.example.T

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no matrix of numbers, and matrices whose last column is no distribution."""
        given = self.example if near is None else np.asarray(near)
        yield from no_arrays(given)
        if len(given.T) > 1:
            for why, column in self.rows.row.invalid(given[:, -1]):
                if isinstance(column, np.ndarray) and column.shape == (len(given),) and column.dtype == float:
                    yield f"its last column is {why}", np.column_stack([given[:, :-1], column])

    def ends(self, near: Any = None) -> Cases:
        """Yield matrices whose last column is an end, and a valid one in other representations."""
        given = self.example if near is None else np.asarray(near)
        yield from (
            (f"its last column is {why}", np.column_stack([given[:, :-1], column]))
            for why, column in self.rows.row.ends(given[:, -1])
        )


def no_arrays(given: Array) -> Cases:
    """Yield what resembles `given` and is no array of numbers of its dimension."""
    yield from (("None", None), ("a number", 0.5), ("text", "0.5"), ("empty", []), ("ragged", [[0.5], [0.5, 0.5]]))
    yield "of texts", given.astype(str).tolist()
    yield "of texts in an array", given.astype(str)
    yield "of bytes", given.astype("S")
    yield "of truths", (given != 0).tolist()
    yield "of truths in an array", given != 0
    yield "of objects, one of them true", np.array([True, *given.ravel()[1:]], dtype=object).reshape(given.shape)
    yield "complex", given.astype(complex)
    yield "masked", np.ma.masked_array(given, mask=np.zeros(given.shape, dtype=bool))
    yield "with an axis more", given[None]
    yield "with an axis less", given[0]


def other_forms(given: Array) -> Cases:
    """Yield other representations of the array `given`: lists, tuples, objects, another order in memory."""
    yield "a list", given.tolist()
    yield "a tuple", tuple(given.tolist())
    yield "of objects", given.astype(object)
    yield "in the other order of memory", np.asfortranarray(given)


def _within(argument: str, array: Array, entries: Real) -> Array:
    """Return `array`, or raise with the first of its entries that is outside."""
    if not entries.infinite:
        domains.finite(argument, array)
    wrong = entries.outside(array)
    if wrong.any():
        place, entry = domains.first_of(argument, array, wrong)
        raise entries.error(place, entry)
    return array
