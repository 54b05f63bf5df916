"""What an objective is: a value of a matrix, the same as a cvxpy expression, and a utility summed over columns.

Every objective is turned into a *utility* that is maximised: ``value = offset - utility`` where the value is
minimised, ``value = offset + utility`` where it is maximised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import DomainError
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

    from mechdesign.objectives.generators import Generator

Kind = Literal["linear", "convex", "sublinear"]
Sense = Literal["minimise", "maximise"]


class Objective(ABC):
    """A number that says how useful a matrix is.

    A subclass is a frozen dataclass of one of the three kinds below. `value` and `expression` are written apart
    from the column utility, so that each can catch an error in the other.
    """

    kind: ClassVar[Kind]
    sense: ClassVar[Sense] = "minimise"
    #: The unit of the value, in words; "value" stands for the unit of the problem's values.
    unit: ClassVar[str] = ""
    #: What the objective is, in the words of a table ("mean squared error of the best estimate").
    words: ClassVar[str] = ""
    needs_prior: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The objective's name."""
        return type(self).__name__

    def check(self, problem: Problem) -> None:
        """Raise DomainError where `problem` (over the mechanism's inputs) lacks what the objective needs."""
        for needed, name in ((self.needs_prior, "prior"), (self.needs_values, "values")):
            if needed and getattr(problem, name) is None:
                raise DomainError(
                    name, None, f"{self.name} needs it", f"give Problem({name}=...) or choose another objective"
                )

    @abstractmethod
    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the objective of `matrix` in its own sense and unit."""

    @abstractmethod
    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the value as a cvxpy expression of `Q`, in its own sense."""

    def outputs(self, problem: Problem) -> int | None:
        """Return how many outputs a matrix has to have (one for each decision), or None where any number will do."""
        return None

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return a distinct name for each output: its decision or estimate, where the objective gives it one."""
        return tuple(f"y{y}" for y in range(matrix.shape[1]))

    @abstractmethod
    def uninformative(self, problem: Problem) -> float:
        """Return the value of a mechanism that ignores its input."""

    @abstractmethod
    def no_privacy(self, problem: Problem) -> float:
        """Return the value where the input itself is reported."""

    def offset(self, problem: Problem) -> float:
        """Return the value at utility 0."""
        return 0.0

    def from_utility(self, utility: float, problem: Problem) -> float:
        """Return the value that belongs to `utility`."""
        sign = -1.0 if self.sense == "minimise" else 1.0
        return self.offset(problem) + sign * utility

    def to_utility(self, value: float, problem: Problem) -> float:
        """Return the utility that belongs to `value`."""
        sign = -1.0 if self.sense == "minimise" else 1.0
        return sign * (value - self.offset(problem))

    def __str__(self) -> str:
        return self.name


class Separable(Objective):
    """An objective whose utility is ``sum_y mu(q_y)`` with sublinear `mu`: rays and decisions apply."""

    @abstractmethod
    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``mu`` of each of `columns`, shape (m,): homogeneous of degree one and convex."""

    @abstractmethod
    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return functionals, shape (n, m): ``g_y . v <= mu(v)`` for all v, with equality at column y."""

    def uninformative(self, problem: Problem) -> float:
        """Return the value of the constant mechanism."""
        return self.from_utility(float(self.column_utility(np.ones((problem.n, 1)), problem)[0]), problem)

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of the identity, each input its own output."""
        return self.from_utility(float(self.column_utility(np.eye(problem.n), problem).sum()), problem)


class Linear(Separable):
    """``sum_x sum_d cost[x, d] Q[x, d]``, minimised, with one column for each decision d."""

    kind = "linear"

    @abstractmethod
    def cost(self, problem: Problem) -> Array:
        """Return the cost of each input and decision, prior included, shape (n, decisions)."""

    @abstractmethod
    def decisions(self, problem: Problem) -> tuple[str, ...]:
        """Return the name of each decision."""

    def outputs(self, problem: Problem) -> int | None:
        """Return the number of decisions."""
        return int(self.cost(problem).shape[1])

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the decisions."""
        return self.decisions(problem)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the expected cost when output d is taken as decision d."""
        return float(np.sum(self.cost(problem) * np.asarray(matrix, dtype=float)))

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the expected cost, affine in `Q`."""
        import cvxpy as cp

        return cp.sum(cp.multiply(self.cost(problem), Q))

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``max_d -(cost_d . v)``: the best decision for each column."""
        return np.asarray((-self.cost(problem).T @ columns).max(axis=0))

    def best_decision(self, columns: Array, problem: Problem) -> Any:
        """Return the index of the best decision for each column."""
        return (self.cost(problem).T @ columns).argmin(axis=0)

    def by_decision(self, columns: Array, problem: Problem) -> Array:
        """Return the matrix in which each of `columns` is added to that of its best decision, shape (n, decisions)."""
        matrix = np.zeros((len(columns), self.cost(problem).shape[1]))
        np.add.at(matrix.T, self.best_decision(columns, problem), columns.T)
        return matrix

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return minus the cost of the best decision of each column."""
        return -self.cost(problem)[:, self.best_decision(columns, problem)]


class PiecewiseLinear(Objective):
    """``max_k pieces[k] . vec(Q)``, minimised: a linear program over `Q`, bounded by weights of its pieces."""

    kind = "convex"

    @abstractmethod
    def pieces(self, problem: Problem) -> Any:
        """Return a scipy sparse array, shape (pieces, n * outputs): row-major functionals of `Q`."""

    def uninformative(self, problem: Problem) -> float:
        """Return the least value of a mechanism that always makes one decision."""
        single = np.eye(self.outputs(problem) or problem.n)
        return min(self.value(np.tile(row, (problem.n, 1)), problem) for row in single)

    def no_privacy(self, problem: Problem) -> float:
        """Return the value where each input gets the decision whose largest coefficient is least."""
        largest = self.pieces(problem).max(axis=0).toarray().reshape(problem.n, -1)
        return self.value(np.eye(largest.shape[1])[largest.argmin(axis=1)], problem)


@dataclass(frozen=True)
class Ratio:
    """``mu(v) = (b . v) f(a . v / b . v)`` with convex f: supported by ``g_t = f'(t) a + (f(t) - t f'(t)) b``."""

    a: Array
    b: Array
    f: Generator

    def functionals(self, t: Array) -> Array:
        """Return ``g_t`` for each t, shape (len(t), n); t is moved into the range where f has finite tangents."""
        t = np.clip(t, self.f.least, self.f.most)
        return np.outer(self.f.derivative(t), self.a) + np.outer(self.f.intercept(t), self.b)

    def chords(self, low: Array, high: Array) -> Array:
        """Return the functional of f's chord over each ``[low, high]``: where the tangents at both ends cross."""
        if np.isfinite(self.f.least):
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        values, width = self.values(low), high - low
        slope = self.f.derivative(np.maximum(low, self.f.least))
        wide = width > 0
        slope[wide] = (self.values(high) - values)[wide] / width[wide]
        return np.outer(slope, self.a) + np.outer(values - low * slope, self.b)

    def values(self, t: Array) -> Array:
        """Return ``f(t)``, with its limit at 0."""
        return np.where(t < self.f.least, self.f.at_zero, self.f.value(np.maximum(t, self.f.least)))

    def at(self, columns: Array) -> Array:
        """Return the ratio ``a . v / b . v`` of each column, at most f's largest; of the ones vector where both are 0.

        Raises DomainError where the utility is infinite.
        """
        first, second = np.asarray(self.a @ columns), np.asarray(self.b @ columns)
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


class RatioType(Separable):
    """A separable objective of ratio type: its decisions are one scalar, so columns are priced exactly."""

    kind = "sublinear"

    @abstractmethod
    def ratio(self, problem: Problem) -> Ratio:
        """Return a, b and f."""

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``(b . v) f(a . v / b . v)``, with f's slope at infinity where ``b . v`` is 0.

        Raises DomainError where that is infinite.
        """
        r = self.ratio(problem)
        first, second = r.a @ columns, r.b @ columns
        return np.where(second > 0, second * r.values(r.at(columns)), first * _finite(r.f.slope_at_infinity))

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return ``g_t`` at the ratio t of each column."""
        r = self.ratio(problem)
        return r.functionals(r.at(columns)).T


def _finite(slope: float) -> float:
    # An infinite slope is refused where it would count, so elsewhere it multiplies 0.
    return slope if np.isfinite(slope) else 0.0
