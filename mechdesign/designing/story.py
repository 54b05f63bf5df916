"""What the command and `print` say of a design: at first sight, and at length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.numbers import rounded_up
from mechdesign.errors import UnsupportedError
from mechdesign.estimation.planning import people_said
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.mechanism.certificate import CERTIFIED
from mechdesign.rivals.rival import (
    NO_PRIVACY,
    Rival,
    improvement,
    improvements,
    level_said,
    rival_tables,
    value_said,
    variance_said,
)
from mechdesign.rivals.without_matrix import variance_of

if TYPE_CHECKING:
    from mechdesign.designing.result import Design

#: The known mechanisms beside a matrix of more entries, and its rank, take seconds: only the command waits for them.
MOST_COMPARED = 40_000
#: Outputs for each input from which on it is said how to have fewer.
MANY_OUTPUTS = 2
#: The gap from which on a design was asked to give something up for fewer outputs.
GIVEN_UP = 0.005
#: What the design is called beside known mechanisms.
THIS = "this design"


@dataclass(frozen=True)
class Why(Displayed):
    """How a design was found: the route, why no other, each attempt, seconds, the audit's witness, known mechanisms.

    Attributes
    ----------
    design : Design
        Of which it is said.
    """

    design: Design

    def display(self) -> tuple[Block, ...]:
        """Return the route with its refusals, what shows the level, and notes on known mechanisms."""
        made = self.design
        route = Lines(f"Route: {made.route}", _route(made), folded=True)
        return (route, *made.audit.display(), *(_compared(made) if _is_quick(made) else ()))

    def __str__(self) -> str:
        return self._printed()


def summary(made: Design, asked: float | None = None, path: Path | None = None) -> tuple[Block, ...]:
    """Return the optimum, what one would use instead, what is guaranteed, what reports identify, and what comes next.

    Parameters
    ----------
    made : Design
        The answer.
    asked : float, optional
        The gap that was asked for.
    path : Path, optional
        The file that the mechanism was written to.

    Returns
    -------
    tuple of Block
    """
    return (
        Lines("Optimum", _optimum(made, asked)),
        *(_beside(made) if path is not None or _is_quick(made) else ()),
        Lines("Guarantee, in exact arithmetic", _guarantee(made)),
        *_identified(made, path),
        Lines("Mechanism", _next(made, path)),
    )


def _is_quick(made: Design) -> bool:
    return isinstance(made.mechanism, ImplicitMechanism) or math.prod(made.mechanism.shape) <= MOST_COMPARED


def _optimum(made: Design, asked: float | None) -> tuple[str, ...]:
    question = made.mechanism.asked
    unit = f" {question.objective.unit}" if question.objective.unit else ""
    claimed = made.mechanism.claimed
    among = claimed.among(question.outputs)
    certified = asked is not None and made.gap <= asked
    gap, shown = f"gap {rounded_up(made.gap, 2)}", "proved" if claimed.proved else CERTIFIED
    wider = f", WIDER than the {asked:g} asked for" if asked is not None and not certified else ""
    facts = [
        f"value  {made.value!r}{unit} ({question.objective.sense}d)",
        f"{shown}: nothing private{among} is better than {made.bound!r} ({gap}{wider})",
    ]
    if claimed.multipliers.of_own_constraints and made.note:
        facts.append(made.note)
    if made.uninformative:
        facts.append("UNINFORMATIVE: the mechanism ignores its input, and no report carries information")
    return tuple(facts)


def _beside(made: Design) -> tuple[Block, ...]:
    """Return a table of the known alternatives: value, level, the design's improvement on each, and variance."""
    objective, rows = made.mechanism.asked.objective, list[tuple[str, ...]]()
    for rival in (_as_rival(made), *made.rivals):
        gain = improvement(made.value, rival, objective)
        known = rival.private and rival.name != THIS and not math.isnan(gain)
        # A published form outside of the domain where it holds can't be used: `why` shows it with the reason.
        if rival.private or rival.name == NO_PRIVACY:
            cells = value_said(rival), level_said(rival), "yes" if rival.private else "NO"
            gained = f"{round(100.0 * gain, 1) + 0.0:.1f} %" if known else ""
            rows.append((rival.name, *cells, gained, variance_said(rival)))
    heads = ["mechanism", "value", "level", "private", "gain", "variance"]
    said = "gain: of this design on it, as a share of its value"
    if made.mechanism.claimed.multipliers.of_own_constraints:
        said += "; known mechanisms need not satisfy subject_to"
    usable = [rival for rival in (_as_rival(made), *made.rivals) if rival.private]
    # Where the objective is that variance, one column has it.
    same = all(math.isclose(rival.value, rival.variance, rel_tol=1e-9) for rival in usable)
    if any(math.isfinite(rival.variance) for rival in usable) and not same:
        said += "; variance: of all frequencies, x reports"
    else:
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return Table("What one would use instead", tuple(heads), tuple(rows), ("mechanism",)), Lines("", (said,))


def _as_rival(made: Design) -> Rival:
    question = made.mechanism.asked
    variance = variance_of(made.mechanism, question.notion.inputs(question.problem))
    return Rival(THIS, made.value, float(made.audit), True, f"route {made.route}", variance)


def _guarantee(made: Design) -> tuple[str, ...]:
    """Return sentences that the notion holds, at which level, and what that means for a person."""
    # The words of guarantees are loaded with the first design that is printed, not with the package.
    from mechdesign.reports.promises import promises

    checked = made.audit
    levels = " and ".join(
        f"{part.level_name} = {rounded_up(level, 9)}"
        for part, level in zip(checked.notion.parts(), checked.levels, strict=True)
    )
    question = made.mechanism.asked
    held = f"{checked.notion} holds exactly, at {levels}, rounded up."
    if made.central is not None:
        asked, together = made.central
        held += (
            f" Shuffled reports of {asked.people} people satisfy ({rounded_up(together, 6)}, {asked.delta:g})-"
            "differential privacy."
        )
    return (held, *promises(checked.notion, question.notion.inputs(question.problem)))


def _identified(made: Design, path: Path | None) -> tuple[Block, ...]:
    if path is not None or _is_quick(made):
        try:
            said = filter(None, (made.identifiability, people_said(made.mechanism)))
        except UnsupportedError as error:
            return (Lines("Left out", (str(error),)),)
        return (Lines("What can be estimated", tuple(said)),)
    left_out = "design.rivals and design.identifiability take long for so many inputs and outputs"
    return (Lines("Left out", (f"{left_out}: call them.",)),)


def _next(made: Design, path: Path | None) -> tuple[str, ...]:
    n, m = made.mechanism.shape
    size = f"{n} inputs, {m} output{'s' * (m != 1)}"
    # Where the gap is wide, so much was given up already.
    if m > MANY_OUTPUTS * n and made.gap < GIVEN_UP:
        size += f"; {'within=0.02' if path is None else '--within 0.02'} asks for fewer"
    if path is None:
        return (f"{size}: design.matrix, design.mechanism.save(path), design.report(path); print(design.why) says how",)
    return (
        f"written to {path} ({size})",
        "next: mechdesign sample draws reports, report writes a page, --why says more",
    )


def _route(made: Design) -> tuple[str, ...]:
    tries = [f"{a.route} with {a.solver}: {a.outcome}, {a.seconds:.2f} s" for a in made.attempts]
    note = [f"{made.note}."] if made.note else []
    stages = ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in made.timings.items() if seconds)
    refused = [f"not {name}: {why}" for name, why in made.refusals.items()]
    gain = f"gap relative to what is gained over a mechanism that ignores its input: {rounded_up(made.gap_of_gain, 2)}"
    return (made.reason, *note, gain, *tries, f"seconds: {stages}", *refused)


def _compared(made: Design) -> list[Block]:
    """Return tables of the known alternatives, with notes."""
    compared, *spread = rival_tables("Beside it, on the same rows", (_as_rival(made), *made.rivals))
    better = improvements(made.value, made.rivals, made.mechanism.asked.objective)
    return [compared, *([Lines("", better)] if better else []), *spread]
