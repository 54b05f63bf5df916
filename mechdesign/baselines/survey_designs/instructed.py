"""From an instruction to the respondent, in exact probabilities, to its mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.parameters.labels import carried
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import exact_number

#: Who has the sensitive attribute, and who does not.
ATTRIBUTE = ("yes", "no")
#: Probabilities of several outcomes sum to one within this.
NEAR_ONE = Fraction(1, 10**9)


def probability(argument: str, value: Any) -> Fraction:
    """Return a number from 0 to 1 exactly: a float, a fraction, or a text such as "1/6".

    Examples
    --------
    >>> probability("p", "1/6"), probability("p", 0.75)
    (Fraction(1, 6), Fraction(3, 4))
    """
    found = exact_number(value, argument)
    if not 0 <= found <= 1:
        raise DomainError(argument, value, "a probability is between 0 and 1", 'give 0.75, or "3/4"')
    return found


def several(argument: str, given: Any) -> dict[str, Fraction]:
    """Return the probabilities of outcomes by their names, from a mapping or a column of pandas.

    Raises
    ------
    DomainError
        No names; a probability that is none.
    """
    found = carried(argument, given, 1)
    if found.rows is None:
        remedy = 'give a mapping: {"never": "1/6", "often": "1/6"}'
        raise DomainError(argument, given, "each probability needs the name of its outcome", remedy)
    pairs = zip(found.rows, list(found.plain), strict=True)
    return {name: probability(f"{argument}[{name!r}]", value) for name, value in pairs}


def to_one(argument: str, chances: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return probabilities that sum to exactly 1, of those that do within 1e-9."""
    total = sum(chances.values(), Fraction())
    if abs(total - 1) > NEAR_ONE:
        rule, remedy = "the probabilities of all outcomes sum to 1", 'correct one; "1/6" is exact'
        raise DomainError(argument, f"of sum {float(total)!r}", rule, remedy)
    return {name: chance / total for name, chance in chances.items()}


def instructed(rows: Sequence[Sequence[Fraction]], outputs: Sequence[str], problem: Problem | None = None) -> Mechanism:
    """Return the mechanism of those probabilities, over who has the attribute unless a problem is given."""
    return Mechanism(rows, outputs, problem=problem or Problem(labels=ATTRIBUTE))
