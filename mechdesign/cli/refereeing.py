"""The command `verify`: the papers' statements, tested by computation."""

from __future__ import annotations

from pathlib import Path

import click

from mechdesign.cli import options, overwriting, own_members, printing
from mechdesign.displays.text import show
from mechdesign.errors import DomainError
from mechdesign.files.atomic_writes import write
from mechdesign.referee.ledger import LEDGER_FILE, SEED, page_or_data
from mechdesign.referee.verifying import verify as verified
from mechdesign.runtime.progress import Bar


@click.command()
@click.argument("which", nargs=-1)
@click.option("--thorough", is_flag=True, help="Some ten times the points.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Where the points come from.")
@click.option("-o", "--output", "target", type=options.PATH, help="Write the ledger as .json, .csv, .html or .tex.")
@overwriting.option
@click.option(
    own_members.OPTION,
    "modules",
    multiple=True,
    metavar="MODULE",
    help="A module, or a .py file, with theorems of your own; it is run. Without keys those alone are tested.",
)
@click.option("--record", type=options.PATH, help="Write what is recorded of the verdicts; compare nothing.")
@options.as_json
def verify(
    which: tuple[str, ...],
    thorough: bool,
    seed: int,
    target: Path | None,
    overwrite: bool,
    modules: tuple[str, ...],
    record: Path | None,
    as_json: bool,
) -> int:
    """Test the papers' statements by computation: all, all of one paper, or one by its key.

    The exit code is 1 where a verdict is not the recorded one; of theorems of your own there is no record.
    """
    own = own_members.imported_theorems(modules)
    if record is not None:
        if own:
            rule = "the record is of the papers' statements"
            raise DomainError("--record", str(record), rule, "leave --members out, or write the rows with --output")
        overwriting.require_folder(record, "the ledger")
    if target is not None:
        page_or_data(target)
        overwriting.require_writable(target, LEDGER_FILE, overwrite)
    with Bar("statements", wanted=not as_json) as bar:
        ledger = verified(
            which or None, theorems=own, thorough=thorough, rng=seed, on_row=lambda row, total: bar(row.key, total)
        )
    console = printing.console(as_json)
    show(console, ledger.story())
    if as_json:
        click.echo(ledger.to_json(), nl=False)
    if target is not None:
        ledger.save(target, overwrite=overwrite)
    if not ledger.complete:
        # Half a record would pass for a whole one.
        return printing.INTERRUPTED
    if record is not None:
        overwriting.require_no_loss(record, {row.key for row in ledger.rows})
        write(record, ledger.record())
        return 0
    differences = ledger.differences()
    for difference in differences:
        printing.complain(f"{difference}.")
    return printing.FELL_SHORT if differences else 0
