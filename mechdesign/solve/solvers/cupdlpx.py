"""cuPDLPx: a first-order method for linear programs on an NVIDIA GPU.

Its answers are near an optimum only. The certificate takes nothing but the multipliers, any of which bound the optimum,
and repair makes any point private.

H. Lu, Z. Peng, J. Yang, "cuPDLPx: A Further Enhanced GPU-Based First-Order Solver for Linear Programming",
arXiv:2507.14051, 2025.
"""

from __future__ import annotations

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.runtime.deadline import now, solver_limit
from mechdesign.solve.solvers.linear_program import LinearProgram, LinearSolution, SolverStats
from mechdesign.solve.solvers.solver import Solver

#: Relative tolerances that a first-order method still reaches in a reasonable number of iterations.
ACCURACY = 1e-8


def solve(program: LinearProgram, *, interior: bool, time_limit: float | None, verbose: bool) -> LinearSolution:
    """Return a point and multipliers near the optimum; it has one method, whatever `interior` says."""
    del interior
    try:
        import cupdlpx
    except Exception as error:
        raise SolverError(
            f"CUPDLPX cannot be loaded ({error}): it needs an NVIDIA GPU with CUDA; choose another solver.",
            status="not loaded",
        ) from error
    model = cupdlpx.Model(
        objective_vector=program.cost,
        constraint_matrix=program.rows.tocsr(),
        constraint_lower_bound=program.row_low,
        constraint_upper_bound=program.row_high,
        variable_lower_bound=np.zeros(len(program.cost)),
    )
    tolerance = max(program.accuracy, ACCURACY)
    model.setParams(OutputFlag=verbose, OptimalityTol=tolerance, FeasibilityTol=tolerance)
    if time_limit is not None:
        model.setParams(TimeLimit=solver_limit(time_limit))
    started = now()
    model.optimize()
    # Its number in some versions, its name in others.
    said = str(getattr(model, "StatusName", None) or model.Status)
    if model.X is None or model.Pi is None:
        raise SolverError(f"CUPDLPX stopped without a solution ({said}).", status=said)
    stats = SolverStats("CUPDLPX", said, now() - started, int(model.IterCount or 0))
    return LinearSolution(np.array(model.X), np.array(model.Pi), stats)


SOLVER_RECORD = Solver("CUPDLPX", "cupdlpx", linear=solve)
