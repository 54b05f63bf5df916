"""What a guarantee is about: the answer itself, a hidden secret, a person's profile, or one record of a sum."""

from __future__ import annotations

from dataclasses import dataclass

from mechdesign.mechanism import Mechanism
from mechdesign.notions import CentralizedIP, Intersection, Notion, ProfileDP
from mechdesign.problem import Problem


@dataclass(frozen=True)
class Subject:
    """The words for what is protected and for what the mechanism does.

    Attributes
    ----------
    it : str
        What is protected.
    values : str
        What it can be, in the plural.
    who : str
        What the mechanism does, as a sentence.
    row : str
        What a row of the matrix stands for, and a column and an entry.
    same : str
        What a mechanism does that ignores its input.
    each : str
        What a row stands for, in a word or two.
    """

    it: str
    values: str
    who: str
    row: str
    same: str = "All people give the same report with the same probabilities; nothing can be learnt."
    each: str = "answer"


ROW = "a column a report, an entry the probability of that report for a person with that"
REPLACED = "replaced by a random report, drawn by the matrix below."
ANSWER = Subject("the answer", "answers", f"Each person's answer is {REPLACED}", f"A row is an answer, {ROW} answer.")
HIDDEN = Subject(
    "the secret",
    "values of the secret",
    f"{ANSWER.who} What is protected is a secret that answers depend on, and not the answer.",
    ANSWER.row,
)
PROFILE = Subject(
    "the profile",
    "profiles",
    f"{ANSWER.who} What is protected is the profile that answers come from, and not the answer.",
    ANSWER.row,
)
PROFILE_SEEN = Subject(
    "the profile",
    "profiles",
    f"Each person's profile and answer are {REPLACED} What is protected is the profile, and not the answer.",
    f"A row is a profile with an answer, {ROW} profile and answer.",
    each="profile with an answer",
)
RECORD = Subject(
    "the record",
    "values of the records",
    "The sum over all records is replaced by a random output, drawn by the matrix below. What is protected is each "
    "record.",
    "A row is a sum, a column an output, an entry the probability of that output for that sum.",
    "The output has the same probabilities whatever the records are; nothing can be learnt.",
    "sum",
)


def wholes(notion: Notion) -> tuple[Notion, ...]:
    """Return the notions that hold together: itself, where it is no intersection."""
    return notion.notions if isinstance(notion, Intersection) else (notion,)


def subject(notion: Notion | None, problem: Problem) -> Subject:
    """Return the words for what a notion protects: an answer, a hidden secret, a record or a profile."""
    for each in () if notion is None else wholes(notion):
        if isinstance(each, CentralizedIP):
            return RECORD
        if isinstance(each, ProfileDP):
            return PROFILE_SEEN if each.sees_profile else PROFILE
    return HIDDEN if problem.is_hidden else ANSWER


def subject_of(mechanism: Mechanism) -> Subject:
    """Return the words for what the notion of a mechanism protects; without a notion, those for LDP."""
    return subject(mechanism.guarantee, mechanism.inputs)


def ignores_input(mechanism: Mechanism) -> bool:
    """Return whether all rows of the matrix are the same."""
    return bool((mechanism.matrix == mechanism.matrix[0]).all())
