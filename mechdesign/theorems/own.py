"""Theorems of one's own: checked like the catalogue's theorems when they are loaded."""

from __future__ import annotations

from typing import Any

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import entries
from mechdesign.theorems import statements
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.examine import examine


def own_theorems(argument: str, given: Any) -> tuple[Theorem, ...]:
    """Return theorems of one's own as a tuple.

    Raises
    ------
    DomainError
        Something else than theorems; one whose key is that of a statement of the catalogue, or of another of them; one
        with an empty domain, or a formula without a value inside it.
    """
    rule = "it has to consist of theorems"
    found = (given,) if isinstance(given, Theorem) else entries(argument, given, rule, "give a list of Theorem")
    keys = set(statements())
    for theorem in found:
        if not isinstance(theorem, Theorem):
            raise DomainError(argument, theorem, rule, "give a list of mechdesign.theorems.Theorem")
        if theorem.key in keys:
            raise DomainError(argument, theorem.key, "another theorem has this key", "number this one apart")
        keys.add(theorem.key)
        examine(theorem)
    return tuple(found)
