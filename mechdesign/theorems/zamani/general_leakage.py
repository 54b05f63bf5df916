"""Section V-E: fewer secrets than data, the leakage of full row rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MutualInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Distribution, Real, Seed, Sizes, Variable, Whole
from mechdesign.theorems.zamani.families import Leakage
from mechdesign.theorems.zamani.vertices import best_mixture, divergence, extreme_points

#: A share of a posterior that is rounding, not support.
NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Wide:
    """A leakage ``R = [R_1, R_2]`` with R_1 invertible, the distribution of the data, and epsilon."""

    leakage: Array
    data_prior: Array
    epsilon: float
    seed: int

    @cached_property
    def secret_prior(self) -> Array:
        """``P_X = R P_Y``."""
        return np.asarray(self.leakage @ self.data_prior)

    @cached_property
    def M(self) -> Array:  # noqa: N802 # as in the paper
        """The right singular vectors of R of the singular values that are not 0, as rows."""
        return np.asarray(np.linalg.svd(self.leakage)[2][: len(self.leakage)])

    @cached_property
    def kernel(self) -> Array:
        """The other right singular vectors."""
        return np.asarray(np.linalg.svd(self.leakage)[2][len(self.leakage) :])

    def question(self) -> Question:
        """Return problem (1)."""
        problem = Problem(prior=self.data_prior).hidden(secret_given_data=self.leakage)
        return Question(problem, LIP(self.epsilon), MutualInformation())

    def drawn(self) -> tuple[Array, Array]:
        """Return weights and columns ``P_{Y|U=u}`` of a mechanism, mixed with noise until it satisfies LIP."""
        mechanism = np.random.default_rng(self.seed).dirichlet(np.ones(3), size=len(self.data_prior))
        weights = self.data_prior @ mechanism
        columns = self.data_prior[:, None] * mechanism / weights
        change = self.leakage @ columns / self.secret_prior[:, None] - 1.0
        room = -np.expm1(-self.epsilon) / np.abs(change).max()
        return weights, self.data_prior[:, None] + min(1.0, float(room)) * (columns - self.data_prior[:, None])

    def directions(self, columns: Array) -> Array:
        """Return ``J_u = (P_{X|U=u} - P_X) / epsilon``, as columns."""
        return np.asarray((self.leakage @ columns - self.secret_prior[:, None]) / self.epsilon)

    def lifted(self, directions: Array) -> Array:
        """Return ``[R_1^{-1} J_u; 0]``, as columns."""
        size = len(self.leakage)
        found = np.zeros((len(self.data_prior), directions.shape[1]))
        found[:size] = np.linalg.solve(self.leakage[:, :size], directions)
        return found


def wide(point: Point) -> Wide:
    """Return the setting of a point."""
    rows = np.concatenate([point.first, point.others])
    return Wide(rows.T, point.data, point.epsilon, point.seed)


@dataclass(frozen=True)
class OverData(Distribution):
    """A distribution over the data: one for each secret, and further ones."""

    size: int | str = "K"
    least: float = 0.02

    def _of(self, known: Sizes) -> Distribution:
        return Distribution(known["K"] + known["more"], self.least)

    def draw(self, rng: np.random.Generator, known: Sizes) -> Array:
        """Return a distribution."""
        return self._of(known).draw(rng, known)

    def corners(self, known: Sizes) -> tuple[Array, ...]:
        """Return the extreme ones."""
        return self._of(known).corners(known)

    def resized(self, value: Array, known: Sizes) -> Array:
        """Return the first entries of the distribution, scaled to sum to one."""
        return self._of(known).resized(value, known)


FAMILY: dict[str, Variable] = {
    "K": Whole(2, 3),
    "more": Whole(1, 2),
    "first": Leakage(),
    "others": Channel("more", "K"),
    "data": OverData(),
    "epsilon": Real(0.02, 3.0, log=True),
    "seed": Seed(),
}


def right_side(made: Wide) -> Array:
    """Return ``M P_Y + epsilon M [R_1^{-1} J_u; 0]`` for each output of a mechanism, as columns."""
    _, columns = made.drawn()
    return np.asarray(made.M @ (made.data_prior[:, None] + made.epsilon * made.lifted(made.directions(columns))))


def is_in_polytope(made: Wide, given: Array) -> Iterator[Check]:
    """Check that ``P_{Y|U=u}`` is in S_u, and that all of S_u says the same of the secret."""
    _, columns = made.drawn()
    yield Equal(made.M @ columns, given, "M P_Y|U=u")
    # Any solution of M y = given: the least one, moved along the kernel.
    steps = np.random.default_rng(made.seed).normal(size=(len(made.kernel), columns.shape[1]))
    others = made.M.T @ given + made.kernel.T @ steps
    yield Equal(
        made.leakage @ others, made.leakage @ columns, "P_X|U=u of any solution", scale=float(np.abs(others).max())
    )


L6 = Theorem(
    key="zamani/L6",
    place="Lemma 6",
    kind="identity",
    words=(
        "With M the right singular vectors of R = [R_1, R_2] that do not vanish, as rows, P_Y|U=u of a mechanism under "
        "LIP lies in the polytope S_u of the distributions y with M y = M P_Y + epsilon M [R_1^-1 J_u; 0]."
    ),
    latex=r"M y = M P_Y + \epsilon M [P_{X|Y_1}^{-1} J_u; 0], \quad y \ge 0",
    family=Family(FAMILY, subject=wide),
    printed=right_side,
    test=is_in_polytope,
)


def entropy(weights: Array, columns: Array) -> float:
    """Return ``H(Y|U)``."""
    logs = np.log(np.where(columns > 0, columns, 1.0))
    return -float(weights @ (columns * logs).sum(axis=0))


def least_entropy(made: Wide) -> float:
    """Return the least ``H(Y|U)`` over the vertices of all S_u together: what LIP and ``y >= 0`` leave."""
    prior, secret = made.data_prior, made.secret_prior
    up, down = float(np.expm1(made.epsilon)), -float(np.expm1(-made.epsilon))
    rows = np.concatenate([-np.eye(len(prior)), made.leakage, -made.leakage])
    moves = extreme_points(rows, np.concatenate([prior, up * secret, down * secret]))
    found = np.maximum(prior + moves, 0.0)
    # The mean of D(y | P_Y) is H(Y) less the mean of the entropies.
    weights, _ = best_mixture(moves, divergence(found, prior))
    return entropy(weights, found.T)


def split(made: Wide) -> tuple[float, float]:
    """Return ``H(Y|U)`` of a mechanism, and after each ``P_{Y|U=u}`` is split along the kernel to the ends of S_u."""
    weights, columns = made.drawn()
    step = made.kernel[0]
    shares, ends = [], []
    for weight, column in zip(weights, columns.T, strict=True):
        rates = column / np.where(np.abs(step) > NOTHING, step, np.nan)
        forth, back = -float(np.nanmax(rates[step < 0])), float(np.nanmin(rates[step > 0]))
        total = forth + back
        shares += [weight * back / total, weight * forth / total]
        ends += [column + forth * step, column - back * step]
    return entropy(weights, columns), entropy(np.array(shares), np.maximum(np.array(ends).T, 0.0))


def is_least(made: Wide, given: float) -> Iterator[Check]:
    """Check the least entropy against problem (1), and that an output inside its polytope can be improved."""
    prior = made.data_prior
    own = -float(prior @ np.log(prior))
    yield Equal(own - given, Optimum(made.question()), "H(Y) less the least H(Y|U), against the largest I(U; Y)")
    before, after = split(made)
    yield AtMost(after, before, "H(Y|U) after outputs inside S_u are split, against before", strictly=True)
    _, columns = made.drawn()
    yield Holds(bool((columns > NOTHING).sum(axis=0).min() > len(made.leakage)), "no drawn output was an extreme point")


T4 = Theorem(
    key="zamani/T4",
    place="Theorem 4, eq. (57), Proposition 7",
    kind="exact optimum",
    words=(
        "Problem (1) is to minimise H(Y|U) over P_Y|U=u in S_u with mean P_Y; the minimisers are extreme points of S_u."
    ),
    latex=r"\min_{P_{U|Y}} H(Y|U) = \min_{P_U, P_{Y|U=u} \in S_u} H(Y|U), \quad \sum_u P_U(u) P_{Y|U=u} = P_Y",
    family=Family({**FAMILY, "more": Whole(1, 1)}, subject=wide),
    # Extreme points of S_u are the vertices of the union that mixtures of outputs are made of.
    printed=least_entropy,
    test=is_least,
)
