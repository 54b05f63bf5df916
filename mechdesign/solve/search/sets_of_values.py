"""Sets of inputs for the least variance of a mean under LDP: from every other value to all of them, and priced exactly.

The best sets of neighbouring values are intervals whose ends move with the score, and the best sets of a question about
every other value, with the values between on either side, are nearly the best ones of all: each level of twice as many
values begins near its optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.programs.over_scored_sets import Scored, ScoredSets, Sets
from mechdesign.solve.programs.over_scores import Slopes, Unbiased
from mechdesign.solve.task import Task

#: Values of which all intervals are listed.
FEW = 12
#: Programs over the sets of one level of values at most, and those after which none has come nearer by this factor.
ROUNDS, PATIENCE, NEARER = 40, 4, 0.9
#: How far on the way from the best multipliers to the program's they are priced, beside the latter (Wentges 1997).
MIXED = 0.5
#: The share of the gap at which a level of fewer values ends, and all values.
COARSE, NEAR = 3.0, 0.3
#: Sets for each input, beyond which those without weight are forgotten.
MANY = 8
#: Numbers in one block of intervals times inputs.
BLOCK = 1 << 21


class SetsOfValues:
    """The sets of one question, from which a mechanism is made; inputs in the order that the question has them.

    Parameters
    ----------
    wanted : ndarray, shape (n,)
        The expectation of the score of each input, about one in size.
    theta : ndarray, shape (n,), or None
        The population over which the variance is averaged; None for the largest variance of an input.
    """

    def __init__(self, task: Task, wanted: Array, theta: Array | None, solver: str) -> None:
        self.task, self.solver = task, solver
        self.order = np.argsort(wanted, kind="stable")
        self.place = np.argsort(self.order)
        self.wanted, self.theta = wanted[self.order], None if theta is None else theta[self.order]
        self.programs = ScoredSets(task, self.wanted, self.theta, solver)
        #: What is known of the sets so far, shape (n, m), and the share of the gap that may be left.
        self.sets: Sets | None = None
        self.share = NEAR
        #: The last mechanism before the fewest outputs were chosen: as even as the question.
        self.spread: Unbiased | None = None

    def solve(self) -> Unbiased:
        """Return the best mechanism found, and its multipliers.

        Raises
        ------
        SolverError
            The solver failed.
        """
        if self.sets is None:
            self.sets = self._started(self.wanted, self.theta)
        found = self._narrowed(self.programs, self.sets, self.share)
        # Who asks again was not near enough.
        self.sets, self.share = found.sets, NEAR * self.share
        self.spread = self._ordered(found)
        return self._ordered(self.programs.with_fewest(found))

    def _ordered(self, found: Scored) -> Unbiased:
        made = self.programs.mechanism(found)
        slopes = made.slopes
        rows, along, theta = (part[self.place] for part in (slopes.rows, slopes.along, slopes.theta))
        return Unbiased(made.columns[self.place], made.scores, Slopes(rows, along, theta, slopes.budget), made.stats)

    def _started(self, wanted: Array, theta: Array | None) -> Sets:
        """Return sets, shape (n, m), to begin with: the best ones of every other value, taken apart between them."""
        n = len(wanted)
        if n <= FEW:
            first, last = np.triu_indices(n)
            inputs = np.arange(n)[:, None]
            return np.hstack([(first <= inputs) & (inputs <= last), np.zeros((n, 1), dtype=bool)])
        # The first and the last value are among them.
        chosen = np.unique(np.append(np.arange(0, n, 2), n - 1))
        fewer = None if theta is None else np.add.reduceat(theta, chosen)
        part = ScoredSets(self.task, wanted[chosen], fewer, self.solver)
        found = self._narrowed(part, self._started(wanted[chosen], fewer), COARSE)
        return refined(part.with_fewest(found).sets, chosen, n)

    def _narrowed(self, programs: ScoredSets, sets: Sets, share: float) -> Scored:
        """Add the sets that cost too little, until none costs less than a share of the gap."""
        found = programs.of_sets(sets)
        best: Slopes | None = None
        least, lowest, idle = np.inf, np.inf, 0
        for _ in range(ROUNDS):
            trials = [found.slopes] if best is None else [found.slopes, best.mixed(found.slopes, MIXED)]
            priced = [cheapest(slopes, programs.rise) for slopes in trials]
            excess, at = min((each.excess, k) for k, each in enumerate(priced))
            nearer = excess < NEARER * least or found.value < (1.0 - share * self.task.gap) * lowest
            idle, lowest = 0 if nearer else idle + 1, min(lowest, found.value)
            least, best = (excess, trials[at]) if excess < least else (least, best)
            known = sets if sets.shape[1] <= MANY * len(sets) else found.sets
            sets = distinct(np.hstack([known, *(each.sets for each in priced)]))
            none = sets.shape[1] == known.shape[1]
            # The columns of a mechanism weigh less than one together: so much is the bound below the value, about.
            short = excess * float((found.weights / (1.0 + programs.rise * found.sets.mean(axis=0))).sum())
            if short <= share * self.task.gap * found.value or none or idle >= PATIENCE or is_late():
                break
            try:
                found = programs.of_sets(sets)
            except SolverError:
                # What fewer sets make is a mechanism, and its multipliers bound all.
                break
        return found if best is None else replace(found, slopes=best)


def refined(sets: Sets, chosen: Array, n: int) -> Sets:
    """Return sets of n inputs, shape (n, m), from sets of some, shape (chosen, k): what is between goes either way.

    An input between two chosen ones is in a set with both of them; where one is in it, it goes with that one or the
    other, all such inputs above their one alike, and all below.
    """
    inputs = np.arange(n)
    before = sets[np.searchsorted(chosen, inputs, side="right") - 1]
    after = sets[np.searchsorted(chosen, inputs, side="left")]
    made = [
        (before & after) | (before & ~after & falls) | (~before & after & rises)
        for rises in (False, True)
        for falls in (False, True)
    ]
    return distinct(np.hstack([*made, np.zeros((n, 1), dtype=bool)]))


def distinct(sets: Sets) -> Sets:
    """Return the different ones of the sets, shape (n, m), in the order of the first."""
    packed = np.packbits(sets, axis=0).T
    first = np.unique(packed, axis=0, return_index=True)[1]
    return sets[:, np.sort(first)]


@dataclass(frozen=True)
class Cheapest:
    """Sets that gain by their column with its best score, shape (n, k), and the largest gain of any."""

    sets: Sets
    excess: float


def cheapest(slopes: Slopes, rise: float) -> Cheapest:
    """Return the sets whose columns ``1 + rise 1_S`` cost less than nothing, at local maxima of their gain.

    At a score t an input is in the set if ``rows + along t - theta t^2`` is positive there: the set changes at the
    roots of these parabolas only, and between two roots the gain of its column is one parabola.
    """
    ends = _roots(slopes)
    sets, gains = [], []
    each = max(BLOCK // len(slopes.rows), 1)
    for at in range(0, len(ends) - 1, each):
        high = ends[at + 1 : at + each + 1]
        low = ends[at : at + len(high)]
        middle = 0.5 * (low + high)
        inside = slopes.rows[:, None] + (slopes.along[:, None] - slopes.theta[:, None] * middle) * middle > 0
        constant, linear, square = (
            part.sum() + rise * (part @ inside) for part in (slopes.rows, slopes.along, slopes.theta)
        )
        t = np.clip(np.divide(linear, 2.0 * square, out=middle.copy(), where=square > 0), low, high)
        gains.append(constant + (linear - square * t) * t)
        sets.append(inside)
    gain = np.concatenate([[-np.inf], *gains, [-np.inf]])
    peaked = (gain[1:-1] >= gain[:-2]) & (gain[1:-1] >= gain[2:]) & (gain[1:-1] > 0)
    return Cheapest(distinct(np.hstack(sets)[:, peaked]), float(gain.max()))


def _roots(slopes: Slopes) -> Array:
    """Return the scores at which an input enters or leaves the set, increasing, with an end beyond on either side."""
    a, b, c = -slopes.theta, slopes.along, slopes.rows
    inside = b * b - 4.0 * a * c
    larger = -0.5 * (b + np.copysign(np.sqrt(np.maximum(inside, 0.0)), b))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = np.concatenate([(larger / a)[inside > 0], (c / larger)[inside > 0]])
    found = np.unique(found[np.isfinite(found)])
    if not len(found):
        return np.array([-1.0, 1.0])
    width = max(float(np.ptp(found)), float(np.abs(found).max()))
    return np.concatenate([[found[0] - width], found, [found[-1] + width]])
