"""Extreme rays of approximate local differential privacy, which bounds every pair of inputs.

The positive parts ``v_x - e^epsilon v_x'`` that the notion adds up are linear on the cells of the hyperplanes
``v_x = e^epsilon v_x'`` in the orthant, so some optimum of a sublinear utility uses the extreme rays of these cells
alone: vectors that are 0 off a set and whose ratios on it are whole powers of ``e^epsilon``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np

from mechdesign.notions import ApproximateLDP
from mechdesign.objectives import FisherInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Seed, Whole


def staircase(point: Point) -> Array:
    """Return the unit vectors and, for each set of two inputs or more, its powers of e^-epsilon onto 0..h, h >= 1.

    At epsilon 0 they are the indicators of all sets. Each has the largest entry 1.
    """
    n, ratio = point.n, math.exp(-point.epsilon)
    columns = []
    for inside in product((0, 1), repeat=n):
        chosen = [x for x in range(n) if inside[x]]
        if len(chosen) == 1 or (chosen and ratio == 1.0):
            columns.append(np.array(inside, dtype=float))
        elif chosen:
            for levels in product(range(len(chosen)), repeat=len(chosen)):
                if max(levels) > 0 and set(levels) == set(range(max(levels) + 1)):
                    column = np.zeros(n)
                    column[chosen] = ratio ** np.array(levels)
                    columns.append(column)
    return np.array(columns).T


def lines(n: int, epsilon: float) -> Array:
    """Return the lines in the orthant where n - 1 of the hyperplanes meet, each with the largest entry 1."""
    rows = [np.eye(n)[x] for x in range(n)]
    rows += [np.eye(n)[x] - math.exp(epsilon) * np.eye(n)[y] for x, y in permutations(range(n), 2)]
    if n == 1:
        return np.ones((1, 1))
    chosen = np.array([[rows[i] for i in choice] for choice in combinations(range(len(rows)), n - 1)])
    _, sizes, rights = np.linalg.svd(chosen)
    found = rights[sizes[:, -1] > 1e-9, -1]
    found = found / found[np.arange(len(found)), np.abs(found).argmax(axis=1)][:, None]
    found = np.where(np.abs(found) < 1e-10, 0.0, found)[found.min(axis=1) > -1e-10]
    kept: list[Array] = []
    for line in found:
        if not kept or np.abs(np.array(kept) - line).max(axis=1).min() > 1e-7:
            kept.append(line)
    return np.array(kept).T


def all_lines(point: Point, given: Array) -> Iterator[Check]:
    """Compare with every line where hyperplanes meet; no private mechanism has more Fisher information."""
    brute = lines(point.n, point.epsilon)
    yield Equal(float(np.shape(given)[1]), float(brute.shape[1]), "there are as many")
    far = np.abs(np.asarray(given)[:, :, None] - brute[:, None, :]).max(axis=0)
    yield AtMost(float(max(far.min(axis=0).max(), far.min(axis=1).max())), 1e-9, "they are the same")
    notion = ApproximateLDP(point.epsilon, point.delta)
    theta = np.arange(1.0, point.n + 1) / (point.n * (point.n + 1) / 2)
    problem, fisher = Problem(n=point.n), FisherInformation(theta, np.linspace(-1, 1, point.n))
    rng = np.random.default_rng(point.seed)
    drawn = rng.dirichlet(np.full(4, 0.3), size=point.n)
    level = max(notion.level(drawn, problem).value, point.delta)
    share = point.delta / level
    private = share * drawn + (1 - share) * drawn.mean(axis=0)
    yield Private(private, problem, notion, "a mixture with the constant mechanism is private")
    best = Optimum(Question(problem, notion, fisher))
    yield AtMost(fisher.value(private, problem), best, "it has at most the optimum over these rays")
    if point.n == 2:
        middle = (1 - point.delta) / (1 + math.exp(-point.epsilon))
        leak, low = point.delta, middle * math.exp(-point.epsilon)
        four = np.array([[leak, 0.0, middle, low], [0.0, leak, low, middle]])
        yield from is_optimal(Question(problem, notion, fisher), Published(four))


OPEN1 = Theorem(
    key="ours/yoshida-open-1",
    place="open question of yoshida Section VII, extreme rays",
    origin=(
        "answers a question that Yoshida, Yung, Hayashi 2019 leave open; extreme points for two and three "
        "inputs are also in Rawat et al. 2026 (as an abstract says), not compared"
    ),
    kind="exact optimum",
    words=(
        "Under (epsilon, delta)-privacy of every pair of inputs, a sublinear utility is largest with outputs that are "
        "unit vectors or powers of e^-epsilon onto 0..h on a set (4, 21, 138 of them for 2, 3, 4 inputs); at epsilon = "
        "0 with indicators of sets. For two inputs the four outputs (d, 0), (0, d), (1-d)(E, 1)/(1+E) and its mirror "
        "are optimal, d = delta and E = e^epsilon."
    ),
    latex=r"v_x = e^{-\epsilon l_x} \text{ on } S, \quad 0 \text{ elsewhere}, \quad l(S) = (0, \ldots, h)",
    family=Family(
        {"n": Whole(2, 4), "epsilon": Real(0.0, 2.0), "delta": Real(0.05, 0.95), "seed": Seed()},
    ),
    printed=staircase,
    test=all_lines,
)
