"""Whatever someone gains from a secret, and whatever the prior: maximal leakage bounds it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import GLeakage, MaximalLeakage
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Seed, Whole


def _is_bounded(point: Point, given: None) -> Iterator[Check]:
    rng = np.random.default_rng(point.seed)
    matrix = rng.dirichlet(np.full(point.n, 0.5), size=point.n)
    most = MaximalLeakage(1.0).level(matrix, Problem(n=point.n)).value
    gain = rng.random((point.actions, point.n)) ** rng.choice([0.5, 4.0])
    leaked = GLeakage(1.0, gain).level(matrix, Problem(prior=point.prior)).value
    yield AtMost(leaked, most, "no prior and no gain leaks more")
    even = Problem(prior=np.full(point.n, 1.0 / point.n))
    guessed = GLeakage(1.0, np.eye(point.n)).level(matrix, even).value
    yield Equal(guessed, most, "who guesses an even secret gains as much")


MIRACLE = Theorem(
    key="ours/g-leakage",
    place="g-leakage and maximal leakage",
    kind="implication",
    words=(
        "For every prior and every gain function the g-leakage of a mechanism is at most its maximal leakage, and "
        "equal for the guess of a secret whose values are equally likely."
    ),
    origin="Alvim et al. 2012, for multiplicative leakage",
    family=Family(
        {"n": Whole(2, 6), "actions": Whole(1, 6), "prior": Distribution("n"), "seed": Seed()},
    ),
    test=_is_bounded,
    loose="it has no formula",
)
