"""Columns on the edge of a notion that has too many rays to enumerate, or none: by formula, on many sets and orders."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from tests.adversary.cones import Allowed
from tests.adversary.gains import Gain
from tests.adversary.numbers import ONE, ZERO, Column, below, dot, exact, exp_below
from tests.adversary.privacy import TAKEN, Matrix, private
from tests.adversary.rays import scaled
from tests.adversary.world import Question, World, finite

#: Halvings of the interval that holds the strongest private mixture.
HALVINGS = 110
MOST_SETS = 260
#: Sets that are pulled to the edge of a notion without a formula.
MOST_PULLED = 20
LIFTS = {"AsymmetricLIP", "LIP", "MaxLift"}


def known(question: Question, world: World, of: Gain | None, allowed: Allowed, rng: random.Random) -> list[Column]:
    """Return columns that the notion allows, few of them inside."""
    n, names = world.n, {name for name, _ in question.notions}
    order = _order(question, world, of)
    sets = _sets(order, rng)
    if (len(names) == 1 and names <= set(TAKEN)) or allowed.budgets:
        levels = [exact(given["epsilon"]) for name, given in question.notions if name == "ApproximateLDP"]
        flat = [[ONE * (x in chosen) for x in range(n)] for chosen in sets]
        ratios = [exp_below(level) for level in levels] + [fmpq(3), fmpq(1001, 1000)] * (not allowed.budgets)
        tilted = [[ratio if x in chosen else ONE for x in range(n)] for ratio in ratios for chosen in sets]
        every = [*flat, *tilted, [ONE] * n]
        return [column for column in every if all(dot(row, column) >= 0 for row in allowed.rows)]
    if names <= {"LDP", "WorstCaseLIP", "UtilityOptimizedLDP"} and world.channel is None:
        ratio = min(exp_below(exact(given["epsilon"])) for _, given in question.notions)
        units = [[ONE * (y == x) for y in range(n)] for x in allowed.revealed]
        return units + [[ratio if x in chosen else ONE for x in range(n)] for chosen in sets]
    if "UtilityOptimizedLDP" in names:
        return []
    if names == {"BlockLDP"} and len(question.notions) == 1 and world.channel is None:
        return _of_blocks(question.notions[0][1], n, sets)
    if names == {"StrongL1"} and len(question.notions) == 1 and world.channel is None:
        return _gaining(world, exact(question.notions[0][1]["epsilon"]) / 2, order)
    if len(question.notions) == 1 and names <= LIFTS and world.channel is None:
        return _filled(question, world, order, rng)
    if names == {"StrongChiSquare"} and world.channel is None:
        return [on_ball(question, world, [ONE * (x in chosen) for x in range(n)]) for chosen in sets] + [[ONE] * n]
    return [_edge(question, world, chosen) for chosen in sets[:MOST_PULLED]] + [[ONE] * n]


def _order(question: Question, world: World, of: Gain | None) -> list[int]:
    """Return the inputs in the order of their likelihood ratio, score or value; else of what revealing them gains."""
    (name, given), n = question.objective, world.n
    if "first" in given:
        ratios = [p / s if s else math.inf for p, s in zip(given["first"], given["second"], strict=True)]
    elif name == "FisherInformation":
        ratios = [d / p for d, p in zip(given["direction"], given["theta"], strict=True)]
    elif name in {"AbsoluteError", "MMSE"} and question.values is not None:
        ratios = [question.values[x] for x in world.datum]
    elif of is not None:
        ratios = [float(of([ONE * (y == x) for y in range(n)]).mid()) for x in range(n)]
    else:
        ratios = [0.0] * n
    return sorted(range(n), key=ratios.__getitem__)


def _sets(order: list[int], rng: random.Random) -> list[tuple[int, ...]]:
    n = len(order)
    if n <= 5:
        return [chosen for size in range(1, n) for chosen in itertools.combinations(range(n), size)]
    found = dict.fromkeys(tuple(sorted(part[:size])) for part in (order, order[::-1]) for size in range(1, n))
    for size in (1, 2, n - 1):
        found.update(dict.fromkeys(itertools.combinations(range(n), size)))
    while len(found) < MOST_SETS and len(found) < 2**n - 2:
        found[tuple(sorted(rng.sample(range(n), rng.randint(1, n - 1))))] = None
    return list(found)[:MOST_SETS]


def _filled(question: Question, world: World, order: list[int], rng: random.Random) -> list[Column]:
    """Return columns between both ends of the lift, filled to mass one in many orders."""
    (name, given), prior, n = question.notions[0], world.secret_prior, world.n
    assert prior is not None
    lower = None if name == "MaxLift" else finite(given["lower"] if name == "AsymmetricLIP" else given["epsilon"])
    upper = finite(given["upper"] if name == "AsymmetricLIP" else given["epsilon"])
    low = ZERO if lower is None else ONE / exp_below(lower)
    high = ONE / min(prior) if upper is None else min(exp_below(upper), ONE / min(prior))
    if high <= 1 or low >= 1:
        return [[ONE] * n]
    orders = [part[i:] + part[:i] for part in (order, order[::-1]) for i in range(n)]
    orders += [rng.sample(range(n), n) for _ in range(60)]
    columns = []
    for filling in orders:
        column, left = [low] * n, (ONE - low) / (high - low)
        for x in filling:
            share = min(ONE, left / prior[x])
            column[x] += share * (high - low)
            left -= share * prior[x]
        columns.append(scaled(column))
    return columns


def _of_blocks(given: dict[str, Any], n: int, sets: list[tuple[int, ...]]) -> list[Column]:
    """Return the two levels on sets inside each block, with nothing in the others."""
    ratio, named = exp_below(exact(given["epsilon"])), {x for block in given["blocks"] for x in block}
    found: dict[tuple[fmpq, ...], None] = {}
    for block in (*given["blocks"], *([x] for x in range(n) if x not in named)):
        for chosen in (*sets, ()):
            inside = set(chosen) & set(block)
            column = [(ratio if x in inside else ONE) if x in block else ZERO for x in range(n)]
            found[tuple(scaled(column))] = None
    return [list(column) for column in found][:MOST_SETS]


def _gaining(world: World, share: fmpq, order: list[int]) -> list[Column]:
    """Return the columns in which one input gains a share of the prior that others lose, in many orders."""
    prior, n = world.secret_prior, world.n
    assert prior is not None
    columns = [[ONE] * n]
    for winner in range(n):
        others = [x for x in order if x != winner]
        for i in range(len(others)):
            for losing in (others[i:] + others[:i], others[i::-1] + others[:i:-1]):
                column, left = [ONE] * n, min(share, ONE - prior[winner])
                column[winner] += left / prior[winner]
                for x in losing:
                    lost = min(left, prior[x])
                    column[x] -= lost / prior[x]
                    left -= lost
                columns.append(scaled(column))
    return columns


def on_ball(question: Question, world: World, direction: Column) -> Column:
    """Return the column of mean 1 that is furthest in a direction, by its deviation or its least entry."""
    prior = world.secret_prior
    assert prior is not None
    apart = deviations(world, direction)
    variance = sum((p * entry**2 for p, entry in zip(prior, apart, strict=True)), ZERO)
    if variance == 0:
        return [ONE] * world.n
    step = min(below(arb(exact(question.notions[0][1]["epsilon"])) / arb(variance).sqrt()), ONE / -min(apart))
    return [ONE + max(step, ZERO) * entry for entry in apart]


def deviations(world: World, column: Column) -> Column:
    """Return the entries less their mean, the largest of them of size 1."""
    assert world.secret_prior is not None
    mean = dot(world.secret_prior, column)
    apart = [entry - mean for entry in column]
    size = max(abs(entry) for entry in apart)
    return [entry / size for entry in apart] if size else apart


def _edge(question: Question, world: World, chosen: tuple[int, ...]) -> Column:
    """Return the column furthest from the constant one, towards a set, that a notion of single columns allows."""

    def holds(share: fmpq) -> Matrix | None:
        column = [ONE - share + share * (x in chosen) for x in range(world.n)]
        return [column] if private([column], question.notions, world) else None

    found = furthest(holds)
    return [ONE] * world.n if found is None else scaled(found[0])


def furthest(holds: Callable[[fmpq], Matrix | None]) -> Matrix | None:
    """Return what holds at the largest share in [0, 1], found by halving."""
    whole = holds(ONE)
    if whole is not None:
        return whole
    low, found = ONE, None
    for _ in range(60):
        low /= 2
        found = holds(low)
        if found is not None:
            break
    else:
        return None
    high = 2 * low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tried = holds(middle)
        low, high, found = (middle, high, tried) if tried is not None else (low, middle, found)
    return found
