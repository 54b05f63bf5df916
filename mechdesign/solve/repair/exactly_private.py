"""From a solver's matrix to an exactly private one: merged, mixed just enough, rounded to multiples of 2**-53."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.exact import Integers, dyadic, round_rows
from mechdesign.notions import Notion
from mechdesign.notions.exact_check import columns_hold
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.solve.pricing.revealing_outputs import reveals
from mechdesign.solve.repair.stochastic_rows import stochastic_rows
from mechdesign.tolerances import DENOMINATOR_BITS, NEGLIGIBLE_MASS

#: Lifts that add up to more than this would replace the mechanism rather than repair it.
LARGEST_LIFT = 0.25
#: Shares of the constant mechanism that are tried in turn.
SHARES = (0.0, *(2.0**-k for k in range(52, 0, -1)))

#: What is mixed in without a search where no entry is less than PLAIN: rounding takes about as much of ten outputs.
TRIFLE, PLAIN = 2.0**-44, 2.0**-16
#: What is mixed in with many outputs: one entry of a row takes the rounding of all, and is less the more there are.
TRIFLE_OF_PAIR = 2.0**-51
#: Where less than so many seconds are left, the ladder begins at this step, and no share below this is made smaller.
HURRY, FROM, SMALL = 0.5, 8, 1e-9

#: A repair that moves no entry further is as good as any.
NEAR = 2.0**-45
#: Most columns lack no more than rounding: the search of their lift, by halving, begins so far up its ladder.
ROUNDING_LIFT = -49

#: How often the last step of the ladder is halved, under a budget: what is mixed in then is at most 2 % too much, and
#: where that matters: more than this share.
HALVINGS, LITTLE = 6, 2.0**-40


@dataclass(frozen=True)
class Repaired:
    """An exactly private matrix, and what share of the constant mechanism was mixed in."""

    matrix: Array
    mixed: float


def repair(
    matrix: Array, notion: Notion, problem: Problem, *, keep_outputs: bool = False, constant: Array | None = None
) -> Repaired:
    """Return a matrix near `matrix`, shape (n, m), that passes the notion's exact check.

    An already private dyadic matrix is left untouched, and one without zeros that lacks no more than rounding is mixed
    with a trifle of the constant mechanism. Otherwise each column is first lifted by the constant that
    it lacks (mixing with a constant mechanism whose masses are the columns' needs: an output of small mass costs
    what it misses, not what its ratio misses), then all is mixed with the constant mechanism of the same masses,
    by the smallest share of a doubling ladder that passes; the whole of it where the interior is empty.
    Outputs of negligible mass are merged into the heaviest (emptied where `keep_outputs`). `constant` is the row to
    return where only constant mechanisms are private (the best single decision); the columns' masses by default.
    Outputs that reveal an input, where the notion allows them, keep their zeros: what is mixed in falls on the others.
    """
    whole = dyadic(matrix)
    if whole is not None and notion.holds_exactly(whole, problem):
        # A solver's zero may have a sign, which no file keeps.
        return Repaired(matrix + 0.0, 0.0)
    stochastic = _without_negligible(stochastic_rows(matrix), notion, problem, keep_outputs)
    # Outputs that are never made stay so: the others are mended without them.
    made = stochastic.max(axis=0) > 0
    mended = _barely_mixed(stochastic[:, made], notion, problem) or _nearest(stochastic[:, made], notion, problem)
    if mended is not None:
        found = np.zeros(stochastic.shape)
        found[:, made] = mended.matrix
        return Repaired(found, mended.mixed)
    masses = _constant(stochastic, notion, problem)
    single = masses if constant is None else np.pad(constant, (0, len(masses) - len(constant)))
    rounded = round_rows(np.tile(single, (problem.n, 1)), constant=True)
    if notion.holds_exactly(rounded, problem):
        return Repaired(_floats(rounded), 1.0)
    raise AssertionError("the constant mechanism is private for every notion at a feasible level")


def _barely_mixed(stochastic: Array, notion: Notion, problem: Problem) -> Repaired | None:
    """Return the matrix mixed by a trifle, where that is one beside every entry, and all it lacks."""
    if not stochastic.min() >= PLAIN:
        return None
    share = max(TRIFLE, TRIFLE_OF_PAIR * stochastic.shape[1] ** 2)
    rounded = round_rows((1.0 - share) * stochastic + share * _constant(stochastic, notion, problem))
    return Repaired(_floats(rounded), share) if notion.holds_exactly(rounded, problem) else None


def _nearest(stochastic: Array, notion: Notion, problem: Problem) -> Repaired | None:
    """Return the nearest of the mended matrices, or None if mending makes no private matrix."""
    found: list[tuple[float, Repaired]] = []
    for kept in _patterns(stochastic, notion, problem):
        repaired = _mended(stochastic, kept, notion, problem)
        if repaired is not None:
            found.append((float(np.abs(repaired.matrix - stochastic).max()), repaired))
            if found[-1][0] <= NEAR or is_late():
                break
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _mended(stochastic: Array, kept: Array, notion: Notion, problem: Problem) -> Repaired | None:
    """Return the matrix lifted, mixed and rounded at the entries `kept`, or None where no share passes."""
    # What bounds single columns is mended at them; sums over columns are left to mixing.
    for part in notion.members():
        if not len(part.columns(problem).budget()):
            stochastic = _lifted(stochastic, kept, part, problem)
    constant_rows = _on(kept, _constant(stochastic, notion, problem))
    found: dict[int, Repaired] = {}

    def passes(step: int) -> bool:
        share = SHARES[step]
        rounded = round_rows((1.0 - share) * stochastic + share * constant_rows)
        if notion.holds_exactly(rounded, problem):
            found[step] = Repaired(_floats(rounded), share)
        return step in found

    least = _least_step(passes)
    if least is None:
        return None
    return _with_least(stochastic, constant_rows, found[least], SHARES[max(least - 1, 0)], notion, problem)


def _least_step(passes: Callable[[int], bool]) -> int | None:
    """Return the first of the `SHARES` that passes, by strides that double, then by halving; None where none does."""
    last, left = len(SHARES) - 1, time_left()
    hurried = left is not None and left < HURRY
    low, high = -1, FROM if hurried else 0
    while not passes(high):
        if high == last:
            return None
        low, high = high, min(max(2 * high, 1), last)
    while high - low > 1 and not (is_late() or (hurried and SHARES[high] <= SMALL)):
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def _with_least(
    stochastic: Array, constant_rows: Array, found: Repaired, lower: float, notion: Notion, problem: Problem
) -> Repaired:
    """Return a smaller share than `found` has, where a budget makes that matter; `lower` is too small a share."""
    for _ in range(HALVINGS if len(notion.columns(problem).budget()) and found.mixed > LITTLE else 0):
        if is_late():
            break
        share = (lower + found.mixed) / 2.0
        rounded = round_rows((1.0 - share) * stochastic + share * constant_rows)
        if notion.holds_exactly(rounded, problem):
            found = Repaired(_floats(rounded), share)
        else:
            lower = share
    return found


def _floats(rounded: Integers) -> Array:
    return np.asarray(np.ldexp(rounded.astype(float), -DENOMINATOR_BITS))


def _patterns(matrix: Array, notion: Notion, problem: Problem) -> list[Array]:
    """Return where entries may be mended, as ones: everywhere, and at all but the zeros where these can stay.

    What an output rules out stays ruled out then: a little of it may cost much.
    """
    nonzero, everywhere = (matrix > 0).astype(float), np.ones_like(matrix)
    if nonzero.all():
        return [everywhere]
    constant = _on(nonzero, _constant(matrix, notion, problem))
    possible = np.all(constant.sum(axis=1) > 0) and notion.holds_exactly(round_rows(constant), problem)
    return [nonzero, everywhere] if possible else [everywhere]


def _on(kept: Array, masses: Array) -> Array:
    """Return the rows of masses with none but at the entries that are kept."""
    left = kept * masses
    totals = left.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(left, totals, out=np.zeros_like(left), where=totals > 0))


def _lifted(matrix: Array, kept: Array, notion: Notion, problem: Problem) -> Array:
    """Return the matrix with the least constant of a ladder added to each column that lies outside the cone."""
    masses = notion.columns(problem).normal @ matrix
    lifts = np.zeros(len(masses))

    def lacks(columns: Any, lift: Any) -> Any:
        # Rounded either way: a lift that is a unit short is left to mixing, by the exact check of the whole.
        numerators = np.floor(np.ldexp(matrix[:, columns] + lift, DENOMINATOR_BITS)).astype(np.int64)
        return ~columns_hold(notion, numerators, problem)

    used = np.flatnonzero(masses > 0)
    outside = used[lacks(used, 0.0)]
    low, high = np.full(len(outside), -52), np.full(len(outside), 8)
    middle = np.full(len(outside), ROUNDING_LIFT)
    while np.any(low < high) and not is_late():
        open_ = np.flatnonzero(low < high)
        short = np.zeros(len(outside), dtype=bool)
        short[open_] = lacks(outside[open_], np.ldexp(masses[outside[open_]], middle[open_]))
        low, high = np.where(short, middle + 1, low), np.where(short, high, middle)
        middle = (low + high) // 2
    lifts[outside] = np.ldexp(masses[outside], high)
    # Where no small lift helps (an empty interior), mixing and the constant mechanism are left to decide.
    if lifts.sum() > LARGEST_LIFT:
        return matrix
    raised = matrix + lifts * kept
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _constant(matrix: Array, notion: Notion, problem: Problem) -> Array:
    """Return the row of the constant mechanism with the columns' masses, none on outputs that reveal an input."""
    masses = notion.columns(problem).normal @ matrix
    own = reveals(matrix, notion.columns(problem).revealed)
    others = np.where(own, 0.0, masses)
    return np.asarray(others / others.sum() if own.any() and others.any() else masses)


def _without_negligible(matrix: Array, notion: Notion, problem: Problem, keep_outputs: bool) -> Array:
    masses, own = notion.columns(problem).normal @ matrix, reveals(matrix, notion.columns(problem).revealed)
    # By the largest entry, not the mass: an output of a rare input may be all that reveals it.
    small = (matrix.max(axis=0) < NEGLIGIBLE_MASS) & ~own
    if not small.any():
        return matrix
    result = matrix.copy()
    result[:, np.where(own, -1.0, masses).argmax()] += matrix[:, small].sum(axis=1)
    result[:, small] = 0.0
    return result if keep_outputs else result[:, ~small]
