"""A continuum of decisions in rounds: a program over some of them, priced exactly, refined where its outputs are.

The decisions t are generated, never columns. A round solves the program only as accurately as its gap deserves, merges
neighbouring outputs for as little of that gap, and adds their ratios and the places where the price has a local
maximum. The best bound and the best columns of all rounds are kept, so
that the answer has its true gap whenever it is taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Cone
from mechdesign.objectives import RatioType
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, now, time_left
from mechdesign.solve.interior_point.primal_dual import LEAST_SIZE
from mechdesign.solve.interior_point.variable_fixing import Guess
from mechdesign.solve.pricing.continuum_of_decisions import added, peaks, ratio_range
from mechdesign.solve.pricing.squared_ratio_on_band import pricing_of
from mechdesign.solve.repair.merged_outputs import merge_alike
from mechdesign.solve.resources.measurements import bytes_of
from mechdesign.solve.resources.memory import note_of
from mechdesign.solve.search.incumbent import Incumbent, in_rounds
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Stages, Task, used
from mechdesign.tolerances import SOLVER

#: Decisions of the first program, spread over the range of the ratio.
FIRST_DECISIONS = 24
#: Relative accuracy of the first program.
FIRST_ACCURACY = 1e-3
#: Share of the last gap that the next program and its price may miss.
COARSE = 0.03
#: Share of the last gap that may be lost in merging outputs, whose ratios are the next decisions.
ALIKE = 0.3
#: Rounds in which the gap does not shrink by a tenth before the route gives up narrowing it.
PATIENCE = 6
#: Rounds of pricing before the route returns what it has.
MOST_ROUNDS = 40

#: How much longer a round takes than the one before, and how many times the bound is priced after the last: where less
#: is left, a round more would leave its certificate no time.
NEXT_ROUND, PROOFS = 1.2, 4.0
#: Pairs whose surplus is less than so many widths of the last gap are in doubt.
DOUBTED = 50.0


#: From gains, shape (decisions, n), a relative accuracy and what the last round says of the multipliers: columns (last,
#: those that reveal an input), multipliers.
Solver = Callable[[Array, float, Guess | None], tuple[Array, Array, SolverStats]]


def over_continuum(task: Task, cone: Cone, solved: Solver, stages: Stages, name: str) -> Candidate:
    """Return the best columns and multipliers over rounds of programs."""
    objective, problem = task.objective, task.problem
    assert isinstance(objective, RatioType)
    ratio = objective.ratio(problem)
    low, high = ratio_range(ratio, task.notion, problem)
    if high == low:
        return _uninformative(task, ratio.functionals(np.array([low]))[0], stages, name)
    search = _OverDecisions(task, objective, cone, solved, stages, (low, high))
    ending = in_rounds(search, search.one)
    stages.lap("price")
    note = f"over {len(search.decisions)} decisions, {search.rounds} rounds{ending}{search.short}"
    found = Multipliers(search.shown)
    return Candidate(search.found, found, search.stats, stages.timings, note, ending.interrupted)


class _OverDecisions(Incumbent[Array, Array]):
    """The restricted master problem over some decisions, solved only as accurately as the gap deserves."""

    def __init__(
        self, task: Task, objective: RatioType, cone: Cone, solved: Solver, stages: Stages, ends: tuple[float, float]
    ) -> None:
        constant, nothing = np.ones((task.problem.n, 1)), np.zeros(task.problem.n)
        super().__init__(task, constant, nothing, most_rounds=MOST_ROUNDS, patience=PATIENCE)
        self.objective, self.ratio = objective, objective.ratio(task.problem)
        self.pricing, self.solved, self.stages = pricing_of(self.ratio, task.notion, task.problem, cone), solved, stages
        self.nearest = 1e-7 * (ends[1] - ends[0])
        self.decisions, self.accuracy = _first(task, *ends), FIRST_ACCURACY
        self.guess: Guess | None = None
        self.stats: SolverStats
        #: Why there is no other round: memory.
        self.short = ""
        self.pricing_took = 0.0

    def one(self, ending: Ending) -> bool:
        """Solve over the decisions, price the multipliers, and add decisions; return whether to go on."""
        task, objective, problem, before = self.task, self.objective, self.task.problem, self.width
        started = now()
        gains = _finite(self.ratio.functionals(self.decisions))
        found, rows, self.stats = self.solved(gains, self.accuracy, self.guess)
        columns, revealing = np.split(np.maximum(found, 0.0), [len(self.decisions)], axis=1)
        merged = np.hstack([merge_alike(columns, objective, problem), used(revealing)])
        reached = float(objective.column_utility(merged, problem).sum())
        asked = task.asked(reached)
        solved_at = now()
        priced = self.pricing(rows, self.decisions, max(0.1 * asked, COARSE * min(before, abs(reached))))
        self.pricing_took = max(self.pricing_took, now() - solved_at)
        self.show(float(rows.sum()) + priced.bound, rows)
        if reached <= self.bound + max(asked, self.accuracy * abs(reached)):
            # What is better than the bound misses the rows: a solver that was stopped on its way.
            self.reach(reached, merged)
        width = self.end_round()
        if width <= 0.5 * asked or is_late():
            return False
        left = time_left()
        if left is not None and left < NEXT_ROUND * (now() - started) + PROOFS * self.pricing_took:
            ending.said = "time limit"
            return False
        self.guess = Guess(self.shown, DOUBTED * width)
        self.accuracy = _accuracy(max(COARSE * width, 0.1 * asked), reached, gains)
        means = self.ratio.at(merge_alike(columns, objective, problem, ALIKE * width / max(abs(reached), 1e-300)))
        # Old decisions are kept: without them the price rises where they were, and the bound goes up and down.
        self.decisions = added(self.decisions, np.concatenate([means, peaks(priced)]), self.nearest)
        self.short = note_of(task, bytes_of("doubted band", problem.n * len(self.decisions)))
        self.stages.lap("price")
        return not self.short


def _finite(gains: Array) -> Array:
    """Return the gains, shape (decisions, n), or raise where powers of the ratio overflowed."""
    if not np.all(np.isfinite(gains)):
        raise SolverError("The decisions' gains overflow, over the range of ratios that was found.", status="overflow")
    return gains


def _accuracy(wanted: float, reached: float, gains: Array) -> float:
    """Return the solver's relative tolerance at which the utility `reached` is accurate to `wanted`."""
    # Nothing can be gained where both hypotheses are one.
    size = max(abs(reached) + LEAST_SIZE * float(np.abs(gains).max()), 1e-300)
    return float(np.clip(wanted / size, SOLVER, FIRST_ACCURACY))


def _uninformative(task: Task, functional: Array, stages: Stages, name: str) -> Candidate:
    stats = SolverStats(name, "not needed", 0.0, 0)
    note = "every column has one ratio"
    return Candidate(np.ones((task.problem.n, 1)), Multipliers(functional), stats, stages.timings, note)


def _first(task: Task, low: float, high: float) -> Array:
    """Return the decisions of the first program: spread over the range, and those at a frontier's last level."""
    spread = np.linspace(low, high, FIRST_DECISIONS)
    known = None if task.warm_start is None else task.warm_start.decisions
    return spread if known is None else added(spread, known, 1e-7 * (high - low))
