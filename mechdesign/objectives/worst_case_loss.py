"""Expected loss under the least favourable prior: of any input, of a list, or of a box."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, unlike_losses
from mechdesign.catalogue.drawn import prior_box, random_pairs
from mechdesign.errors import DomainError
from mechdesign.exact import fractions
from mechdesign.objectives.base import PiecewiseLinear, column_of_each_decision
from mechdesign.objectives.decisions import check_rows, data_count, datum_of_input, decision_names
from mechdesign.objectives.exact_form import ExactForm, LargestPiece, shares
from mechdesign.objectives.exact_worst_case import LargestInBox
from mechdesign.parameters import Cases, Domain, Matrix, Maybe, Real, Stochastic, Vector
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import SUM_TO_ONE

if TYPE_CHECKING:
    import cvxpy as cp


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
    loss : array_like, shape (n, decisions)
        What decision d costs when the datum is x, finite. The matrix keeps one column for each decision.
    priors : array_like, shape (K, n), or a tuple (lower, upper) of vectors of length n, optional
        The priors that are possible: the mixtures of K distributions, or all those with ``lower <= p <= upper``,
        entries in [0, 1], lower summing to at most 1 and upper to at least 1. As a list, which is what files hold,
        two rows are a box where the first sums to less than 1 and the second to more.

    Raises
    ------
    DomainError
        A loss that is no finite matrix, or has another number of rows than the problem has data; a prior that is
        no distribution; an empty box; priors of another length than the mechanism has inputs.

    Notes
    -----
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
        ),
        sized=lambda problem, rng: WorstCaseLoss(rng.exponential(size=(data_count(problem), 4))),
        anchor=lambda: Anchor(WorstCaseLoss(unlike_losses()), 1.0, "4/4"),
    )

    loss: Array
    priors: Array | None = None
    domains = {"loss": Matrix(), "priors": Maybe(Priors())}
    axes = {"loss": ("data", "decisions"), "priors": ("laws", "inputs")}

    if TYPE_CHECKING:

        def __init__(
            self, loss: npt.ArrayLike, priors: npt.ArrayLike | tuple[npt.ArrayLike, npt.ArrayLike] | None = None
        ) -> None: ...

    unit = "unit of the loss"

    def check(self, problem: Problem) -> None:
        """Refuse a loss whose rows are not the problem's data, and priors over other inputs."""
        super().check(problem)
        check_rows(self.loss, problem)
        if self.priors is not None:
            domains.vector("priors[0]", self.priors[0], problem.n)

    def outputs(self, problem: Problem) -> int | None:
        """Return the number of decisions."""
        return int(self.loss.shape[1])

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the labels where there is one decision for each, and numbers otherwise."""
        return decision_names(problem, self.loss.shape[1])

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the largest expected loss: of an input, of a prior of the list, or of the box, filled greedily."""
        loss = self.loss[datum_of_input(problem)]
        given = column_of_each_decision(matrix, loss.shape)
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

        each = cp.sum(cp.multiply(self.loss[datum_of_input(problem)], Q), axis=1)
        if self.priors is None:
            return cp.max(each)
        if not self.is_box:
            return cp.max(self._vertices() @ each)
        lower, upper = self.priors
        threshold = cp.Variable()
        filled = (1.0 - lower.sum()) * threshold + (upper - lower) @ cp.pos(each - threshold)
        return lower @ each + filled

    def no_privacy(self, problem: Problem) -> float:
        """Return the value where each input gets the decision that costs it least."""
        best = self.loss[datum_of_input(problem)].argmin(axis=1)
        return self.value(np.eye(self.loss.shape[1])[best], problem)

    def pieces(self, problem: Problem) -> Any:
        """Return one functional for each prior of the list, otherwise for each input: its loss at its row of `Q`."""
        from scipy.sparse import csr_array

        loss = self.loss[datum_of_input(problem)]
        n, decisions = loss.shape
        starts = decisions * np.arange(n + 1)
        by_input = csr_array((loss.ravel(), np.arange(n * decisions), starts), shape=(n, n * decisions))
        if self.priors is None or self.is_box:
            return by_input
        return csr_array(csr_array(self._vertices()) @ by_input)

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the loss under each prior, divided by its exact sum, or under the priors of the box."""
        loss = fractions(self.loss)[datum_of_input(problem)]
        if self.priors is None:
            return LargestPiece.of_loss(fractions(np.eye(problem.n)), loss)
        if self.is_box:
            return LargestInBox.of_box(self.priors[0], self.priors[1], loss)
        return LargestPiece.of_loss(np.array([shares(prior) for prior in self.priors], dtype=object), loss)

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
