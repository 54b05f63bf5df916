"""Columns that fill the lifts of some inputs to their largest, and leave the others' lifts at their least."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations, product

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.bounded_lift import Lifts

#: Random orders of the inputs in which columns are filled.
ORDERS = 3
#: By what factor the largest input of a tier is larger than its least.
TIER = 4.0
#: An input whose room is a column's own, but for rounding, fills it alone.
ALONE = 1e-9
#: Two groups of so many whole inputs are exchanged, as many of each as make so many sets at most.
GROUP, MOST_SETS = 24, 2500


def in_sequence(bounds: Lifts) -> Array:
    """Return the columns of mass one that fill neighbouring inputs, from each start of some orders."""
    prior, low, n = bounds.prior, bounds.low, len(bounds.prior)
    rng = np.random.default_rng(n)
    orders = [np.arange(n), np.argsort(-prior, kind="stable"), *(rng.permutation(n) for _ in range(ORDERS))]
    room = prior * (bounds.high - low)
    found = []
    for order in orders:
        # Row s starts at the s-th input of the order and goes round.
        circle = order[(np.arange(n)[:, None] + np.arange(n)) % n]
        sizes = room[circle]
        before = sizes.cumsum(axis=1) - sizes
        share = np.divide(1.0 - low - before, sizes, out=np.zeros_like(sizes), where=sizes > 0)
        columns = np.empty((n, n))
        np.put_along_axis(columns, circle, low + (bounds.high - low)[circle] * np.clip(share, 0.0, 1.0), axis=1)
        found.append(columns.T)
    return np.hstack(found)


def by_tiers(
    bounds: Lifts, count: int, least: float, series: int = 0, *, exchanged: bool = False
) -> tuple[Array, Array]:
    """Return columns of mass one that draw whole inputs, large ones first, with weights that nearly make a mechanism.

    Inputs of like size are a tier. From the largest tier to the smallest, and in a random order inside of each, an
    input is drawn with the share that the mass still to be filled has of all that is to come, where it fits. The
    smallest tier fills what is left: one of its inputs has a lift between the ends. An input that fills a column alone
    is in none of the others.

    Parameters
    ----------
    count : int
        Columns that are drawn.
    least : float
        How many times the smallest tier has the room of the input after it: the more, the nearer each input comes to
        its share of the columns, and the larger the one that lies between the ends may be.
    series : int
        Columns are others for another number.
    exchanged : bool
        Whether whole inputs are exchanged until the input between the ends is nearly empty: a utility that is convex
        in the lift then comes to its chords. Inputs come less near to their shares of the columns.
    """
    prior, low, n = bounds.prior, bounds.low, len(bounds.prior)
    room = prior * (bounds.high - low)
    fills = room >= (1.0 - low) * (1.0 - ALONE)
    # Where the others cannot fill a column without it, it is drawn like them.
    fills &= room[~fills].sum() >= 1.0 - low
    alone, drawn = np.flatnonzero(fills), np.flatnonzero(~fills & (room > 0))
    share, weight = np.zeros((n, len(alone))), prior[alone]
    share[alone, np.arange(len(alone))] = 1.0
    if len(drawn):
        of_drawn = np.zeros((n, count))
        rng = np.random.default_rng([n + 1, series] if series else n + 1)
        sets = _drawn(room[drawn], 1.0 - low, count, least, rng)
        of_drawn[drawn] = _exchanged(sets, room[drawn], rng) if exchanged else sets
        share = np.hstack([share, of_drawn])
        weight = np.concatenate([weight, np.full(count, max(1.0 - float(weight.sum()), 0.0) / count)])
    return low + (bounds.high - low)[:, None] * share, weight


def _drawn(room: Array, mass: float, count: int, least: float, rng: np.random.Generator) -> Array:
    """Return the share of each room that is filled in a number of draws, shape (inputs, count)."""
    n, each = len(room), np.arange(count)
    tier = _tiers(room, least)
    orders = np.argsort(rng.random((count, n)) - tier, axis=1)
    share, left, rest = np.zeros((count, n)), np.full(count, mass), np.full(count, room.sum())
    for again, place in product((False, True), range(n)):
        x = orders[:, place]
        size = room[x] * (1.0 - share[each, x])
        chosen = (rng.random(count) * rest < left) & (size <= left)
        # The second time nothing is left to chance, so that the mass is full.
        taken = np.where(chosen | (tier[x] == 0) | again, np.minimum(size, left), 0.0)
        share[each, x] += taken / room[x]
        left, rest = left - taken, rest - size
    return np.asarray(share.T)


def _tiers(room: Array, least: float) -> Array:
    """Return the tier of each input: 0 for the smallest ones, whose room is `least` times the room of the next tier."""
    sizes = np.sort(room)
    enough = sizes.cumsum()[:-1] >= least * sizes[1:]
    largest = sizes[int(enough.argmax())] if enough.any() else sizes[-1]
    return np.asarray(np.maximum(np.ceil(np.log(room / largest) / np.log(TIER)), 0.0))


def _exchanged(share: Array, room: Array, rng: np.random.Generator) -> Array:
    """Return columns, shape (inputs, count), whose one input between the ends is nearly empty.

    Whole inputs of two groups leave a column or enter it. Of all pairs of small sets, one of each group, the pair is
    chosen whose room comes nearest to what the input between the ends has filled, from below (meet in the middle).
    """
    group = min(GROUP, (len(room) - 1) // 2)
    if group == 0:
        return share
    sets, found = _small_sets(group), share.copy()
    for column in found.T:
        between = np.flatnonzero((column > 0.0) & (column < 1.0))
        if len(between) != 1:
            continue
        filled = float(column[between[0]] * room[between[0]])
        chosen = _two_groups(column, group, rng)
        adds = np.where(column[chosen] == 1.0, -room[chosen], room[chosen])
        first, second = sets @ adds[:group], sets @ adds[group:]
        order = np.argsort(second)
        at = np.searchsorted(second[order], filled - first, side="right") - 1
        left = np.where(at >= 0, filled - first - second[order[at]], np.inf)
        best = int(left.argmin())
        exchanged = chosen[np.append(sets[best], sets[order[at[best]]]) > 0]
        column[exchanged] = 1.0 - column[exchanged]
        column[between] = left[best] / room[between]
    return found


def _two_groups(column: Array, group: int, rng: np.random.Generator) -> Array:
    """Return random whole inputs of a column, shape (2 group,): half of each group are filled, if there are enough."""
    full, empty = (rng.permutation(np.flatnonzero(column == end)) for end in (1.0, 0.0))
    filled = min(len(full), max(group, 2 * group - len(empty)))
    mixed = np.append(full[:filled], empty[: 2 * group - filled])
    return np.append(mixed[::2], mixed[1::2])


@cache
def _small_sets(count: int) -> Array:
    """Return the indicators of all sets up to the largest size that `MOST_SETS` allows, shape (sets, count)."""
    found: list[tuple[int, ...]] = []
    for size in range(count + 1):
        if len(found) + math.comb(count, size) > MOST_SETS:
            break
        found.extend(combinations(range(count), size))
    return np.array([np.bincount(each, minlength=count) if each else np.zeros(count) for each in found], dtype=float)
