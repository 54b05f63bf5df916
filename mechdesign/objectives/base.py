"""What an objective is: a value of a matrix, an equal cvxpy expression, and a utility summed over columns.

Every objective is turned into a *utility* that is maximised: ``value = offset - utility`` where the value is
minimised, ``value = offset + utility`` where it is maximised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeGuard

import numpy as np

from mechdesign.catalogue import Card, card_of
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.objectives.convex_weights import convex_shares, into_box
from mechdesign.objectives.exact_form import ExactForm
from mechdesign.parameters import Checked
from mechdesign.parameters.checks import Array, finite
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import read_first

if TYPE_CHECKING:
    import cvxpy as cp


Kind = Literal["linear", "convex", "sublinear", "design", "unbiased"]
Sense = Literal["minimise", "maximise"]


def column_of_each_decision(matrix: Array, shape: tuple[int, ...]) -> Array:
    """Return the matrix as floats, shape (n, decisions); raise DomainError where it has another shape."""
    given = np.asarray(matrix, dtype=float)
    if given.shape != shape:
        rule = (
            f"it has to have one column for each of the {shape[1]} decisions, and a row for each of {shape[0]} inputs"
        )
        remedy = "of a design give design.by_decision; in another matrix a decision that is never made is zeros"
        raise DomainError("matrix", f"of shape {given.shape}", rule, remedy)
    return given


def unit(n: int) -> float:
    """Return the rounding of a sum of n products, a few of them nested, over the size of its terms: an estimate."""
    return 4.0 * float(np.finfo(float).eps) * (n + 8)


class Objective(Checked, ABC):
    """A number that says how useful a matrix is.

    A subclass is a frozen dataclass of one of the three kinds below, with a domain for each of its parameters. `value`
    and `expression` are written apart from the column utility, so that each can catch an error in the other.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.card = card_of(cls)
        if "value" in vars(cls):
            cls.value = read_first(cls.value)  # type: ignore[method-assign] # of any matrix that a user may give

    kind: ClassVar[Kind]
    sense: ClassVar[Sense] = "minimise"
    #: What pages say of it beside its mathematics.
    card: ClassVar[Card] = Card()
    #: The unit of the value, in words; "value" stands for the unit of the problem's values.
    unit: ClassVar[str] = ""
    needs_prior: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    #: The value is a monotone function of the utility, but no affine one: it curves quasiconvexly only.
    is_transformed: ClassVar[bool] = False
    #: cvxpy can write the value; where not, `expression` raises UnsupportedError.
    has_expression: ClassVar[bool] = True
    #: No mechanism has a value below this.
    lowest: ClassVar[float] = -np.inf
    #: The name of the distance between the value and its estimate, if the value is the largest one expected.
    distance: str = ""
    #: The value counts every real number of a problem over an interval, and not its points alone.
    holds_over_intervals: ClassVar[bool] = False
    #: The value is the probability that the best guess of the datum is wrong, whatever outputs stand for.
    is_of_guesses: ClassVar[bool] = False
    #: The value is Shannon's information on the datum, in nats.
    is_of_information: ClassVar[bool] = False
    #: The value is a leakage, the information that outputs carry, to be minimised: the constant mechanism is best.
    measures_leakage: bool = False

    @property
    def label_table(self) -> Array | None:
        """``Pr(T = t | X = x)``, shape (labels, data), if the value is the information on a label T; None elsewhere."""
        return None

    @property
    def name(self) -> str:
        """The objective's name."""
        return type(self).__name__

    @property
    def in_words(self) -> str:
        """The name in full of its card, as it stands within a sentence; its class if the card has none."""
        return self.card.full_name or self.name

    def check(self, problem: Problem) -> None:
        """Raise DomainError where `problem` (over the mechanism's inputs) lacks what the objective needs."""
        for needed, name in ((self.needs_prior, "prior"), (self.needs_values, "values")):
            if needed and getattr(problem, name) is None:
                over = f'Problem.from_interval(..., {name}="uniform")'
                made = f"Problem({name}=...)" if problem.interval is None else over
                raise DomainError(name, None, f"{self.name} needs it", f"give {made} or choose another objective")

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

    def assumption(self, problem: Problem) -> str:
        """Return in a sentence what is assumed in place of something that was not given; mostly nothing."""
        return ""

    def to_utility(self, value: float, problem: Problem) -> float:
        """Return the utility that belongs to `value`."""
        sign = -1.0 if self.sense == "minimise" else 1.0
        return sign * (value - self.offset(problem))

    def losses_of_inputs(self, problem: Problem) -> Array | None:
        """Return the losses, shape (n, decisions), if the value is the largest expected loss of an input; else None."""
        return None

    def steepness(self, value: float, problem: Problem) -> float:
        """Return by how much the utility changes with the value, at `value`."""
        return 1.0

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return an estimate of how far `value` is from the exact value of a matrix whose entries are exact.

        Some units in the last place of the values between no information and no privacy, unless a subclass knows less.
        """
        with np.errstate(all="ignore"):
            width = abs(self.uninformative(problem) - self.no_privacy(problem))
        size = (width if np.isfinite(width) else 1.0) + abs(self.value(matrix, problem))
        return unit(problem.n) * (size + self.terms(matrix, problem))

    def terms(self, matrix: Array, problem: Problem) -> float:
        """Return the size of the terms that are added up for the value, as far as they are larger than it."""
        return 0.0

    def improvement(self, matrix: Array, problem: Problem) -> tuple[float, float]:
        """Return the difference of the utility and the uninformative mechanism's utility, and its rounding error."""
        value, idle = self.value(matrix, problem), self.to_utility(self.uninformative(problem), problem)
        return self.to_utility(value, problem) - idle, self.rounding(matrix, problem) * self.steepness(value, problem)

    def accuracy(self, matrix: Array, value: float, problem: Problem) -> tuple[float, float, float]:
        """Return `rounding` and `improvement` of a matrix with that value: a subclass may find them together."""
        return self.rounding(matrix, problem), *self.improvement(matrix, problem)

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the utility in exact arithmetic, which proofs are checked with; None without an exact form."""
        return None

    def utility_expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the utility as a cvxpy expression of `Q`: what a convex program maximises, where one can."""
        sign = -1.0 if self.sense == "minimise" else 1.0
        return sign * (self.expression(Q, problem) - self.offset(problem))

    def _facts(self) -> tuple[str, ...]:
        """Return what is measured, in which direction and unit, and the formula."""
        said, unit = self.in_words, f" [{self.unit}]" if self.unit else ""
        return (f"{said[:1].upper()}{said[1:]}{unit}, to be {self.sense}d.", *super()._facts())

    def __str__(self) -> str:
        return self.name


class Separable(Objective):
    """An objective whose utility is ``sum_y mu(q_y)`` with sublinear `mu`: rays and decisions apply."""

    @abstractmethod
    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``mu`` of each of `columns`, shape (m,): homogeneous of degree one and convex."""

    def magnitude(self, columns: Array, problem: Problem) -> Array:
        """Return the size of the terms that are added up for ``mu`` of each column: its rounding is in proportion."""
        return np.abs(self.column_utility(columns, problem))

    def terms(self, matrix: Array, problem: Problem) -> float:
        """Return the magnitude of all columns."""
        return float(self.magnitude(matrix, problem).sum())

    @abstractmethod
    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return functionals, shape (n, m): ``g_y . v <= mu(v)`` for all v, with equality at column y."""

    def gains(self, problem: Problem) -> Array | None:
        """Return functionals, shape (decisions, n), whose largest is ``mu``, or None where there is a continuum."""
        return None

    def best_decision(self, columns: Array, problem: Problem) -> Any:
        """Return the index of the best decision for each column, where decisions are finitely many."""
        return (required_gains(self, problem) @ columns).argmax(axis=0)

    def by_decision(self, columns: Array, problem: Problem) -> Array:
        """Return the matrix with each of `columns` added to its best decision's column, shape (n, decisions)."""
        gains = required_gains(self, problem)
        matrix = np.zeros((len(columns), len(gains)))
        np.add.at(matrix.T, self.best_decision(columns, problem), columns.T)
        return matrix

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

    def check_cost(self, problem: Problem) -> None:
        """Raise DomainError where the cost is not one finite number for each input and decision."""
        cost, wanted = np.asarray(self.cost(problem)), (problem.n, len(self.decisions(problem)))
        if cost.shape != wanted:
            rule = f"it has to be of shape {wanted}, a row for each input and a column for each decision"
            raise DomainError(f"the cost of {self.name}", f"of shape {cost.shape}", rule, "correct the method cost")
        finite(f"{self.name}.cost", cost)

    def outputs(self, problem: Problem) -> int | None:
        """Return the number of decisions."""
        return int(self.cost(problem).shape[1])

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the decisions."""
        return self.decisions(problem)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the expected cost when output d is taken as decision d."""
        cost = self.cost(problem)
        return float(np.sum(cost * column_of_each_decision(matrix, cost.shape)))

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return some units in the last place of the sum of absolute terms."""
        return unit(problem.n) * float(np.sum(np.abs(self.cost(problem)) * matrix))

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the expected cost, affine in `Q`."""
        import cvxpy as cp

        return cp.sum(cp.multiply(self.cost(problem), Q))

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``max_d -(cost_d . v)``: the best decision for each column."""
        return np.asarray((-self.cost(problem).T @ columns).max(axis=0))

    def no_privacy(self, problem: Problem) -> float:
        """Return the cost of the best decision of each input, whose columns need not be made."""
        return self.from_utility(float(-self.cost(problem).min(axis=1).sum()), problem)

    def gains(self, problem: Problem) -> Array:
        """Return minus the cost of each decision."""
        return -self.cost(problem).T

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return minus the cost of the best decision of each column."""
        return -self.cost(problem)[:, self.best_decision(columns, problem)]


class Convex(Objective):
    """An objective whose utility is concave in `Q`: minus a convex function, bounded below by linear minorants."""

    @abstractmethod
    def minorant(self, weights: Array | None, problem: Problem) -> Array:
        """Return a cost, shape (n, outputs), with ``sum(cost * Q) <= -utility`` for every Q and any weights."""

    def weights_for(self, room: Array, problem: Problem) -> Array | None:
        """Return the weights whose minorant comes up to `room`, shape (n, outputs), as far as any does.

        None where they can be found only from a solver's multipliers.
        """
        return None


class PiecewiseLinear(Convex):
    """``max_k pieces[k] . vec(Q)``, minimised: a linear program over `Q`, bounded by weights of its pieces."""

    kind = "convex"

    @abstractmethod
    def pieces(self, problem: Problem) -> Any:
        """Return a scipy sparse array, shape (pieces, n * outputs): row-major functionals of `Q`."""

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return some units in the last place of the largest sum of absolute terms of a piece."""
        return unit(problem.n) * float((abs(self.pieces(problem)) @ np.asarray(matrix, dtype=float).ravel()).max())

    def weight_box(self, problem: Problem) -> tuple[Array, Array] | None:
        """Return bounds of the pieces' weights: the value is the largest sum over convex weights within them.

        None where any convex weights count, so that the value is the largest piece.
        """
        return None

    def convex_weights(self, weights: Array | None, problem: Problem) -> Array:
        """Return `weights` moved to convex ones within their bounds: clipped and scaled, equal ones for None."""
        box, convex = self.weight_box(problem), convex_shares(weights, self.pieces(problem).shape[0])
        return convex if box is None else into_box(convex, *box)

    def minorant(self, weights: Array | None, problem: Problem) -> Array:
        """Return the cost ``sum_k w_k pieces_k`` of convex weights."""
        return np.asarray(self.convex_weights(weights, problem) @ self.pieces(problem)).reshape(problem.n, -1)

    def uninformative(self, problem: Problem) -> float:
        """Return the least value of a mechanism that always makes one decision."""
        single = np.eye(self.outputs(problem) or problem.n)
        return min(self.value(np.tile(row, (problem.n, 1)), problem) for row in single)

    def no_privacy(self, problem: Problem) -> float:
        """Return the value where each input gets the decision whose largest coefficient is least."""
        largest = self.pieces(problem).max(axis=0).toarray().reshape(problem.n, -1)
        return self.value(np.eye(largest.shape[1])[largest.argmin(axis=1)], problem)


def is_separable(objective: Objective) -> TypeGuard[Separable]:
    """Return whether the utility is a sum over columns that is maximised: an instance may be minimised instead."""
    return isinstance(objective, Separable) and objective.kind != "convex"


def gains_of(objective: Objective, problem: Problem) -> Array | None:
    """Return what each of finitely many decisions gains by input, shape (decisions, n), or None of other utilities."""
    return objective.gains(problem) if is_separable(objective) else None


def required_gains(objective: Objective, problem: Problem) -> Array:
    """Return what each decision gains by input, shape (decisions, n).

    Raises
    ------
    UnsupportedError
        The decisions are a continuum, or the utility is no sum over columns.
    """
    gains = gains_of(objective, problem)
    if gains is None:
        raise UnsupportedError(
            f"{objective.name} has no finite list of decisions, which is needed here; take an objective that has one, "
            "such as HammingLoss, or ExpectedLoss with a matrix of losses."
        )
    return gains


def is_convex(objective: Objective) -> TypeGuard[Convex]:
    """Return whether the objective is convex to minimise."""
    return isinstance(objective, Convex) and objective.kind == "convex"
