"""Columns that no distribution with at least c for each entry lifts far: their largest entry is near every mean."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, floor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Cone, Rays, Support, raised, rounding_unit, subset_count
from mechdesign.columns.dual import Shown
from mechdesign.columns.shape import Shape
from mechdesign.exact import Fractions, Integers, exp_above, exp_below, exp_down, float_above
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT


@dataclass(frozen=True, eq=False)
class LeastShares(Shape):
    """Vectors with ``v_s <= e^epsilon pi . v`` for every distribution pi that gives each entry at least c.

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    c : float
        At most 1 / n.
    """

    epsilon: float
    c: float

    def cone_of(self, seen: Array) -> Cone:
        """Return ``e^-epsilon v <= c sum v + (1 - k c) t`` and ``t <= v``, rounded outward."""
        least, free = shares(self.c, self.n)
        low, k = exp_down(-min(self.epsilon, LARGEST_EXPONENT)), len(seen)
        mass = float_above(least) * seen.sum(axis=0)
        rows = np.vstack([mass - low * seen, seen])
        on_least = np.concatenate([np.full(k, float_above(free)), np.full(k, -1.0)])[:, None]
        sizes = np.vstack([mass + low * seen, seen])
        return Cone(rows, on_least, float(seen.shape[1]), terms=sizes)

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_]:
        """Return for each functional whether it is nonnegative at every extreme column, ``e^epsilon`` rounded up."""
        ranked = np.sort(functionals.astype(object), axis=1)
        k = self.n
        total, sums = ranked.sum(axis=1), np.cumsum(ranked, axis=1)
        found = np.asarray(total >= 0)
        shapes_of = extremes(exp_above(self.epsilon), self.c, k)
        for size, inverse in shapes_of.sets:
            share = 1 - inverse
            unit = inverse.denominator * share.denominator
            found = found & (total * int(inverse * unit) + sums[:, size - 1] * int(share * unit) >= 0)
        if shapes_of.last is not None:
            full, part = shapes_of.last
            first = sums[:, full - 1] if full else 0 * total
            found = found & (first * part.denominator + ranked[:, full] * part.numerator >= 0)
        return np.asarray(found, dtype=bool)

    def exact_rows(self) -> Fractions:
        """Return ``e^epsilon (c sum v + (1 - k c) v_w) - v_s`` for each ordered pair of secrets."""
        k, most = self.n, exp_above(self.epsilon)
        least, free = shares(self.c, k)
        rows = [[most * least] * k for _ in range(k * (k - 1))]
        pairs = ((s, w) for s in range(k) for w in range(k) if s != w)
        for row, (s, w) in zip(rows, pairs, strict=True):
            row[w] += most * free
            row[s] -= 1
        return np.array(rows, dtype=object).reshape(len(rows), k)

    def ray_count(self) -> float:
        """Return how many sets of secrets have a ray, and how many rays have zeros."""
        n = self.n
        if self.epsilon == 0 or n == 1:
            return 1.0
        if subset_count(n) == float("inf"):
            return float("inf")
        shapes_of = extremes(exp_below(self.epsilon), self.c, n)
        last = 0
        if shapes_of.last is not None:
            full, part = shapes_of.last
            last = n * comb(n - 1, full) if part else comb(n, full)
        return float(sum(comb(n, size) for size, _ in shapes_of.sets) + last)

    def rays(self) -> Rays | None:
        """Return columns of two values on the sets that allow them, and of ones, zeros and one number between."""
        count, n = self.ray_count(), self.n
        if count > RAY_LIMIT:
            return None
        if self.epsilon == 0 or n == 1:
            return Rays(np.ones((n, 1)), np.zeros((0, 1)))
        shapes_of = extremes(exp_below(self.epsilon), self.c, n)
        columns = []
        for size, inverse in shapes_of.sets:
            for chosen in combinations(range(n), size):
                column = np.full(n, float(inverse))
                column[list(chosen)] = 1.0
                columns.append(column)
        if shapes_of.last is not None:
            full, part = shapes_of.last
            for chosen in combinations(range(n), full):
                for other in (x for x in range(n) if x not in chosen) if part else (-1,):
                    column = np.zeros(n)
                    column[list(chosen)] = 1.0
                    if other >= 0:
                        column[other] = float(part)
                    columns.append(column)
        return Rays(np.array(columns).T, np.zeros((0, len(columns))))

    def support(self, functionals: Array, nu: Array) -> Support:
        """Return the largest value at an extreme column: each puts its large entries on the largest ``h_s``."""
        n, unit = self.n, rounding_unit(self.n)
        shapes_of = extremes(exp_below(self.epsilon), self.c, n)
        if not shapes_of.sets and shapes_of.last is None:
            sizes = np.abs(functionals).sum(axis=1)
            return raised(functionals.sum(axis=1), unit * sizes, np.ones((n, len(functionals))))
        order = np.argsort(-functionals, axis=1, kind="stable")
        ranked = np.take_along_axis(functionals, order, axis=1)
        shapes = np.array([*(two_values(n, *each) for each in shapes_of.sets), *with_zeros(n, shapes_of.last)])
        shapes /= shapes.mean(axis=1, keepdims=True)
        values, terms = ranked @ shapes.T, np.abs(ranked) @ shapes.T
        rounding = 2.0 * unit * terms
        best = (values + rounding).argmax(axis=1)
        each = np.arange(len(functionals))
        columns = np.empty_like(functionals)
        np.put_along_axis(columns, order, shapes[best], axis=1)
        return raised(values[each, best], rounding[each, best], columns.T)

    def measured(self, seen: Integers) -> tuple[Integers, Integers]:
        """Return the largest entry and the least mass of each column, both in units of the masses' denominator."""
        seen = seen.astype(object)
        least, free = shares(self.c, self.n)
        unit = least.denominator * free.denominator
        masses = seen.sum(axis=0) * int(least * unit) + seen.min(axis=0) * int(free * unit)
        return seen.max(axis=0) * unit, masses

    def allows(self, measured: tuple[Integers, Integers]) -> npt.NDArray[np.bool_]:
        """Return for each column whether its entries are at most ``e^epsilon``, rounded down, times its least mass."""
        ratio, (high, mass) = exp_below(self.epsilon), measured
        return np.asarray((high * ratio.denominator <= mass * ratio.numerator).astype(bool))


class Extremes(NamedTuple):
    """The extreme columns up to the order of the secrets: columns of two values, and the column with zeros."""

    #: ``(j, 1/M)``: one on j secrets, ``1/M`` elsewhere.
    sets: tuple[tuple[int, Fraction], ...]
    #: How many ones, and the number beside them; None where no entry can be zero.
    last: tuple[int, Fraction] | None


@lru_cache(maxsize=64)
def extremes(most: Fraction, c: float, k: int) -> Extremes:
    """Return the extreme columns of k secrets at ``e^epsilon = most``; none where columns have to be constant."""
    least, free = shares(c, k)
    if most == 1 or k == 1:
        return Extremes((), None)
    shared = most * least
    sets = [(j, (1 - shared * j) / (most * (1 - least * j))) for j in range(1, k) if shared * j < 1] if free else []
    if shared * k <= 1:
        return Extremes(tuple(sets), None)
    full = floor(1 / shared)
    # Less than one secret is that secret alone, of any size: its share may be too small for a float.
    return Extremes(tuple(sets), (full, 1 / shared - full) if full else (1, Fraction(0)))


def two_values(n: int, size: int, inverse: Fraction) -> Array:
    """Return the column of ones on the first secrets, and `inverse` elsewhere, shape (n,)."""
    return np.where(np.arange(n) < size, 1.0, float(inverse))


def with_zeros(n: int, last: tuple[int, Fraction] | None) -> list[Array]:
    """Return the column of ones, one number and zeros, the largest first; nothing where no entry can be zero."""
    if last is None:
        return []
    column = np.where(np.arange(n) < last[0], 1.0, 0.0)
    column[min(last[0], n - 1)] += float(last[1])
    return [column]


def shares(c: float, k: int) -> tuple[Fraction, Fraction]:
    """Return the least probability of each of k secrets, and what is left for any of them; rounded sums are one."""
    least = min(Fraction(c), Fraction(1, k))
    return least, 1 - k * least
