"""Route `convex`: one cvxpy program over Q, for every linear and piecewise-linear objective and every notion."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import InfeasibleError, SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Linear, PiecewiseLinear, Separable
from mechdesign.solve.backends import SolverStats
from mechdesign.solve.certify import utility_bound
from mechdesign.solve.convex_certificate import Duals, mixture, row_bound
from mechdesign.solve.convex_program import Program, build, dual, matrix, output_count, run
from mechdesign.solve.repair import repair
from mechdesign.solve.task import Candidate, Clock, Route, Task
from mechdesign.solve.user_constraints import (
    OwnTerms,
    Tangent,
    largest,
    own_rules,
    own_terms,
    tangent_rules,
    tangents,
    violations,
)
from mechdesign.tolerances import SUBJECT_TO

#: Up to this many entries of `Q` the simplex method is as quick as an interior point.
VERTEX_SIZE = 900
#: Rounds of further tangents to the user's own constraints, and how far off the solver's matrix they are taken.
MOST_TANGENTS = 24
NEAR = 1e-3


def refusal(task: Task) -> str | None:
    """Return why the route cannot answer, or None."""
    objective = task.objective
    if not isinstance(objective, Linear | PiecewiseLinear):
        if isinstance(objective, Separable):
            return (
                f"{objective.name} is the maximum of a convex utility, which is no convex program over Q; "
                "the routes rays and columns are exact for it"
            )
        return f"{objective.name} is neither linear nor a maximum of linear pieces, so its bound cannot be certified"
    count = output_count(objective, task.problem)
    if task.outputs is not None and task.outputs < count:
        return (
            f"{objective.name} has {count} decisions, and which {task.outputs} of them to keep is a choice among "
            "subsets, no convex program"
        )
    return None


def solve(task: Task) -> Candidate:
    """Minimise the objective over stochastic, private Q; return it with the multipliers that bound it best.

    Constraints of the user's own (``task.subject_to``) hold to solver tolerance and survive the repair within
    SUBJECT_TO: the matrix is repaired here, its violation measured, and the bound is over every private mechanism
    that misses them no more than that. It is tight where they are comparisons of expressions in Q alone; those
    with further variables, and cones written as such, do not enter the bound.
    """
    clock = Clock()
    program = build(task, partial(own_rules, task.subject_to))
    clock.lap("build")
    stats = run(program, task)
    compiling = float(program.problem.compilation_time or 0.0)
    found = matrix(program, stats)
    note = f"over {found.size} entries of Q"
    if program.own:
        clock.lap("solve")
        found, multipliers, said = _with_own(program, found, task, stats)
        note = f"{note}, {said}"
    else:
        multipliers = _multipliers(program, task, None)
    clock.lap("solve")
    timings = {**clock.timings, "compile": compiling, "solve": max(clock.timings["solve"] - compiling, 0.0)}
    return Candidate(found, multipliers, stats, timings, note)


def _multipliers(program: Program, task: Task, own: OwnTerms | None) -> Multipliers:
    """Return the solver's row multipliers or those of the route's own certificate, whichever bound is better."""
    notion, objective, problem = task.notion, task.objective, task.problem
    cone, budget = notion.cone(problem), notion.budget(problem)
    n, outputs = program.Q.shape
    groups, each = budget.pieces.shape[:2]
    peaks, limit = (program.rules[-2], program.rules[-1]) if len(budget) else (None, None)
    duals = Duals(
        dual(program.rules[1] if len(cone.on_column) else None, (len(cone.on_column), outputs)) * program.scale,
        None if program.pieces is None else dual(program.pieces, (program.pieces.args[0].size,)),
        np.maximum(dual(limit, (groups,)) * program.scale, 0.0),
        dual(peaks, (groups * each, outputs)).reshape(groups, each, outputs),
    )
    if isinstance(objective, PiecewiseLinear):
        cost = mixture(objective.pieces(problem), duals.weights, n)
    else:
        assert isinstance(objective, Linear), "refusal() was asked first"
        cost = objective.cost(problem)
    cost = cost if own is None else cost + own.cost
    bound = row_bound(cost, duals, cone, notion.normal(problem), budget)
    ours = Multipliers(-bound.rows, duals.budget, duals.weights)
    if own is not None:
        ours = replace(ours, own_cost=own.cost, own_constant=own.constant)
    theirs = replace(ours, rows=dual(program.rows, (n,)) * program.scale)
    return min((ours, theirs), key=partial(_bound, task))


def _bound(task: Task, multipliers: Multipliers) -> float:
    return utility_bound(task.notion, task.objective, task.problem, multipliers).utility


def _with_own(program: Program, found: Array, task: Task, stats: SolverStats) -> tuple[Array, Multipliers, str]:
    """Return the repaired matrix, the best multipliers found under the user's own rules, and what to say of them."""
    repaired = repair(found, task.notion, task.problem, keep_outputs=True).matrix
    touching = tangents(program.own, program.Q, found)
    missed = violations(program.own, program.Q, repaired)
    worst = largest(missed, touching)
    if not worst <= SUBJECT_TO:
        raise SolverError(
            f"The private matrix of {stats.name} ({stats.status}) misses your own constraints by {worst:.1e}, "
            f"more than {SUBJECT_TO:g}; another solver may do better.",
            status=stats.status,
            iterate=repaired,
        )
    claimed = [program.own[tangent.rule].dual_value for tangent in touching]
    best = _multipliers(program, task, _scaled(program, touching, claimed, missed))
    value = task.objective.value(repaired, task.problem)
    enough = task.objective.to_utility(value, task.problem) + 0.1 * task.gap * abs(value)
    if _bound(task, best) > enough and not all(tangent.is_whole for tangent in touching):
        best = _tightened(program, task, found, touching, missed, best, enough)
    return repaired, best, f"your own constraints missed by at most {worst:.1e}"


def _tightened(
    program: Program,
    task: Task,
    found: Array,
    touching: list[Tangent],
    missed: list[Array],
    best: Multipliers,
    enough: float,
) -> Multipliers:
    """Return better multipliers, from programs in which tangents stand for the user's own rules.

    The tangents at one point say little where a rule bends. Each round adds those just off the solver's matrix,
    towards what the program with the present tangents would choose.
    """
    for _ in range(MOST_TANGENTS):
        if task.late:
            break
        relaxed = build(task, partial(tangent_rules, touching))
        try:
            chosen = matrix(relaxed, run(relaxed, task))
        except (SolverError, InfeasibleError):
            # The bound at hand is sound; a solver that gives up here costs tightness only.
            break
        claimed = [rule.dual_value for rule in relaxed.own]
        made = _multipliers(relaxed, task, _scaled(relaxed, touching, claimed, missed))
        best = min((best, made), key=partial(_bound, task))
        if _bound(task, best) <= enough:
            break
        near = tangents(program.own, program.Q, found + NEAR * (chosen - found))
        touching = touching + [tangent for tangent in near if not tangent.is_whole]
    return best


def _scaled(program: Program, touching: list[Tangent], claimed: list[Any], missed: list[Array]) -> OwnTerms:
    numbers = [None if each is None else np.asarray(each, dtype=float) * program.scale for each in claimed]
    return own_terms(touching, numbers, missed, program.Q.shape)


def preferred(task: Task) -> str:
    """Return HiGHS's simplex method for small linear programs, whose vertices have clean zeros, otherwise Clarabel."""
    outputs = task.objective.outputs(task.problem) or task.problem.n
    small = task.problem.n * outputs <= VERTEX_SIZE
    return "HIGHS" if small and task.subject_to is None else "CLARABEL"


ROUTE = Route("convex", ("CLARABEL", "ECOS", "SCS", "HIGHS"), refusal, solve, preferred)
