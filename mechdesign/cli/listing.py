"""The commands that list the catalogue: `notions` and `objectives`."""

from __future__ import annotations

import click

from mechdesign.cli import catalogue, json_reports, options, own_members, printing, searching
from mechdesign.notions import Notion
from mechdesign.objectives import Objective


@click.command()
@click.option(
    "--search", "sought", metavar="WORD", help="What the package has under a word of the field: PML, histogram."
)
@options.as_json
@options.members
def notions(sought: str | None, as_json: bool, modules: tuple[str, ...]) -> None:
    """List the privacy notions, or look for a word among everything."""
    own = own_members.imported(modules)
    if sought is None:
        _list(Notion, own, as_json)
        return
    hits = searching.found(sought, own)
    if as_json:
        printing.show_json(searching.in_json(*hits))
    else:
        searching.show(printing.console(False), *hits)


@click.command()
@options.as_json
@options.members
def objectives(as_json: bool, modules: tuple[str, ...]) -> None:
    """List the objectives."""
    _list(Objective, own_members.imported(modules), as_json)


def _list(kind: type, own: tuple[type, ...], as_json: bool) -> None:
    if as_json:
        printing.show_json(json_reports.catalogue(kind, own))
    else:
        catalogue.show_catalogue(printing.console(False), kind, own)
