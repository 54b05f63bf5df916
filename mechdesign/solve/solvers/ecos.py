"""ECOS: an interior-point method for second-order and exponential cones, without a limit in seconds."""

from __future__ import annotations

from mechdesign.solve.solvers.solver import Solver, ThroughCvxpy

SOLVER_RECORD = Solver(
    "ECOS",
    "ecos",
    # It has no wheels from Python 3.13 on.
    requirement='"mechdesign[ecos]"',
    through_cvxpy=ThroughCvxpy(
        # Its own limit of rounds is too low for the tolerance.
        lambda tolerance: {"abstol": tolerance, "reltol": tolerance, "feastol": tolerance, "max_iters": 200},
        handles_interrupts=True,
    ),
)
