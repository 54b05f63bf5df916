"""Route `quantised`: randomised response on the best cells of inputs by ratio, and multipliers that owe it nothing.

The theorem gives the mechanism, never the certificate. The multipliers solve the dual of the program over decisions,
with neighbouring inputs taken together. That program is never worse than the cells, which are groups of them, and
within a group multipliers are linear in ``(a_x, b_x)``, so that what the group gains is still added up exactly wherever
all of its inputs gain, or none. Groups in which some do and some do not, where the price shows it, are split.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mechdesign.baselines.interval_partition import Cells, best_cells, by_ratio
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Band
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import Ratio, RatioType
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import in_share, is_late
from mechdesign.solve.interior_point.primal_dual import solve_band
from mechdesign.solve.pricing.continuum_of_decisions import Price, added, peaks, price, ratio_range
from mechdesign.solve.pricing.support import support
from mechdesign.solve.programs.grouped_inputs import Groups, Line, on_line
from mechdesign.solve.search.incumbent import Incumbent, in_rounds
from mechdesign.solve.solvers.catalogue import structured_alone
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task
from mechdesign.tolerances import LARGEST_EXPONENT, SOLVER

#: Decisions of the first program, spread between those of the cells; at least so many between two.
FIRST_DECISIONS, LEAST_BETWEEN = 96, 2
#: The program's error while the width is large, as a share of the width (and the width, of the value, at first).
WHILE_COARSE = 0.01
#: What a group's split has to gain, as a share of what is asked.
WORTH_SPLITTING = 0.02
#: Decisions of the largest price whose sets are looked at.
FOREMOST = 64
#: Share of the time that the cells may take: the rest is for their bound.
CELLS_TIME = 0.4
#: Rounds of pricing before the route returns what it has; so many that the bound does not shrink are the last, too.
MOST_ROUNDS, PATIENCE = 40, 8


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    if not is_ldp_of_inputs(task.notion, task.problem):
        return Refusal("only under LDP whose secret is the input are consecutive cells optimal")
    objective = task.objective
    if not is_separable(objective) or not isinstance(objective, RatioType):
        return Refusal(f"{objective.name} is no utility of ratio type, whose inputs have an order")
    return Plan(partial(_on_best_cells, objective))


def _on_best_cells(objective: RatioType, task: Task, solver: str) -> Candidate:
    """Return randomised response on the best cells, with multipliers priced in rounds."""
    stages, problem = Stages(), task.problem
    ratio, low = objective.ratio(problem), float(np.exp(-min(task.notion.parameter, LARGEST_EXPONENT)))
    line = on_line(ratio)
    with in_share(CELLS_TIME):
        cells = best_cells(line.ratio, low)
    stages.lap("build")
    if low == 1.0 or len(line.ratio.a) == 1:
        mean = np.array([ratio.a.sum() / ratio.b.sum()])
        stats = SolverStats(ROUTE.solvers[0], "not needed", 0.0, 0)
        rows = ratio.functionals(mean)[0]
        return Candidate(
            np.ones((problem.n, 1)), Multipliers(rows), stats, stages.timings, "every column has one ratio"
        )
    search = _OverGroups(task, objective, ratio, line, cells, low)
    search.run(stages)
    found = Multipliers(search.shown)
    return Candidate(search.found, found, search.stats(), stages.timings, search.note(), search.interrupted)


def _revealing(ratio: Ratio) -> tuple[Array, float]:
    """Return what each input would gain if it were disclosed: multipliers of the bound without privacy."""
    with np.errstate(all="ignore"):
        known = ratio.b * ratio.values(np.where(ratio.b > 0, by_ratio(ratio), 0.0))
        rows = np.where(ratio.b > 0, known, np.where(ratio.a == 0, 0.0, ratio.a * ratio.f.slope_at_infinity))
    return (rows, float(rows.sum())) if np.all(np.isfinite(rows)) else (np.zeros(len(rows)), np.inf)


class _OverGroups(Incumbent[Array, Array]):
    """The dual over decisions and groups, refined where the price shows that a bound is not yet the cells' utility."""

    def __init__(self, task: Task, objective: RatioType, ratio: Ratio, line: Line, cells: Cells, low: float) -> None:
        matrix = cells.matrix(low)[line.at]
        reached = float(objective.column_utility(matrix, task.problem).sum())
        rows, bound = _revealing(ratio)
        super().__init__(task, matrix, rows, most_rounds=MOST_ROUNDS, patience=PATIENCE)
        self.reach(reached, matrix)
        self.show(bound, rows)
        self.ratio, self.line, self.cells, self.low = ratio, line, cells, low
        self.steps, self.seconds = 0, 0.0
        self.asked = task.asked(reached, 0.1)
        self.ends = ratio_range(ratio, task.notion, task.problem)
        own = line.ratio.at(cells.matrix(low))
        self.decisions = _spread(own, self.ends, ratio.f.least > 0)
        known = np.concatenate([self.ends[:1], own, self.ends[1:]])
        self.slopes = ratio.f.derivative(np.clip(known, ratio.f.least, ratio.f.most))
        self.groups = Groups.graded(line.ratio, cells.cuts)
        self.status, self.interrupted = "not needed", False

    def run(self, stages: Stages) -> None:
        """Solve and price until the bound is near enough, or time is up; Ctrl-C keeps what there is."""

        def one(ending: Ending) -> bool:
            if self.width <= 5 * self.asked:
                return False
            if is_late():
                ending.said = "time limit"
                return False
            self._round(stages)
            self.end_round()
            return True

        ending = in_rounds(self, one, begun=True)
        self.status = ending.said or self.status
        self.interrupted = ending.interrupted

    def stats(self) -> SolverStats:
        """Return how the last program ended, and the steps of all."""
        return SolverStats(ROUTE.solvers[0], self.status, self.seconds, self.steps)

    def note(self) -> str:
        """Return the size of the search."""
        size = f"over {len(self.decisions)} decisions and {len(self.groups.starts)} groups of inputs"
        return f"{self.cells.count} cells; the bound {size}, {self.rounds} rounds"

    def _round(self, stages: Stages) -> None:
        on_groups = self._multipliers(stages)
        alpha, beta = self.groups.extended(on_groups, self.slopes)
        at = self.groups.of_places
        on_places = alpha[at] * self.line.ratio.b + beta[at] * self.line.ratio.a
        at = at[self.line.at]
        rows = alpha[at] * self.ratio.b + beta[at] * self.ratio.a
        priced = self._priced(on_places)
        # The sets of largest excess need not be those of largest excess per mass, but they are among the first.
        foremost = priced.decisions[np.argsort(-priced.values, kind="stable")[:FOREMOST]]
        peaked = peaks(priced)
        peaked = peaked if len(peaked) else foremost[:1]
        looked = np.concatenate([peaked, foremost])
        found = support(self.task.notion, self.task.problem, self.ratio.functionals(looked) - rows)
        self.show(float(rows.sum() + found.values.max()), rows)
        gains = self.line.ratio.functionals(peaked) - on_places
        self.groups = self.groups.split(gains, WORTH_SPLITTING * self.asked)
        new = np.concatenate([peaked, self.ratio.at(found.columns[:, : len(peaked)])])
        self.decisions = added(self.decisions, new, 1e-7 * (self.ends[1] - self.ends[0]))
        stages.lap("price")

    def _multipliers(self, stages: Stages) -> Array:
        """Return central multipliers of the groups: a vertex's bound worse what was left out of the program."""
        gains = self.groups.together().functionals(self.decisions)
        scale = float(np.abs(gains).max()) or 1.0
        before = stages.timings.get("solve", 0.0)
        stages.lap("build")
        accuracy = self._error() / (abs(self.reached) + 1e-3 * scale)
        found = solve_band(Band(self.low, 1.0, None), gains / scale, max(accuracy, SOLVER))
        stages.lap("solve")
        self.status, self.steps = found.status, self.steps + found.steps
        self.seconds += stages.timings["solve"] - before
        return np.asarray(found.rows * scale)

    def _error(self) -> float:
        """Return how exactly the program is to be solved: what is still to be refined is far more than that."""
        return max(0.03 * self.asked, WHILE_COARSE * min(self.width, WHILE_COARSE * abs(self.reached)))

    def _priced(self, on_places: Array) -> Price:
        """Bound what any decision gains beyond the multipliers, of the set of all inputs that gain."""
        low = self.low

        def gained(functionals: Array) -> Array:
            # With 1_S best for each decision: low sum(h) + (1 - low) h(S).
            return np.asarray(low * functionals.sum(axis=1) + (1.0 - low) * np.maximum(functionals, 0.0).sum(axis=1))

        tolerance = self.asked * max(low, 1.0 / self.task.problem.n)
        decisions = np.concatenate([self.ends[:1], self.decisions, self.ends[1:]])
        return price(self.line.ratio, gained, on_places, decisions, tolerance)


def _spread(own: Array, ends: tuple[float, float], positive: bool) -> Array:
    """Return the cells' decisions and others between them, equally many in each gap; in proportion if `positive`."""
    knots = np.unique(np.concatenate([ends[:1], own, ends[1:]]))
    steps = max(LEAST_BETWEEN, FIRST_DECISIONS // len(knots))
    shares = np.arange(1, steps) / steps
    low, high = knots[:-1, None], knots[1:, None]
    between = low * (high / low) ** shares if positive and knots[0] > 0 else low + shares * (high - low)
    return np.unique(np.append(between.ravel(), knots))


def size(task: Task) -> Size:
    """Return none: its arrays follow the size of the matrix."""
    return Size()


ROUTE = Route("quantised", structured_alone, plan, size)
