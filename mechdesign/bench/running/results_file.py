"""The file of results: one line of JSON for each run, appended as it ends, so that a stopped benchmark goes on."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from mechdesign.bench.judging import PrivacyScore, Score
from mechdesign.errors import DomainError, OtherFileError
from mechdesign.files.atomic_writes import refused

FORMAT = "mechdesign bench results"
#: The version of the file's format.
VERSION = 1
#: What stands for a number that JSON does not have.
NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass(frozen=True)
class Run:
    """One solver on one instance, asked for one accuracy.

    Attributes
    ----------
    set_name, instance, form, kind : str
        The set, the instance, its form and the kind of its objective.
    solver, version : str
        The solver and its version.
    accuracy : float
        The tolerance that it was asked for.
    outcome : str
        "answered", or "refused", "raised", "malformed", "out of memory", "timed out", "crashed".
    why : str
        Why there is no answer.
    status : str
        What the solver says of its answer.
    iterations : int or None
        Its iterations.
    seconds, processor : tuple of float
        Wall and processor seconds of each repetition, without the warm-up.
    warm_up : float
        Seconds of the first call, on a program of two inputs.
    peak : float
        The most memory that the run took, in MB.
    score : Score or None
        What the answer is worth.
    notes : tuple of str
        What the solver did besides.
    """

    set_name: str
    instance: str
    form: str
    kind: str
    solver: str
    version: str
    accuracy: float
    outcome: str
    why: str = ""
    status: str = ""
    iterations: int | None = None
    seconds: tuple[float, ...] = ()
    processor: tuple[float, ...] = ()
    warm_up: float = 0.0
    peak: float = 0.0
    score: Score | None = None
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, float]:
        """What makes it another run: set, instance, solver and accuracy."""
        return self.set_name, self.instance, self.solver, self.accuracy

    @property
    def least_seconds(self) -> float:
        """The quickest repetition's wall time; infinite where there is none."""
        return min(self.seconds, default=math.inf)

    def to_line(self) -> str:
        """Return the run as a line of JSON."""
        return json.dumps(_with_words({"record": "run", **asdict(self)}), allow_nan=False)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Run:
        """Return the run that a line of JSON holds."""
        given = {each.name: data[each.name] for each in fields(cls)}
        for name in ("seconds", "processor", "notes"):
            given[name] = tuple(given[name])
        score = given["score"]
        if score is not None:
            privacy = score["privacy"]
            whole = {**score, "faults": tuple(score["faults"])}
            given["score"] = Score(**{**whole, "privacy": None if privacy is None else PrivacyScore(**privacy)})
        return cls(**given)


def machine() -> dict[str, Any]:
    """Return what a reader needs to know of the machine: no names, no paths."""
    return {
        "record": "machine",
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


class ResultsFile:
    """A file of results that is read once and appended to."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.runs: list[Run] = []
        if self.path.exists() and self.path.stat().st_size:
            self.runs = read_runs(self.path, repair=True)
            self._append(machine())
        else:
            self._write("w", {"record": "header", "format": FORMAT, "version": VERSION})
            self._append(machine())

    def add(self, run: Run) -> None:
        """Append `run` and force it to the disk."""
        self.runs.append(run)
        self._line(run.to_line())

    def _append(self, data: dict[str, Any]) -> None:
        self._line(json.dumps(data))

    def _line(self, line: str) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise refused(self.path, error) from None

    def _write(self, mode: str, data: dict[str, Any]) -> None:
        try:
            with self.path.open(mode, encoding="utf-8") as file:
                file.write(json.dumps(data) + "\n")
        except OSError as error:
            raise refused(self.path, error) from None


def read_runs(path: str | Path, *, repair: bool = False) -> list[Run]:
    """Return the runs of a file of results, in its order.

    A last line that was cut when a run was stopped does not count; with `repair` it is removed from the file.

    Raises
    ------
    OtherFileError
        No file of results, or of another version.
    DomainError
        A line that cannot be read.
    """
    source = Path(path)
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OtherFileError(f"{source} cannot be read as a file of results ({error}).") from error
    whole, _, cut = text.rpartition("\n")
    lines = whole.splitlines()
    _require_header(source, lines)
    if cut and repair:
        os.truncate(source, len(f"{whole}\n".encode()))
    return list(_runs_in(source, lines[1:]))


def _runs_in(source: Path, lines: list[str]) -> Iterable[Run]:
    for place, line in enumerate(lines, 2):
        try:
            data = _with_numbers(json.loads(line))
            if data["record"] == "run":
                yield Run.from_data(data)
        except (ValueError, KeyError, TypeError) as error:
            rule = f"line {place} is no run ({type(error).__name__}: {error})"
            raise DomainError("results", str(source), rule, "delete the line, and run it again") from error


def _require_header(source: Path, lines: list[str]) -> None:
    try:
        header = json.loads(lines[0])
        found = header["format"], header["version"]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise OtherFileError(f"{source} is no file of results: choose another file.") from error
    if found[0] != FORMAT:
        raise OtherFileError(f"{source} is no file of results: choose another file.")
    if found[1] != VERSION:
        raise OtherFileError(
            f"{source} is of version {found[1]} and this is version {VERSION}: run the benchmark again, or read it "
            f"with the mechdesign that wrote it."
        )


def _with_words(data: Any) -> Any:
    """Return plain data with words for the numbers that JSON does not have."""
    if isinstance(data, dict):
        return {name: _with_words(each) for name, each in data.items()}
    if isinstance(data, list | tuple):
        return [_with_words(each) for each in data]
    if isinstance(data, float) and not math.isfinite(data):
        return {"number": str(float(data))}
    return data


def _with_numbers(data: Any) -> Any:
    if isinstance(data, dict):
        if set(data) == {"number"}:
            return NUMBERS[data["number"]]
        return {name: _with_numbers(each) for name, each in data.items()}
    return [_with_numbers(each) for each in data] if isinstance(data, list) else data
