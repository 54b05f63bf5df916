"""The slope of the best bound on unequal frequencies: sets of inputs are generated, each slope mixed with the best."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.grouped_frequencies import bound_of
from mechdesign.solve.pricing.input_groups import GroupedSlope, InputGroups
from mechdesign.solve.programs.over_grouped_sets import best_weights

#: Rounds at most, columns that are kept, those of the start of the best size, and of other sizes.
ROUNDS, KEPT, START, OTHER = 100, 250, 120, 30
#: The share of the best slope so far in the mixture, and by what that is divided where no set is new.
SHARE, NEARER = 0.6, 3.0
#: The search ends where this share is left.
NEAR = 1e-3
#: A direction curves upwards that does by this share of the largest slope within a group.
UPWARD = 1e-3
#: A set is new whose excess is this share of the value.
NEW = 1e-4
#: How much further than the excess that was found the total is raised for another try.
BEYOND = 1.02


def best_slope(theta: Array, rise: float, enough: float) -> tuple[Array, float] | None:
    """Return the slope of the largest bound found, packed, and the bound; None where the search finds none.

    The search ends where little of what its groups can show is left, at the deadline, or where the bound is enough.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        The frequencies.
    rise : float
        ``e^epsilon - 1``.
    enough : float
        The bound that is asked for.
    """
    groups = InputGroups.chosen(theta, rise)
    sets, exchanged = _start(groups), np.zeros((0, len(groups.sizes)))
    best, centre, share = 0.0, None, 0.0
    for _ in range(ROUNDS):
        if is_late():
            break
        try:
            found = best_weights(groups, *groups.counts(sets), exchanged)
        except LinAlgError:
            break
        mixed = found.slope if centre is None else found.slope.mixed(centre, share)
        bound, mixed, new = _certified(groups, mixed)
        if centre is None or bound > best:
            best, centre = max(best, bound), mixed
        if best >= enough or found.value < best * (1.0 + NEAR):
            break
        exchanged = np.vstack([exchanged, _upward(groups, found.slope)])
        useful = len(new) and float(found.slope.excess(groups, *groups.counts(new)).max()) > NEW * found.value
        # Sets that the present slope allows bring nothing: the next are sought nearer to it.
        share = SHARE if useful else share / NEARER
        sets = np.vstack([sets[np.argsort(-found.probabilities)[:KEPT]], new])
    return None if centre is None else (centre.packed(groups.sizes), best)


def _certified(groups: InputGroups, slope: GroupedSlope) -> tuple[float, GroupedSlope, Array]:
    """Return the bound, the slope with the total that gives it, and new sets."""
    best, kept, new = 0.0, slope, np.zeros((0, len(groups.theta)))
    total = slope.total
    for attempt in range(2):
        tried = slope.with_total(total)
        bound, _, over, sets = bound_of(groups, tried)
        new = sets if attempt == 0 else new
        if bound > best:
            best, kept = bound, tried
        if not over > 0.0 or not len(sets) or is_late():
            break
        passed = float(tried.projected(groups).excess(groups, *groups.counts(sets)).max())
        if not passed > 0.0:
            break
        total += BEYOND * passed
    return best, kept, new


def _upward(groups: InputGroups, slope: GroupedSlope) -> Array:
    """Return the directions between groups of several inputs in which the slope exceeds the slope within them."""
    alone = groups.alone
    values, vectors = np.linalg.eigh(slope.between[alone:, alone:] - np.diag(slope.within[alone:]))
    padded = np.hstack([np.zeros((len(values), alone)), vectors.T])
    return np.asarray(padded[values > UPWARD * slope.within.max()])


def _start(groups: InputGroups) -> Array:
    """Return sets of about the best size, leaning to frequent inputs, to rare ones or to none, and of other sizes."""
    rng, alone, count = np.random.default_rng(0), groups.alone, len(groups.theta) - groups.alone
    sizes = np.concatenate([np.full(START, 1.0 / (2.0 + groups.rise)), rng.random(OTHER)])
    rows = []
    for share in sizes:
        tilt = rng.choice([-1.0, 0.0, 1.0]) * (np.arange(count) / count - 0.5) * rng.random() * 2.0
        chosen = np.argsort(rng.random(count) + tilt, kind="stable")[: max(1, round(share * count))]
        row = np.zeros(alone + count)
        row[:alone] = rng.random(alone) < share
        row[alone + chosen] = 1.0
        rows.append(row)
    return np.array(rows)
