"""The command `mechdesign`: design, compare and audit from files, verify the papers, and the catalogue."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np
from rich.console import Console

from mechdesign import __version__
from mechdesign.cli import catalogue, json_reports, overwriting, own_members, searching, using
from mechdesign.cli.counts import read_matrix
from mechdesign.cli.question_file import KINDS, QuestionFile, read_question
from mechdesign.designing.entry import design as designed
from mechdesign.designing.loading import load
from mechdesign.designing.story import story
from mechdesign.displays.text import show
from mechdesign.displays.visible import printable
from mechdesign.errors import (
    CertificateError,
    DomainError,
    GapWarning,
    MechdesignError,
    OtherFileError,
    SolverError,
    nearest,
)
from mechdesign.files.atomic_writes import write
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import audit as audited
from mechdesign.mechanism.mechanism import MECHANISM_FILE
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.question.members_by_name import members
from mechdesign.question.question import in_json
from mechdesign.referee.ledger import LEDGER_FILE, SEED, page_or_data
from mechdesign.referee.ledger import verify as verified
from mechdesign.runtime.deadline import left_at_work
from mechdesign.runtime.progress import Bar
from mechdesign.studies import frontier as frontiers
from mechdesign.studies.comparison import compare as compared
from mechdesign.tolerances import GAP

FELL_SHORT, BAD_INPUT, INTERRUPTED = 1, 2, 130
#: A frontier of more levels is a slip of the pen.
MOST_LEVELS = 9999

Made = TypeVar("Made")
#: How like an option another has to be to be suggested: all of them start alike.
ALIKE = 0.75

_json = click.option("--json", "as_json", is_flag=True, help="Print machine-readable JSON instead of text.")
_path = click.Path(path_type=Path)
_time = click.option("--time-limit", type=float, help="Seconds for each design, instead of what FILE says.")
_members = click.option(
    own_members.OPTION,
    "modules",
    multiple=True,
    metavar="MODULE",
    help="A module, or a .py file, with notions and objectives of your own that FILE may name; it is run.",
)
_memory = click.option("--memory-limit", type=float, help="Gigabytes for each program, instead of what FILE says.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mechdesign")
def cli() -> None:
    """Design provably optimal local-privacy mechanisms.

    Exit codes: 0 all is well; 1 an answer that fell short (a gap wider than asked, an audit that fails, a solver that
    failed); 2 bad input.
    """


@cli.command()
@click.argument("file", type=_path)
@click.option("--output", type=_path, help="Where the mechanism goes, instead of what FILE says.")
@overwriting.option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but complaints.")
@_members
@_time
@_memory
@_json
def design(
    file: Path,
    output: Path | None,
    overwrite: bool,
    quiet: bool,
    modules: tuple[str, ...],
    time_limit: float | None,
    memory_limit: float | None,
    as_json: bool,
) -> int:
    """Design the mechanism that the question FILE (TOML) asks for, and write it down.

    Ctrl-C ends a search with the best mechanism so far and its gap; a second one ends it with nothing.
    """
    asked = _within(read_question(file, own_members.imported(modules)), time_limit, memory_limit)
    target = output or asked.output
    overwriting.require_writable(target, MECHANISM_FILE, overwrite)
    console = _console(quiet or as_json)
    show(console, asked.question.display())
    made, fell_short = _answered(asked, designed, as_json)
    made.mechanism.save(target, overwrite=overwrite)
    gap = float(asked.solve.get("gap", GAP))
    show(console, story(made, gap, target))
    if as_json and not quiet:
        _print_json(json_reports.design_data(made, gap, made.rivals, target))
    return FELL_SHORT if fell_short else 0


@cli.command()
@click.argument("file", type=_path)
@_members
@_time
@_memory
@_json
def compare(
    file: Path, modules: tuple[str, ...], time_limit: float | None, memory_limit: float | None, as_json: bool
) -> int:
    """Answer the question FILE by every route with every solver, and tabulate."""
    asked = _within(read_question(file, own_members.imported(modules)), time_limit, memory_limit)
    question = asked.question
    kept = ("outputs", "gap", "time_limit", "memory_limit")
    limits = {key: asked.solve[key] for key in kept if key in asked.solve}
    console = _console(as_json)
    show(console, question.display())
    found = compared(question.problem, question.notion, question.objective, **limits)
    show(console, found.story())
    if as_json:
        _print_json(json_reports.comparison_data(found))
    if not found.complete:
        _complain("Interrupted: the rest is missing.")
        return INTERRUPTED
    certified = any(row.outcome == "certified" for row in found)
    return 0 if certified and found.consistent else FELL_SHORT


@cli.command()
@click.argument("file", type=_path)
@click.option("--question", type=_path, help="Hold FILE against the notion and prior of this question (TOML).")
@_members
@_json
def audit(file: Path, question: Path | None, modules: tuple[str, ...], as_json: bool) -> int:
    """Audit FILE in exact arithmetic: a mechanism file (.json), or with --question anyone's matrix (.csv).

    A matrix has one line for each input and one number (0.25 or 1/4) for each output, no header.
    """
    if not file.is_file():
        raise DomainError("FILE", str(file), "there is no such file", "check the path")
    own = own_members.imported(modules)
    mechanism = _loaded(file, own) if file.suffix == ".json" else None
    if question is not None:
        against = read_question(question, own).question
    elif mechanism is not None:
        against = mechanism.asked
    else:
        rule = "a bare matrix does not say what it is to be held against"
        raise DomainError("FILE", str(file), rule, "add --question question.toml")
    found = audited(mechanism or read_matrix(file), against.notion, against.problem)
    console = _console(as_json)
    show(console, against.display())
    if mechanism is not None:
        show(console, [mechanism.claimed.shown("Certificate, derived again")])
    show(console, found.display())
    if as_json:
        _print_json(json_reports.audit_data(found))
    return 0 if found.holds else FELL_SHORT


@cli.command()
@click.argument("file", type=_path)
@click.option("--levels", required=True, help="FIRST:LAST:COUNT, evenly spaced, or a list with commas.")
@click.option("--csv", "target", type=_path, help="Write the rows there.")
@overwriting.option
@_members
@_time
@_memory
@_json
def frontier(
    file: Path,
    levels: str,
    target: Path | None,
    overwrite: bool,
    modules: tuple[str, ...],
    time_limit: float | None,
    memory_limit: float | None,
    as_json: bool,
) -> int:
    """Design what the question FILE asks for at many levels of its notion, and tabulate what each costs."""
    if target is not None:
        overwriting.require_writable(target, frontiers.FRONTIER_FILE, overwrite)
    asked = _within(read_question(file, own_members.imported(modules)), time_limit, memory_limit)
    question = asked.question
    console = _console(as_json)
    show(console, question.display())
    found, fell_short = _answered(asked, partial(frontiers.frontier, levels=_levels(levels)), as_json)
    show(console, found.story(len(found)))
    if target is not None:
        found.save(target, overwrite=overwrite)
    if as_json:
        _print_json(list(found.rows))
    if not found.complete:
        _complain("Interrupted: the stricter levels are there, the rest is missing.")
        return INTERRUPTED
    return FELL_SHORT if fell_short else 0


@cli.command()
@click.option(
    "--search", "sought", metavar="WORD", help="What the package has under a word of the field: PML, histogram."
)
@_json
def notions(sought: str | None, as_json: bool) -> None:
    """List the privacy notions, or look for a word among everything."""
    if sought is None:
        _list(Notion, as_json)
        return
    hits = searching.found(sought)
    if as_json:
        _print_json(searching.in_json(*hits))
    else:
        searching.show(_console(False), *hits)


@cli.command()
@_json
def objectives(as_json: bool) -> None:
    """List the objectives."""
    _list(Objective, as_json)


@cli.command()
@click.argument("which", nargs=-1)
@click.option("--thorough", is_flag=True, help="Some ten times the points.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Where the points come from.")
@click.option("--save", "target", type=_path, help="Write the ledger as .json, .csv or .html.")
@overwriting.option
@click.option("--record", type=_path, help="Write what is recorded of the verdicts, instead of comparing with it.")
@_json
def verify(
    which: tuple[str, ...],
    thorough: bool,
    seed: int,
    target: Path | None,
    overwrite: bool,
    record: Path | None,
    as_json: bool,
) -> int:
    """Test the papers' statements by computation: all of them, or those of a paper, or one by its key.

    The exit code is 1 where a verdict is not the recorded one.
    """
    if record is not None:
        overwriting.require_folder(record, "the ledger")
    if target is not None:
        page_or_data(target)
        overwriting.require_writable(target, LEDGER_FILE, overwrite)
    with Bar("statements", wanted=not as_json) as bar:
        ledger = verified(which or None, thorough=thorough, rng=seed, on_row=lambda row, total: bar(row.key, total))
    console = _console(as_json)
    console.print(ledger.table())
    console.print(ledger.summary())
    if as_json:
        click.echo(ledger.to_json(), nl=False)
    if target is not None:
        ledger.save(target, overwrite=overwrite)
    if not ledger.complete:
        # Half a record would pass for a whole one.
        return INTERRUPTED
    if record is not None:
        overwriting.require_no_loss(record, {row.key for row in ledger.rows})
        write(record, ledger.record())
        return 0
    differences = ledger.differences()
    for difference in differences:
        _complain(f"{difference}.")
    return FELL_SHORT if differences else 0


cli.add_command(using.sample)
cli.add_command(using.estimate)
cli.add_command(using.report)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; our own errors are one sentence on stderr, and there is no traceback."""
    code: Any
    try:
        code = cli.main(arguments, prog_name="mechdesign", standalone_mode=False)
    except click.NoSuchOption as error:
        _complain(_without_option(error))
        code = BAD_INPUT
    except click.ClickException as error:
        error.show()
        code = BAD_INPUT
    except click.Abort:
        _complain("Interrupted; nothing was written.")
        code = INTERRUPTED
    except OtherFileError as error:
        _complain(str(error))
        code = BAD_INPUT
    except (SolverError, CertificateError) as error:
        _complain(str(error))
        code = FELL_SHORT
    except MechdesignError as error:
        _complain(str(error))
        code = BAD_INPUT
    if arguments is None and left_at_work():
        # Whoever pressed Ctrl-C would wait for the solver that was left: this process is the command's own.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)
    sys.exit(code or 0)


def _without_option(error: click.NoSuchOption) -> str:
    """Return what to write in place of an option that a command does not have."""
    command = error.ctx
    assert command is not None, "click knows the command that it was reading"
    options = [name for each in command.command.get_params(command) for name in each.opts if name.startswith("--")]
    known = {field.name for kind in KINDS.values() for member in members(kind).values() for field in fields(member)}
    remedy = nearest(error.option_name, options, ALIKE)
    if error.option_name.removeprefix("--").replace("-", "_") in known and "--levels" not in options:
        remedy = "the question FILE says it, in the section of its notion or objective"
    return f"{command.command_path} has no option {error.option_name}; {remedy}."


def _within(asked: QuestionFile, time_limit: float | None, memory_limit: float | None) -> QuestionFile:
    """Return what was asked with the limits of the command line."""
    given = {"time_limit": time_limit, "memory_limit": memory_limit}
    return replace(asked, solve={**asked.solve, **{key: limit for key, limit in given.items() if limit is not None}})


def _answered(asked: QuestionFile, answer: Callable[..., Made], as_json: bool) -> tuple[Made, bool]:
    """Return the answer, and whether it fell short of the gap; its warnings are said."""
    # A solver prints past Python's own output, into the JSON.
    keywords = {**asked.solve, "solver_verbose": False} if as_json else asked.solve
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(sys.stderr):
        warnings.simplefilter("always")
        made = answer(asked.question.problem, asked.question.notion, asked.question.objective, **keywords)
    for warning in caught:
        _complain(str(warning.message))
    return made, any(issubclass(warning.category, GapWarning) for warning in caught)


def _loaded(file: Path, own: tuple[type, ...]) -> Mechanism:
    """Return the mechanism in a file; what there is to warn of is said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = load(file, members=own)
    for warning in caught:
        _complain(str(warning.message))
    return made


def _levels(text: str) -> list[float]:
    """Return the levels that ``FIRST:LAST:COUNT`` or a list with commas stands for."""
    parts = text.split(":")
    try:
        if len(parts) == 1:
            return [float(part) for part in text.split(",")]
        first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
        if len(parts) == 3 and 0 < count <= MOST_LEVELS:
            return [float(level) for level in np.linspace(first, last, count)]
    except (ValueError, IndexError):
        pass
    if len(parts) == 3 and parts[2].strip().isdecimal() and len(parts[2].strip().lstrip("0")) > len(str(MOST_LEVELS)):
        raise DomainError("--levels", text, f"it stands for more than {MOST_LEVELS} levels", "write 0.1:3:30, say")
    raise DomainError("--levels", text, "it has to be FIRST:LAST:COUNT or a list of numbers", "write 0.1:3:30, say")


def _list(kind: type, as_json: bool) -> None:
    if as_json:
        _print_json(json_reports.catalogue(kind))
    else:
        catalogue.show_catalogue(_console(False), kind)


def _console(silent: bool) -> Console:
    # Labels come from files: no markup, no emoji codes, nothing highlighted by guess.
    return Console(quiet=silent, markup=False, emoji=False, highlight=False)


def _print_json(data: Any) -> None:
    click.echo(json.dumps(in_json(data, missing=True), indent=2, allow_nan=False))


def _complain(sentence: str) -> None:
    click.echo(f"mechdesign: {printable(sentence)}", err=True)
