"""A question: who reports what, what must stay private, what must stay useful; and its form as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from mechdesign import notions, objectives
from mechdesign.domains import whole
from mechdesign.errors import DomainError, nearest
from mechdesign.notions import Intersection, Notion
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
    """A problem, a notion and an objective, and perhaps a bound on the number of outputs.

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
    #: At most how many outputs a mechanism may use; None where any number will do.
    outputs: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: numbers, strings, lists and dictionaries."""
        return {
            "problem": problem_to_dict(self.problem),
            "notion": member_to_dict(self.notion),
            "objective": member_to_dict(self.objective),
            **({} if self.outputs is None else {"outputs": self.outputs}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Question:
        """Return the question that `to_dict` wrote; unknown names raise DomainError."""
        given = dict(data["problem"])
        for key, value in given.items():
            if key not in PROBLEM_FIELDS:
                raise DomainError(f"problem.{key}", value, "a saved problem has no such part", "leave it out")
        hidden = {name: given.pop(name, None) for name in PROBLEM_FIELDS[-3:]}
        problem = Problem(**given)
        if any(value is not None for value in hidden.values()):
            problem = problem.hidden(**hidden)
        outputs = data.get("outputs")
        bound = None if outputs is None else whole("outputs", outputs, 1)
        return cls(problem, notion_from_dict(data["notion"]), objective_from_dict(data["objective"]), bound)

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
        if self.outputs is not None:
            lines.append(f"At most {self.outputs} outputs." if self.outputs > 1 else "One output.")
        if problem.prior is not None:
            source = problem.prior_source or "not stated (a prior estimated from private data leaks)"
            lines.append(f"Prior: {source}.")
        return tuple(lines)


def members(kind: type) -> dict[str, type]:
    """Return the catalogue's concrete notions or objectives by name.

    Examples
    --------
    >>> {"LDP", "LIP"} <= set(members(Notion))
    True
    """
    room = notions if kind is Notion else objectives
    found = {name: getattr(room, name) for name in room.__all__}
    return {
        name: member
        for name, member in found.items()
        if isinstance(member, type) and issubclass(member, kind) and not getattr(member, "__abstractmethods__", None)
    }


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Return what a saved problem keeps of it."""
    kept = {name: _plain(getattr(problem, name)) for name in PROBLEM_FIELDS}
    if problem.secret_given_data is not None:
        # The channel and the secret's prior follow from it, and are rounded.
        kept["data_given_secret"] = kept["secret_prior"] = None
    return {name: value for name, value in kept.items() if value is not None}


def member_to_dict(member: Notion | Objective) -> dict[str, Any]:
    """Return the name of a notion or an objective with its parameters; of an intersection, with its parts."""
    if isinstance(member, Intersection):
        return {"name": member.name, "parts": [member_to_dict(notion) for notion in member.notions]}
    parameters = {field.name: _plain(getattr(member, field.name)) for field in fields(member)}  # type: ignore[arg-type] # members are dataclasses
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
    if member is Intersection:
        return _intersection(data, where)
    known = [field.name for field in fields(member)]
    parameters = {key: _infinite(value) for key, value in data.items() if key != "name"}
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


def _intersection(data: Mapping[str, Any], where: str) -> Intersection:
    for key, value in data.items():
        if key not in {"name", "parts"}:
            raise DomainError(f"{where}.{key}", value, "Intersection has parts only", nearest(key, ["parts"]))
    parts = data.get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        rule = "it has to be a list of notions, each with its name"
        raise DomainError(
            f"{where}.parts", "missing" if parts is None else parts, rule, f"write [[{where}.parts]] each"
        )
    return Intersection([_part(part, f"{where}.parts[{index}]") for index, part in enumerate(parts)])


def _part(data: Mapping[str, Any], where: str) -> Notion:
    try:
        return notion_from_dict(data, where)
    except DomainError as error:
        if error.argument.startswith(where):
            raise
        raise DomainError(f"{where}.{error.argument}", error.value, error.rule, error.remedy) from None


def _generator(given: Any) -> Generator:
    """Return the generator of that name; one with parameters is given as a table of name and parameters."""
    known = members(Generator)
    parameters = dict(given) if isinstance(given, Mapping) else {"name": given}
    name = parameters.pop("name", None)
    if name not in known:
        raise DomainError("objective.f", str(name), "it has to be a generator by name", nearest(str(name), known))
    wanted = [field.name for field in _fields(known[name])]
    if sorted(parameters) != sorted(wanted):
        rule = f"its parameters are {', '.join(wanted)}" if wanted else "it has no parameters"
        raise DomainError("objective.f", str(name), rule, f"write it as {{name = '{name}', ...}}")
    made: Generator = known[name](**parameters)
    return made


def _fields(generator: Any) -> tuple[Any, ...]:
    return fields(generator) if is_dataclass(generator) else ()


def in_json(value: Any, *, missing: bool = False) -> Any:
    """Return plain data without infinite numbers, for which JSON has no word: each becomes the text that floats read.

    With `missing`, what is not a number becomes null.

    Examples
    --------
    >>> in_json({"lower": 0.5, "upper": float("inf")})
    {'lower': 0.5, 'upper': 'inf'}
    >>> in_json({"value": float("nan")}, missing=True)
    {'value': None}
    """
    if isinstance(value, dict):
        return {key: in_json(entry, missing=missing) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [in_json(entry, missing=missing) for entry in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    if math.isnan(value):
        return None if missing else value
    return str(value)


def _infinite(value: Any) -> Any:
    """Return what `in_json` made a text of as a number again."""
    if isinstance(value, list):
        return [_infinite(entry) for entry in value]
    return math.inf if isinstance(value, str) and value == "inf" else value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return in_json(value.tolist())
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return in_json(value)
    if isinstance(value, Generator):
        name, parameters = type(value).__name__, {field.name: getattr(value, field.name) for field in _fields(value)}
        return {"name": name, **parameters} if parameters else name
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value
