"""A program over a band with most entries known: only pairs (x, d) whose entry is in doubt are unknowns.

With the rows' multipliers lam of an earlier program, each decision's column is a fractional knapsack: the surplus
``(gains[d, x] - lam_x) / P_x - nu_d`` says whether its entry is at the top of the box or at 0. Pairs of a large
surplus, either way, are held there. The multipliers that come out say which were held wrongly: these are unknowns when
the program is solved again, so that what is returned solves the whole program, as far as the price at its decisions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.notions import Band
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.interior_point.free_variables import Chosen, SomePairs
from mechdesign.solve.interior_point.primal_dual import LEAST_SIZE, Found, solve_band
from mechdesign.solve.pricing.squared_ratio_on_band import densities, fullest
from mechdesign.tolerances import SOLVER

#: Programs of fewer pairs are solved whole.
WHOLE = 20_000
#: And those of which a larger share is in doubt.
MOST_DOUBTED = 0.4
#: Pairs of the least surplus that every input and every decision keeps.
LEAST_KEPT = 4
#: Times that pairs are added before the program is solved whole.
ROUNDS = 6
#: Decisions of less than this share of the largest mass count as not made.
MADE = 1e-4
#: Decisions that are made, to either side of what an input has to give, whose pairs are unknowns for it.
BESIDE = 4
#: Times that multipliers far from the guess are taken for accidents.
TRUSTED = 2
#: What the price at the decisions may miss, in units of what the program may.
MISSED = 10.0


@dataclass(frozen=True)
class Guess:
    """Multipliers of the rows, shape (n,), and how large a surplus leaves a doubt."""

    rows: Array
    margin: float

    def scaled(self, scale: float) -> Guess:
        """Return the guess for gains that are divided by `scale`."""
        return Guess(self.rows / scale, self.margin / scale)


def solve_guessed(band: Band, gains: Array, guess: Guess | None, accuracy: float = SOLVER) -> Found:
    """Solve the program of gains, shape (decisions, n), as `solve_band` does, over pairs that the guess leaves free."""
    if guess is None or band.middle is None or gains.size < WHOLE:
        return solve_band(band, gains, accuracy)
    surplus, _, _ = _priced(band, gains, guess.rows)
    free = _in_doubt(surplus, guess.margin)
    full = (surplus > 0.0) & ~free
    steps = 0
    for trial in range(ROUNDS):
        if free.mean() > MOST_DOUBTED:
            break
        found = solve_band(band, gains, accuracy, SomePairs(free, full))
        steps += found.steps
        _, _, price = _priced(band, gains, found.rows)
        size = LEAST_SIZE + abs(float(found.rows.sum()))
        if price <= MISSED * accuracy * size or is_late():
            return Found(found.columns, found.rows, found.status, steps)
        more = free | _further(band, gains, found, guess, full, trusting=trial < TRUSTED)
        if np.array_equal(more, free):
            break
        full, free = full & ~more, more
    found = solve_band(band, gains, accuracy)
    return Found(found.columns, found.rows, found.status, steps + found.steps)


def _further(band: Band, gains: Array, found: Found, guess: Guess, full: Chosen, trusting: bool) -> Chosen:
    """Return the pairs that were held wrongly, or are in doubt by the multipliers found.

    An input whose unknowns are all of decisions that are not made has any multiplier beyond some number: where the
    guess is trusted, it counts as the nearest that this allows. It gets unknowns among the decisions that are made,
    about the place where these, best first, add up to what it has to give.
    """
    prior = band.middle
    assert prior is not None, "there is a mass"
    rows = np.clip(found.rows, guess.rows - guess.margin * prior, guess.rows + guess.margin * prior)
    surplus, thresholds, _ = _priced(band, gains, rows if trusting else found.rows)
    more: Chosen = np.where(full, surplus < 0.0, surplus > 0.0) | (np.abs(surplus) < guess.margin)
    wild = np.flatnonzero(rows != found.rows)
    t = band.high * (prior @ np.maximum(found.columns, 0.0))
    made = np.flatnonzero(t > MADE * t.max())
    low = band.low / band.high
    worth = densities(gains[np.ix_(made, wild)], prior[wild]).T - thresholds[made]
    order = np.argsort(-worth, axis=1)
    given = (t[made][order].cumsum(axis=1) < (1.0 - low * t.sum()) / (1.0 - low)).sum(axis=1)
    about = np.clip(given[:, None] + np.arange(-BESIDE, BESIDE + 1), 0, len(made) - 1)
    more[wild[:, None], made[np.take_along_axis(order, about, axis=1)]] = True
    return more


def _priced(band: Band, gains: Array, rows: Array) -> tuple[Array, Array, float]:
    """Return each pair's surplus, shape (n, decisions), each threshold, and the largest price of a column of mass 1."""
    prior = band.middle
    assert prior is not None, "there is a mass"
    left = gains - rows
    prices, thresholds = fullest(left, prior, band.low, band.high)
    return (densities(left, prior) - thresholds[:, None]).T, thresholds, float(prices.max())


def _in_doubt(surplus: Array, margin: float) -> Chosen:
    size = np.abs(surplus)
    free: Chosen = size < margin
    for axis in (0, 1):
        kept = min(LEAST_KEPT, size.shape[axis])
        nearest = np.take(np.argpartition(size, kept - 1, axis=axis), np.arange(kept), axis=axis)
        np.put_along_axis(free, nearest, True, axis=axis)
    return free
