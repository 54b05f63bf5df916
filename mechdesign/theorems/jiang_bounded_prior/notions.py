"""The four notions, and which implies which at what level: Definitions 1 to 4, Theorems 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from mechdesign.notions import LDP, LIP, BoundedPriorLIP, WorstCaseLIP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Seed, Whole

#: The share of a prior that is uniform where the rest lies on one secret, so that every posterior is defined.
NEARLY = 1e-11


def box(at: Point) -> tuple[Array, Array]:
    """Return lower and upper bounds on each prior probability, around the point's prior."""
    return (1.0 - at.room) * at.prior, at.prior + at.room * (1.0 - at.prior)


def vertices(lower: Array, upper: Array) -> Array:
    """Return the priors of the box that have at most one probability off its bounds."""
    found, n = [], len(lower)
    for free, ends in product(range(n), product((0, 1), repeat=n - 1)):
        others = np.delete(np.arange(n), free)
        prior = np.empty(n)
        prior[others] = np.where(np.array(ends, dtype=bool), upper[others], lower[others])
        prior[free] = 1.0 - prior[others].sum()
        if lower[free] - 1e-12 <= prior[free] <= upper[free] + 1e-12:
            found.append(prior)
    return np.array(found)


def nearly_certain(n: int) -> Array:
    """Return, for each secret, a prior that puts nearly all mass on it."""
    return np.asarray(NEARLY / n + (1.0 - NEARLY) * np.eye(n))


def lifts(priors: Array, columns: Array) -> Array:
    """Return, for each column, the largest quotient of posterior and prior, either way, over the priors."""
    posterior = priors[:, :, None] * columns / (priors @ columns)[:, None, :]
    quotient = posterior / priors[:, :, None]
    return np.asarray(np.maximum(quotient, 1.0 / quotient).max(axis=(0, 1)))


def ratios(columns: Array) -> Array:
    """Return, for each column, the quotient of its largest and least entry."""
    return np.asarray(columns.max(axis=0) / columns.min(axis=0))


def _drawn(at: Point) -> Array:
    """Return a mechanism with one output more than inputs, none of its probabilities negligible."""
    drawn = np.random.default_rng(at.seed).dirichlet(np.ones(at.n + 1), size=at.n)
    return np.asarray(0.9 * drawn + 0.1 / (at.n + 1))


def _defined(at: Point) -> Array:
    """Return the least e^epsilon of LDP, LIP, worst-case LIP and bounded-prior LIP by their inequalities."""
    matrix = _drawn(at)
    priors = (at.prior[None, :], nearly_certain(at.n), vertices(*box(at)))
    return np.array([ratios(matrix).max(), *(lifts(each, matrix).max() for each in priors)])


def _are_the_levels(at: Point, given: Array) -> Iterator[Check]:
    matrix, problem = _drawn(at), Problem(prior=at.prior)
    lower, upper = box(at)
    notions = (LDP(1.0), LIP(1.0), WorstCaseLIP(1.0), BoundedPriorLIP(1.0, lower, upper))
    for notion, found in zip(notions, given, strict=True):
        yield Equal(found, np.exp(notion.level(matrix, problem).value), f"the level of {notion.name}")


#: A prior, and the share of the way from it to the borders of the simplex that its box has room for.
BOX = {"n": Whole(2, 4), "prior": Distribution("n", least=0.02), "room": Real(0.01, 0.95)}

DEF = Theorem(
    key="jiang_bounded_prior/Def1-4",
    place="Definitions 1 to 4",
    kind="definition",
    words=(
        "LDP bounds quotients of likelihoods; LIP, worst-case LIP and bounded-prior LIP bound quotients of prior and "
        "posterior at the prior, at every prior, and at every prior of a box: the levels of the notions are those."
    ),
    latex=r"e^{-\epsilon} \le \frac{\Pr(X = x)}{\Pr(X = x | Y = y)} \le e^{\epsilon}",
    # The quotient of two linear functions of the prior is extreme at a vertex of the box.
    family=Family({**BOX, "seed": Seed()}),
    printed=_defined,
    test=_are_the_levels,
)


def _equivalent(at: Point, given: float) -> Iterator[Check]:
    problem = Problem(prior=at.prior)
    priors = np.vstack([at.prior, nearly_certain(at.n)])
    on_ldp = OnRays(LDP(at.epsilon), problem, lambda columns: lifts(priors, columns))
    yield Equal(given, on_ldp, "the largest quotient of prior and posterior over the columns of LDP")
    on_worst = OnRays(WorstCaseLIP(at.epsilon), problem, ratios)
    yield Equal(given, on_worst, "the largest quotient of likelihoods over the columns of worst-case LIP")


T1 = Theorem(
    key="jiang_bounded_prior/T1",
    place="Theorem 1",
    kind="implication",
    words="A mechanism satisfies worst-case LIP at epsilon if and only if it satisfies LDP at epsilon.",
    latex=r"\epsilon\text{-WC-LIP} \Leftrightarrow \epsilon\text{-LDP}",
    family=Family({"n": Whole(2, 4), "epsilon": Real(0.05, 4.0), "prior": Distribution("n", least=0.02)}),
    printed=lambda at: float(np.exp(at.epsilon)),
    test=_equivalent,
)


def _sandwiched(at: Point, given: tuple[float, float]) -> Iterator[Check]:
    problem, most = Problem(prior=at.prior), float(np.exp(at.epsilon))
    lower, upper = box(at)
    corners = vertices(lower, upper)
    under, over = given
    of_ldp = OnRays(LDP(at.epsilon), problem, lambda columns: lifts(corners, columns))
    yield AtMost(of_ldp, under, "LDP implies bounded-prior LIP")
    of_box = OnRays(BoundedPriorLIP(at.epsilon, lower, upper), problem, ratios)
    yield AtMost(of_box, over, "bounded-prior LIP implies LDP at 2 epsilon")
    # Neither level can be less: any prior at all, and a known prior with one input of probability 1/(1 + e^epsilon).
    everything = OnRays(LDP(at.epsilon), problem, lambda columns: lifts(nearly_certain(at.n), columns))
    yield Equal(under, everything, "reached where the box holds every prior")
    rare = np.array([1.0, most]) / (1.0 + most)
    yield Equal(
        over,
        OnRays(BoundedPriorLIP(at.epsilon, rare, rare), Problem(prior=rare), ratios),
        "reached at a known prior",
    )


T2 = Theorem(
    key="jiang_bounded_prior/T2",
    place="Theorem 2",
    kind="implication",
    words=(
        "LDP at epsilon implies bounded-prior LIP at epsilon, and that implies LDP at 2 epsilon (the last word of the "
        "proof reads epsilon)."
    ),
    latex=r"\epsilon\text{-LDP} \Rightarrow \epsilon\text{-BP-LIP} \Rightarrow 2\epsilon\text{-LDP}",
    # Boxes over four inputs have corners too close to each other for an enumeration of rays, at times.
    family=Family({**BOX, "n": Whole(2, 3), "epsilon": Real(0.05, 3.0)}),
    printed=lambda at: (float(np.exp(at.epsilon)), float(np.exp(2.0 * at.epsilon))),
    test=_sandwiched,
)
