"""Many questions at once: every problem with every notion, objective and level, over processes, into one table."""

from __future__ import annotations

import hashlib
import json
import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.answering import answered
from mechdesign.domains import entries, number
from mechdesign.errors import (
    CertificateError,
    DomainError,
    InfeasibleError,
    MechdesignError,
    SolverError,
    UnsupportedError,
    nearest,
)
from mechdesign.frontiers import Levels, at_level
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.pooling import outcomes
from mechdesign.problem import Problem
from mechdesign.question import in_json, member_to_dict, problem_to_dict
from mechdesign.results_file import ResultsFile
from mechdesign.tables import as_pandas, as_polars, save_csv
from mechdesign.tolerances import GAP
from mechdesign.version import VERSION

#: The keywords of `design` that a sweep passes on; what is a function has no place in a results file.
KEYWORDS = ("route", "outputs", "solver", "gap", "time_limit", "memory_limit", "threads")
#: How a row ends, by what was raised.
STATUS: dict[type[BaseException], str] = {
    DomainError: "bad input",
    InfeasibleError: "infeasible",
    UnsupportedError: "unsupported",
    SolverError: "solver failed",
    CertificateError: "no certificate",
}
CERTIFIED, SHORT, DIED = "certified", "gap wider than asked", "worker died"


@dataclass(frozen=True)
class SweepRow:
    """One question of a sweep and what came of it; numbers are NaN where there is no design."""

    #: Its place in the product of problems, notions, objectives and levels, the last quickest.
    index: int
    #: The problem's name, or its place.
    problem: str
    n: int
    notion: str
    objective: str
    #: As it was asked for: one number, one for each part of the notion, or None for the notion as it is.
    level: float | tuple[float, ...] | None
    value: float
    bound: float
    gap: float
    outputs: int
    #: "certified", "gap wider than asked", "infeasible", "unsupported", "bad input", "solver failed", "failed", ...
    status: str
    #: The sentence that says why the row is not certified.
    reason: str
    route: str
    solver: str
    seconds: float


COLUMNS = tuple(field.name for field in fields(SweepRow))
NUMBERS = ("value", "bound", "gap")


@dataclass(frozen=True)
class Sweep(Sequence[SweepRow]):
    """The rows of a sweep in the order of the product, whatever order they finished in."""

    rows: tuple[SweepRow, ...]
    #: How many there are to be; fewer rows where the sweep was interrupted.
    asked: int

    def __getitem__(self, index: int) -> SweepRow:  # type: ignore[override] # slices are not offered
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SweepRow]:
        return iter(self.rows)

    @property
    def complete(self) -> bool:
        """Whether every question has its row."""
        return len(self.rows) == self.asked

    @property
    def failures(self) -> tuple[SweepRow, ...]:
        """The rows that are not certified, each with its reason."""
        return tuple(row for row in self.rows if row.status != CERTIFIED)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame (needs the extra ``tables``)."""
        return as_pandas(self._plain(), COLUMNS)

    def to_polars(self) -> Any:
        """Return a polars DataFrame (needs the extra ``tables``)."""
        return as_polars(self._plain(), COLUMNS)

    def save(self, path: str | Path) -> Path:
        """Write the rows as CSV and return the path."""
        return save_csv(self._plain(), COLUMNS, path)

    def _plain(self) -> list[dict[str, Any]]:
        several = any(isinstance(row.level, tuple) for row in self.rows)
        return [asdict(row) | ({"level": str(row.level)} if several else {}) for row in self.rows]


@dataclass(frozen=True)
class _Asked:
    """One question as it travels to a worker; its notion is made there, so that a bad level fails one row only."""

    index: int
    name: str
    problem: Problem
    notion: Any
    objective: Objective
    level: Levels | None
    keywords: dict[str, Any]


def sweep(
    problems: Problem | Sequence[Problem] | Mapping[str, Problem],
    notions: Notion | type[Notion] | Sequence[Notion | type[Notion]],
    objectives: Objective | Sequence[Objective],
    epsilons: Sequence[Levels] | None = None,
    *,
    n_jobs: int | None = -1,
    path: str | Path | None = None,
    progress: bool = True,
    **keywords: Any,
) -> Sweep:
    """Design for every problem, notion, objective and level, over processes, failures among the rows.

    Parameters
    ----------
    problems : Problem, sequence or mapping of Problem
        A mapping gives them names.
    notions : Notion or class, or sequence of them
        Each is taken at each level.
    objectives : Objective or sequence of Objective
        What has to stay useful.
    epsilons : sequence of float, optional
        The levels; without them each notion is taken as it is.
    n_jobs : int, optional
        Processes, as joblib takes it (-1 for all cores). Within ``joblib.parallel_config(backend="dask")`` or
        ``"ray"`` that backend runs the sweep (extras ``dask``, ``ray``), and with ``n_jobs=None`` chooses the number.
    path : str or Path, optional
        A results file: one line for each finished row. A sweep that was killed goes on from it.
    progress : bool
        A bar on stderr, where that is a terminal.
    **keywords
        ``route``, ``outputs``, ``solver``, ``gap``, ``time_limit`` and ``memory_limit`` (each row's) and ``threads`` (1
        by default, for each process), as for `design`.

    Returns
    -------
    Sweep
        A row for each question in a fixed order; fewer after Ctrl-C.

    Raises
    ------
    DomainError
        A keyword that there is none of, or a results file that is in use or holds something else.

    Notes
    -----
    A worker that dies (out of memory, say) costs its own row alone. The rows that were running beside it are computed
    once more; rows in the file never are.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    >>> table = md.sweep(problem, [md.LDP, md.LIP], md.MMSE(), [0.5, -1.0], n_jobs=1)
    >>> [row.status for row in table]
    ['certified', 'bad input', 'certified', 'bad input']
    """
    for name, value in keywords.items():
        if name not in KEYWORDS:
            raise DomainError(name, value, "a sweep has no such keyword", nearest(name, KEYWORDS))
    asked = _product(problems, notions, objectives, epsilons, {"threads": 1, **keywords})
    rows: dict[int, SweepRow] = {}
    with ExitStack() as stack:
        file = None
        if path is not None:
            file = stack.enter_context(ResultsFile(Path(path), _header(asked)))
            rows = {index: _from_line(row) for index, row in file.held.items()}
        advance = stack.enter_context(_Bar(len(asked), len(rows), progress))
        todo = {each.index: each for each in asked if each.index not in rows}
        try:
            for index, row, died in outcomes(_row, todo, n_jobs):
                rows[index] = row if died is None else _failed(todo[index], DIED, died, math.nan)
                if file is not None:
                    file.append(_to_line(rows[index]))
                advance()
        except KeyboardInterrupt:
            # What is done is kept: in the file, and in what is returned.
            pass
    return Sweep(tuple(rows[index] for index in sorted(rows)), len(asked))


def _product(
    problems: Any, notions: Any, objectives: Any, epsilons: Any, keywords: dict[str, Any]
) -> tuple[_Asked, ...]:
    if isinstance(problems, Mapping):
        named = [(str(name), problem) for name, problem in problems.items()]
    else:
        named = [(str(place), problem) for place, problem in enumerate(_several("problems", problems, Problem))]
    levels: tuple[Any, ...] = (None,)
    if epsilons is not None:
        given = entries("epsilons", epsilons, "it has to be a sequence of levels", "give a list")
        levels = tuple(_level(f"epsilons[{place}]", level) for place, level in enumerate(given))
    every = product(named, _several("notions", notions, Notion), _several("objectives", objectives, Objective), levels)
    return tuple(
        _Asked(index, name, problem, notion, objective, level, keywords)
        for index, ((name, problem), notion, objective, level) in enumerate(every)
    )


def _level(argument: str, level: Any) -> Levels:
    """Return the level as numbers; whether they are in the notion's domain is for each row to find."""
    if isinstance(level, tuple | list):
        return tuple(number(argument, part) for part in level)
    return number(argument, level)


def _several(argument: str, given: Any, kind: type) -> tuple[Any, ...]:
    """Return one or several of `kind` (or, of notions, classes) as a tuple."""
    alone = isinstance(given, kind | type)
    found = (given,) if alone else entries(argument, given, f"it has to be one {kind.__name__} or several", "give them")
    for place, each in enumerate(found):
        is_class = kind is Notion and isinstance(each, type) and issubclass(each, Notion)
        if not isinstance(each, kind) and not is_class:
            raise DomainError(f"{argument}[{place}]", each, f"it has to be a {kind.__name__}", "give one")
    return found


def _row(asked: _Asked) -> SweepRow:
    """Return the row of one question; whatever is raised is its reason."""
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notion = asked.notion if asked.level is None else at_level(asked.notion, asked.level)
            made = answered(asked.problem, notion, asked.objective, **asked.keywords)
    except MechdesignError as error:
        status = next((said for kind, said in STATUS.items() if isinstance(error, kind)), "failed")
        return _failed(asked, status, str(error), time.perf_counter() - started)
    except Exception as error:  # noqa: BLE001 - in a sweep of days no question may take the others along
        return _failed(asked, "failed", f"{type(error).__name__}: {error}", time.perf_counter() - started)
    gap = float(asked.keywords.get("gap", GAP))
    enough = made.gap <= gap
    return SweepRow(
        *_names(asked),
        made.value,
        made.bound,
        made.gap,
        int(np.count_nonzero(made.matrix.max(axis=0))),
        CERTIFIED if enough else SHORT,
        "" if enough else made.shortfall(gap),
        made.route,
        made.solver_stats.name,
        time.perf_counter() - started,
    )


def _names(asked: _Asked) -> tuple[int, str, int, str, str, Levels | None]:
    notion = asked.notion.__name__ if isinstance(asked.notion, type) else asked.notion.name
    return asked.index, asked.name, asked.problem.n, notion, str(asked.objective), asked.level


def _failed(asked: _Asked, status: str, reason: str, seconds: float) -> SweepRow:
    return SweepRow(*_names(asked), math.nan, math.nan, math.nan, 0, status, reason, "-", "-", seconds)


def _header(asked: tuple[_Asked, ...]) -> dict[str, Any]:
    """Return what a results file is of: the version, how many rows, and a hash of every question."""
    digest = hashlib.sha256()
    for each in asked:
        notion = each.notion.__name__ if isinstance(each.notion, type) else member_to_dict(each.notion)
        said = [
            each.name,
            problem_to_dict(each.problem),
            notion,
            member_to_dict(each.objective),
            each.level,
            each.keywords,
        ]
        digest.update(json.dumps(in_json(said), sort_keys=True, default=repr).encode())
    return {"mechdesign": VERSION, "rows": len(asked), "sweep": f"sha256:{digest.hexdigest()}"}


def _to_line(row: SweepRow) -> dict[str, Any]:
    """Return the row as JSON has it: no word for NaN but null, and infinity as text."""
    plain: dict[str, Any] = in_json(asdict(row))
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in plain.items()}


def _from_line(line: Mapping[str, Any]) -> SweepRow:
    level = line["level"]
    numbers = {name: math.nan if line[name] is None else float(line[name]) for name in (*NUMBERS, "seconds")}
    return SweepRow(**{**line, **numbers, "level": tuple(level) if isinstance(level, list) else level})


class _Bar:
    """A bar on stderr, counting rows; none where that is no terminal. Called once for each row."""

    def __init__(self, total: int, done: int, wanted: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        columns = (TextColumn("designs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        shown = wanted and console.is_terminal
        self._bar = Progress(*columns, console=console, transient=True, disable=not shown)
        self._task = self._bar.add_task("designs", total=total, completed=done)

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self) -> None:
        self._bar.advance(self._task)
