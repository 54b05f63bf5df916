"""Private mechanisms in integers, and their utility in fractions or fifty digits: what bounds are held against."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.catalogue import card_of
from mechdesign.catalogue.digits import LOWERED, ColumnUtility
from mechdesign.exact import Integers, fractions
from mechdesign.notions import Notion
from mechdesign.objectives import Generator, Objective, PiecewiseLinear, RatioType
from mechdesign.objectives.base import gains_of
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: The sum of the rows of the integers, and how often the way to the notion's edge is halved: as far as floats see.
WHOLE, HALVINGS = 1 << 60, 54
#: Up to so many inputs a binary mechanism is tried for every set of them; of more inputs, for random sets.
FEW = 4


def private_integers(notion: Notion, problem: Problem, rng: np.random.Generator) -> list[Integers]:
    """Return integers whose rows have one sum and which satisfy `notion`: the constant, and others up to its edge."""
    n = problem.n
    starts = [np.eye(n, dtype=int)]
    sets = range(1, 2 ** (n - 1)) if n <= FEW else rng.integers(1, 2 ** (n - 1), size=2**FEW)
    for number in sets:
        chosen = np.array([number >> x & 1 for x in range(n)])
        starts.append(np.column_stack([chosen, 1 - chosen]))
    drawn = rng.integers(1, 1000, size=(n, 3))
    drawn[:, 0] += 3000 - drawn.sum(axis=1)
    starts.append(drawn)
    found = [np.full((n, 1), WHOLE, dtype=object)]
    for start in starts:
        at_edge = _toward_constant(notion, problem, start.astype(object))
        if at_edge is not None:
            found.append(at_edge)
    return found


def _toward_constant(notion: Notion, problem: Problem, start: Integers) -> Integers | None:
    """Return the start mixed with its mean over the inputs, as little as privacy asks for; None where nothing will."""
    total = int(start[0].sum())
    mean = start.sum(axis=0)[None, :] * np.ones((problem.n, 1), dtype=object)

    def mixed(share: int) -> Integers:
        found: Integers = problem.n * start * share + mean * ((1 << HALVINGS) - share)
        return found

    if not notion.holds_exactly(mixed(0), problem) or total <= 0:
        return None
    low, high = 0, 1 << HALVINGS
    if notion.holds_exactly(mixed(high), problem):
        return mixed(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if notion.holds_exactly(mixed(middle), problem) else (low, middle)
    return mixed(low)


def exact_utility(objective: Objective, problem: Problem, numerators: Integers) -> Fraction | None:
    """Return at most the utility of a matrix whose rows have one sum, or None without an exact formula.

    The objective's own numbers (costs, hypotheses, centred values) are the floats that they are.
    """
    exact = fractions(numerators)
    columns = [list(column / exact[0].sum()) for column in exact.T]
    if isinstance(objective, PiecewiseLinear):
        return _of_pieces(objective, problem, columns)
    each = _column_utility(objective, problem)
    return None if each is None else sum((each(column) for column in columns), Fraction(0))


def exact_columns(
    objective: Objective, problem: Problem, mechanisms: list[Integers]
) -> list[tuple[list[Fraction], Fraction]]:
    """Return every column of the mechanisms, of largest entry 1, with at most what it adds to the utility by itself."""
    each = _column_utility(objective, problem)
    if each is None:
        return []
    columns = [column for m in mechanisms for column in m.T if max(column) > 0]
    scaled = [[Fraction(int(entry), int(max(column))) for entry in column] for column in columns]
    return [(column, each(column)) for column in scaled]


def has_formula(objective: Objective, problem: Problem) -> bool:
    """Return whether an exact formula says what one column adds to the utility."""
    return _column_utility(objective, problem) is not None


def column_utility(objective: Objective, problem: Problem, column: list[Fraction]) -> Fraction:
    """Return at most what one column adds to the utility of an objective that has an exact formula here."""
    each = _column_utility(objective, problem)
    assert each is not None, f"{objective} has no exact formula"
    return each(column)


def dot(weights: Array, column: list[Fraction]) -> Fraction:
    """Return the exact product of floats with a column."""
    return sum((Fraction(float(w)) * v for w, v in zip(weights, column, strict=True)), Fraction(0))


def _of_pieces(objective: PiecewiseLinear, problem: Problem, columns: list[list[Fraction]]) -> Fraction | None:
    """Return minus the largest piece: the decisions are taken in their order, those left over are never made."""
    outputs = objective.outputs(problem)
    if objective.weight_box(problem) is not None or outputs is None or len(columns) > outputs:
        return None
    pieces = objective.pieces(problem).toarray().reshape(-1, problem.n, outputs)
    made = range(len(columns))
    return -max(sum((dot(piece[:, y], columns[y]) for y in made), Fraction(0)) for piece in pieces)


def _column_utility(objective: Objective, problem: Problem) -> ColumnUtility | None:
    gains = gains_of(objective, problem)
    if gains is not None:
        return lambda column: max(dot(row, column) for row in gains)
    # A subclass without a card of its own may ask something else.
    of_card = card_of(type(objective)).exact_utility
    if of_card is not None:
        return of_card(objective, problem)
    if isinstance(objective, RatioType):
        ratio = objective.ratio(problem)
        if ratio.f.to_sixty_digits(Fraction(1)) is None:
            return None
        return lambda column: _ratio(ratio.f, dot(ratio.a, column), dot(ratio.b, column))
    return None


def _ratio(f: Generator, first: Fraction, second: Fraction) -> Fraction:
    if second == 0:
        return Fraction(0)
    found = f.to_sixty_digits(first / second)
    assert found is not None, "it has a formula at one ratio and none at another"
    return second * (found - LOWERED * (abs(found) + abs(first / second)))
