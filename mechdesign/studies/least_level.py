"""The search for the least level that reaches a target: designs at both ends of a bracket, and between them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from mechdesign.designing.answer import answered
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import DomainError, InfeasibleError, SolverError
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters import Real
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, now
from mechdesign.solve.task import WarmStart
from mechdesign.studies.frontier import at_level, check_nested
from mechdesign.studies.frontier_result import Frontier

#: The level that stands for no privacy where levels have no end, where the search starts, and when it jumps.
TOP, START, FAR = 2.0**20, 1.0, 4.0
#: Levels below this are not searched: what is gained there is lost in rounding.
FAINT = 1e-9
#: More levels are not tried.
MOST_LEVELS = 200

#: The least level that reaches the target, its design, the largest level that is proved to miss it, whether the two are
#: within the tolerance, and all designs that were made.
Bracket = tuple[float, Design, float, bool, Frontier]


def reaches(made: Design, target: float) -> bool:
    """Return whether the design's value is the target, or better, as far as rounding lets that be seen."""
    question = made.mechanism.asked
    missed = made.value - target if question.objective.sense == "minimise" else target - made.value
    if missed <= 0.0 or misses(made, target):
        return missed <= 0.0
    # A sum of decimals may pass their sum as it is typed by the last digit.
    return missed <= made.rounding


def misses(made: Design, target: float) -> bool:
    """Return whether the design's bound proves that no mechanism at its level reaches the target."""
    return made.bound > target if made.mechanism.asked.objective.sense == "minimise" else made.bound < target


@dataclass
class Search:
    """The levels tried so far, and what is asked of each."""

    problem: Problem
    notion: Notion | type[Notion]
    objective: Objective
    target: float
    tolerance: float
    settings: Settings
    start: WarmStart = field(default_factory=WarmStart)
    made: dict[float, tuple[Design, float]] = field(default_factory=dict)

    def found(self) -> Bracket:
        """Search from both ends, and return the bracket."""
        least, top = self.ends()
        if self._is_had_for_nothing(least):
            return self._bracket(least, least)
        if not reaches(self.at(top), self.target):
            raise self._unreached(self.at(top))
        for level in self._levels(least, top):
            if is_late():
                break
            self.at(level)
        reached = [level for level, (made, _) in self.made.items() if reaches(made, self.target)]
        missed = [level for level, (made, _) in self.made.items() if misses(made, self.target)]
        return self._bracket(max([least, *missed]), min(reached))

    def _levels(self, least: float, top: float) -> Iterator[float]:
        """Yield the next level to try: between the two ends, then on both sides of what is neither."""
        for _ in range(MOST_LEVELS):
            low, high = least, top
            neither = []
            for level, (made, _seconds) in self.made.items():
                if reaches(made, self.target):
                    high = min(high, level)
                elif misses(made, self.target):
                    low = max(low, level)
                else:
                    neither.append(level)
            between = [level for level in neither if low < level < high]
            if not between:
                if high - low <= self.tolerance * high or high <= FAINT:
                    return
                yield _between(low, high)
                continue
            # The gaps hide where the target is reached: each side of them is narrowed to half of the tolerance.
            first, last = min(between), max(between)
            if first - low > 0.5 * self.tolerance * first:
                yield _between(low, first)
            elif high - last > 0.5 * self.tolerance * high:
                yield _between(last, high)
            else:
                return

    def ends(self) -> tuple[float, float]:
        """Return the notion's least level for the problem, and the largest one that is searched."""
        probe = self.notion
        if not isinstance(probe, Notion):
            probe = at_level(probe, START if getattr(probe, "most_level", math.inf) > START else probe.most_level)
        if len(probe.parts()) > 1:
            rule = f"it has {len(probe.parts())} levels, and one is searched for"
            raise DomainError("notion", str(probe), rule, "give one of its parts, or fix the others in a notion of one")
        least = probe.columns(probe.inputs(self.problem)).least_level
        domain = probe.domains.get(probe.level_name)
        return least, min(probe.most_level, domain.high if isinstance(domain, Real) else TOP, TOP)

    def _is_had_for_nothing(self, least: float) -> bool:
        """Return whether the least level reaches the target; not where the objective has no value there."""
        try:
            return reaches(self.at(least), self.target)
        except (InfeasibleError, SolverError):
            return False

    def at(self, level: float) -> Design:
        """Return the best mechanism at a level, designed once."""
        if level not in self.made:
            started = now()
            asked = at_level(self.notion, level)
            made = answered(self.problem, asked, self.objective, self.settings, self.start)
            self.made[level] = made, now() - started
        return self.made[level][0]

    def _bracket(self, low: float, high: float) -> Bracket:
        tried = self.frontier(high)
        check_nested(tried.designs, self.objective, self.problem)
        closed = high - low <= self.tolerance * high or high <= FAINT
        return high, self.made[high][0], low, closed, tried

    def frontier(self, level: float) -> Frontier:
        """Return all designs that were made, from the least level; `level` is any one of them."""
        levels = sorted(self.made)
        return Frontier(
            at_level(self.notion, level).level_name,
            tuple(self.made[one][0] for one in levels),
            tuple(self.made[one][1] for one in levels),
        )

    def _unreached(self, best: Design) -> InfeasibleError | SolverError:
        """Return the error that says that no level reaches the target, or that time was over before one did."""
        if is_late() and not misses(best, self.target):
            return SolverError(
                f"The time limit passed before any level reached the target {self.target!r}: the best value is "
                f"{best.value!r}, and {best.bound!r} is what is certified; raise time_limit=...",
                status="time limit",
            )
        return InfeasibleError(self._too_much(best))

    def _too_much(self, best: Design) -> str:
        notion, objective = best.mechanism.asked.notion, best.mechanism.asked.objective
        proved = "" if misses(best, self.target) else f" (what is certified is {best.bound!r})"
        return (
            f"No level of {notion.name} was found to reach the target {self.target!r} of {objective.name}: the best "
            f"value is {best.value!r}, under {notion}{proved}; choose a target that is not better than that."
        )


def _between(low: float, high: float) -> float:
    """Return the level to try next: from the start in large steps, then halfway as a ratio."""
    if low < START < high and (low <= 0.0 or high / max(low, FAINT) > FAR * FAR) and high > START * FAR:
        return START
    if low <= 0.0:
        return high / FAR
    return low * FAR if high / low > FAR * FAR else math.sqrt(low * high)
