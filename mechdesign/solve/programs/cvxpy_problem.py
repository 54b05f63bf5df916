"""A cvxpy problem that keeps what its solver says in its status: cvxpy would warn, and warnings are of the process."""

from __future__ import annotations

from functools import cache
from typing import Any


def problem(goal: Any, rules: list[Any]) -> Any:
    """Return the cvxpy problem of minimising `goal` under `rules`, which neither warns nor changes any filter.

    ``warnings.catch_warnings`` is no way to quieten a problem: it replaces the filters of the whole process, and of two
    threads that overlap the later puts back those of the earlier, for good.

    Examples
    --------
    >>> import cvxpy as cp
    >>> x = cp.Variable()
    >>> posed = problem(x, [x >= 1])
    >>> round(float(posed.solve(solver="CLARABEL")), 6), posed.status
    (1.0, 'optimal')
    """
    import cvxpy as cp

    return _kind()(cp.Minimize(goal), rules)


@cache
def _kind() -> Any:
    import cvxpy as cp
    from cvxpy.problems.problem import SolverStats
    from cvxpy.settings import ERROR, SOLUTION_PRESENT

    class SilentProblem(cp.Problem):  # type: ignore[misc] # cvxpy has no types
        """A problem that takes its answer over as `cvxpy.Problem` does, without a warning."""

        def unpack_results(self, solution: Any, chain: Any, inverse_data: Any) -> None:
            found, name = chain.invert(solution, inverse_data), chain.solver.name()
            if found.status in ERROR:
                raise cp.error.SolverError(f"Solver '{name}' failed.")
            present = found.status in SOLUTION_PRESENT
            for variable in self.variables():
                variable.save_value(found.primal_vars[variable.id] if present else None)
            for rule in self.constraints:
                if rule.id in found.dual_vars:
                    rule.save_dual_value(found.dual_vars[rule.id])
            # cvxpy would work the objective out again, with another solver's run where that is a minimum itself.
            self._value, self._status, self._solution = found.opt_val, found.status, found
            self._solver_stats = SolverStats.from_dict(found.attr, name)

    return SilentProblem
