"""Files of reports that were collected elsewhere: a column of any CSV file, by the names of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mechdesign.cli import headers
from mechdesign.cli.delimiters import delimiter_of
from mechdesign.cli.missing_answers import IN_COMMANDS
from mechdesign.cli.repeated_people import RepeatedPeople
from mechdesign.cli.report_files import BATCH, FIRST_WORDS, csv_rows
from mechdesign.errors import DomainError
from mechdesign.estimation.given_reports import places_among, unknown
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters.labels import Names
from mechdesign.problem.missing import MissingRule, looks_missing


class AnyReports(NamedTuple):
    """The reports in a column of a file, with the cells beside them.

    Attributes
    ----------
    outputs : ndarray of int
        The number of the output of each report.
    beside : list of list of (int, str)
        Of each further column the line and the cell of each report.
    left_out : int
        Rows without a report that were left out.
    people : RepeatedPeople
        Which of the first million rows are of a person who has one before.
    """

    outputs: Indices
    beside: list[list[tuple[int, str]]]
    left_out: int
    people: RepeatedPeople


def any_reports(path: Path, column: str, outputs: Names, beside: Sequence[str], missing: MissingRule) -> AnyReports:
    """Return the reports in a column of a CSV file with a header, which name outputs of a mechanism.

    Outputs without names of their own are called by their numbers, from 0.

    Parameters
    ----------
    path : Path
        UTF-8, separated by commas, semicolons or tabs.
    column : str
        The column of the reports.
    outputs : tuple of str
        The names of the outputs.
    beside : sequence of str
        Further columns that are wanted.
    missing : MissingRule
        What stands for a missing report, and whether they are left out.

    Raises
    ------
    DomainError
        With file and line: no such column, a row of another length, a report that is no output, a missing one.
    """
    with path.open("rb") as start:
        drawn_here = start.read(len(FIRST_WORDS)) == FIRST_WORDS.encode()
    if drawn_here:
        rule = "mechdesign sample wrote it, and its reports are numbers of outputs"
        raise DomainError("--column", column, rule, f"leave --column out to estimate from {path.name}")
    wanted = (column, *beside)
    found: list[Indices] = []
    cells: list[list[tuple[int, str]]] = [[] for _ in beside]
    left_out, place = 0, f"{path.name} line 1"
    with path.open(encoding="utf-8-sig", newline="") as source:
        rows = csv_rows(path, source, (), delimiter_of(path, wanted))
        header = next(rows)[1]
        at, others = headers.column(place, header, column), [headers.column(place, header, name) for name in beside]
        people = RepeatedPeople.of(header, wanted)
        known: dict[str, int] = {}
        while batch := list(islice(rows, BATCH)):
            texts = [row[at].strip() for _, row in batch]
            new = [text for text in dict.fromkeys(texts) if text not in known]
            known.update(zip(new, places_among(new, outputs).tolist(), strict=True))
            gone = {text for text in set(texts) if known[text] < 0 and missing.is_absent(text)}
            strangers = [
                (line, text)
                for (line, _), text in zip(batch, texts, strict=True)
                if known[text] < 0 and text not in gone
            ]
            _require_known(path, column, strangers, outputs)
            there = [(line, row) for (line, row), text in zip(batch, texts, strict=True) if text not in gone]
            found.append(np.array([known[row[at].strip()] for _, row in there], dtype=np.int64))
            for kept, place_of in zip(cells, others, strict=True):
                kept += [(line, row[place_of].strip()) for line, row in there]
            people.add([row for _, row in there])
            left_out += len(batch) - len(there)
    reports = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    if not reports.size:
        raise DomainError(path.name, "without reports", "an estimate needs reports", "check the file and the column")
    return AnyReports(reports, cells, left_out, people)


def _require_known(path: Path, column: str, strangers: Sequence[tuple[int, str]], outputs: Names) -> None:
    """Raise if a cell is no output, with the line of the first one."""
    if not strangers:
        return
    line, text = strangers[0]
    shown, rule, remedy = unknown([each for _, each in strangers], outputs)
    if looks_missing(text):
        rule, remedy = "nothing may be missing", f"give {IN_COMMANDS.drop} to leave missing reports out"
    elif len(strangers) > 1:
        rule = f"{rule} (nor are {shown} in the rows around)" if len({each for _, each in strangers}) > 1 else rule
    remedy = remedy.replace("make it with outputs=[...]", "give its matrix a header")
    raise DomainError(f"{path.name} line {line}, {column}", text or "empty", rule, remedy)
