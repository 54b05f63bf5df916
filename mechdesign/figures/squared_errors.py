"""Squared errors of many people: what a published mechanism leaves, the least a private one does, and its bound.

Each person has a problem, prior and values, and reports through a mechanism of their own; for independent people the
error of a sum is the sum of the errors, so that a curve is the root of the mean over the people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mechdesign.designing.answer import answered
from mechdesign.designing.result import Design
from mechdesign.figures.figure import Behind, Curve
from mechdesign.figures.privacy import private
from mechdesign.notions import Notion
from mechdesign.objectives import MMSE, Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class People:
    """People with their problems: how many there are of each, and what is asked of their reports."""

    problems: tuple[Problem, ...]
    weights: Array
    objective: Objective = field(default_factory=MMSE)

    def root_mean(self, errors: Sequence[float]) -> float:
        """Return the root of the mean error over the people."""
        return math.sqrt(float(self.weights @ np.asarray(errors)) / float(self.weights.sum()))


#: The people of a point, and the level that they are given.
Point = tuple[People, float]
#: A notion and a matrix for a problem at a level.
Printed = Callable[[Problem, float], Behind]


def one(problem: Problem, objective: Objective | None = None) -> People:
    """Return people who all have the same problem."""
    return People((problem,), np.ones(1), objective or MMSE())


def bits(probabilities: npt.ArrayLike) -> People:
    """Return people whose answer is 1 with these probabilities, 0 otherwise."""
    found = np.atleast_1d(np.asarray(probabilities, dtype=float))
    return People(tuple(Problem(prior=[1.0 - p, p], values=[0.0, 1.0]) for p in found), np.ones(len(found)))


def levels(people: People, epsilons: npt.ArrayLike) -> list[Point]:
    """Return one point for each level, all of these people."""
    return [(people, float(epsilon)) for epsilon in np.asarray(epsilons, dtype=float)]


def published(name: str, x: npt.ArrayLike, points: Sequence[Point], printed: Printed, beside: str = "") -> Curve:
    """Return the root mean error of printed mechanisms with the best estimator; private where all of a point are."""
    behind = tuple(tuple(printed(problem, level) for problem in people.problems) for people, level in points)
    errors = [
        people.root_mean([people.objective.value(np.asarray(at.matrix), at.problem) for at in used])
        for (people, _), used in zip(points, behind, strict=True)
    ]
    return audited(name, x, errors, behind, beside)


def audited(
    name: str, x: npt.ArrayLike, y: npt.ArrayLike, behind: Sequence[Sequence[Behind]], beside: str = ""
) -> Curve:
    """Return a published curve with the flags of the exact audits of the mechanisms behind it."""
    flags = np.array([all(private(*each) for each in used) for used in behind])
    return Curve(name, "published", np.asarray(x), np.asarray(y), flags, beside, tuple(map(tuple, behind)))


def best(
    name: str, x: npt.ArrayLike, points: Sequence[Point], notion: Callable[[float], Notion]
) -> tuple[Curve, Curve]:
    """Return the least root mean error that certified designs reach, and below which no private mechanism is."""
    made = [
        [certified(problem, notion(level), people.objective) for problem in people.problems] for people, level in points
    ]
    reached = [people.root_mean([each.value for each in used]) for (people, _), used in zip(points, made, strict=True)]
    least = [people.root_mean([each.bound for each in used]) for (people, _), used in zip(points, made, strict=True)]
    return feasible(name, x, reached, made), bound(name, x, least)


def feasible(name: str, x: npt.ArrayLike, y: npt.ArrayLike, made: Sequence[Sequence[Design]]) -> Curve:
    """Return a curve of designs, with their own exact audits."""
    flags = np.array([all(each.audit.holds for each in used) for used in made])
    behind = tuple(
        tuple(Behind(each.matrix, each.mechanism.asked.notion, each.mechanism.asked.problem) for each in used)
        for used in made
    )
    return Curve(name, "feasible", np.asarray(x), np.asarray(y), flags, "", behind)


def bound(of: str, x: npt.ArrayLike, y: npt.ArrayLike) -> Curve:
    """Return the bound of the feasible curve that is called `of`."""
    return Curve(f"{of}: bound", "bound", np.asarray(x), np.asarray(y), np.ones(np.size(x), dtype=bool), of)


def certified(problem: Problem, notion: Notion, objective: Objective) -> Design:
    """Return the design; a wide gap is no warning here, since the bound is drawn beside it."""
    return answered(problem, notion, objective)
