"""Local differential privacy with a utility of ratio type: randomised response on consecutive cells is optimal.

Sort the inputs by their ratio r. Fix the decisions t_1 <= ... <= t_m and the column minima c_j, and write
``q_j(x) = c_j (1 + (E-1) z_j(x))`` with z in [0, 1] and ``E = e^epsilon``. Each x hands out the same mass
``(1 - sum c)/(E-1)``, and the problem separates over x: hand it to the decisions with the largest tangent value
``f(t_j) + f'(t_j)(r_x - t_j)``. That is unimodal in t about r_x and supermodular in (r_x, t), so each x fills a window
of the same length of the mass coordinate, and the windows move along with r_x. Slicing the coordinate at that distance
cuts the inputs into consecutive cells, and the mechanism is a mixture of randomised responses on cells.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.domains import Array
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

#: Above it the table of all cells is too large.
MOST_INPUTS = 300


def sorted_inputs(question: Question) -> Any:
    """Return the inputs by their ratio; where the second part is 0 it is infinite."""
    assert isinstance(question.objective, RatioType), "the form is about utilities of ratio type"
    ratio = question.objective.ratio(question.problem)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.nan_to_num(np.asarray(ratio.a) / np.asarray(ratio.b), nan=0.0, posinf=np.inf)
    return np.argsort(ratios, kind="stable")


def gains_of_cells(question: Question, order: Any) -> Array:
    """Return the utility of ``e^-epsilon + (1 - e^-epsilon) 1_cell`` for the cells from i to before j, i < j."""
    n, low = question.problem.n, float(np.exp(-question.notion.parameter))
    objective = question.objective
    assert isinstance(objective, RatioType), "the form is about utilities of ratio type"
    gains = np.full((n + 1, n + 1), -np.inf)
    for start in range(n):
        inside = np.zeros((n, n - start))
        inside[order[start:]] = np.triu(np.ones((n - start, n - start)))
        gains[start, start + 1 :] = objective.column_utility(low + (1 - low) * inside, question.problem)
    return gains


def best_cells(gains: Array, low: float) -> tuple[float, list[int]]:
    """Return the largest ``sum_cells gain / (1 + (k - 1) low)`` over k and all cuts into k cells, with its cuts."""
    n = len(gains) - 1
    if low == 1.0:
        # At epsilon 0 no cut tells anything.
        return float(gains[0, n]), [0, n]
    reached, steps = np.full(n + 1, -np.inf), []
    reached[0] = 0.0
    best, cells = -np.inf, 1
    for k in range(1, n + 1):
        sums = reached[:, None] + gains
        steps.append(sums.argmax(axis=0))
        reached = sums.max(axis=0)
        value = float(reached[n]) / (1.0 + (k - 1) * low)
        if value > best:
            best, cells = value, k
    cuts = [n]
    for step in reversed(steps[:cells]):
        cuts.append(int(step[cuts[-1]]))
    return best, cuts[::-1]


def quantised(question: Question) -> Published:
    """Return randomised response on the best cells of consecutive inputs, with its value."""
    low = float(np.exp(-question.notion.parameter))
    order = sorted_inputs(question)
    utility, cuts = best_cells(gains_of_cells(question, order), low)
    cell = np.empty(question.problem.n, dtype=int)
    cell[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    matrix = np.where(cell[:, None] == np.arange(len(cuts) - 1), 1.0, low) / (1.0 + (len(cuts) - 2) * low)
    return Published(matrix, question.objective.from_utility(utility, question.problem))


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


def _small(question: Question) -> str | None:
    n = question.problem.n
    return f"it is worked out for up to {MOST_INPUTS} inputs, not {n}" if n > MOST_INPUTS else None


QUANTISED = Theorem(
    key="ours/quantised-rr",
    place="quantised randomised response",
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
    form=Form(LDP, RatioType, "utilities of ratio type", further=_small),
)
