"""Local hashing: reports are a random hash function, exactly pairwise independent, and one of its values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.families.family import Family
from mechdesign.families.finite_field import Vectors
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers, Source, uniform_below


@dataclass(frozen=True, eq=False)
class LocalHashing(Family):
    """A report is a hash function ``h_a(x) = a . x`` into q values and one value: it covers the inputs of that value.

    Inputs are vectors of t elements of the field of q elements, a is a uniform one. Two inputs have the same value with
    a probability of exactly ``1 / q``, as the estimates suppose. Hash functions that are used elsewhere have that
    property approximately.

    Parameters
    ----------
    n : int
        Inputs, at most ``q^t``.
    ratio : Fraction
        E, at most ``e^epsilon``.
    q : int
        A prime power: how many values a function has; near ``e^epsilon + 1``.
    t : int
        At least 1.

    References
    ----------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation", USENIX
    Security 2017, Section 4.4 (optimised local hashing).

    Examples
    --------
    >>> from fractions import Fraction
    >>> hashing = LocalHashing(9, Fraction(2), q=3, t=2)
    >>> hashing.design, hashing.own, hashing.other
    ((27, 9, 3), Fraction(1, 2), Fraction(1, 3))
    """

    q: int
    t: int

    name: ClassVar[str] = "local hashing"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_inputs(self.vectors.count)

    @property
    def design(self) -> tuple[int, int, int]:
        """N, K and L: functions times values; a value of each function; one in q of these."""
        functions = self.q**self.t
        return functions * self.q, functions, functions // self.q

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors that inputs and functions are."""
        return Vectors(self.q, self.t)

    def _hashed(self, functions: Integers, inputs: Integers) -> Integers:
        """Return the value of each function at the input beside it."""
        return self.vectors.field.dot(self.vectors.elements(functions), self.vectors.elements(inputs))

    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each function has its value at the input beside it."""
        functions, values = np.divmod(reports, self.q)
        return np.asarray(self._hashed(functions, inputs) == values)

    def drawn(self, inputs: Integers, covering: npt.NDArray[np.bool_], read: Source) -> Integers:
        """Return a function with its value at each input, or with another one."""
        functions = uniform_below(self.vectors.count, len(inputs), read)
        values = self._hashed(functions, inputs)
        others = uniform_below(self.q - 1, len(inputs), read)
        others += others >= values
        return np.asarray(functions * self.q + np.where(covering, values, others))

    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how many of the reports cover each input, by one transform of ``q^t`` numbers."""
        field = self.vectors.field
        functions, values = np.divmod(reports, self.q)
        sums = np.zeros(self.vectors.count, dtype=float if field.p == 2 else complex)
        for factor in range(1, self.q):
            seen = counts * self._character(field.negative[field.times[factor, values]])
            np.add.at(sums, self.vectors.scaled(functions, factor), seen)
        found = np.real(self.vectors.transform(sums))[self.vectors.duals(np.arange(self.n))]
        return np.asarray((found + counts.sum()) / self.q)

    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the weight of the inputs at which each function has its value."""
        field = self.vectors.field
        functions, values = np.divmod(reports, self.q)
        given = np.zeros(self.vectors.count, dtype=float if field.p == 2 else complex)
        given[: self.n] = weights
        whole = self.vectors.transform(given)
        found = np.full(len(reports), weights.sum(), dtype=whole.dtype)
        for factor in range(1, self.q):
            places = self.vectors.duals(self.vectors.scaled(functions, factor))
            found += whole[places] * self._character(field.negative[field.times[factor, values]])
        return np.asarray(np.real(found) / self.q)

    def _character(self, elements: Integers) -> npt.NDArray[np.number]:
        """Return ``exp(2 pi i trace(e) / p)`` of each element."""
        field = self.vectors.field
        turns = field.trace[elements]
        return 1.0 - 2.0 * turns if field.p == 2 else np.exp(2j * np.pi * turns / field.p)
