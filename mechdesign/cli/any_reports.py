"""Files of reports that were collected elsewhere: a column of any CSV file, by the names of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from mechdesign.cli import headers
from mechdesign.cli.delimiters import delimiter_of
from mechdesign.cli.missing_answers import IN_COMMANDS, reports_left_out
from mechdesign.cli.printing import complain
from mechdesign.cli.repeated_people import RepeatedPeople
from mechdesign.cli.report_files import BATCH, FIRST_WORDS, Row, Surveyed, csv_rows, label_of, weight_of
from mechdesign.errors import DomainError
from mechdesign.estimation.given_reports import has_own_names, places_among, require_other_codes, unknown
from mechdesign.parameters.labels import Names
from mechdesign.problem.missing import MissingRule, looks_missing


def any_reports(
    path: Path, column: str, outputs: Names, weights: str | None, labels: Sequence[str], missing: MissingRule
) -> Surveyed:
    """Return the reports in a column of a CSV file with a header, which name outputs of a mechanism.

    Outputs without names of their own are called by their numbers, from 0. How many reports are missing and left out is
    said on stderr.

    Parameters
    ----------
    path : Path
        UTF-8, separated by commas, semicolons or tabs.
    column : str
        The column of the reports.
    outputs : tuple of str
        The names of the outputs.
    weights : str or None
        The column of the survey weights.
    labels : sequence of str
        The columns of strata, clusters and groups.
    missing : MissingRule
        What stands for a missing report, and whether they are left out.

    Raises
    ------
    DomainError
        A column of reports that is one of the others too; a code of missing reports that is an output. With file and
        line: no such column, a row of another length, a report that is no output, a missing one, a weight that is no
        number of at least 0, an empty label.
    """
    _require_elsewhere(path, column)
    if missing.codes is not None:
        require_other_codes("--missing", missing, outputs, numbered=not has_own_names(outputs))
    beside = [] if weights is None else [weights]
    if column in (*beside, *labels):
        rule = "the column of the reports cannot be that of weights, strata, clusters or groups"
        raise DomainError("--column", column, rule, "name another column for these")
    wanted = (column, *beside, *labels)
    found, heavy, left_out = list[int](), list[float](), 0
    texts: dict[str, list[str]] = {name: [] for name in labels}
    with path.open(encoding="utf-8-sig", newline="") as source:
        rows = csv_rows(path, source, (), delimiter_of(path, wanted))
        header = next(rows)[1]
        at = {name: headers.column(f"{path.name} line 1", header, name) for name in wanted}
        people, known = RepeatedPeople.of(header, wanted), dict[str, int]()
        while batch := list(islice(rows, BATCH)):
            there = _present(path, column, batch, at[column], known, outputs, missing)
            found += [known[row[at[column]].strip()] for _, row in there]
            if weights is not None:
                heavy += [weight_of(path, line, weights, row[at[weights]].strip()) for line, row in there]
            for name, held in texts.items():
                held += [label_of(path, line, name, row[at[name]].strip()) for line, row in there]
            people.add([row for _, row in there])
            left_out += len(batch) - len(there)
    if not found:
        raise DomainError(path.name, "without reports", "an estimate needs reports", "check the file and the column")
    if left_out:
        complain(f"{path.name}, {column}: {reports_left_out(left_out)}")
    return Surveyed(found, None if weights is None else heavy, texts, people)


def _require_elsewhere(path: Path, column: str) -> None:
    """Raise if the file was drawn here: its reports are numbers of outputs, whatever these are called."""
    with path.open("rb") as start:
        drawn_here = start.read(len(FIRST_WORDS)) == FIRST_WORDS.encode()
    if drawn_here:
        rule = "mechdesign sample wrote it, and its reports are numbers of outputs"
        raise DomainError("--column", column, rule, f"leave --column out to estimate from {path.name}")


def _present(
    path: Path,
    column: str,
    batch: Sequence[Row],
    at: int,
    known: dict[str, int],
    outputs: Names,
    missing: MissingRule,
) -> list[Row]:
    """Return the rows of a batch whose report is there; the output of each new text is added to `known`."""
    texts = [row[at].strip() for _, row in batch]
    new = [text for text in dict.fromkeys(texts) if text not in known]
    known.update(zip(new, places_among(new, outputs).tolist(), strict=True))
    gone = {text for text in set(texts) if known[text] < 0 and missing.is_absent(text)}
    pairs = list(zip(batch, texts, strict=True))
    _require_known(
        path, column, [(line, text) for (line, _), text in pairs if known[text] < 0 and text not in gone], outputs
    )
    return [row for row, text in pairs if text not in gone]


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
