"""The privacy loss of a report: the logarithm of how much likelier it is from one input than from another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.exact import float_above, log_enclosed
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
    sums: dict[Fraction | None, tuple[int, int]] = {}
    for p, q in zip(first, second, strict=True):
        if p:
            ratio = Fraction(p, q) if q else None
            before = sums.get(ratio, (0, 0))
            sums[ratio] = (before[0] + p, before[1] + q)
    ordered = sorted(sums, key=lambda ratio: (ratio is None, ratio or 0))
    losses = [math.inf if ratio is None else float_above(log_enclosed(ratio)[1]) for ratio in ordered]
    exact = tuple((Fraction(sums[ratio][0], total), Fraction(sums[ratio][1], total)) for ratio in ordered)
    return PrivacyLoss(frozen(np.array(losses)), frozen(np.array([float(p) for p, _ in exact])), exact)
