"""The commands that use a mechanism: reports are drawn, here or elsewhere, and read; a page explains it."""

from __future__ import annotations

from pathlib import Path

import click

from mechdesign.cli import about, missing_answers, options, own_members, printing, report_files
from mechdesign.cli.mechanism_files import mechanism_in, require_file
from mechdesign.cli.overwriting import option as overwriting
from mechdesign.cli.overwriting import require_writable
from mechdesign.displays.visible import printable
from mechdesign.errors import DomainError
from mechdesign.files.atomic_writes import write
from mechdesign.reports import page
from mechdesign.reports.page import REPORT_FILE
from mechdesign.sampler_programs.writing import language_of, program
from mechdesign.studies.reporting import optimum


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
    require_file("RECORDS", records)
    require_writable(output, report_files.REPORTS_FILE)
    if output.is_file() and not overwrite:
        rule = "the reports of these answers are kept: drawn twice, they reveal more than one report is allowed to"
        raise DomainError(
            "output", str(output), rule, "go on with the reports that are there; --overwrite draws again in their place"
        )
    mechanism, checksum = mechanism_in(file, own_members.imported(modules))
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
    mechanism, checksum = mechanism_in(file, own_members.imported(modules))
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
    mechanism, checksum = mechanism_in(file, own_members.imported(modules))
    write(output, program(mechanism, language, checksum))
    console = printing.console(quiet)
    console.print(f"Sampler written to {printable(output)}.")
    console.print("Draw once for each person: several reports of one person reveal more than one is allowed to.")
