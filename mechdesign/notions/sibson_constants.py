"""How much of Sibson's mutual information LDP and LIP leave: closed forms in their level and the order."""

from __future__ import annotations

import math

#: Below this product of level and order the closed forms cancel: the bound by Hoeffding's lemma is next to them.
NEXT_TO_ZERO = 2.5e-3
#: Beyond it the level itself is what is said: it is next to the closed forms.
LARGEST = 1e12
#: More than what the closed forms miss by rounding.
ROUNDED_UP = 1.0 + 1e-7


def most_under_ldp(epsilon: float, alpha: float) -> float:
    """Return at least the largest leakage of order alpha of mechanisms that satisfy ``LDP(epsilon)``, in nats.

    A column has the two values 1 and ``e^epsilon``; with ``r = (e^(alpha epsilon) - 1) / (e^epsilon - 1)`` the share of
    the larger is best at ``(r - alpha) / ((alpha - 1) (e^(alpha epsilon) - 1))``. Where the order and the level are
    small, ``alpha epsilon^2 / 8``.

    Examples
    --------
    >>> round(most_under_ldp(1.0, 2.0), 6), round(most_under_ldp(0.1, 2.0), 6)
    (0.240229, 0.002499)
    """
    if epsilon * alpha > LARGEST:
        return epsilon
    if epsilon * alpha < NEXT_TO_ZERO:
        return alpha * epsilon * epsilon / 8.0 * ROUNDED_UP
    r = _log_less_one(alpha * epsilon) - _log_less_one(epsilon)
    less = math.log(-math.expm1(-r))
    low = (r + less - math.log(alpha - 1.0)) / alpha
    high = math.log(alpha / (alpha - 1.0)) + less
    return min(alpha / (alpha - 1.0) * (low - high) * ROUNDED_UP, epsilon)


def most_under_lip(epsilon: float, alpha: float) -> float:
    """Return at least the largest leakage of order alpha of mechanisms that satisfy ``LIP(epsilon)``, in nats.

    A lift has the two values ``e^-epsilon`` and ``e^epsilon`` and the mean 1.

    Examples
    --------
    >>> round(most_under_lip(1.0, 2.0), 6)
    0.735326
    """
    if epsilon * alpha > LARGEST:
        return epsilon
    if epsilon * alpha < NEXT_TO_ZERO:
        return alpha * epsilon * epsilon / 2.0 * ROUNDED_UP
    power = alpha * epsilon + math.log1p(math.exp((1.0 - 2.0 * alpha) * epsilon))
    return min((power - epsilon - math.log1p(math.exp(-epsilon))) / (alpha - 1.0) * ROUNDED_UP, epsilon)


def ldp_for(leakage: float, alpha: float) -> float:
    """Return an epsilon at which LDP has at most a given leakage of order alpha, by halving."""
    if leakage in {0.0, math.inf}:
        return leakage
    low = high = leakage
    while math.isfinite(high) and most_under_ldp(high, alpha) <= leakage:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if most_under_ldp(middle, alpha) <= leakage else (low, middle)
    return low


def _log_less_one(x: float) -> float:
    """Return ``ln(e^x - 1)``."""
    return x + math.log(-math.expm1(-x))
