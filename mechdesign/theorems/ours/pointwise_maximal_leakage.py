"""Optima under pointwise maximal leakage in closed form: high privacy, two inputs, equally likely inputs.

Mechanisms of this kind are published by L. Grosse, S. Saeidian, T. J. Oechtering (arXiv 2310.07381), which was read as
an abstract: the formulas here were derived anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from mechdesign.notions import MaxLift
from mechdesign.objectives import MMSE, ErrorProbability, MutualInformation, Separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Form, Theorem
from mechdesign.theorems.checks import Check, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole

#: Beyond this level, whose exponential is next to the largest float, every condition on it is decided.
LARGEST = 700.0
UTILITIES = Choice((MutualInformation(), MMSE(), ErrorProbability()))


def asked(point: Point) -> Question:
    """Return the question of the point's objective under max-lift."""
    return Question(Problem(prior=point.prior, values=point.values), MaxLift(point.epsilon), point.objective)


def _ratio(question: Question) -> float:
    return math.exp(min(question.notion.parameter, LARGEST))


def _inverse(question: Question) -> float:
    return math.exp(-question.notion.parameter)


def _rarer(question: Question) -> float:
    prior = question.problem.required_prior
    return float(prior.min())


def _is_optimal(question: Question, given: Published) -> Iterable[Check]:
    # An error of 0, at the end of a domain, is a difference of terms of the size of that without any report.
    without = question.objective.value(np.ones((question.problem.n, 1)), question.problem)
    return is_optimal(question, given, abs(without))


def high_privacy(question: Question) -> Published:
    """Return ``e^epsilon P_y`` beside the diagonal, and what is left of one on it."""
    prior, ratio = question.problem.required_prior, _ratio(question)
    matrix = np.tile(ratio * prior, (len(prior), 1))
    # At the end of the domain one of them is 0 but for rounding, which would be a negative probability.
    np.fill_diagonal(matrix, np.maximum(1.0 - ratio * (1.0 - prior), 0.0))
    return Published(matrix)


HIGH = Theorem(
    key="ours/pml-high-privacy",
    place="max-lift at high privacy",
    origin=(
        "reconstructed from the abstract of Grosse, Saeidian, Oechtering 2023, which announces the case of high privacy"
    ),
    kind="exact optimum",
    words=(
        "For e^epsilon at most 1/(1 - min prior), Q[x, y] = e^epsilon P_y beside the diagonal and 1 - e^epsilon "
        "(1 - P_x) on it is optimal under max-lift for every utility that is a sum over columns."
    ),
    latex=r"Q_{xy} = e^{\epsilon} P_y, \quad Q_{xx} = 1 - e^{\epsilon} (1 - P_x)",
    # At mass one an extreme column has e^epsilon everywhere but at inputs of mass 1 - e^-epsilon together: at one
    # input, where each has more than that alone.
    family=Family(
        {
            "n": Whole(2, 4),
            "epsilon": Real(0.01, 1.5, log=True),
            "prior": Distribution("n", least=0.05),
            "values": Vector("n", 0.0, 5.0),
            "objective": UTILITIES,
        },
        subject=asked,
    ),
    printed=high_privacy,
    test=_is_optimal,
    claimed=(Condition("e^-epsilon", "1 - min prior", lambda question: (_inverse(question), 1.0 - _rarer(question))),),
    form=Form(MaxLift, Separable, "utilities that are sums over outputs"),
)


def binary(question: Question) -> Published:
    """Return the mechanism in which the rarer input always has the first report."""
    prior = question.problem.required_prior
    rare = int(prior[1] < prior[0])
    p, low = float(prior[rare]), 1.0 / _ratio(question)
    # At the end of the domain the difference is 0 but for rounding, which would be a negative probability.
    common = max(low - p, 0.0) / (1.0 - p)
    matrix = np.array([[1.0, 0.0], [common, 1.0 - common]])
    return Published(matrix[::-1] if rare else matrix)


BINARY = Theorem(
    key="ours/pml-binary",
    place="max-lift of two inputs",
    origin=(
        "reconstructed from the abstract of Grosse, Saeidian, Oechtering 2023, which announces the case of two inputs"
    ),
    kind="exact optimum",
    words=(
        "For two inputs, of which the rarer has the probability p, and e^epsilon between 1/(1 - p) and 1/p, the rarer "
        "one always has the first report and the other has it with probability (e^-epsilon - p)/(1 - p): optimal under "
        "max-lift for every utility that is a sum over columns."
    ),
    latex=r"Q = \begin{pmatrix} 1 & 0 \\ a & 1 - a \end{pmatrix}, \quad a = \frac{e^{-\epsilon} - p}{1 - p}",
    family=Family(
        {
            "epsilon": Real(0.05, 3.0),
            "prior": Distribution(2, least=0.05),
            "values": Vector(2, 0.0, 5.0),
            "objective": UTILITIES,
        },
        subject=asked,
    ),
    printed=binary,
    test=_is_optimal,
    claimed=(
        Condition("1 - p", "e^-epsilon", lambda question: (1.0 - _rarer(question), _inverse(question))),
        Condition("e^-epsilon", "p", lambda question: (_inverse(question), _rarer(question))),
    ),
    form=Form(MaxLift, Separable, "utilities that are sums over outputs", inputs=2),
)


def circulant(question: Question) -> Published:
    """Return the shifts of a column with ``floor(n/E)`` ones and the rest of ``n/E``, times ``E/n``."""
    n, ratio = question.problem.n, _ratio(question)
    filled = np.clip(n / ratio - np.arange(n), 0.0, 1.0)
    full = math.floor(n / ratio)
    value = full / n * ratio * question.notion.parameter
    part = n / ratio - full
    if part * ratio > 0.0:
        value += part * ratio * math.log(part * ratio) / n
    shifts = np.subtract.outer(np.arange(n), np.arange(n)) % n
    return Published(ratio / n * filled[shifts], value)


UNIFORM = Theorem(
    key="ours/pml-uniform",
    place="max-lift of equally likely inputs",
    origin=(
        "reconstructed from the abstract of Grosse, Saeidian, Oechtering 2023, which announces the case of "
        "equal probabilities"
    ),
    kind="exact optimum",
    words=(
        "For n equally likely inputs the shifts of one column with k = floor(n/E) entries E/n and one entry E/n times "
        "f = n/E - k are optimal under max-lift, E = e^epsilon; the information is (k E ln E + f E ln(f E))/n."
    ),
    latex=r"\frac{k E \ln E + f E \ln(f E)}{n}, \quad k = \lfloor n/E \rfloor, \quad f = \frac{n}{E} - k",
    family=Family(
        {"n": Whole(2, 6), "epsilon": Real(0.05, 2.5)},
        subject=lambda point: Question(
            Problem(prior=np.full(point.n, 1.0 / point.n)), MaxLift(point.epsilon), MutualInformation()
        ),
    ),
    printed=circulant,
    test=is_optimal,
)
