"""How private can it be? The least level at which an objective reaches a target, between two certified ends."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mechdesign.designing.accounts import Account
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings, all_but
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_RESULTS
from mechdesign.displays.numbers import in_full, outward, rounded_up
from mechdesign.errors import DomainError, GapWarning
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters import Real
from mechdesign.parameters.checks import real
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, now, until
from mechdesign.studies.accounted_level import AccountedLevel, largest_level
from mechdesign.studies.frontier_result import Frontier
from mechdesign.studies.least_level import Search, misses, reaches

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: The keywords of `design` that each level is designed with.
KEYWORDS = all_but("within", "time_limit", "theorems", "proof")
#: The domain of a target.
TARGET = Real(rule="it has to be a finite number", remedy="give the value to reach, in the objective's own unit")


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
        """Return the bracket, and a table of at most `most` of the levels that were tried."""
        asked = self.design.mechanism.asked
        name, unit = asked.notion.level_name, asked.notion.level_unit
        among = self.design.mechanism.claimed.among(asked.outputs)
        own, bound = outward(self.design.value, self.design.bound, asked.objective.sense, 9)
        said = (
            f"target      {self.target!r} {asked.objective.unit}".rstrip() + f" ({asked.objective.sense}d)",
            f"level       {name} = {self.level!r} {unit}: value {own}, bound {bound}",
            f"impossible  below {name} = {self.impossible_below!r}: nothing private{among} reaches the target there",
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
            verdict = "reached" if reaches(made, self.target) else "impossible" if misses(made, self.target) else ""
            return (in_full(made.mechanism.asked.notion.parameter), *shown, rounded_up(made.gap, 2), verdict)

        heads = (self.tried.level_name, "value", "bound", "gap", "target")
        return Table.of("Levels that were tried", heads, len(self.tried), row, ("target",), "levels", most)


def calibrate(
    problem: Problem,
    notion: Notion | type[Notion],
    objective: Objective,
    target: float | None = None,
    *,
    shuffled: tuple[int, float, float] | None = None,
    composed: tuple[int, float, float] | None = None,
    tolerance: float = 1e-3,
    time_limit: float | None = None,
    **keywords: Any,
) -> Calibration | AccountedLevel:
    """Return the least level of a notion at which the best mechanism reaches a target, with a proof from below.

    With `shuffled` or `composed` in place of a target it is the largest level of one report at which many reports
    together keep a level: those of many people behind a shuffler, or many of one person.

    A design whose ``value <= target`` (``>=`` where the objective is maximised) reaches the target, up to the value's
    rounding; a design whose certified bound misses it proves that no mechanism at its level reaches it, nor at any
    smaller one: what is private at a level is so at every larger one. Levels between the two are tried until they are
    within the tolerance.

    Parameters
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion or type of Notion
        A notion of one level, at any level, or its class where the level is all that it needs.
    objective : Objective
        What has to stay useful.
    target : float, optional
        The value to reach, in the objective's own sense and unit.
    shuffled : (int, float, float), optional
        People, and the epsilon and delta that the multiset of their reports keeps.
    composed : (int, float, float), optional
        Reports of one person, and the epsilon and delta that they keep together.
    tolerance : float
        How far the two ends of the bracket may be apart, relative to the upper one; in (0, 1).
    time_limit : float, optional
        Seconds for the whole search.
    **keywords
        The others of `design`. With ``outputs=m`` all is said of mechanisms of at most m outputs.

    Returns
    -------
    Calibration or AccountedLevel
        With `level`, `design`, `impossible_below` and `closed`; of many reports `impossible_above`. Where the mechanism
        that ignores its input reaches the target, both ends are the notion's least level.

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
    >>> month = md.calibrate(problem, md.LDP, md.ErrorProbability(), composed=(30, 2.0, 1e-6), tolerance=0.01)
    >>> round(month.level, 2), month.together <= 2.0
    (0.09, True)
    """
    accounts = [Account.of(verb, of) for verb, of in (("shuffled", shuffled), ("composed", composed)) if of is not None]
    if len(accounts) + (target is not None) != 1:
        rule = "one of them is searched for"
        raise DomainError("target, shuffled, composed", "none or several", rule, "give one of them")
    if target is not None:
        return least_level(problem, notion, objective, target, tolerance=tolerance, time_limit=time_limit, **keywords)
    settings = Settings.of(keywords, KEYWORDS, "a calibration")
    with until(_end(time_limit)):
        return largest_level(Search(problem, notion, objective, 0.0, _share(tolerance), settings), accounts[0])


def least_level(
    problem: Problem,
    notion: Notion | type[Notion],
    objective: Objective,
    target: float,
    *,
    tolerance: float = 1e-3,
    time_limit: float | None = None,
    **keywords: Any,
) -> Calibration:
    """Return the least level at which the best mechanism reaches a target, as `calibrate` does."""
    settings = Settings.of(keywords, KEYWORDS, "a calibration")
    asked = Search(problem, notion, objective, TARGET.check("target", target), _share(tolerance), settings)
    with until(_end(time_limit)):
        found, late = Calibration(asked.target, *asked.found()), is_late()
    if not found.closed:
        said = f"The least level lies between {found.impossible_below!r} and {found.level!r}, wider than asked for"
        why = "the time limit passed" if late else "the certified gaps allow no narrower bracket"
        warnings.warn(f"{said}: {why}.", GapWarning, stacklevel=3)
    return found


def _end(time_limit: Any) -> float | None:
    return None if time_limit is None else now() + real("time_limit", time_limit, 0.0)


def _share(tolerance: Any) -> float:
    found = real("tolerance", tolerance, 0.0)
    if not 0.0 < found < 1.0:
        raise DomainError("tolerance", tolerance, "it has to lie between 0 and 1", "give 1e-3, say")
    return found
