"""Route `kernels`: an expected loss under metric DP by the best mixture of exponential kernels, for large maps.

The columns are ``e^(-epsilon d(s, x))`` about points s among the inputs and, where these lie in a plane, beside them.
One linear program weighs them; its multipliers, lowered until flows cover them, bound every mechanism.
"""

from __future__ import annotations

from functools import partial

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, now
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes.maps import Merged, expected_loss
from mechdesign.solve.search.map_best import Best
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping

#: Rounds of lowering the multipliers.
ROUNDS = 6


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    known = expected_loss(task)
    return known if isinstance(known, Refusal) else Plan(partial(_mixed, *known))


def _mixed(gains: Array, exponents: Array, task: Task, solver: str) -> Candidate:
    """Weigh the kernels, and cover the multipliers of that program."""
    stages, started = Stages(), now()
    merged = Merged.of(gains, exponents)
    found = Best.obvious(merged.program)
    stages.lap("build")
    with stopping(task, lambda: True) as ending:
        found = found.of_kernels(solver, ROUNDS)
        if is_late():
            ending.said = "time limit"
    merged.report(task, 0, found)
    stages.lap("solve")
    stats = SolverStats(solver, ending.said or "searched", now() - started, 0)
    return merged.candidate(found, task, stats, stages, "exponential kernels", ending)


def size(task: Task) -> Size:
    """Return the size of a dense program over about two kernels for each input."""
    pairs = float(task.problem.n) ** 2 if task.columns.pair_exponents is not None else 0.0
    return Size(bytes_of("kernels", pairs), first=seconds_of("kernels", pairs * task.problem.n))


ROUTE = Route("kernels", of_linear_programs, plan, size, is_exact=False, makes_cone=False)
