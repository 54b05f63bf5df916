"""Route `maps`: an expected loss under metric DP, by an interior point with a block for each output.

Of the constraints only pairs of a sink and a source are kept, which change from step to step; the bound needs no
program, only the flows between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives.base import gains_of
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, now
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.interior_point.map_steps import Iterate
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.resources.programs import own_columns
from mechdesign.solve.search.map_best import OF_KERNELS, Best
from mechdesign.solve.search.map_iterates import iterates
from mechdesign.solve.search.merged_places import Places
from mechdesign.solve.solvers.catalogue import of_linear_programs, structured_alone
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping

#: Steps at most.
MOST_STEPS = 200
#: Inputs from which `auto` takes it: below, the program over all pairs is as quick.
FEWEST = 20
#: Numbers of the cone for each pair of inputs from which it is quicker: six are three pairs that no chain implies for
#: each input. On a line of 60, which has one, the program over pairs takes an eighth of the time.
CROWDED = 6.0
#: Rounds of lowering the multipliers of kernels where steps follow, and where none does.
ROUNDS = (1, 6)
#: Share of the gap that flows left out may cost.
OF_GAP = 0.02


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    known = expected_loss(task)
    return known if isinstance(known, Refusal) else Plan(partial(searched, *known, MOST_STEPS))


def expected_loss(task: Task) -> tuple[Array, Array] | Refusal:
    """Return what each decision gains of each input, shape (m, n), and the exponents, (n, n), or why there are none."""
    notion, objective, problem = task.notion, task.objective, task.problem
    exponents = notion.columns(problem).pair_exponents
    if exponents is None:
        return Refusal("it answers metric DP, where the secret is the input itself")
    gains = gains_of(objective, problem)
    if gains is None:
        return Refusal(f"the decisions of {objective.name} are not finitely many")
    if task.outputs is not None and task.outputs < len(gains):
        return Refusal(f"which {task.outputs} of {len(gains)} decisions to keep is a choice; see the route few_outputs")
    return gains, exponents


def searched(gains: Array, exponents: Array, most_steps: int, task: Task, solver: str) -> Candidate:
    """Step until value and bound of the map of places are near; return the best of both, for inputs.

    Parameters
    ----------
    gains : ndarray, shape (m, n)
        What each decision gains of each input.
    exponents : ndarray, shape (n, n)
        ``epsilon`` times the distances.
    most_steps : int
        With 0 it is the mixture of kernels that the steps begin with.
    """
    stages, started = Stages(), now()
    places = Places.of(exponents)
    merged = places.gains(gains)
    program = MapProgram.of(-merged.T, places.exponents(exponents))
    found = Best.obvious(program)
    stages.lap("build")
    steps, of_kernels = 0, not most_steps or program.inputs >= OF_KERNELS
    linear = of_linear_programs()[0] if most_steps else solver
    with stopping(task, lambda: True) as ending:
        if of_kernels and program.inputs > 1:
            found = found.of_kernels(linear, ROUNDS[not most_steps])
            task.report(0, program.unscaled(found.value), program.unscaled(found.cover.bound))
        # A step is taken in any case, but for a mixture that is optimal, or that the time went into.
        ended = of_kernels and (is_late() or found.is_near(0.5 * task.gap))
        stepping = program.inputs > 1 and most_steps and not ended
        for iterate in _finite(iterates(program)) if stepping else ():
            found = found.after(iterate, is_late(), linear)
            steps += 1
            task.report(steps, program.unscaled(found.value), program.unscaled(found.cover.bound))
            if is_late():
                ending.said = "time limit"
            if found.is_near(0.5 * task.gap) or is_late() or steps >= most_steps:
                break
    stages.lap("solve")
    best = found.cover.lighter(OF_GAP * max(found.value - found.cover.bound, task.gap * abs(found.value)))
    table = best.table * np.array([1.0, 1.0, 1.0, program.scale])
    rows = places.rows(merged.max(axis=0) - program.scale * best.multipliers)
    stats = SolverStats(solver, ending.said or "searched", now() - started, steps)
    note = f"{'exponential kernels, ' * of_kernels}{steps} steps, {len(table)} flows{ending}"
    multipliers = Multipliers(rows, weights=places.flows(gains, table))
    return Candidate(found.columns.T[places.of_input], multipliers, stats, stages.timings, note, ending.interrupted)


def _finite(found: Iterator[Iterate]) -> Iterator[Iterate]:
    """Yield the iterates up to the first whose arithmetic breaks down."""
    while True:
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                iterate = next(found)
        except (FloatingPointError, np.linalg.LinAlgError, SolverError):
            return
        yield iterate


def first_of_all(task: Task) -> str | None:
    """Return why `auto` takes it where there are many inputs on no line."""
    notion, n = task.notion, task.problem.n
    if (
        n < FEWEST
        or notion.columns(task.problem).cone_numbers < CROWDED * n**2
        or notion.columns(task.problem).pair_exponents is None
    ):
        return None
    if isinstance(plan(task), Refusal):
        return None
    return "under a metric each output is a block of its own, and few pairs of inputs matter"


def size(task: Task) -> Size:
    """Return the size of the blocks of all outputs."""
    if task.columns.pair_exponents is None:
        return Size()
    places = float(task.problem.n) ** 2 * (own_columns(task) or task.problem.n)
    return Size(bytes_of("map", places), first=seconds_of("map step", places))


ROUTE = Route("maps", structured_alone, plan, size, first_of_all, makes_cone=False)
