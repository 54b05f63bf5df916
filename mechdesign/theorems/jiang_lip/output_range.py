"""How many outputs an optimal mechanism needs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Vector

_INPUTS = 3


def asked(point: Point) -> Question:
    """Return the question of the least squared error under LIP, for three distinct values."""
    return Question(Problem(prior=point.prior, values=np.cumsum(point.steps)), LIP(point.epsilon), MMSE())


def best_of_two(question: Question) -> float:
    """Return the least error of two outputs, by trying every vertex.

    Both q and 1 - q are private, a polytope of columns q, on which the explained variance is convex.
    """
    prior, values = question.problem.prior, question.problem.values
    assert prior is not None and values is not None, "asked() gives both"
    exp = float(np.exp(question.notion.parameter))
    rows = np.vstack([np.eye(_INPUTS) - prior / exp, exp * prior - np.eye(_INPUTS)])
    rows, least = np.vstack([rows, -rows]), np.concatenate([np.zeros(2 * _INPUTS), -rows.sum(axis=1)])
    chosen = np.array(list(combinations(range(len(rows)), _INPUTS)))
    chosen = chosen[np.abs(np.linalg.det(rows[chosen])) > 1e-12]
    vertices = np.linalg.solve(rows[chosen], least[chosen][..., None])[..., 0]
    vertices = vertices[(vertices @ rows.T >= least - 1e-10).all(axis=1)]
    mass = vertices @ prior
    inner = (mass > 1e-12) & (mass < 1.0 - 1e-12)
    centred = values - prior @ values
    explained = (vertices[inner] @ (prior * centred)) ** 2 / (mass[inner] * (1.0 - mass[inner]))
    return float(prior @ centred**2 - explained.max())


def _as_many_as_inputs(question: Question, given: int) -> Iterable[Check]:
    free = Optimum(question)
    yield Equal(Optimum(question, outputs=given), free, "more outputs than that are no better")
    yield AtMost(free, best_of_two(question), f"two outputs are worse than {given}", strictly=True)


T4 = Theorem(
    key="jiang_lip/T4",
    place="Theorem 4",
    kind="comparison",
    words=(
        "The best number of outputs for the least squared error under LIP is the number of inputs: more do not help, "
        "and fewer are worse; here for three inputs with distinct values."
    ),
    latex=r"f^* = d",
    # More never help: a linear program over extreme columns, with a row for each input, needs no more columns than
    # that.
    # Two were as good as three exactly where the least or the largest value has a probability of at least
    # e^epsilon/(1 + e^epsilon), in every instance that was tried.
    family=Family(
        {"epsilon": Real(0.05, 4.0), "prior": Distribution(_INPUTS), "steps": Vector(_INPUTS, 0.5, 3.0)}, subject=asked
    ),
    printed=lambda question: question.problem.n,
    test=_as_many_as_inputs,
)
