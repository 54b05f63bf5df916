"""Finite fields of few elements, and vectors over them written as integers: digits, products, characters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import whole
from mechdesign.runtime.random_bits import Integers


@dataclass(frozen=True, eq=False)
class FiniteField:
    """The field of ``q = p^m`` elements: integers below q, whose digits in base p are coefficients of a polynomial.

    Attributes
    ----------
    q, p, m : int
        The number of elements, its prime, and the power.
    times, plus : ndarray of int, shape (q, q)
        Products and sums.
    inverse, negative : ndarray of int, shape (q,)
        Of each element; the inverse of 0 is given as 0.
    dual : ndarray of int, shape (q,)
        The digits of ``dual[a]`` have the inner product ``trace(a b)`` with the digits of each b, modulo p.
    trace : ndarray of int, shape (q,)
        The trace of each element, below p.
    """

    q: int
    p: int
    m: int
    times: Integers
    plus: Integers
    inverse: Integers
    negative: Integers
    dual: Integers
    trace: Integers

    @classmethod
    def of(cls, q: int) -> FiniteField:
        """Return the field of q elements, a prime power.

        Examples
        --------
        >>> field = FiniteField.of(4)
        >>> field.times[2].tolist(), field.plus[2].tolist(), field.trace.tolist()
        ([0, 2, 3, 1], [2, 3, 0, 1], [0, 0, 1, 1])
        """
        return _field(q)

    def dot(self, first: Integers, second: Integers) -> Integers:
        """Return the inner product of vectors, elements by columns, shape (t, k); shape (k,)."""
        if self.m == 1:
            return np.asarray(np.einsum("ik,ik->k", first, second) % self.q)
        found = np.zeros(first.shape[1], dtype=np.int64)
        for one, other in zip(first, second, strict=True):
            found = self.plus[found, self.times[one, other]]
        return found


@lru_cache(maxsize=64)
def _field(q: int) -> FiniteField:
    """Return the field of q elements, by trial of polynomials, as q is small."""
    p = next(d for d in range(2, q + 1) if q % d == 0)
    m = 1
    while p**m < q:
        m += 1
    digits = np.array([[value // p**i % p for i in range(m)] for value in range(q)])
    weights = p ** np.arange(m)
    plus = (digits[:, None] + digits[None]) % p @ weights
    times = next(found for code in range(q) if _is_field(found := _products(digits, digits[code], p)))
    inverse = np.zeros(q, dtype=np.int64)
    inverse[1:] = np.argmax(times[1:] == 1, axis=1)
    # trace(a) = a + a^p + a^(p^2) + ...
    power, trace = np.arange(q), np.zeros(q, dtype=np.int64)
    for _ in range(m):
        trace, raised = plus[trace, power], power
        for _ in range(p - 1):
            raised = times[raised, power]
        power = raised
    dual = np.array([[trace[times[p**i, a]] for i in range(m)] for a in range(q)]) @ weights
    negative = np.argmax(plus == 0, axis=1)
    return FiniteField(q, p, m, times, plus, inverse, negative, dual, trace)


def _products(digits: Integers, low: Integers, p: int) -> Integers:
    """Return all products modulo p and the polynomial ``x^m + low``, whose digits are given, shape (q, q)."""
    q, m = digits.shape
    weights = p ** np.arange(m)
    times = np.zeros((q, q), dtype=np.int64)
    shifted = digits.copy()
    partial = np.zeros((q, q, m), dtype=np.int64)
    for i in range(m):
        partial = (partial + digits[:, None, i : i + 1] * shifted[None]) % p
        top = shifted[:, -1:].copy()
        shifted = (np.hstack([np.zeros((q, 1), dtype=np.int64), shifted[:, :-1]]) - top * low) % p
    times[:] = partial @ weights
    return times


def _is_field(times: Integers) -> bool:
    """Return whether no product of two elements other than 0 is 0."""
    return bool(np.all(times[1:, 1:] != 0))


#: The largest field: its tables have that many squared entries.
LARGEST_ORDER = 256
#: Numbers that a transform may hold: a gigabyte in characteristic 2, and half of one beyond, as they are complex.
MOST_NUMBERS, MOST_COMPLEX = 1 << 27, 1 << 25


@dataclass(frozen=True)
class Vectors:
    """Vectors of t elements of a field, written as integers below ``q^t``: element i is digit i in base q.

    Parameters
    ----------
    q : int
        A prime power.
    t : int
        How many elements.

    Raises
    ------
    DomainError
        No prime power of at most 256; more than ``2^27`` vectors, of an odd q ``2^25``.
    """

    q: int
    t: int

    def __post_init__(self) -> None:
        if whole("q", self.q, 2) > LARGEST_ORDER or self.q not in prime_powers(LARGEST_ORDER):
            raise DomainError(
                "q", self.q, f"it has to be a prime power of at most {LARGEST_ORDER}", "give 2, 3, 4 or 5"
            )
        most = MOST_NUMBERS if self.q % 2 == 0 else MOST_COMPLEX
        if whole("t", self.t, 1) > MOST_NUMBERS.bit_length() or self.count > most:
            rule = f"{self.q}^{self.t} vectors are more than a transform may hold, {most}"
            raise DomainError("t", self.t, rule, "give another q, or hash inputs into fewer values")

    @property
    def field(self) -> FiniteField:
        """The field of the elements."""
        return FiniteField.of(self.q)

    @property
    def count(self) -> int:
        """How many vectors there are: ``q^t``."""
        return int(self.q**self.t)

    def elements(self, codes: Integers) -> Integers:
        """Return the elements of vectors, shape (t, k), from their integers, shape (k,).

        Examples
        --------
        >>> Vectors(3, 2).elements(np.array([5, 7])).tolist()
        [[2, 1], [1, 2]]
        """
        found = np.empty((self.t, len(codes)), dtype=np.int64)
        rest = codes
        for i in range(self.t):
            rest, found[i] = np.divmod(rest, self.q)
        return found

    def codes(self, elements: Integers) -> Integers:
        """Return the integers of vectors, shape (k,), from their elements, shape (t, k)."""
        found = np.zeros(elements.shape[1], dtype=np.int64)
        for row in elements[::-1]:
            found = found * self.q + row
        return found

    def scaled(self, codes: Integers, factor: int) -> Integers:
        """Return the integers of vectors times an element of the field."""
        if factor == 1:
            return codes
        return self._each(codes, self.field.times[factor])

    def duals(self, codes: Integers) -> Integers:
        """Return where the transform holds the sum over characters of each vector."""
        field = self.field
        return codes if field.m == 1 else self._each(codes, field.dual)

    def _each(self, codes: Integers, images: Integers) -> Integers:
        """Return the integers of vectors with each element replaced by its image; the image of 0 is 0."""
        half = (self.t + 1) // 2
        base = self.q**half
        # The lower and the upper half of the elements are looked up in one table.
        images_of_half = self.codes(images[self.elements(np.arange(base))[:half]])
        upper, lower = np.divmod(codes, base)
        return np.asarray(images_of_half[upper] * base + images_of_half[lower])

    def transform(self, values: npt.NDArray[np.number]) -> npt.NDArray[np.number]:
        """Return ``sum_a values[a] exp(2 pi i trace(a . x) / p)`` at place `duals` of x, shape (q^t,).

        Of real numbers it may be taken for real only if ``values[a] = values[-a]``. Integers stay integers in
        characteristic 2.
        """
        field = self.field
        if field.p == 2:
            return hadamard_transform(values)
        from scipy.fft import ifftn

        shape = (field.p,) * (field.m * self.t)
        return np.asarray(ifftn(values.reshape(shape), norm="forward").reshape(-1))


def hadamard_transform(values: npt.NDArray[np.number]) -> npt.NDArray[np.number]:
    """Return ``sum_a values[a] (-1)^(a . x)`` at each x, shape (2^k,), in about ``k 2^k`` additions.

    Examples
    --------
    >>> hadamard_transform(np.array([1, 2, 3, 4])).tolist()
    [10, -2, -4, 0]
    """
    found = values.copy()
    half = 1
    while half < len(found):
        pairs = found.reshape(-1, 2, half)
        low = pairs[:, 0] + pairs[:, 1]
        np.subtract(pairs[:, 0], pairs[:, 1], out=pairs[:, 1])
        pairs[:, 0] = low
        half *= 2
    return found


@cache
def prime_powers(most: int) -> tuple[int, ...]:
    """Return the prime powers from 2 to `most`.

    Examples
    --------
    >>> prime_powers(16)
    (2, 3, 4, 5, 7, 8, 9, 11, 13, 16)
    """
    found = []
    for q in range(2, most + 1):
        p = next(d for d in range(2, q + 1) if q % d == 0)
        rest = q
        while rest % p == 0:
            rest //= p
        if rest == 1:
            found.append(q)
    return tuple(found)
