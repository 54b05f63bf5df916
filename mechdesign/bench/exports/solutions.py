"""Solutions of exported instances: HiGHS's `.sol`, files of GLPK, CBC and SCIP, lines of names and values, npz."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from mechdesign.bench.answer import Answer, Status, checked_answer
from mechdesign.bench.exports.solver_files import as_names_and_values, place_of
from mechdesign.bench.program import ConicProgram
from mechdesign.errors import DomainError, OtherFileError, nearest
from mechdesign.parameters.checks import Array, first_repeated

#: The files of a solution, in the order in which they are looked for.
SUFFIXES = (".sol", ".txt", ".npz")
#: Status words of files.
WORDS: dict[str, Status] = {"optimal": "optimal", "infeasible": "infeasible", "unbounded": "unbounded"}
#: A file is read up to this many bytes, and so many for each variable and row.
LEAST_BYTES, BYTES_EACH = 1 << 20, 1 << 10
#: What is said to whoever gives a file of something else.
OF_THIS_INSTANCE = "give the solution of this instance"
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
        An unknown name, or one named twice, no number, too few or too many of them: a solution of another instance, or
        cut; a file far larger than a solution is.
    """
    source = Path(path)
    most = LEAST_BYTES + BYTES_EACH * (len(program.cost) + program.rows.shape[0])
    if source.is_file() and source.stat().st_size > most:
        raise _wrong(source, f"it has more than {most} bytes, too many for a solution", OF_THIS_INSTANCE)
    if source.suffix == ".npz":
        return _from_npz(source, program, most)
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OtherFileError(f"{source} cannot be read as a solution ({error}).") from error
    if any(line.startswith("# Primal solution values") for line in lines):
        return _from_highs(source, lines, program)
    return _from_lines(
        source, as_names_and_values(source.name, lines, len(program.cost), program.rows.shape[0]), program
    )


def _from_npz(source: Path, program: ConicProgram, most: int) -> Answer:
    try:
        given = _arrays(source, most)
        if "status" in given:
            given["status"] = str(given["status"])
        if "iterations" in given:
            given["iterations"] = int(given["iterations"])
    except Exception as error:
        # A damaged archive fails in a dozen ways.
        raise OtherFileError(f"{source} cannot be read as an npz file ({error}).") from error
    return checked_answer(given, program)


def _arrays(source: Path, most: int) -> dict[str, Any]:
    """Return the arrays of an npz file by name."""
    with zipfile.ZipFile(source) as held:
        members = {info.filename.removesuffix(".npy"): info for info in held.infolist()}
        names = [info.filename for info in held.infolist()]
        if len(set(names)) < len(names):
            raise ValueError(f"it has {first_repeated(names)} twice")
        return {name: _array(held, info, most) for name, info in members.items()}


def _array(held: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> Array:
    """Return an array of the archive; raise ValueError before anything larger than `most` bytes is allocated."""
    with held.open(info) as file:
        data = file.read(most + 1)
    stream = io.BytesIO(data)
    header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(npy.read_magic(stream))
    if header is None:
        raise ValueError(f"{info.filename} is of a format that solutions do not need")
    shape, _, kind = header(stream)
    if len(data) > most or math.prod(shape) * max(kind.itemsize, 1) > len(data):
        raise ValueError(f"{info.filename} claims the shape {shape}, and has not the numbers for it")
    return np.asarray(npy.read_array(io.BytesIO(data), allow_pickle=False))


def _from_lines(source: Path, lines: list[str], program: ConicProgram) -> Answer:
    point, duals = np.full(len(program.cost), np.nan), np.full(program.rows.shape[0], np.nan)
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
    if np.all(np.isnan(point)):
        if status in ("infeasible", "unbounded"):
            return Answer(status=status)
        # Rows of a mechanism sum to one: nothing is solved by zeros alone.
        raise _wrong(source, "it names no variable", "write a line for each variable that is not 0, as x12 0.5")
    return Answer(np.nan_to_num(point), None if missing else duals, status)


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
    number = place_of(name[1:])
    if held is None or number is None or number >= len(held):
        known = [f"x{len(point) - 1}", f"r{len(duals) - 1}"]
        rule = f"line {place} names {name[:40]}, and the instance has x0 to {known[0]} and r0 to {known[1]}"
        raise _wrong(source, rule, f"{OF_THIS_INSTANCE}; {nearest(name[:40], known)}")
    if not np.isnan(held[number]):
        raise _wrong(source, f"line {place} names {name} a second time", "give one value of each")
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
    claimed = lines[start].split()[-1]
    if place_of(claimed) != count:
        rule = f"it has {claimed[:40]} {what.lower()} and the instance {count}"
        raise _wrong(source, rule, OF_THIS_INSTANCE)
    found = lines[start + 1 : start + 1 + count]
    if len(found) < count or any(line.startswith("#") for line in found):
        raise _wrong(source, f"it ends before its {count} {what.lower()}", "write it again, whole")
    given = [_name_and_value(source, start + 2 + k, line) for k, line in enumerate(found)]
    names = [name for name, _ in given]
    if len(set(names)) < len(names):
        raise _wrong(source, f"it names {first_repeated(names)[:40]} a second time", "give one value of each")
    return np.array([value for _, value in given])


def _wrong(source: Path, rule: str, remedy: str) -> DomainError:
    return DomainError("solution", source.name, rule, remedy)
