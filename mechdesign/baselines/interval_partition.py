"""The best randomised response on consecutive cells: a dynamic programme over cuts of the inputs sorted by ratio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.notions import LDP
from mechdesign.objectives import Ratio, RatioType
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, require_time
from mechdesign.tolerances import LARGEST_EXPONENT

#: Passes of Dinkelbach's method; it converges faster than linearly, so that more only repeat what rounding allows.
MOST_PASSES = 64
#: A pass that raises the value by less than this share of it changes nothing but rounding.
SAME = 1e-14
#: Beyond so many inputs cuts are first sought among so few places: a good start, and an answer where time is short.
MANY, PLACES = 4096, 1024
#: Inputs after which a pass looks at the clock.
OFTEN = 64

#: Beyond this ratio of a column's entries, what its outputs gain is computed from differences of the two distributions.
NEXT_TO_ONE = 0.999

#: Gains of the cells from each of the starts ``0..end-1`` to before `end`.
Arcs = Callable[[int], Array]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Cells:
    """Inputs in the order of their ratio, and where that order is cut: ``cuts[0] = 0 < ... < cuts[k] = n``."""

    order: Indices
    cuts: Indices

    @property
    def count(self) -> int:
        """The number k of cells."""
        return len(self.cuts) - 1

    def matrix(self, low: float) -> Array:
        """Return k-ary randomised response on the cells, ``(low + (1 - low) 1_cell) / (k low + 1 - low)``."""
        cell = np.empty(len(self.order), dtype=int)
        cell[self.order] = np.repeat(np.arange(self.count), np.diff(self.cuts))
        inside = cell[:, None] == np.arange(self.count)
        return np.where(inside, 1.0, low) / (self.count * low + 1.0 - low)


def by_ratio(ratio: Ratio) -> Array:
    """Return ``a_x / b_x`` of each input, infinite where b is 0, and 0 where both are."""
    a, b = np.asarray(ratio.a, dtype=float), np.asarray(ratio.b, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.nan_to_num(a / b, nan=0.0, posinf=np.inf, neginf=-np.inf))


def best_partition(notion: LDP, objective: RatioType, problem: Problem, most: int) -> Array:
    """Return k-ary randomised response on the best k <= `most` cells under `notion`, shape (n, k)."""
    low = float(np.exp(-min(notion.epsilon, LARGEST_EXPONENT)))
    return best_cells(objective.ratio(problem), low, most).matrix(low)


def best_cells(ratio: Ratio, low: float, most: int | None = None) -> Cells:
    """Return the cells of largest ``sum_cells mu(low + (1 - low) 1_cell) / (k low + 1 - low)``, at most `most` of them.

    With ``low = e^-epsilon`` that is the utility of k-ary randomised response on k cells. For utilities of ratio type
    under LDP no mechanism has more, and none of at most k outputs has more than that on at most k cells: given
    decisions, each input hands out the same mass to those that it gains most from, in windows that move with its ratio.

    Parameters
    ----------
    low : float
        In (0, 1]: least over largest entry of a column.
    most : int, optional
        At least 1.

    Raises
    ------
    OutOfTime
        The deadline passed with `most`; without it the best cells so far are returned.

    References
    ----------
    This package, found independently of E. Ghazi, "Sort, Partition, Randomize", arXiv 2606.07443 (2026), which has the
    same structure for f-divergences of two hypotheses.
    """
    order = np.argsort(by_ratio(ratio), kind="stable")
    n = len(order)
    cuts, everywhere = np.array([0, n]), np.arange(n + 1)
    few = np.unique(np.linspace(0, n, PLACES + 1).astype(np.intp))
    for places in (few, everywhere) if n > MANY else (everywhere,):
        if low < 1.0:
            cuts = places[_dinkelbach(_arcs(ratio, order, low, places), np.searchsorted(places, cuts), low)]
    if most is not None and len(cuts) - 1 > most:
        cuts = _in_layers(_arcs(ratio, order, low, everywhere), n, low, most)
    return Cells(order, cuts)


def _arcs(ratio: Ratio, order: Indices, low: float, places: Indices) -> Arcs:
    """Return the gains of ``low + (1 - low) 1_cell`` for all cells that end at the same of `places`, by prefix sums."""
    vectors = (ratio.a, ratio.b, ratio.difference)
    sums = (np.concatenate([[0.0], np.asarray(part)[order].cumsum()])[places] for part in vectors)
    totals = (*(float(np.sum(part)) for part in vectors[:2]), ratio.total)
    before = [(1.0 - low) * each for each in sums]
    parts = [low * total + each for total, each in zip(totals, before, strict=True)]

    def exact(end: int) -> Array:
        return ratio.utility(*(part[end] - start[:end] for part, start in zip(parts, before, strict=True)))

    def quick(end: int) -> Array:
        masses, firsts = parts[1][end] - before[1][:end], parts[0][end] - before[0][:end]
        # A mass that is lost in the sum of those before gains nothing.
        ratios = np.divide(firsts, masses, out=np.zeros_like(masses), where=masses > 0)
        return np.asarray(masses * ratio.values(ratios))

    # The ratios themselves keep digits enough to choose between cells, unless all are next to one.
    return exact if low > NEXT_TO_ONE else quick


def _dinkelbach(arcs: Arcs, cuts: Indices, low: float) -> Indices:
    """Return the cuts of largest ``sum gains / (k low + 1 - low)``: the sum less value times mass, until it is 0."""
    n = int(cuts[-1])
    value = sum(float(arcs(end)[start]) for start, end in pairwise(cuts)) / ((len(cuts) - 1) * low + 1.0 - low)
    kept = _Kept(arcs, n)
    for _ in range(MOST_PASSES):
        longest, found = _longest(kept, n, value * low)
        if found is None:
            break
        reached = longest / ((len(found) - 1) * low + 1.0 - low)
        if not reached > value + SAME * abs(value):
            break
        cuts, value = found, reached
    return cuts


class _Kept:
    """The gains of all cells, kept between passes where there are not too many."""

    #: Cells that are kept, of 8 bytes each.
    most = 1 << 22

    def __init__(self, arcs: Arcs, n: int) -> None:
        self.arcs, self.known = arcs, [arcs(end) for end in range(n + 1)] if n * n // 2 <= self.most else None

    def __call__(self, end: int) -> Array:
        return self.arcs(end) if self.known is None else self.known[end]


def _longest(arcs: Arcs, n: int, toll: float) -> tuple[float, Indices | None]:
    """Return the largest sum of gains of cells, each less `toll` in the choice but not in the sum, with its cuts.

    Where the deadline passes there are no cuts.
    """
    best, gained, before = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1, dtype=np.intp)
    for end in range(1, n + 1):
        if end % OFTEN == 0 and is_late():
            return 0.0, None
        gains = arcs(end)
        sums = best[:end] + gains
        start = int(sums.argmax())
        before[end], best[end], gained[end] = start, sums[start] - toll, gained[start] + gains[start]
    cuts = [n]
    while cuts[-1] > 0:
        cuts.append(int(before[cuts[-1]]))
    return float(gained[n]), np.array(cuts[::-1])


def _in_layers(arcs: Arcs, n: int, low: float, most: int) -> Indices:
    """Return the cuts of largest ``sum gains / (k low + 1 - low)`` with at most `most` cells: a layer for each k."""
    best, before = np.full((most + 1, n + 1), -np.inf), np.zeros((most + 1, n + 1), dtype=np.intp)
    best[0, 0] = 0.0
    layers = np.arange(most)
    for end in range(1, n + 1):
        if end % OFTEN == 0:
            require_time("the cells of so few outputs were sought")
        sums = best[:-1, :end] + arcs(end)
        before[1:, end] = sums.argmax(axis=1)
        best[1:, end] = sums[layers, before[1:, end]]
    counts = np.arange(1, most + 1)
    k = int(counts[(best[1:, n] / (counts * low + 1.0 - low)).argmax()])
    cuts: list[Any] = [n]
    for layer in range(k, 0, -1):
        cuts.append(before[layer, cuts[-1]])
    return np.array(cuts[::-1], dtype=np.intp)
