"""A continuum of decisions at the next level of a frontier: the last optimum's extreme columns, and some pivots.

Extreme columns of a band about the mass fill the inputs in some order. The order is what is kept of a column, as the
functional that it was best for: at the next level the same functional gives the column's heir. The program over the
heirs starts from the basis of the last level, and columns of positive price are added, at multipliers between those of
the best bound so far and the vertex's, until the exact price over all decisions says that the gap is closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Band, Cone
from mechdesign.objectives import Ratio, RatioType
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.solve.pricing.continuum_of_decisions import peaks, ratio_range
from mechdesign.solve.pricing.squared_ratio_on_band import pricing_of
from mechdesign.solve.pricing.support import support
from mechdesign.solve.solvers.highs import lasting_engine, resume
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.solvers.silent_highs import highs
from mechdesign.solve.task.task import Candidate, Task
from mechdesign.solve.task.warm_program import can_follow

#: Inputs up to which extreme columns are quicker than an interior point over decisions.
MOST_INPUTS = 50
#: Rounds of pricing before the level is left to the interior point.
MOST_ROUNDS = 40
#: Columns that are kept for the next level, for each input.
KEPT = 12
#: Decisions of the grid that columns are looked for from, for each input, and steps from each of its peaks.
GRID, CLIMBS = 2, 1
#: Share of the way from the vertex's multipliers to the best so far at which columns are looked for.
SMOOTH = 0.3
#: Mass of a mechanism's outputs, and shares of them, below which they are not taken apart.
NO_MASS, NO_SHARE = 1e-7, 1e-6


@dataclass
class WarmColumns:
    """What the last level leaves: functionals that its columns were best for, the basis, and the best multipliers."""

    functionals: Array
    basis: Any
    centre: Array

    @classmethod
    def of(cls, candidate: Candidate, task: Task, cone: Cone) -> WarmColumns | None:
        """Return the start from a route's answer, or None where its columns are no fillings of a band."""
        band = cone.band_of_inputs
        if not (can_follow(band) and cone.on_column.shape[1] <= MOST_INPUTS) or task.columns.revealed:
            return None
        if band is None or band.middle is None or not np.all(band.middle > 0):
            return None
        found = [order for column in candidate.matrix.T for order in taken_apart(column, band)]
        # The first one's place is that of the column of ones.
        return cls(np.array([found[0], *found]), None, candidate.multipliers.rows) if found else None

    def solve(self, task: Task, cone: Cone) -> tuple[Candidate | None, Array]:
        """Return the level's answer, and the decisions that it came to; no answer where the rounds were too few."""
        program = _Program(self, task, cone)
        for rounds in range(1, MOST_ROUNDS + 1):
            program.run(time_left())
            if program.priced() or is_late():
                program.leave(self)
                note = f"over {len(program.worth)} columns, {rounds} rounds"
                matrix = program.columns[:, program.weights > 0] * program.weights[program.weights > 0]
                candidate = Candidate(matrix, Multipliers(program.centre), program.stats(), {}, note)
                return candidate, program.decisions()
        return None, program.decisions()


class _Program:
    """The program over some columns: maximise their worth over weights with ``sum_r w_r v_r = 1``."""

    def __init__(self, last: WarmColumns, task: Task, cone: Cone) -> None:
        highspy = highs()

        objective, problem = task.objective, task.problem
        assert isinstance(objective, RatioType)
        self.task, self.objective = task, objective
        self.ratio: Ratio = objective.ratio(problem)
        self.low, self.high = ratio_range(self.ratio, task.notion, problem)
        self.pricing = pricing_of(self.ratio, task.notion, problem, cone)
        self.functionals = last.functionals
        self.columns = support(task.notion, problem, last.functionals).columns
        # The column of ones, so that there is a mechanism whatever the heirs are.
        self.columns[:, 0] = 1.0
        self.worth = objective.column_utility(self.columns, problem)
        self.unit = float(np.abs(self.ratio.functionals(np.array([self.low, self.high]))).max()) or 1.0
        self.centre, self.bound = last.centre, np.inf
        self.seconds, self.steps, self.known = 0.0, 0, last.basis is not None
        self.engine = lasting_engine(highspy, task.solver_verbose)
        n, none = problem.n, np.zeros(0, dtype=np.int32)
        self.engine.addRows(n, np.ones(n), np.ones(n), 0, np.zeros(n, dtype=np.int32), none, np.zeros(0))
        self._insert(self.columns, self.worth)
        if last.basis is not None:
            self.engine.setBasis(last.basis)

    def _insert(self, columns: Array, worth: Array) -> None:
        n, count = columns.shape
        every = np.tile(np.arange(n, dtype=np.int32), count)
        starts = np.arange(0, columns.size, n, dtype=np.int32)
        top, entries = np.full(count, np.inf), np.ascontiguousarray(columns.T).ravel()
        self.engine.addCols(count, -worth / self.unit, np.zeros(count), top, columns.size, starts, every, entries)

    def run(self, time_left: float | None) -> None:
        """Solve over the columns that are known."""
        found = resume(self.engine, time_left)
        self.weights, self.vertex = np.maximum(found.point, 0.0), -found.multipliers * self.unit
        self.seconds += found.stats.seconds
        self.steps += found.stats.iterations

    def priced(self) -> bool:
        """Add columns of positive price; return whether none is needed, as the gap is closed."""
        task, objective = self.task, self.objective
        reached = float(self.worth @ self.weights)
        asked = task.asked(reached)
        first = not np.isfinite(self.bound) and not self.known
        at = self.vertex if first else SMOOTH * self.centre + (1.0 - SMOOTH) * self.vertex
        functionals, columns, worth = self._best(at)
        if not np.any(worth - self.vertex @ columns > 0.1 * asked):
            functionals, columns, worth = self._best(self.vertex)
        if self.bound - reached <= 0.5 * asked:
            ends = np.concatenate([[self.low, self.high], self.decisions()])
            certain = self.pricing(self.centre, ends, 0.1 * asked)
            if float(self.centre.sum()) + certain.bound - reached <= 0.9 * asked:
                return True
            more = self.ratio.functionals(peaks(certain)) - self.centre
            further = support(task.notion, task.problem, more).columns if len(more) else columns[:, :0]
            functionals, columns = np.vstack([functionals, more]), np.hstack([columns, further])
            worth = objective.column_utility(columns, task.problem)
            self.bound = np.inf
        gained = worth - self.vertex @ columns
        # Climbs from several decisions end in one column.
        _, distinct = np.unique(np.round(self.ratio.at(columns) / (self.high - self.low), 9), return_index=True)
        new = distinct[gained[distinct] > 0.0]
        if not len(new):
            raise SolverError("No column improves on the last level's, but its gap is open.", status="stalled")
        self._insert(columns[:, new], worth[new])
        self.functionals = np.vstack([self.functionals, functionals[new]])
        self.columns = np.hstack([self.columns, columns[:, new]])
        self.worth = np.concatenate([self.worth, worth[new]])
        self.weights = np.append(self.weights, np.zeros(len(new)))
        return False

    def _best(self, multipliers: Array) -> tuple[Array, Array, Array]:
        """Return the columns at the price's local maxima, what they are best for, their worth; note the bound."""
        notion, problem, ratio = self.task.notion, self.task.problem, self.ratio
        t = np.sort(np.append(np.linspace(self.low, self.high, GRID * problem.n), self.decisions()))
        for climb in range(CLIMBS + 1):
            functionals = ratio.functionals(t) - multipliers
            found = support(notion, problem, functionals)
            if climb == CLIMBS:
                break
            values = found.values
            padded = np.concatenate([[-np.inf], values, [-np.inf]])
            kept = (values >= padded[:-2]) & (values >= padded[2:]) if not climb else np.ones(len(t), dtype=bool)
            # The best decision for a column is its own ratio, so that the price can only rise.
            t = ratio.at(found.columns[:, kept])
        worth = self.objective.column_utility(found.columns, problem)
        bound = float(multipliers.sum()) + max(float((worth - multipliers @ found.columns).max()), 0.0)
        if bound < self.bound:
            self.bound, self.centre = bound, multipliers
        return functionals, found.columns, worth

    def decisions(self) -> Array:
        """Return the ratios of the columns that have mass."""
        return self.ratio.at(self.columns[:, self.weights > 0])

    def leave(self, last: WarmColumns) -> None:
        """Leave the columns that are made or nearly made, the basis among them, and the multipliers."""
        highspy = highs()

        held = self.engine.getBasis()
        # Each access makes the whole list anew.
        status = list(held.col_status)
        basic = np.array([each == highspy.HighsBasisStatus.kBasic for each in status])
        reduced = np.where(basic, np.inf, self.worth - self.vertex @ self.columns)
        reduced[0] = np.inf
        kept = np.sort(np.argsort(-reduced, kind="stable")[: KEPT * len(self.columns)])
        basis = highspy.HighsBasis()
        basis.col_status, basis.row_status = [status[i] for i in kept], list(held.row_status)
        basis.valid = True
        last.functionals, last.basis, last.centre = self.functionals[kept], basis, self.centre

    def stats(self) -> SolverStats:
        """Return how HiGHS ended."""
        return SolverStats("HIGHS", "time limit" if is_late() else "Optimal", self.seconds, self.steps)


def taken_apart(column: Array, band: Band) -> list[Array]:
    """Return functionals, shape (n,), whose best columns add up to `column` with weights: peeled, fullest first."""
    assert band.middle is not None
    prior, mass = band.middle, float(band.middle @ column)
    if mass < NO_MASS:
        return []
    room = (1.0 - band.low) / (band.high - band.low)
    left, share, found = (column / mass - band.low) / (band.high - band.low), 1.0, []
    for _ in range(2 * len(column)):
        order = np.argsort(-left, kind="stable")
        filled, rank = np.empty_like(left), np.empty_like(left)
        filled[order] = np.clip((room - (prior[order].cumsum() - prior[order])) / prior[order], 0.0, 1.0)
        rank[order] = -np.arange(len(left))
        found.append(rank * prior)
        some, short = filled > 0.0, filled < 1.0
        peeled = min(
            float((left[some] / filled[some]).min(initial=np.inf)),
            float(((share - left[short]) / (1.0 - filled[short])).min(initial=np.inf)),
            share,
        )
        left, share = left - peeled * filled, share - peeled
        if share < NO_SHARE or peeled < NO_SHARE * NO_SHARE:
            break
    return found
