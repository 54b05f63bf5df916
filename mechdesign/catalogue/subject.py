"""What a guarantee is about: the answer itself, a hidden secret, a person's profile, or one record of a sum."""

from __future__ import annotations

from dataclasses import dataclass


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
    one : str
        One of the values, with its article.
    """

    it: str
    values: str
    who: str
    row: str
    same: str = "All people give the same report with the same probabilities; nothing can be learnt."
    each: str = "answer"
    one: str = "an answer"


_ROW = "a column a report, an entry the probability of that report for a person with that"
_REPLACED = "replaced by a random report, drawn by the matrix below."
ANSWER = Subject("the answer", "answers", f"Each person's answer is {_REPLACED}", f"A row is an answer, {_ROW} answer.")
HIDDEN = Subject(
    "the secret",
    "values of the secret",
    f"{ANSWER.who} What is protected is a secret that answers depend on, and not the answer.",
    ANSWER.row,
    one="a value of the secret",
)
PROFILE = Subject(
    "the profile",
    "profiles",
    f"{ANSWER.who} What is protected is the profile that answers come from, and not the answer.",
    ANSWER.row,
    one="a profile",
)
PROFILE_SEEN = Subject(
    "the profile",
    "profiles",
    f"Each person's profile and answer are {_REPLACED} What is protected is the profile, and not the answer.",
    f"A row is a profile with an answer, {_ROW} profile and answer.",
    each="profile with an answer",
    one="a profile",
)
RECORD = Subject(
    "the record",
    "values of the records",
    "The sum over all records is replaced by a random output, drawn by the matrix below. What is protected is each "
    "record.",
    "A row is a sum, a column an output, an entry the probability of that output for that sum.",
    "The output has the same probabilities whatever the records are; nothing can be learnt.",
    "sum",
    "a value of the secret",
)
