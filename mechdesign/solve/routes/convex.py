"""Route `convex`: one cvxpy program over Q, for every linear and convex objective and every notion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mechdesign.displays.numbers import rounded_up
from mechdesign.errors import DomainError, InfeasibleError, SolverError
from mechdesign.exact import dyadic
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Linear, PiecewiseLinear
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.revealing_outputs import decided, makes_decisions
from mechdesign.solve.programs.contradictions import contradiction
from mechdesign.solve.programs.matrix_multipliers import bound_of, multipliers_of
from mechdesign.solve.programs.over_matrix import Program, build, matrix, output_count, run
from mechdesign.solve.programs.user_constraints import (
    OwnTerms,
    Tangent,
    equations,
    largest,
    own_rules,
    own_terms,
    tangent_rules,
    tangents,
    violations,
)
from mechdesign.solve.repair.exact_equations import Equations, constant_row, exactly
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.solve.resources.programs import (
    BY_CVXPY,
    cone_bytes,
    cone_seconds,
    mass_seconds,
    numbers_over_matrix,
    own_columns,
    program_bytes,
    program_seconds,
)
from mechdesign.solve.solvers.catalogue import of_cvxpy_programs
from mechdesign.solve.solvers.claimed_numbers import real_numbers
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.solvers.rule import SOLVER_RULE
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, used
from mechdesign.tolerances import SOLVER, SUBJECT_TO

#: Rounds of further tangents to the user's own constraints, and how far off the solver's matrix they are taken.
MOST_TANGENTS = 24
NEAR = 1e-3
#: Parts of the level at which a mechanism inside of all constraints is looked for.
STRICTER = (0.5, 0.9, 0.99)
#: What is said of equations that hold in floating point only.
INEXACT = "their equations were not made exact,"


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    why = _why_not(task)
    if why is not None:
        return Refusal(why)
    silent = task.objective.measures_leakage and task.subject_to is None
    return Plan(_silent if silent else _over_matrix, preferred(task))


def _why_not(task: Task) -> str | None:
    objective = task.objective
    if is_separable(objective) and objective.gains(task.problem) is None:
        return (
            f"{objective.name} is the maximum of a convex utility, which is no convex program over Q; "
            "the routes rays and columns are exact for it"
        )
    if isinstance(objective, Exponent):
        return f"{objective.name} is no convex program over Q at any order; the route orders is exact for it"
    if not is_separable(objective) and not is_convex(objective):
        return f"{objective.name} is neither linear nor convex with known minorants, so its bound cannot be certified"
    if task.subject_to is not None and is_separable(objective) and not isinstance(objective, Linear):
        return f"your own constraints would be on the decisions of {objective.name}, not on the outputs"
    own = task.subject_to is not None and not makes_decisions(objective, task.problem)
    if own and task.columns.revealed:
        return (
            f"{task.notion.name} lets outputs reveal an input, which the certificate of {objective.name} under "
            "constraints of your own does not see"
        )
    count = output_count(task)
    if task.outputs is not None and task.outputs < count:
        return (
            f"{objective.name} has {count} decisions, and which {task.outputs} of them to keep is a choice among "
            "subsets, no convex program; the route few_outputs searches them"
        )
    return None


def _over_matrix(task: Task, solver: str) -> Candidate:
    """Minimise the objective over stochastic, private Q; return it with the multipliers that bound it best.

    Constraints of the user's own (``task.subject_to``) hold to solver tolerance and survive the repair within
    SUBJECT_TO, linear equations exactly: the matrix is repaired here, its violation measured, and the bound is over
    every private mechanism that misses them no more than that. It is tight where they are comparisons of expressions in
    Q alone; those with further variables, and cones written as such, do not enter the bound.
    """
    stages = Stages()
    program = build(task, partial(own_rules, task.subject_to))
    stages.lap("build")
    try:
        stats = run(program, task, solver)
    except InfeasibleError as error:
        raise contradiction(program, task, solver) or error from None
    compiling = float(program.problem.compilation_time or 0.0)
    found = matrix(program, stats)
    note, keeps, interrupted = f"over {found.size} entries of Q", None, False
    if program.own:
        stages.lap("solve")
        found, multipliers, said, exact = _with_own(program, found, task, stats)
        keeps = partial(_keeps, program, violations(program.own, program.Q, found), exact.equations)
        note, interrupted = f"{note}, {said}", exact.interrupted
    else:
        multipliers = multipliers_of(program, task, None)
    stages.lap("solve")
    if is_separable(task.objective) and not isinstance(task.objective, Linear):
        found = used(found)
    timings = {**stages.timings, "compile": compiling, "solve": max(stages.timings["solve"] - compiling, 0.0)}
    return Candidate(found, multipliers, stats, timings, note, interrupted, keeps_constraints=keeps)


def _silent(task: Task, solver: str) -> Candidate:
    """Return the mechanism of one output: without constraints of the user, disclosing nothing leaks least."""
    stages, n = Stages(), task.problem.n
    stats = SolverStats(solver, "not needed", 0.0, 0)
    note = "a constant report leaks least; give subject_to what the outputs have to be good for"
    return Candidate(np.ones((n, 1)), Multipliers(np.zeros(n)), stats, stages.timings, note)


def _with_own(
    program: Program, found: Array, task: Task, stats: SolverStats
) -> tuple[Array, Multipliers, str, _Exactly]:
    """Return the repaired matrix, the best multipliers found under the user's own rules, and what to say of them."""
    if task.objective.measures_leakage:
        found = _silenced(program, found, task)
    repaired = repair(found, task.notion, task.problem, keep_outputs=True).matrix
    touching = tangents(program.own, program.Q, found)
    exact = _with_equations(program, repaired, touching, task, stats.name)
    repaired = repaired if exact.matrix is None else exact.matrix
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
    best = multipliers_of(program, task, _scaled(program, touching, claimed, missed))
    value = task.objective.value(decided(repaired, task.objective, task.problem), task.problem)
    steepness = task.objective.steepness(value, task.problem)
    enough = task.objective.to_utility(value, task.problem) + 0.1 * task.gap * steepness * abs(value)
    if bound_of(task, best) > enough and not all(tangent.is_whole for tangent in touching):
        best = _tightened(program, task, stats.name, found, touching, missed, best, enough)
    return repaired, best, _said(exact, worst, missed, touching), exact


def _said(exact: _Exactly, worst: float, missed: list[Array], touching: list[Tangent]) -> str:
    """Return which of the user's constraints hold exactly, and by how much the others are missed at most."""
    if exact.equations is None:
        return f"your own constraints missed by at most {worst:.1e}{exact.said}"
    rest = [place for place in range(len(missed)) if place not in exact.places]
    if not rest:
        return exact.said
    others = [replace(each, rule=rest.index(each.rule)) for each in touching if each.rule in rest]
    left = largest([missed[place] for place in rest], others)
    return f"{exact.said}, other constraints of yours missed by at most {left:.1e}"


@dataclass(frozen=True)
class _Exactly:
    """A private matrix that satisfies the user's linear equations exactly, with the equations; or why not."""

    matrix: Array | None = None
    equations: Equations | None = None
    said: str = ""
    interrupted: bool = False
    #: The places of the equations among the constraints.
    places: frozenset[int] = frozenset()


def _with_equations(program: Program, repaired: Array, touching: list[Tangent], task: Task, solver: str) -> _Exactly:
    """Return a private matrix that satisfies the user's linear equations exactly, if it costs little of `repaired`."""
    rows, right, places = equations(program.own, program.Q, touching)
    if not len(rows):
        return _Exactly()
    try:
        read = Equations.of(rows, right, program.Q.shape)
        if read is None:
            return _Exactly(said=f"; {INEXACT} as they are too many, or their numbers have too many digits")
        inner = constant_row(rows, right, program.Q.shape)
        inner = _stricter(program, task, solver) if inner is None else np.tile(inner, (len(repaired), 1))
        if inner is None:
            return _Exactly(said=f"; {INEXACT} as no stricter level satisfies them")
        exact, why = exactly(repaired, inner, read, task.notion, task.problem, partial(_admits, program, touching))
    except ImportError:
        return _Exactly(said=f"; {INEXACT} as that needs python-flint: pip install 'mechdesign[exact]'")
    except KeyboardInterrupt:
        return _Exactly(said=f"; {INEXACT} as it was interrupted", interrupted=True)
    if exact is None:
        return _Exactly(said=f"; {INEXACT} {why}")
    lost, value = _lost(exact, repaired, task)
    if lost > task.gap:
        reached = f"the value {value:.9g}, which gap={rounded_up(lost, 2)} accepts"
        return _Exactly(said=f"; {INEXACT} as the nearest matrix that satisfies them so has {reached}")
    alone = " in Q alone" * (len(places) < len(program.own))
    said = f"your linear equations{alone} hold exactly{read.reading}"
    return _Exactly(exact, read, said, places=frozenset(places))


def _admits(program: Program, touching: list[Tangent], matrix: Array) -> bool:
    """Return whether a matrix satisfies the user's constraints, whose sizes their tangents give."""
    return largest(violations(program.own, program.Q, matrix), touching) <= SUBJECT_TO


def _lost(exact: Array, repaired: Array, task: Task) -> tuple[float, float]:
    """Return what one matrix has less than another, relative to the value, and its value."""
    objective, problem = task.objective, task.problem
    first, other = (objective.value(decided(each, objective, problem), problem) for each in (exact, repaired))
    lost = objective.to_utility(other, problem) - objective.to_utility(first, problem)
    size = objective.steepness(first, problem) * abs(first)
    return (lost / size if size > 0.0 else 0.0 if lost <= 0.0 else np.inf), first


def _stricter(program: Program, task: Task, solver: str) -> Array | None:
    """Return a mechanism that satisfies the user's constraints at a stricter level, or None."""
    for part in STRICTER:
        levels = tuple(part * level for level in task.notion.parameters)
        try:
            at = task.notion.at(levels if len(levels) > 1 else levels[0])
            within = build(replace(task, notion=at), partial(own_rules, task.subject_to))
            return matrix(within, run(within, task, solver))
        except (SolverError, InfeasibleError, DomainError):
            continue
    return None


def _keeps(program: Program, missed: list[Array], equal: Equations | None, other: Array) -> bool:
    """Return whether another matrix misses no row of the user's own constraints by more than `missed`, `equal` by 0."""
    if other.shape != program.Q.shape:
        return False
    if equal is not None:
        numerators = dyadic(other)
        if numerators is None or any(equal.missing(numerators)):
            return False
    again = violations(program.own, program.Q, other)
    return all(bool(np.all(rows <= allowed)) for rows, allowed in zip(again, missed, strict=True))


def _silenced(program: Program, found: Array, task: Task) -> Array:
    """Return the constant mechanism of the same masses where the user's rules allow it: it discloses nothing at all."""
    constant = np.tile(task.columns.normal @ found, (task.problem.n, 1))
    return constant if largest(violations(program.own, program.Q, constant), []) <= SOLVER else found


def _tightened(
    program: Program,
    task: Task,
    solver: str,
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
        if is_late():
            break
        relaxed = build(task, partial(tangent_rules, touching))
        try:
            chosen = matrix(relaxed, run(relaxed, task, solver))
        except (SolverError, InfeasibleError):
            # The bound at hand is sound; a solver that gives up here costs tightness only.
            break
        claimed = [rule.dual_value for rule in relaxed.own]
        made = multipliers_of(relaxed, task, _scaled(relaxed, touching, claimed, missed))
        best = min((best, made), key=partial(bound_of, task))
        if bound_of(task, best) <= enough:
            break
        near = tangents(program.own, program.Q, found + NEAR * (chosen - found))
        touching = touching + [tangent for tangent in near if not tangent.is_whole]
    return best


def _scaled(program: Program, touching: list[Tangent], claimed: list[Any], missed: list[Array]) -> OwnTerms:
    given = [real_numbers(each) for each in claimed]
    numbers = [None if each is None else each * program.scale for each in given]
    return own_terms(touching, numbers, missed, program.Q.shape)


def preferred(task: Task) -> str:
    """Return HiGHS's simplex method for small linear programs, whose vertices have clean zeros, otherwise Clarabel."""
    rule = SOLVER_RULE["rows" if task.columns.pair_exponents is None else "pairs"]
    small = task.problem.n * output_count(task) <= rule.vertex
    linear = is_separable(task.objective) or isinstance(task.objective, PiecewiseLinear)
    return "HIGHS" if small and linear and task.subject_to is None and task.notion.polyhedral else "CLARABEL"


def size(task: Task) -> Size:
    """Return the size of a program over Q, written by cvxpy."""
    # Each input that may be revealed has a column of its own besides.
    columns = (own_columns(task) or task.outputs or task.problem.n) + len(task.columns.revealed)
    numbers, masses = numbers_over_matrix(task, columns), mass_seconds(task, columns)
    first = BY_CVXPY * (program_seconds(numbers) if masses is None else masses)
    return Size(cone_bytes(task) + program_bytes(task, numbers), cone_seconds(task, ends=False), first)


ROUTE = Route("convex", of_cvxpy_programs, plan, size, takes_own_constraints=True)
