"""Approximate local differential privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, both_sides, integers_of
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import OPEN, factor
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.pair_excesses import PairExcesses, compared, excesses
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.notions.metric_dp import MetricDP
from mechdesign.parameters import Edges, Maybe, Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

Indices = npt.NDArray[np.intp]


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

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors with a budget for each pair of secrets."""
        return PairExcesses(problem.secrets, self.epsilon, self.delta, self.edges)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest sum over ordered pairs; its witness is the pair, and the output that adds most."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        if len(seen) == 1:
            return Level(0.0, (0, 0), 0)
        ratio = math.exp(min(self.epsilon, LARGEST_EXPONENT))
        sums = excesses(seen, ratio)
        sums = np.where(compared(self._pairs(len(seen)), len(seen)), sums, -1.0)
        s, t = (int(index) for index in np.unravel_index(sums.argmax(), sums.shape))
        terms = np.maximum(seen[s] - ratio * seen[t], 0.0)
        return Level(math.fsum(terms), (s, t), int(terms.argmax()))

    def __str__(self) -> str:
        edges = "" if self.edges is None else f", {len(self.edges)} edges"
        return f"{self.name}(epsilon={in_full(self.epsilon)}, delta={in_full(self.delta)}{edges})"
