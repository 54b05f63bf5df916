"""Domains made of another domain: optional values, names or values, and sequences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.base import Cases, Domain
from mechdesign.parameters.scalars import Choice


@dataclass(frozen=True)
class Maybe(Domain):
    """A value of another domain, or None."""

    of: Domain
    example = None

    def check(self, argument: str, value: Any) -> Any:
        """Return None for None, otherwise the value as checked by the other domain."""
        return None if value is None else self.of.check(argument, value)

    def invalid(self, near: Any = None) -> Cases:
        """Yield the values that the other domain refuses, except None."""
        yield from ((why, value) for why, value in self.of.invalid(near) if value is not None)

    def ends(self, near: Any = None) -> Cases:
        """Yield None, and the extreme values of the other domain."""
        yield "None", None
        yield from self.of.ends(near)


@dataclass(frozen=True)
class NameOr(Domain):
    """One of several names, or a value of another domain, which has no texts."""

    names: Choice
    of: Domain

    def check(self, argument: str, value: Any) -> Any:
        """Return a text that is one of the names, or the value as checked by the other domain."""
        return (self.names if isinstance(value, str) else self.of).check(argument, value)

    @property
    def example(self) -> Any:
        """A value of the other domain."""
        return self.of.example

    def invalid(self, near: Any = None) -> Cases:
        """Yield what the other domain refuses, and texts that are no name."""
        given = None if isinstance(near, str) else near
        yield from ((why, value) for why, value in self.of.invalid(given) if not isinstance(value, str))
        yield from ((why, value) for why, value in self.names.invalid() if isinstance(value, str))

    def ends(self, near: Any = None) -> Cases:
        """Yield every name, and the extreme values of the other domain."""
        yield from self.names.ends()
        yield from self.of.ends(None if isinstance(near, str) else near)


@dataclass(frozen=True)
class Each(Domain):
    """Sequences of one value or more, each of another domain; kept as a tuple."""

    of: Domain
    rule: str
    remedy: str

    def check(self, argument: str, value: Any) -> tuple[Any, ...]:
        """Return the entries as a tuple, each checked by the other domain."""
        entries = domains.entries(argument, value, self.rule, self.remedy)
        kept = tuple(self.of.check(f"{argument}[{index}]", entry) for index, entry in enumerate(entries))
        if not kept:
            raise DomainError(argument, "empty", "there has to be at least one", self.remedy)
        return kept

    @property
    def example(self) -> tuple[Any, ...]:
        """Two values of the other domain."""
        return (self.of.example,) * 2

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no sequence, none at all, and sequences whose last entry is outside."""
        given = self.example if near is None else near
        unlike: tuple[Any, ...] = (None, 1, math.nan, True, "01", b"01", np.array(1.0), [], ())
        for value in unlike:
            yield f"{type(value).__name__} {value!r}", value
        yield from ((f"its last is {why}", [*given[:-1], entry]) for why, entry in self.of.invalid(given[-1]))

    def ends(self, near: Any = None) -> Cases:
        """Yield a list, a single entry, and sequences whose last entry is an end."""
        given = self.example if near is None else near
        yield "a list", list(given)
        yield "a single one", given[:1]
        yield from ((f"its last is {why}", [*given[:-1], entry]) for why, entry in self.of.ends(given[-1]))
