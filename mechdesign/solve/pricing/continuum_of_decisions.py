"""Certified pricing over a continuum of decisions: branch and bound in one dimension, for any cone and any f."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mechdesign.notions import Notion
from mechdesign.objectives import Ratio
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import OutOfTime, is_late, require_time, until
from mechdesign.solve.pricing.support import has_formula, support

#: Entries of functionals that are priced at once.
AT_ONCE = 1 << 20
#: Floats differ by this share from one to the next.
EPS = float(np.finfo(float).eps)
#: Halvings of an interval at most: floats have no more to give.
MOST_HALVINGS = 200
#: Intervals that are looked at before the bound is left as it is: where values are less certain than the tolerance,
#: halving never ends.
MOST_INTERVALS = 1 << 14
#: Ratios are distinguished in floating point up to here.
WIDEST_RANGE = 1e15
#: Numbers of a cone whose few programs take less than anyone notices.
WAITED_FOR = 1 << 16


@dataclass(frozen=True)
class Price:
    """An upper bound on ``max over t of sigma(g_t - lam)``, and the decisions at which it was evaluated."""

    bound: float
    decisions: Array
    values: Array
    #: By how much the bound was raised for rounding, where that is known.
    rounding: float = 0.0


def ratio_range(ratio: Ratio, notion: Notion, problem: Problem) -> tuple[float, float]:
    """Return an interval that holds ``a . v / b . v`` for every v of the cone (Dinkelbach, a little outward).

    Where the deadline passes and the cone is large, or curved and asked by programs, that of all columns there are.
    """
    if np.all(ratio.b > 0) and (notion.columns(problem).cone_numbers > WAITED_FOR or _is_by_programs(notion, problem)):
        try:
            return _range_in_time(ratio, notion, problem)
        except OutOfTime:
            return _ratios_of_inputs(ratio)
    # What takes no time, or has no other bound, is waited for.
    with until(None):
        return _range_in_time(ratio, notion, problem)


def _is_by_programs(notion: Notion, problem: Problem) -> bool:
    """Return whether the support function of a cone with a curved side takes a program or more for each functional."""
    shape = notion.columns(problem)
    return shape.curved is not None or not (shape.polyhedral or shape.of_secret is shape)


@lru_cache(maxsize=64)
def _range_in_time(ratio: Ratio, notion: Notion, problem: Problem) -> tuple[float, float]:
    """Return that interval, and keep it; raise where the deadline passes.

    The route and every proof ask for it, and where the support function has no formula it is some programs.
    """
    low, high = (_end(sign, ratio, notion, problem) for sign in (-1.0, 1.0))
    margin = 1e-9 * (high.reached - low.reached) + 4e-16 * max(abs(low.reached), abs(high.reached))
    ends = low.reached - max(margin, low.beyond), high.reached + max(margin, high.beyond)
    least, most = _ratios_of_inputs(ratio)
    half = low.reached / 2
    # Divergences may be infinite at 0, so a range that can be shown to end before it does.
    if ends[0] < half and half > 0 and _all_beyond(half, ratio, notion, problem):
        return half, min(ends[1], most)
    return max(ends[0], least), min(ends[1], most)


@dataclass(frozen=True)
class _End:
    """A ratio that some column reaches, and how far beyond it any column's may be: infinite where nothing is proved."""

    reached: float
    beyond: float


def _end(sign: float, ratio: Ratio, notion: Notion, problem: Problem) -> _End:
    """Return where the iteration ends, at the least (sign -1) or the largest (sign 1) of the ratios."""
    t = float(ratio.a.sum() / ratio.b.sum())
    for _ in range(64):
        found = support(notion, problem, _beyond(t, sign, ratio)[None, :])
        if not has_formula(notion, problem) or _is_by_programs(notion, problem):
            # From within: what the deadline cuts short would hold too little.
            require_time("finding the range of the decisions")
        reached = float(ratio.at(found.columns)[0])
        if not sign * (reached - t) > 1e-14 * abs(reached):
            break
        t = reached
    excess = float(found.values[0])
    if excess <= 0:
        return _End(t, 0.0)
    # No ratio is further than what is left of the functional over the least b . v.
    least = -float(support(notion, problem, -ratio.b[None, :]).values[0])
    return _End(t, excess / least if least > 0 else np.inf)


def _beyond(t: float, sign: float, ratio: Ratio) -> Array:
    """Return a functional that is positive on every column whose ratio is beyond t: raised by its own rounding."""
    return np.asarray(sign * (ratio.a - t * ratio.b) + 2.0 * EPS * (np.abs(ratio.a) + np.abs(t * ratio.b)))


def _all_beyond(t: float, ratio: Ratio, notion: Notion, problem: Problem) -> bool:
    """Return whether it is proved that no column's ratio is less than t."""
    return bool(support(notion, problem, _beyond(t, -1.0, ratio)[None, :]).values[0] <= 0)


def _ratios_of_inputs(ratio: Ratio) -> tuple[float, float]:
    """Return the least and the largest a / b of an input, a little outward: no column's ratio is beyond them."""
    given, alone = ratio.b > 0, ratio.a[ratio.b <= 0]
    with np.errstate(over="ignore"):
        each = ratio.a[given] / ratio.b[given]
    least = -np.inf if np.any(alone < 0) else float(np.nextafter(each.min(), -np.inf))
    most = np.inf if np.any(alone > 0) else float(np.nextafter(each.max(), np.inf))
    return least, min(most, ratio.f.most)


def price(
    ratio: Ratio,
    sigma: Callable[[Array], Array],
    multipliers: Array,
    decisions: Array,
    tolerance: float,
) -> Price:
    """Bound ``max over t in [decisions[0], decisions[-1]] of sigma(g_t - multipliers)``.

    Multipliers have the shape (n,), decisions increase, shape (decisions,), and sigma takes rows of functionals.
    On an interval, ``g_t`` stays in the triangle of its two ends and the chord's functional, and sigma is
    convex: the largest of three values bounds it. Intervals that could still hold more than `tolerance` above
    the best value seen are halved. No bound within an interval exceeds that of the whole: a support function whose
    program fails is bounded widely, and closer looks would otherwise loosen what fewer of them prove.
    """

    def sigmas(functionals: Callable[[Array, Array], Array], low: Array, high: Array) -> Array:
        parts = np.arange(0, len(low), max(1, AT_ONCE // len(multipliers)))
        at_parts = zip(np.split(low, parts[1:]), np.split(high, parts[1:]), strict=True)
        return np.concatenate([sigma(functionals(*ends) - multipliers) for ends in at_parts])

    def at(t: Array) -> Array:
        return sigmas(lambda t, _: ratio.functionals(t), t, t)

    t = np.unique(decisions)
    values = at(t)
    if len(t) == 1:
        return Price(float(values[0]), t, values)
    low, high, at_low, at_high = t[:-1], t[1:], values[:-1], values[1:]
    closed, within = -np.inf, np.full(len(low), np.inf)
    seen, worth = [t], [values]
    best, looked = float(values.max()), 0
    for _ in range(MOST_HALVINGS):
        looked += len(low)
        upper = np.minimum(np.maximum(np.maximum(at_low, at_high), sigmas(ratio.chords, low, high)), within)
        middle = low + (high - low) / 2
        open_ = (upper > best + tolerance) & (middle > low) & (middle < high)
        closed = max(closed, float(upper[~open_].max(initial=-np.inf)))
        if not open_.any() or looked > MOST_INTERVALS or is_late():
            closed = max(closed, float(upper.max()))
            return Price(max(closed, best), np.concatenate(seen), np.concatenate(worth))
        low, high, middle = low[open_], high[open_], middle[open_]
        at_low, at_high, within = at_low[open_], at_high[open_], upper[open_]
        at_middle = np.minimum(at(middle), within)
        seen.append(middle)
        worth.append(at_middle)
        best = max(best, float(at_middle.max()))
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        at_low, at_high = np.concatenate([at_low, at_middle]), np.concatenate([at_middle, at_high])
        within = np.concatenate([within, within])
    upper = np.minimum(np.maximum(np.maximum(at_low, at_high), sigmas(ratio.chords, low, high)), within)
    return Price(max(closed, best, float(upper.max())), np.concatenate(seen), np.concatenate(worth))


def peaks(priced: Price) -> Array:
    """Return the decisions at which the price has a positive local maximum."""
    order = np.argsort(priced.decisions)
    worth = np.concatenate([[-np.inf], priced.values[order], [-np.inf]])
    peaked = (worth[1:-1] >= worth[:-2]) & (worth[1:-1] > worth[2:]) & (worth[1:-1] > 0)
    return np.asarray(priced.decisions[order][peaked])


def added(decisions: Array, new: Array, apart: float) -> Array:
    """Return the decisions, shape (decisions,), with the `new` ones that lie `apart` from all: twins are degenerate."""
    for t in np.sort(np.clip(new, decisions[0], decisions[-1])):
        if np.abs(decisions - t).min() > apart:
            decisions = np.append(decisions, t)
    return np.sort(decisions)
