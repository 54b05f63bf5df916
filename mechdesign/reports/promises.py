"""What a notion guarantees in words, and what that means for somebody's odds: the sentences of its card."""

from __future__ import annotations

from mechdesign.catalogue.asked import asked, of_type
from mechdesign.catalogue.formula import formula_of
from mechdesign.catalogue.subject import Subject
from mechdesign.notions import Notion
from mechdesign.problem import Problem
from mechdesign.reports.subjects import subject


def promises(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return what is guaranteed for the inputs of a mechanism: a sentence or two for each notion that holds.

    A notion whose card has no promise is given by its formula.
    """
    found, protected = [], subject(notion, problem)
    for each in notion.members():
        said = each.card.promise
        formula = formula_of(type(each))
        satisfied = f"The mechanism satisfies {each}: {formula}" if formula else f"The mechanism satisfies {each}."
        found.append(_sentence(each, "promise", problem, protected) if said else satisfied)
    return tuple(found)


def odds(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return a sentence for each notion that bounds odds, or the probabilities of those with the stated prior.

    Examples
    --------
    >>> import mechdesign as md
    >>> odds(md.LDP(1.0), md.Problem(n=2))[0]
    'Somebody who thought an answer as likely as not (50 %) thinks it at most 73.2 % likely after seeing the report.'
    """
    said = (_sentence(each, "odds", problem, subject(each, problem)) for each in notion.members() if each.card.odds)
    return tuple(line for line in said if line)


def _sentence(notion: Notion, field: str, problem: Problem, protected: Subject) -> str:
    found = asked(type(notion), field, getattr(notion.card, field), notion, problem, protected)
    said: str = of_type(type(notion), field, found, str, "a text")
    return said
