"""The form of the largest bound where mechanisms report single inputs: 0 on all columns of one input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.reference_frequencies import slope_of
from mechdesign.solve.certificate.single_inputs import SinglesForm
from mechdesign.solve.search.value_of_slope import ValueOfSlope

#: Steps at most, shares of equal numbers that are tried first, and what stands for the bound of no positive slope.
STEPS, SHARES, NONE = 200, (0.0, 0.2, 0.4, 0.6, 0.8, 0.95), 1e3
#: Levels above which the bound without privacy is as near.
LARGEST_LEVEL = 15.0


class _Singles:
    """The bound by the logarithms of what z has above its floor, for z that add up to 1.

    At the floor two inputs make ``v' W v`` as large as single ones do.
    """

    def __init__(self, objective: Any, problem: Problem, epsilon: float, weights: Array) -> None:
        self.theta, self.weights, n = objective.theta_of(problem), weights, problem.n
        self.criterion, self.rise = ValueOfSlope.of(objective, problem), math.expm1(epsilon)
        self.most = self.rise**2 / (self.rise * (self.rise + 2.0) + n)
        self.floor = math.sqrt(0.5 * self.most) / self.rise

    def form(self, point: Array) -> SinglesForm:
        """Return the form at a point, shape (n,)."""
        shares = np.exp(point - point.max())
        z = self.floor + (1.0 - len(point) * self.floor) * shares / float(shares.sum())
        total = self.most * (1.0 - float(z @ z))
        return SinglesForm(z, (2.0 * z + self.rise * z**2 + total / self.rise) / (self.rise + 2.0))

    def at(self, point: Array) -> tuple[float, Array]:
        """Return the negative logarithm of the bound and its gradient, at a point of shape (n,)."""
        form, basis = self.form(point), self.criterion.basis
        inner = self.criterion.at(basis.T @ slope_of(form, self.theta) @ basis, self.weights)
        total = self.most * (1.0 - float(form.z @ form.z))
        if inner is None or not total > 0.0:
            return NONE, np.zeros(len(point))
        seen = basis @ inner.root
        seen = seen - self.theta @ seen
        by_y = (seen**2).sum(axis=1)
        by_total = float(by_y.sum()) / self.rise / (self.rise + 2.0) - 1.0 / total
        by_z = by_y * (2.0 + 2.0 * self.rise * form.z) / (self.rise + 2.0) - 2.0 * seen @ (seen.T @ form.z)
        by_z -= 2.0 * self.most * by_total * form.z
        above = form.z - self.floor
        shares = above / max(float(above.sum()), 1e-300)
        return math.log(total) - inner.value, -above * (by_z - shares @ by_z)


def of_single_inputs(objective: Any, problem: Problem, epsilon: float, weights: Array) -> SinglesForm | None:
    """Return the form of the largest bound found; None where epsilon is too small or too large for it.

    Parameters
    ----------
    objective : InformationDesign
        A criterion of the information about all frequencies.
    weights : ndarray, shape (queries,)
        Of the queries of "worst"; empty otherwise.
    """
    from scipy.optimize import minimize

    def stop(_: Any) -> None:
        if is_late():
            raise StopIteration

    if epsilon > LARGEST_LEVEL or problem.n < 3:
        return None
    bound, n = _Singles(objective, problem, epsilon, weights), problem.n
    if not n * bound.floor < 1.0:
        return None
    starts = [np.log((1.0 - share) * bound.theta + share / n) for share in SHARES]
    first = min(starts, key=lambda point: bound.at(point)[0])
    if bound.at(first)[0] >= NONE:
        return None
    options = {"maxiter": STEPS, "maxcor": 30, "ftol": 1e-12, "gtol": 1e-9}
    found = minimize(bound.at, first, jac=True, method="L-BFGS-B", callback=stop, options=options)
    return bound.form(found.x)
