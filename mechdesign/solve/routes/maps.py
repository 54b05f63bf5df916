"""Route `maps`: an expected loss under metric DP, by an interior point with a block for each output.

Of the constraints only pairs of a sink and a source are kept, which change from step to step; the bound needs no
program, only the flows between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from mechdesign.solve.search.map_cover import Cover
from mechdesign.solve.search.map_iterates import iterates
from mechdesign.solve.search.merged_places import Places
from mechdesign.solve.solvers.catalogue import of_linear_programs, structured_alone
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task, stopping

#: Steps at most.
MOST_STEPS = 200
#: Inputs from which `auto` takes it: below, the program over all pairs is as quick.
FEWEST = 20
#: Numbers of the cone for each pair of inputs from which it is quicker: six are three pairs that no chain implies for
#: each input. On a line of 60, which has one, the program over pairs takes an eighth of the time.
CROWDED = 6.0
#: Rounds of lowering the multipliers of kernels: steps, which follow, bound better.
ROUNDS = 2
#: Share of the gap that flows left out may cost.
OF_GAP = 0.02


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    known = expected_loss(task)
    return known if isinstance(known, Refusal) else Plan(partial(_searched, *known))


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


@dataclass(frozen=True)
class Merged:
    """The program of a map of places, of which inputs at nearly no distance from each other are one.

    Attributes
    ----------
    gains : ndarray, shape (m, n)
        What each decision gains of each input.
    at_places : ndarray, shape (m, k)
        The same of each place.
    """

    gains: Array
    places: Places
    at_places: Array
    program: MapProgram

    @classmethod
    def of(cls, gains: Array, exponents: Array) -> Merged:
        """Return the program of the gains, shape (m, n), and of ``epsilon`` times the distances, shape (n, n)."""
        places = Places.of(exponents)
        at_places = places.gains(gains)
        return cls(gains, places, at_places, MapProgram.of(-at_places.T, places.exponents(exponents)))

    def report(self, task: Task, steps: int, found: Best) -> None:
        """Say where a search stands after a number of steps."""
        task.report(steps, self.program.unscaled(found.value), self.program.unscaled(found.cover.bound))

    def candidate(
        self, found: Best, task: Task, stats: SolverStats, stages: Stages, note: str, ending: Ending
    ) -> Candidate:
        """Return the best mechanism and bound for the inputs."""
        rows, flows = self.rows_and_flows(found.cover, max(found.width, task.gap * abs(found.value)))
        said = f"{note}, {len(flows)} flows{ending}"
        columns, multipliers = found.columns.T[self.places.of_input], Multipliers(rows, flows=flows)
        return Candidate(columns, multipliers, stats, stages.timings, said, ending.interrupted)

    def rows_and_flows(self, covered: Cover, width: float) -> tuple[Array, Array]:
        """Return the multipliers of inputs, shape (n,), and the flows that matter at a scaled width, shape (k, 4)."""
        scale, best = self.program.scale, covered.lighter(OF_GAP * width)
        table = best.table * np.array([1.0, 1.0, 1.0, scale])
        rows = self.places.rows(self.at_places.max(axis=0) - scale * best.multipliers)
        return rows, self.places.flows(self.gains, table)


def _searched(gains: Array, exponents: Array, task: Task, solver: str) -> Candidate:
    """Step until value and bound of the map of places are near; return the best of both, for inputs."""
    stages, started = Stages(), now()
    merged = Merged.of(gains, exponents)
    program, steps = merged.program, 0
    found, many = Best.obvious(program), program.inputs >= OF_KERNELS
    stages.lap("build")
    with stopping(task, lambda: True) as ending:
        if many:
            found = found.of_kernels(of_linear_programs()[0], ROUNDS)
            merged.report(task, steps, found)
        # A step is taken in any case, but for a mixture that is optimal, or that the time went into.
        ended = program.inputs == 1 or (many and (is_late() or found.is_near(0.5 * task.gap)))
        for iterate in () if ended else finite(iterates(program)):
            found = found.after(iterate, is_late(), of_linear_programs()[0])
            steps += 1
            merged.report(task, steps, found)
            if is_late():
                ending.said = "time limit"
            if found.is_near(0.5 * task.gap) or is_late() or steps >= MOST_STEPS:
                break
    stages.lap("solve")
    stats = SolverStats(solver, ending.said or "searched", now() - started, steps)
    return merged.candidate(found, task, stats, stages, f"{'exponential kernels, ' * many}{steps} steps", ending)


def finite(found: Iterator[Iterate]) -> Iterator[Iterate]:
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
    if not is_crowded(task, FEWEST) or isinstance(plan(task), Refusal):
        return None
    return "under a metric each output is a block of its own, and few pairs of inputs matter"


def is_crowded(task: Task, fewest: int) -> bool:
    """Return whether a program over all pairs of inputs takes longer: they are many, and lie on no line."""
    n, columns = task.problem.n, task.notion.columns(task.problem)
    return n >= fewest and columns.cone_numbers >= CROWDED * n**2 and columns.pair_exponents is not None


def size(task: Task) -> Size:
    """Return the size of the blocks of all outputs."""
    if task.columns.pair_exponents is None:
        return Size()
    places = float(task.problem.n) ** 2 * (own_columns(task) or task.problem.n)
    return Size(bytes_of("map", places), first=seconds_of("map step", places))


ROUTE = Route("maps", structured_alone, plan, size, first_of_all, makes_cone=False)
