"""The exact numbers whose nearest floats a problem carries, where a notion makes the inputs from its own parameters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExactParts:
    """Integers proportional to distributions that a problem has rounded: exact checks and proofs go by these.

    Attributes
    ----------
    prior : tuple of int or None
        Proportional to ``Pr(X = x)``; None where the problem has no prior.
    secret_prior : tuple of int or None
        Proportional to ``Pr(S = s)``; None where that is the problem's own, as given.
    channel : tuple of tuples of int or None
        Proportional to ``Pr(X = x | S = s)``, rows of one sum; None where that is the problem's own, as given.
    """

    prior: tuple[int, ...] | None = None
    secret_prior: tuple[int, ...] | None = None
    channel: tuple[tuple[int, ...], ...] | None = None
