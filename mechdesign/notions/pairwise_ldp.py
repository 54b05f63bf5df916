"""Local differential privacy with an epsilon of its own for each ordered pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, both_sides, integers_of
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import OPEN
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.distance_ratios import OneWayRatios
from mechdesign.columns.metric_pairs import Indices, needed_one_way
from mechdesign.displays.numbers import in_full
from mechdesign.exact import Integers
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.notions.metric_dp import MetricDP, largest_rate
from mechdesign.parameters import Matrix, Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    between = _apart(notion.epsilons)
    finite = between[np.isfinite(between)]
    said = f"Each ordered pair of two {of.values} has an epsilon of its own"
    if len(finite):
        said += f", from {in_full(float(finite.min()))} to {in_full(float(finite.max()))} times {in_full(notion.scale)}"
    said += ": no report is more than e^epsilon times as likely for the first as for the second."
    return said if len(finite) == len(between) else f"{said} {OPEN}pairs without such a bound are not compared."


def _apart(epsilons: Array) -> Array:
    """Return the numbers of all ordered pairs."""
    return np.asarray(epsilons[~np.eye(len(epsilons), dtype=bool)])


def _odds(notion: Any, problem: Problem, of: Subject) -> str:
    between = _apart(notion.epsilons)
    return between_two(math.nextafter(notion.scale * float(between.max()), math.inf) if len(between) else 0.0, of)


def _stronger(notion: Any, problem: Problem) -> LDP | None:
    between = _apart(notion.epsilons)
    level = notion.scale * float(between.min()) if len(between) else math.inf
    return LDP(level) if math.isfinite(level) else None


def _edge() -> Edge:
    """Return a question where a "yes" is bounded and a "no" is not: the ratio of the first column alone counts."""

    def matrix(ratio: Fraction) -> Integers:
        return integers_of([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2) / ratio, 1 - Fraction(1, 2) / ratio]])

    return Edge(PairwiseLDP([[0.0, 1.0], [math.inf, 0.0]]), Problem(n=2), *both_sides(1.0, matrix))


@dataclass(frozen=True)
class PairwiseLDP(Notion):
    r"""Pr(y | s) <= e^(scale epsilons[s, s']) Pr(y | s') for all secrets s, s' and outputs y; epsilons in nats.

    An epsilon for each ordered pair: some secrets are protected more than others, and s beside s' more than s' beside
    s. With a hidden secret, ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input. The
    level is the scale.

    Parameters
    ----------
    epsilons : array_like, shape (k, k)
        At least 0 nats, zero on the diagonal. An infinite one protects nothing by itself; at 0 the first secret is no
        likelier to give any report than the second. The triangle inequality is not asked: a chain of others that is
        shorter bounds the pair.
    scale : float
        What all of them are multiplied by, at least 0, finite.

    Raises
    ------
    DomainError
        Epsilons that are no such matrix; a scale that is negative, NaN or infinite; a problem of another size.

    Notes
    -----
    Symmetric epsilons are `MetricDP`, with the epsilons as distances; equal ones LDP.

    References
    ----------
    K. Chatzikokolakis, M. Andres, N. Bordenabe, C. Palamidessi, "Broadening the Scope of Differential Privacy Using
    Metrics", PETS 2013 (d-privacy).

    Examples
    --------
    A diagnosis must not be seen from a report, while that somebody is healthy may be:

    >>> import mechdesign as md
    >>> notion = md.PairwiseLDP([[0.0, 2.0], [0.5, 0.0]])
    >>> round(notion.level([[0.9, 0.1], [0.45, 0.55]], md.Problem(n=2)).value, 6)
    3.409496
    """

    card = Card(
        "local differential privacy by pairs",
        r"\Pr(y \mid s) \le e^{c \, \epsilon_{s s^{\prime}}} \Pr(y \mid s^{\prime}) \quad \text{for all } "
        r"s, s^{\prime}, y",
        means="Each ordered pair of inputs has an epsilon of its own, which may differ one way and the other.",
        search=("asymmetric", "input-discriminative", "one-sided", "context-aware", "local differential privacy"),
        works=("chatzikokolakis2013",),
        promise=_promise,
        odds=_odds,
        adds_up="level",
        stronger=_stronger,
        examples=(
            lambda rng: (PairwiseLDP(rng.uniform(0.2, 2.0, (4, 4)) * (1 - np.eye(4))), random_problem(4, rng)),
            lambda rng: (PairwiseLDP([[0.0, 1.0, math.inf], [0.3, 0.0, 2.0], [0.5, math.inf, 0.0]], 0.7), Problem(n=3)),
            lambda rng: (
                PairwiseLDP([[0.0, 1.0, 2.0], [0.5, 0.0, 1.0], [1.0, 2.0, 0.0]]),
                random_problem(4, rng, secrets=3),
            ),
        ),
        sized=lambda problem, rng: PairwiseLDP(np.triu(np.ones((problem.n,) * 2), 1) + 0.5 * np.tri(problem.n, k=-1)),
        edge=_edge,
    )

    epsilons: Array
    scale: float = 1.0
    domains = {
        "epsilons": Matrix(Real(low=0.0, infinite=True), square=True, hollow=True),
        "scale": Real(low=0.0),
    }
    axes = {"epsilons": ("secrets", "secrets")}
    level_name = "scale"
    level_unit = ""

    if TYPE_CHECKING:

        def __init__(self, epsilons: npt.ArrayLike, scale: float = 1.0) -> None: ...

    def plain(self, problem: Problem) -> Notion:
        """Return the notion of a metric if the epsilons are the same one way and the other."""
        if not np.array_equal(self.epsilons, self.epsilons.T):
            return self
        return MetricDP(self.scale, self.epsilons).plain(problem)

    def shape(self, problem: Problem) -> Shape:
        """Return ``v_s <= e^(scale epsilon) v_s'`` for the ordered pairs that no chain implies."""
        return OneWayRatios(problem.secrets, self.scale, self.epsilons, self._needed)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``(ln v_s(y) - ln v_s'(y)) / epsilons[s, s']``; if both are zero it counts nothing.

        Secrets whose epsilon is 0 and whose outputs differ by more than rounding make it infinite.
        """
        return largest_rate(problem.seen_by_secret(np.asarray(matrix, dtype=float)), self.epsilons)

    @cached_property
    def _needed(self) -> tuple[Indices, Indices]:
        return needed_one_way(self.epsilons)

    def __str__(self) -> str:
        between = _apart(self.epsilons) if len(self.epsilons) > 1 else np.zeros(1)
        ends = f"{in_full(float(between.min()))} to {in_full(float(between.max()))}"
        return f"{self.name}(epsilons from {ends}, scale={in_full(self.scale)})"
