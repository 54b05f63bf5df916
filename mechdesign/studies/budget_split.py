"""Several questions of one person: a budget of LDP split between them so that the summed error is least, certified."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from mechdesign.designing.result import Design
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.numbers import digits, outward, rounded_up
from mechdesign.errors import DomainError
from mechdesign.estimation import Estimate, GroupedEstimate
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.together import together
from mechdesign.parameters.checks import Array, entries, names
from mechdesign.parameters.columns import has_counted_heads, has_labels, is_table, require_one_order
from mechdesign.parameters.labels import Names, in_order_of, listed
from mechdesign.problem import Problem
from mechdesign.studies.joint_estimate import JointEstimate

#: Answers that a table lists.
FEW_ANSWERS = 3
#: Of more outputs of a question it is said how fewer are asked for.
MANY_OUTPUTS = 200


@dataclass(frozen=True)
class BudgetSplit(Displayed):
    """Designs of several questions of one person, whose levels of LDP add up to a common budget.

    Attributes
    ----------
    designs : tuple of Design
        One for each question; each draws its own report, independently.
    weights : tuple of float
        Of the questions' values in the sum.
    budget : float
        The level of LDP that all reports of one person have together, in nats.
    value : float
        ``sum_k weights_k value_k`` of the designs.
    bound : float
        No split of the budget does better, with whatever mechanisms that draw independently.
    gap : float
        ``|value - bound| / max(|value|, |bound|)``, rounded up.
    equal : float
        The sum that an equal split reaches.
    complete : bool
        Whether the search came to its own end: neither the time limit nor the number of designs ended it.
    names : tuple of str, optional
        The names of the questions, where `split_budget` was given a mapping.
    """

    designs: tuple[Design, ...]
    weights: tuple[float, ...]
    budget: float
    value: float
    bound: float
    gap: float
    equal: float
    complete: bool = True
    names: Names | None = None

    @property
    def levels(self) -> Array:
        """The level of each question, shape (k,), in nats; their sum is at most the budget."""
        return np.array([made.mechanism.asked.notion.parameter for made in self.designs])

    @cached_property
    def mechanism(self) -> Mechanism:
        """All reports of one person as one mechanism, over the tuples of answers, the last question changing first."""
        problems = [made.mechanism.inputs for made in self.designs]
        return together([made.mechanism for made in self.designs], _product(problems), of="attributes")

    def sample(self, answers: Any) -> npt.NDArray[np.int64]:
        """Return a report of each person to each question, shape (people, questions), drawn to the last bit.

        Parameters
        ----------
        answers : sequence, mapping or DataFrame
            The answers to each question in turn, as `Mechanism.sample` takes them; all of the same people. Columns with
            names are matched by the names of the questions.

        Raises
        ------
        DomainError
            Another number of questions, or of people between them; answers that a question does not have.
        """
        rule = "it has to be a sequence of columns, one for each question"
        given = entries(
            "answers", in_order_of_questions("answers", answers, self.names), rule, "give a list of columns"
        )
        if len(given) != len(self.designs):
            raise DomainError("answers", f"{len(given)} columns", f"there are {len(self.designs)} questions", rule)
        drawn = [made.mechanism.sample(column) for made, column in zip(self.designs, given, strict=True)]
        sizes = [np.size(column) for column in drawn]
        if len(set(sizes)) > 1:
            rule, remedy = "every question has the answers of the same people", "leave out who did not answer them all"
            raise DomainError("answers", f"columns of {', '.join(map(str, sizes))}", rule, remedy)
        return np.stack([np.reshape(column, -1) for column in drawn], axis=1)

    def estimate(self, reports: npt.ArrayLike, **survey: Any) -> tuple[Any, ...]:
        """Return the estimate of each question by itself, from what `sample` returned.

        Parameters
        ----------
        reports : array_like or DataFrame of int, shape (people, questions), or mapping
            The numbers of outputs; columns with names are matched by the names of the questions.
        **survey
            ``weights``, ``strata``, ``clusters``, ``population``, ``replicate_weights``, ``replicates`` and ``groups``
            of the people, as `Mechanism.estimate` takes them.

        Returns
        -------
        tuple of Estimate, or of GroupedEstimate
            One for each question.

        Raises
        ------
        DomainError
            Another shape; numbers that no output has; what `Mechanism.estimate` refuses of a survey.
        """
        # Each question reads them anew.
        survey = {name: list(each) if isinstance(each, Iterator) else each for name, each in survey.items()}
        table = self._table(reports, survey)
        return tuple(made.mechanism.estimate(table[:, k], **survey) for k, made in enumerate(self.designs))

    @overload
    def estimate_jointly(self, reports: npt.ArrayLike, *, groups: None = None, **survey: Any) -> JointEstimate: ...

    @overload
    def estimate_jointly(self, reports: npt.ArrayLike, *, groups: Any, **survey: Any) -> GroupedEstimate: ...

    def estimate_jointly(
        self, reports: npt.ArrayLike, *, groups: Any = None, **survey: Any
    ) -> JointEstimate | GroupedEstimate:
        """Return the estimate of the joint table of all answers, from what `sample` returned.

        Its inputs are the tuples of answers, the last question changing first; ``crosstab`` has tables of two
        questions.

        Parameters
        ----------
        reports : array_like or DataFrame of int, shape (people, questions), or mapping
            The numbers of outputs; columns with names are matched by the names of the questions.
        groups : sequence of labels, optional
            The group of each person: an estimate for each.
        **survey
            ``weights``, ``strata``, ``clusters``, ``population``, ``replicate_weights`` and ``replicates`` of the
            people, as `Mechanism.estimate` takes them.

        Raises
        ------
        DomainError
            Another shape; numbers that no output has; a table that takes too much memory; what `Mechanism.estimate`
            refuses of a survey.
        """
        table = self._table(reports, {"groups": groups, **survey})
        outputs = tuple(made.matrix.shape[1] for made in self.designs)
        for k, size in enumerate(outputs):
            if table.size and not (table[:, k].min() >= 0 and table[:, k].max() < size):
                rule = f"outputs of question {k} are numbered from 0 to {size - 1}"
                raise DomainError("reports", "of other numbers", rule, "give what sample returned")
        found = self.mechanism.estimate(np.ravel_multi_index(tuple(table.T), outputs), groups=groups, **survey)
        questions = tuple(made.mechanism.inputs for made in self.designs)
        if isinstance(found, Estimate):
            return JointEstimate.of(found, questions, self.names)
        return GroupedEstimate({name: JointEstimate.of(each, questions, self.names) for name, each in found.items()})

    def _table(self, reports: Any, columns: Mapping[str, Any]) -> npt.NDArray[np.int64]:
        for name, column in columns.items():
            require_one_order(name, reports, column)
        given = np.asarray(self._columns_in_order(reports))
        if given.ndim != 2 or given.shape[1] != len(self.designs) or not np.issubdtype(given.dtype, np.integer):
            rule = f"it has to be of integers, of shape (people, {len(self.designs)})"
            raise DomainError("reports", f"of shape {given.shape}", rule, "give what sample returned")
        return given.astype(np.int64)

    def _columns_in_order(self, reports: Any) -> Any:
        """Return reports with a column for each question, in their order, by the names of columns where both have some.

        Columns of a table that are only counted are read by position, as an array's are.
        """
        table = is_table(reports)
        if not table and not isinstance(reports, Mapping):
            return reports
        if table and (self.names is None or has_counted_heads(reports)):
            return reports
        ordered = in_order_of_questions("reports", reports, self.names)
        return np.stack([np.asarray(column) for column in ordered], axis=1)

    def __str__(self) -> str:
        return self._printed()

    def __repr__(self) -> str:
        levels = ", ".join(f"{level:.6g}" for level in self.levels)
        return f"BudgetSplit(levels=[{levels}], value={self.value:.9g}, bound={self.bound:.9g}, gap={self.gap:.1e})"

    def display(self) -> tuple[Block, ...]:
        """Return the sum with its bound, and what each question gets of the budget."""
        objective = self.designs[0].mechanism.asked.objective
        value, bound = outward(self.value, self.bound, objective.sense, 6)
        gained = abs(self.equal - self.value) / abs(self.equal) if math.isfinite(self.equal) and self.equal else 0.0
        lines: tuple[str, ...] = (
            f"{len(self.designs)} questions of one person, under LDP(epsilon={self.budget:g}) nats together.",
            f"sum   {value} ({objective.in_words}, {objective.sense}d)",
            f"bound {bound}: no split does better (gap {rounded_up(self.gap, 2)})",
            f"An equal split reaches {digits(self.equal, 6)}: this one is {100 * gained:.1f} % better.",
        )
        many = max(made.matrix.shape[1] for made in self.designs)
        if many > MANY_OUTPUTS:
            lines += (f"A question has {many} outputs; within=0.02 asks for fewer.",)
        rows = tuple(
            (
                str(k) if self.names is None else self.names[k],
                _answers(made.mechanism.inputs),
                f"{level:.6g}",
                f"{weight:g}",
                digits(made.value, 6),
            )
            for k, (made, level, weight) in enumerate(zip(self.designs, self.levels, self.weights, strict=True))
        )
        heads = ("question", "answers", "level", "weight", "value")
        return (Lines("Budget", lines), Table("What each question gets", heads, rows, ("question", "answers")))


def questions(problems: Any) -> tuple[Names | None, tuple[Any, ...]]:
    """Return the names of the questions, where a mapping has them, and their problems."""
    if isinstance(problems, Mapping):
        return names("problems (labels)", list(problems)), tuple(problems.values())
    return None, entries("problems", problems, "it has to be a sequence of problems", "give a list")


def in_order_of_questions(argument: str, given: Any, questions: Names | None) -> Any:
    """Return what a mapping, a column or a table of columns has for each question, in their order; the rest as it is.

    Raises
    ------
    DomainError
        Names that the questions do not have.
    """
    if is_table(given):
        held = {name: given[name] for name in given.columns}
    elif has_labels(given):
        held = dict(given.items())
    else:
        return given
    if questions is None:
        rule, remedy = "the questions have no names", "give split_budget a mapping of names to problems, or give a list"
        raise DomainError(argument, f"labelled {listed(tuple(map(str, held)))}", rule, remedy)
    columns = list(held.values())
    return [columns[place] for place in in_order_of(argument, names(argument, list(held)), questions, "split")]


def _answers(problem: Problem) -> str:
    """Return the answers to a question, of many the first and the last."""
    names = range(problem.n) if problem.n <= FEW_ANSWERS else (0, problem.n - 1)
    return (", " if problem.n <= FEW_ANSWERS else ", ..., ").join(map(problem.named, names))


def _product(problems: Sequence[Problem]) -> Problem:
    """Return the problem over the tuples of answers, labelled by the questions' labels."""
    size = math.prod(problem.n for problem in problems)
    names = [""]
    for problem in problems:
        own = [problem.named(x) for x in range(problem.n)]
        names = [f"{before}, {name}" if before else name for before in names for name in own]
    # Labels with a comma in them need not be distinct when they are joined.
    return Problem(n=size, labels=names) if len(set(names)) == size else Problem(n=size)
