"""Files of reports: a first line with the mechanism's checksum, then CSV with a column `report`; whole or not there."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from mechdesign.cli import headers
from mechdesign.cli.counts import another_length, as_text
from mechdesign.cli.delimiters import delimiter_of
from mechdesign.cli.repeated_people import RepeatedPeople
from mechdesign.cli.sampled_answers import Answers
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation.missing_records import require_missing
from mechdesign.estimation.records import whole_counts
from mechdesign.estimation.sampling import Indices
from mechdesign.files.atomic_writes import replacing
from mechdesign.files.kinds import FileKind
from mechdesign.files.tables import harmless, plain
from mechdesign.mechanism import Mechanism
from mechdesign.problem.missing import NOTHING_DECLARED, MissingRule

FIRST_WORDS = "# mechdesign reports "
REPORTS_FILE = FileKind("the reports", (".csv",), (FIRST_WORDS,))
COLUMN = "report"

#: Rows are held this many at a time, however many the file has.
BATCH = 50_000
#: Of more outputs those that occur are counted.
MOST_COUNTED = 1 << 20

Row = tuple[int, list[str]]
_NUMBER = re.compile(r"[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?")


class Written(NamedTuple):
    """What `sample_file` wrote.

    Attributes
    ----------
    reports : int
        How many.
    dropped : int
        Rows that were left out, as their answers are missing.
    people : RepeatedPeople
        Which of the first million rows are of a person who has one before.
    could_be_rows : bool
        Whether every answer is a value, and could be the number of another input.
    """

    reports: int
    dropped: int
    people: RepeatedPeople
    could_be_rows: bool


class Counted(NamedTuple):
    """The reports of each output, and which of the first million are of a person who has one before."""

    counts: Indices | dict[int, int]
    people: RepeatedPeople


class Surveyed(NamedTuple):
    """Each report with what was kept beside it, and which of the first million are of a person who has one before.

    Attributes
    ----------
    reports : list of int
        The number of an output for each row.
    weights : list of float, optional
        The weight of each row, if their column was named.
    labels : dict
        For each further column that was named the text of each row.
    people : RepeatedPeople
        Who is there twice.
    """

    reports: list[int]
    weights: list[float] | None
    labels: dict[str, list[str]]
    people: RepeatedPeople


def sample_file(
    mechanism: Mechanism,
    checksum: str,
    records: Path,
    column: str,
    kept: Sequence[str],
    target: Path,
    missing: MissingRule = NOTHING_DECLARED,
) -> Written:
    """Write a report for each row of the CSV file `records` to `target`, and return how many.

    A kept text that a spreadsheet would execute stands behind an apostrophe; numbers are as they are.

    Raises
    ------
    DomainError
        With file and line: no such column, a row of another length, an answer that the problem does not have. Then
        nothing is left at `target`.
    """
    require_numbered(mechanism)
    if column in kept:
        rule = "the answer may not stand beside the report"
        raise DomainError("--keep", column, rule, "leave it out")
    if COLUMN in kept:
        raise DomainError("--keep", COLUMN, "that is the name of the reports' own column", "rename it in the records")
    labels = mechanism.inputs.distinct_answers
    if missing.codes is not None and not missing.drop:
        require_missing(labels, "give --drop-missing to leave those rows out")
    written, dropped = 0, 0
    by_value = mechanism.inputs.labels is None and mechanism.inputs.values is not None
    rows_too, others = by_value and mechanism.inputs.interval is None, False
    delimiter = delimiter_of(records, (column, *kept))
    with records.open(encoding="utf-8-sig", newline="") as source, replacing(target) as file:
        rows = csv_rows(records, source, (), delimiter)
        header = next(rows)[1]
        place = f"{records.name}, its header"
        at, beside = headers.column(place, header, column), [headers.column(place, header, name) for name in kept]
        people = RepeatedPeople.of(header, (column,))
        writer = csv.writer(file, lineterminator="\n")
        file.write(f"{FIRST_WORDS}{checksum}\n")
        writer.writerow([*map(_plain, kept), COLUMN])
        over = None if mechanism.inputs.interval is None else mechanism.inputs
        answers = Answers(mechanism.inputs.places, f"{records.name} line {{}}, {column}", missing, over)
        while batch := list(islice(rows, BATCH)):
            cells, rest = [(line, row[at].strip()) for line, row in batch], (row[at].strip() for _, row in rows)
            found = answers.inputs(cells, written + dropped, rest)
            reports = mechanism.sample(found[found >= 0], by="index").tolist()
            rows_too = rows_too and are_rows(cells, len(labels))
            others = others or (rows_too and any(int(text) != x for (_, text), x in zip(cells, found, strict=True)))
            there = [row for (_, row), index in zip(batch, found.tolist(), strict=True) if index >= 0]
            texts = [[row[k] for k in beside] for row in there]
            writer.writerows([*map(_plain, row), y] for row, y in zip(texts, reports, strict=True))
            people.add(there)
            written, dropped = written + len(there), dropped + len(batch) - len(there)
    return Written(written, dropped, people, rows_too and others)


def are_rows(cells: Sequence[tuple[int, str]], inputs: int) -> bool:
    """Return whether each text could be the number of an input, from 0."""
    return all(text.isdecimal() and len(text) < 10 and int(text) < inputs for text in {text for _, text in cells})


def _plain(text: str) -> str:
    """Return the text so that no spreadsheet executes it."""
    return text if _NUMBER.fullmatch(text.strip(" ")) else str(harmless(text))


def require_numbered(mechanism: Mechanism) -> None:
    """Raise if reports are rows of bits, for which a file of reports has no column."""
    if not mechanism.reports_are_numbers:
        raise UnsupportedError(
            "Reports of a unary encoding without a matrix are rows of bits: in Python, mechanism.sample(answers) draws "
            "them and mechanism.estimate(reports) reads them; reports of md.baselines.subset_selection are numbers."
        )


def counted_file(mechanism: Mechanism, checksum: str, reports: Path) -> Counted:
    """Return the number of reports of each output in a file that `sample_file` wrote.

    Raises
    ------
    DomainError
        Reports of another mechanism, a file that was cut, a line that holds no output; with its place.
    """
    require_numbered(mechanism)
    outputs = mechanism.shape[1]
    if outputs > MOST_COUNTED:
        read = surveyed_file(mechanism, checksum, reports, None, ())
        distinct, times = np.unique(read.reports, return_counts=True)
        return Counted(dict(zip(distinct.tolist(), times.tolist(), strict=True)), read.people)
    counts = np.zeros(outputs, dtype=np.int64)
    people = RepeatedPeople.of(())
    for seen, batch in _read(outputs, checksum, reports, ()):
        people = seen
        counts += np.bincount([output for _, output, _ in batch], minlength=outputs)
    if not counts.any():
        raise DomainError(reports.name, "without reports", "an estimate needs reports", "sample some")
    return Counted(whole_counts(counts, outputs), people)


def surveyed_file(
    mechanism: Mechanism, checksum: str, reports: Path, weights: str | None, labels: Sequence[str]
) -> Surveyed:
    """Return each report in a file that `sample_file` wrote, with its weight and labels in columns that were kept.

    Raises
    ------
    DomainError
        What `counted_file` refuses; no such column; a weight that is no number of at least 0; an empty label.
    """
    found: list[int] = []
    heavy: list[float] = []
    texts: dict[str, list[str]] = {name: [] for name in labels}
    people = RepeatedPeople.of(())
    columns = ([] if weights is None else [weights]) + list(texts)
    for seen, batch in _read(mechanism.shape[1], checksum, reports, columns):
        people = seen
        found += [output for _, output, _ in batch]
        if weights is not None:
            heavy += [weight_of(reports, line, weights, cells[0]) for line, _, cells in batch]
        for at, name in enumerate(texts, start=len(columns) - len(texts)):
            texts[name] += [label_of(reports, line, name, cells[at]) for line, _, cells in batch]
    if not found:
        raise DomainError(reports.name, "without reports", "an estimate needs reports", "sample some")
    return Surveyed(found, None if weights is None else heavy, texts, people)


def _read(
    outputs: int, checksum: str, reports: Path, columns: Sequence[str]
) -> Iterator[tuple[RepeatedPeople, list[tuple[int, int, list[str]]]]]:
    """Yield who was seen so far with batches of lines, the output that each reports, and cells of further columns."""
    with reports.open(encoding="utf-8-sig", newline="") as source:
        with as_text(reports):
            first = source.readline()
        if not first.startswith(FIRST_WORDS):
            rule = f"its first line has to start with {FIRST_WORDS.strip()!r}"
            remedy = "give --column NAME for a file of reports from elsewhere; mechdesign sample writes such files"
            raise DomainError(reports.name, first.strip()[:40] or "empty", rule, remedy)
        if first.removeprefix(FIRST_WORDS).strip() != checksum:
            rule = f"this mechanism's checksum is {checksum}"
            remedy = "estimate with the mechanism that drew the reports"
            raise DomainError(f"{reports.name} line 1", first.removeprefix(FIRST_WORDS).strip(), rule, remedy)
        _require_whole(reports)
        rows = csv_rows(reports, source, (first,), ",")
        place, header = f"{reports.name}, its header", next(rows)[1]
        at, beside = headers.column(place, header, COLUMN), [headers.column(place, header, name) for name in columns]
        people = RepeatedPeople.of(header, (COLUMN, *columns))
        while batch := list(islice(rows, BATCH)):
            people.add([row for _, row in batch])
            read = [
                (line, _output(reports, line, row[at].strip(), outputs), [plain(row[k].strip()) for k in beside])
                for line, row in batch
            ]
            yield people, read


def weight_of(reports: Path, line: int, column: str, text: str) -> float:
    """Return a cell as the weight of a person, or raise with its line."""
    if not _NUMBER.fullmatch(text) or not 0.0 <= (weight := float(text)) < math.inf:
        rule, remedy = "a weight has to be a number of at least 0", "correct it, or leave out who has none"
        raise DomainError(f"{reports.name} line {line}, {column}", text or "empty", rule, remedy)
    return weight


def label_of(reports: Path, line: int, column: str, text: str) -> str:
    """Return a cell as the label of a stratum, a cluster or a group, or raise with its line."""
    if not text:
        rule, remedy = "it says what a person belongs to", "fill it in, or leave out who belongs to nothing"
        raise DomainError(f"{reports.name} line {line}, {column}", "empty", rule, remedy)
    return text


def csv_rows(path: Path, source: IO[str], before: Sequence[str], delimiter: str) -> Iterator[Row]:
    """Yield the header and the rows that are not blank, each with its line; rows have the header's length."""
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    width = 0
    with as_text(path):
        try:
            for row in reader:
                line = reader.line_num + len(before)
                if row:
                    if width and len(row) != width:
                        rule = f"the header has {width} columns"
                        raise DomainError(
                            f"{path.name} line {line}", f"of {len(row)} cells", rule, another_length(len(row), width)
                        )
                    width = len(row)
                    yield line, row
        except csv.Error as error:
            place = f"{path.name} line {reader.line_num + len(before)}"
            raise DomainError(place, "broken", f"CSV cannot read it ({error})", "correct the line") from None
    if not width:
        raise DomainError(path.name, "empty", "it needs a header and rows", "write them")


def _output(path: Path, line: int, text: str, outputs: int) -> int:
    digits = text.lstrip("0")
    # Python makes no integer of some thousand digits.
    if not (text.isascii() and text.isdecimal()) or len(digits) > len(str(outputs)) or int(digits or "0") >= outputs:
        rule = f"outputs of this mechanism are numbered from 0 to {outputs - 1}"
        raise DomainError(f"{path.name} line {line}, {COLUMN}", text or "empty", rule, "sample again, or correct it")
    return int(digits or "0")


def _require_whole(path: Path) -> None:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            rule = "its last line is not complete"
            raise DomainError(path.name, "cut in the middle", rule, "copy the file again, or sample again")
