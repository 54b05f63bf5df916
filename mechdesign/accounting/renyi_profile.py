r"""The Renyi divergences between rows: ``max_{x, z} D_a(Q[x, .] || Q[z, .])`` at each order a, rounded up."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.accounting.privacy_profile import MOST_TIES, Pair, sorted_pair
from mechdesign.errors import DomainError
from mechdesign.exact import Integers, float_above, log_enclosed, power_enclosed
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem.columns_of_data import array

#: The largest finite order: powers of ratios of 53 bits keep digits in an enclosure of sixty.
LARGEST_ORDER = 1e4
#: For a supremum over orders: the ratio of neighbouring orders, which it may be missed by, and orders at once.
ORDER_RATIO, ORDERS = 1.001, 256


def renyi_profile(numerators: Integers, orders: npt.ArrayLike) -> Array:
    """Return the least epsilon of Renyi LDP at each of `orders` (at least 1, or infinite), in nats, rounded up.

    Pairs of rows are compared in floating point; those that may be the worst are computed with sixty digits, rounded
    up; where more than `MOST_TIES` pairs tie, the rounding of floats is added. Arguments and errors are those of
    `Mechanism.renyi_profile`; rows of `numerators` have one sum.

    Examples
    --------
    >>> renyi_profile(np.array([[3, 1], [1, 3]]), [1.0, 2.0, np.inf]).round(6).tolist()
    [0.549306, 0.847298, 1.098612]
    """
    levels = orders_of(orders)
    matrix = numerators.astype(float) / float(sum(numerators[0].tolist()))
    return frozen([_largest(numerators, matrix, float(order)) for order in levels])


def orders_of(orders: npt.ArrayLike) -> Array:
    """Return the orders as an array of shape (k,), each from 1 to `LARGEST_ORDER` or infinite; a DomainError if not."""
    levels = domains.numbers(
        "orders", np.atleast_1d(np.asarray(orders)) if np.ndim(orders) == 0 else array("orders", orders), 1
    )
    for at, order in enumerate(levels):
        if not (1.0 <= order <= LARGEST_ORDER or order == math.inf):
            rule = f"an order is at least 1 and at most {LARGEST_ORDER:g}, or infinite"
            raise DomainError(f"orders[{at}]", float(order), rule, "give 1 for the Kullback-Leibler divergence")
    return levels


def _largest(numerators: Integers, matrix: Array, order: float) -> float:
    with np.errstate(divide="ignore"):
        logs = np.log(matrix)
    # Whether an output of x rules out z; then every order is infinite.
    if np.any(((matrix > 0).astype(float) @ (matrix == 0).T.astype(float)) > 0):
        return math.inf
    rough = np.array([_of_row(row, logs, order) for row in logs])
    rounding = _rounding(logs, order)
    tied = np.argwhere(rough >= rough.max() - rounding)
    if len(tied) > MOST_TIES:
        return float(rough.max() + rounding)
    worst, seen = Fraction(0), set[Pair]()
    for x, z in tied:
        # Of pairs that are alike up to the order of their outputs one is enough.
        alike = sorted_pair(numerators[x].tolist(), numerators[z].tolist())
        if alike not in seen and x != z:
            seen.add(alike)
            worst = max(worst, _above(alike, order))
    return float_above(worst)


def _rounding(logs: Array, order: float) -> float:
    """Return a bound on the rounding error of a divergence in floating point, which grows towards order 1."""
    most, unit = float(np.abs(logs[np.isfinite(logs)]).max()), math.ulp(1.0) * float(logs.shape[1] + 16)
    if order in {1.0, math.inf}:
        return unit * (1.0 + most)
    return unit * (1.0 + 2.0 * order * most) / (order - 1.0)


def _of_row(row: Array, logs: Array, order: float) -> Array:
    """Return the divergence of a row from each of the rows with these logarithms, in floating point."""
    used = np.isfinite(row)
    row, others = row[used], logs[:, used]
    if math.isinf(order):
        return np.asarray((row - others).max(axis=1))
    if order == 1.0:
        return np.asarray((row - others) @ np.exp(row))
    powers = order * row + (1.0 - order) * others
    peak = powers.max(axis=1)
    return np.asarray((peak + np.log(np.exp(powers - peak[:, None]).sum(axis=1))) / (order - 1.0))


def _above(rows: Pair, order: float) -> Fraction:
    """Return a fraction at least the divergence of two rows of integers of one sum."""
    total = sum(p for p, _ in rows)
    pairs = [(p, Fraction(p, q)) for p, q in rows if p]
    if math.isinf(order):
        return log_enclosed(max(ratio for _, ratio in pairs))[1]
    if order == 1.0:
        return sum((p * log_enclosed(ratio)[1] for p, ratio in pairs), Fraction(0)) / total
    less = Fraction(order) - 1
    mean = sum((p * power_enclosed(ratio, less)[1] for p, ratio in pairs), Fraction(0)) / total
    return log_enclosed(mean)[1] / less


def zcdp(renyi_profile: Callable[[Array], Array]) -> float:
    """Return a number above ``D_a / a`` for all orders a above 1.

    D_a grows with a: between orders a and b it is at most ``D_b / a``; and from an order on all of them are at most the
    infinite divergence over that order. Of small divergences none is more than half the square of the infinite one.

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
    while most / start > found and start < LARGEST_ORDER:
        orders = np.minimum(start * ORDER_RATIO ** np.arange(ORDERS + 1.0), LARGEST_ORDER)
        divergences = renyi_profile(orders[1:])
        found = max(found, float((divergences / orders[:-1]).max()))
        start = float(orders[-1])
    searched = max(found, most / start if start >= LARGEST_ORDER else 0.0)
    # What holds at all orders of whatever is private at this level: D_a <= a most^2 / 2 (Bun, Steinke 2016).
    return math.nextafter(min(searched, most * most / 2.0), math.inf)
