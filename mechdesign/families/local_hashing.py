"""Local hashing: reports are a random hash function, exactly pairwise independent, and one of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mechdesign.families.hash_functions import HashFunctions


@dataclass(frozen=True, eq=False)
class LocalHashing(HashFunctions):
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

    name: ClassVar[str] = "local hashing"
    with_constant: ClassVar[bool] = True

    @property
    def covered(self) -> int:
        """One of the q values of a function."""
        return 1
