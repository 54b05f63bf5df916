"""A distribution of the entries of a column, in floating point and in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class Masses:
    """What each entry of a column weighs: the mass of a column v is ``pi . v``.

    Attributes
    ----------
    floats : ndarray, shape (k,)
        pi, with sum one in floating point.
    exact : sequence of int
        Integers in proportion to the exact pi.

    Examples
    --------
    >>> import mechdesign as md
    >>> Masses.of(md.Problem(prior=[0.25, 0.75])).exact
    [1, 3]
    """

    floats: Array
    exact: Sequence[int]

    @classmethod
    def of(cls, problem: Problem) -> Masses:
        """Return the prior of the secret; a DomainError without a prior."""
        return _of(problem)

    @cached_property
    def missed(self) -> tuple[Fraction, Fraction]:
        """The least and the largest of the floating-point masses over the exact ones."""
        total = sum(self.exact)
        shares = [Fraction(float(rounded)) / exact for rounded, exact in zip(self.floats, self.exact, strict=True)]
        return min(shares) * total, max(shares) * total

    @cached_property
    def shares(self) -> list[Fraction]:
        """The exact pi, with sum one."""
        return [Fraction(each, sum(self.exact)) for each in self.exact]

    @property
    def integers(self) -> Integers:
        """Integers in proportion to the exact pi, as an array."""
        return np.array(self.exact, dtype=object)


@lru_cache(maxsize=64)
def _of(problem: Problem) -> Masses:
    return Masses(problem.required_prior_of_secret, problem.exact_prior_of_secret)
