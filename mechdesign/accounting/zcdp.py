"""Concentrated differential privacy from the Renyi divergences of all orders."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mechdesign.parameters.checks import Array

#: Orders beside each other are in this ratio, which is what the supremum may be missed by.
STEP = 1.001
#: Orders at once, and the largest one.
BATCH, LARGEST = 256, 1e4


def zcdp(renyi_profile: Callable[[Array], Array]) -> float:
    """Return a number above ``D_a / a`` for all orders a above 1.

    D_a grows with a: between orders a and b it is at most ``D_b / a``; and from an order on all of them are at most the
    infinite divergence over that order.

    Parameters
    ----------
    renyi_profile : callable
        The Renyi divergences of orders, shape (k,), rounded upward.

    Examples
    --------
    >>> bool(0.5 <= zcdp(lambda orders: np.minimum(0.5 * orders, 3.0)) < 0.501)
    True
    """
    most = float(renyi_profile(np.array([math.inf]))[0])
    if most in (0.0, math.inf):
        return most
    found, start = 0.0, 1.0
    while most / start > found and start < LARGEST:
        orders = np.minimum(start * STEP ** np.arange(BATCH + 1.0), LARGEST)
        divergences = renyi_profile(orders[1:])
        found = max(found, float((divergences / orders[:-1]).max()))
        start = float(orders[-1])
    return math.nextafter(max(found, most / start if start >= LARGEST else 0.0), math.inf)
