"""The slope of the best bound on unequal frequencies of many inputs: sets are generated, slopes mixed with the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.cell_frequencies import bound_of_cells
from mechdesign.solve.pricing.frequency_cells import CellPricing, CellSlope, FrequencyCells
from mechdesign.solve.programs.over_grouped_sets import least_variance

#: Rounds at most of either search, sets that are kept, and new ones in a round.
ROUNDS, KEPT, NEW = 50, 400, 12
#: Sets that both searches start from, beside those of a single group.
START = 40
#: Of the best sets of the first search, how many the second one starts from.
USED = 30
#: The share of the best slope in the mixture, and by what it is divided if no set is new.
SHARE, NEARER = 0.5, 3.0
#: The searches end if this share is left, and slopes are central up to this share of the value.
NEAR, CENTRAL = 3e-3, 2e-3
#: A set is new whose excess is this share of the value.
EXCESS = 1e-4
#: Beyond it the squares of ratios of masses leave no digits.
LARGEST_RISE = 1e5
#: Masses of sets that are tried in the search for very many inputs, and steps of the bisection for each.
MASSES, STEPS = 100, 130


@dataclass(frozen=True, eq=False)
class _Sets:
    """Sets of inputs by the share of each group in them, shape (sets, b), and the share of its frequencies."""

    counts: Array
    masses: Array

    def with_more(self, counts: Array, masses: Array) -> _Sets:
        return _Sets(np.vstack([self.counts, counts]), np.vstack([self.masses, masses]))

    def best(self, probabilities: Array) -> _Sets:
        kept = np.argsort(-probabilities, kind="stable")[:KEPT]
        return _Sets(self.counts[kept], self.masses[kept])


def best_cell_slope(theta: Array, rise: float, enough: float) -> Array | None:
    """Return the slope of the largest bound found, packed; None if the search finds none.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        The frequencies.
    rise : float
        ``e^epsilon - 1``.
    enough : float
        The bound that is asked for.
    """
    cells = FrequencyCells.of(theta)
    if cells.groups < 2 or rise > LARGEST_RISE:
        return None
    try:
        centre, sets = _of_very_many(cells, rise)
    except LinAlgError:
        return None
    best, found, value, share = 0.0, None, np.inf, SHARE
    for _ in range(ROUNDS):
        mixed = centre if found is None else found.mixed(centre, share)
        bound, raised, priced = bound_of_cells(cells, rise, mixed)
        if bound > best:
            best, centre = bound, raised
        if best >= enough or is_late():
            break
        counts, masses = _peaks(cells, mixed, rise, priced)
        if found is not None:
            excess = found.excess(cells, rise, counts, masses)
            # Sets that the present slope allows bring nothing: the next are sought nearer to it.
            share = SHARE if float(excess.max()) > EXCESS * value else share / NEARER
        sets = sets.with_more(counts, masses)
        try:
            found, value, probabilities = _master(cells, rise, sets)
        except LinAlgError:
            break
        sets = sets.best(probabilities) if len(probabilities) > KEPT + NEW else sets
        if value < best * (1.0 + NEAR):
            break
    return centre.packed() if best > 0.0 else None


def _peaks(cells: FrequencyCells, slope: CellSlope, rise: float, priced: CellPricing) -> tuple[Array, Array]:
    """Return sets of large excess, not two from neighbouring intervals."""
    excess = slope.excess(cells, rise, priced.counts, priced.masses)
    intervals = len(excess) // 2
    chosen: list[int] = []
    for at in np.argsort(-excess, kind="stable").tolist():
        if all(abs(at % intervals - other % intervals) > 1 for other in chosen):
            chosen.append(at)
    return priced.counts[chosen[:NEW]], priced.masses[chosen[:NEW]]


def _master(cells: FrequencyCells, rise: float, sets: _Sets) -> tuple[CellSlope, float, Array]:
    """Return the slope that certifies the best probabilities of the sets, the variance, and the probabilities."""
    counts, masses = cells.counts, cells.masses
    several = counts > 1
    inverse = 1.0 / (masses.sum() + rise * sets.masses.sum(axis=1))
    inside = (rise * inverse[:, None]) ** 2 * (sets.counts - sets.counts**2 / counts)
    rows = np.hstack(
        [
            inverse[:, None] * (1.0 + rise * sets.counts / counts),
            inverse[:, None] * (1.0 + rise * _over(sets.masses, masses)),
            np.full((len(inverse), 1), 1.0 / masses.sum()),
        ]
    )
    start, none = np.full(len(inverse), 1.0 / len(inverse)), np.zeros((len(inverse), 0))
    squares = (counts[several] - 1.0) ** 2
    p, y, value = least_variance(inside[:, several], squares, rows, none, start, CENTRAL)
    within = np.zeros(len(counts))
    within[several] = squares / (inside[:, several].T @ p) ** 2
    b = len(counts)
    return CellSlope(within, -y[:b] / counts, _over(y[b:-1], masses), float(-y[-1] / masses.sum())), value, p


def _over(above: Array, below: Array) -> Array:
    """Return a quotient, 0 where the divisor is 0."""
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below > 0)


def _of_very_many(cells: FrequencyCells, rise: float) -> tuple[CellSlope, _Sets]:
    """Return the best slope if all inputs of a group had its mean frequency, with the sets that it is found from.

    Multipliers of rows are constant on a group there; here they are interpolated in the logarithm of the frequency.
    """
    counts, masses = cells.counts, cells.masses
    shares = _starts(cells.groups, rise)
    best, centre, share = 0.0, np.ones((2, cells.groups)), 0.0
    for _ in range(ROUNDS):
        inverse = 1.0 / (1.0 + rise * shares @ masses)
        inside = (rise * inverse[:, None]) ** 2 * shares * (1.0 - shares) * counts
        rows = inverse[:, None] * (1.0 + rise * shares)
        start, none = np.full(len(inverse), 1.0 / len(inverse)), np.zeros((len(inverse), 0))
        p, y, value = least_variance(inside, counts**2, rows, none, start, CENTRAL)
        found = np.vstack([counts**2 / (inside.T @ p) ** 2, -y])
        mixed = (1.0 - share) * found + share * centre
        excess, tried = _best_shares(counts, masses, rise, *mixed)
        most = float(excess.max())
        bound = float((counts @ np.sqrt(mixed[0])) ** 2 / (mixed[1].sum() + max(most, 0.0)))
        if bound > best:
            best, centre = bound, np.vstack([mixed[0], mixed[1] + max(most, 0.0) * masses])
        if value < best * (1.0 + NEAR) or is_late():
            break
        share = SHARE if most > EXCESS * value else share / 2.0
        p = np.append(p, np.ones(NEW))
        shares = np.vstack([shares, tried[np.argsort(-excess)[:NEW]]])
        kept = np.argsort(-p, kind="stable")[:KEPT]
        p, shares = p[kept], shares[kept]
    used = np.vstack([_starts(cells.groups, rise), shares[np.argsort(-p, kind="stable")[:USED]]])
    return _interpolated(cells, centre[0], centre[1] / counts), _Sets(used * counts, used * masses)


def _starts(groups: int, rise: float) -> Array:
    """Return the shares of each group in the first sets: of all groups alike, at random, and of single groups."""
    rng, usual = np.random.default_rng(0), 1.0 / (2.0 + rise)
    alike = np.outer([0.0, 0.05, 0.1, 0.2, usual, 0.35, 0.5, 0.7, 1.0], np.ones(groups))
    drawn = np.clip(usual * np.exp(rng.normal(size=(START, groups)) * 0.7), 0.0, 1.0)
    one = np.eye(groups)
    return np.vstack([alike, drawn, one, usual * (1.0 - one), usual + (1.0 - usual) * one])


def _best_shares(counts: Array, masses: Array, rise: float, within: Array, rows: Array) -> tuple[Array, Array]:
    """Return the excess of the best shares of the groups for each of many masses, and the shares."""
    mass = np.linspace(0.0, 1.0, MASSES)
    inverse = 1.0 / (1.0 + rise * mass)
    curved = rise**2 * (within * counts) * inverse[:, None] ** 2
    high = np.full(MASSES, float(curved.max() + np.abs(rows).max() * rise) / float(masses[masses > 0].min()))
    low = -high
    for _ in range(STEPS):
        number = 0.5 * (low + high)
        shares = np.clip(0.5 + (number[:, None] * masses - rise * inverse[:, None] * rows) / (2.0 * curved), 0.0, 1.0)
        above = shares @ masses > mass
        high, low = np.where(above, number, high), np.where(above, low, number)
    inverse = 1.0 / (1.0 + rise * shares @ masses)
    spread = (rise * inverse[:, None]) ** 2 * shares * (1.0 - shares) * counts
    return spread @ within - inverse * (rows.sum() + rise * shares @ rows), shares


def _interpolated(cells: FrequencyCells, within: Array, rows: Array) -> CellSlope:
    """Return the slope whose multipliers of rows are chords of a function with those values at the groups' means."""
    means = cells.masses / cells.counts
    floor = float(means[means > 0].min())
    at = np.log(np.maximum(means, floor))[::-1]
    lasts = np.append(cells.firsts[1:], len(cells.sizes)) - 1
    top, low = (np.maximum(cells.least[ends], floor) for ends in (cells.firsts, lasts))
    heights = [np.interp(np.log(ends), at, rows[::-1]) for ends in (top, low)]
    steepness = -_over(heights[0] - heights[1], np.where(top > low, top - low, 0.0))
    return CellSlope(within, rows + steepness * means, steepness, 0.0)
