"""HiGHS, called directly: the simplex method, the interior point and PDLP."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from mechdesign.bench.answer import Answer, Status
from mechdesign.bench.instance import Instance
from mechdesign.bench.program import ConicProgram
from mechdesign.bench.solvers.solver import BenchSolver
from mechdesign.solve.solvers.silent_highs import highs

#: The least tolerance that HiGHS takes.
LEAST = 1e-10
STATUS: dict[str, Status] = {
    "kOptimal": "optimal",
    "kInfeasible": "infeasible",
    "kUnbounded": "unbounded",
    "kTimeLimit": "limit",
    "kIterationLimit": "limit",
}
COUNTS = {"simplex": "simplex_iteration_count", "ipm": "ipm_iteration_count", "pdlp": "pdlp_iteration_count"}


class Highs(BenchSolver):
    """HiGHS by one of its methods for linear programs."""

    def __init__(self, name: str, method: str) -> None:
        self.name, self.method = name, method

    def refuses(self, instance: Instance) -> str:
        """Refuse cones."""
        return "" if instance.posed.program.is_linear else "HiGHS takes linear programs"

    def prepare(self, instance: Instance, accuracy: float, time_limit: float) -> Callable[[], Any]:
        """Return a run of a model of its own, with one thread."""
        engine = highs().Highs()
        tolerance = max(accuracy, LEAST)
        options = {
            "output_flag": False,
            "threads": 1,
            "time_limit": time_limit,
            "solver": self.method,
            "primal_feasibility_tolerance": tolerance,
            "dual_feasibility_tolerance": tolerance,
            "ipm_optimality_tolerance": max(tolerance, 1e-12),
            "pdlp_optimality_tolerance": tolerance,
        }
        for option, value in options.items():
            # Older versions lack some: their own rule holds then.
            engine.setOptionValue(option, value)
        engine.passModel(highs_model(instance.posed.program))

        def run() -> Any:
            engine.run()
            return engine

        return run

    def finish(self, returned: Any) -> Answer:
        """Return point, duals and status."""
        solution, info = returned.getSolution(), returned.getInfo()
        status = STATUS.get(returned.getModelStatus().name, "failed")
        point = np.array(solution.col_value) if solution.value_valid else None
        duals = np.array(solution.row_dual) if solution.dual_valid else None
        return Answer(point, duals, status, int(getattr(info, COUNTS[self.method], -1)))

    def version(self) -> str:
        """Return the name and version of highspy."""
        return f"highspy {version('highspy')}"


def highs_model(program: ConicProgram) -> Any:
    """Return a linear program as a model of HiGHS."""
    highspy = highs()
    model = highspy.HighsLp()
    rows = program.rows.tocsc()
    model.num_row_, model.num_col_ = rows.shape
    model.col_cost_, model.col_lower_, model.col_upper_ = program.cost, program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = rows.indptr, rows.indices
    model.a_matrix_.value_ = rows.data
    return model
