"""The best randomised response over at most m cells: a dynamic programme over intervals of inputs sorted by ratio."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.domains import Array
from mechdesign.notions import LDP
from mechdesign.objectives import RatioType
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT


def best_partition(notion: LDP, objective: RatioType, problem: Problem, cells: int) -> Array:
    """Return the best k-ary randomised response on k <= `cells` cells, shape (n, k).

    With ``E = e^epsilon`` its utility is ``sum_cells mu(1 + (E - 1) 1_cell) / (k + E - 1)``, and for utilities of ratio
    type under LDP no mechanism of that many outputs has more where the cells are intervals of the inputs by ratio:
    given decisions, each input hands out the same mass to those that it gains most from, in windows that move with its
    ratio.

    Parameters
    ----------
    cells : int
        At least 1.

    References
    ----------
    ours.
    """
    n, ratio = problem.n, objective.ratio(problem)
    order = np.argsort(ratio.at(np.eye(n)), kind="stable")
    low = float(np.exp(-min(notion.epsilon, LARGEST_EXPONENT)))
    first, second = (np.concatenate([[0.0], part[order].cumsum()]) for part in (ratio.a, ratio.b))

    def worth(start: int, ends: npt.NDArray[np.intp]) -> Array:
        # mu of e^-epsilon + (1 - e^-epsilon) 1_cell, for cells from `start` to each of `ends`.
        above = low * first[-1] + (1.0 - low) * (first[ends] - first[start])
        below = low * second[-1] + (1.0 - low) * (second[ends] - second[start])
        return np.asarray(below * ratio.values(above / below))

    most = min(cells, n)
    best, cut = np.full((most + 1, n + 1), -np.inf), np.zeros((most + 1, n + 1), dtype=int)
    best[0, 0] = 0.0
    for start in range(n):
        ends = np.arange(start + 1, n + 1)
        gained = worth(start, ends)
        for k in range(1, most + 1):
            reached = best[k - 1, start] + gained
            better = ends[reached > best[k, ends]]
            best[k, better] = reached[better - start - 1]
            cut[k, better] = start
    counts = np.arange(1, most + 1)
    k = int(counts[(best[1:, n] / (counts * low + 1.0 - low)).argmax()])
    columns, end = np.full((n, k), low), n
    for cell in range(k - 1, -1, -1):
        start = int(cut[cell + 1, end])
        columns[order[start:end], cell] = 1.0
        end = start
    return columns / (k * low + 1.0 - low)
