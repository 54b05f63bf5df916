"""Local differential privacy with a utility of ratio type: randomised response on consecutive cells is optimal.

Sort the inputs by their ratio r. Fix the decisions t_1 <= ... <= t_m and the column minima c_j, and write
``q_j(x) = c_j (1 + (E-1) z_j(x))`` with z in [0, 1] and ``E = e^epsilon``. Each x hands out the same mass
``(1 - sum c)/(E-1)``, and the problem separates over x: hand it to the decisions with the largest tangent value
``f(t_j) + f'(t_j)(r_x - t_j)``. That is unimodal in t about r_x and supermodular in (r_x, t), so each x fills a window
of the same length of the mass coordinate, and the windows move along with r_x. Slicing the coordinate at that distance
cuts the inputs into consecutive cells, and the mechanism is a mixture of randomised responses on cells.
"""

from __future__ import annotations

import numpy as np

from mechdesign.baselines.interval_partition import best_cells
from mechdesign.notions import LDP
from mechdesign.objectives import (
    MMSE,
    ChiSquare,
    FisherInformation,
    Hellinger,
    KLDivergence,
    Objective,
    RatioType,
    TotalVariation,
)
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole
from mechdesign.tolerances import LARGEST_EXPONENT


def quantised(question: Question) -> Published:
    """Return randomised response on the best cells of consecutive inputs, with its value."""
    objective, problem = question.objective, question.problem
    assert isinstance(objective, RatioType), "the form is about utilities of ratio type"
    low = float(np.exp(-min(question.notion.parameter, LARGEST_EXPONENT)))
    matrix = best_cells(objective.ratio(problem), low).matrix(low)
    utility = float(objective.column_utility(matrix, problem).sum())
    return Published(matrix, objective.from_utility(utility, problem))


def asked(point: Point) -> Question:
    """Return the question of one of the utilities of ratio type."""
    mixtures = {"first": point.first, "second": point.prior}
    objectives: dict[str, Objective] = {
        "MMSE": MMSE(),
        "Fisher": FisherInformation(point.prior, point.values),
        "KL": KLDivergence(**mixtures),
        "chi-square": ChiSquare(**mixtures),
        "Hellinger": Hellinger(**mixtures),
        "TV": TotalVariation(**mixtures),
    }
    problem = Problem(prior=point.prior, values=point.values)
    return Question(problem, LDP(point.epsilon), objectives[point.useful])


QUANTISED = Theorem(
    key="ours/quantised-rr",
    place="quantised randomised response",
    origin=(
        "for f-divergences of two hypotheses in Ghazi 2026 (as an abstract says), the extreme points of their "
        "joint range in Pensia et al. 2023; found here independently, with signed numerators (squared error, "
        "Fisher information), passes of n^2 steps and a dual certificate"
    ),
    kind="exact optimum",
    words=(
        "For a utility of ratio type, some optimal mechanism under local differential privacy cuts the inputs, sorted "
        "by their ratio, into k consecutive cells and applies k-ary randomised response to the cell."
    ),
    latex=(r"\max_{k, cells} \frac{1}{k + E - 1} \sum_{cells} \mu(1 + (E - 1) 1_{cell}), \quad E = e^{\epsilon}"),
    family=Family(
        {
            "n": Whole(2, 6),
            "epsilon": Real(0.05, 5.0),
            "prior": Distribution("n", least=0.01),
            "first": Distribution("n", least=0.01),
            "values": Vector("n", -1.0, 1.0, balanced=True),
            "useful": Choice(("MMSE", "Fisher", "KL", "chi-square", "Hellinger", "TV")),
        },
        subject=asked,
    ),
    printed=quantised,
    test=is_optimal,
    form=Form(LDP, RatioType, "utilities of ratio type"),
)
