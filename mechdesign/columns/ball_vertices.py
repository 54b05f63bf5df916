"""Extreme columns of the l1 ball around the prior: one input gains what a set of others loses, and one loses a part."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import NEXT_TO, Rays, subset_count
from mechdesign.columns.knapsack import OF_RAYS, OF_SETS, FittingSets, certainly_fit, most_listed, sets_that_fit
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import RAY_LIMIT


def ray_count(prior: Array, half: float) -> float:
    """Return at most how many rays there are where `half` of the mass may move; prior of shape (n,).

    Where ``n (n - 1) 2^(n-2)``, the number of sets with one input that gains and one that loses a part, is more than
    are listed, and few sets have so little mass, those are counted.
    """
    n = len(prior)
    most = max(n * (n - 1) * subset_count(n - 2), 1.0)
    return most if most <= RAY_LIMIT else min(most, _counted(tuple(prior.tolist()), half))


@lru_cache(maxsize=64)
def _counted(prior: tuple[float, ...], half: float) -> float:
    """Return how many vertices there are, infinite where more sets fit, or more vertices, than are listed."""
    n, sets = len(prior), _sets_that_lose(np.array(prior), half)
    if sets is None:
        return float("inf")
    _, full = _losing_a_part(np.array(prior), sets)[1]
    found = int((n - 1 - sets.member.sum(axis=0))[full].sum()) + n
    return float(found) if found * n <= OF_RAYS else float("inf")


def rays(prior: Array, half: float) -> Rays | None:
    """Return the vertices as columns of largest entry one; None where there are too many. Prior of shape (n,)."""
    n, count = len(prior), ray_count(prior, half)
    every = n * (n - 1) * subset_count(n - 2)
    if count > most_listed(every):
        return None
    if n == 1 or half == 0:
        return Rays(np.ones((n, 1)), np.zeros((0, 1)))
    sets = _sets_that_lose(prior, half)
    if sets is None:
        return None
    entry, (part, full) = _losing_a_part(prior, sets)
    entry[entry >= 1.0 - NEXT_TO] = 1.0
    others = ~sets.member[:, full]
    others[part, np.arange(len(part))] = False
    gaining, pair = np.nonzero(others)
    columns = np.where(sets.member[:, full[pair]], 0.0, 1.0)
    each = np.arange(len(pair))
    columns[part[pair], each], columns[gaining, each] = entry[pair], 1.0 + half / prior[gaining]
    # Where the others have no more than half, one input gains all of it, and no other is left with a part.
    exact = [Fraction(float(mass)) for mass in prior]
    takes_all = np.array([Fraction(half) >= sum(exact) - mass for mass in exact])
    columns = np.hstack([columns, np.eye(n)[:, takes_all]])
    columns = np.unique(columns / columns.max(axis=0), axis=1)
    return Rays(columns, np.zeros((0, columns.shape[1])), 4.0 * NEXT_TO)


def _sets_that_lose(prior: Array, half: float) -> FittingSets | None:
    """Return the sets of inputs that can lose all they have; None where they are too many."""
    most = OF_SETS // len(prior)
    if certainly_fit(half, prior) > most:
        # Before fractions are made of thousands of masses.
        return None
    return sets_that_fit(Fraction(half), [Fraction(float(mass)) for mass in prior], most)


def _losing_a_part(prior: Array, sets: FittingSets) -> tuple[Array, tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
    """Return the share that one more input keeps, that input and the number of the set, for each such pair."""
    part, full = np.nonzero((sets.left <= prior[:, None]) & ~sets.member)
    return sets.lacking(part, full) / prior[part], (part, full)
