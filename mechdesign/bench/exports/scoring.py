"""Scores of solutions that were found elsewhere."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path

from mechdesign.bench.exports.solutions import SUFFIXES, read_solution
from mechdesign.bench.instance import Instance
from mechdesign.bench.judging import judged
from mechdesign.bench.results import Results
from mechdesign.bench.running.record import Run
from mechdesign.errors import DomainError, FileWarning, MechdesignError
from mechdesign.parameters.written_numbers import as_number

#: The outcome of a file that is no solution of its instance.
MALFORMED = "malformed"


def score_folder(
    listed: list[Instance], set_name: str, folder: str | Path, solver: str, times: str | Path | None = None
) -> Results:
    """Return the scores of the solutions in `folder`, each in a file of its instance's name; a row for each instance.

    `times` is a file with a line "INSTANCE SECONDS" for each instance that was timed.

    Raises
    ------
    DomainError
        No such folder, or no solution of these instances in it; a line of times that is none, or of another instance.

    Warns
    -----
    FileWarning
        Solutions in it that are named after none of these instances, and each that could not be read.
    """
    source = Path(folder)
    if not source.is_dir():
        raise DomainError("solutions", str(folder), "it is a folder of solutions", "give the folder that holds them")
    found = {instance.name: _file_of(source, instance.name) for instance in listed}
    if not any(found.values()):
        rule = f"it holds no solution of these instances, as {listed[0].name}{SUFFIXES[0]}"
        raise DomainError("solutions", str(folder), rule, "name each after its instance, and check the set")
    others = sorted(file.name for file in source.iterdir() if file.suffix in SUFFIXES and file.stem not in found)
    if others:
        alike = get_close_matches(Path(others[0]).stem, found, 1)
        more = f" and {len(others) - 1} more are" if len(others) > 1 else " is"
        remedy = f"; did you mean {alike[0]}?" if alike else "."
        said = f"{others[0]}{more} not scored: no instance of the set has the name of the file{remedy}"
        warnings.warn(said, FileWarning, stacklevel=2)
    seconds = {} if times is None else _times(Path(times), found)
    runs = tuple(_scored(each, set_name, found[each.name], solver, seconds.get(each.name, ())) for each in listed)
    for run in runs:
        if run.outcome == MALFORMED:
            warnings.warn(f"The solution of {run.instance} is not scored: {run.why}", FileWarning, stacklevel=2)
    return Results(runs)


def _file_of(folder: Path, name: str) -> Path | None:
    return next((folder / f"{name}{suffix}" for suffix in SUFFIXES if (folder / f"{name}{suffix}").is_file()), None)


def _times(file: Path, known: Collection[str]) -> dict[str, tuple[float, ...]]:
    """Return the seconds of each instance in a file of times; several lines of one are its repetitions."""
    found: dict[str, tuple[float, ...]] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DomainError("times", str(file), f"it could not be read ({error})", "give a text file") from None
    for number, line in enumerate(lines, 1):
        name, _, seconds = line.strip().rpartition(" ")
        value = as_number(seconds) if name else math.nan
        if not line.strip():
            continue
        if name.strip() not in known or not 0.0 <= value < math.inf:
            rule = "a line is the name of an instance of the set, a space, and its seconds"
            raise DomainError("times", f"{line.strip()!r} in line {number}", rule, "correct it, or leave it out")
        found[name.strip()] = (*found.get(name.strip(), ()), value)
    return found


def _scored(instance: Instance, set_name: str, file: Path | None, solver: str, seconds: tuple[float, ...]) -> Run:
    outcome, why, status, score = "answered", "", "", None
    if file is None:
        outcome, why = "refused", "there is no file of a solution"
    else:
        try:
            answer = read_solution(file, instance.posed.program)
            status, score = answer.status, judged(instance, answer)
        except MechdesignError as error:
            outcome, why = MALFORMED, str(error)
    return Run(
        set_name,
        instance.name,
        instance.form,
        instance.kind,
        solver,
        "",
        0.0,
        outcome,
        why,
        status,
        seconds=seconds,
        score=score,
    )
