"""The quadratic approximation of information, and the matrix W that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mechdesign.objectives import MutualInformation
from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Distribution, Real, Seed, Whole
from mechdesign.theorems.zamani.families import DATA, VARIABLES, setting
from mechdesign.theorems.zamani.setting import Setting


class Outputs(NamedTuple):
    """A setting, and outputs with their weights and rows ``J_u`` of mean zero."""

    made: Setting
    weights: Array
    directions: Array


def outputs(point: Point) -> Outputs:
    """Return three outputs whose ``epsilon R^{-1} J_u / P_Y`` is at most 1 for epsilon up to 1."""
    made, rng = setting(point.changed(epsilon=1.0)), np.random.default_rng(point.seed)
    weights = rng.dirichlet(np.full(3, 2.0))
    drawn = rng.normal(size=(3, made.size))
    drawn -= drawn.mean(axis=1, keepdims=True)
    drawn -= weights @ drawn
    return Outputs(made, weights, drawn / np.abs(drawn @ made.inverse.T / made.data_prior).max())


def curvature(asked: Outputs) -> float:
    """Return ``sum_u P_U |W L_u|^2 / 2``."""
    made, weights, directions = asked
    images = directions / np.sqrt(made.secret_prior) @ made.W.T
    return 0.5 * float(weights @ (images**2).sum(axis=1))


#: Steps of epsilon towards 0.
STEPS = tuple(0.02 * 0.5**k for k in range(6))


def information_against_its_square(asked: Outputs, given: float) -> Iterator[Check]:
    """Check that the information differs from ``epsilon^2`` times the given number by at most ``C epsilon^3``.

    With ``|t| <= 1`` the changes of P_Y at epsilon 1, ``(1 + s) ln(1 + s) - s - s^2/2`` at ``s = epsilon t`` is at most
    ``|s|^3 / (6 (1 - |s|))``: C is the mean of ``|t|^3`` over 5.88.
    """
    made, weights, directions = asked
    problem = made.problem()
    changes = np.abs(made.moved(directions) / made.data_prior - 1.0)
    cubes = float(weights @ changes**3 @ made.data_prior) / (6.0 * (1.0 - STEPS[0]))
    for step in STEPS:
        matrix = made.mechanism(weights, made.at(step).moved(directions).T)
        apart = abs(MutualInformation().value(matrix, problem) - given * step**2)
        yield AtMost(apart, cubes * step**3, f"the remainder at epsilon = {step:.6g}")


P1 = Theorem(
    key="zamani/P1",
    place="Proposition 1, eq. (5)",
    kind="identity",
    words="I(U; Y) is epsilon^2/2 times the mean of |W L_u|^2, up to a remainder of smaller order.",
    latex=r"I(U;Y) = \frac{1}{2} \epsilon^2 \sum_u P_U \|W L_u\|^2 + o(\epsilon^2)",
    family=Family({**DATA, "seed": Seed()}, subject=outputs),
    printed=curvature,
    test=information_against_its_square,
)


def least_singular(made: Setting, given: tuple[float, Array]) -> Iterator[Check]:
    """Check the smallest singular value, and that the vector has norm one and is its singular vector."""
    value, vector = given
    gram = made.W.T @ made.W
    yield Equal(float(np.linalg.svd(made.W)[1][-1]), value, "the smallest singular value")
    yield Equal(float(np.linalg.norm(vector)), 1.0, "the singular vector has norm 1")
    yield Equal(gram @ vector, vector, "W'W leaves it as it is", scale=float(np.abs(gram).max()))


P2 = Theorem(
    key="zamani/P2",
    place="Proposition 2",
    kind="identity",
    words="The smallest singular value of W is 1, with the singular vector sqrt P_X.",
    latex=r"\sigma_{min}(W) = 1, \quad W^T W \sqrt{P_X} = \sqrt{P_X}",
    family=Family(VARIABLES, subject=setting),
    # W sqrt P_X = sqrt P_Y and W' sqrt P_Y = sqrt P_X; the inverse of W is the divergence transition matrix.
    printed=lambda made: (1.0, np.sqrt(made.secret_prior)),
    test=least_singular,
)


def near_a_permutation(point: Point) -> Setting:
    """Return a setting whose leakage is a permutation, mixed with a drawn one by more than 1 in 100 where noisy."""
    moved = np.eye(point.K)[np.random.default_rng(point.seed).permutation(point.K)]
    share = 0.02 + point.noise if point.noise > 0 else 0.0
    return Setting((1.0 - share) * moved + share * np.asarray(point.leakage).T, point.data, 1.0)


def exceeds_one(made: Setting, given: object) -> Iterator[Check]:
    """Check that the largest singular value of W is above 1, and its singular vector orthogonal to ``sqrt P_X``."""
    _, values, vectors = np.linalg.svd(made.W)
    yield AtMost(1.0, float(values[0]), "the largest singular value is above 1", strictly=True)
    yield Equal(float(vectors[0] @ np.sqrt(made.secret_prior)), 0.0, "L* is orthogonal to sqrt P_X", scale=1.0)


#: No leakage of the family lies in between.
NO_PERMUTATION = Condition(
    "distance of P_X|Y from the permutations",
    "a positive number",
    lambda made: (1.0 - float(made.leakage.max(axis=0).min()), 1e-3),
)

S = Theorem(
    key="zamani/s",
    place="Section IV-A, before Lemma 2",
    kind="comparison",
    words="The largest singular value of W is above 1, and its singular vector L* is orthogonal to sqrt P_X.",
    latex=r"\sigma_{max}(W) > 1, \quad L^* \perp \sqrt{P_X}",
    family=Family(
        {
            "K": Whole(2, 3),
            "leakage": Channel("K", "K", least=0.05),
            "data": Distribution("K", least=0.02),
            "seed": Seed(),
            "noise": Real(-0.2, 0.4),
        },
        subject=near_a_permutation,
    ),
    test=exceeds_one,
    narrower=(NO_PERMUTATION,),
    loose="it is a statement without a constant",
)
