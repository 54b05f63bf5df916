"""What a guarantee is about: the answer itself, a hidden secret, a person's profile, or one record of a sum."""

from __future__ import annotations

from mechdesign.catalogue.asked import asked, of_type
from mechdesign.catalogue.subject import ANSWER, HIDDEN, Subject
from mechdesign.mechanism import Mechanism
from mechdesign.notions import Notion
from mechdesign.problem import Problem


def subject(notion: Notion | None, problem: Problem) -> Subject:
    """Return the words for what a notion protects: an answer, a hidden secret, a record or a profile."""
    for each in () if notion is None else notion.members():
        if each.card.protects is not None:
            found = asked(type(each), "protects", each.card.protects, each)
            words: Subject = of_type(type(each), "protects", found, Subject, "a mechdesign.catalogue.subject.Subject")
            return words
    return HIDDEN if problem.is_hidden else ANSWER


def subject_of(mechanism: Mechanism) -> Subject:
    """Return the words for what the notion of a mechanism protects; without a notion, those for LDP."""
    return subject(mechanism.guarantee, mechanism.inputs)


def ignores_input(mechanism: Mechanism) -> bool:
    """Return whether all rows of the matrix are the same."""
    return mechanism.ignores_input
