"""Clarabel: an interior-point method for all cones of the package."""

from __future__ import annotations

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.runtime.deadline import solver_limit
from mechdesign.runtime.threads import thread_count
from mechdesign.solve.solvers.linear_program import LinearProgram, LinearSolution, SolverStats
from mechdesign.solve.solvers.solver import Solver, ThroughCvxpy
from mechdesign.tolerances import SOLVER_OF_LEAKAGE


def solve(program: LinearProgram, *, interior: bool, time_limit: float | None, verbose: bool) -> LinearSolution:
    """Return the optimum by the interior-point method, the only one that it has."""
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
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = program.accuracy
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


SOLVER_RECORD = Solver(
    "CLARABEL",
    "clarabel",
    linear=solve,
    through_cvxpy=ThroughCvxpy(
        lambda tolerance: dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), tolerance),
        threads="max_threads",
        time_limit="time_limit",
        semidefinite=True,
        tolerance_of_leakage=SOLVER_OF_LEAKAGE,
        # Taken apart, dense cones end the method at its first step on a dozen inputs.
        of_dense_cones={"chordal_decomposition_enable": False},
    ),
)
