"""Two results of the same instances side by side: whether a change helped, or is within noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.bench.results import Results
from mechdesign.displays import Displayed, Table
from mechdesign.errors import DomainError

#: A change is one where a paired test would see it by chance less often than this.
CHANCE = 0.05
#: And where the typical ratio is further from 1 than this: clocks differ by as much between two runs.
NOTICED = 0.15
#: Fewer instances than this decide nothing.
ENOUGH = 6


@dataclass(frozen=True)
class Change:
    """How the times of one solver changed between two results.

    Attributes
    ----------
    solver : str
        The solver.
    ratio : float
        The geometric mean of the later over the earlier seconds, over the instances that both solve; NaN without any.
    both : int
        How many those are.
    gained, lost : tuple of str
        Instances that only the later, only the earlier results solve.
    chance : float
        How often a paired test (Wilcoxon, signed ranks of the logarithms) would see so much where nothing changed.
    verdict : str
        "quicker", "slower" or "within noise".
    """

    solver: str
    ratio: float
    both: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    chance: float
    verdict: str


@dataclass(frozen=True, repr=False)
class Changes(Displayed):
    """How the times of solvers changed between two results.

    Attributes
    ----------
    accuracy : float
        The error up to which an instance counts as solved.
    changes : tuple of Change
        One for each solver of both.
    """

    accuracy: float
    changes: tuple[Change, ...]

    def display(self) -> tuple[Table]:
        """Return a line for each solver."""
        headings = ("solver", "later over earlier", "instances", "gained", "lost", "chance", "verdict")
        rows = [
            (
                each.solver,
                f"{each.ratio:.3g}",
                str(each.both),
                str(len(each.gained)),
                str(len(each.lost)),
                f"{each.chance:.2g}",
                each.verdict,
            )
            for each in self.changes
        ]
        return (Table(f"Seconds to {self.accuracy:.0e}, later over earlier", headings, tuple(rows), ("verdict",)),)

    def __str__(self) -> str:
        return self._printed()


def changes(earlier: Results, later: Results, accuracy: float = 1e-6) -> Changes:
    """Return how the seconds to `accuracy` changed from one result to another, by solver, paired by instance.

    Raises
    ------
    DomainError
        No solver is in both.
    """
    before, after = earlier.times(accuracy), later.times(accuracy)
    if before.keys().isdisjoint(after):
        rule = f"a solver has to be in both results, and the later ones are of {', '.join(after) or 'none'}"
        raise DomainError("earlier", f"of {', '.join(before) or 'none'}", rule, "compare results of the same solver")
    return Changes(accuracy, tuple(_change(name, before[name], after[name]) for name in before if name in after))


def between(results: Results, first: str, second: str, accuracy: float = 1e-6) -> Change:
    """Return the ratio of the seconds of the second solver to the seconds of the first, paired by instance."""
    times = results.times(accuracy)
    return _change(second, times[first], times[second])


def _change(solver: str, before: dict[str, float], after: dict[str, float]) -> Change:
    from scipy.stats import wilcoxon

    both = [name for name in before if name in after]
    logs = np.log([after[name] / before[name] for name in both])
    ratio = float(np.exp(logs.mean())) if both else math.nan
    chance = 1.0 if len(both) < ENOUGH or not np.any(logs) else float(wilcoxon(logs).pvalue)
    noticed = chance < CHANCE and abs(math.log(ratio)) > math.log1p(NOTICED)
    verdict = ("quicker" if ratio < 1.0 else "slower") if noticed else "within noise"
    gained = tuple(name for name in after if name not in before)
    lost = tuple(name for name in before if name not in after)
    return Change(solver, ratio, len(both), gained, lost, chance, verdict)
