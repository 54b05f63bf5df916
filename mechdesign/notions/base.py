"""What a privacy notion is: a cone (and perhaps a budget) of columns, a level in numpy, an exact check."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, card_of
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Fractions, Integers
from mechdesign.notions.cone import Budget, Cone, Rays, Support
from mechdesign.notions.dual import Shown
from mechdesign.parameters import Checked, Domain, Real
from mechdesign.parameters.base import require_dataclass
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import read_first

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class Level:
    """The smallest parameter at which a matrix satisfies the notion, with its witness.

    Attributes
    ----------
    value : float
        The largest of the components, where there are several.
    inputs : tuple of int
        The inputs (or secrets) that show it.
    output : int or None
        The output that shows it; None where no single one does.
    components : tuple of float
        The level of each part of the notion, where it has several.
    """

    value: float
    inputs: tuple[int, ...]
    output: int | None
    components: tuple[float, ...] = ()

    @property
    def values(self) -> tuple[float, ...]:
        """The level of each part of the notion."""
        return self.components or (self.value,)

    def excess(self, notion: Notion) -> float:
        """Return by how much a component exceeds what `notion` requires, the largest excess; negative inside."""
        return max(found - asked for found, asked in zip(self.values, notion.parameters, strict=True))

    @classmethod
    def of_parts(cls, notion: Notion, matrix: Array, problem: Problem) -> Level:
        """Return the levels of the notion's parts, with the witness of the one furthest above what it asks for."""
        levels = [part.level(matrix, problem) for part in notion.parts()]
        worst = max(zip(levels, notion.parts(), strict=True), key=lambda pair: pair[0].excess(pair[1]))[0]
        components = tuple(found.value for found in levels)
        return cls(max(components), worst.inputs, worst.output, components)


#: The domain of a level in nats.
EPSILON = Real(low=0.0)


class Notion(Checked, ABC):
    """A privacy notion with its parameter.

    A subclass is a frozen dataclass, with a domain for each of its parameters. Its cone serves the programs; its level
    and its exact check are written apart from the cone, so that each can catch an error in the other.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.card = card_of(cls)
        if "level" in vars(cls):
            cls.level = read_first(cls.level)  # type: ignore[method-assign] # of any matrix that a user may give

    #: What pages say of it beside its mathematics.
    card: ClassVar[Card] = Card()
    #: What makes one notion of several: the class of intersections, which its module puts here.
    intersection: ClassVar[Callable[[Sequence[Notion]], Notion]]
    #: The domain of each parameter; a notion with others than epsilon gives its own.
    domains: ClassVar[Mapping[str, Domain]] = {"epsilon": EPSILON}
    #: The parameter that the level measures and that a frontier sweeps.
    level_name: ClassVar[str] = "epsilon"
    #: The unit of the level.
    level_unit: ClassVar[str] = "nats"
    #: The largest level there is: of a mechanism that hides nothing.
    most_level: ClassVar[float] = float("inf")
    #: Mixtures of two private mechanisms with the same outputs are private.
    convex: ClassVar[bool] = True
    #: Whatever is computed from a private output is private.
    closed_under_postprocessing: ClassVar[bool] = True
    #: Whatever holds for some inputs holds for inputs that are turned into one of them at random.
    closed_under_preprocessing: ClassVar[bool] = False
    #: The guarantee is relative to a prior.
    needs_prior: ClassVar[bool] = False
    #: Its own numbers in a proof come from the multipliers of a linear program.
    asks_for_multipliers: ClassVar[bool] = False
    #: The columns are a cone of finitely many rows. Where not, `cone` holds more than them, `constraints` says the
    #: rest, and `support` has to be overridden too.
    polyhedral: ClassVar[bool] = True
    #: The columns are a band of the inputs, whose programs need no cone of rows.
    banded: ClassVar[bool] = False
    #: The columns are those within a distance of their own mass.
    around_mass: ClassVar[bool] = False

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem over the mechanism's inputs (wider than the data where the notion sees more)."""
        if self.needs_prior and problem.prior_of_secret is None:
            raise DomainError(
                "prior",
                None,
                f"{self.name} is relative to the prior of the secret",
                "give Problem(prior=...), or hidden(..., secret_prior=...)",
            )
        self._require_sizes(problem)
        return problem

    def _require_sizes(self, problem: Problem) -> None:
        """Raise unless each parameter whose axes are secrets has an entry for each of them."""
        for name, axes in self.axes.items():
            given = getattr(self, name)
            if set(axes) == {"secrets"} and given is not None and set(np.shape(given)) != {problem.secrets}:
                rows = "one row and one column" if len(axes) == 2 else "one entry"
                rule = f"it has to have {rows} for each of the {problem.secrets} secrets"
                raise DomainError(name, f"of shape {np.shape(given)}", rule, "give an entry for each of them")

    @property
    def name(self) -> str:
        """The notion's name."""
        return type(self).__name__

    def parts(self) -> tuple[Notion, ...]:
        """Return the notions whose conjunction this is, one for each component of its level: mostly itself alone.

        Where there are several, each has one number for its level, and takes the problem that `inputs` returned.
        """
        return (self,)

    def members(self) -> tuple[Notion, ...]:
        """Return the notions that an intersection was made of; of any other notion itself alone."""
        return (self,)

    @property
    def curved(self) -> Notion | None:
        """The member of an intersection whose columns are no polyhedron; None if all are polyhedra."""
        return None

    def __and__(self, other: object) -> Notion:
        """Return the notion that holds where both do."""
        return Notion.intersection((self, other)) if isinstance(other, Notion) else NotImplemented

    def plain(self, problem: Problem) -> Notion:
        """Return the notion with the same private mechanisms over `problem` whose cone has the most formulas.

        Mostly itself. Routes and bounds work on it; the exact check and the audit are those of the notion asked for.
        """
        return self

    @property
    def parameter(self) -> float:
        """The level that the notion asks for; the largest of its parts' where there are several."""
        parts = self.parts()
        return float(getattr(self, self.level_name)) if len(parts) == 1 else max(self.parameters)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The level that each part asks for."""
        parts = self.parts()
        return (self.parameter,) if len(parts) == 1 else tuple(part.parameter for part in parts)

    def at(self, level: float | tuple[float, ...]) -> Self:
        """Return a copy of the notion at another level: one number for each of its parts, or one for all of them."""
        require_dataclass("notion", self)
        return replace(self, **{self.level_name: level})  # type: ignore[type-var] # subclasses are dataclasses

    @abstractmethod
    def cone(self, problem: Problem) -> Cone:
        """Return the cone in which each column lies."""

    def facets(self, problem: Problem) -> Cone | None:
        """Return the cone in the form its rays are enumerated from, or None where that has too many rows."""
        return self.cone(problem)

    def revealed(self, problem: Problem) -> tuple[int, ...]:
        """Return the inputs x for which a column ``c e_x`` is allowed beside the cone's columns: none for most notions.

        Where there are some, the notion is a union of cones. A matrix then has one column for each of them, in their
        order, after the columns of the cone.
        """
        return ()

    def budget(self, problem: Problem) -> Budget:
        """Return the bounds on sums over columns: none, unless the notion says otherwise."""
        return Budget.none(problem.n)

    def reach(self, problem: Problem) -> float | None:
        """Return r where the columns v of mass m are those with ``sum_s pi_s (v_s / m - 1)^2 <= r^2``; None elsewhere.

        It may be less than the level asked for where no column has more.
        """
        return None

    def deviation(self, problem: Problem) -> float | None:
        """Return r where the columns v of mass m are those with ``sum_s pi_s |v_s / m - 1| <= r``; None elsewhere."""
        return None

    def sum_of_peaks(self, problem: Problem) -> float | None:
        """Return c where ``sum_y max_x Q[x, y] <= c`` is all that is asked; None elsewhere."""
        return None

    def pair_exponents(self, problem: Problem) -> Array | None:
        """Return d, shape (n, n), where the columns are those with ``q_x <= e^d[x, x'] q_x'``; None elsewhere."""
        return None

    def ldp_on(self, problem: Problem) -> tuple[float, tuple[tuple[int, ...], ...]] | None:
        """Return epsilon and sets of inputs: columns satisfy LDP on one of them and are 0 elsewhere; None otherwise.

        The sets are disjoint and hold every input. Columns that reveal an input come besides.
        """
        return None

    def disclosing_mixture(self, problem: Problem) -> tuple[Notion, float] | None:
        """Return a notion and a probability: reporting the input with it, and else privately, is allowed; None else."""
        return None

    def pair_ratio(self, problem: Problem) -> float | None:
        """Return r where each ordered pair of inputs has a budget of its own, ``max(q_x - r q_x', 0)``; None else.

        The pairs are in the order of ``(x, x')``, and the cone is the whole orthant.
        """
        return None

    @abstractmethod
    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the smallest level at which `matrix` satisfies the notion, in floating point."""

    @abstractmethod
    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether a matrix of integers whose rows have one sum satisfies the notion, in exact arithmetic."""

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Return for each column by itself whether it satisfies the notion, in exact arithmetic."""
        each = [self.holds_exactly(numerators[:, [y]], problem) for y in range(numerators.shape[1])]
        return np.array(each, dtype=bool)

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of the level: a search looks at one matrix at many."""
        return lambda level: self.at(level).holds_exactly(numerators, problem)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return for each functional w, a row over secrets, whether ``w . v >= 0`` for all columns v that are allowed.

        In exact arithmetic; False where that is not shown, None where there is no such test. With a hidden secret v is
        what the secrets see. A notion with budgets counts ``shown.charges . beta(v)`` besides; one whose test is no
        formula takes the numbers in ``shown.own``.
        """
        return None

    def exact_rows(self, problem: Problem) -> Fractions | None:
        """Return rows r over the secrets, shape (rows, k), with ``r . v >= 0`` for all columns v that are allowed.

        In exact arithmetic, their exponentials rounded outward: the cone that they leave is that of the notion up to
        this rounding. A column that reveals an input need not be in it. None where there is no such list.
        """
        return None

    def exact_limits(self, problem: Problem) -> tuple[Fraction, ...]:
        """Return the limit of each budget in exact arithmetic, rounded up."""
        return ()

    def own_numbers(self, functional: Array, problem: Problem, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the numbers by which `nonnegative_exactly` sees that a functional is nonnegative, by their places.

        The secret is the input here. `multipliers` are those of the cone's rows, and then of the budgets' pieces, in a
        program that minimises the functional and what it is charged, `nu`, over the cone; they are empty unless
        `asks_for_multipliers`.
        """
        return {}

    def cone_numbers(self, problem: Problem) -> float:
        """Return about how many numbers the cone and the budget hold as arrays, without making them."""
        return (2.0 * problem.secrets + 2.0) * problem.n

    def cone_rows(self, problem: Problem) -> float:
        """Return about how many rows the cone has; where auxiliary variables make them long, those are few."""
        return self.cone_numbers(problem) / problem.n

    def most_taken(self, column: Array, problem: Problem) -> float | None:
        """Return the most that `column` uses of one of the budgets; None without budgets."""
        budget = self.budget(problem)
        return float(budget.cost(column[:, None]).max()) if len(budget) else None

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
        any; then, where there are budgets, ``peaks >= pieces @ Q`` and last ``peaks @ 1 <= limits``. The last columns
        are those that reveal an input, where the notion allows them.
        """
        import cvxpy as cp
        from scipy.sparse import csr_array, eye_array, kron

        inputs = self.inputs(problem)
        outputs = Q.shape[1]
        rules = self.cone_constraints(Q, inputs)
        budget = self.budget(inputs)
        if len(budget):
            groups, each, n = budget.pieces.shape
            peaks = cp.Variable((groups, outputs))
            of_group = csr_array(kron(eye_array(groups), np.ones((each, 1))))
            rules.append(of_group @ peaks >= csr_array(budget.pieces.reshape(-1, n)) @ Q)
            rules.append(cp.sum(peaks, axis=1) <= budget.limits)
        return rules

    def cone_constraints(self, Q: cp.Variable, inputs: Problem) -> list[cp.Constraint]:
        """Return the constraints that hold each column by itself: all `constraints` but the budgets'."""
        import cvxpy as cp
        from scipy.sparse import csr_array

        cone = self.cone(inputs)
        outputs = Q.shape[1]
        revealed = list(self.revealed(inputs))
        within = outputs - len(revealed)
        rules = [Q >= 0]
        if len(cone.on_column) and within > 0:
            slack: Any = csr_array(cone.on_column) @ Q[:, :within]
            if cone.on_auxiliary.shape[1]:
                auxiliary = cp.Variable((cone.on_auxiliary.shape[1], within), nonneg=True)
                slack = slack + csr_array(cone.on_auxiliary) @ auxiliary
            rules.append(slack >= 0)
        if revealed:
            rules.append(cp.multiply(1.0 - np.eye(inputs.n)[:, revealed], Q[:, within:]) == 0)
        return rules

    def _facts(self) -> tuple[str, ...]:
        """Return the formula, and whether the guarantee depends on a prior."""
        prior = "The guarantee is relative to a prior." if self.needs_prior else "The guarantee needs no prior."
        return (*super()._facts(), prior)

    def __str__(self) -> str:
        return f"{self.name}({self.level_name}={in_full(self.parameter)})"
