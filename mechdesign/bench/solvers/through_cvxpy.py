"""Any solver that cvxpy finds installed, given the program as cvxpy writes it for that solver."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from mechdesign.bench.answer import Answer, Status
from mechdesign.bench.instance import Instance
from mechdesign.bench.program import ConicProgram
from mechdesign.bench.solvers.solver import BenchSolver
from mechdesign.parameters.checks import Array

STATUS: dict[str, Status] = {
    "optimal": "optimal",
    "optimal_inaccurate": "limit",
    "user_limit": "limit",
    "infeasible": "infeasible",
    "infeasible_inaccurate": "infeasible",
    "unbounded": "unbounded",
    "unbounded_inaccurate": "unbounded",
}
PACKAGES = {"CLARABEL": "clarabel", "SCS": "scs", "ECOS": "ecos", "OSQP": "osqp", "SCIPY": "scipy"}


def options_of(solver: str, accuracy: float, seconds: float) -> dict[str, Any]:
    """Return the solver's options for an accuracy and a time limit; none where they are not known."""
    a = accuracy
    known: dict[str, dict[str, Any]] = {
        "CLARABEL": {"tol_gap_abs": a, "tol_gap_rel": a, "tol_feas": a, "time_limit": seconds, "max_threads": 1},
        "SCS": {"eps_abs": a, "eps_rel": a, "max_iters": 1_000_000, "time_limit_secs": seconds},
        "ECOS": {"abstol": a, "reltol": a, "feastol": a, "max_iters": 500},
        "OSQP": {"eps_abs": a, "eps_rel": a, "max_iter": 10_000_000, "time_limit": seconds},
        "SCIPY": {"scipy_options": {"method": "highs", "time_limit": seconds}},
    }
    return known.get(solver, {})


class ThroughCvxpy(BenchSolver):
    """A solver that cvxpy calls, by cvxpy's name; only the solver's own work is timed, not cvxpy's."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._posed: Any = None

    def refuses(self, instance: Instance) -> str:
        """Say where cvxpy offers the solver no such cones."""
        import cvxpy as cp

        form = _Written(instance.posed.program)
        try:
            form.problem.get_problem_data(self.name)
        except cp.error.SolverError:
            return f"{self.name} takes no such cones"
        return ""

    def prepare(self, instance: Instance, accuracy: float, time_limit: float) -> Callable[[], Any]:
        """Return the solver's run on cvxpy's arrays."""
        form = _Written(instance.posed.program)
        options = options_of(self.name, accuracy, time_limit)
        data, chain, inverse = form.problem.get_problem_data(self.name, solver_opts=dict(options))
        self._posed = form, chain, inverse
        # Interfaces empty the options that they are given.
        return lambda: chain.solve_via_data(form.problem, data, solver_opts=dict(options))

    def finish(self, returned: Any) -> Answer:
        """Return point, duals and status, in the order of the program's rows."""
        import cvxpy as cp

        form, chain, inverse = self._posed
        try:
            form.problem.unpack_results(returned, chain, inverse)
        except cp.error.SolverError:
            return Answer(status="failed")
        status = STATUS.get(form.problem.status, "failed")
        if form.point.value is None:
            return Answer(status=status)
        stats = form.problem.solver_stats
        return Answer(np.array(form.point.value), form.duals(), status, stats.num_iters if stats else None)

    def version(self) -> str:
        """Return the name and version of the solver's package; empty where it is not installed."""
        package = PACKAGES.get(self.name, self.name.lower())
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            return ""


class _Written:
    """The program in cvxpy: equations, rows from below and from above, bounds, cones."""

    def __init__(self, program: ConicProgram) -> None:
        import cvxpy as cp

        self.program = program
        self.point = cp.Variable(len(program.cost))
        self.equal = np.flatnonzero(program.row_lower == program.row_upper)
        apart = program.row_lower != program.row_upper
        self.above = np.flatnonzero(apart & np.isfinite(program.row_lower))
        self.below = np.flatnonzero(apart & np.isfinite(program.row_upper))
        rows = program.rows
        self._rules = [
            rows[self.equal] @ self.point == program.row_lower[self.equal],
            rows[self.above] @ self.point >= program.row_lower[self.above],
            rows[self.below] @ self.point <= program.row_upper[self.below],
        ]
        kept = [rule for rule in self._rules if rule.size]
        low, high = np.flatnonzero(np.isfinite(program.lower)), np.flatnonzero(np.isfinite(program.upper))
        if len(low):
            kept.append(self.point[low] >= program.lower[low])
        if len(high):
            kept.append(self.point[high] <= program.upper[high])
        kept += self._in_cones()
        self.problem = cp.Problem(cp.Minimize(program.cost @ self.point), kept)

    def _in_cones(self) -> list[Any]:
        """Return one constraint for all second-order cones of a size, and one for all exponential cones."""
        import cvxpy as cp

        program, found = self.program, []
        starts = np.cumsum([0, *(cone.size for cone in program.cones)])
        inside: Any = program.cone_rows @ self.point + program.cone_offset if program.cones else None
        for kind in dict.fromkeys(program.cones):
            places = np.array([start for start, cone in zip(starts, program.cones, strict=False) if cone == kind])
            if kind.kind == "exponential":
                found.append(cp.ExpCone(inside[places], inside[places + 1], inside[places + 2]))
            else:
                rest = (places[:, None] + np.arange(1, kind.size)).ravel()
                vectors = cp.reshape(inside[rest], (len(places), kind.size - 1), order="C")
                found.append(cp.SOC(inside[places], vectors, axis=1))
        return found

    def duals(self) -> Array | None:
        """Return the change of the least cost with each row's bound."""
        found = np.zeros(self.program.rows.shape[0])
        for places, rule, sign in zip((self.equal, self.above, self.below), self._rules, (-1, 1, -1), strict=True):
            if not len(places):
                continue
            if rule.dual_value is None:
                return None
            found[places] += sign * np.asarray(rule.dual_value)
        return found
