"""What a privacy notion is: a cone (and perhaps a budget) of columns, a level in numpy, an exact check."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class Band:
    """``low * t <= q <= high * t`` entry by entry, with ``t = middle . q``, or any `t` where that is None."""

    low: float
    high: float
    middle: Array | None


@dataclass(frozen=True)
class Cone:
    """``K = {q >= 0 : on_column @ q + on_auxiliary @ t >= 0 for some t >= 0}``.

    `ceiling` bounds each auxiliary variable on the slice ``normal . q = 1``: a bound needs every variable boxed.
    """

    on_column: Array
    on_auxiliary: Array
    ceiling: float
    #: The same cone as a band, where the secret is the input: an interior point has a shortcut for it.
    band_of_inputs: Band | None = None

    @classmethod
    def of_rows(cls, rows: Array) -> Cone:
        """Return the cone ``{q >= 0 : rows @ q >= 0}``."""
        return cls(rows, np.zeros((len(rows), 0)), 0.0)

    @classmethod
    def band(cls, secret: Array, low: float, high: float, middle: Array | None = None) -> Cone:
        """Return ``{q : low * t <= secret @ q <= high * t}`` with ``t = middle . q``, or any `t` where that is None."""
        count = len(secret)
        bounds = np.concatenate([np.full(count, -low), np.full(count, high)])[:, None]
        rows = np.vstack([secret, -secret])
        if middle is not None:
            rows = np.vstack([rows, middle, -middle])
            bounds = np.vstack([bounds, [[-1.0]], [[1.0]]])
        # t is a mean of entries of v, or at most the least of them, and those are at most n on the slice.
        direct = secret.shape[0] == secret.shape[1] and np.array_equal(secret, np.eye(count))
        return cls(rows, bounds, float(secret.shape[1]), Band(low, high, middle) if direct else None)


@dataclass(frozen=True)
class Budget:
    """``sum_y beta_k(q_y) <= limits[k]`` with ``beta_k(q) = max_j pieces[k, j] . q``, for each of the budgets k."""

    #: Shape (budgets, pieces of each, n).
    pieces: Array
    #: Shape (budgets,).
    limits: Array

    @classmethod
    def none(cls, n: int) -> Budget:
        """Return no budget at all, over n inputs."""
        return cls(np.zeros((0, 1, n)), np.zeros(0))

    def __len__(self) -> int:
        return len(self.limits)

    def cost(self, columns: Array) -> Array:
        """Return what each of `columns` takes of each budget, shape (budgets, m)."""
        return np.asarray(np.einsum("kjx,xm->kjm", self.pieces, columns).max(axis=1))


@dataclass(frozen=True)
class Rays:
    """Extreme rays of the cone (or of the fan on which the budget is linear), shape (n, r), each at most 1."""

    columns: Array
    #: What each ray takes of each budget, shape (budgets, r).
    cost: Array


@dataclass(frozen=True)
class Support:
    """Largest value of ``h . q - nu . beta(q)`` over the slice ``normal . q = 1`` of the cone, for each row h."""

    values: Array
    #: Where it is reached, shape (n, number of rows).
    columns: Array


@dataclass(frozen=True)
class Level:
    """The smallest parameter at which a matrix satisfies the notion, with its witness."""

    value: float
    #: The inputs (or secrets) that show it.
    inputs: tuple[int, ...]
    output: int | None


class Notion(ABC):
    """A privacy notion with its parameter.

    A subclass is a frozen dataclass. Its cone serves the programs; its level and its exact check are written
    apart from the cone, so that each can catch an error in the other.
    """

    #: The parameter that the level measures and that a frontier sweeps.
    level_name: ClassVar[str] = "epsilon"
    #: The unit of the level.
    level_unit: ClassVar[str] = "nats"
    #: Mixtures of two private mechanisms with the same outputs are private.
    convex: ClassVar[bool] = True
    #: Whatever is computed from a private output is private.
    closed_under_postprocessing: ClassVar[bool] = True
    #: The guarantee is relative to a prior.
    needs_prior: ClassVar[bool] = False

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem over the mechanism's inputs (wider than the data where the notion sees more)."""
        if self.needs_prior and problem.prior_of_secret is None:
            raise DomainError(
                "prior",
                None,
                f"{self.name} is relative to the prior of the secret",
                "give Problem(prior=...), or hidden(..., secret_prior=...)",
            )
        return problem

    @property
    def name(self) -> str:
        """The notion's name."""
        return type(self).__name__

    @property
    def parameter(self) -> float:
        """The level that the notion asks for."""
        return float(getattr(self, self.level_name))

    def at(self, level: float) -> Self:
        """Return the same notion at another level."""
        return replace(self, **{self.level_name: level})  # type: ignore[type-var]

    @abstractmethod
    def cone(self, problem: Problem) -> Cone:
        """Return the cone in which each column lies."""

    def budget(self, problem: Problem) -> Budget:
        """Return the bounds on sums over columns: none, unless the notion says otherwise."""
        return Budget.none(problem.n)

    @abstractmethod
    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the smallest level at which `matrix` satisfies the notion, in floating point."""

    @abstractmethod
    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Tell whether a matrix of integers whose rows have one sum satisfies the notion, in exact arithmetic."""

    def least_level(self, problem: Problem) -> float:
        """Return the level of the uninformative mechanism: no mechanism has less."""
        return 0.0

    def normal(self, problem: Problem) -> Array:
        """Return ``c > 0`` with sum 1: columns are compared on the slice ``c . q = 1``."""
        return np.full(problem.n, 1.0 / problem.n)

    def ray_count(self, problem: Problem) -> float | None:
        """Return at most how many rays `rays` gives, or None where it has to enumerate the cone."""
        return None

    def rays(self, problem: Problem) -> Rays | None:
        """Return the extreme rays by formula, or None where the cone has to be enumerated."""
        return None

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return the support function at each row of `functionals` by formula, or None where a program decides."""
        return None

    def constraints(self, Q: cp.Variable, problem: Problem) -> list[cp.Constraint]:
        """Return the cvxpy constraints that make `Q` private (without the row-stochastic ones).

        In this order, which the convex route reads its multipliers by: ``Q >= 0``; the cone's rows, where it has
        any; then, where there are budgets, ``peaks >= pieces @ Q`` and last ``peaks @ 1 <= limits``.
        """
        import cvxpy as cp
        from scipy.sparse import csr_array

        inputs = self.inputs(problem)
        cone = self.cone(inputs)
        outputs = Q.shape[1]
        rules = [Q >= 0]
        if len(cone.on_column):
            slack: Any = csr_array(cone.on_column) @ Q
            if cone.on_auxiliary.shape[1]:
                auxiliary = cp.Variable((cone.on_auxiliary.shape[1], outputs), nonneg=True)
                slack = slack + csr_array(cone.on_auxiliary) @ auxiliary
            rules.append(slack >= 0)
        budget = self.budget(inputs)
        if len(budget):
            groups, each, n = budget.pieces.shape
            peaks = cp.Variable((groups, outputs))
            of_group = csr_array(np.kron(np.eye(groups), np.ones((each, 1))))
            rules.append(of_group @ peaks >= csr_array(budget.pieces.reshape(-1, n)) @ Q)
            rules.append(cp.sum(peaks, axis=1) <= budget.limits)
        return rules

    def __str__(self) -> str:
        return f"{self.name}({self.level_name}={self.parameter:g})"


def difference(left: Array, right: Array) -> Array:
    """Return ``left - right`` of nonnegative arrays, zero where no more than the rounding of decimals is left.

    A row of a cone with such a remainder would have a side where it has none.
    """
    remainder = left - right
    rounding = 4.0 * np.finfo(float).eps * (left + right)
    return np.asarray(np.where(np.abs(remainder) <= rounding, 0.0, remainder))
