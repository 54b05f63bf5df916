"""Which of the user's own constraints contradict each other and the notion, and how nearly the last of them holds."""

from __future__ import annotations

import math
from typing import Any

from mechdesign.displays.visible import shortened
from mechdesign.errors import InfeasibleError, SolverError
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.programs.cvxpy_problem import problem as silent
from mechdesign.solve.programs.over_matrix import INFEASIBLE, WORTH_CERTIFYING, Program, solved
from mechdesign.solve.solvers.catalogue import solver_name, through_cvxpy
from mechdesign.solve.task import Task
from mechdesign.tolerances import SOLVER

#: Constraints up to which each is left out once: a program for each.
MOST_RULES = 100


def contradiction(program: Program, task: Task, solver: str) -> InfeasibleError | None:
    """Return an error that names constraints of which any one less can be satisfied; None if none are found.

    Each constraint is left out in turn, for good if the others are still infeasible (a deletion filter). What a solver
    calls infeasible is believed: nothing is certified.

    References
    ----------
    J. Chinneck, E. Dravnieks, "Locating Minimal Infeasible Constraint Sets in Linear Programs", ORSA Journal on
    Computing 3 (1991).
    """
    own = program.own
    if not own or len(own) > MOST_RULES:
        return None
    kept = list(range(len(own)))
    for index in range(len(own)):
        fewer = [k for k in kept if k != index]
        ended = "" if is_late() else _ended(program, task, solver, 0.0, [own[k] for k in fewer])
        if ended not in (*INFEASIBLE, *WORTH_CERTIFYING):
            return None
        kept = fewer if ended in INFEASIBLE else kept
    if not kept:
        return None
    return InfeasibleError(f"{_said(program, task, kept)}{_reach(program, task, solver, kept)}")


def _ended(program: Program, task: Task, solver: str, goal: Any, rules: list[Any]) -> str:
    """Return how a solver ends on the private matrices that satisfy some rules; empty if it fails."""
    import cvxpy as cp

    name = solver_name(solver)
    posed = silent(goal + 0.0 * cp.sum(program.Q), [program.rows, *program.rules, *rules])
    try:
        return solved(task, posed, name, through_cvxpy(name).options(SOLVER), "Q")[0]
    except SolverError:
        return ""


def _said(program: Program, task: Task, kept: list[int]) -> str:
    named = [f"subject_to(Q)[{k}], {shortened(program.own[k], 80)}" for k in kept]
    if len(kept) == 1:
        return f"No mechanism satisfies {task.notion} together with your own constraint {named[0]}; relax it."
    listed = "; ".join(named)
    return (
        f"No mechanism satisfies {task.notion} together with your own constraints {listed}. Without any one of them "
        "there is a mechanism: relax one."
    )


def _reach(program: Program, task: Task, solver: str, kept: list[int]) -> str:
    """Return by how much the last constraint has to be relaxed beside the others; empty if that is not known."""
    import cvxpy as cp
    from cvxpy.constraints import Equality, Inequality

    *others, last = (program.own[k] for k in kept)
    if not isinstance(last, Equality | Inequality) or is_late():
        return ""
    by = cp.Variable(nonneg=True)
    relaxed = cp.abs(last.expr) <= by if isinstance(last, Equality) else last.expr <= by
    ended = _ended(program, task, solver, by, [*others, relaxed])
    least = float(by.value) if ended in WORTH_CERTIFYING and by.value is not None else math.nan
    if not least > SOLVER:
        return ""
    return f" {'The last one' if others else 'It'} is missed by {least:.4g} at least."
