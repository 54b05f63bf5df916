"""Route `minimax`: a largest expected loss under metric DP, by columns of the best maps of one prior after another.

Mixtures of exponential kernels and further columns are weighed by a linear program; its multipliers are a prior. An
interior point gives the best expected loss at it, which bounds every largest loss, and columns for the next program.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import in_share, is_late, now
from mechdesign.solve.repair.private_map import closed_columns, private_map
from mechdesign.solve.routes.maps import MOST_STEPS, Merged, finite, is_crowded, size
from mechdesign.solve.search.exponential_kernels import NEGLIGIBLE, kernels_of
from mechdesign.solve.search.map_best import Best
from mechdesign.solve.search.map_cover import Cover, cover
from mechdesign.solve.search.map_iterates import iterates
from mechdesign.solve.search.minimax_columns import MinimaxColumns
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Stages, Task, stopping

#: Inputs from which `auto` takes it before the program over all pairs: at 64 both take half a minute to 1e-6.
FEWEST = 64
#: Priors at most, and how many may pass without a gap that is narrower by the share NEARER.
MOST_PRIORS, PATIENCE, NEARER = 60, 4, 0.95
#: How far from the best prior so far to the program's own the next one lies (Wentges 1997).
MIXED = 0.5
#: The share of the gap to which the best map of a prior is found.
OF_WIDTH = 0.2
#: Rounds of lowering the multipliers of kernels.
LOWERED = 3
#: The share of the time left that weighing may take.
OF_TIME = 0.5


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    notion, objective, problem = task.notion, task.objective, task.problem
    exponents = notion.columns(problem).pair_exponents
    if exponents is None:
        return Refusal("it answers metric DP, where the secret is the input itself")
    losses = objective.losses_of_inputs(problem)
    if losses is None:
        return Refusal("it answers the largest expected loss of an input")
    if task.outputs is not None and task.outputs < losses.shape[1]:
        return Refusal(f"which {task.outputs} of {losses.shape[1]} decisions to keep is a choice")
    return Plan(partial(_searched, losses, exponents))


@dataclass
class _Search:
    """The best mechanism and the best prior so far; losses are between 0 and 1.

    Attributes
    ----------
    columns : ndarray, shape (decisions, places)
    value, bound : float
    shown : tuple of Merged, Cover and prior
        What the bound follows from.
    """

    losses: Array
    exponents: Array
    columns: Array
    value: float
    bound: float
    shown: tuple[Merged, Cover, Array]

    @classmethod
    def of(cls, losses: Array, exponents: Array) -> _Search:
        """Return the best obvious mechanism for losses, shape (n, decisions), and equal shares as its prior."""
        prior = np.full(len(losses), 1.0 / len(losses))
        merged = _map_of(prior, losses, exponents)
        none = Cover(np.zeros(merged.program.inputs), np.zeros((0, 4)), 0.0)
        start = (merged, none, prior)
        found = cls(losses, exponents, np.zeros((0, 0)), np.inf, merged.program.unscaled(0.0), start)
        safest = np.zeros_like(merged.program.cost)
        safest[losses.max(axis=0).argmin()] = 1.0
        for columns in (safest, *merged.program.obvious()):
            found.reach(columns)
        return found

    def reach(self, columns: Array) -> None:
        """Keep private columns, shape (decisions, places), if their largest loss is less."""
        rows = columns.T[self.shown[0].places.of_input]
        value = float((rows * self.losses).sum(axis=1).max())
        if value < self.value:
            self.columns, self.value = columns, value

    def show(self, merged: Merged, covered: Cover, prior: Array) -> None:
        """Keep multipliers of a prior, shape (n,), if their bound is higher."""
        bound = merged.program.unscaled(covered.bound)
        if bound > self.bound:
            self.bound, self.shown = bound, (merged, covered, prior)

    @property
    def width(self) -> float:
        """The value less the bound."""
        return self.value - self.bound

    def at_prior(self, prior: Array, width: float) -> tuple[Array, npt.NDArray[np.intp]]:
        """Step towards the best map of a prior, shape (n,), to a width, and keep its bound.

        Return its columns, shape (places, k), and the decision of each, shape (k,).
        """
        merged = _map_of(prior, self.losses, self.exponents)
        program, columns, steps = merged.program, merged.program.start, 0
        for iterate in finite(iterates(program)):
            self.show(merged, cover(program, iterate), prior)
            columns, steps = iterate.columns, steps + 1
            short = program.scale * (program.value(columns) - float(iterate.multipliers.sum()))
            if short <= width or steps >= MOST_STEPS or is_late():
                break
        closed = closed_columns(program, columns)
        used = np.flatnonzero(closed.max(axis=1) > NEGLIGIBLE)
        return (closed[used] / closed[used].max(axis=1, keepdims=True)).T, used

    def of_kernels(self, prior: Array, solver: str) -> None:
        """Keep the bound at a prior, shape (n,), by the kernels' multipliers, lowered until flows cover them."""
        merged = _map_of(prior, self.losses, self.exponents)
        self.show(merged, Best.obvious(merged.program).of_kernels(solver, LOWERED).cover, prior)


def _map_of(prior: Array, losses: Array, exponents: Array) -> Merged:
    """Return the map of the expected loss at a prior, shape (n,), from losses, shape (n, decisions)."""
    return Merged.of(-(prior[:, None] * losses).T, exponents)


def _searched(losses: Array, exponents: Array, task: Task, solver: str) -> Candidate:
    """Weigh columns, and add columns of the best map at the prior of their multipliers, until the gap is closed."""
    stages, started = Stages(), now()
    least, spread = float(losses.min()), float(np.ptp(losses)) or 1.0
    search = _Search.of((losses - least) / spread, exponents)
    merged = search.shown[0]
    master = MinimaxColumns(search.losses, merged.places, kernels_of(merged.program.exponents))
    stages.lap("build")
    count, idle, narrowest = 0, 0, np.inf
    with stopping(task, lambda: True) as ending:
        while count < MOST_PRIORS and idle < PATIENCE and not ending.said:
            prior, weighed = search.shown[2], False
            # Without a mixture the best prior so far still has a bound.
            with suppress(SolverError), in_share(OF_TIME):
                found = master.solve(solver)
                search.reach(private_map(merged.program, found.columns))
                prior, weighed = prior + MIXED * (found.prior - prior), True
            stages.lap("solve")
            if count == 0:
                search.of_kernels(prior, solver)
            master.add(*search.at_prior(prior, OF_WIDTH * search.width))
            stages.lap("price")
            count += 1
            task.report(count, least + spread * search.value, least + spread * search.bound)
            idle = 0 if search.width < NEARER * narrowest else idle + 1
            narrowest = min(narrowest, search.width)
            if is_late():
                ending.said = "time limit"
            if not weighed or spread * search.width <= task.asked(-(least + spread * search.value), 0.5):
                break
    stats = SolverStats(solver, ending.said or "searched", now() - started, count)
    return _candidate(search, least, spread, task, stats, stages, ending)


def _candidate(
    search: _Search, least: float, spread: float, task: Task, stats: SolverStats, stages: Stages, ending: Ending
) -> Candidate:
    """Return the best mechanism of inputs, and the multipliers of the best prior, for losses as they were given."""
    merged, covered, prior = search.shown
    width = max(search.width, task.gap * abs(search.value)) / merged.program.scale
    rows, flows = merged.rows_and_flows(covered, width)
    flows = flows * np.array([1.0, 1.0, 1.0, spread])
    multipliers = Multipliers(spread * rows - least * prior, weights=prior, flows=flows)
    columns = search.columns.T[merged.places.of_input]
    note = f"{stats.iterations} priors{ending}"
    return Candidate(columns, multipliers, stats, stages.timings, note, ending.interrupted)


def first_of_all(task: Task) -> str | None:
    """Return why `auto` takes it where there are many inputs on no line."""
    if not is_crowded(task, FEWEST) or isinstance(plan(task), Refusal):
        return None
    return "the best maps of few priors make up the safest one, and the program over all pairs of inputs is large"


ROUTE = Route("minimax", of_linear_programs, plan, size, first_of_all, makes_cone=False)
