"""Members of the catalogue, and of one's own, by name: a notion, an objective or a generator from plain data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from mechdesign import notions, objectives
from mechdesign.catalogue.vocabulary import meant
from mechdesign.errors import DomainError, nearest
from mechdesign.notions import Intersection, Notion
from mechdesign.objectives import Generator, Objective
from mechdesign.parameters.base import require_dataclass
from mechdesign.parameters.checks import entries

KINDS = (Notion, Objective, Generator)


class UnknownMemberError(DomainError):
    """A name that is neither in the catalogue nor among the members of one's own."""


def members(kind: type, own: Sequence[type] = ()) -> dict[str, type]:
    """Return the concrete notions, objectives or generators by name: the catalogue's, and the members of `own`.

    Examples
    --------
    >>> {"LDP", "LIP"} <= set(members(Notion))
    True
    """
    return {name: member for name, member in by_any_name(kind, own).items() if member.__name__ == name}


def by_any_name(kind: type, own: Sequence[type] = ()) -> dict[str, type]:
    """Return what `members` does, under every name: a member that the literature calls otherwise is there twice.

    Examples
    --------
    >>> by_any_name(Notion)["PointwiseMaximalLeakage"].__name__
    'MaxLift'
    """
    room = notions if kind is Notion else objectives
    found = {name: getattr(room, name) for name in room.__all__}
    found |= {member.__name__: member for member in own}
    return {name: member for name, member in found.items() if _is_concrete(member, kind)}


def own_members(argument: str, given: Any) -> tuple[type, ...]:
    """Return classes of one's own, each a concrete notion, objective or generator of a name that no other has.

    Raises
    ------
    DomainError
        Something else among them, or a notion or an objective that is no dataclass; two of one name, or one that the
        catalogue has for another class.
    """
    rule = "it has to be a sequence of classes"
    # A class alone is what somebody means by a list of one.
    classes = (given,) if isinstance(given, type) else entries(argument, given, rule, "give a list")
    known: dict[str, type] = {name: member for kind in KINDS for name, member in by_any_name(kind).items()}
    for place, member in enumerate(classes):
        if not _is_concrete(member, KINDS):
            kind = "it has to be a class of a notion or an objective, not abstract"
            raise DomainError(f"{argument}[{place}]", member, kind, "give the class itself, not an instance")
        if issubclass(member, Notion | Objective):
            require_dataclass(f"{argument}[{place}]", member)
        if known.setdefault(member.__name__, member) is not member:
            taken = "a file could not distinguish it from another member of that name"
            raise DomainError(f"{argument}[{place}]", member.__name__, taken, "rename the class")
    return tuple(classes)


def own_of(*parts: Any) -> tuple[type, ...]:
    """Return the classes of notions, objectives and generators in `parts` that the catalogue does not have."""
    found: dict[type, None] = {}
    for part in parts:
        kind = next(kind for kind in KINDS if isinstance(part, kind))
        if members(kind).get(type(part).__name__) is not type(part):
            found[type(part)] = None
        inner: Iterable[Any] = part.notions if isinstance(part, Intersection) else vars(part).values()
        found |= dict.fromkeys(own_of(*(each for each in inner if isinstance(each, KINDS))))
    return tuple(found)


def _is_concrete(member: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(member, type) and issubclass(member, kind) and not getattr(member, "__abstractmethods__", None)


def notion_from_dict(data: Mapping[str, Any], where: str = "notion", own: Sequence[type] = ()) -> Notion:
    """Return the notion that `data` names, with its parameters."""
    made: Notion = _member(Notion, data, where, own)
    return made


def objective_from_dict(data: Mapping[str, Any], where: str = "objective", own: Sequence[type] = ()) -> Objective:
    """Return the objective that `data` names, with its parameters."""
    made: Objective = _member(Objective, data, where, own)
    return made


def _member(kind: type, data: Mapping[str, Any], where: str, own: Sequence[type]) -> Any:
    catalogue = by_any_name(kind, own)
    name = data.get("name")
    if name not in catalogue:
        found = meant(str(name), members(kind, own))
        remedy = f"write {' or '.join(found)}" if found else nearest(str(name), catalogue)
        raise UnknownMemberError(f"{where}.name", str(name), "it has to be a name of the catalogue", remedy)
    member = catalogue[name]
    if member is Intersection:
        return _intersection(data, where, own)
    known = [field.name for field in fields(member)]
    parameters = {key: _infinite(value) for key, value in data.items() if key != "name"}
    for key, value in parameters.items():
        if key not in known:
            remedy = nearest(key, known) if known else "leave it out"
            raise DomainError(f"{where}.{key}", value, f"{name} has no such parameter", remedy)
    if "f" in parameters:
        parameters["f"] = _generator(parameters["f"], own)
    needed = [field.name for field in fields(member) if _is_needed(field) and field.name not in parameters]
    if needed:
        listed = ", ".join(needed)
        raise DomainError(where, str(name), f"it needs {listed}", f"give {listed}")
    return member(**parameters)


def _is_needed(field: Any) -> bool:
    return field.init and field.default is MISSING and field.default_factory is MISSING


def _intersection(data: Mapping[str, Any], where: str, own: Sequence[type]) -> Intersection:
    for key, value in data.items():
        if key not in {"name", "parts"}:
            raise DomainError(f"{where}.{key}", value, "Intersection has parts only", nearest(key, ["parts"]))
    parts = data.get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, Mapping) for part in parts):
        rule = "it has to be a list of notions, each with its name"
        raise DomainError(
            f"{where}.parts", "missing" if parts is None else parts, rule, f"write [[{where}.parts]] each"
        )
    return Intersection([_part(part, f"{where}.parts[{index}]", own) for index, part in enumerate(parts)])


def _part(data: Mapping[str, Any], where: str, own: Sequence[type]) -> Notion:
    try:
        return notion_from_dict(data, where, own)
    except DomainError as error:
        if error.argument.startswith(where):
            raise
        raise DomainError(f"{where}.{error.argument}", error.value, error.rule, error.remedy) from None


def _generator(given: Any, own: Sequence[type]) -> Generator:
    """Return the generator of that name; one with parameters is given as a table of name and parameters."""
    known = members(Generator, own)
    parameters = dict(given) if isinstance(given, Mapping) else {"name": given}
    name = parameters.pop("name", None)
    if name not in known:
        raise UnknownMemberError(
            "objective.f", str(name), "it has to be a generator by name", nearest(str(name), known)
        )
    wanted = [field.name for field in parameters_of(known[name])]
    if sorted(parameters) != sorted(wanted):
        rule = f"its parameters are {', '.join(wanted)}" if wanted else "it has no parameters"
        raise DomainError("objective.f", str(name), rule, f"write it as {{name = '{name}', ...}}")
    made: Generator = known[name](**parameters)
    return made


def parameters_of(generator: Any) -> tuple[Any, ...]:
    """Return the fields of a generator, be it a class or an instance: none where it is no dataclass."""
    return fields(generator) if is_dataclass(generator) else ()


def _infinite(value: Any) -> Any:
    """Return what `in_json` made a text of as a number again."""
    if isinstance(value, list):
        return [_infinite(entry) for entry in value]
    return math.inf if isinstance(value, str) and value == "inf" else value
