"""Approximate local differential privacy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, both_sides, integers_of
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import OPEN, factor
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Integers, exp_above, exp_below, exp_up
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.cone import Budget, Cone, Rays, difference, subset_count
from mechdesign.notions.dual import Shown, charges_of, covers_pairs, own_of
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.notions.metric_dp import MetricDP
from mechdesign.parameters import Edges, Maybe, Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT

Indices = npt.NDArray[np.intp]

#: Beyond so many inputs the rays are not counted any further: there are far too many.
MOST_COUNTED = 20


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    neighbours = "" if notion.edges is None else " that are neighbours"
    said = (
        f"For any two {of.values}{neighbours} and any set of reports, the probability of the set for one is at most "
        f"{factor(notion.epsilon)} times that for the other, plus delta = {in_full(notion.delta)}."
    )
    if neighbours:
        said += f" {OPEN}others may be distinguished more easily, and entirely if no path of neighbours joins them."
    if not notion.delta:
        return said
    return f"{said} {OPEN}with probability up to delta a report may reveal {of.it} entirely."


def _edge() -> Edge:
    """Return binary columns with ``3/4 - e^epsilon r = delta = 1/4``; every other sum is smaller."""

    def matrix(ratio: Fraction) -> Integers:
        low = Fraction(1, 2) / ratio
        return integers_of([[Fraction(3, 4), Fraction(1, 4)], [low, 1 - low]])

    return Edge(ApproximateLDP(1.0, 0.25), Problem(n=2), *both_sides(1.0, matrix))


@dataclass(frozen=True)
class ApproximateLDP(Notion):
    r"""sum_y max(Pr(y | s) - e^epsilon Pr(y | s'), 0) <= delta for all secrets s, s'; epsilon in nats.

    With a hidden secret ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input. The level is the
    smallest delta at this epsilon. With `edges` neighbours alone are compared, both ways.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    delta : float
        In ``[0, 1]``. At 0 it is LDP; at epsilon 0 it bounds the total variation between any two secrets.
    edges : sequence of pairs of int, optional
        The neighbours, as indices of secrets; all pairs by default.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; delta outside ``[0, 1]``; edges that are no pairs of different indices, or
        name a secret that the problem does not have.

    Notes
    -----
    A budget for each ordered pair. On the cells where all of them are linear the rays are the unit vectors, and for
    each set of at least two inputs the vectors ``e^(epsilon level)`` on it, the levels taking every value of
    ``0..h`` with ``h >= 1``: 4, 21, 138 rays for 2, 3, 4 inputs. At epsilon 0 they are the indicators of all sets.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, eq. (2) and Section VII.

    S. Rawat, M. Vajha, G. R. Kurri, A. Sarwate, "Extreme Points of the (0, delta)-LDP Polytope with Small Input Size
    and Arbitrary Output Sizes", arXiv 2606.09161 (2026).

    Examples
    --------
    >>> import mechdesign as md
    >>> md.ApproximateLDP(0.0, 0.5).level([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)).value
    0.5

    Neighbours on a line of three:

    >>> line = md.ApproximateLDP(0.0, 0.5, edges=[(0, 1), (1, 2)])
    >>> line.level([[1, 0], [0.5, 0.5], [0, 1]], md.Problem(n=3)).value
    0.5
    """

    card = Card(
        "approximate local differential privacy",
        r"\sum_y \max\left(\Pr(y \mid s) - e^{\epsilon} \Pr(y \mid s^{\prime}), 0\right) \le \delta "
        r"\quad \text{for all } s, s^{\prime}",
        means="A ratio of e^epsilon up to a total probability delta; (0, delta) bounds the total variation between "
        "any two rows.",
        search=("approximate differential privacy", "epsilon delta", "delta", "universally composable security"),
        works=("yoshida", "rawat2026"),
        promise=_promise,
        odds=lambda notion, problem, of: between_two(
            math.inf if notion.delta or notion.edges is not None else notion.epsilon, of
        ),
        adds_up="epsilon and delta",
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (ApproximateLDP(0.5, 0.2), random_problem(3, rng)),
            lambda rng: (ApproximateLDP(0.0, 0.3), Problem(n=3)),
            lambda rng: (ApproximateLDP(1.0, 0.1), Problem(n=2)),
            lambda rng: (ApproximateLDP(0.2, 0.1), random_problem(3, rng, secrets=3)),
            lambda rng: (ApproximateLDP(0.5, 0.2, ((0, 1), (1, 2))), random_problem(3, rng)),
        ),
        sized=lambda problem, rng: ApproximateLDP(0.5, 0.2),
        edge=_edge,
    )

    epsilon: float
    delta: float
    edges: tuple[tuple[int, int], ...] | None = None
    domains = {"epsilon": EPSILON, "delta": Real(low=0.0, high=1.0), "edges": Maybe(Edges("secrets"))}
    asks_for_multipliers = True
    level_name = "delta"
    level_unit = ""

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, delta: float, edges: Sequence[Sequence[int]] | None = None) -> None: ...

    @property
    def closed_under_preprocessing(self) -> bool:  # type: ignore[override] # of an instance
        """Whether all pairs are compared."""
        return self.edges is None

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem after checking that it has the secrets that the edges name."""
        largest = max(max(edge) for edge in self.edges) if self.edges else 0
        if self.edges and largest >= problem.secrets:
            rule = f"secrets are numbered from 0 to {problem.secrets - 1}"
            raise DomainError("edges", f"one to {largest}", rule, "correct the index or add it to the problem")
        return super().inputs(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP if delta is 0, of neighbours as a metric; without edges if all pairs are neighbours."""
        k = problem.secrets
        if self.edges is not None and len(self.edges) == k * (k - 1) // 2:
            return ApproximateLDP(self.epsilon, self.delta).plain(problem)
        if self.delta > 0:
            return self
        if self.edges is None:
            return LDP(self.epsilon)
        first, second = self._pairs(k)
        distance = np.where(np.eye(k, dtype=bool), 0.0, np.inf)
        distance[first, second] = 1.0
        return MetricDP(self.epsilon, distance)

    def _pairs(self, count: int) -> tuple[Indices, Indices]:
        """Return the ordered pairs of secrets that are compared."""
        if self.edges is None:
            first, second = np.nonzero(~np.eye(count, dtype=bool))
            return first, second
        first, second = np.array(sorted((*self.edges, *(edge[::-1] for edge in self.edges)))).T
        return first, second

    def cone(self, problem: Problem) -> Cone:
        """Return the whole orthant: only sums over columns are bounded."""
        return Cone.of_rows(np.zeros((0, problem.n)))

    def budget(self, problem: Problem) -> Budget:
        """Return ``sum_y max((W_s - e^epsilon W_s') . q_y, 0) <= delta`` for each ordered pair."""
        ratio = self._ratio()
        first, second = self._pairs(problem.secrets)
        excess = difference(problem.channel[first], ratio * problem.channel[second])
        pieces = np.stack([excess, np.zeros_like(excess)], axis=1)
        # Where the excess is positive, its first term is the larger one.
        return Budget(pieces, np.full(len(first), self.delta), terms=problem.channel[first])

    def disclosing_mixture(self, problem: Problem) -> tuple[Notion, float] | None:
        """Return LDP with the same epsilon, and delta; None of neighbours alone."""
        return None if self.edges is not None else (LDP(self.epsilon), self.delta)

    def pair_ratio(self, problem: Problem) -> float | None:
        """Return ``e^epsilon``; None where the secret is hidden, and of neighbours alone."""
        return None if problem.is_hidden or self.edges is not None else self._ratio()

    def _ratio(self) -> float:
        # Rounded up: a bound over a little more than the notion is sound.
        return min(exp_up(self.epsilon), exp_up(LARGEST_EXPONENT))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest sum over ordered pairs; its witness is the pair, and the output that adds most."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        if len(seen) == 1:
            return Level(0.0, (0, 0), 0)
        ratio = math.exp(min(self.epsilon, LARGEST_EXPONENT))
        sums = _excesses(seen, ratio)
        sums = np.where(compared(self._pairs(len(seen)), len(seen)), sums, -1.0)
        s, t = (int(index) for index in np.unravel_index(sums.argmax(), sums.shape))
        terms = np.maximum(seen[s] - ratio * seen[t], 0.0)
        return Level(math.fsum(terms), (s, t), int(terms.argmax()))

    def cone_numbers(self, problem: Problem) -> float:
        """Return n for each piece: two for each ordered pair."""
        return 2.0 * len(self._pairs(problem.secrets)[0]) * problem.n

    def most_taken(self, column: Array, problem: Problem) -> float:
        """Return the largest ``v_s - e^epsilon v_s'`` of a pair that is compared, if that is positive."""
        seen = problem.channel @ column
        first, second = self._pairs(problem.secrets)
        excess = seen[first] - math.exp(min(self.epsilon, LARGEST_EXPONENT)) * seen[second]
        return max(float(excess.max(initial=0.0)), 0.0)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether every ordered pair's excess is at most delta, in rationals with ``e^epsilon`` rounded down."""
        return self.exactly(numerators, problem)(self.delta)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether multipliers of pairs, at most their charges, prove it nonnegative.

        None of neighbours alone, which no reader of proofs knows.
        """
        if self.edges is not None:
            return None
        own = own_of(shown, len(functionals))
        most, k = exp_above(self.epsilon), functionals.shape[1]
        first, second = self._pairs(k)
        places = (first * k + second).tolist()

        def is_shown(functional: Integers, given: Mapping[int, int], charges: Integers) -> bool:
            charged = dict(zip(places, charges, strict=True))
            within = all(y <= charged.get(place, -1) for place, y in given.items())
            # Where y counts, v_i - e^epsilon v_j is at most what the pair takes of its budget.
            return within and covers_pairs(functional, given, lambda i, j: most)

        charges = charges_of(shown, len(functionals), len(places))
        return np.array([is_shown(*each) for each in zip(functionals, own, charges, strict=True)])

    def own_numbers(self, functional: Array, problem: Problem, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the multiplier of each pair's excess, no more than the pair's charge."""
        k = len(functional)
        first, second = self._pairs(k)
        excess = np.minimum(multipliers.reshape(-1, 2)[:, 0], nu)
        return {int(i) * k + int(j): float(y) for i, j, y in zip(first, second, excess, strict=True) if y > 0}

    def exact_limits(self, problem: Problem) -> tuple[Fraction, ...]:
        """Return delta for each ordered pair."""
        return (Fraction(self.delta),) * len(self._pairs(problem.secrets)[0])

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of delta; only pairs near delta are computed in rationals."""
        seen = problem.exactly_seen_by_secret(numerators)
        total, ratio = int(seen[0].astype(object).sum()), exp_below(self.epsilon)
        shares = (seen / total).astype(float)
        rough = _excesses(shares, math.exp(min(self.epsilon, LARGEST_EXPONENT)))
        rough = np.where(compared(self._pairs(len(seen)), len(seen)), rough, -np.inf)
        # Each term that counts is at most its first entry, and those add up to one.
        room = 2.0 * np.finfo(float).eps * (seen.shape[1] + 16) if self.epsilon < LARGEST_EXPONENT else np.inf

        @cache
        def exact(s: int, other: int) -> int:
            first, second = seen[s].astype(object), seen[other].astype(object)
            return int(np.maximum(first * ratio.denominator - second * ratio.numerator, 0).sum())

        def holds(delta: float) -> bool:
            if np.any(rough > delta + room):
                return False
            largest = Fraction(delta) * ratio.denominator * total
            return all(exact(int(s), int(other)) <= largest for s, other in np.argwhere(rough >= delta - room))

        return holds

    def ray_count(self, problem: Problem) -> float | None:
        """Return the number of sets with their levels, ``2^n - 1`` at epsilon 0; None of a hidden secret or edges."""
        if problem.is_hidden or self.edges is not None:
            return None
        n = problem.n
        if self.epsilon == 0:
            return subset_count(n) - 1.0
        # Weak orders of k inputs, by the size of the lowest class.
        orders = [1.0]
        for k in range(1, min(n, MOST_COUNTED) + 1):
            orders.append(sum(math.comb(k, j) * orders[k - j] for j in range(1, k + 1)))
        if n > MOST_COUNTED:
            return orders[-1]
        return n + sum(math.comb(n, k) * (orders[k] - 1.0) for k in range(2, n + 1))

    def rays(self, problem: Problem) -> Rays | None:
        """Return ``e_x``, and ``e^(epsilon level)`` on every set, the levels onto ``0..h`` with ``h >= 1``."""
        count = self.ray_count(problem)
        if count is None or count > RAY_LIMIT:
            return None
        levels = _subsets(problem.n) if self.epsilon == 0 else _levels(problem.n)
        within = levels >= 0
        below = np.where(within, levels.max(axis=0) - levels, np.inf)
        rate = min(self.epsilon, LARGEST_EXPONENT)
        columns = np.where(within, np.exp(-rate * np.where(within, below, 0.0)), 0.0)
        first, second = self._pairs(problem.n)
        # q_x - e^epsilon q_x' from the difference of levels: nothing is left where the levels are neighbours.
        apart = np.where(within[second], levels[first] - levels[second] - 1.0, np.inf)
        cost = columns[first] * -np.expm1(-rate * np.maximum(apart, 0.0)) if rate else columns[first] * ~within[second]
        # An exponential is rounded in proportion to its exponent.
        share = np.finfo(float).eps * (4.0 + 2.0 * rate * np.where(within, below, 0.0).max(axis=0))
        return Rays(columns, np.asarray(cost), share)

    def __str__(self) -> str:
        edges = "" if self.edges is None else f", {len(self.edges)} edges"
        return f"{self.name}(epsilon={in_full(self.epsilon)}, delta={in_full(self.delta)}{edges})"


def compared(pairs: tuple[Indices, Indices], count: int) -> npt.NDArray[np.bool_]:
    """Return a table of which ordered pairs are compared, shape (count, count).

    Examples
    --------
    >>> compared((np.array([0]), np.array([1])), 2).tolist()
    [[False, True], [False, False]]
    """
    found = np.zeros((count, count), dtype=bool)
    found[pairs] = True
    return found


def _subsets(n: int) -> Array:
    """Return level 0 on each nonempty set and -1 elsewhere, shape (n, 2^n - 1)."""
    sets = np.arange(1, 2**n)
    return np.asarray(((sets[None, :] >> np.arange(n)[:, None]) & 1) - 1.0)


def _levels(n: int) -> Array:
    """Return the levels of each ray, -1 off its set: single inputs, and two levels or more on larger sets."""
    orders = [np.zeros((0, 1))]
    for k in range(1, n + 1):
        orders.append(_weak_orders(k, orders))
    found = []
    for inside in _subsets(n).T >= 0:
        ranked = orders[int(inside.sum())]
        kept = ranked if inside.sum() == 1 else ranked[:, ranked.max(axis=0) > 0]
        levels = np.full((n, kept.shape[1]), -1.0)
        levels[inside] = kept
        found.append(levels)
    return np.hstack(found)


def _weak_orders(k: int, smaller: list[Array]) -> Array:
    """Return the levels of k inputs onto 0..h in every way: the lowest class, and an order of the others above it."""
    found = []
    for lowest in _subsets(k).T >= 0:
        raised = smaller[k - int(lowest.sum())] + 1.0
        levels = np.zeros((k, raised.shape[1]))
        levels[~lowest] = raised
        found.append(levels)
    return np.hstack(found)


def _excesses(seen: Array, ratio: float) -> Array:
    """Return ``sum_y max(v_s(y) - ratio v_s'(y), 0)`` of each ordered pair of rows."""
    grown, room = ratio * seen, np.empty_like(seen)
    sums = np.empty((len(seen), len(seen)))
    for s, row in enumerate(seen):
        np.subtract(row, grown, out=room)
        sums[s] = np.maximum(room, 0.0, out=room).sum(axis=1)
    return sums
