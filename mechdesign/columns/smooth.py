"""Columns with one smooth budget of what a secret sees: an information, on average over outputs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.columns.cone import Budget, Cone, Rays, SmoothBudget, Support, rounding_unit
from mechdesign.columns.cone_program import ByDual, support_of_each
from mechdesign.columns.masses import Masses
from mechdesign.columns.shape import Shape, Through
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class BudgetOfSecret(SmoothBudget):
    """A smooth budget of ``v = W q``, what the secret sees of a column, under its prior pi."""

    #: ``W[s, x] = Pr(x | s)``.
    channel: Array
    #: The prior pi of the secret.
    prior: Array

    @abstractmethod
    def support_of_input(self, functionals: Array, price: float) -> Support:
        """Return the support function where the secret is the input, at a price above 0."""

    @abstractmethod
    def support_by_dual(self, functional: Array, normal: Array, price: float) -> ByDual:
        """Return a bound on the support function at one functional by a small program, at a price above 0."""


@dataclass(frozen=True, eq=False)
class SmoothlyBounded(Shape):
    """Vectors with ``sum_y beta(v(y)) <= limit`` for a smooth beta that is 0 on constant vectors alone.

    At epsilon 0 there is no budget: then each vector is constant.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    epsilon : float
        In nats.
    """

    masses: Masses
    epsilon: float

    @abstractmethod
    def smooth_budget(self, seen: Array) -> BudgetOfSecret:
        """Return the budget of ``v = seen @ q`` at an epsilon above 0."""

    @property
    def polyhedral(self) -> bool:
        """Whether nothing is disclosed: then the columns are a cone of rows."""
        return self.epsilon == 0

    @property
    def normal(self) -> Array:
        """The masses: on their slice every column has mass one."""
        return slice_of(self.masses.floats)

    def through(self, problem: Problem) -> Shape:
        """Return the columns of which the hidden secret sees one of this shape."""
        return HiddenSmooth(problem.n, self, problem.channel)

    def budget_of(self, seen: Array) -> Budget:
        """Return what each column adds, and its limit; none at epsilon 0."""
        return Budget.none(seen.shape[1]) if self.epsilon == 0 else self.smooth_budget(seen)

    def cone_of(self, seen: Array) -> Cone:
        """Return the whole orthant: only the sum over columns is bounded. At epsilon 0, ``v = m``."""
        if self.epsilon > 0:
            return Cone.of_rows(np.zeros((0, seen.shape[1])))
        mass = np.broadcast_to(self.masses.floats @ seen, seen.shape)
        return Cone.at_least(np.vstack([seen, mass]), np.vstack([mass, seen]))

    def ray_count(self) -> float | None:
        """Return 1 at epsilon 0."""
        return 1.0 if self.epsilon == 0 else None

    def rays(self) -> Rays | None:
        """Return the constant column at epsilon 0."""
        return Rays(np.ones((self.n, 1)), np.zeros((0, 1))) if self.epsilon == 0 else None

    def support(self, functionals: Array, nu: Array) -> Support | None:
        """Return the largest value by formula; None at epsilon 0."""
        if self.epsilon == 0:
            return None
        price = float(nu[0]) if len(nu) else 0.0
        if price <= 0:
            return of_disclosure(functionals, self.normal)
        return self.smooth_budget(np.eye(self.n)).support_of_input(functionals, price)

    by_column = False


@dataclass(frozen=True, eq=False)
class HiddenSmooth(Through):
    """Columns of which a hidden secret sees one that is `SmoothlyBounded`.

    Parameters
    ----------
    n : int
    seen : SmoothlyBounded
    channel : ndarray, shape (k, n)
    """

    seen: SmoothlyBounded

    @property
    def normal(self) -> Array:
        """The masses of the inputs: on their slice every column has mass one."""
        mass = self.seen.masses.floats @ self.channel
        return slice_of(mass) if np.all(mass > 0) else super().normal

    def support(self, functionals: Array, nu: Array) -> Support | None:
        """Return the bound that the dual, a small program, gives at each functional; None at epsilon 0."""
        if self.seen.epsilon == 0:
            return None
        price, normal = float(nu[0]) if len(nu) else 0.0, self.normal
        if price <= 0:
            return of_disclosure(functionals, normal)
        budget = self.seen.smooth_budget(self.channel)
        k, n = budget.channel.shape
        # Rows times variables.
        size = (n + 1 + 3 * k) * (1 + 2 * k)
        return support_of_each(functionals, lambda h: budget.support_by_dual(h, normal, price), size)


def slice_of(mass: Array) -> Array:
    """Return the masses, divided by their sum.

    Examples
    --------
    >>> slice_of(np.array([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """
    return np.asarray(mass / mass.sum())


def of_disclosure(functionals: Array, normal: Array) -> Support:
    """Return the support function where information costs nothing: the best column reveals an input."""
    ratios = functionals / normal
    best = ratios.argmax(axis=1)
    columns = np.zeros((len(normal), len(best)))
    columns[best, np.arange(len(best))] = 1.0 / normal[best]
    most = (ratios + rounding_unit(len(normal)) * np.abs(ratios)).max(axis=1)
    return Support(most, columns, most - ratios.max(axis=1))
