"""Expected loss under the least favourable prior: of an input, a list, a box, or any number of an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, unlike_losses
from mechdesign.catalogue.drawn import prior_box, random_pairs, random_problem
from mechdesign.errors import DomainError
from mechdesign.exact import Fractions, fractions
from mechdesign.objectives.base import PiecewiseLinear, column_of_each_decision
from mechdesign.objectives.decisions import (
    check_rows,
    data_count,
    datum_of_input,
    decision_names,
    names_of_values,
    values_of_data,
)
from mechdesign.objectives.exact_form import ExactForm, LargestPiece, shares
from mechdesign.objectives.exact_worst_case import LargestInBox
from mechdesign.objectives.magnitudes import check_magnitude
from mechdesign.parameters import Cases, Choice, Domain, Matrix, Maybe, NameOr, Real, Stochastic, Vector
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_VALUE, SMALLEST_VALUE, SUM_TO_ONE

if TYPE_CHECKING:
    import cvxpy as cp


#: Losses that have a name: the distance of two values, and its square.
LOSSES = ("absolute", "squared")


@dataclass(frozen=True)
class Priors(Domain):
    """Distributions over the inputs, as rows, or a pair of vectors: the bounds of a box that holds a distribution."""

    def check(self, argument: str, value: Any) -> Array:
        """Return the distributions as a matrix, or the lower and the upper bound of the box."""
        if isinstance(value, tuple) and len(value) == 2:
            return _box(argument, value[0], value[1])
        rows = domains.matrix(argument, value)
        return _box(argument, rows[0], rows[1]) if _straddles(rows) else domains.stochastic_rows(argument, rows)

    @property
    def example(self) -> Array:
        """Two distributions."""
        return np.array([[0.25, 0.75], [0.5, 0.5]])

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no matrix, rows that are no distributions, and boxes that are crossed or empty."""
        n = self.example.shape[1] if near is None else np.shape(near)[1]
        even, zero, one = np.full(n, 1.0 / n), np.zeros(n), np.ones(n)
        yield from Stochastic().invalid([even, even])
        for why, bound in Vector(Real(low=0.0, high=1.0)).invalid(even):
            yield f"a lower bound {why}", (bound, one)
            yield f"an upper bound {why}", (zero, bound)
        yield "bounds of different lengths", (zero, np.ones(n + 1))
        yield "crossed bounds", (one, zero)
        yield "bounds that are crossed once", ([0.5, *zero[1:]], [math.nextafter(0.5, 0.0), *one[1:]])
        yield "a box of too much", ((1.0 + 1e-8) * even, one)
        yield "a box of too little", (zero, (1.0 - 1e-8) * even)

    def ends(self, near: Any = None) -> Cases:
        """Yield boxes: of everything, of a single distribution, and one as a matrix."""
        n = self.example.shape[1] if near is None else np.shape(near)[1]
        yield "everything", (np.zeros(n), np.ones(n))
        yield "a single distribution", (np.full(n, 1.0 / n), np.full(n, 1.0 / n))
        yield from Stochastic().ends(np.full((2, n), 1.0 / n))
        if n > 1:
            yield "a box as a matrix", np.array([np.zeros(n), np.ones(n)])


@dataclass(frozen=True)
class WorstCaseLoss(PiecewiseLinear):
    r"""max_p sum_x p_x sum_d Q[x, d] loss[x, d] over priors p, in the unit of the loss; output d is decision d.

    Without `priors` any prior is possible, so the input that fares worst decides. The problem's prior is not used.

    Parameters
    ----------
    loss : array_like, shape (n, decisions), or {"absolute", "squared"}
        What decision d costs when the datum is x, finite. The matrix keeps one column for each decision. In a word,
        decision d names ``values[d]``, and costs its distance from ``values[x]``, or the square of that.
    priors : array_like, shape (K, n), or a tuple (lower, upper) of vectors of length n, optional
        The priors that are possible: the mixtures of K distributions, or all those with ``lower <= p <= upper``,
        entries in [0, 1], lower summing to at most 1 and upper to at least 1. As a list, which is what files hold,
        two rows are a box where the first sums to less than 1 and the second to more.

    Raises
    ------
    DomainError
        A loss that is no finite matrix, or has another number of rows than the problem has data; a prior that is
        no distribution; an empty box; priors of another length than the mechanism has inputs; a loss in a word if the
        problem has no values.

    Notes
    -----
    Over an interval (`Problem.from_interval`) a loss in a word is the largest of all its numbers, and the bound is that
    of every mechanism and every estimate, also between the points: with decisions at the points an absolute loss is no
    larger than with any others, a squared one by at most a quarter of the squared distance of two points.

    It is no sum over columns, so its optimum need not use extreme rays: the convex route answers. The weights of
    its multipliers give the least favourable prior, whose best expected loss is the same (minimax).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(n=2)
    >>> response = [[0.75, 0.25], [0.25, 0.75]]
    >>> md.WorstCaseLoss([[0, 1], [2, 0]]).value(response, problem)
    0.5
    >>> md.WorstCaseLoss([[0, 1], [2, 0]], priors=([0.5, 0.25], [0.75, 0.5])).value(response, problem)
    0.375

    The number of an interval, whose error is least for whatever number people hold:

    >>> share = md.Problem.from_interval(0, 1, points=9)
    >>> round(md.design(share, md.LDP(1.0), md.WorstCaseLoss("absolute"), gap=0.1).value, 4)
    0.3231
    """

    card = Card(
        "expected loss under the least favourable prior",
        latex=r"\max_p \sum_x p_x \sum_d Q_{xd} \, \text{loss}_{xd} \quad \text{over priors } p",
        search=("private sampling", "minimax"),
        examples=(
            lambda rng: (WorstCaseLoss(rng.exponential(size=(3, 4))), Problem(n=3)),
            lambda rng: (WorstCaseLoss(rng.normal(size=(3, 2))), random_pairs(rng)),
            lambda rng: (WorstCaseLoss(rng.normal(size=(3, 2)), rng.dirichlet(np.ones(3), size=2)), Problem(n=3)),
            lambda rng: (WorstCaseLoss(rng.normal(size=(4, 3)), prior_box(4, rng)), Problem(n=4)),
            lambda rng: (WorstCaseLoss("squared"), random_problem(4, rng, skew=2.0)),
            lambda rng: (WorstCaseLoss("absolute"), random_pairs(rng)),
        ),
        sized=lambda problem, rng: WorstCaseLoss(rng.exponential(size=(data_count(problem), 4))),
        anchor=lambda: Anchor(WorstCaseLoss(unlike_losses()), 1.0, "4/4"),
    )

    loss: Array | str
    priors: Array | None = None
    domains = {"loss": NameOr(Choice(LOSSES, "it has to be the name of a loss"), Matrix()), "priors": Maybe(Priors())}
    axes = {"loss": ("data", "decisions"), "priors": ("laws", "inputs")}

    if TYPE_CHECKING:

        def __init__(
            self, loss: npt.ArrayLike | str, priors: npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike] | None = None
        ) -> None: ...

    @property
    def unit(self) -> str:  # type: ignore[override] # of an instance
        """The unit of the loss, which words say."""
        return {"absolute": "value", "squared": "value squared"}.get(self.distance, "unit of the loss")

    @property
    def in_words(self) -> str:
        """What is measured, within a sentence."""
        if self.distance and self.priors is None:
            return f"largest expected {self.distance} error of the value that the output names"
        return super().in_words

    @property
    def needs_values(self) -> bool:  # type: ignore[override] # of an instance
        """Whether the loss is a distance of values."""
        return bool(self.distance)

    @property
    def holds_over_intervals(self) -> bool:  # type: ignore[override] # of an instance
        """Whether it is the largest error of any number."""
        return bool(self.distance) and self.priors is None

    def check(self, problem: Problem) -> None:
        """Refuse a loss whose rows are not the problem's data, and priors over other inputs."""
        super().check(problem)
        if self.distance:
            check_magnitude("values", problem.required_values, SMALLEST_VALUE, LARGEST_VALUE)
        else:
            check_rows(np.asarray(self.loss), problem)
        if self.priors is not None:
            domains.vector("priors[0]", self.priors[0], problem.n)

    def outputs(self, problem: Problem) -> int | None:
        """Return the number of decisions."""
        return data_count(problem) if self.distance else int(np.shape(self.loss)[1])

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the values of a loss in a word, the labels if there is one decision for each, otherwise numbers."""
        return names_of_values(problem) if self.distance else decision_names(problem, np.shape(self.loss)[1])

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the largest expected loss: of an input, of a prior of the list, or of the box, filled greedily."""
        loss = self.losses(problem)
        given = column_of_each_decision(matrix, loss.shape)
        if problem.interval is not None:
            return largest_between(given, loss, self._bend(problem))
        each = [float(row @ costs) for row, costs in zip(given, loss, strict=True)]
        if self.priors is None:
            return max(each)
        if not self.is_box:
            return max(math.fsum(p * cost for p, cost in zip(prior, each, strict=True)) for prior in self._vertices())
        lower, upper = self.priors
        total, left = float(lower @ each), 1.0 - math.fsum(lower)
        for x in sorted(range(len(each)), key=each.__getitem__, reverse=True):
            taken = min(left, float(upper[x] - lower[x]))
            total, left = total + taken * each[x], left - taken
        return total

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the largest expected loss, convex in `Q`; over a box, by duality, with a variable to be minimised."""
        import cvxpy as cp

        each = cp.sum(cp.multiply(self.losses(problem), Q), axis=1)
        if self.priors is None:
            return cp.max(each) + self.offset(problem)
        if not self.is_box:
            return cp.max(self._vertices() @ each)
        lower, upper = self.priors
        threshold = cp.Variable()
        filled = (1.0 - lower.sum()) * threshold + (upper - lower) @ cp.pos(each - threshold)
        return lower @ each + filled

    def no_privacy(self, problem: Problem) -> float:
        """Return the value where each input gets the decision that costs it least."""
        if problem.interval is not None:
            return 0.0
        losses = self.losses(problem)
        return self.value(np.eye(losses.shape[1])[losses.argmin(axis=1)], problem)

    def losses(self, problem: Problem) -> Array:
        """Return what each decision costs for each input, shape (n, decisions)."""
        if not self.distance:
            return np.asarray(self.loss)[datum_of_input(problem)]
        apart = np.abs(np.subtract.outer(problem.required_values, values_of_data(problem)))
        return apart if self.distance == "absolute" else apart**2

    def losses_of_inputs(self, problem: Problem) -> Array | None:
        """Return the losses where any prior is possible, and inputs are all that people hold."""
        return self.losses(problem) if self.priors is None and problem.interval is None else None

    def offset(self, problem: Problem) -> float:
        """Return minus what estimates between the points of an interval may save, beside estimates at the points."""
        return -0.25 * float(self._bend(problem).max()) if problem.interval is not None else 0.0

    @property
    def distance(self) -> str:  # type: ignore[override] # of an instance
        """The word of the loss; empty of a matrix."""
        return self.loss if isinstance(self.loss, str) else ""

    def _bend(self, problem: Problem) -> Array:
        """Return by what the loss curves between two points, beside a straight line: ``s (1 - s)`` times that."""
        widths = np.diff(problem.required_values)
        return np.asarray(widths**2 if self.distance == "squared" else 0.0 * widths)

    def pieces(self, problem: Problem) -> Any:
        """Return one functional for each prior of the list, otherwise for each input: its loss at its row of `Q`."""
        from scipy.sparse import csr_array

        loss = self.losses(problem)
        n, decisions = loss.shape
        starts = decisions * np.arange(n + 1)
        by_input = csr_array((loss.ravel(), np.arange(n * decisions), starts), shape=(n, n * decisions))
        if self.priors is None or self.is_box:
            return by_input
        return csr_array(csr_array(self._vertices()) @ by_input)

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the loss under each prior, divided by its exact sum, or under the priors of the box."""
        if problem.interval is not None:
            return None
        loss = self._exact_losses(problem)
        if self.priors is None:
            return LargestPiece.of_loss(fractions(np.eye(problem.n)), loss)
        if self.is_box:
            return LargestInBox.of_box(self.priors[0], self.priors[1], loss)
        return LargestPiece.of_loss(np.array([shares(prior) for prior in self.priors], dtype=object), loss)

    def _exact_losses(self, problem: Problem) -> Fractions:
        if not self.distance:
            return fractions(self.loss)[datum_of_input(problem)]
        apart = np.abs(np.subtract.outer(fractions(problem.required_values), fractions(values_of_data(problem))))
        return np.asarray(apart if self.distance == "absolute" else apart**2)

    def weight_box(self, problem: Problem) -> tuple[Array, Array] | None:
        """Return the box of priors: they are the weights of the inputs' losses."""
        return (self.priors[0], self.priors[1]) if self.priors is not None and self.is_box else None

    @property
    def is_box(self) -> bool:
        """Whether the priors are a box."""
        return self.priors is not None and _straddles(self.priors)

    def least_favourable_prior(self, weights: npt.ArrayLike | None, problem: Problem) -> Array:
        """Return the prior, shape (n,), that the weights of a certificate's multipliers stand for.

        Examples
        --------
        >>> import mechdesign as md
        >>> problem, objective = md.Problem(n=2), md.WorstCaseLoss([[0, 1], [2, 0]])
        >>> weights = md.design(problem, md.LDP(1.0), objective).mechanism.certificate.multipliers.weights
        >>> round(float(objective.least_favourable_prior(weights, problem)[0]), 6)
        0.423883
        """
        given = None if weights is None else np.asarray(weights, dtype=float)
        convex = self.convex_weights(given, problem)
        return convex if self.priors is None or self.is_box else np.asarray(convex @ self._vertices())

    def _vertices(self) -> Array:
        assert self.priors is not None, "only a list of priors has vertices"
        return np.asarray(self.priors / self.priors.sum(axis=1, keepdims=True))


def largest_between(matrix: Array, loss: Array, bend: Array) -> float:
    """Return the largest expected loss of any number, if numbers are rounded at random to the points beside them.

    Between two points the probabilities are linear, and the losses are but for what they are bent by.

    Parameters
    ----------
    matrix, loss : ndarray, shape (n, decisions)
        Probabilities and losses at the points.
    bend : ndarray, shape (n - 1,)
        At the share s of the way from a point to the next a loss is ``s (1 - s)`` times that below the straight line.

    Examples
    --------
    >>> largest_between(np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]]), np.zeros(1))
    0.5
    """
    here = np.einsum("xd,xd->x", matrix, loss)
    first, last = here[:-1], here[1:]
    across = np.einsum("xd,xd->x", matrix[:-1], loss[1:]) + np.einsum("xd,xd->x", matrix[1:], loss[:-1]) - bend
    # At a share s it is first (1 - s)^2 + across s (1 - s) + last s^2.
    curved, slope = first - across + last, across - 2.0 * first
    top = np.divide(-0.5 * slope, curved, out=np.zeros_like(curved), where=curved < 0)
    share = np.clip(top, 0.0, 1.0)
    return float(max(here.max(), (first + share * (slope + share * curved)).max()))


def _straddles(rows: Array) -> bool:
    """Return whether two rows are bounds and no distributions: the first sums to less than 1, the second to more."""
    if len(rows) != 2:
        return False
    return math.fsum(rows[0]) < 1 - SUM_TO_ONE and math.fsum(rows[1]) > 1 + SUM_TO_ONE


def _box(argument: str, low: Any, high: Any) -> Array:
    lower = domains.vector(f"{argument}[0]", low)
    upper = domains.vector(f"{argument}[1]", high)
    if len(lower) != len(upper):
        shape = f"of lengths {len(lower)} and {len(upper)}"
        raise DomainError(argument, shape, "both bounds have one entry for each input", "give vectors of one length")
    for index, bound in enumerate((lower, upper)):
        wrong = (bound < 0) | (bound > 1)
        if wrong.any():
            at = int(wrong.argmax())
            rule = "bounds of probabilities lie between 0 and 1"
            raise DomainError(f"{argument}[{index}][{at}]", float(bound[at]), rule, "correct it")
    crossed = lower > upper
    if crossed.any():
        at = int(crossed.argmax())
        rule = f"a pair of vectors is a box, and the upper bound is {float(upper[at])!r} there"
        raise DomainError(f"{argument}[0][{at}]", float(lower[at]), rule, "raise it, or give a list of distributions")
    sums = math.fsum(lower), math.fsum(upper)
    if sums[0] > 1 + SUM_TO_ONE or sums[1] < 1 - SUM_TO_ONE:
        rule = "no distribution lies in the box: the lower bounds have to sum to at most 1, the upper to at least 1"
        raise DomainError(argument, f"a box with the sums {sums[0]!r} and {sums[1]!r}", rule, "widen the box")
    # A box of a single distribution is kept as that: its bounds sum to one.
    for bound, total in ((lower, sums[0]), (upper, sums[1])):
        if abs(total - 1) <= SUM_TO_ONE:
            return domains.frozen([bound])
    return domains.frozen([lower, upper])
