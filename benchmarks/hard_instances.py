"""How many solvers fail on each candidate of the set `hard`: ``python -m benchmarks.hard_instances``."""

from __future__ import annotations

import warnings

from benchmarks.optima import optimum
from mechdesign.bench.instance import Instance, Optimum
from mechdesign.bench.running.child import Order
from mechdesign.bench.running.one_run import Asked, run_of
from mechdesign.bench.running.record import Conditions, Run, machine
from mechdesign.bench.sets import SETS_VERSION
from mechdesign.bench.sets.hard import candidates
from mechdesign.bench.solvers import solver_named

SOLVERS = ("HIGHS", "HIGHS-IPM", "CLARABEL", "SCS", "ECOS")
#: What is asked for, and what counts as failed.
ASKED, FAILED = 1e-9, 1e-6
#: Seconds and GB for each run.
LIMIT, MEMORY = 5.0, 4


def failed(run: Run) -> bool:
    """Tell whether a solver that takes the program fails on it."""
    if run.outcome == "refused":
        return False
    if run.score is None or run.status in ("infeasible", "unbounded"):
        return True
    return max(run.score.error, run.score.bound_error) > FAILED


def main() -> None:
    """Print the candidates, most failures first."""
    warnings.simplefilter("ignore")
    found = []
    for draft in candidates():
        value, bound = optimum(draft)
        width = abs(value - bound) / max(abs(value), 1e-300)
        for name, form in draft.names():
            instance = Instance(name, draft.question, form, Optimum(value, bound), draft.why)
            runs = [_run(each, instance) for each in SOLVERS]
            count = sum(map(failed, runs)), sum(each.outcome != "refused" for each in runs)
            found.append((count, name, width))
            print(f"{count[0]} of {count[1]}  {name:36s} {width:.1e}", *(_said(each) for each in runs), flush=True)


def _run(solver: str, instance: Instance) -> Run:
    order = Order(solver, instance, ASKED, LIMIT, MEMORY << 30, 1)
    conditions = Conditions(SETS_VERSION, LIMIT, MEMORY, 1, machine())
    return run_of(Asked("hard", instance, solver_named(solver), "", order, conditions))


def _said(run: Run) -> str:
    if run.score is None:
        return f"{run.solver}:{run.outcome[:8]}"
    return f"{run.solver}:{run.score.error:.0e}/{run.score.bound_error:.0e}"


if __name__ == "__main__":
    main()
