"""For whom a guarantee holds, relative to what, and its limits."""

from __future__ import annotations

from mechdesign.catalogue.subject import HIDDEN, RECORD
from mechdesign.notions import Notion
from mechdesign.problem import Problem
from mechdesign.reports.subjects import subject

#: What is relative to a prior, with the source of the prior between the two halves.
RELATIVE = (
    "is relative to a prior",
    "Anyone who knows more of a person than that prior says may learn more from a report than it says.",
)
NO_PRIOR = "depends on no prior: what others know of a person already does not weaken it."


def for_whom(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return against whom the guarantee holds: what they may know, and whose prior it depends on."""
    central = subject(notion, problem) is RECORD
    said = [
        "It holds for every record, against everyone who sees the output, where one output is released. It does not "
        "hold against anyone who has the records."
        if central
        else "It holds for everyone who reports through this mechanism once, against everyone who sees the report."
    ]
    about: dict[str, list[str]] = {}
    for each in notion.members():
        about.setdefault(_relative_to(each, problem), []).append(str(each))
    for text, names in about.items():
        if text:
            plural = f"Each of {' and '.join(names)}" if len(names) > 1 else names[0]
            said.append(f"{'It' if len(about) == 1 else plural} {text}")
    if subject(notion, problem) is HIDDEN:
        said.append(
            f"It protects a secret of {problem.secrets} values by what is stated of how answers depend on the secret. "
            "Where that is wrong, or where others know more of a person's answer than it says, they may learn more of "
            "the secret than the guarantee says. The answer itself is not protected."
        )
    return tuple(said)


def _relative_to(notion: Notion, problem: Problem) -> str:
    """Return what a notion is relative to; nothing to be said where that is the statement of a hidden secret."""
    if notion.card.relative_to:
        return notion.card.relative_to
    if any(part.needs_prior for part in notion.parts()):
        source = f": {problem.prior_source}" if problem.prior_source else ", whose source is not stated"
        return f"{RELATIVE[0]}{source}. {RELATIVE[1]}"
    return "" if problem.is_hidden else NO_PRIOR


def not_promised(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return what the guarantee does not cover."""
    said = [_repeated({part.card.adds_up for part in notion.parts()}, problem.is_hidden)]
    if subject(notion, problem) is RECORD:
        said.append(
            "Draw the output once, and keep it: the mean of many outputs on the same records reveals their sum."
        )
    else:
        said.append(
            "Draw each person's report once, and keep it: the mean of many reports of one person reveals the answer."
        )
    said += [
        "Other data on the same person, such as a correlated answer to another question, are not covered.",
        "It does not hide who took part, nor what the reports of many people reveal of the population.",
        "It is a statement on this matrix: reports that are drawn in another manner have no guarantee.",
    ]
    if not notion.closed_under_postprocessing:
        said.append("To merge outputs, or to mix the mechanism with another one, may break the guarantee.")
    return tuple(said)


def _repeated(adds_up: set[str], hidden: bool) -> str:
    """Return what becomes of the level if one person reports several times, by what adds up of each notion."""
    together = "The level of several reports together can be computed before they are collected."
    if hidden or "" in adds_up:
        return (
            "The guarantee does not compose: the level of several reports of one person may be more than the sum of "
            f"theirs (two reports under LIP(1) can have a level of 2.677). {together}"
        )
    what = "epsilon and delta" if adds_up != {"level"} else "the level"
    return f"Repeated reports add up: two reports of one person have up to twice {what}. {together}"
