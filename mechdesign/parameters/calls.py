"""Calls whose arguments do not fit a class: one sentence that names the argument, in place of Python's TypeError."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from mechdesign.errors import DomainError, nearest

#: An example is shown up to so many characters.
SHOWN = 40


class NamedArguments(ABCMeta):
    """The class of classes that say in a DomainError which argument is unknown, missing or one too many.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.LDP(eps=1.0)
    Traceback (most recent call last):
    mechdesign.errors.DomainError: eps is 1.0, but LDP has no such parameter; did you mean "epsilon"? (one of epsilon).
    """

    def __call__(cls, *given: Any, **named: Any) -> Any:
        """Return an instance, or raise DomainError where the arguments do not fit the constructor."""
        try:
            return super().__call__(*given, **named)
        except TypeError:
            # Only where a call fails: to bind arguments takes longer than many a constructor.
            refuse_arguments(cls, given, named, getattr(cls, "domains", {}))
            raise

    @property
    def __signature__(cls) -> inspect.Signature:
        """The constructor's signature, which Python would otherwise take from `__call__` above."""
        found = inspect.signature(cls.__init__)  # type: ignore[misc] # of the class itself
        return found.replace(parameters=list(found.parameters.values())[1:], return_annotation=found.empty)


def refuse_arguments(
    called: Callable[..., Any],
    given: Sequence[Any],
    named: Mapping[str, Any],
    domains: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Raise DomainError where the arguments do not fit the signature of what is called.

    Parameters
    ----------
    called : callable
        A class or a function.
    given, named : sequence, mapping
        What it was called with, by place and by name.
    domains : mapping
        The domains of parameters, whose examples are shown where one is missing.
    """
    parameters = inspect.signature(called).parameters
    name = called.__name__
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    for argument, value in named.items():
        if argument not in parameters:
            remedy = nearest(argument, parameters) if parameters else "leave it out"
            raise DomainError(argument, value, f"{name} has no such parameter", remedy)
    places = [each.name for each in parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    if len(given) > len(places) and not any(each.kind is each.VAR_POSITIONAL for each in parameters.values()):
        _refuse_too_many(name, given, places)
    for argument in places[: len(given)]:
        if argument in named:
            rule = f"{name} was given it twice, by its place and by its name"
            raise DomainError(argument, named[argument], rule, "leave one of the two out")
    missing = [
        each.name
        for each in parameters.values()
        if each.default is each.empty and each.name not in (*places[: len(given)], *named)
    ]
    if missing:
        shown = ", ".join(f"{argument}={example(argument, domains)}" for argument in missing)
        raise DomainError(missing[0], "missing", f"{name} needs it", f"write {name}({shown})")


def _refuse_too_many(name: str, given: Sequence[Any], places: Sequence[str]) -> NoReturn:
    taken = f"{len(places)} ({', '.join(places)})" if places else "none"
    remedy = "leave the others out, or name them"
    if len(places) == 1:
        remedy = f"for several of them give a list, {name}([...])"
    raise DomainError(f"the arguments of {name}", f"{len(given)} of them", f"it takes {taken}", remedy)


def example(argument: str, domains: Mapping[str, Any]) -> str:
    """Return an example of a parameter as one would write it, or dots where that takes many characters.

    Examples
    --------
    >>> from mechdesign.parameters import Distribution
    >>> example("first", {"first": Distribution()}), example("second", {})
    ('[0.25, 0.75]', '...')
    """
    if argument not in domains:
        return "..."
    found = domains[argument].example
    shown = repr(found.tolist() if isinstance(found, np.ndarray) else found)
    # Classes of the package stand under a name of their own.
    written_so = not any(type(each).__module__.startswith("mechdesign") for each in _entries(found))
    return shown if written_so and len(shown) <= SHOWN else "..."


def _entries(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)
