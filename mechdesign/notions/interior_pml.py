"""Pointwise maximal leakage for every prior that gives each secret a probability of at least c."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, symmetric
from mechdesign.catalogue.promises import factor
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Fractions, Integers, exp_above, exp_below, exp_down, float_above
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.cone import Cone, Rays, Support, raised, rounding_unit, subset_count
from mechdesign.notions.dual import Shown
from mechdesign.notions.interior_columns import extremes, shares, two_values, with_zeros
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT, SUM_TO_ONE

#: The domain of the least probability of a secret.
LEAST = Real(low=0.0, high=1.0, rule="it bounds a probability", remedy="choose it in [0, 1]")


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report makes any of the {of.values} more probable by more than a factor of {factor(notion.epsilon)}, for "
        f"anyone who gives each of them a probability of at least {in_full(notion.c)} before."
    )


def _edge() -> Edge:
    """Return the symmetric matrix whose largest entry is e^epsilon times the least mass, and a little more.

    With at least a quarter on either input the least mass is ``(h + 3 l) / 4``.
    """
    return Edge(InteriorPML(0.5, 0.25), Problem(n=2), *symmetric(0.5, lambda ratio: (3 * ratio, 4 - ratio)))


@dataclass(frozen=True)
class InteriorPML(Notion):
    r"""Pr(y | s) <= e^epsilon Pr(y) for all s, y and all priors that give each secret at least c; epsilon in nats.

    ``Pr(y) = sum_s pi_s Pr(y | s)``: pointwise maximal leakage at most epsilon whatever the prior, as long as it is not
    extreme. At ``c = 0`` this is LDP, with k equally likely secrets and ``c = 1/k`` it is MaxLift.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    c : float
        The least probability of each of the k secrets, from 0 to ``1/k``.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; c outside [0, 1], or above ``1/k`` for the problem's secrets.

    Notes
    -----
    The least mass of a column v over these priors is ``c sum_s v_s + (1 - k c) min_s v_s``, so the cone needs one
    auxiliary variable. The extreme rays have two values, 1 and ``e^epsilon (1 - c j)/(1 - c j e^epsilon)`` on j
    secrets, as long as that is positive; or ones, zeros, and one number between them.

    References
    ----------
    S. Saeidian, G. Cervia, T. J. Oechtering, M. Skoglund, "Pointwise Maximal Leakage", IEEE Transactions on Information
    Theory 69 (2023), Definition 1, for one prior.

    L. Grosse, S. Saeidian, M. Skoglund, T. J. Oechtering, "Privacy Mechanism Design Based on Empirical Distributions",
    IEEE CSF 2026, for sets of priors.

    Examples
    --------
    >>> import mechdesign as md
    >>> round(md.InteriorPML(0.7, c=0.2).level([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)).value, 6)
    0.76214
    """

    card = Card(
        "pointwise maximal leakage for interior priors",
        r"\Pr(y \mid s) \le e^{\epsilon} \sum_{s^{\prime}} \pi_{s^{\prime}} \Pr(y \mid s^{\prime}) "
        r"\quad \text{for all } s, y \text{ and every prior } \pi \ge c",
        means="Pointwise maximal leakage for all priors that give each secret at least c: LDP at c = 0, max-lift of"
        " equally likely secrets at c = 1/k.",
        search=("interior pointwise maximal leakage", "c-interior PML", "set of priors"),
        works=("saeidian2023", "grosse2026"),
        page="how-to/pointwise-maximal-leakage",
        promise=_promise,
        implied_by=(Rule("LDP", same_level, "no mass is less than the least entry of a column"),),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (InteriorPML(0.7, 0.1), random_problem(4, rng)),
            lambda rng: (InteriorPML(1.5, 0.2), random_problem(4, rng)),
            lambda rng: (InteriorPML(0.5, 0.25), Problem(n=4)),
            lambda rng: (InteriorPML(1.0, 0.0), random_problem(3, rng)),
            lambda rng: (InteriorPML(0.6, 0.2), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: InteriorPML(1.0, 0.3 / problem.n),
        edge=_edge,
    )

    epsilon: float
    c: float
    domains = {"epsilon": EPSILON, "c": LEAST}

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem, whose secrets have to be few enough for the least probability."""
        k = problem.secrets
        if self.c * k > 1.0 + SUM_TO_ONE:
            raise DomainError(
                "c", self.c, f"no prior of the {k} secrets gives each of them so much", f"choose it at most 1/{k}"
            )
        return super().inputs(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP where every prior counts, or epsilon is 0."""
        return LDP(self.epsilon) if self.epsilon == 0 or self.c == 0 else self

    def cone(self, problem: Problem) -> Cone:
        """Return ``e^-epsilon v <= c sum v + (1 - k c) t`` and ``t <= v``, rounded outward."""
        seen, (least, free) = problem.channel, shares(self.c, problem.secrets)
        low, k = exp_down(-min(self.epsilon, LARGEST_EXPONENT)), len(seen)
        mass = float_above(least) * seen.sum(axis=0)
        rows = np.vstack([mass - low * seen, seen])
        on_least = np.concatenate([np.full(k, float_above(free)), np.full(k, -1.0)])[:, None]
        sizes = np.vstack([mass + low * seen, seen])
        return Cone(rows, on_least, float(problem.n), terms=sizes)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln v_s(y) - ln m(y)``, m the least mass; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        least, free = map(float, shares(self.c, problem.secrets))
        high, low = seen.argmax(axis=0), seen.argmin(axis=0)
        each = np.arange(seen.shape[1])
        mass = least * seen.sum(axis=0) + free * seen[low, each]
        ratios = np.zeros(len(each))
        used = np.flatnonzero(seen[high, each] > 0)
        with np.errstate(divide="ignore"):
            ratios[used] = np.maximum(np.log(seen[high[used], used]) - np.log(mass[used]), 0.0)
        worst = int(ratios.argmax())
        return Level(float(ratios[worst]), (int(high[worst]), int(low[worst])), worst)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether no entry is more than ``e^epsilon``, rounded down, times the least mass, exactly."""
        return bool(np.all(self.columns_hold_exactly(numerators, problem)))

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of epsilon; largest entries and masses are computed once."""
        high, mass = self._largest(numerators, problem)
        return lambda level: bool(np.all(_within(high, mass, exp_below(level))))

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Return for each column whether its entries are at most ``e^epsilon`` times its least mass, exactly."""
        return _within(*self._largest(numerators, problem), exp_below(self.epsilon))

    def _largest(self, numerators: Integers, problem: Problem) -> tuple[Integers, Integers]:
        """Return the largest entry and the least mass of each column, both in units of the masses' denominator."""
        seen = problem.exactly_seen_by_secret(numerators).astype(object)
        least, free = shares(self.c, problem.secrets)
        unit = least.denominator * free.denominator
        masses = seen.sum(axis=0) * int(least * unit) + seen.min(axis=0) * int(free * unit)
        return seen.max(axis=0) * unit, masses

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_]:
        """Return for each functional whether it is nonnegative at every extreme column, ``e^epsilon`` rounded up."""
        ranked = np.sort(functionals.astype(object), axis=1)
        k = problem.secrets
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

    def exact_rows(self, problem: Problem) -> Fractions:
        """Return ``e^epsilon (c sum v + (1 - k c) v_w) - v_s`` for each ordered pair of secrets."""
        k, most = problem.secrets, exp_above(self.epsilon)
        least, free = shares(self.c, k)
        rows = [[most * least] * k for _ in range(k * (k - 1))]
        pairs = ((s, w) for s in range(k) for w in range(k) if s != w)
        for row, (s, w) in zip(rows, pairs, strict=True):
            row[w] += most * free
            row[s] -= 1
        return np.array(rows, dtype=object).reshape(len(rows), k)

    def ray_count(self, problem: Problem) -> float | None:
        """Return how many sets of secrets have a ray, and how many rays have zeros; None with a hidden secret."""
        if problem.is_hidden:
            return None
        n = problem.n
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

    def rays(self, problem: Problem) -> Rays | None:
        """Return columns of two values on the sets that allow them, and of ones, zeros and one number between."""
        count, n = self.ray_count(problem), problem.n
        if count is None or count > RAY_LIMIT:
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

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return the largest value at an extreme column: each puts its large entries on the largest ``h_s``."""
        if problem.is_hidden:
            return None
        n, unit = problem.n, rounding_unit(problem.n)
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

    def __str__(self) -> str:
        return f"{self.name}(epsilon={in_full(self.epsilon)}, c={in_full(self.c)})"


def _within(high: Integers, mass: Integers, ratio: Fraction) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = (high * ratio.denominator <= mass * ratio.numerator).astype(bool)
    return found
