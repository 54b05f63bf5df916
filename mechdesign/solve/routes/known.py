"""Route `known`: the best of some known private mechanisms, with a bound from the best of a few cheap multipliers.

Constant mechanisms, full disclosure where that is private, subset selection and Hadamard response, the exponential
mechanism of a metric, k-ary randomised response and randomised response on two intervals, at the strongest level that
the notion allows. No solver is called. `auto` takes it only where every other route refuses or failed, and designs
that miss the gap are compared with these mechanisms and bounds. Where pricing would be no quick sum, the bound is the
value without privacy.
"""

from __future__ import annotations

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.objectives.information_design import is_design, is_of_one_figure
from mechdesign.solve.certificate.bound import is_priced_at_once
from mechdesign.solve.search.guessed_multipliers import best_guess
from mechdesign.solve.search.known_mechanisms import best
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, without_solver
from mechdesign.solve.task.route import SINGULAR


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    of_all = is_design(task.objective) and not is_of_one_figure(task.objective)
    if of_all and task.outputs is not None and task.outputs < task.problem.n:
        return Refusal(SINGULAR.format(n=task.problem.n))
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


def size(task: Task) -> Size:
    """Return none: its arrays follow the size of the matrix."""
    return Size()


ROUTE = Route("known", without_solver, plan, size, is_exact=False)
