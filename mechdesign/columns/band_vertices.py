"""Extreme columns under bounds of the lift: vertices of a knapsack, a full set and one input that takes the rest."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import NEXT_TO, Rays, subset_count
from mechdesign.columns.knapsack import OF_RAYS, OF_SETS, FittingSets, certainly_fit, most_listed, sets_that_fit
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import RAY_LIMIT

#: For each vertex the input that takes the rest, and the number of the full set.
Pairs = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


def ray_count(prior: Array, low: float, high: float) -> float:
    """Return at most how many rays there are where ``low * m <= v <= high * m``.

    Where ``n 2^(n-1)``, the number of sets with one more input, is more than are listed, and few sets fit, those are
    counted that leave a part of the mass of one more input. It is 1 where columns must be constant.
    """
    if low >= high:
        return 1.0
    most = len(prior) * subset_count(len(prior) - 1)
    return most if most <= RAY_LIMIT else min(most, _counted(tuple(prior.tolist()), low, high))


@lru_cache(maxsize=64)
def _counted(masses: tuple[float, ...], low: float, high: float) -> float:
    """Return how many vertices there are, infinite where more sets fit, or more vertices, than are listed."""
    prior = np.array(masses)
    sets = _full_sets(prior, low, high)
    if sets is None:
        return float("inf")
    _, (found, _) = _vertices(prior, low, high, sets)
    return float(len(found)) if len(found) * len(prior) <= OF_RAYS else float("inf")


def rays(prior: Array, low: float, high: float) -> Rays | None:
    """Return the vertices of a knapsack as rays; None where there are too many.

    On the slice of mass one, ``v_x = low + t_x (high - low)`` with ``0 <= t <= 1`` and
    ``P . t = (1 - low) / (high - low)``.
    """
    n = len(prior)
    count, all_pairs = ray_count(prior, low, high), n * subset_count(n - 1)
    if count > most_listed(all_pairs):
        return None
    if low >= high:
        return Rays(np.ones((n, 1)), np.zeros((0, 1)))
    sets = _full_sets(prior, low, high)
    if sets is None:
        return None
    entry, (part, full) = _vertices(prior, low, high, sets)
    entry[entry <= low * (1.0 + NEXT_TO)] = low
    entry[entry >= high * (1.0 - NEXT_TO)] = high
    columns = np.where(sets.member[:, full], high, low)
    columns[part, np.arange(len(part))] = entry
    twice = np.any((entry == low) | (entry == high))
    columns /= columns.max(axis=0)
    # A set that fills exactly is met more than once; no other is.
    columns = np.unique(columns, axis=1) if twice else columns
    return Rays(columns, np.zeros((0, columns.shape[1])), 4.0 * NEXT_TO)


def _full_sets(prior: Array, low: float, high: float) -> FittingSets | None:
    """Return the sets of inputs that can have the high entry, by mass beyond the low entries of all."""
    most = OF_SETS // len(prior)
    if certainly_fit(1.0 - low * float(prior.sum()), (high - low) * prior) > most:
        # Before fractions are made of thousands of masses.
        return None
    exact = [Fraction(float(mass)) for mass in prior]
    width = Fraction(high) - Fraction(low)
    return sets_that_fit(1 - Fraction(low) * sum(exact), [width * mass for mass in exact], most)


def _vertices(prior: Array, low: float, high: float, sets: FittingSets) -> tuple[Array, Pairs]:
    """Return the entry of the input that takes what a set leaves, and those inputs and sets, for each vertex."""
    with np.errstate(over="ignore"):
        entry = low + sets.left / prior[:, None]
    part, full = np.nonzero((entry <= high * (1.0 + NEXT_TO)) & ~sets.member)
    return entry[part, full], (part, full)
