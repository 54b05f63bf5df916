"""Route `columns`: a linear program with one column for each decision, and decisions priced with a certificate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from mechdesign.mechanism import Multipliers
from mechdesign.notions import Cone, SmoothBudget
from mechdesign.objectives import Linear, RatioType, Separable
from mechdesign.objectives.base import gains_of, is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.interior_point.variable_fixing import Guess
from mechdesign.solve.pricing.continuum_of_decisions import WIDEST_RANGE, ratio_range
from mechdesign.solve.pricing.revealing_outputs import units
from mechdesign.solve.programs.merged_inputs import alike
from mechdesign.solve.programs.over_columns import solve_columns
from mechdesign.solve.programs.over_decisions import decision_program
from mechdesign.solve.programs.with_budget import with_budget
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.solve.repair.private_map import private_map
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.resources.programs import (
    FIRST_OF_CONTINUUM,
    cone_bytes,
    cone_seconds,
    is_band,
    is_continuum,
    mass_seconds,
    numbers_over_matrix,
    own_columns,
    program_bytes,
    program_seconds,
)
from mechdesign.solve.search.column_generation import Generated, generated
from mechdesign.solve.search.line_of_decisions import over_continuum
from mechdesign.solve.solvers import rule as solver_rule
from mechdesign.solve.solvers.catalogue import of_bands
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, used
from mechdesign.solve.task.warm_columns import WarmColumns
from mechdesign.solve.task.warm_start import following, following_rays, follows, holds, starting, starts
from mechdesign.tolerances import SOLVER

#: Decisions over which a continuum of them ends up, and of those that are asked where the program starts from one (13
#: to 36 at n = 100 to 300).
OF_CONTINUUM, OF_GROWN = 100, 36
#: What the entries of a large map miss, each by the tolerance of the solver, adds up: for 400 places to 2e-6 of the
#: loss, and to 3e-7 at a tenth of the tolerance, for an eighth more steps.
MANY, SOLVER_OF_MAP = 1e5, 0.1 * SOLVER


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective, gains = task.objective, gains_of(task.objective, task.problem)
    if not is_separable(objective) or (gains is None and not isinstance(objective, RatioType)):
        return Refusal(f"the decisions of {objective.name} are neither finitely many nor one number")
    budget = task.columns.budget()
    if isinstance(budget, SmoothBudget) or (len(budget) and gains is None):
        return Refusal(
            f"{task.notion.name} bounds a sum over columns, which the pricing of single columns does not see"
        )
    if isinstance(objective, RatioType):
        ends = ratio_range(objective.ratio(task.problem), task.notion, task.problem)
        if max(map(abs, ends)) > WIDEST_RANGE:
            return Refusal("an output can have a ratio without bound, so that its decisions cannot be separated")
    run = partial(_continuum, objective) if gains is None else partial(_finite, objective, gains)
    return Plan(run, preferred(task, gains))


def preferred(task: Task, gains: Array | None) -> str:
    """Return the solver that was quickest for gains of shape (decisions, n), an interior point for a continuum."""
    if not task.notion.polyhedral:
        return "CLARABEL"
    cone = task.columns.cone()
    if follows(task, cone, gains is None) or (gains is not None and starts(task, cone)):
        return "HIGHS"
    if gains is not None:
        chosen = solver_rule.chosen(cone, gains.size)
        return "CLARABEL" if chosen == "STRUCTURED" and len(task.columns.budget()) else chosen
    return "CLARABEL" if cone.band_of_inputs is None else "STRUCTURED"


def _anew(task: Task, gains: Array | None, solver: str) -> str:
    """Return the solver for it where nothing is left of the last level of a frontier."""
    if task.warm_start is None or task.solver is not None or task.warm_start.whole:
        return solver
    return preferred(replace(task, warm_start=None), gains)


def _finite(objective: Separable, gains: Array, task: Task, solver: str) -> Candidate:
    """Return the optimum over finitely many decisions, solved over at once."""
    stages = Stages()
    cone = task.columns.cone()
    interior = not solver_rule.by_vertex(cone, gains.size)
    if len(task.columns.budget()):
        return _budgeted(task, objective, cone, gains, stages, solver, interior)
    of_large_map = gains.size > MANY and task.columns.pair_exponents is not None
    accuracy = SOLVER_OF_MAP if of_large_map else SOLVER
    task = starting(task, cone, gains, solver)
    # Columns that differ at the last level differ at this one: the keys are equal.
    apart = holds(task, cone, gains)
    groups = alike(cone, gains) if task.notion.polyhedral and not apart else None
    within, merged = (cone, gains) if groups is None else (groups.cone, groups.merged(gains))
    follow = following(task, within, merged, solver)

    def solved(chosen: npt.NDArray[np.intp]) -> tuple[Array, Array, SolverStats]:
        found = None
        if follow is not None:
            stages.lap("build")
            found = follow(chosen)
            stages.lap("solve")
        other = _anew(task, gains, solver)
        columns, rows, stats = found or solve_columns(
            task, objective, within, merged[chosen], stages, other, interior, accuracy
        )
        return (columns, rows, stats) if groups is None else (*groups.split(columns, rows), stats)

    def over_all() -> Generated:
        return Generated(*solved(np.arange(len(gains))), f"over {len(gains)} decisions", False)

    if task.warm_start is None or not (task.notion.polyhedral or task.warm_start.chosen is not None):
        found = over_all()
    else:
        found = generated(task, gains, solved)
        stages.lap("price")
        if follow is not None and task.warm_start.whole and not (found.closed or found.interrupted or is_late()):
            # Next to no privacy, what HiGHS holds is less accurate than the program by itself.
            follow = None
            found = over_all()
    matrix = np.maximum(found.columns, 0.0)
    if interior and not is_late():
        matrix = _closed(task, gains, matrix)
    # A linear objective keeps one column for each decision, others have no use for a decision never made.
    kept = matrix if isinstance(objective, Linear) else used(matrix)
    return Candidate(kept, Multipliers(found.rows), found.stats, stages.timings, found.note, found.interrupted)


def _closed(task: Task, gains: Array, matrix: Array) -> Array:
    """Return the matrix of an interior point, shape (n, decisions), closed under the pairs of a metric where better.

    Entries below the solver's tolerance break pairs of a metric, and a constant mechanism may cost more to mend them.
    """
    exponents = task.columns.pair_exponents
    if exponents is None or matrix.shape != gains.T.shape or not np.all(exponents + np.eye(len(exponents)) > 0):
        return matrix
    if not np.all(matrix.any(axis=1)):
        # What a solver was stopped at need not be a mechanism.
        return matrix
    closed = private_map(MapProgram.of(-gains.T, exponents), matrix.T).T
    mended = repair(matrix, task.notion, task.problem, keep_outputs=True).matrix
    return closed if (gains.T * closed).sum() > (gains.T * mended).sum() else matrix


def _budgeted(
    task: Task, objective: Separable, cone: Cone, gains: Array, stages: Stages, solver: str, interior: bool
) -> Candidate:
    """Return the optimum where the notion bounds sums over columns, with a multiplier for each such bound."""
    problem = task.problem
    scale = float(np.abs(gains).max()) or 1.0
    revealing = units(task.notion, problem)
    worth = objective.column_utility(revealing, problem) / scale
    program, column = decision_program(cone, gains / scale, (revealing, worth))
    program, first = with_budget(program, column, len(gains), task.notion.columns(problem).budget(), revealing)
    stages.lap("build")
    found = solve_linear(program, solver, interior=interior, time_limit=time_left(), verbose=task.solver_verbose)
    stages.lap("solve")
    within = len(gains) * column.shape[1]
    columns = column @ found.point[:within].reshape(len(gains), -1).T
    rest = revealing * found.point[within : within + revealing.shape[1]]
    matrix, duals = np.maximum(np.hstack([columns, rest]), 0.0), -found.multipliers * scale
    kept = matrix if isinstance(objective, Linear) else used(matrix)
    multipliers = Multipliers(duals[: problem.n], np.maximum(duals[first:], 0.0))
    return Candidate(kept, multipliers, found.stats, stages.timings, f"over {len(gains)} decisions")


def _continuum(objective: Separable, task: Task, solver: str) -> Candidate:
    """Return the optimum over a continuum of decisions, in rounds."""
    stages = Stages()
    cone = task.columns.cone()
    followed = following_rays(task, cone, solver)
    stages.lap("solve")
    if followed is not None:
        return replace(followed, timings=stages.timings)
    solver = _anew(task, None, solver)

    def solved(gains: Array, accuracy: float, guess: Guess | None) -> tuple[Array, Array, SolverStats]:
        return solve_columns(task, objective, cone, gains, stages, solver, True, accuracy, guess)

    candidate = over_continuum(task, cone, solved, stages, solver)
    if task.warm_start is not None:
        task.warm_start.columns = WarmColumns.of(candidate, task, cone)
    return candidate


def size(task: Task) -> Size:
    """Return the size of a program with a column for each decision, or for those that a continuum ends up with."""
    columns, n = _column_count(task), task.problem.n
    if not columns:
        return Size(cone_bytes(task), cone_seconds(task, ends=True))
    continuum, banded = is_continuum(task), is_band(task)
    first = FIRST_OF_CONTINUUM if continuum else columns
    masses = mass_seconds(task, first) if continuum else None
    before = cone_seconds(task, ends=True)
    if banded and not continuum:
        before = seconds_of("band", n * columns)
    if banded and task.notion.polyhedral:
        steps = 0.0 if continuum else seconds_of("band step", n * columns * min(n, columns))
        return Size(cone_bytes(task) + bytes_of("band", n * columns), before, steps)
    of_first = program_seconds(numbers_over_matrix(task, first))
    needed = program_bytes(task, numbers_over_matrix(task, columns))
    return Size(cone_bytes(task) + needed, before, of_first if masses is None else masses)


def _column_count(task: Task) -> int:
    """Return how many columns the program ends up with; 0 where the decisions are neither few nor one number."""
    decisions = own_columns(task)
    if not decisions:
        return (task.outputs or OF_CONTINUUM) if is_continuum(task) else 0
    return min(decisions, OF_GROWN) if solver_rule.is_grown(task.notion, task.problem) else decisions


ROUTE = Route("columns", of_bands, plan, size, size_first=True)
