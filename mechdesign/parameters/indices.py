"""Domains of whole numbers that point at inputs, secrets or profiles: sets of them, blocks, edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.base import Cases, Domain

#: Values that are not indices, each with a description.
NO_INDICES: tuple[tuple[str, Any], ...] = (
    ("None", None),
    ("text", "0"),
    ("true", True),
    ("numpy's true", np.True_),
    ("a float", 1.0),
    ("NaN", math.nan),
    ("negative", -1),
    ("a list", [0]),
)
#: Values that are not sequences, each with a description.
NO_SEQUENCES: tuple[tuple[str, Any], ...] = (
    ("None", None),
    ("a number", 1),
    ("true", True),
    ("NaN", math.nan),
    ("text", "01"),
    ("bytes", b"01"),
    ("an array without axes", np.array(1)),
)


@dataclass(frozen=True)
class Indices(Domain):
    """Sets of indices, counted from 0, each named once; kept as a sorted tuple. None at all is a set too."""

    of: str

    def check(self, argument: str, value: Any) -> tuple[int, ...]:
        """Return the indices in order."""
        rule, remedy = f"it has to be a sequence of indices of {self.of}", "give a list such as [0, 1]"
        kept: list[int] = []
        for place, entry in enumerate(domains.entries(argument, value, rule, remedy)):
            index = _index(f"{argument}[{place}]", entry, self.of)
            if index in kept:
                raise DomainError(f"{argument}[{place}]", index, "each index is named once", "drop the repetition")
            kept.append(index)
        return tuple(sorted(kept))

    @property
    def example(self) -> tuple[int, ...]:
        """Two indices."""
        return (0, 1)

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no sequence, what is no index, and an index that is named twice."""
        given = near or self.example
        yield from NO_SEQUENCES
        yield from ((f"its last is {why}", [*given, index]) for why, index in NO_INDICES)
        yield "one twice", [*given, given[0]]
        yield "floats", np.array(given, dtype=float)
        yield "truths", np.array(given) >= 0

    def ends(self, near: Any = None) -> Cases:
        """Yield sets of any size, in any order and type."""
        yield from (("none", []), ("a list", [1, 0]), ("a range", range(3)), ("a set", {0, 2}))
        yield "an array", np.arange(2)


@dataclass(frozen=True)
class Blocks(Domain):
    """Sets of secrets that do not overlap, at least one of them of two secrets; kept as sorted tuples."""

    def check(self, argument: str, value: Any) -> tuple[tuple[int, ...], ...]:
        """Return the blocks in order."""
        rule, remedy = "it has to be a sequence of blocks", "give blocks such as [(0, 1), (2, 3)]"
        kept: list[tuple[int, ...]] = []
        named: set[int] = set()
        for place, block in enumerate(domains.entries(argument, value, rule, remedy)):
            where = f"{argument}[{place}]"
            members = Indices("secrets").check(where, block)
            if not members:
                raise DomainError(where, "empty", "a block has at least one secret", "drop it")
            if shared := named.intersection(members):
                raise DomainError(where, members, f"secret {min(shared)} is in another block", "merge the two")
            named.update(members)
            kept.append(members)
        if all(len(block) < 2 for block in kept):
            raise DomainError(argument, value, "no block has two secrets, so nothing is protected", "give one that has")
        return tuple(sorted(kept))

    @property
    def example(self) -> tuple[tuple[int, ...], ...]:
        """Two blocks."""
        return ((0, 1), (2, 3))

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no sequence of blocks, blocks that overlap, and blocks that protect nothing."""
        given: Sequence[Any] = self.example if near is None else near
        yield from NO_SEQUENCES
        for why, block in Indices("secrets").invalid(given[-1]):
            yield f"its last is {why}", [*given[:-1], block]
        yield "an empty block", [*given, []]
        yield "a block twice", [*given, given[0]]
        yield "blocks that overlap", [*given, [given[0][0], 99]]
        yield "no block at all", []
        yield "blocks of one each", [[s] for block in given for s in block]

    def ends(self, near: Any = None) -> Cases:
        """Yield blocks in any order and type, and the least that protects something."""
        yield from (("one pair", [[1, 0]]), ("a block of one beside", [[2], [0, 1]]))
        yield "an array", np.array([[3, 2], [1, 0]])


@dataclass(frozen=True)
class Edges(Domain):
    """Pairs of two different indices, at least one; kept once each, as sorted tuples."""

    of: str

    def check(self, argument: str, value: Any) -> tuple[tuple[int, int], ...]:
        """Return the edges in order."""
        kept = set()
        rule, remedy = "it has to be a sequence of pairs", "give pairs such as [(0, 1)]"
        for place, edge in enumerate(domains.entries(argument, value, rule, remedy)):
            where, wanted = f"{argument}[{place}]", f"it has to be a pair of indices of {self.of}"
            pair = domains.entries(where, edge, wanted, "give pairs such as (0, 1)")
            if len(pair) != 2:
                raise DomainError(where, edge, wanted, "give pairs such as (0, 1)")
            i, j = sorted(_index(f"{where}[{end}]", index, self.of) for end, index in enumerate(pair))
            if i == j:
                raise DomainError(where, (i, j), f"an edge joins two different {self.of}", "drop it")
            kept.add((i, j))
        if not kept:
            raise DomainError(argument, "empty", "without an edge nothing is protected", remedy)
        return tuple(sorted(kept))

    @property
    def example(self) -> tuple[tuple[int, int], ...]:
        """One edge."""
        return ((0, 1),)

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no sequence of pairs, pairs of what is no index, and an edge from one to itself."""
        given: Sequence[Any] = self.example if near is None else near
        yield from NO_SEQUENCES
        yield "no edge", []
        for why, edge in (*NO_SEQUENCES, *((f"(0, {why})", (0, index)) for why, index in NO_INDICES)):
            yield f"its last is {why}", [*given, edge]
        for edge in ((), (0,), (0, 1, 2), (0, 0)):
            yield f"its last is {edge}", [*given, edge]

    def ends(self, near: Any = None) -> Cases:
        """Yield edges in either direction and any type."""
        given: Sequence[Any] = self.example if near is None else near
        yield "the other way", [edge[::-1] for edge in given]
        yield "twice", [*given, given[0]]
        yield "an array", np.array(given)


def _index(argument: str, value: Any, of: str) -> int:
    try:
        return domains.whole(argument, value, 0)
    except DomainError as error:
        rule = f"{error.rule}: the index of one of the {of}, counted from 0"
        raise DomainError(argument, value, rule, "correct the index") from None
