"""The privacy loss of a report: the logarithm of how much likelier it is from one input than from another."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.exact import Integers, float_above, log_enclosed
from mechdesign.parameters.checks import Array, EqualByContent, frozen


@dataclass(frozen=True, eq=False)
class PrivacyLoss(EqualByContent):
    r"""The law of ``ln(Q[x, y] / Q[z, y])`` for a report y of input x, as ``mechanism.privacy_loss(x, z)`` returns it.

    Attributes
    ----------
    losses : ndarray, shape (k,)
        Distinct losses, ascending, in nats, each rounded upward; the last one is infinite if a report of x rules out z.
    probabilities : ndarray, shape (k,)
        The probability of each under input x, rounded to the nearest float.
    exact : tuple of (Fraction, Fraction)
        The probability of each loss under x and under z, of which the loss is the logarithm of the quotient.

    References
    ----------
    D. Sommer, S. Meiser, E. Mohammadi, "Privacy Loss Classes: The Central Limit Theorem in Differential Privacy",
    PoPETs 2019.

    Examples
    --------
    >>> import mechdesign as md
    >>> coin = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"])
    >>> loss = coin.privacy_loss(0, 1)
    >>> loss.losses.round(6).tolist(), loss.probabilities.tolist()
    ([-1.098612, 1.098612], [0.25, 0.75])
    """

    losses: Array
    probabilities: Array
    exact: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def of_masses(cls, masses: Mapping[Fraction, tuple[Fraction, Fraction]], beyond: Fraction) -> PrivacyLoss:
        """Return the loss of two laws, from the probabilities of each ratio and what only the first law has."""
        ordered = [(ratio, masses[ratio]) for ratio in sorted(masses) if masses[ratio][0]]
        losses = [float_above(log_enclosed(ratio)[1]) for ratio, _ in ordered]
        exact = [pair for _, pair in ordered]
        if beyond:
            losses, exact = [*losses, math.inf], [*exact, (beyond, Fraction(0))]
        return cls(frozen(np.array(losses)), frozen(np.array([float(p) for p, _ in exact])), tuple(exact))

    @property
    def infinite(self) -> float:
        """The probability of an infinite loss."""
        return float(self.probabilities[-1]) if math.isinf(self.losses[-1]) else 0.0

    @property
    def mean(self) -> float:
        """The mean of the loss: the Kullback-Leibler divergence of the two rows."""
        return float(self.losses @ self.probabilities)

    def __repr__(self) -> str:
        return f"PrivacyLoss({len(self.losses)} losses, up to {float(self.losses[-1]):.6g} nats)"


def privacy_loss(first: Sequence[int], second: Sequence[int]) -> PrivacyLoss:
    """Return the privacy loss of two rows of integers of one sum; reports of the same loss are added up.

    Examples
    --------
    >>> privacy_loss([1, 1, 2], [2, 2, 0])
    PrivacyLoss(2 losses, up to inf nats)
    """
    total = sum(first)
    sums: dict[Fraction, tuple[Fraction, Fraction]] = {}
    beyond = Fraction(0)
    for p, q in zip(first, second, strict=True):
        if q and p:
            before = sums.get(Fraction(p, q), (Fraction(0), Fraction(0)))
            sums[Fraction(p, q)] = (before[0] + Fraction(p, total), before[1] + Fraction(q, total))
        elif p:
            beyond += Fraction(p, total)
    return PrivacyLoss.of_masses(sums, beyond)


def largest_ratio(rows: Integers) -> Fraction:
    """Return the largest ratio of two positive entries of a column: the exponential of the largest finite loss.

    Examples
    --------
    >>> largest_ratio(np.array([[3, 1, 0], [1, 1, 2]], dtype=object))
    Fraction(3, 1)
    """
    found = Fraction(1)
    for column in rows.T.tolist():
        entries = [entry for entry in column if entry]
        if entries:
            found = max(found, Fraction(max(entries), min(entries)))
    return found


def rules_out(rows: Integers) -> bool:
    """Return whether a report of one input rules out another one: a column has a zero and a positive entry.

    Examples
    --------
    >>> rules_out(np.array([[3, 0], [1, 2]], dtype=object)), rules_out(np.array([[3, 0], [3, 0]], dtype=object))
    (True, False)
    """
    return bool(((rows == 0) & (rows > 0).any(axis=0)).any())
