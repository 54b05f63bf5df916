"""How private can it be? The least level at which an objective reaches a target, between two certified ends."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mechdesign.designing.answer import answered
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings, all_but
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_RESULTS
from mechdesign.displays.numbers import in_full, outward, rounded_up
from mechdesign.errors import DomainError, GapWarning, InfeasibleError
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters import Real
from mechdesign.parameters.checks import real
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, now, until
from mechdesign.solve.task import WarmStart
from mechdesign.studies.frontier import Frontier, at_level, check_nested

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: The keywords of `design` that each level is designed with.
KEYWORDS = all_but("within", "time_limit", "theorems", "proof")
#: The level that stands for no privacy where levels have no end, where the search starts, and when it jumps.
TOP, START, FAR = 2.0**20, 1.0, 4.0
#: The domain of a target.
TARGET = Real(rule="it has to be a finite number", remedy="give the value to reach, in the objective's own unit")
#: Levels below this are not searched: what is gained there is lost in rounding.
FAINT = 1e-9
#: More levels are not tried.
MOST_LEVELS = 200


@dataclass(frozen=True)
class Calibration(Displayed):
    """The least level found at which a target is reached, and the largest at which that is proved impossible.

    Attributes
    ----------
    target : float
        The value that was asked for, in the objective's own sense.
    level : float
        The least level tried whose design reaches the target, in the notion's `level_name`.
    design : Design
        That design.
    impossible_below : float
        The largest level tried whose certified bound misses the target: every smaller level misses it, too.
    closed : bool
        Whether the two ends are within the tolerance of each other, relative to `level`.
    tried : Frontier
        All designs that were made, from the least level.
    """

    target: float
    level: float
    design: Design
    impossible_below: float
    closed: bool
    tried: Frontier = field(repr=False)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the question, the bracket, and what each level that was tried reaches."""
        return (*self.design.mechanism.asked.display(), *self.story(MOST_RESULTS))

    def story(self, most: int) -> tuple[Block, ...]:
        """Return the bracket, and a table of at most so many of the levels that were tried."""
        asked = self.design.mechanism.asked
        name, unit = asked.notion.level_name, asked.notion.level_unit
        own, bound = outward(self.design.value, self.design.bound, asked.objective.sense, 9)
        said = (
            f"target      {self.target!r} {asked.objective.unit}".rstrip() + f" ({asked.objective.sense}d)",
            f"level       {name} = {self.level!r} {unit}: value {own}, bound {bound}",
            f"impossible  below {name} = {self.impossible_below!r}: no private mechanism reaches the target there",
        )
        width = "" if self.closed else ("WIDER than asked: more time, or a smaller gap=, may close it",)
        return (Lines("Calibration", (*said, *width)), self._table(most))

    def plot(self, ax: Axes | Figure | None = None) -> Figure:
        """Draw the bracket on the frontier of the levels that were tried, with the target.

        Returns
        -------
        matplotlib.figure.Figure
            The figure drawn in.

        Raises
        ------
        UnsupportedError
            matplotlib is not installed.
        """
        from mechdesign.plotting.frontiers import bracket

        return bracket(self, ax)

    def _table(self, most: int) -> Table:
        def row(index: int) -> tuple[str, ...]:
            made = self.tried[index]
            objective = made.mechanism.asked.objective
            shown = outward(made.value, made.bound, objective.sense, 9)
            verdict = "reached" if _reaches(made, self.target) else "impossible" if _misses(made, self.target) else ""
            return (in_full(made.mechanism.asked.notion.parameter), *shown, rounded_up(made.gap, 2), verdict)

        heads = (self.tried.level_name, "value", "bound", "gap", "target")
        return Table.of("Levels that were tried", heads, len(self.tried), row, ("target",), "levels", most)


def calibrate(
    problem: Problem,
    notion: Notion | type[Notion],
    objective: Objective,
    target: float,
    *,
    tolerance: float = 1e-3,
    time_limit: float | None = None,
    **keywords: Any,
) -> Calibration:
    """Return the least level of a notion at which the best mechanism reaches a target, with a proof from below.

    A design whose ``value <= target`` (``>=`` where the objective is maximised) reaches the target; a design whose
    certified bound misses it proves that no mechanism at its level reaches it, nor at any smaller one: what is private
    at a level is so at every larger one. Levels between the two are tried until they are within the tolerance.

    Parameters
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion or type of Notion
        A notion of one level, at any level, or its class where the level is all that it needs.
    objective : Objective
        What has to stay useful.
    target : float
        The value to reach, in the objective's own sense and unit.
    tolerance : float
        How far the two ends of the bracket may be apart, relative to the upper one; in (0, 1).
    time_limit : float, optional
        Seconds for the whole search.
    **keywords
        The others of `design`. With ``outputs=m`` all is said of mechanisms of at most m outputs.

    Returns
    -------
    Calibration
        With `level`, `design`, `impossible_below` and `closed`. Where the mechanism that ignores its input reaches the
        target, both ends are the notion's least level.

    Raises
    ------
    InfeasibleError
        No level reaches the target; with the best value.
    DomainError
        A target that is no number, a notion of several levels, or what `design` refuses.
    SolverError
        The limit passed before any level reached the target.

    Warns
    -----
    GapWarning
        The bracket could not be closed: gaps are wider than what is left of it, or the time limit passed.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    >>> found = md.calibrate(problem, md.LDP, md.ErrorProbability(), target=0.25)
    >>> bool(found.impossible_below < 1.0986 < found.level), found.closed  # ln 3 in between
    (True, True)
    """
    settings = Settings.of(keywords, KEYWORDS, "a calibration")
    asked = _Search(problem, notion, objective, TARGET.check("target", target), _share(tolerance), settings)
    with until(None if time_limit is None else now() + real("time_limit", time_limit, 0.0)):
        found, late = asked.found(), is_late()
    if not found.closed:
        said = f"The least level lies between {found.impossible_below!r} and {found.level!r}, wider than asked for"
        why = "the time limit passed" if late else "the certified gaps allow no narrower bracket"
        warnings.warn(f"{said}: {why}.", GapWarning, stacklevel=2)
    return found


def _share(tolerance: Any) -> float:
    found = real("tolerance", tolerance, 0.0)
    if not 0.0 < found < 1.0:
        raise DomainError("tolerance", tolerance, "it has to lie between 0 and 1", "give 1e-3, say")
    return found


def _reaches(made: Design, target: float) -> bool:
    return made.value <= target if made.mechanism.asked.objective.sense == "minimise" else made.value >= target


def _misses(made: Design, target: float) -> bool:
    return made.bound > target if made.mechanism.asked.objective.sense == "minimise" else made.bound < target


@dataclass
class _Search:
    """The levels tried so far, and what is asked of each."""

    problem: Problem
    notion: Notion | type[Notion]
    objective: Objective
    target: float
    tolerance: float
    settings: Settings
    start: WarmStart = field(default_factory=WarmStart)
    made: dict[float, tuple[Design, float]] = field(default_factory=dict)

    def found(self) -> Calibration:
        """Search from both ends, and return the bracket."""
        least, top = self._ends()
        if self._is_had_for_nothing(least):
            return self._bracket(least, least)
        if not _reaches(self._at(top), self.target):
            raise InfeasibleError(self._too_much(self._at(top)))
        for level in self._levels(least, top):
            if is_late():
                break
            self._at(level)
        reached = [level for level, (made, _) in self.made.items() if _reaches(made, self.target)]
        missed = [level for level, (made, _) in self.made.items() if _misses(made, self.target)]
        return self._bracket(max([least, *missed]), min(reached))

    def _levels(self, least: float, top: float) -> Iterator[float]:
        """Yield the next level to try: between the two ends, then on both sides of what is neither."""
        for _ in range(MOST_LEVELS):
            low, high = least, top
            neither = []
            for level, (made, _seconds) in self.made.items():
                if _reaches(made, self.target):
                    high = min(high, level)
                elif _misses(made, self.target):
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

    def _ends(self) -> tuple[float, float]:
        probe = self.notion
        if not isinstance(probe, Notion):
            probe = at_level(probe, START if getattr(probe, "most_level", math.inf) > START else probe.most_level)
        if len(probe.parts()) > 1:
            rule = f"it has {len(probe.parts())} levels, and one is searched for"
            raise DomainError("notion", str(probe), rule, "give one of its parts, or fix the others in a notion of one")
        least = probe.least_level(probe.inputs(self.problem))
        domain = probe.domains.get(probe.level_name)
        return least, min(probe.most_level, domain.high if isinstance(domain, Real) else TOP, TOP)

    def _is_had_for_nothing(self, least: float) -> bool:
        """Return whether the least level reaches the target; not where the objective has no value there."""
        try:
            return _reaches(self._at(least), self.target)
        except InfeasibleError:
            return False

    def _at(self, level: float) -> Design:
        if level not in self.made:
            started = now()
            asked = at_level(self.notion, level)
            made = answered(self.problem, asked, self.objective, self.settings, self.start)
            self.made[level] = made, now() - started
        return self.made[level][0]

    def _bracket(self, low: float, high: float) -> Calibration:
        levels = sorted(self.made)
        tried = Frontier(
            at_level(self.notion, high).level_name,
            tuple(self.made[level][0] for level in levels),
            tuple(self.made[level][1] for level in levels),
        )
        check_nested(tried.designs, self.objective, self.problem)
        closed = high - low <= self.tolerance * high or high <= FAINT
        return Calibration(self.target, high, self.made[high][0], low, closed, tried)

    def _too_much(self, best: Design) -> str:
        notion, objective = best.mechanism.asked.notion, best.mechanism.asked.objective
        proved = "" if _misses(best, self.target) else f" (what is certified is {best.bound!r})"
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
