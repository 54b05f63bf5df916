"""Utilities of ratio type: ``mu(v) = (b . v) f(a . v / b . v)`` with convex f, whose decisions are one number."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.objectives.base import Separable, unit
from mechdesign.objectives.generator import Generator
from mechdesign.objectives.near_one import unshared
from mechdesign.objectives.shown_decision import ShownDecision
from mechdesign.parameters.checks import Array, EqualByContent
from mechdesign.problem import Problem

#: A function of ratios or of their changes.
Of = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Ratio(EqualByContent):
    """``mu(v) = (b . v) f(a . v / b . v)`` with convex f: supported by ``g_t = f'(t) a + (f(t) - t f'(t)) b``.

    Next to f's centre c the ratio is given by its change ``w = d . v / b . v`` with ``d = a - c b``, and ``g_t`` is
    ``f' d + (f - w f') b``: nothing cancels where an output carries next to no information.

    Parameters
    ----------
    d : ndarray, shape (n,), optional
        ``a - c b`` where it is known more accurately than by that subtraction.
    rest : float, optional
        What d adds up to, where that is known better: with an entry c of v, ``d . v`` is ``d . (v - c) + rest c``.
    """

    a: Array
    b: Array
    f: Generator
    d: Array | None = None
    rest: float | None = None

    @property
    def difference(self) -> Array:
        """``a - c b``."""
        return np.asarray(self.a - self.f.centre * self.b) if self.d is None else self.d

    @property
    def total(self) -> float:
        """What the difference adds up to."""
        return math.fsum(self.difference) if self.rest is None else self.rest

    def summed(self, sums: Callable[[Array], Array]) -> Ratio:
        """Return the ratio over groups of inputs, given what sums over each group."""
        return Ratio(sums(self.a), sums(self.b), self.f, sums(self.difference), self.rest)

    def functionals(self, t: Array) -> Array:
        """Return ``g_t`` for each t, shape (len(t), n); t is moved into the range where f has finite tangents."""
        t = np.clip(t, self.f.least, self.f.most)
        return self._lines(t, self.f.derivative, self.f.intercept, self.f.derivative_near, self.f.rest_near)

    def supporting(self, columns: Array) -> Array:
        """Return ``g_t`` at the ratio t of each column, shape (m, n): its change from the centre does not cancel."""
        t, w, _ = self.changes(columns)
        return self._lines(t, self.f.derivative, self.f.intercept, self.f.derivative_near, self.f.rest_near, w)

    def changes(self, columns: Array) -> tuple[Array, Array, Array]:
        """Return each column's ratio t within f's range, ``w = d . v / b . v``, and the mass ``b . v``."""
        first, mass, apart = self.parts(columns)
        t = np.clip(self.between(first, mass), self.f.least, self.f.most)
        return t, np.divide(apart, mass, out=t - self.f.centre, where=mass > 0), mass

    def _lines(
        self, t: Array, slope: Of, intercept: Of, slope_near: Of, rest_near: Of, change: Array | None = None
    ) -> Array:
        """Return functionals ``slope a + intercept b``, written near the centre as ``slope d + rest b``.

        `change` is ``t - c`` where it is known more accurately than by that subtraction.
        """
        w = t - self.f.centre if change is None else change
        near = np.abs(w) <= self.f.reach
        if near.all():
            return np.outer(slope_near(w), self.difference) + np.outer(rest_near(w), self.b)
        # Powers of ratios that no column has to have may overflow: the functional is infinite, or no number.
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.outer(slope(t), self.a) + np.outer(intercept(t), self.b)
        if near.any():
            w = _within(w, self.f.reach)
            found[near] = np.outer(slope_near(w)[near], self.difference) + np.outer(rest_near(w)[near], self.b)
        return found

    def sizes(self, t: Array) -> Array:
        """Return the size of the terms of ``g_t`` and of its chords at each input, at most over all t, shape (n,)."""
        inside = np.clip(t, self.f.least, self.f.most)
        with np.errstate(over="ignore", invalid="ignore"):
            on_first = np.abs(self.f.derivative(inside))
            on_second = np.abs(self.f.intercept(inside)) + 2.0 * on_first * np.abs(inside)
            return np.asarray(on_first.max() * np.abs(self.a) + on_second.max() * np.abs(self.b))

    def chords(self, low: Array, high: Array) -> Array:
        """Return the functional of f's chord over each ``[low, high]``: where the tangents at both ends cross."""
        if np.isfinite(self.f.least):
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            values, width = self.values(low), high - low
            slope = self.f.derivative(np.maximum(low, self.f.least))
            wide = width > 0
            slope[wide] = (self.values(high) - values)[wide] / width[wide]

        def given(_: Array) -> Array:
            return slope

        return self._lines(low, given, lambda t: values - t * slope, given, lambda w: values - w * slope)

    def values(self, t: Array) -> Array:
        """Return ``f(t)``, with its limit at 0."""
        return np.where(t < self.f.least, self.f.at_zero, self.f.value(np.maximum(t, self.f.least)))

    def at(self, columns: Array) -> Array:
        """Return the ratio ``a . v / b . v`` of each column, at most f's largest; of the ones vector where both are 0.

        Raises DomainError where the utility is infinite.
        """
        return self.between(np.asarray(self.a @ columns), np.asarray(self.b @ columns))

    def parts(self, columns: Array) -> tuple[Array, Array, Array]:
        """Return ``a . v``, ``b . v`` and ``d . v`` of each column, the last without cancellation."""
        columns = np.asarray(columns, dtype=float)
        d = self.difference
        shared, rest = unshared(columns, np.abs(d))
        return np.asarray(self.a @ columns), np.asarray(self.b @ columns), d @ rest + self.total * shared

    def between(self, first: Array, second: Array) -> Array:
        """Return the ratio from the columns' ``a . v`` and ``b . v``."""
        if np.all(second > 0) and not (np.isinf(self.f.at_zero) and np.any(first == 0)):
            return np.asarray(first / second)
        alone = (second <= 0) & (first != 0)
        unbounded = (alone & np.isinf(self.f.slope_at_infinity)) | (
            (second > 0) & (first == 0) & np.isinf(self.f.at_zero)
        )
        if unbounded.any():
            raise DomainError(
                "objective",
                f"a sum with the generator {self.f.name}",
                "it is infinite on an output that only one of its two distributions can give",
                "give distributions without zeros, or a notion under which every input can give every output",
            )
        ratios = np.full(first.shape, self.a.sum() / self.b.sum())
        ratios[alone] = self.f.most
        return np.asarray(np.divide(first, second, out=ratios, where=second > 0))

    def utility(self, first: Array, second: Array, apart: Array) -> Array:
        """Return ``(b . v) f(a . v / b . v)`` from the columns' `parts`; f's slope at infinity where ``b . v`` is 0.

        Raises DomainError where that is infinite.
        """
        ratios, given = self.between(first, second), second > 0
        change = np.divide(apart, second, out=np.zeros(np.shape(second)), where=given)
        near = given & (np.abs(change) <= self.f.reach)
        if near.all():
            return np.asarray(second * self.f.value_near(change))
        if near.any():
            values = np.empty(np.shape(second))
            values[near], values[~near] = self.f.value_near(change[near]), self.values(ratios[~near])
        else:
            values = self.values(ratios)
        return np.where(given, second * values, first * _finite(self.f.slope_at_infinity))


class RatioType(Separable):
    """A separable objective of ratio type: its decisions are one scalar, so columns are priced exactly."""

    kind = "sublinear"

    @abstractmethod
    def ratio(self, problem: Problem) -> Ratio:
        """Return a, b and f."""

    def shown(self, problem: Problem) -> ShownDecision:
        """Return how its decisions are shown: as numbers that are no more than decisions, mostly."""
        return ShownDecision()

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``(b . v) f(a . v / b . v)``, with f's slope at infinity where ``b . v`` is 0.

        Raises DomainError where that is infinite.
        """
        r = self.ratio(problem)
        return r.utility(*r.parts(columns))

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of the identity, whose columns need not be made."""
        r = self.ratio(problem)
        utilities = r.utility(np.asarray(r.a, dtype=float), np.asarray(r.b, dtype=float), r.difference)
        return self.from_utility(float(utilities.sum()), problem)

    def magnitude(self, columns: Array, problem: Problem) -> Array:
        """Return ``|slope| |d| . v + |rest| b . v`` of each column's ``g_t``, or the same of a and b, and f's own."""
        r = self.ratio(problem)
        t, w, _ = r.changes(columns)
        mass = np.abs(r.b) @ columns
        near = np.abs(w) <= r.f.reach
        inside = _within(w, r.f.reach)
        by_change = np.abs(r.f.derivative_near(inside)) * (np.abs(r.difference) @ columns)
        by_change = by_change + np.abs(r.f.rest_near(inside)) * mass
        by_both = np.abs(r.f.derivative(t)) * (np.abs(r.a) @ columns) + np.abs(r.f.intercept(t)) * mass
        return np.where(near, by_change, by_both) + r.f.cancelled(t) * mass

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return some units in the last place of the terms of each output's utility, its entries being exact."""
        value = self.value(matrix, problem)
        return self._of_value(value, self.utility_rounding(matrix, problem), problem)

    def utility_rounding(self, matrix: Array, problem: Problem) -> float:
        """Return the rounding error of the utility: units in the last place of the terms of each output."""
        return self._gained(np.asarray(matrix, dtype=float), problem)[1]

    def _gained(self, columns: Array, problem: Problem) -> tuple[float, float]:
        """Return the utility of all columns, and some units in the last place of its terms."""
        r = self.ratio(problem)
        first, mass, apart = r.parts(columns)
        utility = r.utility(first, mass, apart)
        t = np.clip(r.between(first, mass), r.f.least, r.f.most)
        w = np.divide(apart, mass, out=t - r.f.centre, where=mass > 0)
        near = np.abs(w) <= r.f.reach
        slope = np.abs(r.f.derivative_near(_within(w, r.f.reach)))
        shared, rest = unshared(columns, np.abs(r.difference))
        moved = np.abs(r.difference) @ np.abs(rest) + abs(r.rest or 0.0) * np.abs(shared)
        by_both = np.abs(r.f.derivative(t)) * (np.abs(r.a) @ columns) + np.abs(r.f.intercept(t)) * mass
        terms = np.abs(utility) + np.where(near, slope * moved, by_both) + r.f.cancelled(t) * mass
        return float(utility.sum()), unit(problem.n) * float(terms.sum())

    def improvement(self, matrix: Array, problem: Problem) -> tuple[float, float]:
        """Return the utility gained over the uninformative mechanism, and its rounding: no difference of values."""
        gained, rounding = self._gained(np.asarray(matrix, dtype=float), problem)
        idle = float(self.column_utility(np.ones((problem.n, 1)), problem)[0])
        return gained - idle, rounding

    def accuracy(self, matrix: Array, value: float, problem: Problem) -> tuple[float, float, float]:
        """Return the roundings of value and utility, which are one number but for a factor, and what is gained."""
        gained, rounding = self.improvement(matrix, problem)
        return self._of_value(value, rounding, problem), gained, rounding

    def _of_value(self, value: float, rounding: float, problem: Problem) -> float:
        """Return the value's rounding from the utility's; a value less its utility is a sum of its own."""
        own = unit(problem.n) * abs(value) if self.offset(problem) != 0.0 else 0.0
        return own + rounding / self.steepness(value, problem)

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return ``g_t`` at the ratio t of each column."""
        r = self.ratio(problem)
        return r.supporting(columns).T


def _within(w: Array, reach: float) -> Array:
    return np.where(np.abs(w) <= reach, w, 0.0)


def _finite(slope: float) -> float:
    # An infinite slope is refused where it would count, so elsewhere it multiplies 0.
    return slope if np.isfinite(slope) else 0.0
