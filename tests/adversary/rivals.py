"""Private mechanisms that a bound has to withstand: the own optimum, responses at the exact level, a local search."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from flint import fmpq

from tests.adversary.columns import deviations, furthest, known, on_ball
from tests.adversary.cones import Allowed, allowed
from tests.adversary.exponent import EXPONENTS
from tests.adversary.gains import Gain, gain
from tests.adversary.numbers import ONE, ZERO, Column
from tests.adversary.optimum import Rival, of_sum, of_worst
from tests.adversary.privacy import TAKEN, Matrix, private
from tests.adversary.rays import of_two, rays
from tests.adversary.search import searched, short, stretched
from tests.adversary.spread import spread
from tests.adversary.value import DECIDING, best_decision
from tests.adversary.world import Question, World

#: Beyond so many inputs the rays are not enumerated.
MOST_INPUTS = 6
#: Searches of the order of an exponent and of the mechanism in turn.
ROUNDS = 20


def rivals(question: Question, world: World, matrix: Matrix, rng: random.Random) -> Iterator[Rival]:
    """Yield mechanisms with the decisions of their columns; whoever holds a bound against them checks their privacy."""
    n = world.n
    of = gain(question.objective, world, matrix)
    columns = allowed(question.notions, world)
    found = rays(columns, n) if n <= MOST_INPUTS and columns.complete else None
    if found is None:
        found = known(question, world, of, columns, rng)
    if of is not None and not columns.complete:
        yield from _local(found, question, world, of)
    elif question.outputs == 2 and not columns.budgets and not columns.revealed and n < MOST_INPUTS:
        yield from ((pair, None) for pair in of_two(columns, n))
    elif found and all(name not in TAKEN for name, _ in question.notions):
        yield from _best(found, question, world, of, columns)
    yield [[ONE] * n], None
    if n > MOST_INPUTS or not columns.complete or question.outputs is not None:
        yield from _responses(question, world, rng)


def _best(found: list[Column], question: Question, world: World, of: Gain | None, columns: Allowed) -> Iterator[Rival]:
    name, _ = question.objective
    if of is not None:
        before: Matrix | None = None
        for _ in range(ROUNDS if name in EXPONENTS and world.n <= MOST_INPUTS else 1):
            made = of_sum(found, of, columns)
            if made is None or made == before:
                return
            yield made, None
            # The order that is best for what was found may be another.
            before, of = made, gain(question.objective, world, made) or of
    elif name == "InformationDesign" and not columns.budgets:
        made = spread(found, question.objective, world)
        if made is not None:
            yield made, None
    elif name in {"MaxOffDiagonal", "WorstCaseLoss"} and not columns.revealed:
        rival = of_worst(found, question.objective, world, columns)
        if rival is not None:
            yield rival


def _local(found: list[Column], question: Question, world: World, of: Gain) -> Iterator[Rival]:
    """Yield what a local search finds under a notion whose columns are no polyhedron."""
    names = [name for name, _ in question.notions]
    if names == ["StrongChiSquare"] and world.channel is None:

        def turned(column: Column, x: int, signed: fmpq) -> Column:
            apart = [short(entry) for entry in deviations(world, column)]
            apart[x] += signed
            return on_ball(question, world, apart)

        made = searched(found, of, question, world, turned)
    elif len(names) == 1 and names[0] in TAKEN:
        made = searched(found, of, question, world, stretched)
    else:
        return
    if made is not None:
        yield made, None


def named(rival: Rival, question: Question, world: World) -> Rival:
    """Return the rival with a decision for each column, columns of one decision joined where the notion allows."""
    matrix, names = rival
    name, given = question.objective
    if name not in DECIDING:
        return rival
    if names is None:
        names = [best_decision(column, name, given, world) for column in matrix]
    if any(notion == "UtilityOptimizedLDP" for notion, _ in question.notions):
        return matrix, names
    merged: dict[int, Column] = {}
    for column, d in zip(matrix, names, strict=True):
        merged[d] = [a + b for a, b in zip(merged.get(d, [ZERO] * world.n), column, strict=True)]
    return list(merged.values()), list(merged)


def _responses(question: Question, world: World, rng: random.Random) -> Iterator[Rival]:
    """Yield reports of a group of inputs, mixed with noise as little as the notion allows."""
    n, most = world.n, question.outputs or world.n
    partitions = [[(x,) for x in range(n)]] if n <= most else []
    order = list(range(n))
    for _ in range(3):
        cuts = sorted(rng.sample(range(1, n), min(most, rng.randint(2, 3), n) - 1)) if n > 1 and most > 1 else []
        ends = list(itertools.pairwise([0, *cuts, n]))
        partitions.append([tuple(order[a:b]) for a, b in ends])
        rng.shuffle(order)
    for groups in partitions:
        masses = [fmpq(len(group), n) for group in groups]

        def holds(share: fmpq, groups: object = groups, masses: Column = masses) -> Matrix | None:
            parts = zip(groups, masses, strict=True)
            matrix = [[(ONE - share) * mass + share * (x in group) for x in range(n)] for group, mass in parts]
            return matrix if private(matrix, question.notions, world) else None

        found = furthest(holds)
        if found is not None:
            yield found, None
