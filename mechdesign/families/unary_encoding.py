"""Unary encodings without a matrix: a report is a row of n bits, each through a coin of its own."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.families.family import Reports
from mechdesign.families.pure_protocol import PureProtocol
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers, Source, byte_coins

#: Bits of reports that are unpacked at once.
CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class UnaryEncoding(PureProtocol):
    """Bit x of a report of input x is 1 with probability p, every other bit with q: it covers the inputs of its ones.

    Reports are rows of bytes, shape (k, ceil(n / 8)): bit ``x % 8`` of byte ``x // 8`` is the bit of input x.
    """

    @property
    def outputs(self) -> int:
        """All rows of n bits."""
        return 1 << self.n

    @property
    @abstractmethod
    def other(self) -> Fraction:
        """q: the probability of any other bit."""

    @property
    def cells(self) -> tuple[Fraction, Fraction, Fraction]:
        """The mass of the reports with one of two bits alone, both, and neither, if they have no one's own bit."""
        p, q = self.own, self.other
        return (1 - p) * q, p * q / self.ratio, (1 - p) * (1 - q)

    def least_by_size(self) -> list[Fraction]:
        """Return the probability of a report without the own bit, by its number of ones."""
        return without_own_bit(self.n, self.own, self.other)

    def covers(self, inputs: Integers, reports: Reports) -> npt.NDArray[np.bool_]:
        """Return whether the bit of each input is 1 in the report beside it."""
        return np.asarray(reports[np.arange(len(inputs)), inputs // 8] >> (inputs % 8) & 1).astype(bool)

    def incidence(self, reports: Reports | None = None) -> npt.NDArray[np.bool_]:
        """Return which report has which bit, shape (n, k); by default all reports, numbered by their bits."""
        if reports is None:
            return (np.arange(self.outputs) >> np.arange(self.n)[:, None] & 1).astype(bool)
        return self._bits(reports).T.astype(bool)

    def sample(self, inputs: Integers, read: Source) -> Reports:
        """Return a row of bits for each input, of exactly its law, packed; shape (k, ceil(n / 8))."""
        found = np.empty((len(inputs), -(-self.n // 8)), dtype=np.uint8)
        for part in self._parts(len(inputs)):
            people = inputs[part]
            bits = byte_coins(self.other, len(people) * self.n, read).reshape(-1, self.n)
            bits[np.arange(len(people)), people] = byte_coins(self.own, len(people), read)
            found[part] = np.packbits(bits, axis=1, bitorder="little")
        return found

    def covers_of(self, reports: Reports, counts: Array) -> Array:
        """Return how many of the reports have each bit."""
        found = np.zeros(self.n)
        for part in self._parts(len(reports)):
            found += counts[part] @ self._bits(reports[part])
        return found

    def covered_weight(self, weights: Array, reports: Reports) -> Array:
        """Return the weight of the inputs whose bits each report has."""
        parts = [self._bits(reports[part]) @ weights for part in self._parts(len(reports))]
        return np.concatenate(parts) if parts else np.zeros(0)

    def sentences(self) -> tuple[str, ...]:
        """Return the name, the bits of a report and their probabilities in sentences."""
        return (
            f"{self.name} of {self.n} inputs: a report is a row of {self.n} bits, packed into {-(-self.n // 8)} bytes.",
            f"The person's own bit is 1 with probability {float(self.own):.9g}, another with {float(self.other):.9g}.",
            f"A row is up to {float(self.ratio):.9g} times as likely from one input as from another.",
        )

    def _bits(self, reports: Reports) -> npt.NDArray[np.uint8]:
        return np.unpackbits(np.asarray(reports, dtype=np.uint8), axis=1, count=self.n, bitorder="little")

    def _parts(self, count: int) -> Iterator[slice]:
        """Yield slices of reports, with a limited number of bits each."""
        step = max(1, CHUNK // self.n)
        return (slice(start, start + step) for start in range(0, count, step))


@dataclass(frozen=True, eq=False)
class OptimisedUnaryEncoding(UnaryEncoding):
    """``p = 1/2`` and ``q = 1 / (E + 1)``: fewer bits are 1 by mistake (OUE).

    References
    ----------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation", USENIX
    Security 2017, Section 4.3.

    Examples
    --------
    >>> made = OptimisedUnaryEncoding(1000, Fraction(3))
    >>> made.own, made.other, made.cells[0]
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
    """

    name: ClassVar[str] = "optimised unary encoding"

    @property
    def own(self) -> Fraction:
        """The probability of the own bit: one half."""
        return Fraction(1, 2)

    @property
    def other(self) -> Fraction:
        """The probability of any other bit: ``1 / (E + 1)``."""
        return 1 / (self.ratio + 1)


@dataclass(frozen=True, eq=False)
class SymmetricUnaryEncoding(UnaryEncoding):
    """``p = 1 - q = sqrt(E) / (sqrt(E) + 1)``: each bit is flipped alike (SUE, basic RAPPOR).

    Parameters
    ----------
    n : int
        Inputs.
    ratio : Fraction
        E, at most ``e^epsilon``: the square of a Fraction, as `square_below` returns.

    Raises
    ------
    DomainError
        A ratio that is no square.

    References
    ----------
    U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal Response", ACM CCS
    2014.

    Examples
    --------
    >>> made = SymmetricUnaryEncoding(1000, Fraction(9, 4))
    >>> made.own, made.other, made.cells[0]
    (Fraction(3, 5), Fraction(2, 5), Fraction(4, 25))
    """

    name: ClassVar[str] = "symmetric unary encoding"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._root**2 != self.ratio:
            rule = "p and q are fractions only if it is a square"
            raise DomainError("ratio", self.ratio, rule, "give square_below(ratio)")

    @property
    def _root(self) -> Fraction:
        return Fraction(math.isqrt(self.ratio.numerator), math.isqrt(self.ratio.denominator))

    @property
    def own(self) -> Fraction:
        """The probability of the own bit."""
        return self._root / (self._root + 1)

    @property
    def other(self) -> Fraction:
        """The probability of any other bit."""
        return 1 / (self._root + 1)


def without_own_bit(n: int, p: Fraction, q: Fraction) -> list[Fraction]:
    """Return ``(1 - p) q^s (1 - q)^(n - 1 - s)`` for s from 0 to n: the own bit is 0, and s others are 1 by mistake.

    Examples
    --------
    >>> without_own_bit(2, Fraction(1, 2), Fraction(1, 4))[:2]
    [Fraction(3, 8), Fraction(1, 8)]
    """
    return [(1 - p) * q**size * (1 - q) ** (n - 1 - size) for size in range(n + 1)]


def square_below(ratio: Fraction, bits: int = 60) -> Fraction:
    """Return the largest square of a multiple of ``2**-bits`` that is at most `ratio`.

    Examples
    --------
    >>> square_below(Fraction(9, 4)), 2 - square_below(Fraction(2)) < Fraction(1, 2**58)
    (Fraction(9, 4), True)
    """
    return Fraction(math.isqrt(math.floor(ratio * 4**bits)), 2**bits) ** 2
