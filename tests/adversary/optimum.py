"""The best private mechanism over given columns: a linear program in fractions, whose answer is exactly private."""

from __future__ import annotations

import itertools

from flint import fmpq

from tests.adversary.cones import Allowed
from tests.adversary.gains import Gain
from tests.adversary.numbers import ONE, ZERO, Column, middle, shares, vector
from tests.adversary.program import maximise
from tests.adversary.value import Matrix, costs
from tests.adversary.world import Member, World

#: A mechanism with the decisions of its columns, None where they have none.
Rival = tuple[Matrix, list[int] | None]
#: Programs with more rows times columns than this are left out.
MOST_NUMBERS = 40_000


def _with_budgets(columns: list[Column], allowed: Allowed) -> tuple[list[Column], Column]:
    """Return the columns with what each takes of the budgets, then slack; and the right-hand sides."""
    count = len(allowed.budgets)
    n = len(columns[0])
    taken = [column + [allowed.cost(column, k) for k in range(count)] for column in columns]
    slack = [[ZERO] * n + [ONE * (i == k) for i in range(count)] for k in range(count)]
    return taken + slack, [ONE] * n + [limit for _, limit in allowed.budgets]


def of_sum(columns: list[Column], gain: Gain, allowed: Allowed) -> Matrix | None:
    """Return the mechanism of most gain that uses the columns."""
    balls = [gain(column) for column in columns]
    usable = [(column, ball) for column, ball in zip(columns, balls, strict=True) if ball.is_finite()]
    if not usable:
        return None
    rows, limits = _with_budgets([column for column, _ in usable], allowed)
    gains = [middle(ball) for _, ball in usable] + [ZERO] * len(allowed.budgets)
    if len(rows) * len(limits) > MOST_NUMBERS:
        return None
    weights = maximise(rows, gains, limits)
    if weights is None:
        return None
    used = zip(weights, (column for column, _ in usable), strict=False)
    return [[weight * entry for entry in column] for weight, column in used if weight != 0]


def pieces(objective: Member, world: World) -> list[list[list[fmpq]]]:
    """Return the costs ``piece[x][d]`` whose largest sum over the matrix is the objective."""
    name, given = objective
    table = costs(name, given, world)
    n, decisions = world.n, len(table[0])
    if name == "MaxOffDiagonal":
        places = [(x, d) for x in range(n) for d in range(decisions) if world.datum[x] != d]
        return [[[ONE * ((x, d) == place) for d in range(decisions)] for x in range(n)] for place in places]
    priors: list[Column]
    if given.get("priors") is None:
        priors = [[ONE * (x == y) for x in range(n)] for y in range(n)]
    elif isinstance(given["priors"], list):
        priors = [shares(row) for row in given["priors"]]
    else:
        lower, upper = (vector(bound) for bound in given["priors"])
        priors = [
            list(corner) for corner in {tuple(_corner(o, lower, upper)) for o in itertools.permutations(range(n))}
        ]
    return [[[p * cost for cost in row] for p, row in zip(prior, table, strict=True)] for prior in priors]


def _corner(order: tuple[int, ...], lower: Column, upper: Column) -> Column:
    prior, left = list(lower), ONE - sum(lower, ZERO)
    for x in order:
        share = min(left, upper[x] - lower[x])
        prior[x] += share
        left -= share
    return prior


def of_worst(columns: list[Column], objective: Member, world: World, allowed: Allowed) -> Rival | None:
    """Return the mechanism whose largest piece is least: each column with each decision, below one threshold."""
    if world.n > 5:
        return None
    every = pieces(objective, world)
    decisions = len(every[0][0])
    named = [(column, d) for column in columns for d in range(decisions)]
    rows, limits = _with_budgets([column for column, _ in named], allowed)
    count, extra = len(every), len(rows) - len(named)
    if (len(limits) + count) * (len(rows) + count) > MOST_NUMBERS:
        return None
    sizes = [[sum((piece[x][d] * column[x] for x in range(world.n)), ZERO) for piece in every] for column, d in named]
    table = [row + size for row, size in zip(rows, sizes + [[ZERO] * count] * extra, strict=True)]
    base = len(limits)
    table += [[ZERO] * base + [ONE * (i == k) for i in range(count)] for k in range(count)]
    table += [[ZERO] * base + [sign * ONE] * count for sign in (-1, 1)]
    gains = [ZERO] * (len(rows) + count) + [-ONE, ONE]
    weights = maximise(table, gains, limits + [ZERO] * count)
    if weights is None:
        return None
    merged: dict[int, Column] = {}
    for (column, d), weight in zip(named, weights, strict=False):
        if weight != 0:
            merged[d] = [a + weight * b for a, b in zip(merged.get(d, [ZERO] * world.n), column, strict=True)]
    return list(merged.values()), list(merged)
