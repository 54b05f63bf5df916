"""Mutual information and histogram MMSE as sums of convex functions of the lifts of a column of mass one."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from mechdesign.objectives import HistogramMMSE, MutualInformation, Objective
from mechdesign.parameters.checks import Array

#: Steps of Newton's method at most, and the change of a lift by which it ends.
MOST_STEPS, SETTLED = 60, 1e-15
#: Lifts below it count as 0.
LEAST = 1e-300


class UtilityOfLifts(ABC):
    """A utility ``sum_x f_x(q_x)`` of the lifts q, each f convex."""

    @abstractmethod
    def at(self, prior: Array, lifts: Array) -> Array:
        """Return f of each input, not negative, shape (n,)."""

    @abstractmethod
    def largest(self, prior: Array, linear: Array, curve: Array, most: Array) -> tuple[Array, Array]:
        """Return the largest ``f_x(q) - linear_x q - curve_x (q - 1)^2`` over ``0 <= q <= most_x``, and where.

        Parameters
        ----------
        linear, curve, most : array of shape (n,)
            `curve` is positive.
        """

    @abstractmethod
    def envelope(self, prior: Array, curve: Array, most: Array) -> tuple[Array, Array]:
        """Return the concave envelope of ``f_x(q) - curve_x (q - 1)^2`` over ``0 <= q <= most_x`` at 1, and its slope.

        Parameters
        ----------
        curve, most : array of shape (n,)
            `curve` is positive, `most` at least 1.
        """


class SquaredLifts(UtilityOfLifts):
    """``f_x(q) = P_x^2 q^2``, the utility of the histogram."""

    def at(self, prior: Array, lifts: Array) -> Array:
        """Return the squares, shape (n,)."""
        return np.asarray((prior * lifts) ** 2)

    def largest(self, prior: Array, linear: Array, curve: Array, most: Array) -> tuple[Array, Array]:
        """Return the largest value of parabolas, and where, both of shape (n,)."""
        bent = curve - prior**2
        top = np.divide(curve - 0.5 * linear, bent, out=np.zeros_like(bent), where=bent > 0)
        return _best_of(self, prior, linear, curve, [np.zeros_like(most), np.clip(top, 0.0, most), most])

    def envelope(self, prior: Array, curve: Array, most: Array) -> tuple[Array, Array]:
        """Return the chord between the ends where a parabola opens upward, and the parabola elsewhere, shapes (n,)."""
        beyond = np.maximum(prior**2 - curve, 0.0) * (most - 1.0)
        chord = prior**2 * most - curve * (most - 2.0)
        return prior**2 + beyond, np.where(beyond > 0.0, chord, 2.0 * prior**2)


class EntropyOfLifts(UtilityOfLifts):
    """``f_x(q) = P_x (q ln q - q + 1)``, the utility of mutual information: the last two terms cancel at mass one."""

    def at(self, prior: Array, lifts: Array) -> Array:
        """Return the entropies, shape (n,)."""
        met = np.where(lifts > LEAST, lifts, 1.0)
        # log1p is accurate next to 1, and has no value next to 0.
        logs = np.where(np.abs(met - 1.0) < 0.5, np.log1p(np.maximum(met - 1.0, -0.5)), np.log(met))
        return np.asarray(np.maximum(prior * (np.where(lifts > LEAST, met * logs, 0.0) - (lifts - 1.0)), 0.0))

    def largest(self, prior: Array, linear: Array, curve: Array, most: Array) -> tuple[Array, Array]:
        """Return the largest value, at an end or where the slope is 0 beyond the inflection, shape (n,)."""
        inflection = prior / (2.0 * curve)

        def slope(q: Array) -> Array:
            return np.asarray(prior * np.log(q) - linear - 2.0 * curve * (q - 1.0))

        between = (inflection < most) & (slope(np.minimum(inflection, most)) > 0.0) & (slope(most) < 0.0)
        # From the right, where the slope is concave, Newton's method comes down to the root and does not pass it.
        q = np.where(between, most, 1.0)
        for _ in range(MOST_STEPS):
            steep = np.where(between, prior / q - 2.0 * curve, -1.0)
            step = np.where(between & (steep < 0.0), slope(q) / np.where(steep < 0.0, steep, -1.0), 0.0)
            q = np.where(between, np.maximum(q - step, inflection), q)
            if not np.any(np.abs(step) > SETTLED * q):
                break
        values, where = _best_of(self, prior, linear, curve, [np.zeros_like(most), np.where(between, q, 0.0), most])
        # The function is concave from the root to q: the tangent at q is above it.
        short = np.where(between, np.abs(slope(q)) * np.maximum(q - inflection, 0.0), 0.0)
        return values + short, where

    def envelope(self, prior: Array, curve: Array, most: Array) -> tuple[Array, Array]:
        """Return the tangent through the value at 0, which touches at ``P / curve``, or 0 below 1, shapes (n,)."""
        s = curve / prior
        touched = np.minimum(1.0 / s, most)
        values, slopes = prior * (np.log(touched) + s * (1.0 - touched)), prior * (np.log(touched) - 1.0)
        slopes += curve * (2.0 - touched)
        return np.where(touched > 1.0, values, 0.0), np.where(touched > 1.0, slopes, 0.0)


def _best_of(
    utility: UtilityOfLifts, prior: Array, linear: Array, curve: Array, lifts: list[Array]
) -> tuple[Array, Array]:
    each = np.array(lifts)
    values = np.array([utility.at(prior, q) - linear * q - curve * (q - 1.0) ** 2 for q in lifts])
    best = values.argmax(axis=0)[None, :]
    return np.take_along_axis(values, best, axis=0)[0], np.take_along_axis(each, best, axis=0)[0]


#: Of each objective that is such a sum: subclasses may compute another utility.
OF_OBJECTIVE: dict[type[Objective], UtilityOfLifts] = {
    HistogramMMSE: SquaredLifts(),
    MutualInformation: EntropyOfLifts(),
}


def utility_of_lifts(objective: Objective) -> UtilityOfLifts | None:
    """Return the utility as a sum over lifts, None where it is not known as one."""
    return None if objective.kind == "convex" else OF_OBJECTIVE.get(type(objective))
