"""Means of several numbers of one person: all reported under a split budget, or one of them, drawn at random."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mechdesign.designing.answer import answered
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.numbers import digits
from mechdesign.errors import DomainError
from mechdesign.estimation.functional import Figure
from mechdesign.notions import Notion
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.parameters.checks import Array, entries
from mechdesign.parameters.labels import Names
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.deadline import now, until
from mechdesign.studies.budget_split import BudgetSplit, in_order_of_questions, questions
from mechdesign.studies.splitting import GAP, split_budget

#: What a person reports: one of the numbers, drawn at random, or all of them.
How = Literal["one", "all"]


@dataclass(frozen=True)
class SeveralMeans(Displayed):
    """Mechanisms for the means of several numbers of one person, at one level of LDP of all reports together.

    Attributes
    ----------
    how : {"one", "all"}
        Whether each person reports one of the numbers, drawn at random, at the whole level; or all of them, at levels
        that add up to it: the way of the smaller sum of largest variances.
    one : tuple of Design
        The designs at the whole level.
    every : BudgetSplit
        The designs at levels that add up to it.
    variances : Mapping
        By way, the sum over the numbers of the largest variance of an unbiased estimate, times the number of people.
    names : tuple of str, optional
        The names of the numbers.
    """

    how: How
    one: tuple[Design, ...]
    every: BudgetSplit
    variances: Mapping[str, float]
    names: Names | None = None

    @property
    def designs(self) -> tuple[Design, ...]:
        """The design of each number, in the way that is taken."""
        return self.one if self.how == "one" else self.every.designs

    def sample(self, answers: Any) -> npt.NDArray[np.int64]:
        """Return the reports of each person, from the operating system's randomness.

        Parameters
        ----------
        answers : sequence, mapping or DataFrame
            A column of numbers for each question, all of the same people, as `BudgetSplit.sample` takes them.

        Returns
        -------
        ndarray, shape (people, 2) or (people, numbers)
            If one number is reported, which one and the number of an output; else an output for each number.
        """
        if self.how == "all":
            return self.every.sample(answers)
        rule = "it has to be a sequence of columns, one for each number"
        given = entries(
            "answers", in_order_of_questions("answers", answers, self.names), rule, "give a list of columns"
        )
        columns = [np.asarray(column, dtype=float).reshape(-1) for column in given]
        sizes = {len(column) for column in columns}
        if len(columns) != len(self.one) or len(sizes) > 1:
            found = f"{len(columns)} columns of {', '.join(str(len(column)) for column in columns)}"
            raise DomainError("answers", found, f"there are {len(self.one)} numbers of the same people", rule)
        (people,) = sizes
        which = np.array([secrets.randbelow(len(columns)) for _ in range(people)], dtype=np.int64)
        reports = np.empty((people, 2), dtype=np.int64)
        for at, (design, column) in enumerate(zip(self.one, columns, strict=True)):
            own = which == at
            reports[own, 0] = at
            reports[own, 1] = design.mechanism.sample(column[own]) if own.any() else 0
        return reports

    def estimate(self, reports: npt.ArrayLike) -> tuple[Figure, ...]:
        """Return an unbiased estimate of the mean of each number, with its standard error.

        Parameters
        ----------
        reports : array_like
            What `sample` returned.

        Raises
        ------
        DomainError
            Reports of another shape, or with numbers that no output has; fewer than two people.
        """
        given = np.asarray(reports)
        width = 2 if self.how == "one" else len(self.designs)
        if given.ndim != 2 or given.shape[1] != width or len(given) < 2 or given.dtype.kind not in "iu":
            rule = f"it has to be integers of the shape (people, {width}), of two people or more"
            raise DomainError("reports", f"of the shape {given.shape}", rule, "give what sample() returned")
        return tuple(self._mean(at, given) for at in range(len(self.designs)))

    def _mean(self, at: int, reports: npt.NDArray[np.int64]) -> Figure:
        mechanism = self.designs[at].mechanism
        scores = _estimates(self.designs[at])
        drawn = reports[:, 1] if self.how == "one" else reports[:, at]
        asked = reports[:, 0] == at if self.how == "one" else np.ones(len(reports), dtype=bool)
        if not ((drawn[asked] >= 0) & (drawn[asked] < len(scores))).all():
            rule = f"the mechanism of number {at} has the outputs 0 to {len(scores) - 1}"
            raise DomainError("reports", "a number beyond", rule, "give what sample() returned")
        # A number that is not asked counts as the middle of its range, on which its report is centred.
        middle, times = _middle(mechanism.inputs), len(self.designs) if self.how == "one" else 1
        single = np.where(asked, times * (scores[np.where(asked, drawn, 0)] - middle), 0.0)
        return Figure(middle + float(single.mean()), float(single.std(ddof=1)) / math.sqrt(len(single)))

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the way that is taken, beside the other one, and the design of each number."""
        ways = {
            "one": "each person reports one number, drawn at random, at the whole level",
            "all": "each person reports every number, at levels that add up",
        }
        taken = {way: "taken" if way == self.how else "" for way in ways}
        rows = tuple((ways[way], digits(value, 6), taken[way]) for way, value in self.variances.items())
        names = self.names or tuple(f"number {at}" for at in range(len(self.designs)))
        designs = tuple(
            (name, str(made.mechanism.asked.notion), digits(made.value, 6), digits(made.bound, 6))
            for name, made in zip(names, self.designs, strict=True)
        )
        said = "Sums over all numbers of the largest variance of an unbiased estimate, times the number of people:"
        return (
            Lines("Means of several numbers", (said,)),
            Table("", ("way", "sum of largest variances", ""), rows, ("way",)),
            Table("Design of each number", ("number", "notion", "value", "bound"), designs, ("number",)),
        )


def several_means(
    problems: Sequence[Problem] | Mapping[str, Problem],
    notion: Notion,
    objective: EstimatorVariance,
    *,
    gap: float = GAP,
    time_limit: float | None = None,
) -> SeveralMeans:
    r"""Return mechanisms for the means of several numbers of one person, at one level of LDP.

    Either every number is reported, at levels that `split_budget` chooses, or each person reports one of the d numbers,
    drawn at random, at the whole level, and its centred estimate t counts d times: its largest variance is
    :math:`\max_x d \sum_y Q_{xy} t_y^2 - x^2`. The way with the smaller sum of largest variances is taken.

    Parameters
    ----------
    problems : sequence of Problem, or mapping
        Numbers, as `Problem.from_interval` has them, 2 to 6; a mapping names them.
    notion : LDP
        What all reports of a person satisfy together.
    objective : UnbiasedMean
        With the largest variance.
    gap : float
        The relative gap that is asked for, in (0, 1].
    time_limit : float, optional
        Seconds.

    Returns
    -------
    SeveralMeans
        With `sample` and `estimate`.

    Raises
    ------
    DomainError
        What `split_budget` refuses; an objective of other than the largest variance.

    References
    ----------
    J. Duchi, M. Jordan, M. Wainwright, "Minimax Optimal Procedures for Locally Private Estimation", Journal of the
    American Statistical Association 113 (2018).

    Examples
    --------
    >>> import mechdesign as md
    >>> share = md.Problem.from_interval(0, 1, points=5)
    >>> both = md.several_means({"screen": share, "sleep": share}, md.LDP(1.0), md.UnbiasedMean(), gap=0.2)
    >>> both.how, both.variances["one"] < both.variances["all"]
    ('one', True)
    """
    if not isinstance(objective, EstimatorVariance) or objective.needs_prior:
        rule = "it has to be the largest variance of an unbiased estimate"
        raise DomainError("objective", objective, rule, "give md.UnbiasedMean()")
    names, given = questions(problems)
    for at, problem in enumerate(given):
        required(f"problems[{at}]", problem, Problem)
    ends = None if time_limit is None else now() + time_limit
    with until(ends):
        # It refuses other notions than LDP.
        asked: Any = notion
        every = split_budget(given, asked, objective, gap=gap, time_limit=time_limit)
        settings = Settings(gap=0.5 * gap)
        one = tuple(answered(problem, notion, objective, settings) for problem in given)
    found = {"one": sum(_of_one(made, len(given)) for made in one), "all": every.value}
    how: How = "one" if found["one"] <= found["all"] else "all"
    return SeveralMeans(how, one, every, found, names)


def _estimates(made: Design) -> Array:
    objective: Any = made.mechanism.asked.objective
    return np.asarray(objective.estimates(made.matrix, made.mechanism.inputs), dtype=float)


def _middle(inputs: Problem) -> float:
    values = inputs.required_values
    return 0.5 * (float(values.min()) + float(values.max()))


def _of_one(made: Design, count: int) -> float:
    """Return the largest variance of a centred estimate asked of one in `count` people, which counts `count` times.

    Between two points of an interval the second moment is linear and the square of the number is not.
    """
    inputs = made.mechanism.inputs
    middle, values = _middle(inputs), inputs.required_values
    moments = count * (made.matrix @ (_estimates(made) - middle) ** 2)
    numbers = values - middle
    worst = float((moments - numbers**2).max())
    if inputs.interval is None:
        return worst
    for low, high, start, end in zip(numbers, numbers[1:], moments, moments[1:], strict=False):
        slope = (end - start) / (high - low)
        at = min(max(0.5 * slope, low), high)
        worst = max(worst, float(start + slope * (at - low) - at**2))
    return worst
