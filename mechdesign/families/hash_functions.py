"""Hash functions into a field, exactly pairwise independent: a report is one of them and the values that it covers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.families.block_design import BlockDesign
from mechdesign.families.finite_field import Vectors
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers, Source, uniform_below


@dataclass(frozen=True, eq=False)
class HashFunctions(BlockDesign):
    """A report is a function ``h_a(x) = a . x`` into q elements and a shift b; it covers x if ``h_a(x) - b < k``.

    Inputs and functions are vectors of t elements of the field of q elements, which are written as numbers below q.

    Parameters
    ----------
    n : int
        Inputs, at most ``q^t``.
    ratio : Fraction
        E, at most ``e^epsilon``.
    q : int
        A prime power: how many values a function has.
    t : int
        At least 1.
    """

    q: int
    t: int

    #: Whether the function 0, which is the same at all inputs, is one of them.
    with_constant: ClassVar[bool]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require_inputs(self.vectors.count)

    @property
    @abstractmethod
    def covered(self) -> int:
        """k: how many of the q values of a function a report covers."""

    @property
    def design(self) -> tuple[int, int, int]:
        """N, K and L: functions times shifts; k shifts of each; two inputs have one value under some functions."""
        functions, k, apart = self._functions, self.covered, self.q**self.t - self.q ** (self.t - 1)
        return functions * self.q, functions * k, (functions - apart) * k + apart * k * (k - 1) // (self.q - 1)

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors that inputs and functions are."""
        return Vectors(self.q, self.t)

    @property
    def first(self) -> int:
        """The number of the first function's vector."""
        return 0 if self.with_constant else 1

    @property
    def _functions(self) -> int:
        return int(self.q**self.t) - self.first

    def _functions_and_shifts(self, reports: Integers) -> tuple[Integers, Integers]:
        functions, shifts = np.divmod(reports, self.q)
        return functions + self.first, shifts

    def _hashed(self, functions: Integers, inputs: Integers) -> Integers:
        """Return the value of each function at the input beside it."""
        return self.vectors.field.dot(self.vectors.elements(functions), self.vectors.elements(inputs))

    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each function has one of the covered values at the input beside it."""
        functions, shifts = self._functions_and_shifts(reports)
        field = self.vectors.field
        return np.asarray(field.plus[self._hashed(functions, inputs), field.negative[shifts]] < self.covered)

    def drawn(self, inputs: Integers, covering: npt.NDArray[np.bool_], read: Source) -> Integers:
        """Return a function with a shift that covers its value at each input, or with another one."""
        field, k = self.vectors.field, self.covered
        numbers = uniform_below(self._functions, len(inputs), read)
        values = self._hashed(numbers + self.first, inputs)
        inside, outside = (uniform_below(limit, len(inputs), read) for limit in (k, self.q - k))
        shifts = field.plus[values, field.negative[np.where(covering, inside, k + outside)]]
        return np.asarray(numbers * self.q + shifts)

    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how many of the reports cover each input, by one transform of ``q^t`` numbers."""
        functions, shifts = self._functions_and_shifts(reports)
        sums = np.zeros(self.vectors.count, dtype=float if self.vectors.field.p == 2 else complex)
        for factor, turned in self._spectrum(shifts):
            np.add.at(sums, self.vectors.scaled(functions, factor), counts * turned)
        found = np.real(self.vectors.transform(sums))[self.vectors.duals(np.arange(self.n))]
        return np.asarray((found + self.covered * counts.sum()) / self.q)

    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the weight of the inputs at which each function has one of the covered values."""
        functions, shifts = self._functions_and_shifts(reports)
        given = np.zeros(self.vectors.count, dtype=float if self.vectors.field.p == 2 else complex)
        given[: self.n] = weights
        whole = self.vectors.transform(given)
        found = np.full(len(reports), self.covered * weights.sum(), dtype=whole.dtype)
        for factor, turned in self._spectrum(shifts):
            found += whole[self.vectors.duals(self.vectors.scaled(functions, factor))] * turned
        return np.asarray(np.real(found) / self.q)

    def _spectrum(self, shifts: Integers) -> Iterator[tuple[int, npt.NDArray[np.number]]]:
        """Yield each element f but 0, with ``sum_v exp(-2 pi i trace(f (b + v)) / p)`` over the k values v, by shift b.

        A report covers x or not as the sum of these times ``exp(2 pi i trace(f a . x) / p)``, plus k, is q or 0. Of f
        and -f, whose terms are conjugate, one is yielded twice as large: real parts are taken in the end.
        """
        field = self.vectors.field
        inside = field.plus[:, : self.covered]
        for factor in range(1, self.q):
            opposite = int(field.negative[factor])
            if factor <= opposite:
                turned = self._character(field.negative[field.times[factor, inside]]).sum(axis=1)
                yield factor, turned[shifts] * (1 if factor == opposite else 2)

    def _character(self, elements: Integers) -> npt.NDArray[np.number]:
        """Return ``exp(2 pi i trace(e) / p)`` of each element."""
        field = self.vectors.field
        turns = field.trace[elements]
        return 1.0 - 2.0 * turns if field.p == 2 else np.exp(2j * np.pi * turns / field.p)
