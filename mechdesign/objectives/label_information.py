"""Mutual information between a label of the datum and the output."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.digits import LOWERED, ColumnUtility, logarithm
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.objectives.base import Separable, unit
from mechdesign.objectives.decisions import data_count
from mechdesign.objectives.label import Seen, check_labels, exact_joint, seen_by_label
from mechdesign.objectives.mutual_information import MutualInformation
from mechdesign.parameters import ColumnStochastic
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: On the labels themselves.
INFORMATION = MutualInformation()


def _exact_utility(objective: LabelInformation, problem: Problem) -> ColumnUtility | None:
    """Return ``sum_t j_t ln(j_t / (pi_t m))``, lowered by what logarithms miss; None if inputs share a datum."""
    if problem.data_of_input is not None:
        return None
    joint = exact_joint(objective.label_given_data, problem)
    masses = joint.sum(axis=1)

    def utility(column: list[Fraction]) -> Fraction:
        both = joint @ np.array(column, dtype=object)
        mass = sum(both, Fraction(0))
        terms = [j * logarithm(j / (p * mass)) for j, p in zip(both, masses, strict=True) if j]
        return sum(terms, Fraction(0)) - LOWERED * mass

    return utility


def _random(problem: Problem, rng: np.random.Generator, labels: int = 2) -> LabelInformation:
    return LabelInformation(rng.dirichlet(np.ones(labels), size=data_count(problem)).T)


@dataclass(frozen=True)
class LabelInformation(Separable):
    r"""I(T; Y) in nats, of a label T that depends on the datum X; maximised.

    ``Pr(T = t, Y = y) = sum_x Pr(T = t | X = x) P_x Q[x, y]``: the report is about X, and only what it says of T is
    useful. With a bound on the information on X itself (`MutualInformationPrivacy`) the optimum is the information
    bottleneck; with a hidden secret beside the label, privacy of the one is traded for use of the other.

    Parameters
    ----------
    label_given_data : array_like, shape (labels, n)
        ``Pr(T = t | X = x)``; each column sums to one.

    Raises
    ------
    DomainError
        A table whose columns are no distributions, or not one for each datum; a problem without prior.

    Notes
    -----
    A column v is worth ``sum_t pi_t u_t ln(u_t / pi . u)`` with ``u_t = sum_x Pr(x | t) v_x``: mutual information of
    what the labels see, convex and homogeneous in v, so some optimum uses extreme rays alone.

    References
    ----------
    A. Makhdoumi, S. Salamatian, N. Fawaz, M. Medard, "From the Information Bottleneck to the Privacy Funnel", IEEE ITW
    2014.

    Examples
    --------
    Of four answers only whether it is one of the last two matters:

    >>> import mechdesign as md
    >>> about = md.LabelInformation([[1, 1, 0, 0], [0, 0, 1, 1]])
    >>> made = md.design(md.Problem(prior=[0.25] * 4), md.LDP(1.0), about)
    >>> halves = md.design(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.MutualInformation())
    >>> round(made.value, 6) == round(halves.value, 6)
    True
    """

    card = Card(
        "mutual information between a label and the output",
        latex=r"\sum_{t, y} \Pr(t, y) \ln \frac{\Pr(t, y)}{\Pr(t) \Pr(y)} \quad \text{for a label } t \text{ of } x",
        search=("bottleneck", "label privacy", "sufficient statistic"),
        works=("makhdoumi2014",),
        examples=(
            lambda rng: (_random(random_problem(4, rng), rng), random_problem(4, rng, skew=2.0)),
            lambda rng: (LabelInformation([[1, 1, 0], [0, 0, 1]]), random_problem(3, rng)),
            lambda rng: (_random(pair := random_pairs(rng), rng, 3), pair),
        ),
        sized=_random,
        anchor=lambda: Anchor(
            LabelInformation(np.eye(2)), 0.75 * math.log(3) - math.log(2), "(3/4) ln(3/2) + (1/4) ln(1/2) nats"
        ),
        exact_utility=_exact_utility,
    )

    label_given_data: Array
    domains = {"label_given_data": ColumnStochastic()}
    axes = {"label_given_data": ("labels", "data")}

    if TYPE_CHECKING:

        def __init__(self, label_given_data: npt.ArrayLike) -> None: ...

    kind = "sublinear"
    sense = "maximise"
    unit = "nats"
    lowest = 0.0
    needs_prior = True

    @property
    def label_table(self) -> Array:
        """The table."""
        return self.label_given_data

    def check(self, problem: Problem) -> None:
        """Refuse a table that has not one column for each datum."""
        super().check(problem)
        check_labels(self.label_given_data, problem)

    def uninformative(self, problem: Problem) -> float:
        """Return 0."""
        return 0.0

    def no_privacy(self, problem: Problem) -> float:
        """Return the information of the datum on the label."""
        return self.value(np.eye(problem.n), problem)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the mutual information of what the labels see."""
        sees = seen_by_label(self.label_given_data, problem)
        return INFORMATION.value(sees.channel @ np.asarray(matrix, dtype=float), sees.problem)

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the information, convex in `Q`: no convex program maximises it."""
        import cvxpy as cp

        sees = seen_by_label(self.label_given_data, problem)
        joint = sees.problem.required_prior[:, None] * sees.channel
        mass = cp.reshape(joint.sum(axis=0) @ Q, (1, Q.shape[1]), order="C")
        return cp.sum(cp.rel_entr(joint @ Q, joint.sum(axis=1)[:, None] @ mass))

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return the mutual information of what the labels see of each column."""
        sees = seen_by_label(self.label_given_data, problem)
        return INFORMATION.column_utility(sees.channel @ columns, sees.problem)

    def magnitude(self, columns: Array, problem: Problem) -> Array:
        """Return the size of its terms, with what the labels' sums are rounded by."""
        sees = seen_by_label(self.label_given_data, problem)
        return INFORMATION.magnitude(sees.channel @ columns, sees.problem)

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return the supporting functionals of the labels, as the inputs see them."""
        sees = seen_by_label(self.label_given_data, problem)
        return np.asarray(sees.channel.T @ INFORMATION.supporting(sees.channel @ columns, sees.problem))

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return some units in the last place of the terms, and what the labels' sums are rounded by."""
        return rounding_of_seen(seen_by_label(self.label_given_data, problem), matrix)

    def accuracy(self, matrix: Array, value: float, problem: Problem) -> tuple[float, float, float]:
        """Return the rounding, the information itself, and the rounding once more: the value is not found again."""
        rounding = self.rounding(matrix, problem)
        return rounding, self.to_utility(value, problem), rounding

    def improvement(self, matrix: Array, problem: Problem) -> tuple[float, float]:
        """Return the information, and its rounding: a constant mechanism has none."""
        return self.value(matrix, problem), self.rounding(matrix, problem)


def rounding_of_seen(sees: Seen, matrix: Array) -> float:
    """Return some units in the last place of the terms of the information that labels see, and of their sums."""
    seen = sees.channel @ np.asarray(matrix, dtype=float)
    value = INFORMATION.value(seen, sees.problem)
    # A label's sum is rounded in proportion to itself; what that changes is the slope, the logarithm of the lift.
    slopes = float(INFORMATION.magnitude(seen, sees.problem).sum())
    return INFORMATION.rounding(seen, sees.problem) + unit(sees.channel.shape[1]) * (slopes + value)
