"""SCS: a first-order method for all cones of the package."""

from __future__ import annotations

from typing import Any

from mechdesign.solve.solvers.solver import Solver, ThroughCvxpy


def _options(tolerance: float) -> dict[str, Any]:
    # Acceleration is named because cvxpy would otherwise solve again without it, and warn.
    return {"eps_abs": tolerance, "eps_rel": tolerance, "max_iters": 100_000, "acceleration_lookback": 10}


SOLVER_RECORD = Solver(
    "SCS",
    "scs",
    through_cvxpy=ThroughCvxpy(_options, time_limit="time_limit_secs", semidefinite=True, handles_interrupts=True),
)
