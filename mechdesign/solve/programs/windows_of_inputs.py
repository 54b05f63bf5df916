"""Sets of inputs of nearly a given mass that can cover all inputs evenly: windows that go round a circle of them."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.subset_relaxation import Indices, Members

#: A sum of masses counts as no more than the mass asked for up to this factor.
ROUND = 1 + 1e-9


def first_sets(masses: Array, wanted: Array, orders: int) -> Members:
    """Return windows and gapped windows of each of the masses `wanted`, single inputs and all but one, shape (k, n).

    The circles are the inputs as they come, by rising mass and in `orders` random orders.
    """
    n = len(masses)
    rng = np.random.default_rng(n)
    circles = [np.arange(n), np.argsort(masses, kind="stable"), *(rng.permutation(n) for _ in range(orders))]
    single = np.eye(n, dtype=bool)
    found = [single, ~single[: n if n > 2 else 0], np.ones((1, n), dtype=bool)]
    for mass in wanted:
        for circle in circles:
            found += [windows(masses, float(mass), circle), gapped(masses, float(mass), circle)]
    return distinct(np.vstack(found))


def windows(masses: Array, wanted: float, circle: Indices) -> Members:
    """Return for each start the windows of mass next below and above what is wanted, shape (2 n, n)."""
    n = len(masses)
    sums = np.concatenate([[0.0], np.cumsum(np.tile(masses[circle], 2))])
    start = np.arange(n)
    sizes = np.searchsorted(sums, sums[:n] + wanted) - start
    found = [_from(start, np.clip(sizes + more, 1, n), circle) for more in (-1, 0)]
    return np.vstack(found)


def gapped(masses: Array, wanted: float, circle: Indices) -> Members:
    """Return for each start the inputs from there on, but for those that would make it too much, shape (n, n)."""
    n = len(masses)
    found, mass, start = np.zeros((n, n), dtype=bool), np.zeros(n), np.arange(n)
    for step in range(n):
        following = circle[(start + step) % n]
        fits = mass + masses[following] <= wanted * ROUND
        found[start[fits], following[fits]] = True
        mass[fits] += masses[following[fits]]
    return found


def even_cover(n: int, size: int) -> Members:
    """Return the fewest windows of `size` neighbours that cover a circle of n inputs evenly."""
    start = np.arange(0, n, math.gcd(n, size))
    return _from(start, np.full(len(start), size), np.arange(n))


def distinct(sets: Members) -> Members:
    """Return the sets that are not empty, each once."""
    _, first = np.unique(np.packbits(sets, axis=1), axis=0, return_index=True)
    kept = sets[np.sort(first)]
    return np.asarray(kept[kept.any(axis=1)])


def _from(start: Indices, sizes: Indices, circle: Indices) -> Members:
    n = len(circle)
    place = np.empty(n, dtype=np.intp)
    place[circle] = np.arange(n)
    return np.asarray((place[None, :] - start[:, None]) % n < sizes[:, None])
