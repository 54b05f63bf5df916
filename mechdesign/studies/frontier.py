"""What each further bit of privacy costs: one question at many levels, each design a start for the next."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, overload

from mechdesign.designing.answer import answered
from mechdesign.designing.proving import Proofs
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings, all_but
from mechdesign.errors import (
    CertificateError,
    DomainError,
    GapWarning,
    UnsupportedError,
)
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.base import require_dataclass
from mechdesign.parameters.checks import entries, truth
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.deadline import now
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.task import WarmStart
from mechdesign.studies.frontier_result import Frontier
from mechdesign.tolerances import ROUNDING

if TYPE_CHECKING:
    from mechdesign.studies.exact_frontier.curve import ExactFrontier

#: The keywords of `design` that each level is designed with.
KEYWORDS = all_but("within", "theorems", "proof")
#: The largest level of an exact frontier, in nats.
MOST_EXACT = 709.0
Levels = float | tuple[float, ...]
#: What is said of anything else: a function of the level is not needed, as a notion is taken at other levels.
NOTIONS = "give md.LDP, or a notion with what else it needs, md.NearPriorLIP(1.0, radius=0.1), taken at each level"


@overload
def frontier(
    problem: Problem,
    notion: Notion | type[Notion],
    objective: Objective,
    levels: Sequence[Levels] | None = None,
    *,
    exact: Literal[False] = False,
    proof: bool = False,
    **keywords: Any,
) -> Frontier: ...


@overload
def frontier(
    problem: Problem,
    notion: Notion | type[Notion],
    objective: Objective,
    levels: Sequence[Levels] | None = None,
    *,
    exact: Literal[True],
) -> ExactFrontier: ...


def frontier(
    problem: Problem,
    notion: Notion | type[Notion],
    objective: Objective,
    levels: Sequence[Levels] | None = None,
    *,
    exact: bool = False,
    proof: bool = False,
    **keywords: Any,
) -> Frontier | ExactFrontier:
    """Return the best designs at many levels of one notion, each certified by itself.

    Levels are worked through from the least, each from where the last one ended: from the basis of its program where
    HiGHS holds that, from its decisions or extreme columns elsewhere. Where that leads nowhere the level is solved
    anew. What is checked besides is that no certified bound is below what a stricter level already reaches. Ctrl-C
    returns the levels made so far, if there are any.

    Parameters
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion or type of Notion
        A notion, taken at each level in turn, or its class where the level is all that it needs.
    objective : Objective
        What has to stay useful.
    levels : sequence of float
        Levels of the notion's ``level_name``, in any order; tuples for a notion of several parts.
    exact : bool
        Whether to return formulas instead: the optimum at every level from the least to the largest of `levels`, as
        rational functions of ``E = e^epsilon`` on intervals with exact ends. For `LDP`, `LIP` and `MaxLift` with an
        expected loss; needs python-flint. No other keyword goes with it.
    proof : bool
        Look for a proof of each bound in integers, as for `design`: value, bound and gap at a level that is `proved`
        are exact numbers rounded outward.
    **keywords
        Those of `design`; `time_limit` is for each level.

    Returns
    -------
    Frontier
        With `levels`, `values`, `bounds`, `gaps`, the designs themselves, and tables; not `complete` where it was
        interrupted.
    ExactFrontier
        With ``exact=True``: its `pieces`, `value` and `design` at any level in between without a solver, and `latex`.

    Raises
    ------
    DomainError, InfeasibleError, UnsupportedError, SolverError
        As `design`, for the level that it is about.
    CertificateError
        A bound is below what a stricter level reaches: one of the two certificates is wrong.

    Warns
    -----
    GapWarning
        Once, with the number of levels whose gap is wider than asked, and the widest.
    ProofWarning
        Proofs were asked for, and levels have none: once, with their number and why the first has none.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    >>> curve = md.frontier(problem, md.LDP, md.MMSE(), [0.5, 1.0, 2.0])
    >>> bool((curve.values[:-1] > curve.values[1:]).all()), float(curve.gaps.max()) <= 1e-6
    (True, True)

    At all levels at once:

    >>> curve = md.frontier(problem, md.LDP, md.HammingLoss(), [0.0, 3.0], exact=True)
    >>> print([(str(piece.ends[0]), str(piece.value)) for piece in curve.pieces])
    [('1', '3/10'), ('7/2', '(E + 10)/(10*(E + 1))'), ('8', '2/(E + 2)')]
    """
    proofs = Proofs(truth("proof", proof))
    if truth("exact", exact):
        return _of_formulas(problem, notion, objective, levels, {**keywords, "proof": True} if proof else keywords)
    settings = Settings.of(keywords, KEYWORDS, "a frontier")
    given = entries("levels", levels, "it has to be a sequence of levels", "give a list")
    if not given:
        raise DomainError("levels", levels, "there has to be at least one level", "give a list of levels")
    asked = [at_level(notion, level) for level in given]
    start, gap = WarmStart(), settings.gap
    made: dict[int, tuple[Design, float]] = {}
    for index in sorted(range(len(asked)), key=lambda i: asked[i].parameters):
        started = now()
        try:
            found = answered(problem, asked[index], objective, settings, start)
            if not found.interrupted:
                found = proofs.of(found, gap, started, settings.time_limit)
        except KeyboardInterrupt:
            if not made:
                raise
            break
        if found.interrupted and made and found.gap > gap:
            # Half a search is no level beside whole ones.
            break
        made[index] = found, now() - started
        if found.interrupted or proofs.interrupted:
            break
    designs = tuple(made[index][0] for index in sorted(made))
    check_nested(designs, objective, problem)
    _warn_of_wide(designs, gap)
    proofs.warn()
    seconds = tuple(made[index][1] for index in sorted(made))
    complete = len(made) == len(asked) and not any(each.interrupted for each in designs)
    return Frontier(asked[0].level_name, designs, seconds, complete)


def _of_formulas(
    problem: Problem, notion: Any, objective: Objective, levels: Any, keywords: Mapping[str, Any]
) -> ExactFrontier:
    if keywords:
        name, value = next(iter(keywords.items()))
        raise DomainError(name, value, "an exact frontier takes levels alone", "leave it out")
    required("problem", problem, Problem)
    required("objective", objective, Objective)
    given = entries("levels", levels, "it has to be a sequence of levels", "give the two ends")
    if any(isinstance(level, tuple) for level in given) or len(given) < 2:
        raise DomainError("levels", levels, "an exact frontier goes from one level to another", "give the two ends")
    if max(given) > MOST_EXACT:
        raise DomainError("levels", max(given), "e^epsilon would be no float", f"give levels up to {MOST_EXACT}")
    ends = [at_level(notion, level).parameter for level in (min(given), max(given))]
    if ends[0] == ends[1]:
        raise DomainError("levels", levels, "an exact frontier goes from one level to another", "give the two ends")
    try:
        from mechdesign.studies.exact_frontier.entry import exact_frontier
    except ImportError:
        raise UnsupportedError(
            "Exact frontiers need python-flint, which is not installed: pip install 'mechdesign[exact]'."
        ) from None
    return exact_frontier(problem, at_level(notion, ends[1]), objective, *ends)


def at_level(notion: Any, level: Levels) -> Notion:
    """Return `notion` at `level`; a class is called with it."""
    if isinstance(notion, Notion):
        return notion.at(level)
    if not (isinstance(notion, type) and issubclass(notion, Notion)):
        raise DomainError("notion", notion, "it has to be a Notion or the class of one", NOTIONS)
    _refuse_parts(notion, level)
    return notion(*level) if isinstance(level, tuple) else notion(**{notion.level_name: level})


def _refuse_parts(notion: type[Notion], level: Levels) -> None:
    """Raise where the notion takes another number of parts than `level` has, or more than its level."""
    require_dataclass("notion", notion)
    wanted = [part.name for part in fields(notion) if part.default is MISSING]  # type: ignore[arg-type] # a dataclass
    if isinstance(level, tuple) and len(level) != len(wanted):
        rule = f"{notion.__name__} takes {len(wanted)} of them: {', '.join(wanted)}"
        remedy = "give plain numbers as levels" if len(wanted) == 1 else "give one number for each"
        raise DomainError("levels", f"of {len(level)} parts, {level!r}", rule, remedy)
    if not isinstance(level, tuple) and wanted not in ([], [notion.level_name]):
        rule = "it needs more than its level"
        raise DomainError("notion", notion.__name__, rule, "give a notion at any level, with its parameters")


def check_nested(designs: tuple[Design, ...], objective: Objective, problem: Problem) -> None:
    """Raise where a bound is below what a stricter level reaches: its mechanism is allowed at the weaker level too."""
    ordered = sorted(designs, key=lambda made: made.mechanism.asked.notion.parameters)
    for strict, weak in pairwise(ordered):
        below, above = strict.mechanism.asked.notion, weak.mechanism.asked.notion
        if any(a > b for a, b in zip(below.parameters, above.parameters, strict=True)):
            continue
        inputs = below.inputs(problem)
        reached, most = objective.to_utility(strict.value, inputs), objective.to_utility(weak.bound, inputs)
        if reached - most > 10 * ROUNDING * max(abs(reached), abs(most), span(objective, inputs)):
            raise CertificateError(
                f"{below} reaches {strict.value!r}, but the bound under {above} is {weak.bound!r}; "
                "please report this question."
            )


def _warn_of_wide(designs: tuple[Design, ...], asked: float) -> None:
    wide = [made for made in designs if made.shortfall(asked) is not None]
    if wide:
        worst = max(wide, key=lambda made: made.gap)
        said = f"{len(wide)} of {len(designs)} levels fell short. {worst.shortfall(asked)}"
        warnings.warn(said, GapWarning, stacklevel=3)
