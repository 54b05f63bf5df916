"""Privacy losses for the library dp-accounting, and from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.accounting.dominating_pair import joined
from mechdesign.accounting.privacy_loss import PrivacyLoss
from mechdesign.errors import DomainError, UnsupportedError

#: Ratios at which a loss of the library is read, and the largest level in nats that is looked for.
RATIOS, FARTHEST = 4096, 512.0
#: What is added to its numbers, which are floating point, as a share of them.
ROUNDING = 1e-12


def to_dp_accounting(loss: PrivacyLoss, interval: float) -> Any:
    """Return a pair's loss as dp-accounting's privacy loss distribution, losses rounded upward to multiples.

    Parameters
    ----------
    loss : PrivacyLoss
        Of a pair that dominates all pairs of inputs in both orders.
    interval : float
        Nats between two multiples.

    Raises
    ------
    UnsupportedError
        The library is not installed.
    """
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise UnsupportedError(
            "Privacy loss distributions need dp-accounting, which is not installed: pip install "
            "'mechdesign[accounting]'."
        ) from None
    pairs = list(enumerate(loss.exact))
    lower = {at: math.log(q) for at, (_, q) in pairs if q}
    upper = {at: math.log(p) for at, (p, _) in pairs if p}
    return privacy_loss_distribution.from_two_probability_mass_functions(
        lower, upper, pessimistic_estimate=True, value_discretization_interval=interval
    )


def is_of_dp_accounting(given: Any) -> bool:
    """Return whether an object is a privacy loss distribution of the library."""
    return type(given).__module__.startswith("dp_accounting") and hasattr(given, "get_delta_for_epsilon")


def of_dp_accounting(given: Any) -> PrivacyLoss:
    """Return the loss of one pair that dominates what a privacy loss distribution of the library says.

    Its deltas at levels of both signs, raised by 1e-12 of them, are joined by lines; they are floating point.

    Raises
    ------
    DomainError
        A distribution whose deltas are no numbers from 0 to 1.
    """
    floor = float(given.get_delta_for_epsilon([FARTHEST])[0])
    top = 1.0
    while top < FARTHEST and float(given.get_delta_for_epsilon([top])[0]) > floor * (1.0 + ROUNDING):
        top *= 2.0
    levels = np.linspace(-top, top, RATIOS + 1)
    deltas = np.asarray(given.get_delta_for_epsilon(levels.tolist()), dtype=float)
    if not (np.isfinite(deltas).all() and (deltas >= 0.0).all() and (deltas <= 1.0 + ROUNDING).all()):
        rule = "its deltas have to be numbers from 0 to 1"
        raise DomainError("mechanisms", given, rule, "give a privacy loss distribution of dp-accounting")
    raised = np.minimum(deltas * (1.0 + ROUNDING), 1.0)
    return joined(np.exp(levels), lambda _: raised)
