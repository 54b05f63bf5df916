"""Conjectures from exact frontiers: what their pieces at several sizes have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_poly

from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.studies.conjecturing.conjecture import Conjecture, End
from mechdesign.studies.conjecturing.reconstruction import Polynomial
from mechdesign.studies.exact_frontier.curve import ExactFrontier
from mechdesign.studies.exact_frontier.rational_functions import RationalFunction, Root, real_roots
from mechdesign.studies.frontier import frontier


@dataclass(frozen=True)
class Regime:
    """An interval of E on which the optimum is one formula; an end is None where the frontier ends there."""

    value: RationalFunction
    low: Root | None
    high: Root | None


def found_forms(
    family: Callable[[int], Problem], notion: Any, objective: Objective, sizes: Sequence[int], letter: str, high: float
) -> tuple[Conjecture, ...]:
    """Return the closed forms that the exact optima at all `sizes` have in common, up to the level `high` in nats."""
    curves = [frontier(family(size), notion, objective, [0.0, high], exact=True) for size in sizes]
    found: dict[str, Conjecture] = {}
    for alike in _aligned([_regimes(curve) for curve in curves]):
        made = _common(alike, family, curves[0], letter, tuple(sizes))
        if made is not None:
            found.setdefault(made.words, made)
    return tuple(found.values())


def _regimes(curve: ExactFrontier) -> list[Regime]:
    """Return the intervals of one formula: pieces of different mechanisms may have the same value."""
    joined: list[list[Any]] = []
    for piece in curve.pieces:
        if joined and joined[-1][0] == piece.value:
            joined[-1][2] = piece.ends[1]
        else:
            joined.append([piece.value, *piece.ends])
    joined[0][1] = joined[-1][2] = None
    return [Regime(*each) for each in joined]


def _aligned(regimes: list[list[Regime]]) -> Iterator[list[Regime]]:
    """Yield the regimes that stand at one place from the largest E, and then from the smallest."""
    fewest = min(map(len, regimes))
    for place in (*range(-1, -fewest - 1, -1), *range(fewest)):
        yield [each[place] for each in regimes]


def _common(
    alike: list[Regime], family: Callable[[int], Problem], curve: ExactFrontier, letter: str, sizes: tuple[int, ...]
) -> Conjecture | None:
    """Return the formula that all these regimes have in common, or None."""
    at = [fmpq(size) for size in sizes]
    leads = [each.value.denominator[each.value.denominator.degree()] for each in alike]
    tops = [each.value.numerator / lead for each, lead in zip(alike, leads, strict=True)]
    bottoms = [each.value.denominator / lead for each, lead in zip(alike, leads, strict=True)]
    numerator, denominator = Polynomial.through(at, tops), Polynomial.through(at, bottoms)
    if numerator is None or denominator is None:
        return None
    ends: list[End | None] = []
    for roots in ([each.low for each in alike], [each.high for each in alike]):
        known = [root for root in roots if root is not None]
        end = _end(at, known) if len(known) == len(roots) else None
        if known and end is None:
            return None
        ends.append(end)
    return Conjecture(family, curve.notion, curve.objective, letter, numerator, denominator, (ends[0], ends[1]), sizes)


def _end(at: list[fmpq], roots: list[Root]) -> End | None:
    """Return the end whose polynomial interpolates all roots, each at one place from the largest, or None."""
    monic = [fmpq_poly(root.polynomial) / fmpq(root.polynomial[root.polynomial.degree()]) for root in roots]
    places = {_from_above(root) for root in roots}
    found = Polynomial.through(at, monic)
    return None if found is None or len(places) != 1 else End(found, places.pop())


def _from_above(root: Root) -> int:
    """Return a root's place among the real ones of its polynomial, 1 for the largest."""
    return 1 if root.polynomial.degree() == 1 else len(real_roots(root.polynomial)) - root.place
