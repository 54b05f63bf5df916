"""Mechanisms that report sets of one size: the least variance of frequencies, and how few sets are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import InformationDesign
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private, Published
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Whole

#: Weights below this are zero.
NOTHING = 1e-12
FAMILY = Family({"d": Whole(2, 7), "epsilon": Real(0.1, 3.0)})


class Sets(NamedTuple):
    """Sets of inputs as columns of zeros and ones, and their weights, which sum to one."""

    columns: Array
    weights: Array

    def matrix(self, epsilon: float) -> Array:
        """Return the mechanism that reports a set, e^epsilon times as likely one that holds the input as another."""
        likely = self.weights * np.where(self.columns > 0, np.exp(epsilon), 1.0)
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def best_size(point: Point) -> int:
    """Return the size k of least ``(k E + d - k)^2 / (k (d - k))``."""
    k = np.arange(1, point.d)
    return int(k[((k * np.exp(point.epsilon) + point.d - k) ** 2 / (k * (point.d - k))).argmin()])


def all_sets(point: Point) -> Sets:
    """Return all sets of the best size, equally likely."""
    chosen = np.array(list(combinations(range(point.d), best_size(point))))
    columns = np.zeros((point.d, len(chosen)))
    columns[chosen.T, np.arange(len(chosen))] = 1.0
    return Sets(columns, np.full(len(chosen), 1.0 / len(chosen)))


def few_sets(point: Point) -> Sets:
    """Return sets of the best size that hold all inputs, and all pairs of them, as often as all sets do.

    Weights move along a direction that changes none of these sums until one of them is zero: Caratheodory's argument.
    """
    columns, weights = all_sets(point)
    first, second = np.triu_indices(point.d, 1)
    sums = np.vstack([columns[first] * columns[second], columns, np.ones(len(weights))])
    while True:
        left = np.flatnonzero(weights > NOTHING)
        _, sizes, directions = np.linalg.svd(sums[:, left])
        rank = int((sizes > 1e-9 * sizes[0]).sum())
        if rank == len(left):
            return Sets(columns[:, left], weights[left] / weights[left].sum())
        along = directions[-1] * np.sign(directions[-1][np.abs(directions[-1]).argmax()])
        steps = np.where(along > 1e-9, weights[left] / np.maximum(along, 1e-9), np.inf)
        moved = weights[left] - steps.min() * along
        moved[steps.argmin()] = 0.0
        weights = np.zeros(len(weights))
        weights[left] = np.maximum(moved, 0.0)


def of(chosen: Callable[[Point], Sets]) -> Callable[[Point], Published]:
    """Return the mechanism of some sets as a formula of the point."""
    return lambda point: Published(chosen(point).matrix(point.epsilon))


def _is_best(point: Point, given: Published) -> Iterator[Check]:
    problem, notion = Problem(prior=np.full(point.d, 1.0 / point.d)), LDP(point.epsilon)
    objective, matrix = InformationDesign("A"), given.matrix
    yield Private(matrix, problem, notion, "the mechanism is private")
    yield Equal(
        objective.value(matrix, problem), Optimum(Question(problem, notion, objective)), "it has the least variance"
    )


def _is_short(point: Point, given: Published) -> Iterator[Check]:
    yield from _is_best(point, given)
    most = point.d * (point.d - 1) / 2 + 1
    yield AtMost(float(given.matrix.shape[1]), most, "there are no more reports")


CONSTANT_SIZE = Theorem(
    key="pan/constant-size",
    place="abstract: strict optimality",
    kind="exact optimum",
    words=(
        "A mechanism that reports sets of one size, chosen for the level, all equally likely, has the least squared "
        "error of estimated frequencies under LDP; tried as the total variance at d equally frequent values."
    ),
    latex=r"\min_k \frac{(k e^\epsilon + d - k)^2}{k (d - k)}",
    family=FAMILY,
    printed=of(all_sets),
    test=_is_best,
)

FEW_SETS = Theorem(
    key="pan/few-sets",
    place="abstract: communication cost",
    kind="exact optimum",
    words="That least error is reached with d (d - 1)/2 + 1 reports at most.",
    latex=r"\log_2\left(\frac{d(d-1)}{2} + 1\right)",
    family=FAMILY,
    printed=of(few_sets),
    test=_is_short,
)
