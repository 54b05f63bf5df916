"""The commands that use a mechanism: reports are drawn, here or elsewhere, and read; a page explains it."""

from __future__ import annotations

import dataclasses
import io
import json
import warnings
from pathlib import Path
from typing import Any

import click

from mechdesign.cli import about, missing_answers, options, own_members, printing, report_files
from mechdesign.cli.any_reports import any_reports
from mechdesign.cli.overwriting import option as overwriting
from mechdesign.cli.overwriting import require_writable
from mechdesign.cli.repeated_people import RepeatedPeople
from mechdesign.designing.loading import load
from mechdesign.displays.text import show
from mechdesign.displays.visible import printable
from mechdesign.errors import DomainError, FitWarning
from mechdesign.estimation import Estimate, WeightedEstimate
from mechdesign.estimation.estimating import COLUMNS, Method
from mechdesign.estimation.functional import Functional
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.files.tables import save_csv, table_of
from mechdesign.mechanism import Mechanism
from mechdesign.problem.missing import MissingRule
from mechdesign.reports import page
from mechdesign.reports.page import REPORT_FILE
from mechdesign.samplers.writing import language_of, program
from mechdesign.studies.reporting import optimum

PICTURE = FileKind("the picture", (".png", ".svg", ".pdf"), ("\ufffdPNG", r"<\?xml[^>]*>\s*<!DOCTYPE svg", "%PDF"))


@click.command()
@click.argument("file", type=options.PATH)
@click.argument("records", type=options.PATH)
@click.option("--column", required=True, help="The column of RECORDS that holds the answers.")
@click.option("-o", "--output", required=True, type=options.PATH, help="Where the reports go (CSV).")
@click.option(
    "--keep",
    multiple=True,
    help="A column of RECORDS to copy beside the report; never the answer. A text that a spreadsheet would execute "
    "(=1+1) stands behind an apostrophe.",
)
@missing_answers.declared
@missing_answers.dropped
@click.option("--overwrite", is_flag=True, help="Draw again, in place of the reports in the output.")
@options.members
@options.quiet
def sample(
    file: Path,
    records: Path,
    column: str,
    output: Path,
    keep: tuple[str, ...],
    missing: tuple[str, ...],
    drop_missing: bool,
    overwrite: bool,
    modules: tuple[str, ...],
    quiet: bool,
) -> None:
    """Draw a report for each row of RECORDS (CSV with a header) from the mechanism FILE.

    Draws take the operating system's randomness. Sample each person's answer once and keep the report: the mean of
    many reports of one person reveals the answer.
    """
    _require_file("RECORDS", records)
    require_writable(output, report_files.REPORTS_FILE)
    if output.exists() and not overwrite:
        rule = "the reports of these answers are kept: drawn twice, they reveal more than one report is allowed to"
        raise DomainError(
            "output", str(output), rule, "go on with the reports that are there; --overwrite draws again in their place"
        )
    mechanism, checksum = _mechanism(file, own_members.imported(modules))
    absent = missing_answers.rule_of(missing, drop_missing)
    written = report_files.sample_file(mechanism, checksum, records, column, keep, output, absent)
    if repeated := written.people.sentence("row", "allowed to; give each person one row."):
        printing.complain(repeated)
    if written.could_be_rows:
        said = "answers are taken for values; before 0.2 they were numbers of inputs, from 0, which these could be"
        printing.complain(f"{records.name}, {column}: {said}.")
    if written.dropped:
        printing.complain(f"{records.name}, {column}: {missing_answers.left_out(written.dropped)}")
    console = printing.console(quiet)
    console.print(f"{written.reports} reports written to {printable(output)}.")
    console.print(
        "Do not sample these answers again: several reports of one person reveal more than one is allowed to."
    )


@click.command()
@click.argument("file", type=options.PATH)
@click.argument("reports", type=options.PATH)
@click.option("--column", help="The column of REPORTS, any CSV file with a header, that holds the names of outputs.")
@click.option("--drop-missing", is_flag=True, help="Leave rows of --column without a report out.")
@click.option(
    "--missing", multiple=True, metavar="CODE", help="What stands for a missing report, beside NA and the like."
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--method", type=click.Choice(["likelihood", "unbiased"]), default="likelihood", show_default=True)
@click.option("--population", type=int, help="People in the population, for the total of the values.")
@click.option(
    "--weights",
    help="The column of REPORTS with each person's survey weight, kept by `mechdesign sample --keep`: estimates are "
    "linear then, with the variance of unequal weights.",
)
@click.option("--csv", "target", type=options.PATH, help="Write the table there.")
@click.option("--plot", "picture", type=options.PATH, help="Draw the frequencies with their intervals there.")
@overwriting
@options.members
@options.as_json
def estimate(
    file: Path,
    reports: Path,
    column: str | None,
    drop_missing: bool,
    missing: tuple[str, ...],
    level: float,
    method: Method,
    population: int | None,
    weights: str | None,
    target: Path | None,
    picture: Path | None,
    overwrite: bool,
    modules: tuple[str, ...],
    as_json: bool,
) -> int:
    """Estimate the frequencies of all answers from REPORTS of the mechanism FILE.

    REPORTS is a file that `mechdesign sample` or a sampler wrote, or with --column any CSV file of reports.

    Where the answers stand for numbers, their mean too, by the best linear estimate whatever the method is.
    """
    mechanism, checksum = _mechanism(file, own_members.imported(modules))
    _require_file("REPORTS", reports)
    if target is not None:
        require_writable(target, table_of(COLUMNS), overwrite)
    if picture is not None:
        if weights is not None:
            rule = "weighted estimates have no picture"
            raise DomainError("--plot", str(picture), rule, "leave it out, or write the table by --csv")
        if picture.suffix.casefold() not in PICTURE.suffixes:
            rule = f"a picture's name ends in {', '.join(PICTURE.suffixes)}"
            raise DomainError("--plot", str(picture), rule, "rename it")
        require_writable(picture, PICTURE, overwrite)
    absent = missing_answers.reports_rule(missing, drop_missing)
    found, people = _estimated(mechanism, checksum, reports, column, absent, method, weights)
    if repeated := people.sentence("report", "allowed to, and intervals are too narrow; keep one report of each."):
        printing.complain(repeated)
    if population is not None and found.problem.values is None:
        rule = "the answers stand for no numbers, so that there is no total"
        raise DomainError("--population", population, rule, "give the question values, or leave it out")
    identified = bool(mechanism.identifiability.rank == mechanism.inputs.n)
    rows = found.rows(level) if identified else []
    if as_json:
        printing.show_json(_data(found, rows, level, population))
    else:
        _show(mechanism, found, level, population)
    if target is not None and identified:
        save_csv(rows, COLUMNS, target)
    if picture is not None and identified and isinstance(found, Estimate):
        drawn = io.BytesIO()
        found.plot(level=level).savefig(drawn, format=picture.suffix.removeprefix(".").casefold())
        write(picture, drawn.getvalue())
    return 0 if identified else printing.FELL_SHORT


@click.command()
@click.argument("file", type=options.PATH)
@click.option("-o", "--output", required=True, type=options.PATH, help="Where the page goes (HTML).")
@click.option(
    about.OPTION,
    "said",
    multiple=True,
    metavar="NAME=TEXT",
    help="What the page says of the survey, once for each of data, purpose, controller, contact and date.",
)
@overwriting
@options.members
@options.quiet
def report(
    file: Path, output: Path, said: tuple[str, ...], overwrite: bool, modules: tuple[str, ...], quiet: bool
) -> None:
    """Write what people have to know of the mechanism FILE as one page of HTML that needs no network.

    It says the guarantee in words and what it does not promise, the exact audit, known mechanisms, how reports are
    drawn, and what can be estimated from how many of them. Every claim of FILE is derived again first.
    """
    survey = about.read(said)
    require_writable(output, REPORT_FILE, overwrite)
    mechanism, checksum = _mechanism(file, own_members.imported(modules))
    write(output, page(mechanism, file.name, checksum, survey, optimum(mechanism)))
    printing.console(quiet).print(f"Report written to {printable(output)}.")


@click.command()
@click.argument("file", type=options.PATH)
@click.option("-o", "--output", required=True, type=options.PATH, help="Where it goes: NAME.py, NAME.js or NAME.mjs.")
@overwriting
@options.members
@options.quiet
def sampler(file: Path, output: Path, overwrite: bool, modules: tuple[str, ...], quiet: bool) -> None:
    """Write the mechanism FILE as a program that draws reports where the answers are.

    NAME.py is for Python 3.9 or later without any package, NAME.js and NAME.mjs for browsers and Node. Every claim of
    FILE is derived again first.
    """
    language = language_of(output, "output")
    require_writable(output, language.kind, overwrite)
    mechanism, checksum = _mechanism(file, own_members.imported(modules))
    write(output, program(mechanism, language, checksum))
    console = printing.console(quiet)
    console.print(f"Sampler written to {printable(output)}.")
    console.print("Draw once for each person: several reports of one person reveal more than one is allowed to.")


def _mechanism(file: Path, own: tuple[type, ...] = ()) -> tuple[Mechanism, str]:
    """Return the mechanism in a file, its claims derived again, and the file's checksum."""
    _require_file("FILE", file)
    mechanism = load(file, members=own)
    return mechanism, str(json.loads(file.read_text(encoding="utf-8"))["checksum"])


def _estimated(
    mechanism: Mechanism,
    checksum: str,
    path: Path,
    column: str | None,
    missing: MissingRule,
    method: Method,
    weights: str | None,
) -> tuple[Estimate | WeightedEstimate, RepeatedPeople]:
    """Return the estimate from a file of reports, with weights if their column is named, and who is there twice."""
    if column is None and (missing.drop or missing.codes):
        rule = "files that mechdesign sample wrote have no missing reports"
        raise DomainError("--drop-missing", "given", rule, "leave it out, or name the --column of another file")
    # What the warnings say is among the estimate's notes, which are printed.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        if column is not None:
            read = any_reports(path, column, mechanism.outputs, [] if weights is None else [weights], missing)
            if read.left_out:
                printing.complain(f"{path.name}, {column}: {missing_answers.reports_left_out(read.left_out)}")
            if weights is None:
                return mechanism.estimate(read.outputs, method=method, by="index"), read.people
            heavy = [report_files.weight_of(path, line, weights, cell) for line, cell in read.beside[0]]
            return mechanism.estimate(read.outputs, weights=heavy, by="index"), read.people
        if weights is None:
            counted = report_files.counted_file(mechanism, checksum, path)
            return mechanism.estimate(counts=counted.counts, method=method), counted.people
        held = report_files.weighted_file(mechanism, checksum, path, weights)
        return mechanism.estimate(held.reports, weights=held.weights, by="index"), held.people


def _data(
    found: Estimate | WeightedEstimate, rows: list[dict[str, Any]], level: float, size: int | None
) -> dict[str, Any]:
    data: dict[str, Any] = {"reports": found.reports, "level": level, "frequencies": rows}
    if isinstance(found, Estimate):
        data |= {"method": found.method, "gap": found.gap}
    else:
        data |= {"effective_reports": found.effective_reports, "design_effect": found.design_effect}
    data |= {"notes": list(found.notes), "fit": dataclasses.asdict(found.fit)}
    if rows and found.problem.values is not None:
        data["mean"] = _figure(found.mean(), level) if isinstance(found, Estimate) else found.mean(level=level)
        if size is not None:
            whole = found.total(size) if isinstance(found, Estimate) else found.total(size, level=level)
            data["total"] = _figure(whole, level) if isinstance(whole, Functional) else whole
    return data


def _figure(found: Functional, level: float) -> dict[str, float]:
    low, high = found.interval(level)
    return {"estimate": found.value, "standard_error": found.standard_error, "low": low, "high": high}


def _show(mechanism: Mechanism, found: Estimate | WeightedEstimate, level: float, size: int | None) -> None:
    console = printing.console(False)
    show(console, (mechanism.display()[0], *found.shown(level, size)))
    if mechanism.identifiability.rank < mechanism.inputs.n:
        console.print('  Design with objective InformationDesign, criterion "A", to learn every frequency.')


def _require_file(argument: str, path: Path) -> None:
    if not path.is_file():
        raise DomainError(argument, str(path), "there is no such file", "check the path")
