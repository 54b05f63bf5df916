"""A column of answers in a CSV file: counted, binned, and refused with the line."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from mechdesign.cli.counts import rows_of
from mechdesign.cli.headers import column as place_of
from mechdesign.cli.missing_answers import IN_COMMANDS, IN_FILES, left_out
from mechdesign.cli.printing import complain
from mechdesign.errors import DataWarning, DomainError
from mechdesign.parameters.written_numbers import as_number, decimal_comma, with_point
from mechdesign.problem import Problem
from mechdesign.problem.missing import MissingRule, Ways, looks_missing, missing_rule
from mechdesign.problem.records import Tally, tally

#: What a warning of bins advises in Python.
OTHER_VALUES = "or values=, a number for each bin"
_WHOLE = re.compile(r"[+-]?[0-9]+")
_RECORD = re.compile(r"records\[([0-9]+)\]")


def read_records(
    path: Path,
    column: str,
    *,
    bins: Any = None,
    by: str = "quantiles",
    missing: Any = None,
    drop_missing: Any = False,
    **keywords: Any,
) -> Problem:
    r"""Return the problem whose prior is the shares of the answers in a column of a CSV file with a header.

    Parameters
    ----------
    path : Path
        UTF-8, separated by commas, semicolons or tabs.
    column : str
        The column of the answers; they are numbers where all of them are.
    bins, by, missing, drop_missing
        As `Problem.from_records` takes them.
    **keywords
        Those of `Problem.from_counts`.

    Raises
    ------
    DomainError
        With file and line: no such column, a missing answer, an answer outside of the bins, real numbers without bins.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "answers.csv")
    ...     _ = file.write_text("age\n19\n40\n43\n61\n")
    ...     read_records(file, "age", bins=[18, 30, 65])
    Problem(n=2, prior=[0.25, 0.75], values=[24, 47.5], labels=['[18, 30)', '[30, 65]'])
    """
    found = _counted(path, column, bins, by, missing_rule(missing, drop_missing), IN_FILES)
    keywords.setdefault("values", found.values)
    return Problem.from_counts(found.counts, labels=found.labels, **keywords)


def count_records(path: Path, column: str, bins: Any, by: str, missing: MissingRule) -> Tally:
    """Return the counts of the answers, or of their bins, in a column of a CSV file."""
    return _counted(path, column, bins, by, missing, IN_COMMANDS)


def needs_bins(path: Path, column: str, missing: MissingRule, most: int) -> bool:
    """Return whether the answers in a column are numbers that are not whole, or of more than `most` values."""
    header, rows = rows_of(path, [column])
    at = place_of(f"{path.name} line 1", header, column)
    texts = [row[at].strip() for _, row in rows]
    numbers = {each for each in _as_numbers(texts, missing) if not isinstance(each, str)}
    return len(numbers) > most or any(each != int(each) for each in numbers)


def _counted(path: Path, column: str, bins: Any, by: str, missing: MissingRule, ways: Ways) -> Tally:
    """Return the counts; errors name the line of the file, and warnings go to stderr as sentences."""
    header, rows = rows_of(path, [column])
    at = place_of(f"{path.name} line 1", header, column)
    lines, texts = [line for line, _ in rows], [row[at].strip() for _, row in rows]
    records = _as_numbers(texts, missing)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", DataWarning)
        try:
            found = tally(records, None, bins, by, 2, missing, ways)
        except DomainError as error:
            raise _placed(error, path, column, lines) from None
    # The numbers of bins are in the table or the question file that a command writes.
    said = [str(warning.message).replace(OTHER_VALUES, "or correct their numbers in the file") for warning in seen]
    if found.values is None and bins is None:
        said += _doubts(texts, missing)
    for message in said:
        complain(f"{path.name}, {column}: {_in_lines(message, lines)}")
    if found.dropped:
        complain(f"{path.name}, {column}: {left_out(found.dropped)}")
    return found


def _placed(error: DomainError, path: Path, column: str, lines: list[int]) -> DomainError:
    """Return the complaint with lines of the file in place of records."""
    wrong = _RECORD.fullmatch(error.argument)
    place = f"{path.name} line {lines[int(wrong[1])]}, {column}" if wrong else error.argument
    return DomainError(place, error.value, _in_lines(error.rule, lines), error.remedy)


def _in_lines(message: str, lines: list[int]) -> str:
    return _RECORD.sub(lambda found: f"line {lines[int(found[1])]}", message)


def _as_numbers(texts: list[str], missing: MissingRule) -> list[Any]:
    """Return the texts as numbers where all but missing ones are: 07 and 7 are one age, codes with letters texts."""
    distinct = set(texts)
    absent = {text for text in distinct if missing.is_absent(text) or looks_missing(text)}
    there = distinct - absent
    if all(map(_WHOLE.fullmatch, there)):
        # Python makes no integer of some thousand digits.
        if not there or max(map(len, there)) >= 19:
            return list(texts)
        return [text if text in absent else int(text) for text in texts]
    # Of millions of texts one that is no number says that they are labels.
    if not all(math.isfinite(as_number(text)) for text in there):
        return list(texts)
    return [text if text in absent else as_number(text) for text in texts]


def _doubts(texts: list[str], missing: MissingRule) -> list[str]:
    """Return notes on a column of texts that is mostly numbers: decimal commas, stray texts."""
    counts = Counter(texts)
    there = {text: n for text, n in counts.items() if not (missing.is_absent(text) or looks_missing(text))}
    others = {text: n for text, n in there.items() if not math.isfinite(as_number(text))}
    total, strange = sum(there.values()), sum(others.values())
    if not others:
        return []
    # The counts stand in the order in which texts occur first.
    first = next(iter(others))
    if all(map(decimal_comma, others)):
        remedy = with_point(first)
        return [f"{first} (records[{texts.index(first)}]) is taken as a text: if it is a number, {remedy}."]
    if strange < total / 2:
        which = f'"{first}" (records[{texts.index(first)}])'
        said = f"{strange} of {total} answers are no numbers, such as {which}, so that all are taken as texts"
        return [f"{said}: correct them, or declare what stands for a missing answer."]
    return []
