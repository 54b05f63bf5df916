"""The least absolute error of two inputs under local information privacy, and when the squared error goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, AbsoluteError
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal, Optimum, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.binary_lip import exact_binary
from mechdesign.theorems.ours.lip_vertices import levels
from mechdesign.theorems.variables import Distribution, Real


def asked(point: Point) -> Question:
    """Return the question of the least absolute error of the reported bit."""
    return Question(Problem(prior=point.prior, values=[0.0, 1.0]), LIP(point.epsilon), AbsoluteError())


def least_absolute(question: Question) -> tuple[Published, float]:
    """Return the mechanism, its error, and how much larger the error of the least squares mechanism is.

    With m the probability of the rarer input the error is ``2 m (1-m)/E`` where ``m >= tau``, ``(1 - m(E-1))/(1+E)``
    where ``1/(2E) <= m < tau``, and m, that of the constant report, below; there the other is larger by
    ``(1 - 2 m E)/(1 + E)``.
    """
    prior, low, tau = levels(question)
    m = float(prior.min())
    if m < low / 2.0:
        constant = np.tile(np.eye(2)[prior.argmax()], (2, 1))
        return Published(constant, m), (low - 2.0 * m) / (low + 1.0)
    error = 2.0 * m * (1.0 - m) * low if m >= tau else (low - m * (1.0 - low)) / (low + 1.0)
    return Published(exact_binary(question).matrix, error), 0.0


def _is_least(question: Question, given: tuple[Published, float]) -> Iterator[Check]:
    least, more = given
    yield from is_optimal(question, least)
    squared = replace(question, objective=MMSE())
    matrix = exact_binary(squared).matrix
    yield Equal(MMSE().value(matrix, question.problem), Optimum(squared), "the mechanism of the least squared error")
    assert least.value is not None, "the formula gives one"
    own = min(question.objective.value(matrix[:, order], question.problem) for order in ([0, 1], [1, 0]))
    yield Equal(least.value + more, own, "the absolute error of the mechanism of the least squared error")


# The absolute error is the mean of min(p, 1-p) over the posteriors p of the rarer input, which is concave: the extreme
# posteriors have the least. The upper one, at m E below tau, makes the rarer input the better report iff m E >= 1/2.
# The squared error is strictly concave, so its optimum is one mechanism, up to the names of its outputs: it is optimal
# for both errors iff m >= 1/(2E).
M5 = Theorem(
    key="ours/M5",
    place="least absolute error of two inputs under LIP",
    origin=("not published, as far as we know; the squared error of two inputs under LIP is in Jiang, Li, Tandon 2018"),
    kind="exact optimum",
    words=(
        "With m the probability of the rarer of two inputs, the least absolute error of the report under LIP is "
        "2 m (1-m)/E where m >= tau = 1/(1+E), (1 - m(E-1))/(1+E) where 1/(2E) <= m < tau, and m, that of a constant "
        "report, below. One mechanism has the least squared error and the least absolute error iff m >= 1/(2E)."
    ),
    latex=(
        r"\frac{2 m (1-m)}{E} \text{ if } m \ge \tau; \quad \frac{1 - m(E-1)}{1+E} \text{ if } "
        r"\frac{1}{2E} \le m < \tau; \quad m \text{ if } m < \frac{1}{2E}"
    ),
    family=Family({"epsilon": Real(0.05, 4.0), "prior": Distribution(2)}, subject=asked),
    printed=least_absolute,
    test=_is_least,
)
