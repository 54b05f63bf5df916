"""The commands that answer the question of a file: `design`, `compare` and `frontier`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
import numpy as np

from mechdesign.cli import json_reports, options, overwriting, own_members, printing
from mechdesign.cli.question_file import QuestionFile, read_question
from mechdesign.designing.entry import design as designed
from mechdesign.designing.loading import load
from mechdesign.designing.story import summary
from mechdesign.displays.text import show
from mechdesign.errors import DomainError, GapWarning
from mechdesign.mechanism.mechanism import MECHANISM_FILE
from mechdesign.proofs import refusal
from mechdesign.studies.comparison import compare as compared
from mechdesign.studies.frontier import frontier as frontier_of
from mechdesign.studies.frontier_result import frontier_file
from mechdesign.tolerances import GAP

#: A frontier of more levels is a slip of the pen.
MOST_LEVELS = 9999

Made = TypeVar("Made")


@click.command()
@click.argument("file", type=options.PATH)
@click.option("-o", "--output", type=options.PATH, help="Where the mechanism goes, instead of what FILE says.")
@overwriting.option
@options.quiet
@click.option(
    "--why",
    is_flag=True,
    help="Say how it was found: the route, why no other, attempts, seconds; and more of known mechanisms.",
)
@click.option(
    "--within",
    type=float,
    help="Give up this share of the optimum for fewer outputs (0.02, say), instead of what FILE says.",
)
@options.proof
@options.members
@options.time_limit
@options.memory_limit
@options.as_json
def design(
    file: Path,
    output: Path | None,
    overwrite: bool,
    quiet: bool,
    why: bool,
    within: float | None,
    proof: bool | None,
    modules: tuple[str, ...],
    time_limit: float | None,
    memory_limit: float | None,
    as_json: bool,
) -> int:
    """Design the mechanism that the question FILE (TOML) asks for, and write it down.

    Ctrl-C ends a search with the best mechanism so far and its gap; a second one ends it with nothing.
    """
    asked = limited(read_question(file, own_members.imported(modules)), time_limit, memory_limit)
    if within is not None:
        asked = replace(asked, solve={**asked.solve, "within": within})
    target = output or asked.output
    overwriting.require_writable(target, MECHANISM_FILE, overwrite)
    overwriting.require_same_question(target, asked.question, overwrite)
    console = printing.console(quiet or as_json)
    show(console, asked.question.display())
    made, fell_short = answered(with_proofs(asked, proof), designed, as_json)
    # Of the same question, or it was refused above.
    made.mechanism.save(target, overwrite=True)
    gap = max(float(asked.solve.get("gap", GAP)), float(asked.solve.get("within", 0.0)))
    show(console, (*summary(made, gap, target), *(made.why.display() if why else ())))
    if as_json and not quiet:
        printing.show_json(json_reports.design_data(made, gap, made.rivals, target))
    return printing.FELL_SHORT if fell_short else 0


@click.command()
@click.argument("file", type=options.PATH)
@click.option(
    "--mechanism",
    "mechanisms",
    type=options.PATH,
    multiple=True,
    metavar="FILE",
    help="A mechanism file of your own to stand beside the answers, with the level that it has.",
)
@options.proof
@options.members
@options.time_limit
@options.memory_limit
@options.as_json
def compare(
    file: Path,
    mechanisms: tuple[Path, ...],
    proof: bool | None,
    modules: tuple[str, ...],
    time_limit: float | None,
    memory_limit: float | None,
    as_json: bool,
) -> int:
    """Answer the question FILE by every route with every solver, and tabulate."""
    own = own_members.imported(modules)
    asked = of_optima(read_question(file, own), time_limit, memory_limit)
    beside = {path.name: load(path, members=own) for path in mechanisms}
    kept = ("outputs", "gap", "time_limit", "memory_limit", "proof")
    limits = {key: given for key, given in with_proofs(asked, proof).solve.items() if key in kept}
    console = printing.console(as_json)
    show(console, asked.question.display())
    found, _ = answered(replace(asked, solve={**limits, "mechanisms": beside}), compared, as_json)
    show(console, found.story())
    if as_json:
        printing.show_json(json_reports.comparison_data(found))
    if not found.complete:
        printing.complain("Interrupted: the rest is missing.")
        return printing.INTERRUPTED
    certified = any(row.outcome == "certified" for row in found)
    return 0 if certified and found.consistent else printing.FELL_SHORT


@click.command()
@click.argument("file", type=options.PATH)
@click.option("--levels", required=True, help="FIRST:LAST:COUNT, evenly spaced, or a list with commas.")
@click.option("-o", "--output", "target", type=options.PATH, help="Write the rows there.")
@overwriting.option
@options.proof
@options.members
@options.time_limit
@options.memory_limit
@options.as_json
def frontier(
    file: Path,
    levels: str,
    target: Path | None,
    overwrite: bool,
    proof: bool | None,
    modules: tuple[str, ...],
    time_limit: float | None,
    memory_limit: float | None,
    as_json: bool,
) -> int:
    """Design what the question FILE asks for at many levels of its notion, and tabulate what each costs."""
    at_levels = partial(frontier_of, levels=_levels(levels))
    asked = of_optima(read_question(file, own_members.imported(modules)), time_limit, memory_limit)
    if target is not None:
        overwriting.require_writable(target, frontier_file(target, asked.question.notion), overwrite)
    question = asked.question
    console = printing.console(as_json)
    show(console, question.display())
    found, fell_short = answered(with_proofs(asked, proof), at_levels, as_json)
    show(console, found.story(len(found)))
    if target is not None:
        found.save(target, overwrite=overwrite)
    if as_json:
        printing.show_json(list(found.rows))
    if not found.complete:
        printing.complain("Interrupted: the stricter levels are there, the rest is missing.")
        return printing.INTERRUPTED
    return printing.FELL_SHORT if fell_short else 0


def of_optima(asked: QuestionFile, time_limit: float | None, memory_limit: float | None) -> QuestionFile:
    """Return the question with the limits of the command line, for commands that compare optima.

    A share of the optimum that may be given up for fewer outputs counts for `mechdesign design` alone, which is said.
    """
    if "within" in asked.solve:
        share = asked.solve["within"]
        printing.complain(f"within = {share} counts for mechdesign design alone: these are the optima.")
        asked = replace(asked, solve={key: given for key, given in asked.solve.items() if key != "within"})
    return limited(asked, time_limit, memory_limit)


def with_proofs(asked: QuestionFile, proof: bool | None) -> QuestionFile:
    """Return the question with or without proofs: by the command line, else the file, else the number of inputs."""
    if proof is None:
        known = asked.question.problem.n <= options.PROVED_UP_TO and refusal(asked.question) is None
        proof = asked.solve.get("proof", known)
    return replace(asked, solve={**asked.solve, "proof": proof})


def limited(asked: QuestionFile, time_limit: float | None, memory_limit: float | None) -> QuestionFile:
    """Return the question with the limits of the command line."""
    given = {"time_limit": time_limit, "memory_limit": memory_limit}
    return replace(asked, solve={**asked.solve, **{key: limit for key, limit in given.items() if limit is not None}})


def answered(asked: QuestionFile, answer: Callable[..., Made], as_json: bool) -> tuple[Made, bool]:
    """Return the answer, and whether it fell short of the gap; its warnings are printed."""
    # A solver prints past Python's own output, into the JSON.
    keywords = {key: given for key, given in asked.solve.items() if not (as_json and key == "solver_verbose")}
    with printing.warnings_as_sentences() as caught, contextlib.redirect_stdout(sys.stderr):
        made = answer(asked.question.problem, asked.question.notion, asked.question.objective, **keywords)
    return made, any(issubclass(warning.category, GapWarning) for warning in caught)


def _levels(text: str) -> list[float]:
    """Return the levels that ``FIRST:LAST:COUNT`` or a list with commas stands for."""
    parts = text.split(":")
    try:
        if len(parts) == 1:
            return [float(part) for part in text.split(",")]
        first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
        if len(parts) == 3 and 0 < count <= MOST_LEVELS:
            # As people write them: 0.9, and not 0.8999999999999999.
            return [float(f"{level:.12g}") for level in np.linspace(first, last, count)]
    except (ValueError, IndexError):
        pass
    if len(parts) == 3 and parts[2].strip().isdecimal() and len(parts[2].strip().lstrip("0")) > len(str(MOST_LEVELS)):
        raise DomainError("--levels", text, f"it stands for more than {MOST_LEVELS} levels", "write 0.1:3:30, say")
    raise DomainError("--levels", text, "it has to be FIRST:LAST:COUNT or a list of numbers", "write 0.1:3:30, say")
