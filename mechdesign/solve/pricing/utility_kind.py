"""The kind of a utility, which decides how it is bounded and which routes search for it: asked in one place."""

from __future__ import annotations

from enum import Enum

from mechdesign.objectives import Objective
from mechdesign.objectives.base import gains_of, is_separable
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.exponent import Exponent
from mechdesign.objectives.information_design import is_design, is_of_one_figure
from mechdesign.objectives.information_over_priors import is_least
from mechdesign.problem import Problem


class UtilityKind(Enum):
    """What a utility is as a function of the columns of a mechanism."""

    FIGURE = "the variance of one linear figure, by the Fisher information in one direction"
    MEAN = "the variance of an unbiased estimate of a number, over all inputs"
    DESIGN = "a criterion of the information matrix of all frequencies"
    EXPONENT = "an exponent: at each order a sum over columns"
    DECISIONS = "a sum over columns of the largest of finitely many linear functionals"
    COLUMNS = "a sum over columns of another sublinear function"
    LEAST = "the least over priors of a sum over columns"
    MAXIMUM = "no sum over columns: minus a maximum of linear functions, or another convex function"


def kind_of(objective: Objective, problem: Problem) -> UtilityKind:
    """Return the kind of an objective's utility.

    Examples
    --------
    >>> import mechdesign as md
    >>> coin = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    >>> [kind_of(each, coin).name for each in (md.MMSE(), md.HammingLoss(), md.MaxOffDiagonal())]
    ['COLUMNS', 'DECISIONS', 'MAXIMUM']
    """
    if is_of_one_figure(objective):
        return UtilityKind.FIGURE
    if isinstance(objective, EstimatorVariance):
        return UtilityKind.MEAN
    if is_design(objective):
        return UtilityKind.DESIGN
    if isinstance(objective, Exponent):
        return UtilityKind.EXPONENT
    if is_least(objective):
        return UtilityKind.LEAST
    if not is_separable(objective):
        return UtilityKind.MAXIMUM
    return UtilityKind.COLUMNS if gains_of(objective, problem) is None else UtilityKind.DECISIONS
