"""Private mechanisms that a bound has to withstand: the own optimum, responses at the exact level, a local search."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from flint import fmpq

from tests.adversary.cones import Allowed, allowed
from tests.adversary.exponent import EXPONENTS
from tests.adversary.gains import Gain, gain
from tests.adversary.numbers import ONE, ZERO, Column, exact, exp_below
from tests.adversary.optimum import Rival, of_sum, of_worst
from tests.adversary.privacy import Matrix, private
from tests.adversary.rays import rays, scaled
from tests.adversary.value import DECIDING, best_decision
from tests.adversary.world import Question, World

#: Beyond so many inputs the rays are not enumerated.
MOST_INPUTS = 6
#: Halvings of the interval that holds the strongest private mixture.
HALVINGS = 110
MOST_SETS = 260
#: Searches of the order of an exponent and of the mechanism in turn.
ROUNDS = 20


def rivals(question: Question, world: World, matrix: Matrix, rng: random.Random) -> Iterator[Rival]:
    """Yield mechanisms with the decisions of their columns; whoever holds a bound against them checks their privacy."""
    n = world.n
    of = gain(question.objective, world, matrix)
    columns = allowed(question.notions, world)
    found = rays(columns, n) if n <= MOST_INPUTS and columns.complete else None
    if found is None:
        found = _known_columns(question, world, of, columns, rng)
    if found:
        yield from _best(found, question, world, of, columns)
    yield [[ONE] * n], None
    if n > MOST_INPUTS or not columns.complete or question.outputs is not None:
        yield from _responses(question, world, rng)


def _best(found: list[Column], question: Question, world: World, of: Gain | None, columns: Allowed) -> Iterator[Rival]:
    name, _ = question.objective
    if of is not None:
        for _ in range(ROUNDS if name in EXPONENTS else 1):
            made = of_sum(found, of, columns)
            if made is None:
                return
            yield made, None
            # The order that is best for what was found may be another.
            of = gain(question.objective, world, made) or of
    elif name in {"MaxOffDiagonal", "WorstCaseLoss"} and not columns.revealed:
        rival = of_worst(found, question.objective, world, columns)
        if rival is not None:
            yield rival


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


def _known_columns(
    question: Question, world: World, of: Gain | None, columns: Allowed, rng: random.Random
) -> list[Column]:
    """Return columns on the edge of the notion: its two levels on many sets; otherwise mixtures that just hold."""
    n, names = world.n, {name for name, _ in question.notions}
    sets = _sets(n, of, rng)
    if names <= {"LDP", "WorstCaseLIP"} and world.channel is None:
        ratio = min(exp_below(exact(given["epsilon"])) for _, given in question.notions)
        return [[ratio if x in chosen else ONE for x in range(n)] for chosen in sets]
    if columns.budgets or names & {"UtilityOptimizedLDP", "MutualInformationPrivacy"}:
        return []
    return [_edge(question, world, chosen) for chosen in sets[:20]] + [[ONE] * n]


def _sets(n: int, of: Gain | None, rng: random.Random) -> list[tuple[int, ...]]:
    if n <= 5:
        return [chosen for size in range(1, n) for chosen in itertools.combinations(range(n), size)]
    order = list(range(n))
    if of is not None:
        order.sort(key=lambda x: float(of([ONE * (y == x) for y in range(n)]).mid()))
    found = dict.fromkeys(tuple(sorted(part[:size])) for part in (order, order[::-1]) for size in range(1, n))
    for size in (1, 2, n - 1):
        found.update(dict.fromkeys(itertools.combinations(range(n), size)))
    while len(found) < MOST_SETS and len(found) < 2**n - 2:
        found[tuple(sorted(rng.sample(range(n), rng.randint(1, n - 1))))] = None
    return list(found)[:MOST_SETS]


def _edge(question: Question, world: World, chosen: tuple[int, ...]) -> Column:
    """Return the column furthest from the constant one, towards a set, that a notion of single columns allows."""

    def holds(share: fmpq) -> Column | None:
        column = [ONE - share + share * (x in chosen) for x in range(world.n)]
        return column if private([column], question.notions, world) else None

    return scaled(_furthest(holds) or [ONE] * world.n)


def _furthest(holds: object) -> Matrix | Column | None:
    """Return what holds at the largest share in [0, 1] of those that are met by halving."""
    assert callable(holds)
    whole = holds(ONE)
    if whole is not None:
        return whole
    high = ONE
    for _ in range(60):
        found = holds(high / 2)
        if found is not None:
            break
        high /= 2
    else:
        return None
    low = high / 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tried = holds(middle)
        low, high, found = (middle, high, tried) if tried is not None else (low, middle, found)
    return found


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

        found = _furthest(holds)
        if found is not None:
            yield found, None
