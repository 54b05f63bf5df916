"""Route `known`: the best of some known private mechanisms, with a bound from the best of a few cheap multipliers.

Constant mechanisms, full disclosure where that is private, subset selection and Hadamard response, the exponential
mechanism of a metric, k-ary randomised response and randomised response on two intervals, at the strongest level that
the notion allows. No solver is called. `auto` takes it only where every other route refuses or failed, and designs
that miss the gap are compared with these mechanisms and bounds. Where pricing would be no quick sum, the bound is the
value without privacy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import MaximalLeakage
from mechdesign.objectives import InformationDesign, PiecewiseLinear
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import is_priced_at_once, utility_bound
from mechdesign.solve.certificate.one_figure import is_of_one_figure
from mechdesign.solve.pricing.leaked_information import is_of_leakage, leakage_multipliers
from mechdesign.solve.routes.known_mechanisms import best
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, without_solver

#: Pieces that lie so near to the largest, as a share, have it.
NEAR_LARGEST = 1e-9


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    of_all = isinstance(task.objective, InformationDesign) and not is_of_one_figure(task.objective)
    if of_all and task.outputs is not None and task.outputs < task.problem.n:
        n = task.problem.n
        return Refusal(f"with fewer outputs than the {n} inputs the information matrix is singular; raise outputs")
    return Plan(_best_known)


def _best_known(task: Task, solver: str) -> Candidate:
    """Return the best of the mechanisms, with the multipliers of the least bound; raise where none has a value."""
    stages = Stages()
    name, matrix = best(task)
    stages.lap("solve")
    priced = is_priced_at_once(task.notion, task.objective, task.problem)
    multipliers = best_guess(task, matrix) if priced else Multipliers(np.zeros(task.problem.n))
    stages.lap("price")
    stats = SolverStats(ROUTE.solvers[0], "not needed", stages.timings["solve"], 0)
    return Candidate(matrix, multipliers, stats, stages.timings, name)


def best_guess(task: Task, matrix: Array) -> Multipliers:
    """Return the multipliers of least bound among the guesses, or the first where the deadline passes."""
    offered = list(guesses(task, matrix))
    best_of, least = offered[0], np.inf
    for multipliers in offered:
        if is_late():
            break
        try:
            bound = utility_bound(task.notion, task.objective, task.problem, multipliers, 0.0, task.outputs).utility
        except UnsupportedError:
            break
        if bound < least:
            best_of, least = multipliers, bound
    return best_of


def guesses(task: Task, matrix: Array) -> Iterator[Multipliers]:
    """Yield multipliers that any sound bound takes: none, the slopes at a constant column, and what fits the matrix."""
    objective, problem = task.objective, task.problem
    yield Multipliers(np.zeros(problem.n))
    constant = np.ones((problem.n, 1))
    if isinstance(task.notion, MaximalLeakage) and is_of_leakage(task.notion, objective, problem):
        yield leakage_multipliers(task.notion, problem)
    if isinstance(objective, Exponent | InformationDesign):
        return
    if is_separable(objective):
        yield Multipliers(objective.supporting(constant, problem)[:, 0])
        gains = objective.gains(problem)
        decided_columns = gains is not None and matrix.shape[1] == len(gains)
        made = matrix.max(axis=0) > 0
        utility = np.einsum("yx,xy->y", gains, matrix)[made] if decided_columns and gains is not None else None
        columns = matrix[:, made]
        yield by_slackness(task, columns, objective.column_utility(columns, problem) if utility is None else utility)
    elif is_convex(objective):
        made = matrix.max(axis=0) > 0
        for weights in _weights(task, matrix):
            cost = objective.minorant(weights, problem)
            yield Multipliers(-cost[:, int(cost.sum(axis=0).argmin())], weights=weights)
            if matrix.shape[1] == cost.shape[1]:
                found = by_slackness(task, matrix[:, made], -np.einsum("xy,xy->y", cost, matrix)[made])
                yield replace(found, weights=weights)


def _weights(task: Task, matrix: Array) -> Iterator[Array | None]:
    """Yield weights of the pieces: equal ones, and equal ones of those that are largest at the matrix."""
    yield None
    if isinstance(task.objective, PiecewiseLinear) and task.objective.outputs(task.problem) == matrix.shape[1]:
        values = np.asarray(task.objective.pieces(task.problem) @ matrix.ravel())
        largest = float(values.max())
        yield (values >= largest - NEAR_LARGEST * max(abs(largest), float(np.abs(values).max()))).astype(float)


def by_slackness(task: Task, matrix: Array, utility: Array) -> Multipliers:
    """Return least squares for ``lam . q_y + nu beta(q_y) = utility_y`` over the columns, each at mass one.

    Parameters
    ----------
    matrix : ndarray, shape (n, m)
        Columns of positive mass.
    utility : ndarray, shape (m,)
        What each adds to the utility.
    """
    n = task.problem.n
    mass = task.notion.normal(task.problem) @ matrix
    budget = task.notion.budget(task.problem)
    left = np.hstack([matrix.T, budget.cost(matrix).T]) / mass[:, None]
    found = np.asarray(np.linalg.lstsq(left, utility / mass, rcond=None)[0], dtype=float)
    return Multipliers(found[:n], np.maximum(found[n:], 0.0))


def size(task: Task) -> Size:
    """Return none: its arrays follow the size of the matrix."""
    return Size()


ROUTE = Route("known", without_solver, plan, size, is_exact=False)
