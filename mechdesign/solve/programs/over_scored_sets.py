"""The least variance of an unbiased estimator over given sets of inputs under LDP: a weight and a score for each set.

A column of LDP with extreme entries is ``w (1 + (E - 1) 1_S)`` for a set S of inputs, E = e^epsilon. With its score t
and ``s = w t`` its second moments are ``s^2 / w (1 + (E - 1) 1_S)``, convex in (w, s): weights *and* scores of given
sets are one second-order cone program, where a linear program would need a column for each pair of a set and a score.

Rows over inputs are stated as differences between inputs that follow each other: sets of neighbours have two entries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import time_left
from mechdesign.solve.programs.cvxpy_problem import problem as silent
from mechdesign.solve.programs.over_matrix import WORTH_CERTIFYING, solved
from mechdesign.solve.programs.over_scores import Slopes, Unbiased, slopes_of_largest
from mechdesign.solve.solvers.catalogue import of_columns_and_cones, through_cvxpy
from mechdesign.solve.solvers.claimed_numbers import reshaped
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, SolverStats
from mechdesign.solve.task import Task
from mechdesign.tolerances import SOLVER

#: Sets of inputs, shape (n, m): whether an input is in each.
Sets = npt.NDArray[np.bool_]
#: The solver of cone programs if the asked one takes none.
OF_CONES = "CLARABEL"
#: Weights below this share of the largest are those that an interior point leaves of nothing.
UNUSED = 1e-8
#: How far the rows of a vertex may be from what the interior point reached.
MISSED = 1e-10


@dataclass(frozen=True)
class Scored:
    """Sets of inputs with the weight and the score of each, and the multipliers.

    Attributes
    ----------
    sets : ndarray of bool, shape (n, m)
    weights, scores : ndarray, shape (m,)
        Weights of columns whose entries have the mean 1.
    """

    sets: Sets
    weights: Array
    scores: Array
    slopes: Slopes
    value: float
    stats: SolverStats


class ScoredSets:
    """The programs of one question: expectations ``wanted`` of the score, about one in size, at a level of LDP.

    Parameters
    ----------
    wanted : ndarray, shape (n,)
        Increasing, around zero.
    theta : ndarray, shape (n,), or None
        The population over which the variance is averaged; None for the largest variance of an input.
    """

    def __init__(self, task: Task, wanted: Array, theta: Array | None, solver: str) -> None:
        self.task, self.wanted, self.theta, self.solver = task, wanted, theta, solver
        self.rise = math.expm1(task.notion.parameter)
        #: How much a column's shares differ from one input to the next, about.
        self.step = -math.expm1(-task.notion.parameter)
        #: Scores are in units of the scores of stochastic rounding, coth(epsilon / 2).
        self.reach = 1.0 / math.tanh(0.5 * task.notion.parameter)

    def of_sets(self, sets: Sets) -> Scored:
        """Return the best weights and scores of some sets, shape (n, m).

        Raises
        ------
        SolverError
            The solver failed, or these sets have no unbiased estimate.
        """
        import cvxpy as cp

        n, count = sets.shape
        shares = self._shares(sets)
        weight, total, second = (cp.Variable(count) for _ in range(3))
        masses = shares @ weight == np.eye(n)[0]
        means = shares @ total == self._differences(self.wanted) / self.reach
        rules = [masses, means, cp.SOC(weight + second, cp.vstack([weight - second, 2.0 * total]), axis=0)]
        seconds = None
        if self.theta is None:
            largest, room = cp.Variable(), cp.Variable(n, nonneg=True)
            spread = self._differences(self.wanted**2) / self.reach**2
            seconds = shares @ second + self._slack @ room - largest * np.eye(n)[0] == spread
            goal, rules = largest, [*rules, seconds]
        else:
            goal = (self.theta @ self._columns(sets)) @ second
        posed = silent(goal, rules)
        stats = self._run(posed)
        found, sums = (reshaped(each.value, (count,)) for each in (weight, total))
        if found is None or sums is None or not float(np.max(found)) > 0.0:
            raise SolverError(f"{stats.name} ended as {stats.status} without weights.", status=stats.status)
        used = found > UNUSED * found.max()
        scores = self.reach * sums[used] / found[used]
        slopes = self._slopes(masses, means, seconds, stats)
        value = self.reach**2 * float(goal.value)
        return Scored(sets[:, used], found[used], scores, slopes, value, stats)

    def _run(self, posed: Any) -> SolverStats:
        name = self.solver if self.solver in of_columns_and_cones() else OF_CONES
        through = through_cvxpy(name)
        status, seconds, iterations = solved(self.task, posed, name, through.options(SOLVER), "sets")
        if status not in WORTH_CERTIFYING:
            raise SolverError(f"{name} stopped without weights of sets ({status}).", status=status)
        return SolverStats(name, status, seconds, iterations)

    def _slopes(self, masses: Any, means: Any, seconds: Any, stats: SolverStats) -> Slopes:
        n, reach = len(self.wanted), self.reach
        duals = [reshaped(each.dual_value, (n,)) for each in (masses, means, seconds) if each is not None]
        known = [self._of_inputs(-dual) for dual in duals if dual is not None]
        if len(known) < len(duals):
            raise SolverError(f"{stats.name} ended as {stats.status} without multipliers.", status=stats.status)
        rows, along = reach**2 * known[0], reach * known[1]
        if self.theta is None:
            return slopes_of_largest(rows, along, known[2], np.zeros(0), stats)
        return Slopes(rows, along, self.theta, np.zeros(0))

    def with_fewest(self, found: Scored) -> Scored:
        """Return no more sets than there are rows, with the same scores: a vertex.

        An interior point gives weight to all sets that some optimum has.
        """
        shares, t = self._shares(found.sets), found.scores / self.reach
        program = self._at_scores(shares, t, found)
        try:
            vertex = solve_linear(program, self.solver, time_limit=time_left(), verbose=self.task.solver_verbose)
        except SolverError:
            # What the interior point found is a mechanism, too.
            return found
        weights = vertex.point[: len(t)]
        kept = weights > UNUSED * weights.max()
        return replace(found, sets=found.sets[:, kept], weights=weights[kept], scores=found.scores[kept])

    def _at_scores(self, shares: Any, t: Array, found: Scored) -> LinearProgram:
        """Return the linear program of the weights at fixed scores t, whose rows reach what the given weights do."""
        from scipy.sparse import csr_array, hstack, vstack

        rows: Any = [shares, shares * t[None, :]]
        ends = [part @ found.weights for part in rows]
        if self.theta is not None:
            cost = t**2 * (self.theta @ self._columns(found.sets))
        else:
            n = len(self.wanted)
            rows = [hstack([part, csr_array((n, n + 1))]) for part in rows]
            rows.append(hstack([shares * (t**2)[None, :], self._slack, csr_array(-np.eye(n)[:, :1])]))
            ends.append(self._differences(self.wanted**2) / self.reach**2)
            cost = np.append(np.zeros(len(t) + n), 1.0)
        right = np.concatenate(ends)
        # Rows that nearly depend on each other, met to the last digit, stop the simplex method.
        return LinearProgram(cost, csr_array(vstack(rows)), right - MISSED, right + MISSED)

    def mechanism(self, found: Scored) -> Unbiased:
        """Return the columns of the sets with their weights, and the multipliers."""
        return Unbiased(self._columns(found.sets) * found.weights, found.scores, found.slopes, found.stats)

    def _columns(self, sets: Sets) -> Array:
        """Return the columns of the sets, of mean 1."""
        columns = 1.0 + self.rise * sets
        return np.asarray(columns / columns.mean(axis=0))

    def _shares(self, sets: Sets) -> Any:
        """Return the differences of the columns from input to input, in units of `step`, after the first input."""
        from scipy.sparse import csr_array

        steps = self.rise / self.step * np.diff(sets.astype(float), axis=0)
        return csr_array(np.vstack([1.0 + self.rise * sets[:1], steps]) / (1.0 + self.rise * sets.mean(axis=0)))

    def _differences(self, numbers: Array) -> Array:
        """Return numbers of the inputs, likewise."""
        return np.concatenate([numbers[:1], np.diff(numbers) / self.step])

    def _of_inputs(self, duals: Array) -> Array:
        """Return the multipliers of rows over inputs, of the multipliers of these differences."""
        of_steps = np.concatenate([duals[:1], duals[1:] / self.step])
        return np.asarray(of_steps - np.append(of_steps[1:], 0.0))

    @cached_property
    def _slack(self) -> Any:
        """What the second moments of the inputs are below the largest, in units of `step`, as these differences."""
        from scipy.sparse import csr_array, eye_array

        n = len(self.wanted)
        steps: Any = csr_array(eye_array(n) - eye_array(n, k=-1))
        return steps.multiply(np.append(self.step, np.ones(n - 1))[:, None]).tocsr()
