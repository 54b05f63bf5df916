"""Columns that fill the lifts of some inputs to their largest, and leave the others' lifts at their least."""

from __future__ import annotations

from itertools import product

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.bounded_lift import Lifts

#: Random orders of the inputs in which columns are filled.
ORDERS = 3
#: By what factor the largest input of a tier is larger than its least.
TIER = 4.0
#: An input whose room is a column's own, but for rounding, fills it alone.
ALONE = 1e-9


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


def by_tiers(bounds: Lifts, count: int, least: float, series: int = 0) -> tuple[Array, Array]:
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
        of_drawn[drawn] = _drawn(room[drawn], 1.0 - low, count, least, series)
        share = np.hstack([share, of_drawn])
        weight = np.concatenate([weight, np.full(count, max(1.0 - float(weight.sum()), 0.0) / count)])
    return low + (bounds.high - low)[:, None] * share, weight


def _drawn(room: Array, mass: float, count: int, least: float, series: int) -> Array:
    """Return the share of each room that is filled in a number of draws, shape (inputs, count)."""
    n, each = len(room), np.arange(count)
    rng = np.random.default_rng([n + 1, series] if series else n + 1)
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
