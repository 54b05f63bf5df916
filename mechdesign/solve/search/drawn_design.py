"""The best weights of drawn columns for an information design, by projected gradients, with new columns each round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.search.drawn_columns import DrawnColumns
from mechdesign.solve.search.worst_weights import smooth_criterion

#: Steps of a round at most, over how many of them the value has to fall by which share.
STEPS, WATCHED, LEAST_FALL = 60, 8, 1e-5
#: The first step changes no weight by more than this share of their mean.
FIRST_STEP = 0.3
#: How often a smooth function comes nearer to the criterion in a round.
SETTLED = 4
#: What becomes of a step that no weights are found after.
SHORTER = 0.1
#: Weights below this share of the mean are none, where the value does not lose more than this share by it.
NEGLIGIBLE, OF_NEGLIGIBLE = 0.1, 1e-4


@dataclass(frozen=True)
class Drawn:
    """Columns with their weights, and the criterion of the mechanism that they make with its slope, shape (n, n)."""

    columns: Array
    weights: Array
    value: float
    slope: Array

    @property
    def kept(self) -> tuple[Array, Array]:
        """The columns of positive weight, and their weights."""
        used = self.weights > 0
        return self.columns[:, used], self.weights[used]


class DrawnDesign:
    """The weights of columns: their criterion and its gradient are of the information of the weighted columns."""

    def __init__(self, objective: InformationDesign, problem: Problem, draws: DrawnColumns, count: int) -> None:
        self.objective, self.problem, self.draws, self.count = objective, problem, draws, count
        self.theta, self.basis = objective.theta_of(problem), contrasts(problem.n)
        self.criterion = smooth_criterion(objective, problem)

    def first(self) -> Drawn:
        """Return the weights of the first columns.

        Raises
        ------
        SolverError
            No weights make a mechanism of them.
        """
        columns, near = self.draws.draw(self.count, 0)
        weights = nearest_weights(self.draws.rows(columns), near)
        if weights is None:
            raise SolverError("No weights of the columns that were drawn make a mechanism.", status="no weights")
        return self._descended(columns, weights)

    def after(self, last: Drawn, again: int) -> Drawn:
        """Return the weights of the columns that counted last, and of equally many new ones."""
        columns, weights = last.kept
        more = self.draws.after(last.kept, last.slope, self.count, again)
        found = self._descended(np.hstack([columns, more]), np.concatenate([weights, np.zeros(more.shape[1])]))
        return found if found.value < last.value else last

    def _factors(self, columns: Array) -> Array:
        """Return ``U' v / sqrt(theta . v)`` of each column v, shape (n - 1, m)."""
        return np.asarray(self.basis.T @ (columns - columns.mean(axis=0)) / np.sqrt(self.theta @ columns))

    def _descended(self, columns: Array, weights: Array) -> Drawn:
        """Return the weights after steps along the projected gradient, until the criterion itself no longer falls."""
        rows = self.draws.rows(columns)
        factors = self._factors(columns)
        best = Drawn(columns, weights, np.inf, np.zeros((len(columns), len(columns))))
        for _ in range(SETTLED if self.criterion.is_smoothed else 1):
            weights = self._nearer(rows, factors, weights)
            inverse = _inverse(factors, weights)
            value = np.inf if inverse is None else self.criterion.settle(inverse)
            if inverse is not None and value < best.value:
                slope = self.basis @ self.criterion.at(inverse)[1] @ self.basis.T
                best = Drawn(columns, weights, value, slope)
            if is_late():
                break
        return best

    def _nearer(self, rows: Array, factors: Array, weights: Array) -> Array:
        """Return weights of a smaller smooth criterion, after steps of the length of Barzilai and Borwein."""
        value, gradient = self._at(factors, weights)
        best, best_value, values = weights, value, [value]
        spread = float(np.abs(gradient - gradient.mean()).max())
        step = FIRST_STEP * float(weights.mean()) / spread if spread > 0 else 0.0
        for _ in range(STEPS):
            if is_late() or not step > 0:
                break
            moved = nearest_weights(rows, weights - step * gradient)
            if moved is None:
                step *= SHORTER
                continue
            value, steeper = self._at(factors, moved)
            apart, change = moved - weights, steeper - gradient
            curved = float(apart @ change)
            step = float(apart @ apart) / curved if curved > 0 else 2.0 * step
            weights, gradient = moved, steeper
            if value < best_value:
                best, best_value = weights, value
            values.append(best_value)
            if len(values) > 2 * WATCHED and not values[-WATCHED] - best_value > LEAST_FALL * abs(best_value):
                break
        cleared = self._without_negligible(rows, best)
        return cleared if self._at(factors, cleared)[0] - best_value <= OF_NEGLIGIBLE * abs(best_value) else best

    def _at(self, factors: Array, weights: Array) -> tuple[float, Array]:
        """Return the criterion of the weights, and how it changes with each of them."""
        inverse = _inverse(factors, weights)
        if inverse is None:
            return np.inf, np.zeros(len(weights))
        value, slope = self.criterion.at(inverse)
        return value, -np.einsum("kx,kx->x", factors, slope @ factors)

    def _without_negligible(self, rows: Array, weights: Array) -> Array:
        """Return the weights without the negligible ones, if the others can make up for them."""
        used = weights > NEGLIGIBLE * float(weights.mean())
        again = nearest_weights(rows[:, used], weights[used])
        if again is None:
            return weights
        found = np.zeros(len(weights))
        found[used] = again
        return found


def _inverse(factors: Array, weights: Array) -> Array | None:
    """Return the inverse of the information of weighted columns, None where it is singular."""
    information = (factors * weights) @ factors.T
    try:
        # Of a singular matrix rounding may make one with negative eigenvalues, whose inverse is of no use.
        np.linalg.cholesky(information)
        return np.asarray(np.linalg.inv(information))
    except np.linalg.LinAlgError:
        return None
