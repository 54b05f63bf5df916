"""The ranges of epsilon in which every vector of a box gives a distribution of the data, and what is built there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LIP
from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Private
from mechdesign.theorems.family import Family
from mechdesign.theorems.variables import Distribution, Whole
from mechdesign.theorems.zamani.families import BEYOND_RANGE, FIRST_RANGE, Leakage, in_first_range, setting
from mechdesign.theorems.zamani.quadratic import gammas
from mechdesign.theorems.zamani.setting import Box, Setting, first, second

#: The second is next to singular: for it the range is nearly as large as it may be.
LEAKAGE = Leakage(
    clear=0.003,
    further=(((0.502, 0.498), (0.498, 0.502)), ((0.1, 0.6, 0.3), (0.3, 0.5, 0.2), (0.1, 0.5, 0.4))),
)
FAMILY = Family(
    {"K": Whole(2, 3), "leakage": LEAKAGE, "data": Distribution("K", least=0.02)},
    subject=lambda point: setting(point.changed(epsilon=1.0)),
)


def c1_of_the_proof(made: Setting) -> float:
    """Return ``min P_Y / max_i (sum_j |alpha_ij| P_X(i))``."""
    sums = np.abs(made.inverse).sum(axis=1)
    return float(made.data_prior.min() / (sums * made.secret_prior).max())


def is_in_range(made: Setting, given: float) -> Iterator[Check]:
    """Check that up to this epsilon no vector of (10) changes the distribution of the data by more than itself."""
    largest = made.at(given).largest_change(first(given))
    yield AtMost(largest, 1.0, f"the largest |epsilon R^-1 J_u / P_Y| at epsilon = {given:.6g}")


C1_INDEX = Theorem(
    key="zamani/c1",
    place="Proposition 3, c1",
    kind="upper bound",
    words="For epsilon < c1 every J_u of (10) has |epsilon R^-1 J_u| < P_Y; the proof has P_X(i) in the sum over j.",
    latex=r"c_1 = \frac{\min_y P_Y(y)}{\max_i \left(\sum_j |\alpha_{ij}| P_X(i)\right)}",
    family=FAMILY,
    printed=c1_of_the_proof,
    test=is_in_range,
    corrected=lambda made: made.c1,
    correction="P_X(j) in the place of P_X(i): the sum runs over the values of X",
)

C2 = Theorem(
    key="zamani/c2",
    place="Proposition 3, c2",
    kind="upper bound",
    words="For epsilon < c2 every J_u of (10) has |epsilon R^-1 J_u| < P_Y.",
    latex=r"c_2 = \sigma_{min}(P_{X|Y}) \min_y P_Y(y)",
    family=FAMILY,
    printed=lambda made: made.c2,
    test=is_in_range,
    loose="a sufficient condition: it takes the norm of J_u for 1, which is at most that of P_X",
)


def in_logarithms(made: Setting) -> tuple[float, float]:
    """Return ``c1' = ln(1 + c1)`` and ``c2' = ln(1 + c2)``."""
    return float(np.log1p(made.c1)), float(np.log1p(made.c2))


def is_in_second_range(made: Setting, given: tuple[float, float]) -> Iterator[Check]:
    """Check that both are no more than c1 and c2, and that up to them no vector of (9) changes the data by too much."""
    for end, other, name in zip(given, (made.c1, made.c2), ("c1", "c2"), strict=True):
        yield AtMost(end, other, f"{name}' against {name}")
        yield AtMost(made.at(end).largest_change(second(end)), 1.0, f"the largest |epsilon R^-1 J_u / P_Y| at {name}'")


CP = Theorem(
    key="zamani/cp",
    place="Proposition 5, Remark 8",
    kind="upper bound",
    words=(
        "For epsilon < max(c1', c2') every J_u of (9) has |epsilon R^-1 J_u| < P_Y, and c1' <= c1, c2' <= c2; with "
        "P_X(j) in c1."
    ),
    latex=r"c_1' = \ln(1 + c_1) \le c_1, \quad c_2' = \ln(1 + c_2) \le c_2",
    family=FAMILY,
    printed=in_logarithms,
    test=is_in_second_range,
)


def of_directions(made: Setting, box: Box, start: Array) -> Array:
    """Return ``start + epsilon R^{-1} [sqrt P_X] L_u`` as rows, L_u being L* and -L* scaled into the box."""
    if box == first(made.epsilon):
        scales = np.array([1.0, -1.0]) / gammas(made, box)[:2]
    else:
        scales = np.array([1.0, -1.0]) * made.scales(box)
    steps = scales[:, None] * (np.sqrt(made.secret_prior) * made.L)
    return np.asarray(start + made.epsilon * steps @ made.inverse.T)


def is_a_mechanism(made: Setting, box: Box, rows: Array) -> Iterator[Check]:
    """Check that the two rows ``P_{Y|U=u}`` are distributions of mean P_Y and make a mechanism that is LIP."""
    scale = np.array(gammas(made, box)[:2] if box == first(made.epsilon) else made.scales(box)[::-1])
    weights = scale / scale.sum()
    yield Equal(weights @ rows, made.data_prior, "the mean of P_Y|U is P_Y")
    matrix = made.mechanism(weights, rows.T)
    yield Private(matrix, made.problem(), LIP(made.epsilon), "the mechanism satisfies LIP")


def second_of(made: Setting) -> Setting:
    """Return the setting with epsilon scaled from the range of the first approach to the range of the second."""
    return made.at(made.epsilon * made.range_second / made.range_first)


def both_mechanisms(made: Setting) -> tuple[Array, Array]:
    """Return ``P_{Y|U}`` of both approaches."""
    other = second_of(made)
    return (
        of_directions(made, first(made.epsilon), made.data_prior),
        of_directions(other, second(other.epsilon), made.data_prior),
    )


def are_mechanisms(made: Setting, given: tuple[Array, Array]) -> Iterator[Check]:
    """Check the mechanisms of both approaches, each in its own range."""
    other = second_of(made)
    yield from is_a_mechanism(made, first(made.epsilon), given[0])
    yield from is_a_mechanism(other, second(other.epsilon), given[1])


FEASIBLE = Theorem(
    key="zamani/feas",
    place="after Theorem 1, Section VI",
    kind="privacy claim",
    words=(
        "For epsilon < max(c1, c2) the directions L*/gamma_1 and -L*/gamma_2, and for epsilon < max(c1', c2') lambda_1 "
        "L* and -lambda_2 L*, give distributions P_Y|U of mean P_Y, and with them a mechanism that satisfies LIP."
    ),
    latex=r"P_{Y|U=u} = P_Y + \epsilon P_{X|Y}^{-1} [\sqrt{P_X}] L_u",
    family=Family(BEYOND_RANGE, subject=in_first_range),
    printed=both_mechanisms,
    test=are_mechanisms,
    claimed=(FIRST_RANGE,),
)

T1B = Theorem(
    key="zamani/T1b",
    place="after Theorem 1, P_Y|U=0 and P_Y|U=1",
    kind="identity",
    words="After an output the data has the distribution P_X + epsilon R^-1 [sqrt P_X] L_u.",
    latex=r"P_{Y|U=0} = P_X + \epsilon P_{X|Y}^{-1} [\sqrt{P_X}] L_1",
    family=Family(BEYOND_RANGE, subject=in_first_range),
    printed=lambda made: of_directions(made, first(made.epsilon), made.secret_prior),
    test=lambda made, given: is_a_mechanism(made, first(made.epsilon), given),
    claimed=(FIRST_RANGE,),
    corrected=lambda made: of_directions(made, first(made.epsilon), made.data_prior),
    correction="P_Y in the place of P_X: P_X|U = P_X + epsilon J_u is what R makes of P_Y + epsilon R^-1 J_u",
)
