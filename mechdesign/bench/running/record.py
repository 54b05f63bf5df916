"""What is kept of one run: a row in a file of results, appended as it ends, so that a stopped benchmark goes on."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from operator import itemgetter
from pathlib import Path
from typing import Any

from mechdesign.bench.judging import PrivacyScore, Score
from mechdesign.files.rows import RowFormat, read_rows

#: The texts for numbers that JSON does not have.
NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass(frozen=True)
class Conditions:
    """Under what conditions a run was made.

    Attributes
    ----------
    sets_version : int
        The version of the sets of instances.
    time_limit, memory : float
        Seconds and GB that it was given.
    jobs : int
        How many runs went on beside each other.
    machine : str
        System, processor, number of cores and version of Python: no names, no paths.
    """

    sets_version: int
    time_limit: float
    memory: float
    jobs: int
    machine: str

    def __str__(self) -> str:
        beside = (
            "one run at a time" if self.jobs == 1 else f"{self.jobs} runs beside each other, times of a shared machine"
        )
        return f"{self.time_limit:g} s and {self.memory:g} GB for each run, {beside}; {self.machine}"


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
    conditions : Conditions or None
        Under what conditions; None for a solution that was found elsewhere.
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
    conditions: Conditions | None = None

    @property
    def key(self) -> tuple[str, str, str, float]:
        """What makes it another run: set, instance, solver and accuracy."""
        return self.set_name, self.instance, self.solver, self.accuracy

    def stands(self, version: str, asked: Conditions) -> bool:
        """Return whether the run is still valid for a version of the solver and the conditions that are asked for.

        It is not where the solver or the instances are of another version, or where it ended at a limit that is wider
        now.
        """
        given = self.conditions
        if given is None or self.version != version or given.sets_version != asked.sets_version:
            return False
        slower = self.outcome == "timed out" and given.time_limit < asked.time_limit
        return not slower and not (self.outcome == "out of memory" and given.memory < asked.memory)

    @property
    def least_seconds(self) -> float:
        """The wall time of the quickest repetition; infinite if no repetition ended."""
        return min(self.seconds, default=math.inf)

    def to_row(self) -> dict[str, Any]:
        """Return the run as plain data without infinite numbers."""
        row: dict[str, Any] = _with_words(asdict(self))
        return row

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Run:
        """Return the run that plain data hold."""
        data = _with_numbers(dict(row))
        given = {each.name: data[each.name] for each in fields(cls)}
        for name in ("seconds", "processor", "notes"):
            given[name] = tuple(given[name])
        score = given["score"]
        if score is not None:
            privacy = score["privacy"]
            whole = {**score, "faults": tuple(score["faults"])}
            given["score"] = Score(**{**whole, "privacy": None if privacy is None else PrivacyScore(**privacy)})
        if given["conditions"] is not None:
            given["conditions"] = Conditions(**given["conditions"])
        return cls(**given)


def machine() -> str:
    """Return what a reader needs to know of the machine: no names, no paths."""
    python = f"Python {platform.python_version()}"
    return f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores, {python}"


#: The format of a file of results; of several runs of a solver on an instance at one accuracy, the last counts.
RUNS = RowFormat("mechdesign benchmark", 1, "benchmark", itemgetter("set_name", "instance", "solver", "accuracy"))


def fault(row: Mapping[str, Any]) -> str | None:
    """Return why a row of a file is no run, None where it is one."""
    try:
        Run.from_row(row)
    except (ValueError, KeyError, TypeError) as error:
        return f"it is no run ({type(error).__name__}: {error})"
    return None


def read_runs(path: str | Path) -> list[Run]:
    """Return the runs of a file of results; a last line that was cut does not count.

    Raises
    ------
    OtherFileError
        No file of results, or of another version.
    DomainError
        A line that was damaged.
    """
    return [Run.from_row(row) for row in read_rows(path, RUNS, fault)]


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
