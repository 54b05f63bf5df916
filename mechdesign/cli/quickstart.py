"""The command `quickstart`: from a column of answers to a question file, a mechanism and the next commands."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from mechdesign.cli import missing_answers, options, overwriting, printing
from mechdesign.cli.answers import count_records, needs_bins
from mechdesign.cli.counting import bins_of_option
from mechdesign.cli.designing import answered, limited, with_proofs
from mechdesign.cli.doubtful_answers import doubts
from mechdesign.cli.question_file import QuestionFile, read_question
from mechdesign.cli.repeated_people import is_identifier
from mechdesign.designing.entry import design as designed
from mechdesign.designing.story import summary
from mechdesign.displays.text import show
from mechdesign.displays.visible import printable
from mechdesign.errors import DomainError, InfeasibleError, UnsupportedError
from mechdesign.estimation.planning import error_said
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.mechanism.mechanism import MECHANISM_FILE
from mechdesign.notions import LDP
from mechdesign.parameters.written_numbers import decimal_comma
from mechdesign.problem.missing import MissingRule
from mechdesign.problem.records import Tally
from mechdesign.tolerances import GAP

#: Numbers with more distinct values are binned, into this many intervals with about as many answers each.
MOST_VALUES, BINS = 20, 10
#: More categories are names, free text or a file that has to be merged first.
MOST_CATEGORIES = 100
#: The share of the optimum that is given up for fewer outputs.
WITHIN = 0.02
FIRST_LINE = "# A question of mechdesign quickstart"
QUESTION_FILE = FileKind("the question", (".toml",), (re.escape(FIRST_LINE),))


@dataclass(frozen=True)
class Start:
    """What was decided on a column of answers.

    Attributes
    ----------
    answers : Path
        The file.
    column : str
        Its column.
    found : Tally
        The labels, and the numbers that they stand for.
    binned : bool
        Whether numbers were put into intervals.
    rule : MissingRule
        What is done about missing answers.
    """

    answers: Path
    column: str
    found: Tally
    binned: bool
    rule: MissingRule

    def decisions(self) -> list[str]:
        """Return what was decided, in sentences."""
        total, n = sum(self.found.counts.values()), len(self.found.labels)
        what = f"{n} intervals with about as many answers each" if self.binned else f"{n} categories"
        said = [f"{self.answers.name}, {self.column}: {total} answers, {what}."]
        if self.binned:
            said.append("Their ends come from the answers: --bins 18,25,40,65 takes public ones.")
        else:
            said.append("The categories come from the answers and are public: see that they name nobody.")
        if self.found.dropped:
            way = (
                "without --drop-missing they are an answer" if self.rule.codes else "--missing NA makes them an answer"
            )
            said.append(f"{self.found.dropped} missing answers are left out; {way}.")
        said.append("The frequencies of the answers are not used: the design is for equal ones.")
        return said

    def question(self, epsilon: float, mechanism: Path) -> str:
        """Return the text of the question file."""
        lines = [f"{FIRST_LINE}; edit it, and `mechdesign design` answers it again."]
        lines += [f"# {said}" for said in self.decisions()]
        lines += ["", "[problem]", f"labels = {_toml(list(self.found.labels))}"]
        lines += [] if self.found.values is None else [f"values = {self.found.values.tolist()}"]
        lines += ["", "[notion]", 'name = "LDP"', f"epsilon = {epsilon!r}"]
        lines += ["", "# The frequencies of all answers, estimated with the least sum of variances."]
        lines += ["[objective]", 'name = "InformationDesign"', 'criterion = "A"']
        lines += ["", "# So much of the optimum is given up for fewer outputs.", "[solve]", f"within = {WITHIN}"]
        lines += ["", "[output]", f"path = {_toml(mechanism.name)}", ""]
        return "\n".join(lines)

    def commands(self, mechanism: Path) -> tuple[str, str, str]:
        """Return the commands that draw reports, estimate from them and write the page for people."""
        page = shlex.quote(f"{slug(self.column)}.html")
        file, reports = shlex.quote(str(mechanism)), shlex.quote(f"{slug(self.column)}.reports.csv")
        codes = "".join(f" --missing {shlex.quote(str(code))}" for code in self.rule.codes or ())
        codes += " --drop-missing" if self.rule.drop and self.found.dropped else ""
        drawn = f"mechdesign sample {file} {shlex.quote(str(self.answers))} --column {shlex.quote(self.column)}"
        drawn += f"{codes} -o {reports}"
        return drawn, f"mechdesign estimate {file} {reports}", f"mechdesign report {file} -o {page}"


@click.command()
@click.argument("answers", type=options.PATH)
@click.option("--column", required=True, help="The column of ANSWERS to ask for.")
@click.option("--epsilon", type=float, required=True, help="The level of local differential privacy, in nats.")
@click.option("--bins", help="Edges of intervals for a column of numbers (18,25,40,65), or how many.")
@missing_answers.declared
@missing_answers.dropped
@click.option("-o", "--output", type=options.PATH, help="Where the mechanism goes; the question file goes beside it.")
@overwriting.option
@options.time_limit
@options.quiet
def quickstart(
    answers: Path,
    column: str,
    epsilon: float,
    bins: str | None,
    missing: tuple[str, ...],
    drop_missing: bool,
    output: Path | None,
    overwrite: bool,
    time_limit: float | None,
    quiet: bool,
) -> int:
    """Design a survey question from a column of ANSWERS (CSV with a header): look, decide, design, save.

    Categories are taken as they are, numbers with many values are put into intervals, missing answers are left out, and
    what was decided is said. The question file that is written has it all, to be edited.
    """
    # Refused before the file is read: a level that is none is the caller's slip.
    level = LDP(epsilon).epsilon
    target = output or Path(f"{slug(column)}.mechanism.json")
    file = target.with_name(f"{target.name.removesuffix('.json').removesuffix('.mechanism')}.toml")
    overwriting.require_writable(target, MECHANISM_FILE, overwrite)
    overwriting.require_writable(file, QUESTION_FILE, overwrite)
    rule = missing_answers.rule_of(missing, drop_missing or not missing)
    start = looked_at(answers, column, None if bins is None else bins_of_option(bins), rule)
    made_now = not file.exists()
    asked = _written(file, start.question(level, target), target, overwrite)
    console = printing.console(quiet)
    for said in start.decisions():
        console.print(printable(said))
    for said in doubts(answers, column, rule):
        printing.complain(f"{answers.name}, {column}: {said}")
    with _kept_if_answered(file, made_now):
        made, fell_short = answered(with_proofs(limited(asked, time_limit, None), None), designed, False)
    made.mechanism.save(target, overwrite=True)
    show(console, (*asked.question.display(), *summary(made, max(GAP, WITHIN), target)))
    if given := error_said(made.mechanism, sum(start.found.counts.values())):
        console.print(f"\n{given}")
    console.print(f"\nThe question is in {printable(file)}. Next:")
    for command in start.commands(target):
        console.print(f"  {printable(command)}", soft_wrap=True)
    return printing.FELL_SHORT if fell_short else 0


@contextmanager
def _kept_if_answered(file: Path, made_now: bool) -> Iterator[None]:
    """Take a question file that was made now away if the question is refused: the next try is another question."""
    try:
        yield
    except (DomainError, InfeasibleError, UnsupportedError):
        if made_now:
            file.unlink()
        raise


def _written(file: Path, text: str, target: Path, overwrite: bool) -> QuestionFile:
    """Write the question file and return what is read from it; nothing is left of one that is refused."""
    before = file.read_text(encoding="utf-8") if file.exists() else None
    if before not in (None, text) and not overwrite:
        rule = "it holds another question, or was edited"
        remedy = f"mechdesign design {file} answers it; --overwrite replaces it, --output writes elsewhere"
        raise DomainError("output", str(file), rule, remedy)
    write(file, text)
    try:
        asked = read_question(file)
        overwriting.require_same_question(target, asked.question, overwrite)
    except DomainError:
        file.unlink() if before is None else write(file, before)
        raise
    return asked


def looked_at(answers: Path, column: str, bins: int | list[float] | None, rule: MissingRule) -> Start:
    """Return what a column of a CSV file holds and what is decided on it.

    Raises
    ------
    DomainError
        No such file or column, all answers alike, or more kinds of texts than a question has answers.
    """
    if is_identifier(column):
        rule_said = "it is named as columns that identify people are"
        raise DomainError("--column", column, rule_said, "choose the column of the answers")
    binned = bins is not None or needs_bins(answers, column, rule, MOST_VALUES)
    found = count_records(answers, column, (bins if bins is not None else BINS) if binned else None, "quantiles", rule)
    n, place = len(found.labels), f"{answers.name}, {column}"
    if n > MOST_CATEGORIES:
        rule_said = f"quickstart asks for at most {MOST_CATEGORIES} answers, and these may be names or free text"
        remedy = (
            "merge them into categories first, or take up to millions from a public list in Python: "
            'md.design(md.Problem(labels=...), md.LDP(1.0), md.InformationDesign("A"), gap=0.01).mechanism.save(FILE) '
            "is for mechdesign sample"
        )
        if sum(map(decimal_comma, found.labels)) > n / 2:
            rule_said = "numbers are written with a decimal point, and these have a decimal comma"
            remedy = "replace the commas of this column by points, in the spreadsheet or an editor"
        raise DomainError(place, f"of {n} different answers", rule_said, remedy)
    if n < 2:
        raise DomainError(place, f"always {found.labels[0]}", "there is nothing to ask", "choose another column")
    return Start(answers, column, found, binned, rule)


def slug(column: str) -> str:
    """Return a name for files from the name of a column.

    Examples
    --------
    >>> slug("How often? (Q7)"), slug("???")
    ('How-often-Q7', 'answers')
    """
    return re.sub(r"[^\w.-]+", "-", column).strip("-.") or "answers"


def _toml(value: object) -> str:
    """Return texts as TOML writes them: as JSON does, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
