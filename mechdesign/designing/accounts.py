"""A level that many reports keep together, and the largest level of one report at which they do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from mechdesign.accounting import Composition, Shuffled
from mechdesign.designing.answer import answered
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import DomainError, InfeasibleError
from mechdesign.mechanism import Mechanism
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import real, whole
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.task import WarmStart

#: By what the level grows until it is too large, and how many levels are tried.
GROWTH, MOST_LEVELS = 2.0, 100
#: How near to each other the levels of a design under a central guarantee are, as a share.
TOLERANCE = 1e-3


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
        counted = "people" if verb == "shuffled" else "times"
        try:
            count, epsilon, delta = given
        except (TypeError, ValueError):
            rule = "it has to be three numbers"
            raise DomainError(verb, given, rule, f"give ({counted}, epsilon, delta)") from None
        return cls(verb, *checked((f"{verb}[0]", f"{verb}[1]", f"{verb}[2]"), count, epsilon, delta))

    def made(self, mechanism: Mechanism) -> Composition | Shuffled:
        """Return the accounting of `count` reports of a mechanism."""
        find: Callable[[int], Composition | Shuffled] = getattr(mechanism, self.verb)
        return find(self.count)


def checked(names: tuple[str, str, str], count: Any, epsilon: Any, delta: Any) -> tuple[int, float, float]:
    """Return a count, an epsilon and a delta, each in its domain.

    Raises
    ------
    DomainError
        A count below 2, an epsilon that is not above 0, a delta that is not between 0 and 1.
    """
    number, level, share = whole(names[0], count, 2), real(names[1], epsilon, 0.0), real(names[2], delta, 0.0, 1.0)
    if level == 0.0:
        raise DomainError(names[1], level, "it has to be above 0", "give a small positive number")
    if share in (0.0, 1.0):
        rule = "it has to be above 0 and below 1"
        raise DomainError(names[2], share, rule, "give a small positive number")
    return number, level, share


def largest_kept(
    at: Callable[[float], Design], ends: tuple[float, float], account: Account, tolerance: float
) -> tuple[float, float, bool]:
    """Return the largest level found whose best mechanism keeps an account, and what is proved of larger ones.

    Parameters
    ----------
    at : callable
        From a level to the best mechanism at it.
    ends : (float, float)
        The least and the largest level that are searched.
    account : Account
        What all reports together have to keep.
    tolerance : float
        How far the two ends of the bracket may be apart, as a share of the upper one.

    Returns
    -------
    level : float
        The largest level tried whose mechanism keeps the account.
    impossible_above : float
        The least level tried whose mechanism is proved to betray more, or infinity.
    closed : bool
        Whether the two are within twice the tolerance, or `level` is the largest one searched.

    Raises
    ------
    InfeasibleError
        No level was found that does.
    """
    least, top = ends
    kept, broken = list[float](), dict[float, bool]()

    def keeps(level: float) -> bool:
        together = account.made(at(level).mechanism)
        if together.delta(account.epsilon) <= account.delta:
            kept.append(level)
            return True
        broken[level] = together.delta_below(account.epsilon) > account.delta
        return False

    level = min(account.epsilon if account.verb == "shuffled" else account.epsilon / account.count, top)
    while keeps(level) and level < top and not is_late():
        level = min(GROWTH * level, top)
    for _ in range(MOST_LEVELS):
        low, high = max(kept, default=least), min(broken, default=top)
        if high - low <= tolerance * high or is_late():
            break
        keeps(math.sqrt(low * high) if low > 0.0 else high / GROWTH)
    if not kept:
        raise InfeasibleError(
            f"No level was found at which {account.count} reports keep {account.epsilon:g} nats but for "
            f"{account.delta:g}; ask for more people or fewer reports, or for a larger epsilon."
        )
    best = max(kept)
    proved = min((one for one, is_proved in broken.items() if is_proved), default=math.inf)
    closed = proved - best <= 2.0 * tolerance * proved if math.isfinite(proved) else best == top
    return best, proved, closed


@dataclass(frozen=True)
class Central:
    """A central guarantee: shuffled reports of many people satisfy (epsilon, delta)-differential privacy.

    Attributes
    ----------
    people : int
        How many people report and follow the protocol, at least 2.
    epsilon : float
        Nats, above 0.
    delta : float
        Above 0 and below 1.

    Raises
    ------
    DomainError
        A number outside its domain.

    Examples
    --------
    >>> import mechdesign as md
    >>> crowd = md.Central(people=10_000, epsilon=0.5, delta=1e-6)
    >>> survey = md.design(md.Problem(n=5), md.LDP(8.0), md.InformationDesign("A"), central=crowd)
    >>> round(survey.mechanism.asked.notion.epsilon, 2), survey.mechanism.shuffled(10_000).epsilon(1e-6) <= 0.5
    (4.37, True)
    """

    people: int
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        names = ("people", "epsilon", "delta")
        for name, value in zip(names, checked(names, self.people, self.epsilon, self.delta), strict=True):
            object.__setattr__(self, name, value)


def with_central(problem: Problem, notion: Notion, objective: Objective, settings: Settings, central: Any) -> Design:
    """Return the best design at the largest level, up to the notion's, whose shuffled reports keep a guarantee.

    Raises
    ------
    DomainError
        What is no `Central`, a notion of several levels, or fewer outputs asked for with `within`.
    InfeasibleError
        No level was found at which the guarantee is kept.
    """
    if not isinstance(central, Central):
        rule = "it has to be a central guarantee"
        raise DomainError("central", central, rule, "give md.Central(people, epsilon, delta)")
    required("notion", notion, Notion)
    if len(notion.parts()) > 1:
        rule = f"it has {len(notion.parts())} levels, and one is searched for"
        raise DomainError("notion", str(notion), rule, "give one of its parts")
    if settings.within is not None:
        rule = "a mechanism of fewer outputs keeps another central level"
        raise DomainError("within", settings.within, rule, "leave it out with central=")
    made, start = dict[float, Design](), WarmStart()

    def at(level: float) -> Design:
        if level not in made:
            made[level] = answered(problem, notion.at(level), objective, settings, start)
        return made[level]

    account = Account("shuffled", central.people, central.epsilon, central.delta)
    ends = notion.columns(notion.inputs(problem)).least_level, notion.parameter
    level, beyond, _ = largest_kept(at, ends, account, TOLERANCE)
    found = made[level]
    together = account.made(found.mechanism).epsilon(central.delta)
    limit = (
        f"the level asked for, {notion.parameter:g}, keeps it"
        if level == notion.parameter
        else f"the mechanism at level {beyond:.6g} is proved not to keep it"
        if math.isfinite(beyond)
        else "no level was proved not to keep it"
    )
    said = (
        f"the shuffled reports of {central.people} people keep {together:.6g} nats but for {central.delta:g}, which is "
        f"certified, as is the bound among mechanisms of this level; {limit}. Other mechanisms of a larger level, some "
        "of which may keep it, are not searched"
    )
    return replace(found, note="; ".join(filter(None, (found.note, said))), central=(central, together))
