"""The largest level of one report at which many reports together keep a level that is asked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mechdesign.designing.accounts import Account, largest_kept
from mechdesign.designing.result import Design
from mechdesign.displays import Block, Displayed, Lines
from mechdesign.displays.numbers import in_full
from mechdesign.studies.frontier_result import Frontier
from mechdesign.studies.least_level import Search


@dataclass(frozen=True)
class AccountedLevel(Displayed):
    """The largest level found at which many reports together keep what was asked, as ``md.calibrate`` returns it.

    Attributes
    ----------
    level : float
        The largest level tried of one report, in the notion's `level_name`.
    design : Design
        The best mechanism at that level.
    together : float
        An epsilon that all reports keep together with the delta that was asked; at most the one that was asked.
    impossible_above : float
        The least level tried whose best mechanism is proved to betray more, infinite if none was found.
    closed : bool
        Whether the two levels are within the tolerance of each other.
    tried : Frontier
        All designs that were made, from the least level.
    """

    level: float
    design: Design
    together: float
    impossible_above: float
    closed: bool
    tried: Frontier = field(repr=False)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the level, what it keeps, and the design."""
        said = (
            f"One report may have the level {in_full(self.level)}: all of them together keep {self.together:.6g} nats.",
            f"The mechanism designed at {in_full(self.impossible_above)} is proved to betray more."
            if math.isfinite(self.impossible_above)
            else "No level was tried whose mechanism is proved to betray more.",
        )
        return (Lines("Level of one report", said), *self.design.display())


def largest_level(search: Search, account: Account) -> AccountedLevel:
    """Return the largest level whose best mechanism keeps the account, between two levels that were tried.

    Raises
    ------
    InfeasibleError
        No level was found that does.
    """
    level, beyond, closed = largest_kept(search.at, search.ends(), account, search.tolerance)
    design = search.at(level)
    together = account.made(design.mechanism).epsilon(account.delta)
    return AccountedLevel(level, design, together, beyond, closed, search.frontier(level))
