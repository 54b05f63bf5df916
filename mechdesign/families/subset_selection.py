"""Subset selection without a list of all subsets: affine images of one subset, which are a 2-design."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from mechdesign.errors import DomainError
from mechdesign.families.hash_functions import HashFunctions
from mechdesign.parameters.checks import whole


@dataclass(frozen=True, eq=False)
class SubsetSelection(HashFunctions):
    """A report is a subset ``{x : a . x - b < k}`` of vectors over a field of q elements: k parallel hyperplanes.

    Vectors have t elements, and a is not 0. These sets of ``k q^(t-1)`` of the ``q^t`` vectors are a 2-design, so that
    estimates have the variance of subset selection among all sets of that size. A report is one number below
    ``q (q^t - 1)`` in place of ``q^t`` bits.

    Parameters
    ----------
    n : int
        Inputs, at most ``q^t``: any of the vectors.
    ratio : Fraction
        E, at most ``e^epsilon``.
    q : int
        A prime power.
    t : int
        At least 1; for 1, sets of any size k of q inputs.
    k : int
        From 1 to q - 1; variance is least with ``k / q`` near ``1 / (1 + e^epsilon)``.

    Raises
    ------
    DomainError
        More inputs than vectors, no prime power, a k out of range.

    References
    ----------
    M. Ye, A. Barg, "Optimal Schemes for Discrete Distribution Estimation under Locally Differential Privacy", IEEE
    Transactions on Information Theory 64 (2018), Section III.

    H.-Y. Park, S.-H. Nam, S.-H. Lee, "Exactly Optimal and Communication-Efficient Private Estimation via Block
    Designs", arXiv 2305.01261 (2023), for the variance of a design.

    Examples
    --------
    >>> from fractions import Fraction
    >>> pairs = SubsetSelection(5, Fraction(2), q=5, t=1, k=2)
    >>> pairs.design, pairs.incidence().sum(axis=0).tolist()[:5]
    ((20, 8, 2), [2, 2, 2, 2, 2])
    """

    k: int

    name: ClassVar[str] = "subset selection"
    with_constant: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if whole("k", self.k, 1) >= self.q:
            raise DomainError("k", self.k, "a set of all inputs reveals nothing", f"give one from 1 to {self.q - 1}")

    @classmethod
    def smallest(cls, n: int, ratio: Fraction, q: int, k: int) -> SubsetSelection:
        """Return the sets of k of q hyperplanes with the fewest vectors that n inputs have room in.

        Examples
        --------
        >>> SubsetSelection.smallest(1000, Fraction(3), 4, 1).t
        5
        """
        t = 1
        while q**t < n:
            t += 1
        return cls(n, ratio, q, t, k)

    @property
    def covered(self) -> int:
        """K of the q values of a function."""
        return self.k
