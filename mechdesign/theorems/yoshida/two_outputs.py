"""Two secrets and two outputs at bounded weighted total variation, and what a third output gains."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from mechdesign.notions import WeightedTV
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private, Published
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Real
from mechdesign.theorems.yoshida.three_outputs import ATTAINABLE, VARIABLES, asked, fisher, parameters

#: The condition `ATTAINABLE` of points.
FEASIBLE = (Condition(ATTAINABLE.left, ATTAINABLE.right, lambda point: (point.delta, abs(1.0 - 2.0 * point.weight))),)


def vertices(delta: float, w: float) -> Array:
    """Return the vertices ``(p_0(1), p_1(1))`` of the polygon of private mechanisms with two outputs."""
    # The norm is the largest of four sums of (1-w) x - w z and (1-w) (1-x) - w (1-z) with their signs.
    sides = [(-1.0, 0.0, 0.0), (1.0, 0.0, 1.0), (0.0, -1.0, 0.0), (0.0, 1.0, 1.0)]
    signs = [(s, t) for s in (1.0, -1.0) for t in (1.0, -1.0)]
    sides += [((s - t) * (1 - w), -(s - t) * w, delta - t * (1 - 2 * w)) for s, t in signs]
    found = []
    for first, second in combinations(np.array(sides), 2):
        normals = np.stack([first[:2], second[:2]])
        if abs(np.linalg.det(normals)) > 1e-9:
            corner = np.linalg.solve(normals, [first[2], second[2]])
            if all(side[:2] @ corner <= side[2] + 1e-12 for side in np.array(sides)):
                found.append(np.clip(corner, 0.0, 1.0))
    return np.array(found)


def best_of_two(question: Question) -> float:
    """Return the largest value with two outputs of an objective that is convex in the mechanism; NaN without any."""
    assert isinstance(question.notion, WeightedTV), "the question is about WeightedTV"
    corners = vertices(question.notion.delta, question.notion.weight)
    matrices = (np.array([[x, 1 - x], [z, 1 - z]]) for x, z in corners)
    return max((question.objective.value(matrix, question.problem) for matrix in matrices), default=math.nan)


def two_outputs(point: Point) -> Published:
    """Return cases (i) and (ii): one secret is always reported by the first output."""
    theta = point.theta
    a, w = parameters(asked(point))
    if theta <= (w - a) / point.delta:
        second = min(a / w, 1.0)
        return Published(
            np.array([[1.0, 0.0], [second, 1.0 - second]]), (w - a) / (theta * (w * (1 - theta) + a * theta))
        )
    first = min(a / (1 - w), 1.0)
    value = (1 - w - a) / ((1 - theta) * (a * (1 - theta) + (1 - w) * theta))
    return Published(np.array([[first, 1.0 - first], [1.0, 0.0]]), value)


def is_best_of_two(point: Point, given: Published) -> Iterator[Check]:
    """Compare with the vertices of the polygon of private mechanisms."""
    question = asked(point)
    yield Private(given.matrix, question.problem, question.notion, "the mechanism is private")
    best = best_of_two(question)
    reached = question.objective.value(given.matrix, question.problem)
    yield Equal(reached, best, "no vertex of the polygon of mechanisms has more information")
    assert given.value is not None, "the value is printed"
    yield Equal(given.value, best, "the value is the largest of a vertex")


T1i = Theorem(
    key="yoshida/T1i",
    place="Theorem 1 (i) and (ii)",
    kind="exact optimum",
    words=(
        "With two outputs the largest Fisher information at theta is (w-a) / (theta {w (1-theta) + a theta}) for "
        "theta up to (w-a)/delta, and (1-w-a) / ((1-theta) {a (1-theta) + (1-w) theta}) beyond."
    ),
    latex=(
        r"\max J_{\theta} = \frac{w - a}{\theta (w(1-\theta) + a\theta)} \text{ if } \theta \le \frac{w - a}{\delta}, "
        r"\quad \frac{1 - w - a}{(1-\theta)(a(1-\theta) + (1-w)\theta)} \text{ otherwise}"
    ),
    family=Family(VARIABLES),
    printed=two_outputs,
    test=is_best_of_two,
    claimed=FEASIBLE,
)


def up_to_the_ends(point: Point) -> Question:
    """Return the question at a weight between a and 1/2 or between 1/2 and 1 - a; a negative room means the end."""
    a = (1.0 - point.delta) / 2.0
    weight = a + max(point.room, 0.0) * point.delta
    weight = 1.0 - weight if point.heavy else weight
    return Question(Problem(n=2), WeightedTV(point.delta, weight), fisher(point))


def _room(question: Question) -> tuple[float, float]:
    a, w = parameters(question)
    return min(w, 1.0 - w), a + 1e-5 * (1.0 - 2.0 * a)


#: Away from the two ends of the weights, by about the precision to which optima are computed in floats.
INSIDE = Condition("min(weight, 1 - weight)", "(1 - delta)/2 + 0.00001 delta", _room)

#: The weights with their ends, which one draw in three takes.
WEIGHTS = Family(
    {
        "delta": Real(0.1, 0.95),
        "room": Real(-0.25, 0.5),
        "heavy": Choice((False, True)),
        "theta": Real(0.05, 0.95),
    },
    subject=up_to_the_ends,
)


def third_gains(question: Question, given: None) -> Iterator[Check]:
    """Compare the best two outputs with the optimum."""
    yield AtMost(
        best_of_two(question), Optimum(question), "two outputs have less information than the optimum", strictly=True
    )


THIRD = Theorem(
    key="yoshida/3out",
    place="Sections I and VII, and after Theorem 1",
    kind="comparison",
    words="The largest Fisher information is reached only with more outputs than inputs: with at least three.",
    family=WEIGHTS,
    test=third_gains,
    # At w = a or 1 - a an output of the three-output optimum has no mass.
    narrower=(INSIDE,),
    loose="A comparison of two optima, without a constant.",
)
