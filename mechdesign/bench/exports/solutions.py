"""Solutions of exported instances: HiGHS's `.sol`, files of GLPK, CBC and SCIP, lines of names and values, npz."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mechdesign.bench.answer import Answer, Status, checked_answer
from mechdesign.bench.exports.solver_files import as_names_and_values
from mechdesign.bench.program import ConicProgram
from mechdesign.errors import DomainError, OtherFileError, nearest
from mechdesign.parameters.checks import Array

#: The files of a solution, in the order in which they are looked for.
SUFFIXES = (".sol", ".txt", ".npz")
#: Status words of files.
WORDS: dict[str, Status] = {"optimal": "optimal", "infeasible": "infeasible", "unbounded": "unbounded"}
#: A line of a name and a number; a name of ours is x12 or r12.
NAMED = re.compile(r"\s*(\S+)[\s=]+(\S+)\s*")


def read_solution(path: str | Path, program: ConicProgram) -> Answer:
    """Return the answer in a file: HiGHS's `.sol`, lines ``x12 0.5`` and ``r3 -0.1`` for duals, or npz with `x`.

    Of other solvers: what ``glpsol -w`` writes, and solution files of CBC and SCIP. Variables that a file of lines does
    not name are 0, as solvers leave zeros out; all rows or none have duals.

    Raises
    ------
    OtherFileError
        The file cannot be read.
    DomainError
        An unknown name, no number, too few or too many of them: a solution of another instance, or cut.
    """
    source = Path(path)
    if source.suffix == ".npz":
        return _from_npz(source, program)
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OtherFileError(f"{source} cannot be read as a solution ({error}).") from error
    if any(line.startswith("# Primal solution values") for line in lines):
        return _from_highs(source, lines, program)
    return _from_lines(
        source, as_names_and_values(source.name, lines, len(program.cost), program.rows.shape[0]), program
    )


def _from_npz(source: Path, program: ConicProgram) -> Answer:
    try:
        with np.load(source, allow_pickle=False) as held:
            given = {name: held[name] for name in held.files}
    except (OSError, ValueError, EOFError) as error:
        raise OtherFileError(f"{source} cannot be read as an npz file ({error}).") from error
    if "status" in given:
        given["status"] = str(given["status"])
    if "iterations" in given:
        given["iterations"] = int(given["iterations"])
    return checked_answer(given, program)


def _from_lines(source: Path, lines: list[str], program: ConicProgram) -> Answer:
    point, duals = np.zeros(len(program.cost)), np.full(program.rows.shape[0], np.nan)
    status: Status = "unknown"
    for place, line in enumerate(lines, 1):
        text = line.partition("#")[0]
        if not text.strip():
            continue
        if text.strip().lower() in WORDS:
            status = WORDS[text.strip().lower()]
            continue
        name, value = _name_and_value(source, place, text)
        _put(source, place, name, value, point, duals)
    missing = int(np.isnan(duals).sum())
    if 0 < missing < len(duals):
        raise _wrong(source, f"{missing} of {len(duals)} rows have no dual", "write all of them or none")
    return Answer(point, None if missing else duals, status)


def _name_and_value(source: Path, place: int, text: str) -> tuple[str, float]:
    found = NAMED.fullmatch(text)
    try:
        value = float(found[2]) if found else np.nan
    except ValueError:
        value = np.nan
    if found is None or not np.isfinite(value):
        raise _wrong(source, f"line {place} is no name with a finite number: {text.strip()[:40]!r}", "write x12 0.5")
    return found[1], value


def _put(source: Path, place: int, name: str, value: float, point: Array, duals: Array) -> None:
    """Write a value into the variable `x12` or the dual of the row `r12`."""
    held = {"x": point, "r": duals}.get(name[:1])
    number = int(name[1:]) if name[1:].isascii() and name[1:].isdigit() else -1
    if held is None or not 0 <= number < len(held):
        known = [f"x{len(point) - 1}", f"r{len(duals) - 1}"]
        rule = f"line {place} names {name}, and the instance has x0 to {known[0]} and r0 to {known[1]}"
        raise _wrong(source, rule, f"give the solution of this instance; {nearest(name, known)}")
    held[number] = value


def _from_highs(source: Path, lines: list[str], program: ConicProgram) -> Answer:
    """Read the raw style of HiGHS: sections of a status and of named values."""
    sections = {title: list(_section(lines, title)) for title in ("Primal", "Dual")}
    status: Status = next((WORDS[line.strip().lower()] for line in lines if line.strip().lower() in WORDS), "unknown")
    point = _values(source, sections["Primal"], "Columns", len(program.cost))
    if point is None:
        return Answer(status=status)
    return Answer(point, _values(source, sections["Dual"], "Rows", program.rows.shape[0]), status)


def _section(lines: list[str], title: str) -> Iterator[str]:
    inside = False
    for line in lines:
        if line.startswith(("# Primal", "# Dual", "# Basis")):
            inside = line.startswith(f"# {title} solution values")
        elif inside:
            yield line


def _values(source: Path, lines: list[str], what: str, count: int) -> Array | None:
    """Return the values below ``# Columns 36`` or ``# Rows 6``, None where there is no such heading."""
    start = next((place for place, line in enumerate(lines) if line.startswith(f"# {what}")), None)
    if start is None:
        return None
    claimed = int(lines[start].split()[-1])
    if claimed != count:
        rule = f"it has {claimed} {what.lower()} and the instance {count}"
        raise _wrong(source, rule, "give the solution of this instance")
    found = lines[start + 1 : start + 1 + count]
    if len(found) < count or any(line.startswith("#") for line in found):
        raise _wrong(source, f"it ends before its {count} {what.lower()}", "write it again, whole")
    return np.array([_name_and_value(source, start + 2 + k, line)[1] for k, line in enumerate(found)])


def _wrong(source: Path, rule: str, remedy: str) -> DomainError:
    return DomainError("solution", source.name, rule, remedy)
