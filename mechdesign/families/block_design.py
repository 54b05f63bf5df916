"""Families whose reports are the blocks of a 2-design: numbers, with two probabilities.

Of N reports K cover each input, and L cover two given ones (a 2-design): with ``E <= e^epsilon`` a report that covers
the person's input has the probability ``E / (K E + N - K)``, any other one ``1 / (K E + N - K)``.

References
----------
H.-Y. Park, S.-H. Nam, S.-H. Lee, "Exactly Optimal and Communication-Efficient Private Estimation via Block Designs",
arXiv 2305.01261 (2023).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.families.family import Reports
from mechdesign.families.pure_protocol import PureProtocol
from mechdesign.runtime.random_bits import Integers, Source, coins

#: Reports that are drawn at once: their digits stay in the processor's cache.
CHUNK = 1 << 15


@dataclass(frozen=True, eq=False)
class BlockDesign(PureProtocol):
    """A family whose reports are whole numbers below N, of which K cover each input and L two given ones."""

    @property
    @abstractmethod
    def design(self) -> tuple[int, int, int]:
        """N, K and L: all reports, those that cover an input, those that cover two given ones."""

    @abstractmethod
    def drawn(self, inputs: Integers, covering: npt.NDArray[np.bool_], read: Source) -> Integers:
        """Return a uniform one of the reports that cover each input, or that do not, shape (k,)."""

    @property
    def outputs(self) -> int:
        """N: how many reports there are."""
        return self.design[0]

    @property
    def least(self) -> Fraction:
        """The probability of a report that does not cover the person's input."""
        reports, covering, _ = self.design
        return 1 / (covering * self.ratio + reports - covering)

    @property
    def own(self) -> Fraction:
        """The probability that a report covers the person's input."""
        return self.design[1] * self.ratio * self.least

    @property
    def other(self) -> Fraction:
        """The probability that a report covers another given input than the person's."""
        _, covering, both = self.design
        return (both * self.ratio + covering - both) * self.least

    def probability(self, x: int, y: int) -> Fraction:
        """Return ``Pr(y | x)``."""
        covered = self.covers(np.array([x]), np.array([y]))[0]
        return self.ratio * self.least if covered else self.least

    def sample(self, inputs: Integers, read: Source) -> Integers:
        """Return a report for each input, of exactly its law, from a source of random bytes; shape (k,)."""
        found = np.empty(len(inputs), dtype=np.int64)
        for start in range(0, len(inputs), CHUNK):
            part = inputs[start : start + CHUNK]
            found[start : start + CHUNK] = self.drawn(part, coins(self.own, len(part), read), read)
        return found

    @property
    def cells(self) -> tuple[Fraction, Fraction, Fraction]:
        """The mass of the reports that cover one of two inputs alone, both, neither, if they cover no one's input."""
        reports, covering, both = self.design
        least = self.least
        return (covering - both) * least, both * least, (reports - 2 * covering + both) * least

    def least_by_size(self) -> list[Fraction]:
        """Return the probability of a report off the person's input, which does not depend on its size."""
        return [self.least] * (self.n + 1)

    def incidence(self, reports: Reports | None = None) -> npt.NDArray[np.bool_]:
        """Return which report covers which input, shape (n, k), of all N reports by default."""
        seen = np.arange(self.outputs) if reports is None else reports
        x, y = np.divmod(np.arange(self.n * len(seen)), len(seen))
        return self.covers(x, seen[y]).reshape(self.n, len(seen))

    def sentences(self) -> tuple[str, ...]:
        """Return the name, the numbers and the ratio of the family in sentences."""
        reports, covering, both = self.design
        return (
            f"{self.name} of {self.n} inputs{self.parameters_in_words}: {reports} outputs, numbers from 0.",
            f"{covering} outputs cover an input, {both} cover two given ones.",
            f"One that covers the person's input is {float(self.ratio):.9g} times as likely as one that does not.",
        )
