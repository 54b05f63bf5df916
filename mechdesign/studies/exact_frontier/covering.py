"""All optimal bases between two levels, each with its exact interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import fmpq

from mechdesign.studies.exact_frontier.pieces import Formulas, between
from mechdesign.studies.exact_frontier.rational_functions import Root
from mechdesign.studies.exact_frontier.simplex import Basic, Program, optimal_basis

#: How often a point nearer to the last end is tried before it is given up.
MOST_TRIES = 100


@dataclass(frozen=True)
class Part:
    """Formulas with the interval of E on which they are proved optimal."""

    formulas: Formulas
    low: Root
    high: Root


def parts(program: Program, low: fmpq, high: fmpq) -> Iterator[Part]:
    """Yield the parts from one E to another, in order; each begins where the last one ends."""
    at, end, found = Root.of_rational(low), Root.of_rational(high), list[Part]()
    while at < end:
        part = _beginning(program, at, low, high, found)
        yield Part(part.formulas, at, part.high)
        at = part.high


def _beginning(program: Program, at: Root, low: fmpq, high: fmpq, found: list[Part]) -> Part:
    """Return the part that contains a point, or begins at it; parts that are found on the way are added to `found`."""
    for part in found:
        if part.low <= at < part.high:
            return part
    limit = Root.of_rational(high)
    for _ in range(MOST_TRIES):
        part = _next_to(program, at, limit, low, high, found[-1].formulas.basis if found else ())
        found.append(part)
        if part.low <= at:
            return part
        limit = part.low
    raise ArithmeticError(f"no basis is optimal next to {at}")


def _next_to(program: Program, at: Root, limit: Root, low: fmpq, high: fmpq, start: Sequence[Basic]) -> Part:
    """Return the part around some E between two others."""
    base = between(at, limit)
    for _ in range(MOST_TRIES):
        formulas = Formulas.of(program, optimal_basis(program, base, start))
        if not formulas.is_special(base):
            return Part(formulas, formulas.reach(base, low), formulas.reach(base, high))
        base = between(at, Root.of_rational(base))
    raise ArithmeticError(f"signs vanish wherever they are looked at, next to {at}")
