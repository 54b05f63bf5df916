"""Local differential privacy in place of LIP, in terms of perturbations."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from mechdesign.notions import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real
from mechdesign.theorems.zamani.families import SECRETS


def perturbations(point: Point, epsilon: Fraction | float) -> Array:
    """Return ``l = J_u / P_X = (P_X|U / P_X - 1) / epsilon``, one column for each output."""
    joint = point.prior[:, None] * point.mechanism
    posterior = joint / joint.sum(axis=0)
    return np.asarray((posterior / point.prior[:, None] - 1) / epsilon)


def pairs(values: Array) -> tuple[Array, Array]:
    """Return the values at x and at x', for all pairs of secrets, by output."""
    shape = (len(values), *values.shape)
    return np.broadcast_to(values[:, None, :], shape), np.broadcast_to(values[None, :, :], shape)


def quotients(point: Point) -> tuple[Array, Array]:
    """Return the right sides of (49) and of (51), without the logarithm."""
    joint = point.prior[:, None] * point.mechanism
    here, there = pairs(joint / joint.sum(axis=0) / point.prior[:, None])
    of_l, of_other = pairs(point.epsilon * perturbations(point, point.epsilon))
    return here / there, (1 + of_l) / (1 + of_other)


def are_the_ratio(point: Point, given: tuple[Array, Array]) -> Iterator[Check]:
    """Check both against the ratio that LDP bounds, and their largest logarithm against LDP's own measure."""
    here, there = pairs(point.mechanism)
    for side, name in zip(given, ("(49)", "(51)"), strict=True):
        yield Equal(side, here / there, f"{name}: P_U|X at x over that at x'")
    level = LDP(1.0).level(point.mechanism.astype(float), Problem(n=point.K)).value
    yield Equal(np.log(float(given[1].max())), level, "(52): LDP bounds the largest logarithm")


VC1 = Theorem(
    key="zamani/VC1",
    place="Section V-C, eqs. (49)-(52)",
    kind="identity",
    words=(
        "The ratio that LDP bounds is the ratio of P_X|U / P_X at the two secrets, so that with P_X|U = P_X + epsilon "
        "J_u LDP says (52)."
    ),
    latex=(
        r"\frac{P_{U|X}(u|x)}{P_{U|X}(u|x')} = \frac{P_{X|U}(x|u)/P_X(x)}{P_{X|U}(x'|u)/P_X(x')} = "
        r"\frac{1 + \epsilon J_u(x)/P_X(x)}{1 + \epsilon J_u(x')/P_X(x')}"
    ),
    family=Family({**SECRETS, "epsilon": Real(0.01, 3.0)}, exact=True),
    printed=quotients,
    test=are_the_ratio,
)


def strengthened(point: Point) -> Array:
    """Return the right side of (53) as printed: the bound of l(x) for each x', by output."""
    values = perturbations(point, point.epsilon)
    return np.asarray(values / (1 + point.epsilon * values))


def implies_ldp(point: Point, given: Array) -> Iterator[Check]:
    """Check that an l(x) on the bound is what the two bounds of the logarithm allow, and keeps (52)."""
    values = perturbations(point, point.epsilon)
    # ln(1 + t) <= t for x, and ln(1 + t) >= t/(1 + t) for x'.
    above, below = point.epsilon * given, point.epsilon * values / (1 + point.epsilon * values)
    allowed = np.full(values.shape, point.epsilon)
    yield Equal(above - below, allowed, "the bounds of the two logarithms differ by epsilon")
    # Where the bound is below -1/epsilon, no P_X|U meets it.
    largest, other = np.maximum(above.astype(float), -1.0 + 1e-12), (point.epsilon * values).astype(float)
    yield AtMost(np.log1p(largest) - np.log1p(other), allowed.astype(float), "(52)")


EQ53 = Theorem(
    key="zamani/eq53",
    place="Section V-C, eq. (53)",
    kind="implication",
    words=(
        "The bounds t/(1 + t) <= ln(1 + t) <= t turn (52) into a stronger criterion for J_u(x)/P_X(x), for all x and "
        "x'."
    ),
    latex=r"\frac{J_u(x)}{P_X(x)} \le \frac{J_u(x')}{P_X(x') + \epsilon J_u(x')}",
    family=Family({**SECRETS, "epsilon": Real(0.01, 3.0)}, exact=True),
    printed=strengthened,
    test=implies_ldp,
    corrected=lambda point: 1 + strengthened(point),
    correction=(
        "1 + J_u(x') / (P_X(x') + epsilon J_u(x')) on the right: as printed, x = x' allows nothing but J_u = 0"
    ),
)


def rewritten(point: Point) -> float:
    """Return the right side of (54)."""
    return float(np.expm1(point.epsilon) / point.epsilon)


def of_its_level(point: Point) -> Point:
    """Return the point with the LDP level of its mechanism for epsilon."""
    return point.changed(epsilon=LDP(1.0).level(point.mechanism, Problem(n=point.K)).value)


def largest_difference(point: Point, epsilon: float) -> float:
    """Return the largest ``l(x) - e^epsilon l(x')``."""
    here, there = pairs(perturbations(point, epsilon))
    return float((here - np.exp(epsilon) * there).max())


def is_equivalent(point: Point, given: float) -> Iterator[Check]:
    """Check that (54) is met with equality at the mechanism's own level, missed below it and kept above it."""
    yield Equal(largest_difference(point, point.epsilon), given, "(54) at the mechanism's LDP level")
    for share in (0.5, 0.9, 0.999, 1.001, 1.1, 2.0):
        other = point.changed(epsilon=share * point.epsilon)
        kept = largest_difference(other, other.epsilon) <= rewritten(other)
        yield Holds(kept == (share > 1.0), f"(54) holds as LDP does, at {share:g} times the level")


EQ54 = Theorem(
    key="zamani/eq54",
    place="Section V-C, eq. (54)",
    kind="identity",
    words="With P_X|U = P_X + epsilon J_u, LDP says no more and no less than this, for all x and x'.",
    latex=r"\frac{J_u(x)}{P_X(x)} - e^{\epsilon} \frac{J_u(x')}{P_X(x')} \le \frac{e^{\epsilon} - 1}{\epsilon}",
    family=Family(SECRETS, subject=of_its_level),
    printed=rewritten,
    test=is_equivalent,
)
