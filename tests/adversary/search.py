"""Local search in high precision: columns are moved while their reduced gain grows, then optimised together again."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, fmpq

from tests.adversary.gains import Gain
from tests.adversary.numbers import ONE, ZERO, Column, above, below, dot, middle
from tests.adversary.privacy import LIMITS, TAKEN, Matrix
from tests.adversary.program import optimal
from tests.adversary.rays import scaled
from tests.adversary.world import Question, World

#: A column, an input, a signed size: the column after a step.
Step = Callable[[Column, int, fmpq], Column]
#: Rounds of moving all columns, and the steps of each, in nats of an entry: from large to next to nothing.
ROUNDS = 8
STEPS = [fmpq(1, 2**k) for k in (0, 1, 2, 3, 4, 6, 8, 11, 14)]
#: The step of a slope.
H = fmpq(1, 2**150)
#: Nats between the entries of a column: beyond them the smaller counts as next to nothing.
STEEPEST = 130
#: Entries keep so many bits, or fractions grow without end.
BITS = 96


def searched(columns: list[Column], of: Gain, question: Question, world: World, step: Step) -> Matrix | None:
    """Return a mechanism of columns that were moved by steps inside the notion."""
    name, given = next((member for member in question.notions if member[0] in TAKEN), ("", {}))
    limit = below(LIMITS[name](given)) if name else None

    def taken(column: Column) -> arb:
        return TAKEN[name]([column], given, world) if name else arb(0)

    found: Matrix | None = None
    for _ in range(ROUNDS):
        rows = [column + ([] if limit is None else [above(taken(column))]) for column in columns]
        slack = [] if limit is None else [[ZERO] * world.n + [ONE]]
        gains = [middle(of(column)) for column in columns] + [ZERO] * len(slack)
        best = optimal(rows + slack, gains, [ONE] * world.n + ([] if limit is None else [limit]))
        if best is None:
            return found
        weights, prices = best
        used = [(w, column) for w, column in zip(weights, columns, strict=False) if w != 0]
        found = [[w * entry for entry in column] for w, column in used]
        rent = prices[-1] if limit is not None else ZERO

        def reduced(column: Column, prices: Column = prices, rent: fmpq = rent) -> arb:
            return of(column) - arb(dot(prices[: world.n], column)) - arb(rent) * taken(column)

        columns = columns + [_moved(column, reduced, step) for _, column in used]
        if rent > 0 and world.channel is None and name == "MutualInformationPrivacy":
            columns += [_tilted(column, of, prices, world) for _, column in used]
    return found


def _tilted(column: Column, of: Gain, prices: Column, world: World) -> Column:
    """Return the column of most reduced gain where the gain is as steep as it is here: Gibbs' variational formula."""
    assert world.secret_prior is not None
    before, exponents = of(column), []
    for x, p in enumerate(world.secret_prior):
        beside = [entry + H * (y == x) for y, entry in enumerate(column)]
        exponents.append(((of(beside) - before) / arb(H) - arb(prices[x])) / arb(prices[-1] * p))
    largest = max(exponents, key=lambda ball: float(ball.mid()))
    # Entries next to nothing are kept at a size that fractions can hold.
    apart = [exponent - largest for exponent in exponents]
    return [short(entry.exp()) if entry > -STEEPEST else fmpq(1, 2**200) for entry in apart]


def _moved(column: Column, reduced: Callable[[Column], arb], step: Step) -> Column:
    """Return the column after steps in each entry that make its reduced gain larger."""
    best, gain = column, reduced(column) / arb(max(column))
    for size in STEPS:
        for x in range(len(column)):
            for signed in (size, -size):
                tried = scaled(step(best, x, signed))
                new = reduced(tried)
                if new > gain:
                    best, gain = tried, new
    return best


def stretched(column: Column, x: int, signed: fmpq) -> Column:
    """Return the column with one entry larger, or smaller, by a factor."""
    moved = list(column)
    factor = ONE + signed if signed > 0 else ONE / (ONE - signed)
    moved[x] = short(max(moved[x], fmpq(1, 2**60)) * factor)
    return moved


def short(number: fmpq) -> fmpq:
    """Return a fraction of few bits next to a number."""
    return middle(arb(number), BITS)
