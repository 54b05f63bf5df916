"""The command `calibrate`: how private the question of a file can be, for a target."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from mechdesign.cli import json_reports, options, overwriting, own_members, printing
from mechdesign.cli.designing import answered, of_optima
from mechdesign.cli.question_file import read_question
from mechdesign.displays.blocks import Lines
from mechdesign.displays.text import show
from mechdesign.mechanism.mechanism import MECHANISM_FILE
from mechdesign.studies import calibration


@click.command()
@click.argument("file", type=options.PATH)
@click.option("--target", type=float, required=True, help="The value to reach, in the objective's own sense and unit.")
@click.option("--tolerance", type=float, default=1e-3, show_default=True, help="Width of the bracket, relative.")
@click.option("-o", "--output", type=options.PATH, help="Write the mechanism at the level that was found there.")
@overwriting.option
@options.members
@options.time_limit
@options.memory_limit
@options.as_json
def calibrate(
    file: Path,
    target: float,
    tolerance: float,
    output: Path | None,
    overwrite: bool,
    modules: tuple[str, ...],
    time_limit: float | None,
    memory_limit: float | None,
    as_json: bool,
) -> int:
    """Find the least level at which what the question FILE asks for reaches a target, and prove it from below.

    The level that FILE gives is not looked at. The time limit is for the whole search.
    """
    if output is not None:
        overwriting.require_writable(output, MECHANISM_FILE, overwrite)
        overwriting.require_no_file(output, MECHANISM_FILE, overwrite)
    asked = of_optima(read_question(file, own_members.imported(modules)), time_limit, memory_limit)
    console = printing.console(as_json)
    show(console, asked.question.display())
    said = f"The level of {asked.question.notion} is not looked at: the least that reaches the target is sought."
    show(console, (Lines("", (said,)),))
    search = partial(calibration.least_level, target=target, tolerance=tolerance)
    if asked.solve.get("proof"):
        printing.complain("Levels are bracketed by bounds certified in floating point: no proof is looked for here.")
    solve = {key: given for key, given in asked.solve.items() if key != "proof"}
    found, fell_short = answered(replace(asked, solve=solve), search, as_json)
    show(console, found.story(len(found.tried)))
    if output is not None:
        found.design.mechanism.save(output, overwrite=overwrite)
        show(console, (Lines("Mechanism", (f"written to {output}",)),))
    if as_json:
        printing.show_json(json_reports.calibration_data(found))
    return printing.FELL_SHORT if fell_short else 0
