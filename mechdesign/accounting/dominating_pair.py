"""One pair of laws whose hockey-stick divergences are at least the divergences of all pairs of inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from mechdesign.accounting.loss_grid import UNIT
from mechdesign.accounting.privacy_loss import PrivacyLoss, largest_ratio, privacy_loss, rules_out
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array

#: Ratios at which divergences are computed, at least and at most; and operations for all of them.
FEWEST, MOST_RATIOS, MOST_WORK = 64, 1024, 10**9
#: Units in the last place by which the last ratio is beyond the largest one; how near two of them may be, in nats:
#: the rounding of divergences is divided by it.
BEYOND, NEAREST = 64.0, 1e-8
#: Entries of a block of rows that is computed at once.
BLOCK = 1 << 22


def dominating_loss(sets: Sequence[Integers]) -> PrivacyLoss:
    r"""Return the privacy loss of a pair (P, Q) that dominates all pairs of rows, in both orders.

    The divergence :math:`H(a) = \sum_y (P_y - a Q_y)_+` of each pair of rows is convex in a, and so is the largest of
    them. It is computed at some ratios, rounded upward, and joined by straight lines, which lie above it; the joined
    curve is the divergence of one pair, whose composition dominates the composition of each pair of rows. For more rows
    than there is time for it is the pair of a binary randomised response with the largest ratio of two entries of a
    column.

    Parameters
    ----------
    sets : sequence of ndarray
        Rows as integers of one sum, among whose pairs the worst one is.

    Raises
    ------
    DomainError
        A zero beside a positive entry in more rows than there is time for.

    References
    ----------
    Y. Zhu, J. Dong, Y.-X. Wang, "Optimal Accounting of Differential Privacy via Characteristic Function", AISTATS 2022.

    V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, "Connect the Dots: Tighter Discrete Approximations of
    Privacy Loss Distributions", PoPETs 2022.

    Examples
    --------
    >>> dominating_loss([np.array([[3, 1, 4], [1, 3, 4], [2, 2, 4]], dtype=object)]).losses.max().round(6).tolist()
    1.098612
    """
    work = sum(len(rows) ** 2 * rows.shape[1] for rows in sets)
    number = min(MOST_WORK // max(work, 1), MOST_RATIOS)
    top = max(largest_ratio(rows) for rows in sets)
    if number < FEWEST:
        if any(rules_out(rows) for rows in sets):
            rule = (
                f"reports that rule out inputs are composed up to {MOST_WORK // FEWEST:,} entries of all pairs of rows"
            )
            raise DomainError("mechanism", "of many inputs", rule, "merge inputs")
        return privacy_loss([top.numerator, top.denominator], [top.denominator, top.numerator])
    # Beyond the largest ratio by more than all rounding: nothing but what rules inputs out is left there.
    last = float(top) * (1.0 + BEYOND * UNIT)
    ratios = np.geomspace(1.0 / last, last, min(number, 2 + int(2.0 * math.log(last) / NEAREST)))
    ratios[-1] = last
    return joined(ratios, lambda at: _divergences(sets, at))


def joined(ratios: Array, divergences: Callable[[Array], Array]) -> PrivacyLoss:
    """Return the privacy loss whose divergence is what lines join, between 0, the ratios, and infinity.

    Parameters
    ----------
    ratios : ndarray, shape (k,)
        Positive and ascending.
    divergences : callable
        From ratios to upper bounds on ``sum_y (P_y - ratio Q_y)_+``, at most 1.
    """
    at = [Fraction(0), *map(Fraction, np.unique(ratios).tolist())]
    heights = [Fraction(1), *(Fraction(float(height)) for height in divergences(np.unique(ratios)))]
    pieces = zip(heights, heights[1:], at, at[1:], strict=False)
    slopes = [(after - before) / (right - left) for before, after, left, right in pieces]
    # What rounding made concave is raised: the mass of a ratio is the change of the slope there.
    changes = [after - before for before, after in zip(slopes, [*slopes[1:], Fraction(0)], strict=True)]
    masses = {ratio: max(change, Fraction(0)) for ratio, change in zip(at[1:], changes, strict=True)}
    return PrivacyLoss.of_masses({ratio: (ratio * mass, mass) for ratio, mass in masses.items()}, heights[-1])


def _divergences(sets: Sequence[Integers], ratios: Array) -> Array:
    """Return the largest divergence of two rows at each ratio, rounded upward."""
    found = np.zeros(len(ratios))
    for rows in sets:
        matrix = rows.astype(float) / float(sum(rows[0].tolist()))
        outward = 1.0 + (len(matrix[0]) + 8.0) * UNIT
        wide = max(1, BLOCK // matrix.size)
        for row, start in product(matrix * (1.0 + 4.0 * UNIT), range(0, len(ratios), wide)):
            times = ratios[start : start + wide, None, None] * (1.0 - 4.0 * UNIT)
            most = np.maximum(row - times * matrix, 0.0).sum(axis=2).max(axis=1)
            found[start : start + wide] = np.maximum(found[start : start + wide], most * outward)
    return np.minimum(found, 1.0)
