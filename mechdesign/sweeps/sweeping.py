"""Many questions at once: every problem with every notion, objective and level, over processes, into one table."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.answering import answered
from mechdesign.deprecation import LEVELS
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
from mechdesign.problem import Problem
from mechdesign.progress import Bar
from mechdesign.question import in_json, member_to_dict, problem_to_dict
from mechdesign.sweeps.pooling import outcomes
from mechdesign.sweeps.results_file import ResultsFile
from mechdesign.sweeps.table import CERTIFIED, Sweep, SweepRow
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
SHORT, DIED = "gap wider than asked", "worker died"


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
    levels: Sequence[Levels] | None = None,
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
    levels : sequence of float, optional
        Of the notions; without them each is taken as it is. ``epsilons``, their former name, works until 0.3.0.
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
    levels = LEVELS.taken(levels, keywords)
    for name, value in keywords.items():
        if name not in KEYWORDS:
            raise DomainError(name, value, "a sweep has no such keyword", nearest(name, KEYWORDS))
    asked = _product(problems, notions, objectives, levels, {"threads": 1, **keywords})
    rows: dict[int, SweepRow] = {}
    with ExitStack() as stack:
        file = None
        if path is not None:
            file = stack.enter_context(ResultsFile(Path(path), _header(asked)))
            rows = {index: SweepRow.from_line(row) for index, row in file.held.items()}
        advance = stack.enter_context(Bar("designs", len(asked), len(rows), progress))
        todo = {each.index: each for each in asked if each.index not in rows}
        try:
            for index, row, died in outcomes(_row, todo, n_jobs):
                rows[index] = row if died is None else _failed(todo[index], DIED, died, math.nan)
                if file is not None:
                    file.append(rows[index].to_line())
                advance()
        except KeyboardInterrupt:
            # What is done is kept: in the file, and in what is returned.
            pass
    return Sweep(tuple(rows[index] for index in sorted(rows)), len(asked))


def _product(problems: Any, notions: Any, objectives: Any, levels: Any, keywords: dict[str, Any]) -> tuple[_Asked, ...]:
    if isinstance(problems, Mapping):
        named = [(str(name), problem) for name, problem in problems.items()]
    else:
        named = [(str(place), problem) for place, problem in enumerate(_several("problems", problems, Problem))]
    taken: tuple[Any, ...] = (None,)
    if levels is not None:
        given = entries("levels", levels, "it has to be a sequence of levels", "give a list")
        taken = tuple(_level(f"levels[{place}]", level) for place, level in enumerate(given))
    every = product(named, _several("notions", notions, Notion), _several("objectives", objectives, Objective), taken)
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
