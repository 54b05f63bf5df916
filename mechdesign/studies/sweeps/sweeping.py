"""Many questions at once: every problem with every notion, objective and level, over processes, into one table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from mechdesign.designing.answer import answered
from mechdesign.designing.settings import Settings, all_but
from mechdesign.errors import (
    CertificateError,
    DomainError,
    FileWarning,
    InfeasibleError,
    MechdesignError,
    SolverError,
    UnsupportedError,
)
from mechdesign.files.appended_rows import AppendedRows
from mechdesign.files.rows import RowFormat
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import truth, whole
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import now
from mechdesign.runtime.pooling import outcomes
from mechdesign.runtime.progress import Bar
from mechdesign.studies.frontier import Levels, at_level
from mechdesign.studies.sweeps.asking import Asked, asked_of, header, names, require_travel
from mechdesign.studies.sweeps.table import CERTIFIED, Sweep, SweepRow
from mechdesign.studies.sweeps.verifying import alike, fault, same_numbers
from mechdesign.tolerances import GAP

#: The keywords of `design` that a sweep passes on; what is a function has no place in a results file.
KEYWORDS = all_but("within", "subject_to", "verbose", "solver_verbose", "theorems", "proof")
#: The rows of a results file; those of version 1 have no checksum.
ROWS = RowFormat("mechdesign sweep", 2, "sweep", itemgetter("index"))
#: The status of a row by the error that was raised.
STATUS: dict[type[BaseException], str] = {
    DomainError: "bad input",
    InfeasibleError: "infeasible",
    UnsupportedError: "unsupported",
    SolverError: "solver failed",
    CertificateError: "no certificate",
}
SHORT, DIED = "gap wider than asked", "worker died"


def sweep(
    problems: Problem | Sequence[Problem] | Mapping[str, Problem],
    notions: Notion | type[Notion] | Sequence[Notion | type[Notion]],
    objectives: Objective | Sequence[Objective],
    levels: Sequence[Levels] | None = None,
    *,
    n_jobs: int | None = -1,
    path: str | Path | None = None,
    verify: bool = False,
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
        Of the notions; without them each is taken as it is.
    n_jobs : int, optional
        Processes, as joblib takes it (-1 for all cores). Within ``joblib.parallel_config(backend="dask")`` or
        ``"ray"`` that backend runs the sweep (extras ``dask``, ``ray``), and with ``n_jobs=None`` chooses the number.
    path : str or Path, optional
        A results file: one line for each finished row. A sweep that was killed goes on from it.
    verify : bool
        Design every row that the file holds again: what is returned, and from then on in the file, are numbers of this
        run. Rows that differ by more than rounding are warned of; what a time limit ended may do so without fault.
        Without it the rows of the file are taken as they are: their checksums show damage, not a row that was changed
        on purpose and sealed again.
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
        A keyword that there is none of, or a value outside its domain; a results file that is in use or holds
        something else, or none to verify.
    WriteError
        The results file cannot be written; what it holds is whole.

    Warns
    -----
    FileWarning
        Rows of the results file, by line or index, that were damaged or came out otherwise, and were replaced.

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
    _check(keywords, n_jobs, path, verify)
    truth("progress", progress)
    asked = asked_of(problems, notions, objectives, levels, {"threads": 1, **keywords})
    if n_jobs != 1:
        require_travel(asked)
    rows: dict[int, SweepRow] = {}
    otherwise: list[int] = []
    with ExitStack() as stack:
        file = None
        if path is not None:
            file = stack.enter_context(AppendedRows(Path(path), ROWS, header(asked), partial(fault, asked)))
            rows = {row["index"]: SweepRow.from_line(row) for row in file.held.values()}
            _warn(file.mended)
        finished = set() if verify else set(rows)
        advance = stack.enter_context(Bar("designs", len(asked), len(finished), progress))
        todo = {each.index: each for each in asked if each.index not in finished}
        try:
            for index, row, died in outcomes(_row, todo, n_jobs):
                made = row if died is None else _failed(todo[index], DIED, died, math.nan)
                if index in rows and same_numbers(rows[index], made):
                    advance()
                    continue
                otherwise += [index] if index in rows and not alike(rows[index], made) else []
                rows[index] = made
                if file is not None:
                    file.append(made.to_line())
                advance()
        except KeyboardInterrupt:
            # What is done is kept: in the file, and in what is returned.
            pass
    listed = ", ".join(map(str, sorted(otherwise)))
    _warn(f"{path}: rows {listed} did not come out again and were replaced." if otherwise else "")
    return Sweep(tuple(rows[index] for index in sorted(rows)), len(asked))


def _check(keywords: Mapping[str, Any], n_jobs: Any, path: Any, verify: Any) -> None:
    Settings.of(keywords, KEYWORDS, "a sweep")
    if n_jobs is not None and whole("n_jobs", n_jobs, -(2**31)) == 0:
        raise DomainError("n_jobs", 0, "some process has to do it", "give 1, or -1 for all cores")
    if truth("verify", verify) and path is None:
        raise DomainError("verify", verify, "there is no results file to verify", "give path")
    if path is not None and not isinstance(path, str | Path):
        raise DomainError("path", path, "it has to be the path of a file", "give a str or a Path")


def _warn(said: str) -> None:
    """Warn the caller of `sweep` of what was found in the results file, if anything."""
    if said:
        warnings.warn(said, FileWarning, stacklevel=3)


def _row(asked: Asked) -> SweepRow:
    """Return the row of one question; whatever is raised is its reason."""
    started = now()
    try:
        notion = asked.notion if asked.level is None else at_level(asked.notion, asked.level)
        made = answered(asked.problem, notion, asked.objective, Settings(**asked.keywords))
    except MechdesignError as error:
        status = next((said for kind, said in STATUS.items() if isinstance(error, kind)), "failed")
        return _failed(asked, status, str(error), now() - started)
    except Exception as error:  # noqa: BLE001 - in a sweep of days no question may take the others along
        return _failed(asked, "failed", f"{type(error).__name__}: {error}", now() - started)
    if made.interrupted:
        # Half a search is no row: it is done again when the sweep goes on.
        raise KeyboardInterrupt
    gap = float(asked.keywords.get("gap", GAP))
    enough = made.gap <= gap
    return SweepRow(
        *names(asked),
        made.value,
        made.bound,
        made.gap,
        made.mechanism.used_outputs,
        CERTIFIED if enough else SHORT,
        made.shortfall(gap) or "",
        made.route,
        made.solver_stats.name,
        now() - started,
    )


def _failed(asked: Asked, status: str, reason: str, seconds: float) -> SweepRow:
    return SweepRow(*names(asked), math.nan, math.nan, math.nan, 0, status, reason, "-", "-", seconds)
