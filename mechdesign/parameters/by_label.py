"""Parameters with labels: kept as they were given, and put in the order of a problem before anything is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import wraps
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters.labels import Carried, Labelled, Names, carried, in_order_of, listed

#: The kinds of axes that a problem names; others, such as profiles and actions, are named by the parameters alone.
OF_PROBLEM = ("inputs", "data", "decisions", "secrets")


class Naming(Protocol):
    """What a problem says of its labels."""

    def names_along(self, axis: str) -> Names:
        """Return the names of the problem's inputs, data or secrets; decisions are named by the data."""


def without_labels(parameters: Mapping[str, Any], axes: Mapping[str, tuple[str, ...]]) -> dict[str, Carried]:
    """Return each parameter without its labels, all of one kind of axis in one order.

    Parameters
    ----------
    parameters : mapping
        What was given, by name.
    axes : mapping
        Of which kind each axis of each parameter is.

    Returns
    -------
    dict
        Each parameter that has labels, as plain numbers with the names of its axes.

    Raises
    ------
    DomainError
        Labels on one axis of a kind and none on another, or others.
    """
    found = {name: carried(name, given, len(axes[name])) for name, given in parameters.items() if given is not None}
    if all(each.rows is None and each.columns is None for each in found.values()):
        return {name: each for name, each in found.items() if each.plain is not parameters[name]}
    orders: dict[str, tuple[str, Names | None]] = {}
    for name, each in found.items():
        for kind, names in zip(axes[name], each.axes, strict=False):
            orders.setdefault(kind, (name, names))
            first, order = orders[kind]
            if (names is None) != (order is None):
                bare, other, held = (name, first, order) if names is None else (first, name, names)
                rule = f"{other} has labels of the {kind} ({listed(held or ())})"
                place = f"{bare} (one axis)" if bare == other else bare
                raise DomainError(place, "without labels", rule, "give labels to both, or to neither")
    return {name: _ordered(name, each, axes[name], orders) for name, each in found.items()}


def _ordered(
    argument: str, given: Carried, kinds: tuple[str, ...], orders: Mapping[str, tuple[str, Names | None]]
) -> Carried:
    names = given.axes[: len(kinds)]
    if all(each is None for each in names):
        return given
    numbers = np.asarray(given.plain, dtype=object)
    for axis, (kind, own) in enumerate(zip(kinds, names, strict=True)):
        whose, order = orders[kind]
        if own is not None and order is not None and own != order:
            numbers = np.take(numbers, in_order_of(argument, own, order, whose), axis=axis)
    plain = numbers.tolist()
    return Carried(tuple(plain) if isinstance(given.plain, tuple) else plain, *_of_problem(kinds, orders))


def _of_problem(kinds: tuple[str, ...], orders: Mapping[str, tuple[str, Names | None]]) -> list[Names | None]:
    """Return the names along each axis that a problem names; None for the others, which are in one order now."""
    return [orders[kind][1] if kind in OF_PROBLEM else None for kind in kinds]


def in_order_of_problem(member: Any, problem: Naming, inputs: Naming) -> Any:
    """Return a member whose labelled parameters are arrays in the order of a problem; itself where it has none.

    Parameters
    ----------
    member : Checked
        A notion or an objective; of an intersection each of its parts is put in order.
    problem : Problem
        Names the data and the secrets.
    inputs : Problem
        Names the inputs of the mechanism: mostly the same.
    """
    if not member.has_labels:
        return member
    changed: dict[str, Any] = {}
    for field in fields(member):
        held = getattr(member, field.name)
        if isinstance(held, Labelled):
            orders = [_order(kind, problem, inputs) for kind in member.axes[field.name]]
            changed[field.name] = held.in_order(field.name, orders)
        elif isinstance(held, tuple) and any(getattr(each, "has_labels", False) for each in held):
            changed[field.name] = tuple(in_order_of_problem(each, problem, inputs) for each in held)
    return replace(member, **changed)


def _order(kind: str, problem: Naming, inputs: Naming) -> tuple[Names, str] | None:
    if kind not in OF_PROBLEM:
        return None
    whose = "problem, by which decisions are named," if kind == "decisions" else "problem"
    return (inputs if kind == "inputs" else problem).names_along(kind), whose


def in_order_first(cls: type) -> None:
    """Make each method of a class with a parameter `problem` work on the member in the order of that problem."""
    for name, method in list(vars(cls).items()):
        if isinstance(method, FunctionType):
            taken = method.__code__.co_varnames[: method.__code__.co_argcount]
            if taken[:1] == ("self",) and "problem" in taken:
                setattr(cls, name, _in_order_first(method, taken.index("problem") - 1))


def _in_order_first(method: Callable[..., Any], place: int) -> Callable[..., Any]:
    @wraps(method)
    def called(self: Any, *given: Any, **named: Any) -> Any:
        if not self.has_labels:
            return method(self, *given, **named)
        problem = named["problem"] if "problem" in named else given[place]
        return getattr(in_order_of_problem(self, problem, problem), method.__name__)(*given, **named)

    return called
