"""The two groups of inputs, and the subsets of each, for which a population's frequencies are estimated best."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.families.two_groups import TwoGroups
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers

#: Numbers of frequent inputs that are tried, and how many of the best ones are evaluated exactly.
CUTS, EVALUATED = 60, 3
#: The fewest inputs in a group.
FEWEST = 3
#: Orders of fields whose subsets are tried, and the least share that is a multiple of 1/16 or of more at least.
ORDERS, SMALL = (2, 3, 4, 5, 7, 8, 11, 16, 32, 64), 0.125


@dataclass(frozen=True, eq=False)
class _Trial:
    """The best subsets for a number of frequent inputs, with the variance that they would have for very many inputs."""

    value: float
    frequent: int
    alone: tuple[int, int]
    covered: tuple[int, int]
    beside: tuple[int, int]


def best_two_groups(theta: Array, ratio: Fraction) -> TwoGroups | None:
    """Return the family of two groups of least total variance at frequencies theta, of those tried; None without any.

    The numbers of frequent inputs form a geometric sequence; for each of them the subsets are chosen by a formula
    for very many inputs.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        Frequencies.
    ratio : Fraction
        E.

    Examples
    --------
    >>> from mechdesign.families.best import best_geometry, ratio_below
    >>> theta = 1.0 / np.arange(1.0, 5001.0)
    >>> theta /= theta.sum()
    >>> made = best_two_groups(theta, ratio_below(2.0))
    >>> len(made.frequent), made.alone, made.beside
    (114, (7, 1), (2, 0))
    >>> float(made.variances(theta).sum() / best_geometry(5000, ratio_below(2.0)).variances(theta).sum()) < 0.89
    True
    """
    n, rise = len(theta), float(ratio) - 1.0
    if n < 2 * FEWEST or rise == 0.0 or float(np.ptp(theta)) == 0.0:
        return None
    order = np.argsort(-theta, kind="stable")
    mass = np.cumsum(theta[order])
    cuts = np.unique(np.geomspace(FEWEST, n - FEWEST, CUTS).astype(int))
    trials = sorted((_best_subsets(n, int(m), float(mass[m - 1]), rise) for m in cuts), key=lambda one: one.value)
    made = [_made(trial, order, float(mass[trial.frequent - 1]), ratio) for trial in trials[:EVALUATED]]
    known = [one for one in made if one is not None]
    return min(known, key=lambda one: float(one.variances(theta).sum()), default=None)


def _best_subsets(n: int, m: int, mass: float, rise: float) -> _Trial:
    """Return the best subsets for m frequent inputs, of which people have `mass`, as if both groups were very large."""
    pairs = _pairs()
    # Shares that are covered: of rare inputs alone, of rare inputs beside frequent ones, of frequent ones.
    shares = np.array([k / q for q, k in pairs])
    alone, joint, covered = shares[:, None, None], np.append(0.0, shares)[None, :, None], shares[None, None, :]
    # Of next to no and of all information some are no numbers, and are not chosen.
    with np.errstate(all="ignore"):
        determinant = 1.0 + rise * joint - (1.0 + rise * covered) * (1.0 + rise * alone)
        first, second = rise * (joint - covered) / determinant, -rise * alone / determinant
        rare, both = 1.0 + rise * (1.0 - mass) * alone, 1.0 + rise * (mass * covered + (1.0 - mass) * joint)
        of_rare = first * alone * (1.0 - alone) / rare + second * joint * (1.0 - joint) / both
        of_frequent = second * covered * (1.0 - covered) / both
        sums = (n - m) / of_rare + m / of_frequent
        values = np.where((first > 0) & (second > 0) & (sums > 0), sums, np.inf)
    i, j, k = np.unravel_index(int(values.argmin()), values.shape)
    return _Trial(float(values[i, j, k]), m, pairs[i], pairs[k], pairs[j - 1] if j else (2, 0))


def _pairs() -> list[tuple[int, int]]:
    """Return q and k of subsets of each share that some order has, of the least one: its estimates are the quickest."""
    found: dict[Fraction, tuple[int, int]] = {}
    for q in ORDERS:
        for k in range(1, q):
            if q <= 16 or k < SMALL * q:
                found.setdefault(Fraction(k, q), (q, k))
    return list(found.values())


def _made(trial: _Trial, order: Integers, mass: float, ratio: Fraction) -> TwoGroups | None:
    """Return the family of a trial; None if a transform is too large, or small groups leave no probabilities."""
    frequent = tuple(np.sort(order[: trial.frequent]).tolist())
    try:
        made = TwoGroups(len(order), ratio, frequent, trial.alone, trial.covered, trial.beside, mass)
    except DomainError:
        return None
    return made
