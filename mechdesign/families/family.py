"""Families of mechanisms under LDP whose probabilities have formulas, so that no matrix is needed.

A report covers some of the inputs, and is ``E <= e^epsilon`` times as likely from an input that it covers as from one
that it does not cover. Frequencies are estimated from how many reports of each kind cover each input.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.exact import Integers as Exact
from mechdesign.families.cover_law import CoverLaw
from mechdesign.parameters.checks import Array, EqualByContent, whole
from mechdesign.runtime.random_bits import Integers, Source

#: Reports: numbers, shape (k,), or rows of packed bits, shape (k, bytes).
Reports = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Family(EqualByContent):
    """A mechanism for n inputs whose reports cover some inputs each, the person's own one more often than another.

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
    #: Whether all reports cover about as many inputs, so that sums over many inputs are soon normal.
    covers_evenly: ClassVar[bool] = True
    #: Whether reports identify the frequencies of all inputs, if the ratio is above 1.
    identifies: ClassVar[bool] = True

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
    def outputs(self) -> int:
        """How many reports there are."""

    @property
    def used_outputs(self) -> int:
        """How many reports occur."""
        return self.outputs

    @property
    def unlike(self) -> tuple[int, int]:
        """Two inputs, the first of which is likelier to be covered by some report than the second."""
        return 0, 1

    @cached_property
    @abstractmethod
    def law(self) -> CoverLaw:
        """How likely reports of each kind are, and cover an input, by the groups of the inputs."""

    @cached_property
    @abstractmethod
    def pairs(self) -> tuple[Exact, ...]:
        """Two rows for each sort of pair of inputs, and beside them the least of all rows, shape (3, k).

        Integers over one denominator; reports that are alike are added up.
        """

    @abstractmethod
    def pair_of(self, x: int, z: int) -> Exact:
        """Return two rows for a pair of inputs, as integers of one sum, shape (2, k)."""

    @abstractmethod
    def least_of_each(self) -> list[Fraction]:
        """Return the probability of each report from an input that it does not cover, in the order of their numbers."""

    @abstractmethod
    def matrix_numerators(self) -> Exact:
        """Return the matrix in integers over ``2**53``, shape (n, outputs)."""

    def kind_of(self, reports: Reports) -> Integers:
        """Return the kind of each report, shape (k,)."""
        return np.zeros(len(reports), dtype=np.int64)

    @cached_property
    def groups(self) -> Integers:
        """The group of each input, shape (n,)."""
        return np.zeros(self.n, dtype=np.int64)

    @abstractmethod
    def incidence(self, reports: Reports | None = None) -> npt.NDArray[np.bool_]:
        """Return which report covers which input, shape (n, k), of all reports by default."""

    @abstractmethod
    def covers(self, inputs: Integers, reports: Reports) -> npt.NDArray[np.bool_]:
        """Return whether each report covers the input beside it, shape (k,)."""

    @abstractmethod
    def sample(self, inputs: Integers, read: Source) -> Reports:
        """Return a report for each input, of exactly its law, from a source of random bytes; a row for each."""

    @abstractmethod
    def covers_of(self, reports: Reports, counts: Array) -> Array:
        """Return how often each input is covered, shape (n,), by distinct reports with their counts, shape (k,)."""

    @abstractmethod
    def covered_weight(self, weights: Array, reports: Reports) -> Array:
        """Return the sum of the weights, shape (n,), of the inputs that each report covers, shape (k,)."""

    def figure_of(self, weights: Array, reports: Reports) -> Array:
        """Return what each report counts for in the estimate of ``sum_x weights[x] f_x``, shape (k,)."""
        kinds, law, groups = self.kind_of(reports), self.law, self.groups
        found = np.empty(len(reports))
        for kind, (slopes, offsets) in enumerate(zip(law.slopes, law.offsets, strict=True)):
            at = np.flatnonzero(kinds == kind)
            constant = float((weights * offsets[groups]).sum())
            found[at] = self.covered_weight(weights * slopes[groups], reports[at]) + constant
        return found

    def variances(self, frequencies: Array | None = None) -> Array:
        """Return the variance of each estimated frequency from one report, shape (n,); people are drawn, too."""
        shares = np.full(self.n, 1.0 / self.n) if frequencies is None else frequencies
        return self.law.variances(shares, self.groups)

    def total_variance(self) -> float:
        """Return the sum of the variances at equal frequencies."""
        return float(self.variances().sum())

    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """Return the name, the numbers and the ratio of the family in sentences."""

    @property
    @abstractmethod
    def covers_in_words(self) -> str:
        """How likely reports cover the person's input, and another one, in a sentence."""

    @property
    def parameters_in_words(self) -> str:
        """What distinguishes it from others of the family, in parentheses."""
        own = [f"{part.name} = {getattr(self, part.name)}" for part in fields(self) if part.name not in ("n", "ratio")]
        return f" ({', '.join(own)})" if own else ""


def over_one_denominator(columns: Sequence[tuple[Fraction, ...]]) -> Exact:
    """Return columns of fractions as rows of integers over their common denominator, shape (rows, columns).

    Examples
    --------
    >>> over_one_denominator([(Fraction(1, 2), Fraction(1, 3))]).tolist()
    [[3], [2]]
    """
    common = math.lcm(*(entry.denominator for column in columns for entry in column))
    return np.array([[int(entry * common) for entry in row] for row in zip(*columns, strict=True)], dtype=object)
