"""What notions share that bound an information of the secret and the output, on average over outputs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.exact import Integers
from mechdesign.notions.base import Notion
from mechdesign.notions.cone import Budget, Cone, Rays, SmoothBudget, Support, raised, rounding_unit
from mechdesign.notions.cone_program import of_each
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: A bound on the support function at one functional, its rounding, and a column.
ByDual = tuple[tuple[float, float], Array]


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


class BoundedInformation(Notion):
    """A notion whose only bound is a budget of what the secret sees, and that discloses nothing at epsilon 0."""

    epsilon: float
    needs_prior = True
    polyhedral = False

    def __post_init__(self) -> None:
        super().__post_init__()
        # Without any information every column is silent: then the notion is a cone, and has no budget.
        object.__setattr__(self, "polyhedral", self.epsilon == 0)

    @abstractmethod
    def budget_of_secret(self, problem: Problem) -> BudgetOfSecret:
        """Return the budget at an epsilon above 0."""

    def budget(self, problem: Problem) -> Budget:
        """Return what each column adds to the information, and its limit; none at epsilon 0."""
        return Budget.none(problem.n) if self.epsilon == 0 else self.budget_of_secret(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def cone(self, problem: Problem) -> Cone:
        """Return the whole orthant: only the sum over columns is bounded. At epsilon 0, ``v = m``."""
        if self.epsilon > 0:
            return Cone.of_rows(np.zeros((0, problem.n)))
        mass = np.broadcast_to(problem.required_prior_of_secret @ problem.channel, problem.channel.shape)
        return Cone.at_least(np.vstack([problem.channel, mass]), np.vstack([mass, problem.channel]))

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether an upper bound of the information, rounded up, is at most epsilon, in rationals."""
        return self.exactly(numerators, problem)(self.epsilon)

    def normal(self, problem: Problem) -> Array:
        """Return the prior of the inputs: on its slice every column has mass one."""
        mass = problem.required_prior_of_secret @ problem.channel
        return mass / mass.sum() if np.all(mass > 0) else super().normal(problem)

    def ray_count(self, problem: Problem) -> float | None:
        """Return 1 at epsilon 0, where the secret is the input: all columns are constant."""
        return 1.0 if self.epsilon == 0 and not problem.is_hidden else None

    def rays(self, problem: Problem) -> Rays | None:
        """Return the constant column at epsilon 0, where the secret is the input."""
        constant = self.epsilon == 0 and not problem.is_hidden
        return Rays(np.ones((problem.n, 1)), np.zeros((0, 1))) if constant else None

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return the support function by formula, or where S is hidden by its dual program."""
        budget, normal, price = self.budget(problem), self.normal(problem), float(nu[0]) if len(nu) else 0.0
        if not isinstance(budget, BudgetOfSecret):
            return None
        if price <= 0:
            return _of_disclosure(functionals, normal)
        if not problem.is_hidden:
            return budget.support_of_input(functionals, price)
        k, n = budget.channel.shape
        size = (n + 1 + 3 * k) * (1 + 2 * k)
        found = of_each(functionals, lambda h: budget.support_by_dual(h, normal, price), size)
        values, rounding = np.array([bound for bound, _ in found]).T
        return raised(values, rounding, np.array([column for _, column in found]).T)


def _of_disclosure(functionals: Array, normal: Array) -> Support:
    """Return the support function where information costs nothing: the best column reveals an input."""
    ratios = functionals / normal
    best = ratios.argmax(axis=1)
    columns = np.zeros((len(normal), len(best)))
    columns[best, np.arange(len(best))] = 1.0 / normal[best]
    most = (ratios + rounding_unit(len(normal)) * np.abs(ratios)).max(axis=1)
    return Support(most, columns, most - ratios.max(axis=1))
