"""The answers of a column that are there: missing ones are taken out, refused or pointed out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DataWarning, DomainError
from mechdesign.problem.missing import SHOWN, MissingRule, Ways, absences, suspects


@dataclass(frozen=True)
class Present:
    """The answers of a column that are there.

    Attributes
    ----------
    entries : ndarray, shape (m,)
        The answers.
    places : ndarray, shape (m,)
        Where they stand in the column.
    absent : int
        How many missing answers were declared, or dropped.
    """

    entries: npt.NDArray[Any]
    places: npt.NDArray[np.int64]
    absent: int


def present(given: npt.NDArray[Any], rule: MissingRule, of_numbers: bool, ways: Ways, stacklevel: int) -> Present:
    """Return the answers of a column of records without those that `rule` declares missing.

    Parameters
    ----------
    given : ndarray, shape (m,)
        The column.
    rule : MissingRule
        What is declared.
    of_numbers : bool
        Whether the column has to be of numbers, as for bins.
    ways : Ways
        How the ways out are written.
    stacklevel : int
        Of the warning.

    Raises
    ------
    DomainError
        Missing answers that were not declared, among numbers or without a text of their own.

    Warns
    -----
    DataWarning
        Texts that look like missing answers, and were not declared.
    """
    absent = absences(given, rule)
    kept = given[~absent]
    places = np.flatnonzero(~absent).astype(np.int64)
    doubtful = suspects(kept)
    if doubtful.any():
        others = kept[~doubtful]
        found = [_Suspect(int(places[at]), entry) for at, entry in enumerate(kept.tolist()) if doubtful[at]]
        texts = not of_numbers and (others.size == 0 or isinstance(others.flat[0], str))
        # A text can name an answer; an empty one cannot.
        hard = [each for each in found if not each.code or not isinstance(each.entry, str)] if texts else found
        if hard:
            raise _refusal(hard, given.size, ways)
        warnings.warn(_note(found, given.size, ways), DataWarning, stacklevel=stacklevel + 1)
    return Present(kept, places, int(absent.sum()))


@contextmanager
def at_their_places(places: npt.NDArray[np.int64]) -> Iterator[None]:
    """Give complaints about ``records[k]`` of the answers that are there the place in the whole column."""
    try:
        yield
    except DomainError as error:
        name, _, index = error.argument.partition("[")
        if name != "records" or not index.rstrip("]").isdecimal():
            raise
        place = f"records[{places[int(index.rstrip(']'))]}]"
        raise DomainError(place, error.value, error.rule, error.remedy) from None


@dataclass(frozen=True)
class _Suspect:
    place: int
    entry: Any

    @property
    def code(self) -> str:
        return self.entry.strip() if isinstance(self.entry, str) else "NaN"


def _refusal(found: list[_Suspect], size: int, ways: Ways) -> DomainError:
    rule = f"nothing may be missing ({len(found)} of {size})"
    if len(found) > 1:
        rule += f": {_listed(found)}"
    shown = str(found[0].entry).strip() or "blank"
    return DomainError(f"records[{found[0].place}]", shown, rule, ways.remedy(dict.fromkeys(e.code for e in found)))


def _note(found: list[_Suspect], size: int, ways: Ways) -> str:
    codes = list(dict.fromkeys(each.code for each in found))
    one = len(found) == 1
    return (
        f"{len(found)} of {size} answers {'is' if one else 'are'} {' or '.join(codes[:SHOWN])} ({_listed(found)}), "
        f"counted as {'an answer' if one else 'answers'} like the others: if that is a missing answer, "
        f"{ways.remedy(codes)}."
    )


def _listed(found: list[_Suspect]) -> str:
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(f"records[{each.place}]" for each in found[:SHOWN]) + more
