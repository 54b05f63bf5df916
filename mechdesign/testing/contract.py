"""What a contract is: named clauses, each a function that raises where a member breaks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Clause = Callable[..., None]


class BrokenContractError(AssertionError):
    """A member breaks its contract: `member` says which, `clause` what it breaks.

    Parameters
    ----------
    member : str
        The member, with its parameters.
    clause : str
        The clause's name, a key of the contract.
    sentence : str
        What was found, with numbers.
    """

    def __init__(self, member: str, clause: str, sentence: str) -> None:
        super().__init__(f"{member} breaks the clause {clause!r}: {sentence}.")
        self.member, self.clause, self.sentence = member, clause, sentence


def require(holds: Any, sentence: str) -> None:
    """Raise AssertionError with `sentence` unless `holds`; NaN comparisons do not hold."""
    if not bool(holds):
        raise AssertionError(sentence)


def run(clauses: Mapping[str, Clause], member: object, *given: Any) -> None:
    """Call every clause with `given`.

    Raises
    ------
    BrokenContractError
        At the first clause that does not hold.

    Examples
    --------
    >>> def positive(number):
    ...     require(number > 0, f"{number} is not positive")
    >>> run({"positive": positive}, "minus one", -1)
    Traceback (most recent call last):
    mechdesign.testing.contract.BrokenContractError: minus one breaks the clause 'positive': -1 is not positive.
    """
    for name, clause in clauses.items():
        try:
            clause(*given)
        except AssertionError as error:
            raise BrokenContractError(str(member), name, str(error)) from error
