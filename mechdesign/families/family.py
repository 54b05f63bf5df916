"""Families of mechanisms under LDP whose probabilities have formulas, so that no matrix is needed.

A report covers some of the inputs. Of N reports K cover each input, and L cover two given ones (a 2-design): with
``E <= e^epsilon`` a report that covers the person's input has the probability ``E / (K E + N - K)``, any other one
``1 / (K E + N - K)``. Frequencies are estimated from how many reports cover each input.

References
----------
T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation", USENIX Security
2017 (pure protocols).

H.-Y. Park, S.-H. Nam, S.-H. Lee, "Exactly Optimal and Communication-Efficient Private Estimation via Block Designs",
arXiv 2305.01261 (2023).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array, EqualByContent, whole
from mechdesign.runtime.random_bits import Integers, Source, coins

#: Reports that are drawn at once: their digits stay in the processor's cache.
CHUNK = 1 << 15


@dataclass(frozen=True, eq=False)
class Family(EqualByContent):
    """A mechanism for n inputs whose reports are whole numbers below `outputs`, each of which covers some inputs.

    Parameters
    ----------
    n : int
        Inputs.
    ratio : Fraction
        E: how much likelier a report is if it covers the person's input; at least 1.

    Raises
    ------
    DomainError
        Fewer than two inputs, or more than the family has room for; a ratio below 1.
    """

    n: int
    ratio: Fraction

    #: What the family is called in print.
    name: ClassVar[str]

    def __post_init__(self) -> None:
        whole("n", self.n, 2)
        if not isinstance(self.ratio, Fraction) or self.ratio < 1:
            raise DomainError("ratio", self.ratio, "it has to be a Fraction of at least 1", "give ratio_below(epsilon)")

    def require_inputs(self, most: int) -> None:
        """Raise if there are more inputs than `most`."""
        if self.n > most:
            raise DomainError("n", self.n, f"this {self.name} has room for {most} inputs", "give a larger t")

    @property
    @abstractmethod
    def design(self) -> tuple[int, int, int]:
        """N, K and L: all reports, those that cover an input, those that cover two given ones."""

    @abstractmethod
    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each report covers the input beside it, shape (k,)."""

    @abstractmethod
    def drawn(self, inputs: Integers, covering: npt.NDArray[np.bool_], read: Source) -> Integers:
        """Return a uniform one of the reports that cover each input, or that do not, shape (k,)."""

    @abstractmethod
    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how often each input is covered, shape (n,), by distinct reports with their counts, shape (k,)."""

    @abstractmethod
    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the sum of the weights, shape (n,), of the inputs that each report covers, shape (k,)."""

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

    def variances(self, frequencies: Array | None = None) -> Array:
        """Return the variance of each estimated frequency from one report, shape (n,); people are drawn, too.

        Input x is covered with the probability ``r = other + f_x (own - other)``: ``r (1 - r) / (own - other)^2``.
        """
        shares = np.full(self.n, 1.0 / self.n) if frequencies is None else frequencies
        return cover_variances(shares, float(self.own), float(self.other))

    def total_variance(self) -> float:
        """Return the sum of the variances at equal frequencies, which is rounded once.

        Examples
        --------
        >>> from mechdesign.families import KaryResponse
        >>> KaryResponse(4, Fraction(3)).total_variance()
        6.75
        """
        gap = self.own - self.other
        covered = self.other + gap / self.n
        return float(self.n * covered * (1 - covered) / gap**2)

    def incidence(self) -> npt.NDArray[np.bool_]:
        """Return which report covers which input, shape (n, N)."""
        x, y = np.divmod(np.arange(self.n * self.outputs), self.outputs)
        return self.covers(x, y).reshape(self.n, self.outputs)

    def sentences(self) -> tuple[str, ...]:
        """Return the name, the numbers and the ratio of the family in sentences."""
        reports, covering, both = self.design
        return (
            f"{self.name} of {self.n} inputs{self.parameters_in_words}: {reports} outputs, numbers from 0.",
            f"{covering} outputs cover an input, {both} cover two given ones.",
            f"One that covers the person's input is {float(self.ratio):.9g} times as likely as one that does not.",
        )

    @property
    def parameters_in_words(self) -> str:
        """What distinguishes it from others of the family, in parentheses."""
        own = [f"{part.name} = {getattr(self, part.name)}" for part in fields(self) if part.name not in ("n", "ratio")]
        return f" ({', '.join(own)})" if own else ""


def cover_variances(frequencies: Array, own: float, other: float) -> Array:
    """Return the variance of each frequency's estimate by covers from one report: ``r (1 - r) / (own - other)^2``.

    Examples
    --------
    >>> cover_variances(np.array([0.5, 0.5]), 0.75, 0.25).tolist()
    [1.0, 1.0]
    """
    covered = other + frequencies * (own - other)
    return np.asarray(covered * (1.0 - covered) / (own - other) ** 2)
