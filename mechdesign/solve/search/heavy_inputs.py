"""The form of the largest bound where few inputs are heavy: they have a form of their own beside reference frequencies.

An input is heavy that has more than about the share ``1 / (1 + e^epsilon)`` of the reference frequencies nu. The form
of the others keeps few numbers: multiples of nu, of the frequencies, and of equal ones. Sequential quadratic programs
maximise the bound while ``v' W v >= 0`` for every set of heavy inputs, with and without others.
"""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.reference_frequencies import ReferenceForm, heaviest, of_reference, slope_of
from mechdesign.solve.search.reference_frequencies import Reference
from mechdesign.solve.search.value_of_slope import ValueOfSlope

#: Steps at most, the gain that ends them, and what stands for the bound of no positive slope.
STEPS, GAIN, NONE = 400, 1e-9, 1e3
#: An input is heavy from this share of ``1 / (1 + e^epsilon)`` on; heavy inputs at most.
HEAVY, MOST = 0.3, 8
#: Shares of the light inputs' form at first: nu, the frequencies, equal ones; logarithms between which all stay.
FIRST, LEAST, LARGEST = (0.998, 0.001, 0.001), -60.0, 60.0
#: Levels above which nothing is gained: sets are single inputs.
LARGEST_LEVEL = 12.0


class _Heavy:
    """The bound and what its form has to satisfy, by the logarithms of z on heavy and light inputs, and by B.

    B is taken times ``kappa^2``, ``kappa = (e^epsilon - 1) / 2``, so that it is of the size of z.
    """

    def __init__(self, objective: Any, problem: Problem, epsilon: float, weights: Array, at: ReferenceForm) -> None:
        self.theta, self.weights, count = objective.theta_of(problem), weights, len(at.heavy)
        self.criterion = ValueOfSlope.of(objective, problem)
        self.epsilon, self.rise = epsilon, math.expm1(epsilon)
        self.scale = (0.5 * self.rise) ** 2
        self.heavy = at.heavy
        self.light = np.setdiff1d(np.arange(problem.n), self.heavy)
        self.sets = 1.0 + self.rise * np.array(list(itertools.product((0.0, 1.0), repeat=count)))
        parts = (at.nu[self.light], self.theta[self.light], np.ones(len(self.light)))
        self.parts = np.column_stack([part / max(float(part.sum()), 1e-300) for part in parts])
        self.pairs = np.triu_indices(count)
        light = np.log(float(at.z[self.light].sum()) * np.array(FIRST)) if len(self.light) else np.zeros(0)
        self.first = np.concatenate([np.log(at.z[self.heavy]), light, at.extra[self.pairs] * self.scale])
        self.ends = len(self.heavy), len(self.heavy) + len(light)

    def _read(self, point: Array) -> tuple[Array, Array, Array]:
        """Return z, the multiples of the light parts, and B."""
        first, last = self.ends
        z, multiples = np.empty(len(self.theta)), np.exp(point[first:last])
        z[self.heavy] = np.exp(point[:first])
        z[self.light] = self.parts[:, : len(multiples)] @ multiples
        extra = np.zeros((first, first))
        extra[self.pairs] = point[last:]
        return z, multiples, (extra + extra.T - np.diag(np.diag(extra))) / self.scale

    def form(self, point: Array) -> ReferenceForm:
        """Return the form at a point, shape (size,)."""
        z, _, extra = self._read(point)
        whole = math.fsum(z)
        return ReferenceForm(z / whole, whole - 1.0, self.heavy, extra)

    def _by_point(self, point: Array, by_z: Array, by_extra: Array) -> Array:
        """Return derivatives by the coordinates, shape (..., size), from those by z and by entries of B."""
        z, multiples, _ = self._read(point)
        double = np.where(self.pairs[0] == self.pairs[1], 1.0, 2.0) / self.scale
        light = (by_z[..., self.light] @ self.parts[:, : len(multiples)]) * multiples
        pairs = by_extra[..., self.pairs[0], self.pairs[1]] * double
        return np.concatenate([by_z[..., self.heavy] * z[self.heavy], light, pairs], axis=-1)

    def at(self, point: Array) -> tuple[float, Array]:
        """Return the negative logarithm of the bound, and its gradient, at a point of shape (size,)."""
        form, basis = self.form(point), self.criterion.basis
        inner = self.criterion.at(basis.T @ slope_of(form, self.theta) @ basis, self.weights)
        if inner is None or not form.total > 0.0:
            return NONE, np.zeros(len(point))
        # The derivative by -W, through the projection along theta.
        seen = basis @ inner.root
        seen = seen - self.theta @ seen
        z, count = form.z, len(self.heavy)
        by_z = (seen**2).sum(axis=1) - 2.0 * seen @ (seen.T @ z) - (1.0 + 2.0 * form.beyond) / form.total
        own = seen[self.heavy]
        by_extra = -(own @ own.T) - np.full((count, count), 1.0 / form.total)
        return math.log(form.total) - inner.value, -self._by_point(point, by_z, by_extra)

    def bound(self, form: ReferenceForm) -> float:
        """Return the logarithm of the bound of a form, with what its values are below 0."""
        basis, most = self.criterion.basis, form.total - form.least(self.epsilon)
        inner = self.criterion.at(basis.T @ slope_of(form, self.theta) @ basis, self.weights)
        return -math.inf if inner is None or not most > 0.0 else inner.value - math.log(most)

    def _ends(self, z: Array) -> tuple[Array, Array, Array]:
        """Return z . v of each set without light inputs, with the best of them, and the derivative of that by z."""
        middle, light = 0.5 * self.rise + 1.0, z[self.light]
        low = self.sets @ z[self.heavy] + float(light.sum())
        by_z = np.ones((len(self.sets), len(z)))
        by_z[:, self.heavy] = self.sets
        if not len(light):
            return low, low, by_z
        first, last = low + self.rise * float(light.min()), low + self.rise * float(light.sum())
        one = np.zeros(len(z))
        one[self.light[int(light.argmin())]] = 1.0
        every = np.zeros(len(z))
        every[self.light] = 1.0
        at_least, at_most = first > middle, (first <= middle) & (last < middle)
        best = np.where(at_least, first, np.where(at_most, last, middle))
        slope = at_least[:, None] * (by_z + self.rise * one) + at_most[:, None] * (by_z + self.rise * every)
        return low, best, slope

    def values(self, point: Array) -> Array:
        """Return the least ``v' W v`` of each set of heavy inputs at a point, shape (size,), and with light ones."""
        z, _, extra = self._read(point)
        low, best, _ = self._ends(z)
        middle = 0.5 * self.rise + 1.0
        fixed = (self.rise + 1.0) * (float(z.sum()) - 1.0) - self.scale
        own = fixed + np.einsum("sh,hk,sk->s", self.sets, extra, self.sets)
        return np.concatenate([own + (low - middle) ** 2, own + (best - middle) ** 2]) / self.scale

    def slopes(self, point: Array) -> Array:
        """Return the derivatives of `values` at a point, shape (size,), a row each."""
        z, _, _ = self._read(point)
        low, best, by_best = self._ends(z)
        middle = 0.5 * self.rise + 1.0
        by_low = np.ones((len(self.sets), len(z)))
        by_low[:, self.heavy] = self.sets
        by_z = [2.0 * (a - middle)[:, None] * by + self.rise + 1.0 for a, by in ((low, by_low), (best, by_best))]
        by_extra = np.tile(self.sets[:, :, None] * self.sets[:, None, :], (2, 1, 1))
        return self._by_point(point, np.vstack(by_z), by_extra) / self.scale


def with_heavy_inputs(objective: Any, problem: Problem, epsilon: float, found: Reference) -> ReferenceForm:
    """Return the form of the largest bound found, of reference frequencies alone where no input is heavy.

    Parameters
    ----------
    objective : InformationDesign
        A criterion of the information about all frequencies.
    found : Reference
        The best reference frequencies.
    """
    best = of_reference(found.nu, epsilon)
    if epsilon > LARGEST_LEVEL:
        return best
    ordered = found.nu[heaviest(objective.theta_of(problem), min(MOST, problem.n))]
    most = int((ordered * (math.exp(epsilon) + 1.0) > HEAVY).sum())
    count, value = 0, -math.inf
    while count < most and not is_late():
        # Twice as many each time, from the form of fewer.
        count = min(max(2 * count, 2), most)
        heavy = _Heavy(objective, problem, epsilon, found.weights, _with(best, objective.theta_of(problem), count))
        if not math.isfinite(value):
            value = heavy.bound(best)
        form, reached = _improved(heavy)
        if reached > value:
            best, value = form, reached
    return best


def _with(form: ReferenceForm, theta: Array, count: int) -> ReferenceForm:
    """Return a form with more heavy inputs, which has no more of its own for them."""
    extra, before = np.zeros((count, count)), len(form.heavy)
    extra[:before, :before] = form.extra
    return ReferenceForm(form.nu, form.beyond, heaviest(theta, count), extra)


def _improved(heavy: _Heavy) -> tuple[ReferenceForm, float]:
    """Return the best form that the quadratic programs pass, and its bound: values may be a little below 0."""
    from scipy.optimize import minimize

    first = heavy.form(heavy.first)
    best = [(heavy.bound(first), first)]

    def keep(point: Array) -> None:
        form = heavy.form(point)
        best[0] = max(best[0], (heavy.bound(form), form), key=lambda pair: pair[0])
        if is_late():
            raise SolverError("The time is over.", status="time limit")

    given = {"type": "ineq", "fun": heavy.values, "jac": heavy.slopes}
    bounds = [(LEAST, LARGEST)] * heavy.ends[1] + [(None, None)] * len(heavy.pairs[0])
    options = {"maxiter": STEPS, "ftol": GAIN}
    more = {"method": "SLSQP", "constraints": [given], "bounds": bounds, "options": options}
    with suppress(SolverError):
        minimize(heavy.at, heavy.first, jac=True, callback=keep, **more)
    value, form = best[0]
    return form, value
