"""A question: who reports what, what must stay private, what must stay useful; and its form as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mechdesign import notions, objectives
from mechdesign.errors import DomainError, nearest
from mechdesign.notions import Notion
from mechdesign.objectives import Generator, Objective
from mechdesign.problem import Problem

#: What a saved problem keeps; the rest follows from it.
PROBLEM_FIELDS = (
    "prior",
    "values",
    "labels",
    "n",
    "prior_source",
    "secret_given_data",
    "data_given_secret",
    "secret_prior",
)


@dataclass(frozen=True)
class Question:
    """A problem, a notion and an objective.

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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: numbers, strings, lists and dictionaries."""
        problem = {name: _plain(getattr(self.problem, name)) for name in PROBLEM_FIELDS}
        if self.problem.secret_given_data is not None:
            # The channel and the secret's prior follow from it, and are rounded.
            problem["data_given_secret"] = problem["secret_prior"] = None
        return {
            "problem": {name: value for name, value in problem.items() if value is not None},
            "notion": member_to_dict(self.notion),
            "objective": member_to_dict(self.objective),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Question:
        """Return the question that `to_dict` wrote; unknown names raise DomainError."""
        given = dict(data["problem"])
        hidden = {name: given.pop(name, None) for name in PROBLEM_FIELDS[-3:]}
        problem = Problem(**given)
        if any(value is not None for value in hidden.values()):
            problem = problem.hidden(**hidden)
        return cls(problem, notion_from_dict(data["notion"]), objective_from_dict(data["objective"]))

    def sentences(self) -> tuple[str, ...]:
        """Return the question in words: who reports what, the notion, the objective, whose prior."""
        problem = self.problem
        who = f"Each person holds one of {problem.n} values"
        if problem.labels is not None:
            who += (
                f" ({problem.labels[0]}, ..., {problem.labels[-1]})"
                if problem.n > 2
                else f" ({', '.join(problem.labels)})"
            )
        inputs = self.notion.inputs(problem)
        what = "that value" if not inputs.is_hidden else f"a secret of {inputs.secrets} values correlated with it"
        level = f"{self.notion} {self.notion.level_unit}".rstrip()
        unit = f" [{self.objective.unit}]" if self.objective.unit else ""
        lines = [
            f"{who} and reports a randomised output.",
            f"Private: {what}, under {level}.",
            f"Useful: {self.objective.words or self.objective.name}{unit}, {self.objective.sense}d.",
        ]
        if problem.prior is not None:
            source = problem.prior_source or "not stated (a prior estimated from private data leaks)"
            lines.append(f"Prior: {source}.")
        return tuple(lines)


def members(kind: type) -> dict[str, type]:
    """Return the catalogue's concrete notions or objectives by name.

    Examples
    --------
    >>> sorted(members(Notion))[:2]
    ['LDP', 'LIP']
    """
    room = notions if kind is Notion else objectives
    found = {name: getattr(room, name) for name in room.__all__}
    return {
        name: member
        for name, member in found.items()
        if isinstance(member, type) and issubclass(member, kind) and not getattr(member, "__abstractmethods__", None)
    }


def member_to_dict(member: Notion | Objective) -> dict[str, Any]:
    """Return the name of a notion or an objective with its parameters."""
    parameters = {field.name: _plain(getattr(member, field.name)) for field in fields(member)}  # type: ignore[arg-type]
    return {"name": member.name, **{name: value for name, value in parameters.items() if value is not None}}


def notion_from_dict(data: Mapping[str, Any], where: str = "notion") -> Notion:
    """Return the notion that `data` names, with its parameters."""
    made: Notion = _member(Notion, data, where)
    return made


def objective_from_dict(data: Mapping[str, Any], where: str = "objective") -> Objective:
    """Return the objective that `data` names, with its parameters."""
    made: Objective = _member(Objective, data, where)
    return made


def _member(kind: type, data: Mapping[str, Any], where: str) -> Any:
    catalogue = members(kind)
    name = data.get("name")
    if name not in catalogue:
        remedy = nearest(str(name), catalogue)
        raise DomainError(f"{where}.name", str(name), "it has to be a name of the catalogue", remedy)
    member = catalogue[name]
    known = [field.name for field in fields(member)]
    parameters = {key: value for key, value in data.items() if key != "name"}
    for key, value in parameters.items():
        if key not in known:
            remedy = nearest(key, known) if known else "leave it out"
            raise DomainError(f"{where}.{key}", value, f"{name} has no such parameter", remedy)
    if "f" in parameters:
        parameters["f"] = _generator(parameters["f"])
    try:
        return member(**parameters)
    except TypeError:
        missing = [key for key in known if key not in parameters]
        raise DomainError(
            where, str(name), f"its parameters are {', '.join(known)}", f"give {', '.join(missing)}"
        ) from None


def _generator(name: Any) -> Generator:
    known = members(Generator)
    if name not in known:
        raise DomainError("objective.f", str(name), "it has to be a generator by name", nearest(str(name), known))
    made: Generator = known[name]()
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Generator):
        return type(value).__name__
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value
