"""Mechanisms of which a hidden secret sees nothing at all: private at every level of every notion, in exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.catalogue.drawn import random_channel, random_prior
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.objectives import Objective, Ratio, RatioType
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.catalogue import all_objectives
from mechdesign.testing.contract import require
from mechdesign.testing.exact_utility import column_utility, dot, has_formula
from mechdesign.testing.sized import NOTIONS, OBJECTIVES, as_asked

#: The smallest masses of a question, as powers of ten.
SMALLEST = (-3, -6, -9)
#: Levels next to nothing, and the largest of the others.
NEXT_TO_NOTHING, MOST = (0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-6), 0.5
#: How far the rows of nearly equal secrets are apart, as powers of ten.
NEARLY = (-14.0, -6.0)
#: A problem of few inputs, and one of three inputs with a hidden secret of two values: what members can be asked there.
_FEW = Problem(prior=np.array([0.2, 0.3, 0.5]), values=np.array([0.0, 1.0, 3.0]))
_HIDDEN = _FEW.hidden([[0.1, 0.5, 0.9], [0.9, 0.5, 0.1]])


def _has_formula(name: str) -> bool:
    """Return whether an exact formula says what one column adds to the objective's utility."""
    objective = OBJECTIVES[name](_FEW, np.random.default_rng(0))
    return objective is not None and has_formula(objective, _FEW)


def _looks_through(name: str) -> bool:
    """Return whether a notion looks at a hidden secret through the problem; others bring their own."""
    notion = NOTIONS[name](_FEW, np.random.default_rng(0))
    return notion is not None and as_asked(notion, _FEW) is _FEW


def _answers(name: str) -> bool:
    """Return whether a notion takes a problem with a hidden secret."""
    try:
        NOTIONS[name](Problem(prior=_HIDDEN.prior_of_secret), np.random.default_rng(0)).inputs(_HIDDEN)
    except DomainError:
        return False
    return True


#: Objectives whose utility is a sum over columns, with an exact formula; of these, functions of one ratio of each.
SEPARABLE = tuple(name for name in OBJECTIVES if _has_formula(name))
RATIO_TYPE = tuple(name for name in SEPARABLE if issubclass(all_objectives()[name], RatioType))
#: Notions that look at a hidden secret through the problem, and of these the ones that answer questions with one.
ASKED = tuple(name for name in NOTIONS if _looks_through(name))
ANSWERING = tuple(name for name in ASKED if _answers(name))


Ranging = Callable[[Ratio, Notion, Problem], tuple[float, float]]


@dataclass(frozen=True)
class UnseenQuestion:
    """A question whose secret has fewer values than the data, and vertices of what none of them sees."""

    problem: Problem
    notion: Notion
    objective: Objective
    columns: list[list[Fraction]]

    def __str__(self) -> str:
        return f"{self.objective.name} under {self.notion} of a secret with {self.problem.secrets} values"


def unseen_question(rng: np.random.Generator, notions: tuple[str, ...] = ASKED) -> UnseenQuestion:
    """Return a random question at a level between 0 and one half, some of them nearly 0."""
    n = int(rng.integers(3, 6))
    secrets = int(rng.integers(2, n))
    prior = random_prior(n, rng)
    if rng.random() < 0.5:
        # A few inputs with equal masses next to nothing.
        prior = np.where(rng.random(n) < 0.5, 10.0 ** float(rng.choice(SMALLEST)), prior)
    return _question(rng, notions, RATIO_TYPE, prior, random_channel(n, secrets, rng).T)


def nearly_alike_question(rng: np.random.Generator, notions: tuple[str, ...] = ANSWERING) -> UnseenQuestion:
    """Return a random question where some inputs imply nearly equal distributions of a secret; mostly at level 0."""
    n = int(rng.integers(3, 7))
    secrets = int(rng.integers(2, n))
    prior = random_prior(n, rng)
    if rng.random() < 0.5:
        prior = np.where(rng.random(n) < 0.5, 10.0 ** float(rng.choice(SMALLEST)), prior)
    base, noise = random_channel(n, secrets, rng), rng.normal(size=(n, secrets))
    alike = np.ones(n, dtype=bool) if rng.random() < 0.5 else rng.random(n) < 0.7
    base[alike] = base[0]
    apart = 10.0 ** rng.uniform(*NEARLY) * (noise - noise.mean(axis=1, keepdims=True))
    channel = np.abs(base + apart * alike[:, None])
    level = 0.0 if rng.random() < 0.6 else None
    return _question(rng, notions, SEPARABLE, prior, (channel / channel.sum(axis=1, keepdims=True)).T, level)


def _question(
    rng: np.random.Generator,
    notions: tuple[str, ...],
    objectives: tuple[str, ...],
    prior: Array,
    channel: Array,
    level: float | None = None,
) -> UnseenQuestion:
    n, secrets = len(prior), len(channel)
    values = rng.normal(size=n)
    problem = Problem(prior=prior / prior.sum(), values=values).hidden(channel)
    over_secret = Problem(prior=problem.prior_of_secret, values=values[:secrets])
    asked = NOTIONS[str(rng.choice(notions))](over_secret, rng)
    assert asked is not None, "every notion of the list is one of any number of inputs"
    if level is None:
        level = float(rng.choice(NEXT_TO_NOTHING)) if rng.random() < 0.7 else rng.uniform(0.0, MOST)
    objective = OBJECTIVES[str(rng.choice(objectives))](problem, rng)
    return UnseenQuestion(problem, asked.at(level), objective, unseen_columns(problem, rng))


def unseen_columns(problem: Problem, rng: np.random.Generator, count: int = 4) -> list[list[Fraction]]:
    """Return vertices of the columns, 1 at most, that have one probability given every value of the secret."""
    channel = [[Fraction(int(entry)) for entry in row] for row in problem.exactly_seen_by_secret(_unit(problem.n))]
    differences = [[a - b for a, b in zip(row, channel[0], strict=True)] for row in channel[1:]]
    return [_vertex(differences, problem.n, rng) for _ in range(count)]


def nothing_unseen_is_left_out(ranging: Ranging, asked: UnseenQuestion) -> None:
    """No ratio of an unseen column lies outside of ``ranging(ratio, notion, problem)``, the range of decisions.

    Objectives without a ratio have no such range, nor have notions that take no hidden secret.
    """
    notion, problem = plain(asked.notion, asked.problem)
    if not isinstance(asked.objective, RatioType) or asked.notion.name not in ANSWERING:
        return
    ratio = asked.objective.ratio(problem)
    low, high = ranging(ratio, notion, problem)
    for t in _ratios(ratio, asked.columns):
        require(
            (low == -math.inf or Fraction(low) <= t) and (high == math.inf or t <= Fraction(high)),
            f"an unseen column has the ratio {float(t)!r}, outside of the range [{low!r}, {high!r}] of decisions",
        )


def nothing_unseen_passes(asked: UnseenQuestion, bound: float) -> None:
    """No mechanism of an unseen column and of what it leaves is better than `bound`, in exact arithmetic."""
    for column in asked.columns:
        rest = [1 - entry for entry in column]
        reached = sum((column_utility(asked.objective, asked.problem, v) for v in (column, rest)), Fraction(0))
        utility = asked.objective.to_utility(bound, asked.problem)
        # The utility of the bound is a float next to it: a unit in the last place belongs to the conversion.
        room = 4 * np.finfo(float).eps * (abs(utility) + abs(asked.objective.offset(asked.problem)))
        require(
            reached <= Fraction(utility) + Fraction(float(room)),
            f"an unseen mechanism has the utility {float(reached)!r}, beyond that of the bound, {utility!r}",
        )


def _ratios(ratio: Ratio, columns: list[list[Fraction]]) -> list[Fraction]:
    """Return the exact ratios of the columns and of what they leave."""
    both = [*columns, *([1 - entry for entry in column] for column in columns)]
    parts = [(dot(ratio.a, column), dot(ratio.b, column)) for column in both]
    return [first / second for first, second in parts if second]


def _unit(n: int) -> Integers:
    found: Integers = np.eye(n, dtype=int).astype(object)
    return found


def _vertex(rows: list[list[Fraction]], n: int, rng: np.random.Generator) -> list[Fraction]:
    """Return a vertex of ``{v >= 0: rows v = 0}``, of largest entry 1: from all ones along random directions."""
    column, tight = [Fraction(1)] * n, [*rows]
    while basis := _null_space(tight, n):
        weights = [int(w) for w in rng.integers(-9, 10, size=len(basis))]
        direction = [sum(w * b[x] for w, b in zip(weights, basis, strict=True)) for x in range(n)]
        if min(direction) >= 0:
            direction = [-entry for entry in direction]
        if min(direction) >= 0:
            continue
        step = min(v / -d for v, d in zip(column, direction, strict=True) if d < 0)
        moved = [v + step * d for v, d in zip(column, direction, strict=True)]
        if not any(moved):
            continue
        column = moved
        tight = [*rows, *([Fraction(int(x == z)) for x in range(n)] for z, v in enumerate(column) if v == 0)]
        if len(_null_space(tight, n)) == 1:
            break
    return [entry / max(column) for entry in column]


def _null_space(rows: list[list[Fraction]], n: int) -> list[list[Fraction]]:
    """Return a basis of the vectors that every row takes to 0 (Gauss-Jordan in fractions)."""
    reduced, pivots = [list(row) for row in rows], list[int]()
    for column in range(n):
        at = len(pivots)
        chosen = next((r for r in range(at, len(reduced)) if reduced[r][column]), None)
        if chosen is None:
            continue
        reduced[at], reduced[chosen] = reduced[chosen], reduced[at]
        reduced[at] = [entry / reduced[at][column] for entry in reduced[at]]
        for r in range(len(reduced)):
            if r != at and reduced[r][column]:
                factor = reduced[r][column]
                reduced[r] = [a - factor * b for a, b in zip(reduced[r], reduced[at], strict=True)]
        pivots.append(column)
    basis = []
    for free in (x for x in range(n) if x not in pivots):
        vector = [Fraction(int(x == free)) for x in range(n)]
        for row, pivot in zip(reduced, pivots, strict=False):
            vector[pivot] = -row[free]
        basis.append(vector)
    return basis
