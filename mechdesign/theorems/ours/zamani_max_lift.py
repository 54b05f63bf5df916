"""Hidden secrets under max-lift, solved: what an output may say is a simplex."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import MaxLift
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import Check, Equal, Optimum, Private, Published
from mechdesign.theorems.family import Family
from mechdesign.theorems.zamani.families import VARIABLES, setting
from mechdesign.theorems.zamani.max_lift import P1_of_lift, P2_of_lift, second_of_lift
from mechdesign.theorems.zamani.setting import Setting

#: Within this relative distance of the domain's edge vertices nearly coincide, and no route answers.
CLEAR = 1e-6


def names_a_secret(made: Setting) -> Published:
    """Return the mechanism with ``P_{Y|U=k} = e^epsilon P_Y - (e^epsilon - 1) R^{-1} e_k`` and ``P_U = P_X``."""
    grown = float(np.expm1(made.epsilon))
    posteriors = (1.0 + grown) * made.data_prior[:, None] - grown * made.inverse
    return Published(made.mechanism(made.secret_prior, posteriors))


def solved(made: Setting) -> tuple[float, float, Published]:
    """Return P1', P2' and the mechanism."""
    half = 0.5 * (float((made.W**2).sum()) - 1.0)
    return made.epsilon**2 * half, float(np.expm1(made.epsilon)) ** 2 * half, names_a_secret(made)


def is_solved(made: Setting, given: tuple[float, float, Published]) -> Iterator[Check]:
    """Check both against their definitions, and the mechanism against the largest information under max-lift."""
    lesser, larger, mechanism = given
    yield Equal(lesser, P1_of_lift(made), "P1'")
    yield Equal(larger, P2_of_lift(made), "P2'")
    question, best = made.question(MaxLift(made.epsilon)), made.optimum(second_of_lift(made.epsilon)).value
    yield Private(mechanism.matrix, question.problem, question.notion, "the mechanism satisfies max-lift")
    reached = question.objective.value(mechanism.matrix, question.problem)
    yield Equal(reached, best, "its I(U; Y), against the best mixture of vertices")
    end, epsilon = _room(made)
    if abs(end - epsilon) > CLEAR * epsilon:
        yield Equal(reached, Optimum(question), "its I(U; Y), against the largest")


def _room(made: Setting) -> tuple[float, float]:
    shares = np.where(
        made.inverse > 0, made.data_prior[:, None] / np.where(made.inverse > 0, made.inverse, 1.0), np.inf
    )
    least = float(shares.min())
    return (-float(np.log1p(-least)) if least < 1.0 else np.inf), made.epsilon


ML = Theorem(
    key="ours/zamani-ml",
    place="max-lift with a hidden secret",
    origin=("solves what Zamani, Sadeghi, Skoglund 2025 approximate under max-lift; not published, as far as we know"),
    kind="exact optimum",
    words=(
        "Under max-lift P1' is epsilon^2/2 and P2' is (e^epsilon - 1)^2/2 times the sum of the squares of the singular "
        "values of W but for the 1 of sqrt P_X; the mechanism whose output k, of probability P_X(k), leaves the data "
        "with e^epsilon P_Y - (e^epsilon - 1) R^-1 e_k attains both, and the largest I(U; Y), as long as it is one."
    ),
    latex=(
        r"P_2' = \frac{1}{2} (e^{\epsilon} - 1)^2 \left(\sum_{x,y} W_{yx}^2 - 1\right), \quad "
        r"P_{Y|U=k} = e^{\epsilon} P_Y - (e^{\epsilon} - 1) P_{X|Y}^{-1} e_k"
    ),
    family=Family(VARIABLES, subject=setting),
    # l = J_u/P_X <= a with mean 0 under P_X is a simplex with the vertices a (1 - e_k/P_X(k)). Only the weights P_X mix
    # these to 0, and moving an output to the vertices never loses, the information being convex in it. The mean of
    # |W L|^2 is a^2 times trace(W W') - 1. A vertex is possible if P_Y >= (1 - e^-epsilon) R^-1 e_k.
    printed=solved,
    test=is_solved,
    claimed=(Condition("-ln(1 - min of P_Y(y)/alpha_yk over alpha_yk > 0)", "epsilon", _room),),
)
