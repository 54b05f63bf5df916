"""The exact problem (1): its linear program over vertices, and its constraint in terms of perturbations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from mechdesign.notions import LDP, LIP, MaxLift, Notion, StrongL1
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal, Holds, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Real
from mechdesign.theorems.zamani.families import DATA, SECRETS, setting
from mechdesign.theorems.zamani.setting import Box, Mixture, Setting, second
from mechdesign.theorems.zamani.vertices import extreme_points

EVERYTHING = Box(-np.inf, np.inf)


def as_published(made: Setting, best: Mixture) -> Published:
    """Return the best outputs as a mechanism with its value."""
    return Published(made.mechanism(best.weights, best.posteriors), best.value)


def over_vertices(made: Setting) -> Published:
    """Return the solution of the linear program over the vertices of what LIP allows, its cost the divergence."""
    return as_published(made, made.optimum(second(made.epsilon)))


def optimal_with_few_outputs(made: Setting, given: Published) -> Iterator[Check]:
    """Check that the mechanism is optimal for problem (1), with no more outputs than there are data."""
    yield from is_optimal(made.question(), given)
    yield Holds(given.matrix.shape[1] <= made.size, "it has at most K outputs")


EQ1 = Theorem(
    key="zamani/1",
    place="eq. (1), Remark 2",
    kind="exact optimum",
    words=(
        "The largest I(U; Y) under LIP of the hidden X is a linear program over the vertices of what an output may say "
        "of the data, the cost of a vertex p being D(p | P_Y); K outputs suffice."
    ),
    latex=(
        r"\max \sum_u P_U(u) D(p_u | P_Y), \quad \sum_u P_U(u) p_u = P_Y, \quad "
        r"e^{-\epsilon} \le R p_u / P_X \le e^{\epsilon}"
    ),
    family=Family({**DATA, "epsilon": Real(0.02, 4.0, log=True)}, subject=setting),
    # The divergence is convex in p: moving a p to the vertices it is a mixture of never loses.
    printed=over_vertices,
    test=optimal_with_few_outputs,
)


def own_facets(made: Setting, notion: Notion) -> tuple[Array, Array]:
    """Return the notion's inequalities ``rows @ J_u <= bounds``, from its definition."""
    n, steps = made.size, np.eye(made.size) / made.secret_prior[:, None]
    grown = float(np.expm1(made.epsilon))
    if isinstance(notion, MaxLift):
        return steps, np.full(n, grown / made.epsilon)
    if isinstance(notion, LDP):
        pairs = [(x, other) for x, other in product(range(n), repeat=2) if x != other]
        rows = np.array([steps[x] - (1.0 + grown) * steps[other] for x, other in pairs])
        return rows, np.full(len(pairs), grown / made.epsilon)
    signs = np.array([s for s in product((-1.0, 1.0), repeat=n) if abs(sum(s)) < n])
    return signs, np.ones(len(signs))


def asked_of(point: Point) -> tuple[Setting, Notion]:
    """Return the setting, and the notion at its epsilon."""
    made = setting(point)
    return made, point.notion(made.epsilon)


def over_vertices_of(asked: tuple[Setting, Notion]) -> Published:
    """Return the optimum of the linear program over the vertices of the rows that another notion allows."""
    made, notion = asked
    rows, bounds = own_facets(made, notion)
    possible, limits = made.facets(EVERYTHING, possible=True)
    points = extreme_points(np.concatenate([rows, possible]), np.concatenate([bounds, limits]))
    return as_published(made, made.optimum_of(points))


EQ1P = Theorem(
    key="zamani/1p",
    place="eq. (1) with (34), (48), or strong l1-privacy",
    kind="exact optimum",
    words="The same linear program over vertices is exact for max-lift, for LDP and for strong l1-privacy.",
    latex=r"\max \sum_u P_U(u) D(p_u | P_Y), \quad \sum_u P_U(u) p_u = P_Y",
    family=Family(
        {**DATA, "epsilon": Real(0.02, 3.0, log=True), "notion": Choice((MaxLift, LDP, StrongL1))},
        subject=asked_of,
    ),
    printed=over_vertices_of,
    test=lambda asked, given: is_optimal(asked[0].question(asked[1]), given),
)


def posterior_lift(point: Point) -> Array:
    """Return ``P_{U|X}(u | x) / P_U(u)``."""
    return np.asarray(point.mechanism / (point.prior @ point.mechanism))


def lift_is_the_same(point: Point, given: Array) -> Iterator[Check]:
    """Check the lift against Bayes' rule, and the measures of the two notions."""
    joint = point.prior[:, None] * point.mechanism
    posterior = joint / joint.sum(axis=0)
    yield Equal(given, posterior / point.prior[:, None], "P_X|U / P_X")
    problem = Problem(prior=point.prior.astype(float))
    matrix, logs = point.mechanism.astype(float), np.log(np.asarray(given, dtype=float))
    yield Equal(np.abs(logs).max(), LIP(1.0).level(matrix, problem).value, "LIP bounds it on both sides")
    yield Equal(logs.max(), MaxLift(1.0).level(matrix, problem).value, "max-lift bounds it from above")


SII = Theorem(
    key="zamani/II",
    place="Section II, after eq. (1)",
    kind="identity",
    words=("LIP may be read off P_X|U / P_X, because that is P_U|X / P_U; without its left inequality it is max-lift."),
    latex=r"\frac{P_{X|U}(x|u)}{P_X(x)} = \frac{P_{U|X}(u|x)}{P_U(u)}",
    family=Family(SECRETS, exact=True),
    printed=posterior_lift,
    test=lift_is_the_same,
)


def ends(point: Point) -> tuple[float, float]:
    """Return the two ends of (4) at the LIP level of the mechanism."""
    level = LIP(1.0).level(point.mechanism, Problem(prior=point.prior)).value
    return float(np.expm1(-level)) / level, float(np.expm1(level)) / level


def perturbation_is_bounded(point: Point, given: tuple[float, float]) -> Iterator[Check]:
    """Check (2) to (4) and (7) to (9) of the mechanism's perturbations; the bounds are reached at its own level."""
    prior, (low, high) = point.prior, given
    epsilon = LIP(1.0).level(point.mechanism, Problem(prior=prior)).value
    masses = prior @ point.mechanism
    J = (prior[:, None] * point.mechanism / masses - prior[:, None]) / epsilon
    L, root = J / np.sqrt(prior)[:, None], np.sqrt(prior)
    zero = np.zeros(len(prior))
    yield Equal(J.sum(axis=0), np.zeros(len(masses)), "(2): J_u sums to 0", scale=1.0)
    yield Equal(J @ masses, zero, "(3): the mean of J_u is 0", scale=1.0)
    yield Equal(root @ L, np.zeros(len(masses)), "(7): L_u is orthogonal to sqrt P_X", scale=1.0)
    yield Equal(L @ masses, zero, "(8): the mean of L_u is 0", scale=1.0)
    for name, moved in {"(4)": J / prior[:, None], "(9)": L / root[:, None]}.items():
        reached = max(float(moved.max()) / high, float(moved.min()) / low)
        yield Equal(reached, 1.0, f"{name} holds, with equality somewhere, at the mechanism's level")


EQ2 = Theorem(
    key="zamani/eq2",
    place="eqs. (2)-(4), (7)-(9)",
    kind="identity",
    words=(
        "With P_X|U=u = P_X + epsilon J_u and L_u = J_u / sqrt P_X, LIP says no more and no less than: J_u sums to 0, "
        "its mean over outputs is 0, and it lies between (e^-epsilon - 1)/epsilon P_X and (e^epsilon - 1)/epsilon P_X."
    ),
    latex=r"\frac{e^{-\epsilon} - 1}{\epsilon} P_X \le J_u \le \frac{e^{\epsilon} - 1}{\epsilon} P_X",
    family=Family(SECRETS),
    printed=ends,
    test=perturbation_is_bounded,
)
