"""The command `mechanism`: a matrix of one's own as a mechanism file, which every other command takes."""

from __future__ import annotations

import math
from pathlib import Path

import click

from mechdesign.cli import options, overwriting, printing
from mechdesign.cli.counts import number
from mechdesign.cli.matrix_file import read_matrix
from mechdesign.displays.text import show
from mechdesign.displays.visible import printable
from mechdesign.errors import DomainError
from mechdesign.estimation.identifiability import sentence
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.mechanism.mechanism import MECHANISM_FILE
from mechdesign.parameters.labels import Carried
from mechdesign.problem import Problem


@click.command()
@click.argument("matrix", type=options.PATH)
@click.option("-o", "--output", required=True, type=options.PATH, help="Where the mechanism goes (JSON).")
@click.option("--transpose", is_flag=True, help="MATRIX has a column for each answer and a row for each report.")
@click.option("--values", is_flag=True, help="The answers, which name the rows, are numbers: estimate their mean.")
@overwriting.option
@options.quiet
def mechanism(matrix: Path, output: Path, transpose: bool, values: bool, overwrite: bool, quiet: bool) -> None:
    """Make a mechanism file of your own design: MATRIX (CSV) has the probability of each report given each answer.

    A row for each answer and a column for each report, with a header and names of rows as R, pandas and spreadsheets
    write them, or bare numbers (0.25 or 1/4). Rows sum to one. Then `sample`, `estimate`, `audit`, `report` and
    `sampler` take the file.
    """
    overwriting.require_writable(output, MECHANISM_FILE, overwrite)
    found = read_matrix(matrix, transpose=transpose)
    try:
        made = Mechanism(found, problem=_problem(matrix, found, values))
    except DomainError as error:
        remedy = error.remedy.replace("transpose it", "add --transpose")
        raise DomainError(f"{matrix.name}, {error.argument}", error.value, error.rule, remedy) from None
    with overwriting.as_option():
        made.save(output, overwrite=overwrite)
    console, level = printing.console(quiet), float(audit(made))
    show(console, [made.grid])
    private = "no level of LDP: some report is impossible for some answer" if math.isinf(level) else f"LDP {level:.6g}"
    console.print(f"Private: {private}. `mechdesign audit` says it in full.")
    console.print(sentence(made.identifiability, made.inputs))
    if made.moved:
        console.print(f"Probabilities were rounded to multiples of 2^-53, by {made.moved:.1e} at most.")
    console.print(f"Mechanism written to {printable(output)}.")


def _problem(path: Path, found: Carried, values: bool) -> Problem | None:
    """Return who reports: the names of the rows as labels, and as numbers if they are said to be some."""
    if not values:
        return None
    if found.rows is None:
        raise DomainError("--values", path.name, "its rows have no names", "name them by the numbers, or leave it out")
    return Problem(labels=found.rows, values=[number(f"{path.name}, a row's name", name) for name in found.rows])
