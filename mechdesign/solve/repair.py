"""From a solver's matrix to an exactly private one: merged, mixed just enough, rounded to multiples of 2**-53."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.domains import Array
from mechdesign.exact import Integers, dyadic
from mechdesign.notions import Notion
from mechdesign.problem import Problem
from mechdesign.tolerances import DENOMINATOR_BITS, NEGLIGIBLE_MASS

ONE = 1 << DENOMINATOR_BITS

#: Lifts that add up to more than this would replace the mechanism rather than repair it.
LARGEST_LIFT = 0.25
#: Shares of the constant mechanism that are tried in turn.
SHARES = (0.0, *(2.0**-k for k in range(52, 0, -1)))


@dataclass(frozen=True)
class Repaired:
    """An exactly private matrix, and what share of the constant mechanism was mixed in."""

    matrix: Array
    mixed: float


def repair(
    matrix: Array, notion: Notion, problem: Problem, *, keep_outputs: bool = False, constant: Array | None = None
) -> Repaired:
    """Return a matrix near `matrix` that passes the notion's exact check.

    An already private dyadic matrix is left untouched. Otherwise each column is first lifted by the constant that
    it lacks (mixing with a constant mechanism whose masses are the columns' needs: an output of small mass costs
    what it misses, not what its ratio misses), then all is mixed with the constant mechanism of the same masses,
    by the smallest share of a doubling ladder that passes; the whole of it where the interior is empty.
    Outputs of next to no mass are merged into the heaviest (emptied where `keep_outputs`). `constant` is the row to
    return where only constant mechanisms are private (the best single decision); the columns' masses by default.
    """
    whole = dyadic(matrix)
    if whole is not None and notion.holds_exactly(whole, problem):
        return Repaired(matrix, 0.0)
    stochastic = _stochastic(matrix)
    masses = notion.normal(problem) @ stochastic
    stochastic = _without_negligible(stochastic, masses, keep_outputs)
    if not len(notion.budget(problem)):
        stochastic = _lifted(stochastic, notion, problem)
    masses = notion.normal(problem) @ stochastic
    for share in SHARES:
        mixed = (1.0 - share) * stochastic + share * masses
        rounded = round_rows(mixed)
        if notion.holds_exactly(rounded, problem):
            return Repaired(np.ldexp(rounded.astype(float), -DENOMINATOR_BITS), share)
    rounded = round_rows(np.tile(masses if constant is None else constant, (problem.n, 1)), constant=True)
    if notion.holds_exactly(rounded, problem):
        return Repaired(np.ldexp(rounded.astype(float), -DENOMINATOR_BITS), 1.0)
    raise AssertionError("the constant mechanism is private for every notion at a feasible level")


def round_rows(matrix: Array, constant: bool = False) -> Integers:
    """Return integers near ``matrix * 2**53`` whose rows sum to ``2**53``; the largest entry takes what is left over.

    Zeros stay zeros. The rows of a constant matrix stay equal.
    """
    scaled = np.ldexp(matrix / matrix.sum(axis=1, keepdims=True), DENOMINATOR_BITS)
    numerators = np.floor(np.minimum(scaled, ONE)).astype(np.int64)
    largest = numerators[0].argmax() if constant else numerators.argmax(axis=1)
    if constant:
        numerators[:] = numerators[0]
    rows = np.arange(len(numerators))
    # Python's integers: a row of many large entries may pass int64.
    missing = ONE - numerators.astype(object).sum(axis=1)
    numerators[rows, largest] += missing.astype(np.int64)
    result: Integers = numerators
    return result


def _lifted(matrix: Array, notion: Notion, problem: Problem) -> Array:
    """Return the matrix with the least constant of a ladder added to each column that lies outside the cone."""
    masses = notion.normal(problem) @ matrix
    lifts = np.zeros(len(masses))

    def lacks(y: np.intp, lift: float) -> bool:
        numerators = np.floor(np.ldexp(matrix[:, [y]] + lift, DENOMINATOR_BITS)).astype(np.int64)
        return not notion.holds_exactly(numerators, problem)

    for y in np.flatnonzero(masses > 0):
        if not lacks(y, 0.0):
            continue
        low, high = -52, 8
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if lacks(y, masses[y] * 2.0**middle) else (low, middle)
        lifts[y] = masses[y] * 2.0**low
    # Where no small lift helps (an empty interior), mixing and the constant mechanism are left to decide.
    return matrix if lifts.sum() > LARGEST_LIFT else np.asarray((matrix + lifts) / (1.0 + lifts.sum()))


def _stochastic(matrix: Array) -> Array:
    clipped = np.maximum(matrix, 0.0)
    totals = clipped.sum(axis=1, keepdims=True)
    # A row without mass says nothing: it gets the mean of the others.
    usable = clipped[totals[:, 0] > 0].mean(axis=0) if np.any(totals > 0) else np.ones(matrix.shape[1])
    filled = np.where(totals > 0, clipped, usable)
    return np.asarray(filled / filled.sum(axis=1, keepdims=True))


def _without_negligible(matrix: Array, masses: Array, keep_outputs: bool) -> Array:
    small = masses < NEGLIGIBLE_MASS
    if not small.any():
        return matrix
    result = matrix.copy()
    result[:, masses.argmax()] += matrix[:, small].sum(axis=1)
    result[:, small] = 0.0
    return result if keep_outputs else result[:, ~small]
