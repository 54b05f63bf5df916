"""k-ary randomised response without its matrix: the truth, or one of the other inputs at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.families.block_design import BlockDesign
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers, Source, uniform_below


@dataclass(frozen=True, eq=False)
class KaryResponse(BlockDesign):
    """Reports are inputs, each of which covers itself.

    References
    ----------
    P. Kairouz, K. Bonawitz, D. Ramage, "Discrete Distribution Estimation under Local Privacy", ICML 2016, Section 3.

    Examples
    --------
    >>> from fractions import Fraction
    >>> KaryResponse(1000, Fraction(3)).own
    Fraction(1, 334)
    """

    name: ClassVar[str] = "k-ary response"

    @property
    def design(self) -> tuple[int, int, int]:
        """N, K and L: one report for each input, and none that covers two."""
        return self.n, 1, 0

    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each report is the input beside it."""
        return np.asarray(inputs == reports)

    def drawn(self, inputs: Integers, covering: npt.NDArray[np.bool_], read: Source) -> Integers:
        """Return each input itself, or another one."""
        if self.n == 1:
            return inputs.copy()
        others = uniform_below(self.n - 1, len(inputs), read)
        return np.where(covering, inputs, others + (others >= inputs))

    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how often each input was reported."""
        found = np.zeros(self.n)
        found[reports] = counts
        return found

    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the weight of the input that each report is."""
        return np.asarray(weights[reports])
