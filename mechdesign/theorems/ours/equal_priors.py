"""The optimum of local information privacy where all inputs are equally likely."""

from __future__ import annotations

from math import floor

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import ErrorProbability, HistogramMMSE, MutualInformation, Separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.lip_vertices import levels, mechanism
from mechdesign.theorems.variables import Choice, Distribution, Real, Whole

#: The utilities that do not change when the inputs change places.
SYMMETRIC = (HistogramMMSE, MutualInformation, ErrorProbability)


def asked(point: Point) -> Question:
    """Return the question of a symmetric utility, at a prior that is uneven by a share."""
    prior = (1.0 - point.uneven) / point.n + point.uneven * point.other
    return Question(Problem(prior=prior), LIP(point.epsilon), point.objective)


def cyclic(question: Question) -> Published:
    """Return the n cyclic shifts of one vertex, each of mass 1/n.

    ``k = floor(n tau)`` inputs are as likely as they may be, one takes what is left, ``phi = n tau - k``.
    """
    prior, low, tau = levels(question)
    n = len(prior)
    k = floor(n * tau)
    phi = n * tau - k
    # tau is at most one half, so that k is less than n.
    vertex = np.array([*[1.0] * k, phi, *[0.0] * (n - k - 1)]) / (n * tau)
    parts = np.stack([np.roll(vertex, shift) for shift in range(n)], axis=1)
    value = None
    if isinstance(question.objective, HistogramMMSE):
        exp = 1.0 / low
        squares = k * exp**2 + (low + phi * (exp - low)) ** 2 + (n - k - 1) * low**2
        value = 1.0 - squares / n**2
    return Published(mechanism(question, parts, np.full(n, 1.0 / n)), value)


def _evenness(question: Question) -> tuple[float, float]:
    prior, _, _ = levels(question)
    return float(prior.min()), 1.0 / len(prior)


def _further(question: Question) -> str | None:
    if isinstance(question.objective, SYMMETRIC):
        return None
    return f"it is about {', '.join(kind.__name__ for kind in SYMMETRIC)}, not {question.objective.name}"


M8 = Theorem(
    key="ours/M8",
    place="optimum of LIP with equal priors",
    origin=(
        "not published, as far as we know for LIP; averaging over the symmetries of a question is a standard argument"
    ),
    kind="exact optimum",
    words=(
        "Where all n inputs are equally likely, the cyclic shifts of one vertex, each of mass 1/n, are optimal for "
        "every sublinear utility that does not change when the inputs change places."
    ),
    latex=(
        r"1 - \frac{1}{n^2} \left[k E^2 + \left(\frac{1}{E} + \phi \left(E - \frac{1}{E}\right)\right)^2 "
        r"+ \frac{n - k - 1}{E^2}\right], \quad k = \lfloor n \tau \rfloor, \quad \phi = n \tau - k, \quad "
        r"\tau = \frac{1}{1 + E}"
    ),
    # All vertices are permutations of one, so the utility is the same at each; the shifts have the prior as their mean.
    family=Family(
        {
            "n": Whole(2, 6),
            "epsilon": Real(0.05, 4.0),
            "other": Distribution("n", least=0.01),
            "uneven": Choice((0.0, 0.2)),
            "objective": Choice((HistogramMMSE(), MutualInformation(), ErrorProbability())),
        },
        subject=asked,
    ),
    printed=cyclic,
    test=is_optimal,
    claimed=(Condition("min prior", "1/n", _evenness),),
    form=Form(LIP, Separable, "utilities that are sums over outputs", further=_further),
)
