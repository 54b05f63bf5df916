"""Which pairs of distributions reach the largest Fisher information: by blocks, uniquely, for one weight only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from mechdesign.notions import Notion, WeightedTV
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds, Optimum, Private, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Real, Seed, Whole
from mechdesign.theorems.yoshida.three_outputs import VARIABLES, asked, fisher, parameters, three_outputs
from mechdesign.theorems.yoshida.two_outputs import FEASIBLE, INSIDE, WEIGHTS

#: What counts as far from a condition or from a matrix: well above the rounding errors of the optima.
FAR = 0.02


def in_blocks(point: Point, a: float) -> Array:
    """Return a pair with `point.outputs` outputs that meets eqs. (11) and (12) with the given a, split at random."""
    rng, w = np.random.default_rng(point.seed), point.weight
    common, first, second = rng.multinomial(point.outputs - 3, [0.5, 0.25, 0.25]) + 1
    shared, alone, other = (rng.dirichlet(np.ones(size)) for size in (common, first, second))
    on_first, on_second = min(a / (1 - w), 1.0), min(a / w, 1.0)
    return np.stack(
        [
            np.concatenate([on_first * shared, (1 - on_first) * alone, 0.0 * other]),
            np.concatenate([on_second * shared, 0.0 * alone, (1 - on_second) * other]),
        ]
    )


def made_private(matrix: Array, notion: Notion, problem: Problem) -> Array:
    """Return the matrix mixed with its mean row as far as the notion asks."""
    constant, share, step = np.tile(matrix.mean(axis=0), (len(matrix), 1)), 0.0, 1.0
    for _ in range(40):
        mixed = (share + step) * matrix + (1 - share - step) * constant
        if share + step <= 1 and notion.level(mixed, problem).value <= notion.parameter:
            share += step
        step /= 2
    return share * matrix + (1 - share) * constant


def strays(point: Point, notion: Notion) -> list[Array]:
    """Return private pairs: a random one, one with many zeros, and one near the blocks."""
    rng, problem = np.random.default_rng([point.seed, 1]), Problem(n=2)
    drawn = rng.dirichlet(np.ones(point.outputs), size=2)
    sparse = rng.dirichlet(np.full(point.outputs, 0.1), size=2)
    near = in_blocks(point, (1 - notion.parameter) / 2) * rng.uniform(0.5, 1.5, (2, point.outputs))
    near /= near.sum(axis=1, keepdims=True)
    return [made_private(matrix, notion, problem) for matrix in (drawn, sparse, near)]


def missed(matrix: Array, a: float, w: float) -> float:
    """Return by how much the pair misses eqs. (11) and (12)."""
    first, second = (1 - w) * matrix[0], w * matrix[1]
    both = (matrix[0] > 1e-12) & (matrix[1] > 1e-12)
    apart = np.abs(first - second)[both].max(initial=0.0)
    return float(max(apart, abs(first[both].sum() - a), abs(second[both].sum() - a)))


def both_ways(point: Point, given: float) -> Iterator[Check]:
    """Compare a pair of that form with the optimum, and pairs far from it."""
    question = asked(point)
    yield from is_optimal(question, Published(in_blocks(point, given)))
    for matrix in strays(point, question.notion):
        if missed(matrix, (1 - point.delta) / 2, point.weight) > FAR:
            value = question.objective.value(matrix, question.problem)
            yield AtMost(
                value, Optimum(question), "a pair that misses the conditions has less information", strictly=True
            )


PAIRS = {**VARIABLES, "outputs": Whole(3, 6), "seed": Seed()}

T3 = Theorem(
    key="yoshida/T3",
    place="Theorem 3",
    kind="exact optimum",
    words=(
        "With three outputs or more a pair reaches the largest Fisher information exactly if (1-w) p_0(y) = w p_1(y) "
        "for every output that both can give, and the sum of either side over these outputs is a = (1-delta)/2."
    ),
    latex=r"(1-w) \sum_{p_1(y) > 0} p_0(y) = w \sum_{p_0(y) > 0} p_1(y) = \frac{1 - \delta}{2}",
    family=Family(PAIRS),
    printed=lambda point: (1 - point.delta) / 2,
    test=both_ways,
    claimed=FEASIBLE,
)


def alone(question: Question, given: Published) -> Iterator[Check]:
    """Compare the pair with the optimum, and pairs with three outputs that are far from its rearrangements."""
    yield from is_optimal(question, Published(given.matrix))
    a, w = parameters(question)
    best, problem = given.matrix, question.problem
    # p_1 keeps to the outputs of the first block and of the second, or p_0 to those of the first and of the third.
    thirds = np.array([0.4, 0.6])
    first, second = min(a / (1 - w), 1.0), min(a / w, 1.0)
    candidates = [
        np.array([[*(first * thirds), 1 - first], [*thirds, 0.0]]),
        np.array([[*thirds, 0.0], [*(second * thirds), 1 - second]]),
    ]
    drawn = np.random.default_rng(7).dirichlet(np.ones(3), size=(2, 2))
    candidates += [made_private(matrix, question.notion, problem) for matrix in drawn]
    for matrix in candidates:
        apart = min(np.abs(matrix[:, list(order)] - best).max() for order in permutations(range(3)))
        private = question.notion.level(matrix, problem).value <= question.notion.parameter + 1e-12
        if apart > FAR and private:
            value = question.objective.value(matrix, problem)
            yield AtMost(
                value, Optimum(question), "another pair with three outputs has less information", strictly=True
            )


T3b = Theorem(
    key="yoshida/T3b",
    place="Section IV, after Theorem 3",
    kind="exact optimum",
    words=(
        "With three outputs the optimal pair is unique up to the order of the outputs; with more, every optimal pair "
        "splits its three outputs, of which each is there."
    ),
    latex=(
        r"p_0 = \left[\frac{a}{1-w}, 1 - \frac{a}{1-w}, 0\right], \quad "
        r"p_1 = \left[\frac{a}{w}, 0, 1 - \frac{a}{w}\right]"
    ),
    family=WEIGHTS,
    printed=lambda question: Published(three_outputs(question).matrix),
    test=alone,
    # At w = a or 1 - a one of the three has no mass, and the output that is free splits another.
    narrower=(INSIDE,),
)


def at_another(point: Point, given: Array) -> Iterator[Check]:
    """Compare a pair that is optimal at one weight with the optimum at another."""
    here = asked(point)
    yield Private(given, here.problem, here.notion, "the pair is private")
    value = here.objective.value(given, here.problem)
    yield Equal(value, Optimum(here), "the pair is optimal at its weight")
    other = 1 - point.weight if point.shift < FAR else point.weight + point.shift * (1 - 2 * point.weight)
    if abs(other - point.weight) < FAR or abs(1 - 2 * other) > point.delta:
        return
    # Of mass 1 - delta on the outputs that both can give, the other weight leaves less.
    level = min(WeightedTV(1.0, other).level(given, here.problem).value, 1.0)
    yield AtMost(point.delta, level, "it is not private at the other weight", strictly=True)
    there = Question(here.problem, WeightedTV(level, other), fisher(point))
    yield AtMost(value, Optimum(there), "nor is it optimal there at the delta that it has", strictly=True)


C1 = Theorem(
    key="yoshida/C1",
    place="Corollary 1",
    kind="comparison",
    words="With three outputs or more, no pair reaches the largest Fisher information for two different weights.",
    latex=r"\sum_{p_0(y) > 0} p_1(y) = \frac{a}{w}",
    family=Family({**PAIRS, "shift": Real(0.0, 1.0)}),
    printed=lambda point: in_blocks(point, (1 - point.delta) / 2),
    test=at_another,
    claimed=FEASIBLE,
)


def lost(point: Point) -> Array:
    """Return ``sum_y t (1-t) det_y^2 / (p_theta p'_theta p''_theta)`` with the mixture p'' of both pairs."""
    first, second = point.pair, _second(point)
    ahead, behind = (_mixed(pair, point.theta) for pair in (first, second))
    middle = (1 - point.t) * ahead + point.t * behind
    determinants = first[1] * second[0] - first[0] * second[1]
    used = (ahead != 0) & (behind != 0)
    terms = determinants[used] ** 2 / (ahead * behind * middle)[used]
    return np.array([point.t * (1 - point.t) * sum(terms)], dtype=object)


def _mixed(pair: Array, theta: Any) -> Array:
    return np.asarray((1 - theta) * pair[0] + theta * pair[1])


def _second(point: Point) -> Array:
    """Return another pair, or with odd seeds the first with each output scaled: all determinants are 0."""
    if point.seed % 2 == 0:
        return np.asarray(point.other)
    p, q = point.pair
    # Orthogonal to both rows, so that the scaled rows still sum to one.
    across = np.array([p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]], dtype=object)
    return np.asarray(point.pair * (1 + across / 2))


def _information(pair: Array, theta: Any) -> Any:
    mixed = _mixed(pair, theta)
    used = mixed != 0
    return sum((pair[1] - pair[0])[used] ** 2 / mixed[used])


def convex(point: Point, given: Array) -> Iterator[Check]:
    """Compare with the loss of information by mixing, and its zeros with the zeros of the determinants."""
    first, second, t = point.pair, _second(point), point.t
    mixture = _information((1 - t) * first + t * second, point.theta)
    apart = (1 - t) * _information(first, point.theta) + t * _information(second, point.theta) - mixture
    yield Equal(given, np.array([apart], dtype=object), "it is what mixing loses")
    parallel = all(d == 0 for d in first[1] * second[0] - first[0] * second[1])
    yield Holds((apart == 0) == parallel, "nothing is lost exactly where every determinant is 0")


L1 = Theorem(
    key="yoshida/L1",
    place="Lemma 1 and eq. (13)",
    kind="identity",
    words=(
        "The Fisher information of a mixture of two pairs is the mixture of theirs exactly if, for every output, the "
        "two pairs of probabilities are proportional."
    ),
    latex=(
        r"(1-t) J_{\theta}(q) + t J_{\theta}(q') - J_{\theta}((1-t) q + t q') = t (1-t) "
        r"\sum_y \frac{(q_1 q'_0 - q_0 q'_1)^2}{q_{\theta} q'_{\theta} ((1-t) q_{\theta} + t q'_{\theta})}"
    ),
    family=Family(
        {
            "theta": Real(0.05, 0.95),
            "t": Real(0.05, 0.95),
            "pair": Channel(2, 3),
            "other": Channel(2, 3),
            "seed": Seed(),
        },
        exact=True,
    ),
    printed=lost,
    test=convex,
)
