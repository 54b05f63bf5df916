"""What a picture is asked of: a thing that has what the picture shows, or an error that says what to give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mechdesign.errors import DomainError


def mechanism_of(given: Any) -> Any:
    """Return the mechanism: of a design its own.

    Raises
    ------
    DomainError
        It is neither.
    """
    found = getattr(given, "mechanism", given)
    if not all(hasattr(found, name) for name in ("matrix", "outputs", "inputs", "posterior")):
        rule = "it has to be a Mechanism or a Design"
        remedy = "md.Mechanism(matrix, outputs, problem=...) makes one of a matrix"
        raise DomainError("mechanism", f"of type {type(given).__name__}", rule, remedy)
    return found


def named(argument: str, given: Any, single: str, rule: str) -> dict[str, Any]:
    """Return a mapping by name: `given` itself if it is one, and otherwise `given` under the name `single`.

    Raises
    ------
    DomainError
        An empty mapping.
    """
    if not isinstance(given, Mapping):
        return {single: given}
    if not given:
        raise DomainError(argument, "empty", rule, "give at least one")
    return {str(name): each for name, each in given.items()}


def require(argument: str, given: Any, names: tuple[str, ...], rule: str, remedy: str) -> None:
    """Raise unless `given` has the attributes `names`.

    Raises
    ------
    DomainError
        It lacks one of them.
    """
    if not all(hasattr(given, name) for name in names):
        raise DomainError(argument, f"of type {type(given).__name__}", rule, remedy)
