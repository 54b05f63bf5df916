"""Mean squared error of the best estimate of a numeric label of the datum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.errors import DomainError
from mechdesign.objectives.base import unit
from mechdesign.objectives.decisions import data_count, datum_of_input, shares
from mechdesign.objectives.label import check_labels
from mechdesign.objectives.magnitudes import check_magnitude
from mechdesign.objectives.mmse import MMSE
from mechdesign.objectives.ratio import Ratio, RatioType
from mechdesign.objectives.shown_decision import ShownDecision
from mechdesign.parameters import ColumnStochastic, Vector
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_VALUE, SMALLEST_VALUE

if TYPE_CHECKING:
    import cvxpy as cp

#: Of the label's mean at each input.
ERROR = MMSE()


def _random(problem: Problem, rng: np.random.Generator, labels: int = 2) -> LabelMMSE:
    return LabelMMSE(rng.dirichlet(np.ones(labels), size=data_count(problem)).T, rng.normal(size=labels))


@dataclass(frozen=True)
class LabelMMSE(RatioType):
    r"""E[(u_T - E[u_T | Y])^2] of a label T that depends on the datum X, in squared units of its values u; minimised.

    The report is about X, and what it says of T is useful. The error is ``E[Var(u_T | X)]``, which no report changes,
    and the squared error of an estimate of ``E[u_T | X]``.

    Parameters
    ----------
    label_given_data : array_like, shape (labels, n)
        ``Pr(T = t | X = x)``; each column sums to one.
    label_values : array_like, shape (labels,)
        The values u, finite.

    Raises
    ------
    DomainError
        A table whose columns are no distributions, or not one for each datum; values that are not one for each label; a
        problem without prior.

    Examples
    --------
    >>> import mechdesign as md
    >>> about = md.LabelMMSE([[0.75, 0.25], [0.25, 0.75]], [0, 1])
    >>> about.value([[1, 0], [0, 1]], md.Problem(prior=[0.5, 0.5]))
    0.1875
    """

    card = Card(
        "mean squared error of the best estimate of a label",
        latex=r"E\left[(u_T - E[u_T \mid Y])^2\right] \quad \text{for the values } u \text{ of a label } T",
        search=("label privacy", "regression", "variance"),
        examples=(
            lambda rng: (_random(random_problem(4, rng), rng), random_problem(4, rng, skew=2.0)),
            lambda rng: (_random(pair := random_pairs(rng), rng, 3), pair),
        ),
        sized=_random,
        anchor=lambda: Anchor(LabelMMSE(np.eye(2), [-1.0, 1.0]), 0.75, "the posterior variance 4 (3/4) (1/4)"),
    )

    label_given_data: Array
    label_values: Array
    domains = {"label_given_data": ColumnStochastic(), "label_values": Vector()}
    axes = {"label_given_data": ("labels", "data"), "label_values": ("labels",)}

    if TYPE_CHECKING:

        def __init__(self, label_given_data: npt.ArrayLike, label_values: npt.ArrayLike) -> None: ...

    unit = "label value squared"
    lowest = 0.0
    needs_prior = True

    def check_together(self) -> None:
        """Refuse values that are not one for each label."""
        if len(self.label_values) != len(self.label_given_data):
            rule = f"it has to have one entry for each of the {len(self.label_given_data)} labels"
            raise DomainError("label_values", f"of length {len(self.label_values)}", rule, "correct it")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield a value too many."""
        yield "a value too many", {"label_values": [*self.label_values, 0.0]}

    def check(self, problem: Problem) -> None:
        """Refuse a table without a column for each datum, and values whose squares overflow or are negligible."""
        super().check(problem)
        check_labels(self.label_given_data, problem)
        check_magnitude("label_values", self.label_values, SMALLEST_VALUE, LARGEST_VALUE)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the error of the estimate of the label's mean, and the label's variance given the datum."""
        over, within = self._means(problem)
        return ERROR.value(matrix, over) + within

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the error, concave in `Q`."""
        over, within = self._means(problem)
        return ERROR.expression(Q, over) + within

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the estimate of the label that each output stands for."""
        return ERROR.output_names(matrix, self._means(problem)[0])

    def offset(self, problem: Problem) -> float:
        """Return the label's variance."""
        over, within = self._means(problem)
        return ERROR.offset(over) + within

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return the rounding of both parts."""
        over, within = self._means(problem)
        spread = float(np.abs(self.label_values).max()) ** 2
        return ERROR.rounding(matrix, over) + unit(problem.n) * (within + unit(problem.n) * spread)

    def ratio(self, problem: Problem) -> Ratio:
        """Return ``a = P * means``, ``b = P``, ``f = t^2`` with the label's mean at each input, centred."""
        return ERROR.ratio(self._means(problem)[0])

    def shown(self, problem: Problem) -> ShownDecision:
        """Return that decisions are estimates of the label's value; the utility is of centred ones."""
        return replace(ERROR.shown(self._means(problem)[0]), unit="label value")

    def _means(self, problem: Problem) -> tuple[Problem, float]:
        """Return the problem whose values are the label's means, and the mean of its variance at an input."""
        return _means(tuple(map(tuple, self.label_given_data.tolist())), tuple(self.label_values.tolist()), problem)


@lru_cache(maxsize=32)
def _means(rows: tuple[tuple[float, ...], ...], values: tuple[float, ...], problem: Problem) -> tuple[Problem, float]:
    given, u = np.array(rows)[:, datum_of_input(problem)], np.array(values)
    given = given / given.sum(axis=0)
    # Constant columns leave no variance: of what is apart from the middle of the values.
    middle = 0.5 * (float(u.min()) + float(u.max()))
    means = (u - middle) @ given
    within = ((u[:, None] - middle - means) ** 2 * given).sum(axis=0)
    return replace(problem, values=means + middle), float(shares(problem) @ within)
