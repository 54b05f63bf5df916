"""Covariance of the best estimate of frequencies: A-, D- and E-optimal design for all, c-optimal for one figure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeGuard

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs, random_prior, random_problem
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.exact import fractions
from mechdesign.objectives.base import Objective, unit
from mechdesign.objectives.decisions import datum_of_input
from mechdesign.objectives.design_criteria import CRITERIA, Criterion
from mechdesign.objectives.exact_convex import TraceOfCovariance
from mechdesign.objectives.exact_form import ExactForm, prior_shares, shares
from mechdesign.objectives.frequency_covariance import (
    LARGE,
    NO_BIAS,
    REGULAR,
    SINGULAR,
    contrasts,
    criterion_of,
    largest_variance,
    variance_of,
    variances_of,
    variances_of_shares,
)
from mechdesign.parameters import Choice, Distribution, Matrix, Maybe, NameOr, Real, Vector
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.queries import NAMED, only_varying, require_figure, require_varying, rows_of, without_offsets

if TYPE_CHECKING:
    import cvxpy as cp

OF_MEAN = "variance of the estimated mean of the values, times the number of reports"
#: The domain of one weight.
WEIGHT = Real(
    low=0.0,
    open_low=True,
    rule="every weight has to be positive, or the best design need not identify all frequencies",
    remedy="raise it, or ask for the FisherInformation of one direction",
)


@dataclass(frozen=True)
class InformationDesign(Objective):
    r"""The variances of estimated frequencies or queries of them, from one report, in one number; minimised.

    The inputs are drawn from `theta`, which is to be estimated from the reports. With ``J = sum_y q_y q_y' /
    (theta . q_y)`` and U an orthonormal basis of the vectors that sum to zero, ``M = U' J U`` is the Fisher information
    of one report and ``C = U M^-1 U'`` the covariance of the best unbiased estimate (of N reports, C / N). A value is
    infinite if no unbiased estimator of what it asks for exists: of all frequencies none does where M is singular.

    Parameters
    ----------
    criterion : {"A", "D", "E", "worst", "c"}
        "A": ``trace(W C W')``, the sum of the variances of all queries; ``sum_x weights_x C_xx`` of the frequencies
        themselves, squared frequencies. "D": ``-ln det M``, nats. "E": the largest eigenvalue of ``W C W'``, the
        variance of the combination of length one that is estimated worst. "worst": the largest entry of its diagonal,
        the variance of the query or frequency that is estimated worst. "c": ``c' C c``, the variance of one figure, a
        mean for instance.
    theta : array_like, shape (n,), optional
        Positive frequencies at which the covariance is taken, kept as given; the prior by default, and equal
        frequencies where there is none.
    weights : array_like, shape (n,), optional
        Positive, for "A" only; ones by default.
    direction : array_like, shape (n,), optional
        Numbers c, for "c" only: the figure is ``sum_x direction_x frequency_x``. The problem's values by default,
        whose figure is the mean. Not all equal.
    queries : array_like of shape (p, n), or {"prefix", "ranges"}, optional
        W, for "A", "E" and "worst", all frequencies by default: each row is a linear figure of the frequencies, such as
        a prefix sum or a marginal (`mechdesign.queries`). Not all rows constant. The value is finite wherever every
        query has an unbiased estimate, even if some frequency has none.

    Raises
    ------
    DomainError
        Another criterion; a theta that is no distribution or has a zero; weights that are not positive, or beside
        another criterion than "A"; queries beside weights or another criterion, or whose rows are all constant; a
        direction of equal numbers, or beside another criterion than "c", or none where the problem has no values;
        lengths that differ from the number of inputs; a single input.

    Notes
    -----
    The value is a convex function of M, and M a sum over columns of a homogeneous, matrix-convex function: so some
    optimum uses extreme rays, over whose weights it is one convex program (route weights), and each matrix G >= 0
    bounds it by the largest ``sum_y q_y' G q_y / (theta . q_y)``, which is a linear program over the same rays. At
    most ``n (n + 1) / 2`` outputs are needed. For "c" that G is ``g g'``, so the least value is the square of a dual
    norm: ``(g . c)^2`` over the largest Fisher information in the direction g, at the best g (route scores). An
    estimator whose bias is below 1e-10 of the direction's length counts as unbiased.

    References
    ----------
    G. Elfving, "Optimum Allocation in Linear Regression Theory", The Annals of Mathematical Statistics 23 (1952).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> md.InformationDesign("A").value([[0.75, 0.25], [0.25, 0.75]], problem)
    2.0

    The variance of the mean of the values 0 and 1:

    >>> md.InformationDesign("c", direction=[0, 1]).value([[0.75, 0.25], [0.25, 0.75]], problem)
    1.0
    """

    card = Card(
        "variances of all estimated frequencies, times the number of reports",
        latex=r'\text{tr}(W C W^{\top}) \text{ ("A")}, \quad -\ln \det M \text{ ("D")}, \quad '
        r'\lambda_{\max}(W C W^{\top}) \text{ ("E")}, \quad \max_k (W C W^{\top})_{kk} \text{ ("worst")}, \quad '
        r'c^{\top} C c \text{ ("c")}',
        usual="for shares, histograms and totals of many people",
        search=(
            "histogram",
            "stochastic rounding",
            "Fisher information",
            "parameter estimation",
            "survey",
            "local hashing",
            "variance",
            "minimax",
        ),
        works=("elfving1952",),
        examples=(
            lambda rng: (InformationDesign("A", weights=rng.exponential(size=4)), random_problem(4, rng)),
            lambda rng: (InformationDesign("D"), random_pairs(rng)),
            lambda rng: (InformationDesign("A", queries=rng.normal(size=(3, 4))), random_problem(4, rng)),
            lambda rng: (InformationDesign("A", queries=np.tril(np.ones((3, 3)))), random_problem(3, rng, skew=2.0)),
            lambda rng: (InformationDesign("c", direction=rng.normal(size=4)), random_problem(4, rng)),
            lambda rng: (InformationDesign("E", random_prior(3, rng)), Problem(n=3)),
            lambda rng: (InformationDesign("E", queries=np.tril(np.ones((3, 3)))), random_problem(3, rng, skew=2.0)),
            lambda rng: (InformationDesign("worst", queries=rng.normal(size=(4, 3))), random_problem(3, rng)),
            lambda rng: (InformationDesign("worst"), random_problem(3, rng, skew=2.0)),
        ),
        sized=lambda problem, rng: InformationDesign("A", random_prior(problem.n, rng)),
        anchor=lambda: Anchor(InformationDesign("A"), 2.0, "1 / (2 (1/2)^2), twice a variance of 1"),
    )

    criterion: str
    theta: Array | None = None
    weights: Array | None = None
    direction: Array | None = None
    queries: Array | str | None = None
    domains = {
        "criterion": Choice(tuple(CRITERIA), "it has to be the name of a criterion"),
        "theta": Maybe(Distribution(positive=True)),
        "weights": Maybe(Vector(WEIGHT)),
        "direction": Maybe(Vector(Real())),
        "queries": Maybe(NameOr(Choice(tuple(NAMED), "it has to be the name of a workload"), Matrix())),
    }
    axes = {"theta": ("inputs",), "weights": ("inputs",), "direction": ("inputs",), "queries": ("queries", "inputs")}

    if TYPE_CHECKING:

        def __init__(
            self,
            criterion: str,
            theta: npt.ArrayLike | None = None,
            weights: npt.ArrayLike | None = None,
            direction: npt.ArrayLike | None = None,
            queries: npt.ArrayLike | str | None = None,
        ) -> None: ...

    kind = "design"
    has_expression = False

    @property
    def in_words(self) -> str:
        """What the criterion is, within a sentence."""
        if self.criterion == "c" and self.direction is None:
            return OF_MEAN
        if self.queries is None:
            return f"{'' if self.weights is None else 'weighted '}{self.measure.of_frequencies}"
        which = f"all {self.queries}" if isinstance(self.queries, str) else f"{len(self.queries)} estimated queries"
        return f"{self.measure.of_queries} of {which}, times the number of reports"

    @property
    def measure(self) -> Criterion:
        """What the criterion's name stands for."""
        return CRITERIA[self.criterion]

    def check_together(self) -> None:
        """Refuse weights, queries and directions beside other criteria, and those whose value is a constant."""
        for name in ("weights", "queries", "direction"):
            if getattr(self, name) is not None and name not in self.measure.takes:
                remedy = 'leave it out, or ask for the criterion "c"' if name == "direction" else "leave them out"
                raise DomainError(name, "given", f"the criterion {self.criterion} has none", remedy)
        if self.queries is not None and self.weights is not None:
            rule = "the queries say what is weighed"
            raise DomainError("weights", "given beside queries", rule, "multiply the rows of queries by their roots")
        require_varying("queries", self.queries)
        if self.direction is not None:
            require_figure("direction", self.direction)

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield weights and directions beside each criterion that has none, and a direction of equal numbers."""
        given = {"weights": [1.0, 1.0], "direction": [0.0, 1.0], "queries": [[1.0, 0.0]]}
        none = dict.fromkeys(given)
        for criterion, measure in CRITERIA.items():
            for name in given.keys() - set(measure.takes):
                yield f"{name} beside {criterion}", {**none, "criterion": criterion, name: given[name]}
        yield "a constant figure", {**none, "criterion": "c", "direction": [2.0, 2.0]}
        yield "constant queries", {**none, "criterion": "A", "queries": [[1.0, 1.0], [0.0, 0.0]]}
        yield "queries beside weights", {**given, "criterion": "A", "direction": None}

    def check(self, problem: Problem) -> None:
        """Refuse a problem of one input, and a theta or weights of another length."""
        super().check(problem)
        if problem.n < 2:
            raise DomainError("n", problem.n, f"{self.name} compares frequencies", "give at least two inputs")
        for name in ("theta", "weights", "direction"):
            given = getattr(self, name)
            if given is not None:
                domains.vector(name, given, problem.n)
        if self.queries is not None:
            self.workload(problem)
        if self.criterion != "c" or self.direction is not None:
            return
        if problem.values is None:
            rule = 'the criterion "c" is of one figure, and the problem has no values whose mean it could be'
            raise DomainError("direction", None, rule, "give a number for each input, direction=[0, 1, ...]")
        require_figure("direction", self._direction(problem))

    def assumption(self, problem: Problem) -> str:
        """Return that frequencies are taken as equal, where neither theta nor a prior says what they are."""
        unknown = self.theta is None and problem.prior is None
        return "Frequencies: taken as equal, as neither a prior nor theta is given." if unknown else ""

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the criterion of the covariance of one report; infinite where the information is singular."""
        columns, theta = np.asarray(matrix, dtype=float), self.theta_of(problem)
        if self.is_of_one_figure:
            return variance_of(columns, theta, self.figure(problem))
        if self.criterion != "worst" and self.queries is None:
            return criterion_of(columns, theta, self.criterion, self.gram(problem))
        asked = self.workload(problem)
        if self.criterion == "E":
            return largest_variance(columns, theta, asked)
        variances = variances_of(columns, theta, asked)
        return float(variances.sum() if self.criterion == "A" else variances.max())

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the weighted trace with the exact theta, for the criterion A; None for the others."""
        if self.criterion != "A" or self.queries is not None:
            return None
        of_prior = self.theta is None and problem.prior is not None
        theta = prior_shares(problem) if of_prior else shares(np.ones(problem.n) if self.theta is None else self.theta)
        return TraceOfCovariance.of(theta, fractions(self._weights(problem)))

    def accuracy(self, matrix: Array, value: float, problem: Problem) -> tuple[float, float, float]:
        """Return `rounding` and `improvement`, without finding the value again."""
        rounding = unit(problem.n) * (1.0 + abs(value)) * (REGULAR if problem.n > LARGE else 1.0)
        if self.is_of_one_figure:
            rounding += 10.0 * NO_BIAS * abs(value)
        gained = self.to_utility(value, problem) - self.to_utility(self.uninformative(problem), problem)
        return rounding, gained, rounding * self.steepness(value, problem)

    def expression(self, Q: cp.Variable, problem: Problem) -> NoReturn:
        """Refuse: the value is neither convex nor concave in `Q`, and the route weights has a program over rays."""
        raise UnsupportedError(
            f"{self} is neither convex nor concave in Q, so it has no cvxpy expression; "
            'design(..., route="weights") states it over the weights of extreme rays, where it is convex.'
        )

    def uninformative(self, problem: Problem) -> float:
        """Return infinity: reports of a mechanism that ignores its input identify no frequency."""
        return math.inf

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of the identity, whose covariance is ``diag(theta) - theta theta'``."""
        theta = self.theta_of(problem)
        if self.measure.of_spread is None:
            # The volume in closed form: eigenvalues of the covariance lose the digits of a small frequency.
            return math.fsum(np.log(theta)) + math.log(problem.n)
        if self.queries is None and self.criterion in ("A", "worst"):
            variances = self._weights(problem) * variances_of_shares(theta)
            return float(variances.sum() if self.criterion == "A" else variances.max())
        rows = self.figure(problem)[None, :] if self.is_of_one_figure else self.workload(problem)
        # Centred first, about the likeliest input: of the difference of two moments only rounding may be left.
        rows = rows - rows[:, [int(theta.argmax())]]
        return self.measure.of_spread((rows - (rows @ theta)[:, None]) * np.sqrt(theta))

    def mass(self, columns: Array, problem: Problem) -> Array:
        """Return ``theta . q`` of each column."""
        return np.asarray(self.theta_of(problem) @ columns)

    def loading(self, problem: Problem) -> Array:
        """Return K, ``U' W' W U`` or ``U' c c' U``: the criterion A or c is its inner product with M^-1."""
        basis = contrasts(problem.n)
        if self.is_of_one_figure:
            along = basis.T @ self.figure(problem)
            return np.outer(along, along)
        if self.queries is not None:
            seen = self.workload(problem) @ basis
            return np.asarray(seen.T @ seen)
        return np.asarray(basis.T @ (self._weights(problem)[:, None] * basis))

    def rows_on_contrasts(self, problem: Problem) -> Array:
        """Return R with ``R' R = K``: a row for each query of "worst", otherwise n - 1 rows at most."""
        if self.is_of_one_figure:
            return self.figure(problem)[None, :] @ contrasts(problem.n)
        if not self.is_weighted and self.criterion != "worst":
            return np.eye(problem.n - 1)
        asked = self.workload(problem) if self.weights is None else np.diag(np.sqrt(self.weights))
        rows = asked @ contrasts(problem.n)
        # Not from K, whose small eigenvalues have half of their digits.
        return rows if self.criterion == "worst" or len(rows) < problem.n else np.asarray(np.linalg.qr(rows, mode="r"))

    @property
    def is_weighted(self) -> bool:
        """Whether frequencies count otherwise than all alike."""
        return self.weights is not None or self.queries is not None

    def gram(self, problem: Problem) -> Array:
        """Return ``W' W``, shape (n, n): of the queries, or diagonal with the weights."""
        if self.queries is not None:
            return np.asarray(self.workload(problem).T @ self.workload(problem))
        return np.diag(self._weights(problem))

    def _weights(self, problem: Problem) -> Array:
        return np.ones(problem.n) if self.weights is None else self.weights

    def positive_slope(self, slope: Array | None, problem: Problem) -> Array:
        """Return ``B = U' G U`` of a claimed slope, its negative part cut off, which bounds the value; I for None."""
        size, basis = problem.n, contrasts(problem.n)
        claimed = np.eye(size) if slope is None or np.size(slope) != size * size else np.reshape(slope, (size, size))
        values, vectors = np.linalg.eigh(basis.T @ (claimed + claimed.T) @ basis / 2.0)
        if not values[-1] > 0:
            values = np.ones(size - 1)
        return np.asarray((vectors * np.maximum(values, SINGULAR * values[-1])) @ vectors.T)

    def linear_utility(self, slope: Array, columns: Array, problem: Problem) -> Array:
        """Return ``q' U B U' q / (theta . q)`` of each column, sublinear; `slope` is B."""
        mass = self.mass(columns, problem)
        projected = np.linalg.cholesky(slope).T @ (contrasts(problem.n).T @ (columns - columns.mean(axis=0)))
        return np.asarray((projected**2).sum(axis=0) / np.where(mass > 0, mass, 1.0))

    def least_value(self, slope: Array, most: float, problem: Problem) -> float:
        """Return the least value of any M with ``trace(B M) <= most``; `slope` is B, positive definite."""
        if not most > 0:
            return math.inf
        return self.measure.least(self.rows_on_contrasts(problem), np.asarray(np.linalg.cholesky(slope)), most)

    def theta_of(self, problem: Problem) -> Array:
        """Return the frequencies at which the covariance is taken; they add up to 1."""
        given = problem.prior if self.theta is None else self.theta
        return np.full(problem.n, 1.0 / problem.n) if given is None else np.asarray(given / math.fsum(given))

    def workload(self, problem: Problem) -> Array:
        """Return the queries, named ones too, shape (p, n), but for offsets; all frequencies if none are given."""
        if self.queries is None:
            return np.eye(problem.n)
        return without_offsets(rows_of("queries", self.queries, problem.n), int(self.theta_of(problem).argmax()))

    @property
    def is_of_one_figure(self) -> bool:
        """Whether it is the variance of one figure: the criterion "c", or queries of which one is not constant."""
        return self.criterion == "c" or only_varying(self.queries) is not None

    def figure(self, problem: Problem) -> Array:
        """Return the direction of "c", or the query if there is one alone, shape (n,), but for an offset."""
        query = only_varying(self.queries)
        rows = (self._direction(problem) if query is None else query)[None, :]
        return np.asarray(without_offsets(rows, int(self.theta_of(problem).argmax()))[0])

    def _direction(self, problem: Problem) -> Array:
        if self.direction is not None:
            return self.direction
        return np.asarray(problem.required_values[np.asarray(datum_of_input(problem), dtype=np.intp)], dtype=float)

    def __str__(self) -> str:
        return f"{self.name}({self.criterion})"


def is_design(objective: object) -> TypeGuard[InformationDesign]:
    """Return whether the objective is a criterion of the covariance of estimated frequencies."""
    return getattr(objective, "kind", None) == InformationDesign.kind


def is_of_one_figure(objective: object) -> TypeGuard[InformationDesign]:
    """Return whether the objective is the variance of one linear figure."""
    return is_design(objective) and objective.is_of_one_figure
