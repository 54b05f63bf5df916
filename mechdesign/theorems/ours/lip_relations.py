"""What LIP implies of other criteria, and at which levels: strong chi-square, strong l1, LDP, divergence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mechdesign.notions import LDP, LIP, StrongChiSquare, StrongL1
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.notions import lifts, ratios
from mechdesign.theorems.variables import Distribution, Real, Whole
from mechdesign.theorems.zamani.families import SECRETS
from mechdesign.theorems.zamani.vertices import divergence

PRIORS = {"n": Whole(2, 4), "epsilon": Real(0.02, 4.0, log=True), "prior": Distribution("n", least=0.01)}


def posteriors(prior: Array, columns: Array) -> Array:
    """Return ``P_{X|U=u}`` as columns."""
    joint = prior[:, None] * columns
    return np.asarray(joint / joint.sum(axis=0))


def chi(prior: Array, columns: Array) -> Array:
    """Return the root of the chi-square divergence of ``P_{X|U=u}`` from the prior, by output."""
    moved = posteriors(prior, columns) - prior[:, None]
    return np.asarray(np.sqrt((moved**2 / prior[:, None]).sum(axis=0)))


def distance(prior: Array, columns: Array) -> Array:
    """Return ``|P_{X|U=u} - P_X|_1``, by output."""
    return np.asarray(np.abs(posteriors(prior, columns) - prior[:, None]).sum(axis=0))


def surprise(prior: Array, columns: Array) -> Array:
    """Return ``D(P_{X|U=u} | P_X)``, by output."""
    return divergence(posteriors(prior, columns).T, prior)


def where_lip_says_most(at: Point) -> Array:
    """Return a prior under which an output of LIP has the lift e^epsilon on one secret and e^-epsilon on the other."""
    most = float(np.exp(at.epsilon))
    return np.array([1.0, most]) / (1.0 + most)


def chi_and_bound(at: Point) -> float:
    """Return ``2 sinh(epsilon/2)``."""
    return 2.0 * float(np.sinh(at.epsilon / 2.0))


def _is_largest_chi(at: Point, given: float) -> Iterator[Check]:
    """Check the chi-square of LIP for the point's prior, and that it comes up to the level for another."""
    lip, most = LIP(at.epsilon), where_lip_says_most(at)
    own = OnRays(lip, Problem(prior=at.prior), partial(chi, at.prior))
    yield AtMost(own, given, "the root of chi-square under LIP")
    yield Equal(OnRays(lip, Problem(prior=most), partial(chi, most)), given, "the largest, at prior 1/(1 + e^epsilon)")


CHI2 = Theorem(
    key="ours/lip-strong-chi2",
    place="strong chi-square privacy of LIP",
    origin="corrects the constant of Zamani, Sadeghi, Skoglund 2025, Section V-D",
    kind="implication",
    words=(
        "LIP at epsilon implies strong chi-square privacy at 2 sinh(epsilon/2), slightly above epsilon, and at no less "
        "in general."
    ),
    latex=r"\sqrt{\sum_x \frac{(P_{X|U}(x|u) - P_X(x))^2}{P_X(x)}} \le 2 \sinh\left(\frac{\epsilon}{2}\right)",
    family=Family(PRIORS),
    # P_X|U / P_X lies between e^-epsilon and e^epsilon with mean 1: its variance is (e^epsilon - 1)(1 - e^-epsilon) at
    # most, and is that where it takes these two values only.
    printed=chi_and_bound,
    test=_is_largest_chi,
)


def level_and_bound(at: Point) -> tuple[float, float]:
    """Return the largest ``|P_{X|U=u} - P_X|_1`` of the mechanism, and ``2 tanh(epsilon/2)`` at its LIP level."""
    level = LIP(1.0).level(at.mechanism, Problem(prior=at.prior)).value
    return float(distance(at.prior, at.mechanism).max()), 2.0 * float(np.tanh(level / 2.0))


def is_strong_l1(at: Point, given: tuple[float, float]) -> Iterator[Check]:
    """Check the toolkit's measure of the criterion, and what LIP implies, which a prior attains."""
    problem = Problem(prior=at.prior)
    yield Equal(StrongL1(1.0).level(at.mechanism, problem).value, given[0], "the level of strong l1-privacy")
    epsilon = LIP(1.0).level(at.mechanism, problem).value
    most = where_lip_says_most(at.changed(epsilon=epsilon))
    farthest = OnRays(LIP(epsilon), Problem(prior=most), partial(distance, most))
    yield AtMost(given[0], given[1], "under LIP at the mechanism's own level")
    yield Equal(farthest, given[1], "the largest under LIP, at prior 1/(1 + e^epsilon)")
    yield Equal(
        StrongChiSquare(1.0).level(at.mechanism, problem).value,
        chi(at.prior, at.mechanism).max(),
        "the level of strong chi-square privacy",
    )


L1_CRITERION = Theorem(
    key="ours/lip-strong-l1",
    place="strong l1-privacy of LIP",
    origin=(
        "the implication is in Zamani, Sadeghi, Skoglund 2025; the constant that no smaller one replaces is "
        "not published, as far as we know"
    ),
    kind="implication",
    words=(
        "Strong l1-privacy asks for |P_X|U=u - P_X|_1 <= epsilon for every u; LIP at epsilon implies it at "
        "2 tanh(epsilon/2), and at no less in general."
    ),
    latex=r"\|P_{X|U=u} - P_X\|_1 \le \epsilon; \quad \|P_{X|U=u} - P_X\|_1 \le 2 \tanh\left(\frac{\epsilon}{2}\right)",
    family=Family(SECRETS),
    # The chord of |t - 1| over [e^-epsilon, e^epsilon] at t = 1.
    printed=level_and_bound,
    test=is_strong_l1,
)


def three_levels(at: Point) -> tuple[float, float, float]:
    """Return the largest ratio under LIP, the largest lift under LDP, and the largest divergence under LIP."""
    return float(np.exp(2 * at.epsilon)), float(np.exp(at.epsilon)), at.epsilon * float(np.tanh(at.epsilon / 2.0))


def are_related(at: Point, given: tuple[float, float, float]) -> Iterator[Check]:
    """Check the three implications for the point's prior, and that each is attained for another."""
    ratio, lift, bits = given
    own, most = at.prior, where_lip_says_most(at)
    at_own, at_most = Problem(prior=own), Problem(prior=most)
    lip, ldp = LIP(at.epsilon), LDP(at.epsilon)
    yield AtMost(OnRays(lip, at_own, ratios), ratio, "the ratio of two entries under LIP")
    yield Equal(OnRays(lip, at_most, ratios), ratio, "the largest, at prior 1/(1 + e^epsilon)")
    yield AtMost(OnRays(ldp, at_own, lambda columns: lifts(own[None, :], columns)), lift, "the lift under LDP")
    rare = np.array([1e-10, 1.0 - 1e-10])
    found = OnRays(ldp, Problem(prior=rare), lambda columns: lifts(rare[None, :], columns))
    yield Equal(found, lift, "the largest, as one of two secrets becomes rare")
    yield AtMost(OnRays(lip, at_own, partial(surprise, own)), bits, "D(P_X|U | P_X) under LIP")
    yield Equal(OnRays(lip, at_most, partial(surprise, most)), bits, "the largest, at prior 1/(1 + e^epsilon)")


RELATIONS = Theorem(
    key="ours/lip-relations",
    place="relations of LIP, LDP and information",
    origin=(
        "the implications are in Jiang, Li, Tandon 2018; the constant of the information is not published, as "
        "far as we know"
    ),
    kind="implication",
    words=(
        "LIP at epsilon implies LDP at 2 epsilon, LDP at epsilon implies LIP at epsilon, and under LIP the divergence "
        "of P_X|U=u from P_X, and with it the information, is at most epsilon tanh(epsilon/2)."
    ),
    latex=(
        r"\epsilon\text{-LIP} \Rightarrow 2\epsilon\text{-LDP}, \quad \epsilon\text{-LDP} \Rightarrow "
        r"\epsilon\text{-LIP}, \quad D(P_{X|U=u} | P_X) \le \epsilon \tanh\left(\frac{\epsilon}{2}\right)"
    ),
    family=Family(PRIORS),
    printed=three_levels,
    test=are_related,
)
