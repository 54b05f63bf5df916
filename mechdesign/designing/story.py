"""What the command and `print` say of a design: value and bound, the route, the exact audit, known mechanisms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mechdesign.displays import Block, Lines
from mechdesign.displays.numbers import rounded_up
from mechdesign.rivals.rival import Rival, frequency_variance, improvements, rival_tables

if TYPE_CHECKING:
    from mechdesign.designing.result import Design

#: The known mechanisms beside a matrix of more entries, and its rank, take seconds: only the command waits for them.
MOST_COMPARED = 40_000


def story(made: Design, asked: float | None = None, path: Path | None = None) -> tuple[Block, ...]:
    """Return what was found, how, how private it is, what one would get instead, and where it was written.

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
    n, m = made.matrix.shape
    every = path is not None or n * m <= MOST_COMPARED
    left_out = f"Left out of the display of {n} inputs, as it takes long"
    back = f"written to {path} ({n} inputs, {m} outputs); mechdesign audit and md.load read it back"
    shape = f"{n} inputs, {m} outputs; design.matrix has the numbers, design.mechanism.save(path) writes them"
    return (
        Lines("Optimum", _optimum(made, asked)),
        Lines(f"Route: {made.route}", _route(made), folded=True),
        *made.audit.display(),
        *(_compared(made) if every else [Lines("Beside it", (f"{left_out}: design.rivals.",))]),
        Lines("What can be estimated", (made.identifiability if every else f"{left_out}: design.identifiability.",)),
        Lines("Mechanism", (shape if path is None else back,)),
    )


def _optimum(made: Design, asked: float | None) -> tuple[str, ...]:
    question = made.mechanism.asked
    unit = f" {question.objective.unit}" if question.objective.unit else ""
    allowed = question.outputs
    few = "" if allowed is None else f" with at most {allowed} output{'s' * (allowed > 1)}"
    verdict = "" if asked is None else f", {asked:g} asked: {'certified' if made.gap <= asked else 'WIDER than asked'}"
    gained = f"{rounded_up(made.gap_of_gain, 2)} of what is gained over a mechanism that ignores its input"
    facts = [
        f"value  {made.value!r}{unit} ({question.objective.sense}d)",
        f"bound  {made.bound!r}{unit}: no mechanism under this notion{few} does better",
        f"gap    {rounded_up(made.gap, 2)} relative{verdict}; {gained}",
    ]
    if made.uninformative:
        facts.append("UNINFORMATIVE: the mechanism ignores its input, and no report tells anything")
    return tuple(facts)


def _route(made: Design) -> tuple[str, ...]:
    tries = [f"{a.route} with {a.solver}: {a.outcome}, {a.seconds:.2f} s" for a in made.attempts]
    note = [f"{made.note}."] if made.note else []
    stages = ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in made.timings.items() if seconds)
    refused = [f"not {name}: {why}" for name, why in made.refusals.items()]
    return (made.reason, *note, *tries, f"seconds: {stages}", *refused)


def _compared(made: Design) -> list[Block]:
    """Return what one would use instead."""
    question = made.mechanism.asked
    variance = frequency_variance(made.matrix, question.notion.inputs(question.problem))
    this = Rival("this design", made.value, float(made.audit), True, f"route {made.route}", variance)
    compared, *spread = rival_tables("Beside it, on the same rows", (this, *made.rivals))
    better = improvements(made.value, made.rivals, question.objective)
    return [compared, *([Lines("", better)] if better else []), *spread]
