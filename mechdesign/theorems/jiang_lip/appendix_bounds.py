"""Appendix B, the proof of Theorem 3: which bounds the published mechanism reaches; E stands for e^epsilon."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Private
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.lip_optimum import COMMON_ENOUGH, asked, closed_form
from mechdesign.theorems.variables import Distribution, Real, Vector, Whole


def _reached(question: Question, given: Array) -> Iterable[Check]:
    yield Private(given, question.problem, question.notion, "the diagonal stays in its bounds")
    prior, low = question.problem.required_prior_of_secret, float(np.exp(-question.notion.parameter))
    yield Equal(given - np.diag(np.diag(given)), low * prior * (1.0 - np.eye(len(prior))), "the lower bounds")
    yield AtMost(low - prior, low**2 * (1.0 - prior), "with the diagonal at its bound, the others against theirs")


L3 = Theorem(
    key="jiang_lip/appB-L3",
    place="Lemma 3",
    kind="privacy claim",
    words=(
        "As epsilon grows the probabilities beside the diagonal reach their lower bounds P_k/E while the diagonal is "
        "still inside its own; with the diagonal at its upper bound the others would break theirs."
    ),
    latex=r"q_{jk} = P_k e^{-\epsilon}, \quad q_{kk} = 1 - (1 - P_k) e^{-\epsilon}",
    family=Family(
        {"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n"), "values": Vector("n", 0.0, 5.0)},
        subject=asked,
    ),
    printed=lambda question: closed_form(question).matrix,
    test=_reached,
    narrower=(COMMON_ENOUGH,),
)

SCALED = Family({"n": Whole(2, 4), "E": Real(1.05, 20.0), "prior": Distribution("n", 0.02)}, exact=True)


def exact_form(point: Point) -> Array:
    """Return the published mechanism in exact fractions: ``P_k/E``, with ``1 - (1 - P_k)/E`` on the diagonal."""
    n = range(point.n)
    rows = [[point.prior[k] / point.E + (m == k) * (1 - 1 / point.E) for k in n] for m in n]
    return np.array(rows, dtype=object)


def _masses(point: Point, weighted: bool) -> tuple[Array, Array, Array]:
    prior, exp, n = point.prior, point.E, range(point.n)
    own = prior * (1 - (1 - prior) / exp)
    shares = [sum(((prior[j] if weighted else 1) * prior[k] / exp for j in n if j != k), Fraction(0)) for k in n]
    return np.array(shares, dtype=object) + own, np.asarray((1 - prior) * prior / exp + own), prior


def _are_masses(point: Point, given: tuple[Array, Array, Array]) -> Iterable[Check]:
    for line in given:
        yield Equal(point.prior @ exact_form(point), line, "the outputs' probabilities")


B50 = Theorem(
    key="jiang_lip/appB-eq50",
    place="eq. (50)",
    kind="identity",
    words="The outputs of the published mechanism have the probabilities of the inputs, in three lines.",
    latex=(
        r"\lambda_k = \sum_{j \ne k} \frac{P_k}{e^{\epsilon}} + "
        r"P_k\left(1 - \frac{1 - P_k}{e^{\epsilon}}\right) = P_k"
    ),
    family=SCALED,
    printed=lambda point: _masses(point, weighted=False),
    test=_are_masses,
    corrected=lambda point: _masses(point, weighted=True),
    correction="the first line's sum is of P_j P_k/E; its other two lines are right",
)


def diagonal_ratio(point: Point) -> Array:
    """Return ``lambda_k / q_kk`` of the published mechanism."""
    matrix = exact_form(point)
    return np.asarray((point.prior @ matrix) / np.diag(matrix))


def _room_below(point: Point, sign: int) -> Array:
    exp, prior = point.E, point.prior
    return np.asarray((sign * (1 - 1 / exp) + prior * (exp - 1 / exp)) / (exp + prior - 1))


def _is_room_below(point: Point, given: Array) -> Iterable[Check]:
    yield Equal(diagonal_ratio(point) - 1 / point.E, given, "the room to the lower bound")
    yield AtMost(Fraction(0), given.min(), "it is not negative")


B51 = Theorem(
    key="jiang_lip/appB-eq51",
    place="eq. (51)",
    kind="identity",
    words="The diagonal's ratio lambda_k/q_kk exceeds e^-epsilon by a fraction that is not negative.",
    latex=r"\frac{1 - e^{-\epsilon} + P_k(e^{\epsilon} - e^{-\epsilon})}{e^{\epsilon} + P_k - 1} \ge 0",
    family=SCALED,
    printed=lambda point: _room_below(point, 1),
    test=_is_room_below,
    corrected=lambda point: _room_below(point, -1),
    correction="the numerator is P_k (E - 1/E) - (1 - 1/E), which is not negative where P_k >= 1/(1 + E)",
    corrected_domain=(Condition("min prior", "1/(1 + E)", lambda point: (min(point.prior), 1 / (1 + point.E))),),
)


def _is_room_above(point: Point, given: Array) -> Iterable[Check]:
    yield Equal(point.E - diagonal_ratio(point), given, "the room to the upper bound")
    yield AtMost(Fraction(0), given.min(), "it is not negative")


B52 = Theorem(
    key="jiang_lip/appB-eq52",
    place="eq. (52)",
    kind="identity",
    words="The diagonal's ratio lambda_k/q_kk stays below e^epsilon by a fraction that is not negative.",
    latex=r"\frac{e^{\epsilon}(e^{\epsilon} - 1)}{e^{\epsilon} + P_k - 1} \ge 0",
    family=SCALED,
    printed=lambda point: np.asarray(point.E * (point.E - 1) / (point.E + point.prior - 1)),
    test=_is_room_above,
)
