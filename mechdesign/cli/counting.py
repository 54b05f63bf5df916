"""The command `count`: a column of answers as a table of counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click
from rich.table import Table

from mechdesign.cli import missing_answers, options, overwriting, printing
from mechdesign.cli.answers import count_records
from mechdesign.displays.visible import printable
from mechdesign.errors import DomainError
from mechdesign.files.tables import save_csv, table_of
from mechdesign.problem.bins import By

#: Rows that are printed.
SHOWN = 20


@click.command()
@click.argument("records", type=options.PATH)
@click.option("--column", required=True, help="The column of RECORDS that holds the answers.")
@click.option("--bins", help="How many intervals of a column of numbers, or their edges: 18,25,40,65.")
@click.option(
    "--by",
    type=click.Choice(get_args(By)),
    default="quantiles",
    show_default=True,
    help="Whether so many bins hold about as many answers each, or are equally wide.",
)
@missing_answers.declared
@missing_answers.dropped
@click.option("-o", "--output", type=options.PATH, help="Where the counts go (CSV).")
@overwriting.option
@options.quiet
def count(
    records: Path,
    column: str,
    bins: str | None,
    by: str,
    missing: tuple[str, ...],
    drop_missing: bool,
    output: Path | None,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Count the answers in a column of RECORDS (CSV with a header): the table that a question file takes.

    Counts are the data and not private: keep them where the records are kept. A prior from public data, or equal
    frequencies (InformationDesign without a prior), needs none.
    """
    rule = missing_answers.rule_of(missing, drop_missing)
    found = count_records(records, column, None if bins is None else bins_of_option(bins), by, rule)
    values = [None] * len(found.labels) if found.values is None else found.values.tolist()
    rows: list[dict[str, Any]] = [
        {"label": label, "count": found.counts.get(label, 0), "value": value}
        for label, value in zip(found.labels, values, strict=True)
    ]
    header = ("label", "count") if found.values is None else ("label", "count", "value")
    console = printing.console(quiet)
    if output is not None:
        overwriting.require_writable(output, table_of(header), overwrite)
        save_csv([{name: row[name] for name in header} for row in rows], header, output)
    table = Table(box=None, pad_edge=True)
    table.add_column("label")
    for name in ("count", "share"):
        table.add_column(name, justify="right")
    total = sum(found.counts.values())
    for row in rows[:SHOWN]:
        table.add_row(printable(row["label"]), str(row["count"]), f"{row['count'] / total:.4f}")
    console.print(table)
    if len(rows) > SHOWN:
        console.print(f"  and {len(rows) - SHOWN} more")
    console.print(f"{total} answers of {len(rows)} kinds. These counts are not private.")
    if output is not None:
        console.print(f"Counts written to {printable(output)}.")


def bins_of_option(text: str) -> int | list[float]:
    """Return a number of bins, or the edges that are listed."""
    try:
        return int(text) if "," not in text else [float(part) for part in text.split(",")]
    except ValueError:
        rule = "it has to be a whole number, or edges with commas between them"
        raise DomainError("--bins", text, rule, "give --bins 10, or --bins 18,25,40,65") from None
