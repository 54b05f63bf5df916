"""Error exponents: the supremum over orders of a concave function, enclosed between a point and its tangents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from tests.adversary.divergence import INFINITE, pair
from tests.adversary.numbers import Column, exact

Given = dict[str, Any]
EXPONENTS = {"ChernoffExponent", "HanKobayashiExponent", "HoeffdingExponent"}
#: A value with its derivative at an order.
Curve = Callable[[arb], tuple[arb, arb]]
STEPS = 160


def moments(pairs: list[tuple[fmpq, fmpq]]) -> Curve:
    """Return ``ln sum_y p_y (s_y / p_y)^t`` and its derivative, over outputs that both give."""
    both = [(arb(p), arb(0) if p == s else arb(s / p).log()) for p, s in pairs if p != 0 and s != 0]

    def at(t: arb) -> tuple[arb, arb]:
        top = max((log.mid() for _, log in both), key=float) if t > 1 else arb(0)
        weights = [p * (t * (log - top)).exp() for p, log in both]
        total = sum(weights, arb(0))
        slope = sum((w * log for w, (_, log) in zip(weights, both, strict=True)), arb(0)) / total
        return t * top + total.log(), slope

    return at


def _highest(curve: Curve, low: arb, high: arb) -> tuple[arb, arb]:
    """Return a concave curve's supremum between two orders, and where it is: tangents of both ends meet above it."""
    for _ in range(STEPS):
        middle = ((low + high) / 2).mid()
        slope = curve(middle)[1]
        if slope.contains(0):
            low = high = middle
            break
        low, high = (middle, high) if slope > 0 else (low, middle)
    (left, up), (right, down) = curve(low), curve(high)
    width = high - low
    ceiling = (left + abs(up) * width).union(right + abs(down) * width)
    return left.union(right).union(ceiling), low


def order_of(name: str, given: Given, pairs: list[tuple[fmpq, fmpq]]) -> tuple[arb, arb]:
    """Return the exponent and the order t of its supremum, in the docstring's own variable; t < 0 where it is none."""
    log_moment = moments(pairs)
    if not any(p != 0 and s != 0 for p, s in pairs):
        return INFINITE, arb(-1)
    if name == "ChernoffExponent":

        def chernoff(t: arb) -> tuple[arb, arb]:
            found, slope = log_moment(t)
            return -found, -slope

        return _highest(chernoff, arb(0), arb(1))
    rate = arb(exact(given["rate"]))
    if name == "HoeffdingExponent":
        return _hoeffding(pairs, rate, log_moment)
    return _han_kobayashi(pairs, rate, log_moment)


def _hoeffding(pairs: list[tuple[fmpq, fmpq]], rate: arb, log_moment: Curve) -> tuple[arb, arb]:
    shared = sum((p for p, s in pairs if s != 0), fmpq(0))
    if rate == 0 and shared == 1:
        slope = log_moment(arb(0))[1]
        return -slope, arb(0)
    if shared != 1 and not -arb(shared).log() < rate:
        return INFINITE, arb(-1)

    def in_u(u: arb) -> tuple[arb, arb]:
        found, slope = log_moment(1 / (1 + u))
        # The derivative of (1 + u) L(1 / (1 + u)).
        return -u * rate - (1 + u) * found, -rate - found + slope / (1 + u)

    high = arb(1)
    while in_u(high)[1] > 0:
        high *= 2
    found, u = _highest(in_u, arb(0), high)
    return found, 1 / (1 + u)


def _han_kobayashi(pairs: list[tuple[fmpq, fmpq]], rate: arb, log_moment: Curve) -> tuple[arb, arb]:
    if any(p == 0 and s != 0 for p, s in pairs):
        # Its sum is infinite at every order but 0.
        return arb(0), arb(0)

    def in_tau(tau: arb) -> tuple[arb, arb]:
        found, slope = log_moment(1 / tau)
        return rate - tau * (rate + found), -(rate + found) + slope / tau

    low = arb(2) ** -300
    if in_tau(low)[1] < 0:
        limit = rate - max((arb(s / p).log() for p, s in pairs if s != 0), key=lambda log: float(log.mid()))
        return limit.union(in_tau(low)[0]), arb(1)
    found, tau = _highest(in_tau, low, arb(1))
    return found, 1 - tau


def value(name: str, given: Given, matrix: list[Column]) -> tuple[arb, arb]:
    """Return the exponent and the size of its terms."""
    pairs = pair(given, matrix)
    found, t = order_of(name, given, pairs)
    rate = arb(exact(given.get("rate", 0.0)))
    if name == "HanKobayashiExponent":
        return found, abs(found) + rate
    if name == "HoeffdingExponent" and t > 0:
        return found, found + rate * (1 / t - 1)
    return found, found
