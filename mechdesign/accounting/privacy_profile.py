r"""The privacy profile: ``delta(epsilon) = max_{x, z} sum_y max(0, Q[x, y] - e^epsilon Q[z, y])``, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Integers, exp_below
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem.columns_of_data import array
from mechdesign.tolerances import LARGEST_EXPONENT

#: Two rows of integers, entry by entry.
Pair = tuple[tuple[int, int], ...]
#: Pairs that tie for the worst are computed in fractions up to so many; of more, the rounding of floats is added.
MOST_TIES = 512


def privacy_profile(numerators: Integers, epsilons: npt.ArrayLike) -> Array:
    """Return the least delta of (epsilon, delta)-LDP for each of `epsilons` (nats, at least 0), rounded up.

    Pairs of rows are compared in floating point; those that may be the worst are computed in fractions, with an
    exponential that is too small by less than 1e-57 of it, and the largest is rounded up to a float; where more than
    `MOST_TIES` pairs tie, to one that is larger by the rounding of floats, some 1e-12. Arguments and errors are those
    of `Mechanism.privacy_profile`; rows of `numerators` have one sum.

    Examples
    --------
    >>> privacy_profile(np.array([[3, 1], [1, 3]]), [0.0, 2.0]).tolist()
    [0.5, 0.0]
    """
    levels = domains.vector(
        "epsilons", np.atleast_1d(np.asarray(epsilons)) if np.ndim(epsilons) == 0 else array("epsilons", epsilons)
    )
    for at, level in enumerate(levels):
        domains.real(f"epsilons[{at}]", float(level), 0.0)
    total = sum(numerators[0].tolist())
    matrix = numerators.astype(float) / float(total)
    return frozen([_delta(numerators, matrix, total, float(level)) for level in levels])


def _delta(numerators: Integers, matrix: Array, total: int, epsilon: float) -> float:
    factor = math.exp(min(epsilon, LARGEST_EXPONENT))
    # Rounding moves no sum by more; an exponent that was cut only makes them larger.
    unit = np.finfo(float).eps
    rounding = 8.0 * unit * (matrix.shape[1] + 4)
    # Larger than the truth: where this is 0, so is the delta of the pair.
    screened = np.array([np.maximum(row * (1.0 + 8.0 * unit) - factor * matrix, 0.0).sum(axis=1) for row in matrix])
    exact = exp_below(epsilon)
    worst, seen = Fraction(0), set[Pair]()
    tied = np.argwhere((screened > 0) & (screened >= screened.max() - 2.0 * rounding))
    if len(tied) > MOST_TIES:
        return float(min(screened.max() + rounding, 1.0))
    for x, z in tied:
        # Of pairs that are alike up to the order of their outputs one is enough.
        alike = sorted_pair(numerators[x].tolist(), numerators[z].tolist())
        if alike not in seen:
            seen.add(alike)
            parts = (a * exact.denominator - b * exact.numerator for a, b in alike)
            worst = max(worst, Fraction(sum(part for part in parts if part > 0), total * exact.denominator))
    return _above(worst)


def sorted_pair(first: Sequence[int], second: Sequence[int]) -> Pair:
    """Return two rows in one order of the outputs, which pairs have in common that differ by that order alone."""
    return tuple(sorted(zip(first, second, strict=True)))


def _above(fraction: Fraction) -> float:
    found = float(fraction)
    return found if Fraction(found) >= fraction else math.nextafter(found, math.inf)
