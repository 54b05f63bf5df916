"""The columns that are allowed, as geometry: a cone, perhaps budgets over all columns, rays, support, exact tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Budget, Cone, Rays, Support
from mechdesign.columns.dual import Shown
from mechdesign.columns.program_rules import budget_rules, cone_rules
from mechdesign.exact import Fractions, Integers
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True, eq=False)
class Shape(ABC):
    """Vectors v of n entries, none below 0, that may be a column.

    A subclass says which, by the rows of a cone, and perhaps by budgets. It says so of any ``v = seen @ q``: `seen` is
    the identity where v is the column q itself, and a channel where a secret is hidden behind the inputs.

    Parameters
    ----------
    n : int
        The number of entries.
    """

    n: int

    #: Its own numbers in a proof come from the multipliers of a linear program.
    asks_for_multipliers: ClassVar[bool] = False

    @abstractmethod
    def cone_of(self, seen: Array) -> Cone:
        """Return the cone of the columns q with ``seen @ q`` in the shape."""

    def facets_of(self, seen: Array) -> Cone | None:
        """Return that cone in the form its rays are enumerated from, or None if that has too many rows."""
        return self.cone_of(seen)

    def budget_of(self, seen: Array) -> Budget:
        """Return the bounds on sums over columns q, by ``seen @ q``: none by default."""
        return Budget.none(seen.shape[1])

    def cone(self) -> Cone:
        """Return the cone in which each column lies."""
        return self.cone_of(np.eye(self.n))

    def facets(self) -> Cone | None:
        """Return the cone in the form its rays are enumerated from, or None if that has too many rows."""
        return self.facets_of(np.eye(self.n))

    def budget(self) -> Budget:
        """Return the bounds on sums over columns."""
        return self.budget_of(np.eye(self.n))

    def through(self, problem: Problem) -> Shape:
        """Return the columns of which the hidden secret of `problem` sees one of this shape."""
        return Through(problem.n, self, problem.channel)

    @property
    def revealed(self) -> tuple[int, ...]:
        """The inputs x for which a column ``c e_x`` is allowed beside the cone's columns: none for most shapes.

        If there are some, the shape is a union of cones. A matrix then has one column for each of them, in their
        order, after the columns of the cone.
        """
        return ()

    @property
    def normal(self) -> Array:
        """``c > 0`` with sum 1: columns are compared on the slice ``c . q = 1``."""
        return np.full(self.n, 1.0 / self.n)

    @property
    def cone_rows(self) -> float:
        """About how many rows the cone has; if auxiliary variables make them long, those are few."""
        return 2.0 * self.n + 2.0

    @property
    def cone_numbers(self) -> float:
        """About how many numbers the cone and the budget hold as arrays, without making them."""
        return self.numbers_over(self.n)

    def numbers_over(self, inputs: int) -> float:
        """Return about how many numbers they hold, seen through a channel from a number of inputs."""
        return self.cone_rows * inputs

    def ray_count(self) -> float | None:
        """Return at most how many rays `rays` gives, or None if it has to enumerate the cone."""
        return None

    def rays(self) -> Rays | None:
        """Return the extreme rays by formula, or None if the cone has to be enumerated."""
        return None

    def support(self, functionals: Array, nu: Array) -> Support | None:
        """Return the largest ``h . q - nu . beta(q)`` on the slice for each row h, by formula; None without one."""
        return None

    @property
    def polyhedral(self) -> bool:
        """Whether the columns are a cone of finitely many rows. If not, `cone_of` has more, and `support` a formula."""
        return True

    @property
    def banded(self) -> bool:
        """Whether the columns are a band of the entries, whose programs need no cone of rows."""
        return False

    @property
    def around_mass(self) -> bool:
        """Whether the columns are those within a distance of their own mass."""
        return False

    @property
    def of_secret(self) -> Shape:
        """The shape of what the secret sees: itself if the secret is the input."""
        return self

    @property
    def reach(self) -> float | None:
        """The r of columns v of mass m with ``sum_s pi_s (v_s / m - 1)^2 <= r^2``; None elsewhere.

        It may be less than what is asked for if no column has more.
        """
        return None

    @property
    def deviation(self) -> float | None:
        """The r of columns v of mass m with ``sum_s pi_s |v_s / m - 1| <= r``; None elsewhere."""
        return None

    @property
    def sum_of_peaks(self) -> float | None:
        """The c of ``sum_y max_x Q[x, y] <= c``, if that is all that is asked; None elsewhere."""
        return None

    @property
    def pair_exponents(self) -> Array | None:
        """The d, shape (n, n), of columns with ``q_x <= e^d[x, x'] q_x'``; None elsewhere."""
        return None

    @property
    def ratio_in_blocks(self) -> tuple[float, tuple[Sequence[int], ...]] | None:
        """Epsilon and disjoint sets of all inputs, on one of which a column has ratios up to ``e^epsilon``; or None.

        The column is 0 elsewhere. Columns that reveal an input come besides.
        """
        return None

    @property
    def mixture(self) -> tuple[float, float] | None:
        """Epsilon and a share: the input itself with this probability, else ratios up to ``e^epsilon``; or None."""
        return None

    @property
    def pair_ratio(self) -> float | None:
        """The r of budgets of ``max(q_x - r q_x', 0)``, one for each ordered pair of inputs; None elsewhere.

        The pairs are in the order of ``(x, x')``, and the cone is the whole orthant.
        """
        return None

    @property
    def curved(self) -> Shape | None:
        """The shape, of several that meet here, whose columns are no polyhedron; None if all are polyhedra."""
        return None

    def most_taken(self, column: Array) -> float | None:
        """Return the most that `column` uses of one of the budgets; None without budgets."""
        budget = self.budget()
        return float(budget.cost(column[:, None]).max()) if len(budget) else None

    def constraints(self, Q: cp.Variable) -> list[cp.Constraint]:
        """Return the cvxpy constraints that make the columns of `Q` allowed (without the row-stochastic ones)."""
        return self.constraints_of(Q, np.eye(self.n))

    def cone_constraints(self, Q: cp.Variable) -> list[cp.Constraint]:
        """Return the constraints that hold each column by itself: all `constraints` but the budgets'."""
        return cone_rules(self.cone(), Q, self.revealed)

    def constraints_of(self, Q: cp.Variable, seen: Array) -> list[cp.Constraint]:
        """Return the constraints for the columns of ``seen @ Q``.

        In this order, which the convex route reads its multipliers by: ``Q >= 0``; the cone's rows, if it has any;
        then, if there are budgets, ``peaks >= pieces @ Q`` and last ``peaks @ 1 <= limits``. The last columns are
        those that reveal an input, if the shape allows them.
        """
        return [*cone_rules(self.cone_of(seen), Q, self.revealed), *budget_rules(self.budget_of(seen), Q)]

    #: The exact test holds each column by itself; with budgets it is one for all columns.
    by_column: ClassVar[bool] = True

    def measured(self, seen: Integers) -> Any:
        """Return what the exact test needs of a matrix of integers whose rows have one sum, shape (n, m).

        Whatever the level: a search looks at one matrix at many.
        """
        raise TypeError(f"{type(self).__name__} has no exact test: let the notion have holds_exactly")

    def allows(self, measured: Any) -> npt.NDArray[np.bool_]:
        """Return for each column, or once for all of them, whether it is in the shape, in exact arithmetic."""
        raise TypeError(f"{type(self).__name__} has no exact test: let the notion have holds_exactly")

    def holds(self, measured: Any) -> bool:
        """Return whether a matrix is allowed, in exact arithmetic, from what was `measured`."""
        return bool(np.all(self.allows(measured)))

    @property
    def least_level(self) -> float:
        """The level of constant columns: none has less."""
        return 0.0

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional w, a row, whether ``w . v >= 0`` for all vectors v of the shape.

        In exact arithmetic; False if that is not shown, None if there is no such test. A shape with budgets counts
        ``shown.charges . beta(v)`` besides; one whose test is no formula takes the numbers in ``shown.own``.
        """
        return None

    def exact_rows(self) -> Fractions | None:
        """Return rows r, shape (rows, n), with ``r . v >= 0`` for all vectors v of the shape.

        In exact arithmetic, their exponentials rounded outward: the cone that they leave is that of the shape up to
        this rounding. A column that reveals an input need not be in it. None if there is no such list.
        """
        return None

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return the limit of each budget in exact arithmetic, rounded up."""
        return ()

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the numbers by which `nonnegative` sees that a functional is nonnegative, by their places.

        `multipliers` are those of the cone's rows, and then of the budgets' pieces, in a program that minimises the
        functional and what it is charged, `nu`, over the cone; they are empty unless `asks_for_multipliers`.
        """
        return {}


def usual_numbers(problem: Problem) -> float:
    """Return how many numbers a cone of two rows for each secret, and two more, has over the inputs.

    Examples
    --------
    >>> import mechdesign as md
    >>> usual_numbers(md.Problem(n=3))
    24.0
    """
    return (2.0 * problem.secrets + 2.0) * problem.n


@dataclass(frozen=True, eq=False)
class Through(Shape):
    """Columns q over n inputs of which a hidden secret sees ``channel @ q`` of another shape.

    Parameters
    ----------
    n : int
    seen : Shape
        Of what the secret sees.
    channel : ndarray, shape (k, n)
    """

    seen: Shape
    channel: Array

    @property
    def of_secret(self) -> Shape:
        """The shape of what the secret sees."""
        return self.seen

    @property
    def polyhedral(self) -> bool:
        """Whether what the secret sees is a polyhedron."""
        return self.seen.polyhedral

    def cone_of(self, seen: Array) -> Cone:
        """Return the cone of what is seen, through both channels."""
        return self.seen.cone_of(self.channel @ seen)

    def cone(self) -> Cone:
        """Return the cone of what the secret sees, through its channel."""
        return self.seen.cone_of(self.channel)

    def facets(self) -> Cone | None:
        """Return the facets of what the secret sees, through its channel."""
        return self.seen.facets_of(self.channel)

    def budget(self) -> Budget:
        """Return the budgets of what the secret sees."""
        return self.seen.budget_of(self.channel)

    @property
    def cone_rows(self) -> float:
        """The rows of what the secret sees."""
        return self.seen.cone_rows

    @property
    def cone_numbers(self) -> float:
        """The numbers of what the secret sees, through its channel."""
        return self.seen.numbers_over(self.n)

    def most_taken(self, column: Array) -> float | None:
        """Return the most that is taken by what the secret sees."""
        return self.seen.most_taken(self.channel @ column)

    def constraints(self, Q: cp.Variable) -> list[cp.Constraint]:
        """Return the constraints of what the secret sees."""
        return self.seen.constraints_of(Q, self.channel)

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional of what the secret sees whether it is nonnegative."""
        return self.seen.nonnegative(functionals, shown)

    def exact_rows(self) -> Fractions | None:
        """Return the rows over the secrets."""
        return self.seen.exact_rows()

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return the limits of the budgets."""
        return self.seen.exact_limits()

    @property
    def least_level(self) -> float:
        """The level of constant columns."""
        return self.seen.least_level
