"""A quantile of an ordered answer: the first one whose cumulative share reaches p, with an interval by inversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.errors import DomainError
from mechdesign.estimation.intervals import confidence, probability
from mechdesign.parameters import checks as domains

if TYPE_CHECKING:
    from mechdesign.estimation.estimating import Estimate

#: What is cumulated reaches p where it misses it by no more than rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Quantile(Displayed):
    """The quantile of a population at a share p: the first answer in order whose cumulative share is at least p.

    Attributes
    ----------
    share : float
        The share p: 0.5 for the median.
    index : int
        The input that is estimated to be it.
    label : str
        Its name.
    value : float or None
        Its number, where the answers have values.
    low, high : int
        The ends of the interval, as inputs in the same order.
    level : float
        Of the interval.
    labels : tuple of str
        The names of the two ends.
    values : tuple of float or None
        The numbers of the two ends.
    """

    share: float
    index: int
    label: str
    value: float | None
    low: int
    high: int
    level: float
    labels: tuple[str, str]
    values: tuple[float, float] | None

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the quantile with its interval."""
        name = "median" if self.share == 0.5 else f"quantile at {self.share:g}"
        said = f"{name} {self.label} ({100 * self.level:.4g} % interval {self.labels[0]} to {self.labels[1]})"
        return (Lines("", (said,)),)


def quantile(estimate: Estimate, share: Any, level: Any) -> Quantile:
    """Return the quantile of an estimate; see `Estimate.quantile`."""
    wanted, problem = domains.real("share", share, 0.0, 1.0), estimate.problem
    if not 0.0 < wanted < 1.0:
        raise DomainError("share", share, "it has to be between 0 and 1", "give 0.5 for the median")
    near = probability(level)
    order = np.arange(problem.n) if problem.values is None else np.argsort(problem.values, kind="stable")
    at, first, last = _places(estimate, order, wanted, near)
    if problem.interval is not None:
        # A number is less than a step from the point that it is rounded to.
        first, last = max(first - 1, 0), min(last + 1, problem.n - 1)
    found, low, high = (int(order[place]) for place in (at, first, last))
    values = problem.values
    return Quantile(
        wanted,
        found,
        problem.named(found),
        None if values is None else float(values[found]),
        low,
        high,
        near,
        (problem.named(low), problem.named(high)),
        None if values is None else (float(values[low]), float(values[high])),
    )


def _places(estimate: Estimate, order: npt.NDArray[np.intp], share: float, level: float) -> tuple[int, int, int]:
    """Return the places in order of the quantile and of the ends of its interval.

    The answer at place j is kept unless the interval of the share up to j lies below p, or that of the share up to
    j - 1 at p or above: each is wrong with half of what the level leaves.
    """
    n = len(order)
    if n == 1:
        return 0, 0, 0
    lines = np.zeros((n - 1, n))
    for place in range(n - 1):
        lines[place, order[: place + 1]] = 1.0
    sums = np.maximum.accumulate(np.cumsum(estimate.frequencies[order])[:-1])
    ends = confidence(estimate.linear, lines, level, None, within=None, simultaneous=False)
    place = int(np.argmax(np.append(sums, 1.0) >= share - ROUNDING))
    # All in order up to the last have the share 1, and those before the first the share 0.
    kept = (np.append(ends[:, 1], 1.0) >= share) & (np.insert(ends[:, 0], 0, 0.0) < share)
    kept[place] = True
    low, high = np.flatnonzero(kept)[[0, -1]]
    return place, int(low), int(high)
