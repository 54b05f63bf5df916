"""Which routes answer which pair of notion and objective, and which bounds can be proved, as tables in Markdown."""

from __future__ import annotations

import zlib

import numpy as np

from mechdesign.errors import MechdesignError
from mechdesign.proofs import refusal
from mechdesign.question import Question
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.task import Task
from mechdesign.testing import sized

#: Numbers of data at which a pair is asked; at which it is asked for a proof, the first at which there is a question.
SIZES = (2, 3, 8, 40)
PROVED_AT = (8, 2)


def answering(notion: str, objective: str, n: int) -> tuple[list[str], str]:
    """Return the routes that accept a notion and an objective for n inputs, and a sentence why others refuse."""
    rng = np.random.default_rng(zlib.crc32(f"{notion} {objective} {n}".encode()))
    asked = sized.some_pair(notion, objective, n, rng)
    if asked is None:
        return [], f"{notion} has no such question with {n} data"
    problem, made, wanted = asked
    try:
        task = Task(made.inputs(problem), made, wanted)
        wanted.check(task.problem)
        refusals = {name: route.refusal(task) for name, route in ROUTES.items() if route.is_exact}
    except MechdesignError as error:
        return [], str(error)
    accepted = [name for name, why in refusals.items() if why is None]
    return accepted, "; ".join(f"{name}: {why}" for name, why in refusals.items() if why is not None)


def answered(notion: str, objective: str) -> tuple[dict[str, int], str]:
    """Return the routes that answer the pair, with the largest size that each accepts, and why if no route does."""
    largest: dict[str, int] = {}
    reason = ""
    for n in SIZES:
        accepted, why = answering(notion, objective, n)
        largest.update(dict.fromkeys(accepted, n))
        reason = why or reason
    return largest, "" if largest else reason


def table() -> str:
    """Return the page of pairs: one table of the largest sizes, and below it the routes for each notion."""
    found = {
        notion: {objective: answered(notion, objective) for objective in sized.OBJECTIVES} for notion in sized.NOTIONS
    }
    return "\n".join((*_sizes(found), *_routes(found))) + "\n"


def unproved(notion: str, objective: str) -> str | None:
    """Return why no proof of a bound is looked for under that notion and objective, None where one is."""
    for n in PROVED_AT:
        asked = sized.some_pair(
            notion, objective, n, np.random.default_rng(zlib.crc32(f"{notion} {objective}".encode()))
        )
        if asked is None:
            continue
        try:
            question = Question(*asked)
        except MechdesignError as error:
            return str(error)
        return refusal(question)
    return f"{notion} has no such question"


def proofs() -> str:
    """Return the page of proofs: for which notion and objective one is looked for, and why not for the others."""
    reasons = {
        notion: {objective: unproved(notion, objective) for objective in sized.OBJECTIVES} for notion in sized.NOTIONS
    }
    numbers = {notion: place for place, notion in enumerate(reasons, 1)}
    known = sum(why is None for each in reasons.values() for why in each.values())
    pairs = len(numbers) * len(sized.OBJECTIVES)
    lines = [
        "# Which bounds can be proved",
        "",
        f"For {known} of {pairs} pairs of a notion and an objective a proof in integers is looked for, at",
        f"{PROVED_AT[0]} inputs, or {PROVED_AT[1]} where a notion has no more.",
        "Whether it is found depends on the digits of the multipliers; `python -m benchmarks proofs` counts how often.",
        "Columns are notions: " + ", ".join(f"{place} {notion}" for notion, place in numbers.items()) + ".",
        "",
        "| objective | " + " | ".join(map(str, numbers.values())) + " |",
        "|---|" + "---|" * len(numbers),
    ]
    for objective in sized.OBJECTIVES:
        cells = ("yes" if reasons[notion][objective] is None else "-" for notion in reasons)
        lines.append(f"| {objective} | " + " | ".join(cells) + " |")
    return "\n".join((*lines, "", "## Why not", "", *_reasons(reasons))) + "\n"


def _reasons(found: dict[str, dict[str, str | None]]) -> list[str]:
    """Return a line for each reason and the objectives that have it, with their notions."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for notion, reasons in found.items():
        named: dict[str, list[str]] = {}
        for objective, why in reasons.items():
            if why is not None:
                named.setdefault(why.replace(objective, "the objective"), []).append(objective)
        for why, objectives in named.items():
            alike.setdefault((why, tuple(objectives)), []).append(notion)
    return [
        f"- {', '.join(objectives)} under {', '.join(notions)}: {why}." for (why, objectives), notions in alike.items()
    ]


#: For each notion and objective, what `answered` found.
Found = dict[str, dict[str, tuple[dict[str, int], str]]]


def _sizes(found: Found) -> list[str]:
    """Return the head of the page and its table: objectives down, notions across, the largest size in each cell."""
    asked = f"Asked of one random question each with {', '.join(map(str, SIZES))} data"
    numbers = {notion: place for place, notion in enumerate(found, 1)}
    lines = [
        "# Which routes answer which pair",
        "",
        f"{asked}. A number is the largest of these sizes that some exact route accepts; a dash says that none does.",
        "Larger sizes are not tried here; [how large](../how-to/how-large.md) has times. Columns are notions:",
        ", ".join(f"{place} {notion}" for notion, place in numbers.items()) + ".",
        "",
        "| objective | " + " | ".join(map(str, numbers.values())) + " |",
        "|---|" + "---|" * len(numbers),
    ]
    for objective in sized.OBJECTIVES:
        cells = (max(found[notion][objective][0].values(), default=0) for notion in found)
        lines.append(f"| {objective} | " + " | ".join(str(n or "-") for n in cells) + " |")
    return lines


def _routes(found: Found) -> list[str]:
    """Return a section for each notion, closed at first; objectives that the same routes answer share a row."""
    lines = ["", "## The routes, for each notion", "", "Behind each route stands the largest size that it accepts."]
    for notion, answers in found.items():
        rows: dict[tuple[str, str], list[str]] = {}
        for objective, (largest, why) in answers.items():
            routes = ", ".join(f"{name} ({n})" for name, n in largest.items())
            rows.setdefault((routes or "none", why), []).append(objective)
        lines += ["", f":::{{dropdown}} {notion}", "| routes | objectives |", "|---|---|"]
        lines += [f"| {routes} | {', '.join(named)} |" for (routes, _), named in rows.items()]
        for (_, why), named in rows.items():
            lines += ["", f"None answers {', '.join(named)}. {_listed(why)}"] if why else []
        lines += [":::"]
    return lines


def _listed(why: str) -> str:
    """Return the refusals of the routes as one sentence each."""
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in why.split("; "))
