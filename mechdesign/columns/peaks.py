"""Columns with one budget: the sum over columns of the largest of a few gains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Budget, Cone, Rays, Support, raised, rounding_unit, subset_count
from mechdesign.columns.dual import Shown, charges_of, numbers_of, own_of
from mechdesign.columns.masses import Masses
from mechdesign.columns.shape import Shape
from mechdesign.exact import Fractions, Integers, exp_above, exp_below, exp_up, fractions, integers
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import RAY_LIMIT

#: By what share the numbers of a proof stay below the charge that they may use.
SPARED = 1e-15


@dataclass(frozen=True, eq=False)
class Peaks(Shape):
    """Vectors with ``sum_y max_s v_s(y) <= e^epsilon``.

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    """

    epsilon: float

    @property
    def sum_of_peaks(self) -> float:
        """``e^epsilon``, rounded up: a bound over a little more is sound."""
        # The sum is at most n; a limit far beyond would be all that a solver sees.
        return min(1.0 if self.epsilon == 0 else exp_up(self.epsilon), 2.0 * self.n)

    def cone_of(self, seen: Array) -> Cone:
        """Return the whole orthant: only the sum over columns is bounded."""
        return Cone.of_rows(np.zeros((0, seen.shape[1])))

    def budget_of(self, seen: Array) -> Budget:
        """Return ``sum_y max_s v_s(y) <= e^epsilon``."""
        return Budget(seen[None, :, :], np.array([self.sum_of_peaks]))

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return ``e^epsilon``."""
        return (exp_above(self.epsilon),)

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return whether the charge makes up for all negative entries: no mean of entries passes the largest."""
        charges = charges_of(shown, len(functionals), 1)[:, 0]
        found: npt.NDArray[np.bool_] = (charges + np.minimum(functionals, 0).sum(axis=1) >= 0).astype(bool)
        return found

    def ray_count(self) -> float:
        """Return ``2^n``."""
        return subset_count(self.n)

    def rays(self) -> Rays | None:
        """Return the indicator of every nonempty set of inputs."""
        if subset_count(self.n) > RAY_LIMIT:
            return None
        sets = np.arange(1, 2**self.n)
        columns = ((sets[None, :] >> np.arange(self.n)[:, None]) & 1).astype(float)
        return Rays(columns, np.ones((1, columns.shape[1])))

    def support(self, functionals: Array, nu: Array) -> Support:
        """Return ``max_S (h(S) - nu) n / |S|``: S holds the largest ``h_x``, so sort."""
        n = self.n
        order = np.argsort(-functionals, axis=1, kind="stable")
        sums = np.take_along_axis(functionals, order, axis=1).cumsum(axis=1)
        scale = n / np.arange(1, n + 1)
        terms = np.abs(np.take_along_axis(functionals, order, axis=1)).cumsum(axis=1) + abs(float(nu[0]))
        values, rounding = (sums - nu[0]) * scale, rounding_unit(n) * terms * scale
        best = (values + rounding).argmax(axis=1)
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(n)[None, :], axis=1)
        columns = (rank <= best[:, None]) * (n / (best[:, None] + 1.0))
        each = np.arange(len(best))
        return raised(values[each, best], rounding[each, best], columns.T)

    by_column = False

    def measured(self, seen: Integers) -> tuple[int, int]:
        """Return the sum of the columns' largest entries, and of the entries of a row."""
        seen = seen.astype(object)
        return int(seen.max(axis=0).sum()), int(seen[0].sum())

    def allows(self, measured: tuple[int, int]) -> npt.NDArray[np.bool_]:
        """Return whether the first is at most ``e^epsilon``, rounded down, times the second."""
        ratio, (peaks, total) = exp_below(self.epsilon), measured
        return np.array([peaks * ratio.denominator <= ratio.numerator * total])


@dataclass(frozen=True, eq=False)
class GainPeaks(Shape):
    """Vectors with ``sum_y max_a G_a . v(y) <= e^epsilon max_a G_a . 1``, and ``G_as = pi_s g(a, s)``.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    epsilon : float
        In nats.
    gain : ndarray, shape (actions, n)
        g.
    """

    masses: Masses
    epsilon: float
    gain: Array
    asks_for_multipliers = True

    @cached_property
    def _weighted(self) -> tuple[Array, float]:
        """``pi_s g(a, s)``, shape (actions, n), and the most that an action earns without any output."""
        return weighted_gains(self.gain, self.masses.floats)

    @cached_property
    def _exactly_weighted(self) -> Fractions:
        """``pi_s g(a, s)`` in exact arithmetic, shape (actions, n)."""
        return np.array(fractions(self.gain) * np.array(self.masses.shares, dtype=object))

    def cone_of(self, seen: Array) -> Cone:
        """Return the whole orthant, as only a sum over columns is bounded; at 0 where the best action stays best."""
        if self.epsilon > 0:
            return Cone.of_rows(np.zeros((0, seen.shape[1])))
        weighted, _ = self._weighted
        best = int(weighted.sum(axis=1).argmax())
        others = np.delete(weighted, best, axis=0)
        return Cone.at_least(np.tile(weighted[best] @ seen, (len(others), 1)), others @ seen)

    def budget_of(self, seen: Array) -> Budget:
        """Return ``sum_y max_w G_w . q_y <= e^epsilon max_w G_w . 1`` with ``G_ws = pi_s g(w, s)``, rounded up."""
        if self.epsilon == 0:
            return Budget.none(seen.shape[1])
        weighted, least = self._weighted
        # No mechanism gains more than the best action for each secret; a limit far beyond is all that a solver sees.
        most = 2.0 * float(weighted.max(axis=0).sum())
        limit = min(exp_up(self.epsilon) * least * (1.0 + rounding_unit(self.n)), most)
        return Budget((weighted @ seen)[None, :, :], np.array([limit]))

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional w whether numbers ``y >= 0`` of the actions, at most its charge, make up for it.

        ``w + sum_a y_a G_a`` is nowhere negative then, and no mean of actions is more than the best.
        """
        if self.epsilon == 0:
            return None
        actions = self._exactly_weighted

        def is_shown(functional: Integers, own: Mapping[int, int], charge: int) -> bool:
            if min(own.values(), default=0) < 0 or sum(own.values()) > charge or max(own, default=0) >= len(actions):
                return False
            made_up = sum((y * actions[action] for action, y in own.items()), np.zeros(len(functional), dtype=object))
            return bool(np.all(functional + made_up >= 0))

        own, charges = own_of(shown, len(functionals)), charges_of(shown, len(functionals), 1)[:, 0]
        return np.array([is_shown(*each) for each in zip(functionals, own, charges, strict=True)])

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the multiplier of each action, a little less where they add up to more than the charge."""
        total, most = float(multipliers.sum()), float(nu[0]) * (1.0 - SPARED)
        return numbers_of(multipliers * (most / total if total > most else 1.0))

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return ``e^epsilon`` times what the best action earns without any output, rounded up."""
        if self.epsilon == 0:
            return ()
        return (exp_above(self.epsilon) * max(sum(action) for action in self._exactly_weighted),)

    by_column = False

    def measured(self, seen: Integers) -> tuple[int, int]:
        """Return the mean gain with the output and without it, in one unit."""
        seen = seen.astype(object)
        gains = np.array(integers(self.gain.ravel()), dtype=object).reshape(self.gain.shape)
        weighted = gains * self.masses.integers
        return int((weighted @ seen).max(axis=0).sum()), int(weighted.sum(axis=1).max()) * int(seen[0].sum())

    def allows(self, measured: tuple[int, int]) -> npt.NDArray[np.bool_]:
        """Return whether the first is at most ``e^epsilon``, rounded down, times the second."""
        ratio, (gained, without) = exp_below(self.epsilon), measured
        return np.array([gained * ratio.denominator <= ratio.numerator * without])


def weighted_gains(gain: Array, prior: Array) -> tuple[Array, float]:
    """Return ``pi_s g(a, s)``, shape (actions, n), and the most that an action earns without any output.

    Examples
    --------
    >>> weighted_gains(np.eye(2), np.array([0.25, 0.75]))[1]
    0.75
    """
    weighted = gain * (prior / prior.sum())
    return weighted, float(weighted.sum(axis=1).max())
