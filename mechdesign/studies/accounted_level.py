"""The largest level of one report at which many reports together keep a level that is asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mechdesign.accounting import Composition, Shuffled
from mechdesign.designing.result import Design
from mechdesign.displays import Block, Displayed, Lines
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError, InfeasibleError
from mechdesign.mechanism import Mechanism
from mechdesign.parameters.checks import real, whole
from mechdesign.runtime.deadline import is_late
from mechdesign.studies.frontier_result import Frontier
from mechdesign.studies.least_level import Search

#: By what the level grows until it is too large, and how many levels are tried.
GROWTH, MOST_LEVELS = 2.0, 100


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


@dataclass(frozen=True)
class Account:
    """What is asked of many reports together.

    Attributes
    ----------
    verb : {"shuffled", "composed"}
        The method of a mechanism that accounts for them.
    count : int
        People, or reports of one person.
    epsilon, delta : float
        The level that all of them keep.
    """

    verb: str
    count: int
    epsilon: float
    delta: float

    @classmethod
    def of(cls, verb: str, given: Any) -> Account:
        """Return the account of three numbers.

        Raises
        ------
        DomainError
            What is no sequence of a count, an epsilon above 0, and a delta above 0 and below 1.
        """
        try:
            count, epsilon, delta = given
        except (TypeError, ValueError):
            rule = "it has to be three numbers"
            counted = "people" if verb == "shuffled" else "times"
            raise DomainError(verb, given, rule, f"give ({counted}, epsilon, delta)") from None
        known = whole(f"{verb}[0]", count, 2), real(f"{verb}[1]", epsilon, 0.0), real(f"{verb}[2]", delta, 0.0, 1.0)
        for at in (1, 2):
            if known[at] in (0.0, 1.0) and (at == 2 or known[at] == 0.0):
                rule = "it has to be above 0" + (" and below 1" if at == 2 else "")
                raise DomainError(f"{verb}[{at}]", known[at], rule, "give a small positive number")
        return cls(verb, *known)

    def made(self, mechanism: Mechanism) -> Composition | Shuffled:
        """Return the accounting of so many reports of a mechanism."""
        find: Callable[[int], Composition | Shuffled] = getattr(mechanism, self.verb)
        return find(self.count)


def largest_level(search: Search, account: Account) -> AccountedLevel:
    """Return the largest level whose best mechanism keeps the account, between two levels that were tried.

    Raises
    ------
    InfeasibleError
        No level was found that does.
    """
    kept: dict[float, float] = {}
    broken: dict[float, bool] = {}

    def keeps(level: float) -> bool:
        found = account.made(search.at(level).mechanism)
        above = found.epsilon(account.delta)
        if above <= account.epsilon:
            kept[level] = above
        else:
            broken[level] = found.epsilon_below(account.delta) > account.epsilon
        return above <= account.epsilon

    least, top = search.ends()
    level = min(account.epsilon if account.verb == "shuffled" else account.epsilon / account.count, top)
    while keeps(level) and level < top and not is_late():
        level = min(GROWTH * level, top)
    for _ in range(MOST_LEVELS):
        low, high = max(kept, default=least), min(broken, default=top)
        if high - low <= search.tolerance * high or is_late():
            break
        keeps(math.sqrt(low * high) if low > 0.0 else high / GROWTH)
    if not kept:
        raise InfeasibleError(
            f"No level was found at which {account.count} reports keep {account.epsilon:g} nats but for "
            f"{account.delta:g}; ask for more people or fewer reports, or for a larger epsilon."
        )
    best = max(kept)
    proved = min((one for one, is_proved in broken.items() if is_proved), default=math.inf)
    closed = proved - best <= 2.0 * search.tolerance * proved if math.isfinite(proved) else best == top
    return AccountedLevel(best, search.at(best), kept[best], proved, closed, search.frontier(best))
