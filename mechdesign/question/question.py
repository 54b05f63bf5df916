"""A question: who reports what, what must stay private, what must stay useful; and its form as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from mechdesign.displays import Displayed, Lines
from mechdesign.errors import MechdesignError, UnsupportedError
from mechdesign.notions import Intersection, Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.by_label import in_order_of_problem
from mechdesign.parameters.calls import NamedArguments
from mechdesign.parameters.checks import whole
from mechdesign.problem import Problem
from mechdesign.question.members_by_name import (
    notion_from_dict,
    objective_from_dict,
    own_members,
    own_of,
)
from mechdesign.question.plain_values import in_json, plain_value
from mechdesign.question.saved_problem import problem_from_dict, problem_to_dict


@dataclass(frozen=True)
class Question(Displayed, metaclass=NamedArguments):
    """A problem, a notion and an objective, and perhaps a bound on the number of outputs.

    Attributes
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion
        What has to stay private.
    objective : Objective
        What has to stay useful.
    outputs : int, optional
        At most how many outputs a mechanism may use; None where any number will do.

    Examples
    --------
    >>> import mechdesign as md
    >>> question = Question(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LIP(1.0), md.MMSE())
    >>> Question.from_dict(question.to_dict()) == question
    True
    """

    problem: Problem
    notion: Notion
    objective: Objective
    outputs: int | None = None

    def __post_init__(self) -> None:
        # The notion makes them again: a question is the same whether its problem had the notion's inputs already.
        object.__setattr__(self, "problem", self.problem.with_exact_parts(None))
        notion = in_order_of_problem(self.notion, self.problem, self.problem)
        object.__setattr__(self, "notion", notion)
        if self.objective.has_labels:
            objective = in_order_of_problem(self.objective, self.problem, notion.inputs(self.problem))
            object.__setattr__(self, "objective", objective)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Lines]:
        """Return the question in words."""
        try:
            return (Lines("Question", self.sentences()),)
        except MechdesignError as error:
            # A question that cannot be answered is shown all the same.
            return (Lines("Question", (f"{self.notion}, {self.objective}: {error}",)),)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: numbers, strings, lists and dictionaries."""
        return {
            "problem": problem_to_dict(self.problem),
            "notion": member_to_dict(self.notion),
            "objective": member_to_dict(self.objective),
            **({} if self.outputs is None else {"outputs": self.outputs}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], own: Sequence[type] = ()) -> Question:
        """Return the question that `to_dict` wrote; names of neither the catalogue nor `own` raise DomainError."""
        notion = notion_from_dict(data["notion"], own=own)
        problem = problem_from_dict(data["problem"], notion)
        outputs = data.get("outputs")
        bound = None if outputs is None else whole("outputs", outputs, 1)
        objective = objective_from_dict(data["objective"], own=own)
        return cls(problem, notion, objective, bound)

    def require_readable(self) -> None:
        """Raise unless `from_dict` returns this question from what `to_dict` wrote, given its members of one's own.

        Raises
        ------
        UnsupportedError
            A member of one's own has parameters that are no plain data, or a name of the catalogue.
        """
        _require_readable(own_of(self.notion, self.objective), self.to_dict, _question_again)

    def sentences(self) -> tuple[str, ...]:
        """Return the question in words: who reports what, the notion, the objective, whose prior."""
        problem = self.problem
        who = f"Each person holds one of {problem.n} values{_listed(problem.labels)}"
        if problem.interval is not None:
            who = f"Each person holds a number from {problem.named(0)} to {problem.named(problem.n - 1)}"
        inputs = self.notion.inputs(problem)
        what = "that value"
        if inputs.is_hidden:
            what = f"a secret of {inputs.secrets} values{_listed(inputs.secret_labels)} correlated with it"
        level = f"{self.notion} {self.notion.level_unit}".rstrip()
        unit = f" [{self.objective.unit}]" if self.objective.unit else ""
        lines = [
            f"{who} and reports a randomised output.",
            f"Private: {what}, under {level}.",
            f"Useful: {self.objective.in_words}{unit}, {self.objective.sense}d.",
        ]
        if self.outputs is not None:
            lines.append(f"At most {self.outputs} outputs." if self.outputs > 1 else "One output.")
        if problem.prior is not None:
            source = problem.prior_source or "its source is not stated (a prior estimated from private data leaks)"
            lines.append(f"Prior: {source}.")
        return (*lines, *filter(None, [self.objective.assumption(inputs)]))


def require_readable_notion(notion: Notion) -> None:
    """Raise unless the notion can be restored from its plain data in files; see `Question.require_readable`."""
    _require_readable(own_of(notion), lambda: member_to_dict(notion), _notion_again)


def _require_readable(
    own: Sequence[type], written: Callable[[], Any], again: Callable[[Any, Sequence[type]], Any]
) -> None:
    """Raise unless `again` makes of what was written the same once more; members of the catalogue always do."""
    if not own:
        return
    try:
        text = json.dumps(in_json(written()), allow_nan=False)
        differs = json.dumps(in_json(again(json.loads(text), own_members("members", own)))) != text
    except (MechdesignError, TypeError, ValueError, ArithmeticError, KeyError, AttributeError) as error:
        raise _unreadable(own, str(error)) from None
    if differs:
        raise _unreadable(own, "it would come back with other parameters")


def _question_again(data: Any, own: Sequence[type]) -> Any:
    return Question.from_dict(data, own).to_dict()


def _notion_again(data: Any, own: Sequence[type]) -> Any:
    return member_to_dict(notion_from_dict(data, own=own))


def _listed(labels: tuple[str, ...] | None) -> str:
    """Return names in brackets, of many the first and the last; nothing where there are none."""
    if labels is None:
        return ""
    return f" ({', '.join(labels if len(labels) <= 4 else (labels[0], '...', labels[-1]))})"


def _unreadable(own: Sequence[type], why: str) -> UnsupportedError:
    """Return the error of a question whose file could not be read back."""
    names = ", ".join(member.__name__ for member in own)
    return UnsupportedError(
        f"A file of {names} could not be read back ({why.rstrip('.')}); make it a frozen dataclass whose parameters "
        "are numbers, texts or arrays, under a name that the catalogue does not have."
    )


def member_to_dict(member: Notion | Objective) -> dict[str, Any]:
    """Return the name of a notion or an objective with its parameters; of an intersection, with its parts."""
    if isinstance(member, Intersection):
        return {"name": member.name, "parts": [member_to_dict(notion) for notion in member.notions]}
    parameters = {field.name: plain_value(getattr(member, field.name)) for field in fields(member)}  # type: ignore[arg-type] # members are dataclasses
    return {"name": member.name, **{name: value for name, value in parameters.items() if value is not None}}
