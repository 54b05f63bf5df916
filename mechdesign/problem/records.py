"""A column of answers as labels with their counts: what is binned, what is refused, and what is only warned of."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DataWarning, DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.parameters.written_numbers import EXACT, as_number, decimal_comma, with_point
from mechdesign.problem.bins import Bins, bins_of
from mechdesign.problem.columns_of_data import (
    array,
    categories_of,
    is_number,
    refuse_mixtures,
)
from mechdesign.problem.missing import IN_PYTHON, MISSING, NOTHING_DECLARED, MissingRule, Ways
from mechdesign.problem.present_answers import at_their_places, present

#: More distinct texts are names or sentences rather than categories.
MANY_TEXTS = 1000
#: A mean by the middles of bins that is off by this many standard deviations of the records is warned of.
FAR = 0.1


@dataclass(frozen=True)
class Tally:
    """Labels with how often each was given, and the numbers that they stand for, where they are numbers.

    Attributes
    ----------
    counts : dict of str to int
        By label.
    labels : tuple of str
        In their order.
    values : ndarray or None
        The number that each label stands for.
    dropped : int
        How many missing answers were left out.
    """

    counts: dict[str, int]
    labels: tuple[str, ...]
    values: Array | None
    dropped: int = 0


def tally(
    records: Any,
    categories: Any,
    bins: Any,
    by: Any,
    stacklevel: int,
    missing: MissingRule = NOTHING_DECLARED,
    ways: Ways = IN_PYTHON,
) -> Tally:
    """Return the counts of a column of answers.

    Raises
    ------
    DomainError
        What `Problem.from_records` says.
    """
    there = present(_column(records), missing, bins is not None, ways, stacklevel + 1)
    with at_their_places(there.places):
        _refuse_unlike(there.entries)
        known = categories_of(records) if categories is None and bins is None else categories
        found = _tally(_whole(there.entries), known, bins, by, stacklevel + 1)
    if missing.drop:
        return replace(found, dropped=there.absent)
    return _with_missing(found, there.absent) if there.absent else found


def _with_missing(found: Tally, absent: int) -> Tally:
    """Return the counts with the missing answers as an answer of its own, the last one unless it has a place."""
    if found.counts.get(MISSING):
        rule = f'missing answers are counted as "{MISSING}", and {found.counts[MISSING]} answers are that text'
        raise DomainError("missing", "given", rule, f'declare "{MISSING}" as missing too, or rename those answers')
    labels = found.labels if MISSING in found.labels else (*found.labels, MISSING)
    # A missing answer stands for no number.
    return Tally({**found.counts, MISSING: absent}, labels, None)


def _tally(given: npt.NDArray[Any], known: Any, bins: Any, by: Any, stacklevel: int) -> Tally:
    """Return the counts of a column without gaps."""
    if bins is not None:
        if known is not None:
            raise DomainError("categories", known, "bins say what they are", "leave out one of the two")
        return _binned(given, bins, by, stacklevel + 1)
    if known is None and by != "quantiles":
        raise DomainError("by", by, "it says how bins are cut, and there are none", "give bins=10, say")
    found = _in_one_form(Counter(given.tolist()))
    if known is None:
        _refuse_real(given)
        _warn_of_texts(found, given.size, stacklevel + 1)
        answers = sorted(found)
        return Tally(_by_text(found), tuple(map(str, answers)), _numbers(answers))
    given_names = domains.entries("categories", known, "it has to be a sequence of names", "give a list")
    categories = [_as_whole(each) for each in given_names]
    return Tally(_by_text(found), domains.names("categories", categories), _numbers(categories))


def _column(records: Any) -> npt.NDArray[Any]:
    """Return the records as one column without gaps."""
    if isinstance(records, str | bytes) or not isinstance(records, Iterable):
        rule = "it has to be a column, an answer for each person"
        raise DomainError("records", records, rule, "give a list; mechdesign count reads a column of a file")
    given = array("records", records)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given.reshape(-1)
    if given.ndim > 1:
        which = f"{given.shape[1]} columns" if given.ndim == 2 else f"shape {given.shape}"
        rule = "records are one column, an answer for each person"
        remedy = "give one column; several questions of one person: md.split_budget, a problem for each"
        raise DomainError("records", f"of {which}", rule, remedy)
    return given.reshape(-1)


def _refuse_unlike(given: npt.NDArray[Any]) -> None:
    """Raise where no answers are left, or answers of several kinds."""
    if not given.size:
        raise DomainError("records", "empty", "a prior needs records", "give at least one")
    if given.dtype.kind == "O":
        refuse_mixtures("records", given)


def _whole(given: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return whole numbers as integers: pandas makes 55.0 of 55 where a number is missing, and it is the label 55."""
    if given.dtype.kind == "f":
        # A NaN and an infinity compare as false.
        whole = (np.abs(given) <= EXACT) & (given == np.floor(given))
        return given.astype(np.int64) if whole.all() else given
    if given.dtype.kind != "O":
        return given
    entries = [_as_whole(each) for each in given.tolist()]
    if any(isinstance(each, float) for each in entries):
        return given
    return array("records", entries)


def _as_whole(entry: Any) -> Any:
    if not isinstance(entry, float | np.floating):
        return entry
    number = float(entry)
    return int(number) if abs(number) <= EXACT and number.is_integer() else entry


def _refuse_real(given: npt.NDArray[Any]) -> None:
    """Raise where records are real numbers: each would be a category, with its value for a name."""
    entries = given if given.dtype.kind == "f" else None
    if entries is None and given.dtype.kind == "O" and is_number(given.flat[0]):
        entries = np.array(given.tolist(), dtype=float)
    if entries is None:
        return
    broken = np.flatnonzero(~np.isfinite(entries) | (entries != np.floor(entries)))
    if len(broken):
        at = int(broken[0])
        distinct = len(np.unique(entries))
        rule = f"real numbers are no categories ({distinct} distinct ones), and their names would be private"
        remedy = "give bins=10, bins=[edges], or categories=[all possible answers]"
        raise DomainError(f"records[{at}]", float(entries[at]), rule, remedy)


def _warn_of_texts(found: Counter[Any], size: int, stacklevel: int) -> None:
    if len(found) > MANY_TEXTS and isinstance(next(iter(found)), str):
        message = (
            f"{len(found)} distinct texts in {size} records: if these are names or free text, the labels of the "
            "mechanism give them away; give categories=[...], all possible answers, or group them."
        )
        warnings.warn(message, DataWarning, stacklevel=stacklevel + 1)


def _warn_of_bins(made: Bins, numbers: Array, asked: Any, stacklevel: int) -> None:
    """Warn where there are fewer bins than asked for, and where their middles are far from what the records are."""
    count = len(made.labels)
    if isinstance(asked, int) and count < asked:
        message = f"{count} bins came of the {asked} asked for: many records are equal; give edges, or by='widths'."
        warnings.warn(message, DataWarning, stacklevel=stacklevel + 1)
    spread = float(numbers.std())
    off = abs(float(made.middles[made.place(numbers)].mean()) - float(numbers.mean()))
    # Of few records the mean itself is not known so well.
    if off > spread * (FAR + 2.0 / np.sqrt(len(numbers))):
        message = (
            f"The middles of the bins put the mean off by {off / spread:.2g} standard deviations of the records: the "
            "middle of a wide bin stands for all in it; give narrower bins, or values=, a number for each bin."
        )
        warnings.warn(message, DataWarning, stacklevel=stacklevel + 1)


def _binned(given: npt.NDArray[Any], bins: Any, by: Any, stacklevel: int) -> Tally:
    if not (given.dtype.kind in "iuf" or (given.dtype.kind == "O" and is_number(given.flat[0]))):
        raise _no_number(given)
    numbers = np.array(given.tolist(), dtype=float)
    if not np.all(np.isfinite(numbers)):
        at = int(np.argmin(np.isfinite(numbers)))
        raise DomainError(f"records[{at}]", float(numbers[at]), "bins are of finite numbers", "drop it, or correct it")
    made = bins_of(numbers, bins, by)
    _warn_of_bins(made, numbers, bins, stacklevel + 1)
    counts = np.bincount(made.place(numbers), minlength=len(made.edges) - 1).tolist()
    return Tally(dict(zip(made.labels, counts, strict=True)), made.labels, made.middles)


def _no_number(given: npt.NDArray[Any]) -> DomainError:
    """Return the error that the first answer is no number, which bins need."""
    texts = [each if isinstance(each, str) else "" for each in given.tolist()]
    at = next((at for at, text in enumerate(texts) if not math.isfinite(as_number(text))), 0)
    remedy = "convert the column to numbers, or leave bins out"
    if decimal_comma(texts[at]):
        remedy = with_point(texts[at])
    return DomainError(f"records[{at}]", str(given.flat[at]), "bins are of numbers", remedy)


def _in_one_form(found: Counter[Any]) -> Counter[Any]:
    """Return the counts of answers in the Unicode form in which names are compared."""
    if all(each.isascii() for each in found if isinstance(each, str)):
        return found
    made: Counter[Any] = Counter()
    for answer, count in found.items():
        made[domains.one_form(answer) if isinstance(answer, str) else answer] += count
    return made


def _by_text(found: Counter[Any]) -> dict[str, int]:
    """Return the counts by their texts: 1 and "1" are one answer."""
    if set(map(type, found)) <= {str}:
        return dict(found)
    counts: dict[str, int] = {}
    for answer, count in found.items():
        counts[str(answer)] = counts.get(str(answer), 0) + count
    return counts


def _numbers(answers: list[Any]) -> Array | None:
    """Return whole numbers as the values that they are, None for other answers."""
    if not answers or not all(is_number(each) for each in answers):
        return None
    numbers = np.array([float(each) for each in answers])
    # A NaN compares as false.
    whole = (np.abs(numbers) <= EXACT) & (numbers == np.floor(numbers))
    return numbers if whole.all() else None
