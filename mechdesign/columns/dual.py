"""What a proof gives for functionals that are to be nonnegative on a notion's columns, and tests that notions share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.exact import Fractions, Integers
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class Shown:
    """Multipliers that prove functionals nonnegative, as integers in the unit of the functionals.

    Attributes
    ----------
    charges : ndarray, shape (m, k)
        What each functional may count for each of the notion's budgets: ``w . v + charges . beta(v) >= 0`` is shown.
    own : sequence of mapping
        For each functional the notion's own numbers by their places; those that are left out are zero.
    """

    charges: Integers
    own: Sequence[Mapping[int, int]]


def own_of(shown: Shown | None, count: int) -> Sequence[Mapping[int, int]]:
    """Return the numbers of each of `count` functionals: none where nothing is given."""
    return [{}] * count if shown is None else shown.own


def charges_of(shown: Shown | None, count: int, budgets: int) -> Integers:
    """Return what each functional may count for each budget, shape (count, budgets): nothing where nothing is given."""
    return np.zeros((count, budgets), dtype=object) if shown is None else shown.charges


def covers_pairs(functional: Integers, own: Mapping[int, int], ratio: Callable[[int, int], Fraction | None]) -> bool:
    """Return whether a functional is at least a sum of ``ratio(i, j) v_j - v_i``, each times a number from 0 on.

    The numbers are those of `own`, at the place ``i k + j``; a ratio of None is that of a pair that is not compared.
    """
    left = [Fraction(entry) for entry in functional]
    for place, times in own.items():
        i, j = divmod(place, len(left))
        most = ratio(i, j) if i < len(left) and i != j else None
        if most is None or times < 0:
            return False
        left[i] += times
        left[j] -= times * most
    return min(left) >= 0


def ratio_rows(count: int, ratios: Iterable[tuple[int, int, Fraction]]) -> Fractions:
    """Return the rows ``ratio v_j - v_i`` over the secrets, each given as i, j and its ratio, shape (rows, k)."""
    given = list(ratios)
    rows = np.array([[Fraction(0)] * count] * len(given), dtype=object).reshape(len(given), count)
    for row, (i, j, ratio) in zip(rows, given, strict=True):
        row[i], row[j] = Fraction(-1), ratio
    return rows


def shares_of_secret(problem: Problem) -> list[Fraction]:
    """Return the prior of the secret in exact arithmetic, with the sum one."""
    numerators = problem.exact_prior_of_secret
    return [Fraction(each, sum(numerators)) for each in numerators]


def numbers_of(vector: Array) -> dict[int, float]:
    """Return the entries of a vector that are not zero by their places."""
    return {int(place): float(vector[place]) for place in np.flatnonzero(vector)}
