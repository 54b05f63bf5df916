"""Our own interior point for bands, as a solver's name: `solve/interior_point` holds the method."""

from __future__ import annotations

from mechdesign.solve.solvers.solver import Solver

SOLVER_RECORD = Solver("STRUCTURED", "scipy")
