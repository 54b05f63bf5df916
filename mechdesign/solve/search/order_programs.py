"""The linear programs of an exponent at one order after another, over the extreme rays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives.exponent import Searched
from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.certificate.exponents import Table
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Stages, Task
from mechdesign.tolerances import GAIN_GAP, SPAN_SHARE

#: Rows of a vertex sum to 1 up to this: far more than the solver's tolerance.
STOCHASTIC = 1e-6


@dataclass(frozen=True)
class Vertex:
    """The weights of the rays that are best at one order, with the multipliers that show it."""

    weights: Array
    rows: Array
    budget: Array
    #: The largest sum of the terms.
    total: float


@dataclass
class Search:
    """Solves ``max sum_r w_r terms_r`` over the weights of private mechanisms, again and again."""

    task: Task
    table: Table
    solver: str
    stages: Stages = field(default_factory=Stages)
    stats: SolverStats = field(default_factory=lambda: SolverStats("HIGHS", "not needed", 0.0, 0))
    count: int = 0

    def __post_init__(self) -> None:
        found, ones = self.table, np.ones(self.task.problem.n)
        self._program = ColumnWeights.of(found.rays.columns, ones, found.rays.cost, found.limits)
        self.stages.lap("build")

    def best(self, terms: Array) -> Vertex:
        """Return the vertex at which the weighted sum of `terms`, shape (rays,), is largest."""
        found = self._program.best(terms, self.solver, verbose=self.task.solver_verbose)
        self.count += 1
        self.stats = SolverStats(
            found.stats.name,
            found.stats.status,
            self.stats.seconds + found.stats.seconds,
            self.stats.iterations + found.stats.iterations,
        )
        self.stages.lap("solve")
        weights = found.weights
        if not np.abs(self.table.rays.columns @ weights - 1.0).max() <= STOCHASTIC:
            # Where it is stopped on the way these are no probabilities, and exponents of them no numbers.
            said = found.stats.status
            raise SolverError(f"{self.solver} stopped without a mechanism ({said}).", status=said, iterate=weights)
        return Vertex(weights, found.of_sums, found.of_limits, float(weights @ terms))

    def pair(self, weights: Array) -> tuple[Array, Array]:
        """Return both distributions of the output, shape (outputs,) each, from the weights of rays."""
        kept = weights > 0
        return weights[kept] * self.table.p[kept], weights[kept] * self.table.s[kept]

    def candidate(
        self, weights: Array, multipliers: Multipliers, order: float, ending: Ending | None = None
    ) -> Candidate:
        """Return the mechanism of weights of shape (rays,), its outputs in the sequence of their likelihood ratio."""
        kept = np.flatnonzero(weights > 0)
        kept = kept[np.argsort(np.arctan2(self.table.s[kept], self.table.p[kept]), kind="stable")]
        matrix = self.table.rays.columns[:, kept] * weights[kept]
        ending = ending or Ending()
        note = f"at order {order:.6g}, over {self.table.p.size} rays, {self.count} programs{ending}"
        return Candidate(matrix, multipliers, self.stats, self.stages.timings, note, ending.interrupted)

    def asked(self, value: float) -> float:
        """Return how far value and bound may be apart."""
        task = self.task
        asked = 0.1 * task.gap * max(abs(value), SPAN_SHARE * span(task.objective, task.problem))
        if not 0.0 < value < np.inf or not isinstance(task.objective, Searched):
            return asked
        # An exponent gains all of its value: next to nothing of the span it is still to be near its bound.
        return min(asked, 0.1 * GAIN_GAP * value)
