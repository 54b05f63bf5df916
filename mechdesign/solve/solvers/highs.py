"""HiGHS: linear programs as arrays, once or again and again from the last basis."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.runtime.deadline import now, solver_limit
from mechdesign.runtime.native_call import called
from mechdesign.runtime.threads import thread_count
from mechdesign.solve.solvers.claimed_numbers import real_numbers, usable
from mechdesign.solve.solvers.linear_program import LinearProgram, LinearSolution, SolverStats
from mechdesign.solve.solvers.silent_highs import highs
from mechdesign.solve.solvers.solver import Solver, ThroughCvxpy
from mechdesign.tolerances import SOLVER

#: By the primal simplex method (4), as a basis stays feasible where columns are added. Numbers that are of one size by
#: themselves are not scaled, nor bounds perturbed: that took half of the time (expected loss under LIP, n = 40).
LASTING = {
    "presolve": "off",
    "simplex_strategy": 4,
    "simplex_scale_strategy": 0,
    "primal_simplex_bound_perturbation_multiplier": 0.0,
}


def solve(program: LinearProgram, *, interior: bool, time_limit: float | None, verbose: bool) -> LinearSolution:
    """Return the optimum by the simplex method, or by the interior-point method without crossover."""
    engine = engine_of(program, interior=interior, time_limit=time_limit, verbose=verbose)
    return answer_of(engine, program, interior)


def engine_of(
    program: LinearProgram, *, interior: bool = False, time_limit: float | None = None, verbose: bool = False
) -> Any:
    """Return HiGHS with `program` as its model."""
    highspy = highs()
    engine = _engine(highspy, interior, time_limit, verbose)
    engine.passModel(_highs_model(highspy, program))
    return engine


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


def resume(engine: Any, time_left: float | None) -> LinearSolution:
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


def answer_of(engine: Any, program: LinearProgram, interior: bool) -> LinearSolution:
    """Return the optimum of the engine's model, which is `program`; raise SolverError without an optimum."""
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


SOLVER_RECORD = Solver(
    "HIGHS",
    "highspy",
    linear=solve,
    through_cvxpy=ThroughCvxpy(
        lambda tolerance: {"primal_feasibility_tolerance": tolerance, "dual_feasibility_tolerance": tolerance},
        threads="threads",
        time_limit="time_limit",
        linear_only=True,
        before=highs,
    ),
)
