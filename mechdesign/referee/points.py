"""The points at which a claim is tried: inside its domain, at corners, on and beyond its edges, and outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, product

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.theorems.base import Condition, Theorem, met
from mechdesign.theorems.family import Family, Point

#: Draws for each point that is wanted before a domain counts as empty.
PATIENCE = 60

#: How far beyond an edge a claim is tried, as shares of the way to a point outside.
BEYOND = (0.003, 0.01, 0.03)

#: The share of a way that is all of it, but for what cannot be mixed.
ALMOST = 1.0 - 1e-12

Inside = Callable[[Point], bool]


@dataclass(frozen=True)
class Effort:
    """How many points of each sort."""

    inside: int
    edges: int
    outside: int


QUICK, THOROUGH = Effort(24, 6, 4), Effort(200, 30, 30)


@dataclass(frozen=True)
class Plan:
    """The points by where they lie."""

    #: In the claimed domain: corners, draws, and the last point inside each edge that was found.
    claimed: tuple[Point, ...]
    #: For each condition of the narrower domain: in the claimed one, a little beyond the edge of that condition alone.
    beyond: tuple[tuple[Point, ...], ...]
    #: For each condition of the correction's domain: a little beyond the edge of that condition alone.
    beyond_correction: tuple[tuple[Point, ...], ...]
    #: Outside the claimed domain.
    outside: tuple[Point, ...]


def plan(theorem: Theorem, rng: np.random.Generator, effort: Effort) -> Plan:
    """Return the points at which the theorem is tried.

    Raises
    ------
    DomainError
        No point was found in the claimed domain.
    """
    family = theorem.family

    def claimed(point: Point) -> bool:
        return met(theorem.claimed, family.subject(point))

    inside, outside = _sorted_out(family, claimed, rng, effort.inside)
    if not inside:
        rule = "no point of its family was found in it"
        raise DomainError(f"{theorem.key}: claimed", " and ".join(map(str, theorem.claimed)), rule, "widen the family")
    edges = [last for last, _ in _edges(family, claimed, inside, outside, effort.edges)]
    outside += [point for _, after in _edges(family, claimed, inside, outside, 1) for point in after]
    narrower = _around(family, theorem.narrower, claimed, rng, effort)
    corrected = _around(family, theorem.corrected_domain, claimed, rng, effort)
    inside += [*narrower.inside, *corrected.inside]
    edges += [*narrower.edges, *corrected.edges]
    return Plan((*inside, *edges), narrower.beyond, corrected.beyond, tuple(outside[: effort.outside]))


@dataclass(frozen=True)
class _Around:
    """Points of the claimed domain inside and outside of a part, on its edges, and beyond each condition."""

    inside: list[Point]
    edges: list[Point]
    beyond: tuple[tuple[Point, ...], ...]


def _around(
    family: Family, conditions: tuple[Condition, ...], claimed: Inside, rng: np.random.Generator, effort: Effort
) -> _Around:
    """Return points about the part of the claimed domain where the conditions hold; none where there are none."""
    if not conditions:
        return _Around([], [], ())

    def part(point: Point) -> bool:
        return met(conditions, family.subject(point))

    within, without = _sorted_out(family, part, rng, effort.inside // 2, among=claimed)
    edges: list[Point] = []
    beyond: list[tuple[Point, ...]] = []
    for condition in conditions:
        others = tuple(other for other in conditions if other is not condition)

        def kept(point: Point, condition: Condition = condition) -> bool:
            return condition.met(family.subject(point))

        def among(point: Point, others: tuple[Condition, ...] = others) -> bool:
            return claimed(point) and met(others, family.subject(point))

        past = [point for point in without if not kept(point)]
        nearer, after = _past_edges(family, kept, among, (within, past), effort.edges)
        edges += nearer
        beyond.append(tuple(after))
    return _Around([*within, *without], edges, tuple(beyond))


def _past_edges(
    family: Family, kept: Inside, among: Inside, found: tuple[list[Point], list[Point]], wanted: int
) -> tuple[list[Point], list[Point]]:
    """Return the last points inside a condition, and points a little beyond it, both of `among`.

    Between two points of the claimed domain the way may leave it, or another condition.
    """
    last, beyond = [], []
    for inner, after in _edges(family, kept, *found, wanted):
        last += [inner] if among(inner) else []
        beyond += [point for point in after if among(point) and not kept(point)]
    if beyond:
        return last, beyond
    # No segment leaves a condition on sizes: a size is one more or one less.
    return _next_sizes(family, among, kept, found, wanted)


def _sorted_out(
    family: Family, inside: Inside, rng: np.random.Generator, wanted: int, among: Inside | None = None
) -> tuple[list[Point], list[Point]]:
    """Return the points inside and outside: the corners, and `wanted` draws inside with those that come up on the way.

    With `among`, points are taken from there only, and `wanted` of both sorts are drawn.
    """
    found: tuple[list[Point], list[Point]] = ([], [])
    corners = family.corners()
    draws = (family.draw(rng) for _ in range(PATIENCE * wanted))
    enough = len(corners) + wanted
    for index, point in enumerate(chain(corners, draws)):
        if among is not None and not among(point):
            continue
        group = found[0 if inside(point) else 1]
        if len(group) < enough:
            group.append(point)
        if index >= len(corners) and len(found[0]) >= wanted and (among is None or len(found[1]) >= wanted):
            break
    return found


def _edges(
    family: Family, inside: Inside, within: list[Point], without: list[Point], wanted: int
) -> list[tuple[Point, list[Point]]]:
    """Return, for some pairs of points on both sides, the last point inside and a few beyond it on their segment."""
    starts, ends = list(reversed(within)), list(reversed(without))
    pairs = sorted(product(range(len(starts)), range(len(ends))), key=lambda pair: (max(pair), pair))
    found = []
    for i, j in pairs:
        segment = family.segment(starts[i], ends[j])
        # What cannot be mixed stays as it is at the start, and then the way may lead nowhere.
        if segment is None or inside(segment(ALMOST)):
            continue
        edge = _bisected(segment, inside)
        found.append((segment(edge), [segment(edge + share * (1.0 - edge)) for share in BEYOND]))
        if len(found) >= wanted:
            break
    return found


def _next_sizes(
    family: Family, among: Inside, inside: Inside, found: tuple[list[Point], list[Point]], wanted: int
) -> tuple[list[Point], list[Point]]:
    """Return points inside, and points outside, that differ from one on the other side by one in one size."""
    within, without = found
    larger = [(less, point) for point in without for less in family.smaller(point) if among(less) and inside(less)]
    smaller = [less for point in within for less in family.smaller(point) if among(less) and not inside(less)]
    outside = [*(point for _, point in larger), *smaller]
    return [less for less, _ in larger][:wanted], outside[:wanted]


def _bisected(segment: Callable[[float], Point], inside: Inside) -> float:
    """Return the share of the way at which the domain ends; the start is inside, the end is not."""
    low, high = 0.0, ALMOST
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(segment(middle)) else (low, middle)
    return low
