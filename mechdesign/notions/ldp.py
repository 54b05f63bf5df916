"""Local differential privacy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, same_level, twice_the_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, randomised_response
from mechdesign.catalogue.odds import of_every_pair
from mechdesign.catalogue.promises import times
from mechdesign.catalogue.subject import Subject
from mechdesign.exact import Fractions, Integers, exp_above, exp_below, exp_down
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.cone import Cone, Rays, Support, raised, rounding_unit, subset_count
from mechdesign.notions.dual import Shown, ratio_rows
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT

#: More than what a smaller e^-epsilon misses where it is no float.
FAINT = 1e-300


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    said = times(notion.epsilon, f"any two {of.values}")
    if problem.is_hidden:
        return said
    return f"{said} People who see a report change their odds between the two by no more, whatever they know besides."


@dataclass(frozen=True)
class LDP(Notion):
    r"""Pr(y | s) <= e^epsilon Pr(y | s') for all secrets s, s' and outputs y; epsilon in nats.

    With a hidden secret, ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At 0 only mechanisms that ignore the secret remain.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite.

    Notes
    -----
    The extreme rays are ``1 + (e^epsilon - 1) 1_S`` for the sets S of inputs; there are ``2^n`` of them.

    References
    ----------
    J. Duchi, M. Jordan, M. Wainwright, "Local Privacy and Statistical Minimax Rates", IEEE FOCS 2013.

    S.-H. Nam, H.-Y. Park, S.-H. Lee, "Optimal Privacy-Utility Trade-Offs in LDP: Functional and Geometric
    Perspectives", arXiv 2605.02319 (2026), for extreme rays as maximal channels.

    B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation with Localized Information Privacy", IEEE CNS 2018,
    Definition 1.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(n=2)
    >>> round(md.LDP(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    1.098612
    """

    card = Card(
        "local differential privacy",
        r"\Pr(y \mid s) \le e^{\epsilon} \Pr(y \mid s^{\prime}) \quad \text{for all } s, s^{\prime}, y",
        means="For any two inputs the probabilities of every output differ at most by the factor e^epsilon; no "
        "prior is needed.",
        usual="the usual choice: nothing has to be known of the answers",
        search=("local privacy", "local model", "PRAM", "epsilon", "staircase mechanism"),
        works=("duchi2013", "jiang_lip", "nam2026"),
        promise=_promise,
        odds=of_every_pair,
        adds_up="level",
        implied_by=(
            Rule("LIP", twice_the_level, "Jiang, Li, Tandon 2018, Theorem 1"),
            Rule("WorstCaseLIP", same_level, "Jiang, Li, Tandon 2019, Theorem 1"),
        ),
        examples=(
            lambda rng: (LDP(0.3), random_problem(4, rng)),
            lambda rng: (LDP(2.0), Problem(n=3)),
            lambda rng: (LDP(1.0), random_problem(3, rng, secrets=3)),
            lambda rng: (LDP(0.7), random_problem(4, rng, secrets=2)),
        ),
        edge=lambda: Edge(LDP(1.0), Problem(n=2), *randomised_response(1.0)),
    )

    epsilon: float
    banded = True
    closed_under_preprocessing = True

    def cone(self, problem: Problem) -> Cone:
        """Return ``e^-epsilon t <= v <= t``: 2n rows a column, not all pairs."""
        return Cone.band(problem.channel, exp_down(-min(self.epsilon, LARGEST_EXPONENT)), 1.0)

    def ldp_on(self, problem: Problem) -> tuple[float, tuple[tuple[int, ...], ...]] | None:
        """Return epsilon and all inputs, where the secret is the input."""
        return None if problem.is_hidden else (self.epsilon, (tuple(range(problem.n)),))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln v_s(y) - ln v_s'(y)``; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        high, low = seen.argmax(axis=0), seen.argmin(axis=0)
        used = np.flatnonzero(seen.max(axis=0) > 0)
        ratios = np.zeros(seen.shape[1])
        with np.errstate(divide="ignore"):
            ratios[used] = np.log(seen[high[used], used]) - np.log(seen[low[used], used])
        worst = int(ratios.argmax())
        return Level(float(ratios[worst]), (int(high[worst]), int(low[worst])), worst)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether entries of each column have ratios of at most ``e^epsilon``, rounded down, exactly."""
        return bool(np.all(self.columns_hold_exactly(numerators, problem)))

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of epsilon; the extremes of the columns are computed once."""
        extremes = _extremes(numerators, problem)
        return lambda level: bool(np.all(_between(*extremes, exp_below(level))))

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Return for each column whether its entries have ratios of at most ``e^epsilon``, rounded down, exactly."""
        return _between(*_extremes(numerators, problem), exp_below(self.epsilon))

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_]:
        """Return for each functional whether it is nonnegative on all columns allowed, ``e^epsilon`` rounded up."""
        return within_ratio(functionals, self.epsilon)

    def exact_rows(self, problem: Problem) -> Fractions:
        """Return ``e^epsilon v_j - v_i`` for each ordered pair of secrets."""
        return rows_within(self.epsilon, problem.secrets, [range(problem.secrets)])

    def ray_count(self, problem: Problem) -> float | None:
        """Return ``2^n`` where the secret is the input, 1 where columns must be constant."""
        if problem.is_hidden:
            return None
        return 1.0 if self.epsilon == 0 else subset_count(problem.n)

    def rays(self, problem: Problem) -> Rays | None:
        """Return ``e^-epsilon + (1 - e^-epsilon) 1_S`` for every S that is neither empty nor everything."""
        if problem.is_hidden:
            return None
        if self.epsilon == 0 or problem.n == 1:
            return Rays(np.ones((problem.n, 1)), np.zeros((0, 1)))
        if subset_count(problem.n) > RAY_LIMIT:
            return None
        sets = np.arange(1, 2**problem.n - 1)
        member = (sets[None, :] >> np.arange(problem.n)[:, None]) & 1
        columns = np.where(member == 1, 1.0, math.exp(-self.epsilon))
        return Rays(columns, np.zeros((0, columns.shape[1])))

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return ``max_S (sum h + (e^epsilon - 1) h(S)) / mass``: S holds the largest ``h_x``, so sort."""
        if problem.is_hidden:
            return None
        n, low, rise = problem.n, math.exp(-self.epsilon), -math.expm1(-self.epsilon)
        each = np.arange(len(functionals))
        order = np.argsort(-functionals, axis=1, kind="stable")
        ranked = functionals[each[:, None], order]
        sizes = np.abs(ranked)
        # Scaled by e^-epsilon, so that a large epsilon does not overflow.
        gains = low * functionals.sum(axis=1, keepdims=True) + rise * ranked.cumsum(axis=1)
        terms = (low + FAINT) * sizes.sum(axis=1, keepdims=True) + rise * sizes.cumsum(axis=1)
        masses = low + rise * np.arange(1, n + 1) / n
        values, rounding = gains / masses, rounding_unit(n) * terms / masses
        best = (values + rounding).argmax(axis=1)
        rank = np.empty_like(order)
        rank[each[:, None], order] = np.arange(n)
        columns = (low + rise * (rank <= best[:, None])) / masses[best][:, None]
        return raised(values[each, best], rounding[each, best], columns.T)


def within_ratio(functionals: Integers, epsilon: float) -> npt.NDArray[np.bool_]:
    """Return for each functional whether it is at least 0 on all vectors with ratios of entries up to ``e^epsilon``."""
    most = exp_above(epsilon)
    above, below = np.maximum(functionals, 0).sum(axis=1), np.minimum(functionals, 0).sum(axis=1)
    found: npt.NDArray[np.bool_] = (above * most.denominator + below * most.numerator >= 0).astype(bool)
    return found


def rows_within(epsilon: float, count: int, blocks: Iterable[Sequence[int]]) -> Fractions:
    """Return the rows over the secrets that bound the ratios of entries of one block by ``e^epsilon``."""
    most = exp_above(epsilon)
    return ratio_rows(count, ((i, j, most) for block in blocks for i, j in permutations(block, 2)))


def _extremes(numerators: Integers, problem: Problem) -> tuple[Integers, Integers]:
    """Return each column's largest and smallest entry."""
    seen = problem.exactly_seen_by_secret(numerators)
    return seen.max(axis=0).astype(object), seen.min(axis=0).astype(object)


def _between(high: Integers, low: Integers, ratio: Fraction) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = (high * ratio.denominator <= low * ratio.numerator).astype(bool)
    return found


def is_ldp_of_inputs(notion: object, problem: Problem) -> TypeGuard[LDP]:
    """Return whether the notion is LDP and the secret the input itself: any set of inputs may have the ratio e^epsilon.

    Examples
    --------
    >>> import mechdesign as md
    >>> is_ldp_of_inputs(md.LDP(1.0), md.Problem(n=2)), is_ldp_of_inputs(md.MaxLift(1.0), md.Problem(n=2))
    (True, False)
    """
    return isinstance(notion, LDP) and not problem.is_hidden


def at_own_epsilon(notion: Any, problem: Problem) -> LDP:
    """Return LDP at the epsilon of a notion that it implies at the same level."""
    return LDP(notion.epsilon)
