"""Linear programs as arrays, handed to a solver by name. What comes back is a rumour: repair and certify decide."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from mechdesign.errors import DomainError, SolverError, nearest
from mechdesign.parameters.checks import Array, text
from mechdesign.runtime.deadline import is_late, now, solver_limit, time_left
from mechdesign.runtime.threads import thread_count
from mechdesign.solve.solvers.call import called, real_numbers, usable
from mechdesign.solve.solvers.silent_highs import highs
from mechdesign.tolerances import SOLVER

#: The module that each solver needs; STRUCTURED is our own interior point for bands.
MODULES = {"STRUCTURED": "scipy", "HIGHS": "highspy", "CLARABEL": "clarabel", "ECOS": "ecos", "SCS": "scs"}

#: What pip is asked for where a solver comes with an extra of ours: ECOS has no wheels from Python 3.13 on.
EXTRAS = {"ECOS": '"mechdesign[ecos]"'}

#: Names of solvers are short: another solver's (OSQP, MOSEK) is no misspelling of one of ours below this likeness.
ALIKE = 0.65

#: Programs of fewer nonzeros are over within milliseconds.
SMALL = 10_000

#: By the primal simplex method (4), as a basis stays feasible where columns are added. Numbers that are of one size by
#: themselves are not scaled, nor bounds perturbed: that took half of the time (expected loss under LIP, n = 40).
LASTING = {
    "presolve": "off",
    "simplex_strategy": 4,
    "simplex_scale_strategy": 0,
    "primal_simplex_bound_perturbation_multiplier": 0.0,
}


@dataclass(frozen=True)
class LinearProgram:
    """Minimise ``cost . x`` over ``row_low <= rows @ x <= row_high``, ``x >= 0``; `rows` is sparse by rows."""

    cost: Array
    rows: Any
    row_low: Array
    row_high: Array


def by_rows(matrix: Array) -> Any:
    """Return a dense matrix as a sparse one: scipy's own way there takes as long as a small program's solver."""
    from scipy.sparse import csr_array

    row, column = np.nonzero(matrix)
    starts = np.zeros(len(matrix) + 1, dtype=np.int32)
    starts[1:] = np.bincount(row, minlength=len(matrix)).cumsum()
    return csr_array((matrix[row, column], column.astype(np.int32), starts), shape=matrix.shape)


@dataclass(frozen=True)
class SolverStats:
    """Which solver ran, how it ended, how long it took, in how many iterations."""

    name: str
    status: str
    seconds: float
    iterations: int


@dataclass(frozen=True)
class LinearSolution:
    """What the solver says: the point, and the multiplier of each row (the change of the optimum with its bound)."""

    point: Array
    multipliers: Array
    stats: SolverStats


def installed_solvers() -> list[str]:
    """Return the names of the solvers that can be asked for.

    Returns
    -------
    list of str
        In upper case, as `design` takes them in any case.

    Examples
    --------
    >>> "HIGHS" in installed_solvers()
    True
    """
    return [name for name, module in MODULES.items() if _installed(module)]


@cache
def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def solver_name(solver: str) -> str:
    """Return the canonical name of `solver`, given in any case, or raise."""
    name = text("solver", solver).upper()
    if name not in MODULES:
        rule = "it has to be a solver that mechdesign calls"
        raise DomainError("solver", solver, rule, nearest(name, MODULES, ALIKE))
    if name not in installed_solvers():
        package, others = EXTRAS.get(name, MODULES[name]), ", ".join(installed_solvers())
        raise SolverError(
            f"{name} is not installed: pip install {package}, or choose one of {others}.", status="not installed"
        )
    return name


def solve_linear(
    program: LinearProgram,
    solver: str = "HIGHS",
    *,
    interior: bool = False,
    time_limit: float | None = None,
    verbose: bool = False,
) -> LinearSolution:
    """Solve `program`, by interior point without crossover where `interior`; raise SolverError where it fails."""
    engines: dict[str, Callable[..., LinearSolution]] = {"HIGHS": _highs, "CLARABEL": _clarabel}
    name = solver_name(solver)
    if name not in engines:
        raise SolverError(
            f"{name} takes no linear programs as arrays here: choose one of {', '.join(engines)}.",
            status="not offered",
        )
    run = partial(engines[name], program, interior, time_limit, verbose)
    return _checked(name, program, called(name, run, small=program.rows.nnz < SMALL))


def _checked(name: str, program: LinearProgram, solution: LinearSolution) -> LinearSolution:
    """Return the solution as floats; raise SolverError where the numbers cannot be an answer to `program` at all."""
    given = (
        ("values", solution.point, len(program.cost)),
        ("multipliers", solution.multipliers, program.rows.shape[0]),
    )
    found: list[Array] = []
    for what, claimed, wanted in given:
        status = solution.stats.status
        numbers = real_numbers(claimed)
        if numbers is None:
            raise SolverError(f"{name} returned {what} that are no real numbers.", status=status, iterate=claimed)
        if numbers.shape != (wanted,):
            raise SolverError(
                f"{name} returned {numbers.size} {what}, not {wanted}.", status=status, iterate=solution.point
            )
        if not usable(numbers):
            raise SolverError(f"{name} returned {what} that are not finite.", status=status, iterate=solution.point)
        found.append(numbers)
    return replace(solution, point=found[0], multipliers=found[1])


def _highs(program: LinearProgram, interior: bool, time_limit: float | None, verbose: bool) -> LinearSolution:
    highspy = highs()
    engine = _engine(highspy, interior, time_limit, verbose)
    engine.passModel(_highs_model(highspy, program))
    return _answer(engine, program, interior)


def solve_costs(program: LinearProgram, costs: Array) -> list[LinearSolution]:
    """Solve `program` for each row of `costs` in its place, each from the basis of the one before.

    Only for the first ones where the deadline passes meanwhile.
    """
    highspy = highs()
    engine = _engine(highspy, False, None, False)
    engine.passModel(_highs_model(highspy, program))
    found: list[LinearSolution] = []
    for cost in costs:
        left = time_left()
        if left is not None:
            if left <= 0:
                break
            engine.setOptionValue("time_limit", engine.getRunTime() + solver_limit(left))
        asked = replace(program, cost=cost)
        try:
            engine.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
            solution = _checked("HIGHS", asked, _answer(engine, asked, False))
        except Exception:  # noqa: BLE001 - a binding may raise anything
            if is_late():
                break
            # A basis that it cannot go on from: once more, from nothing.
            try:
                solution = solve_linear(asked)
            except SolverError:
                # A cone that is next to a line is empty to the simplex method's tolerance.
                solution = solve_linear(asked, "CLARABEL")
        found.append(solution)
    return found


def _engine(highspy: Any, interior: bool, time_limit: float | None, verbose: bool) -> Any:
    engine = engine_for(highspy, "ipx" if interior else "simplex", verbose)
    if time_limit is not None:
        engine.setOptionValue("time_limit", solver_limit(time_limit))
    return engine


def engine_for(highspy: Any, method: str, verbose: bool) -> Any:
    """Return HiGHS without a model, at our tolerances: by "simplex", or by "ipx" without crossover."""
    engine = highspy.Highs()
    options = {
        "output_flag": verbose,
        "threads": thread_count(),
        "primal_feasibility_tolerance": SOLVER,
        "dual_feasibility_tolerance": SOLVER,
        "solver": method,
    }
    if method == "ipx":
        options |= {"ipm_optimality_tolerance": SOLVER, "run_crossover": "off"}
    for key, value in options.items():
        engine.setOptionValue(key, value)
    return engine


def lasting_engine(highspy: Any, verbose: bool) -> Any:
    """Return HiGHS for a program that grows and changes, and goes on from its last basis each time."""
    engine = engine_for(highspy, "simplex", verbose)
    for key, value in LASTING.items():
        engine.setOptionValue(key, value)
    return engine


def go_on(engine: Any, time_left: float | None) -> LinearSolution:
    """Return the optimum of what `engine` holds, from its last basis; raise SolverError where it has none."""
    started = now()

    def run() -> tuple[str, Any, Any]:
        if time_left is not None:
            # Its clock goes on from one run to the next.
            engine.setOptionValue("time_limit", engine.getRunTime() + solver_limit(time_left))
        engine.run()
        found = engine.getSolution()
        return engine.modelStatusToString(engine.getModelStatus()), found.col_value, found.row_dual

    said, point, duals = called("HIGHS", run)
    point, duals = real_numbers(point), real_numbers(duals)
    if said != "Optimal" or point is None or duals is None or not (usable(point) and usable(duals)):
        raise SolverError(f"HiGHS stopped on the way from its last basis ({said}).", status=said, iterate=point)
    iterations = int(engine.getInfo().simplex_iteration_count)
    return LinearSolution(point, duals, SolverStats("HIGHS", said, now() - started, iterations))


def _answer(engine: Any, program: LinearProgram, interior: bool) -> LinearSolution:
    started = now()
    engine.run()
    seconds = now() - started
    status, info, solution = engine.getModelStatus(), engine.getInfo(), engine.getSolution()
    said = engine.modelStatusToString(status)
    point = np.array(solution.col_value)
    # "Infeasible" ends here too: every program has the mechanism that ignores its input, or the notion refused.
    if not solution.dual_valid or len(point) != len(program.cost):
        raise SolverError(f"HiGHS stopped without a solution ({said}).", status=said, iterate=point)
    iterations = info.ipm_iteration_count if interior else info.simplex_iteration_count
    return LinearSolution(point, np.array(solution.row_dual), SolverStats("HIGHS", said, seconds, iterations))


def _highs_model(highspy: Any, program: LinearProgram) -> Any:
    model = highspy.HighsLp()
    rows = program.rows.tocsr()
    model.num_row_, model.num_col_ = rows.shape
    model.col_cost_ = program.cost
    model.col_lower_ = np.zeros(rows.shape[1])
    model.col_upper_ = np.full(rows.shape[1], highspy.kHighsInf)
    model.row_lower_ = np.where(np.isinf(program.row_low), -highspy.kHighsInf, program.row_low)
    model.row_upper_ = np.where(np.isinf(program.row_high), highspy.kHighsInf, program.row_high)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = rows.indptr
    model.a_matrix_.index_ = rows.indices
    model.a_matrix_.value_ = rows.data
    return model


def _clarabel(program: LinearProgram, interior: bool, time_limit: float | None, verbose: bool) -> LinearSolution:
    import clarabel
    from scipy.sparse import csc_matrix, eye_array, vstack

    rows, count = program.rows.tocsr(), len(program.cost)
    equal = program.row_low == program.row_high
    above = ~equal & np.isfinite(program.row_high)
    below = ~equal & np.isfinite(program.row_low)
    stacked = vstack([rows[equal], rows[above], -rows[below], -eye_array(count)])
    right = np.concatenate([program.row_low[equal], program.row_high[above], -program.row_low[below], np.zeros(count)])
    cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(len(right) - int(equal.sum()))]
    settings = clarabel.DefaultSettings()
    settings.verbose = verbose
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = SOLVER
    settings.max_threads = thread_count()
    if time_limit is not None:
        settings.time_limit = solver_limit(time_limit)
    quadratic = csc_matrix((count, count))
    result = clarabel.DefaultSolver(
        quadratic, np.asarray(program.cost), csc_matrix(stacked), right, cones, settings
    ).solve()
    said = str(result.status)
    if "Infeasible" in said:
        raise SolverError(f"Clarabel stopped without a solution ({said}).", status=said)
    duals = -np.array(result.z)
    multipliers = np.zeros(rows.shape[0])
    first, second = int(equal.sum()), int(equal.sum() + above.sum())
    multipliers[equal] = duals[:first]
    multipliers[above] += duals[first:second]
    multipliers[below] -= duals[second : second + int(below.sum())]
    stats = SolverStats("CLARABEL", said, float(result.solve_time), int(result.iterations))
    return LinearSolution(np.array(result.x), multipliers, stats)
