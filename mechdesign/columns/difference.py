"""Columns with one budget: how far a weighted difference of two entries is from zero, in all."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Budget, Cone, Rays, difference
from mechdesign.columns.dual import Shown, charges_of
from mechdesign.columns.shape import Shape
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import RAY_LIMIT

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True, eq=False)
class WeightedDifference(Shape):
    """Columns q with ``sum_y |d . q_y| <= limit`` for ``d = (1 - weight) W_0 - weight W_1``.

    Parameters
    ----------
    n : int
    weight : float
        Strictly between 0 and 1.
    limit : Fraction
    channel : ndarray, shape (2, n)
        W: the two entries that are compared, as functionals of a column.
    secret : Shape, optional
        The shape of what a hidden secret sees.
    """

    weight: float
    limit: Fraction
    channel: Array
    secret: Shape | None = None

    @property
    def of_secret(self) -> Shape:
        """The shape of the two entries."""
        return self.secret or self

    def through(self, problem: Problem) -> Shape:
        """Return the columns of which the hidden secret sees two entries."""
        return replace(self, n=problem.n, channel=problem.channel, secret=self)

    def cone_of(self, seen: Array) -> Cone:
        """Return the whole orthant: only the sum over columns is bounded."""
        return Cone.of_rows(np.zeros((0, seen.shape[1])))

    def budget(self) -> Budget:
        """Return the bound on the sum over columns."""
        return self.budget_of(self.channel)

    def constraints(self, Q: cp.Variable) -> list[cp.Constraint]:
        """Return the constraints of both entries."""
        return self.constraints_of(Q, self.channel)

    @property
    def cone_rows(self) -> float:
        """Two for each of the two entries, and two."""
        return 6.0

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return the limit."""
        return (self.limit,)

    def budget_of(self, seen: Array) -> Budget:
        """Return ``sum_y max(d . q_y, -d . q_y) <= delta``."""
        balance, terms = self._of(seen)
        limit = float(self.limit)
        # Never below the exact level: there the uninformative mechanism is all that is feasible.
        limit = limit if Fraction(limit) >= self.limit else math.nextafter(limit, math.inf)
        pieces = np.stack([balance, -balance])[None, :, :]
        return Budget(pieces, np.array([limit]), terms=terms[None, :])

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return whether adding a multiple of ``(1 - weight, -weight)`` makes each functional nonnegative.

        The multiple is at most the charge in size; each entry of the functional bounds it on one side.
        """
        charges = charges_of(shown, len(functionals), 1)[:, 0]
        weight = Fraction(self.weight)
        least = [max(-charge, -w[0] / (1 - weight)) for w, charge in zip(functionals, charges, strict=True)]
        most = [min(charge, w[1] / weight) for w, charge in zip(functionals, charges, strict=True)]
        return np.array([low <= high for low, high in zip(least, most, strict=True)])

    def ray_count(self) -> float:
        """Return ``n`` and one for each pair of inputs on which d has opposite signs."""
        signs = np.sign(self._of(self.channel)[0])
        return float(self.n + np.sum(signs > 0) * np.sum(signs < 0))

    def rays(self) -> Rays | None:
        """Return ``e_x``, and ``|d_x'| e_x + |d_x| e_x'`` for each pair of opposite signs."""
        # An array of n entries for each ray: for many inputs the memory is the limit, not the number of rays.
        if self.ray_count() * self.n > 8 * RAY_LIMIT:
            return None
        balance, terms = self._of(self.channel)
        above, below = np.flatnonzero(balance > 0), np.flatnonzero(balance < 0)
        first, second = (pair.ravel() for pair in np.meshgrid(above, below, indexing="ij"))
        on_both = np.zeros((self.n, len(first)))
        pairs = np.arange(len(first))
        larger = np.maximum(balance[first], -balance[second])
        on_both[first, pairs] = -balance[second] / larger
        on_both[second, pairs] = balance[first] / larger
        columns = np.hstack([np.eye(self.n), on_both])
        none = np.zeros(len(first))
        with np.errstate(divide="ignore", invalid="ignore"):
            wrong = 8.0 * np.finfo(float).eps * terms / np.abs(balance)
        cost = np.concatenate([np.abs(balance), none])[None, :]
        share = np.concatenate([np.zeros(self.n), wrong[first] + wrong[second]])
        return Rays(columns, cost, share, cost_terms=np.concatenate([terms, none])[None, :])

    def _of(self, seen: Array) -> tuple[Array, Array]:
        """Return d, and the size of the terms of each of its entries."""
        first, second = seen
        left, right = (1.0 - self.weight) * first, self.weight * second
        return difference(left, right), np.asarray(left + right)

    by_column = False

    @property
    def least_level(self) -> float:
        """``|1 - 2 weight|``: what is known of the two before an output is seen."""
        return float(abs(1 - 2 * Fraction(self.weight)))

    def measured(self, seen: Integers) -> Fraction:
        """Return the sum of the weighted differences: the weight is exactly its float."""
        first, second = seen.astype(object)
        weight = Fraction(self.weight)
        on_second, on_both = weight.numerator, weight.denominator
        total = sum(abs((on_both - on_second) * a - on_second * b) for a, b in zip(first, second, strict=True))
        return Fraction(int(total), on_both * int(sum(first)))

    def allows(self, measured: Fraction) -> npt.NDArray[np.bool_]:
        """Return whether the sum is at most the limit."""
        return np.array([measured <= self.limit])
