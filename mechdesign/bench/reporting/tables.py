"""The tables of a report: by solver, by class of instance, by pair of solvers, by run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

from mechdesign.bench.results import EXCESS, Results
from mechdesign.bench.running.record import Run
from mechdesign.displays import Table
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.files.tables import save_csv, table_of
from mechdesign.question.plain_values import in_json


def by_class(results: Results, accuracy: float, what: Callable[[Run], str], title: str) -> Table:
    """Return the instances that each solver solves, by what `what` says of a run."""
    classes: dict[str, set[str]] = {}
    for run in results.runs:
        classes.setdefault(what(run), set()).add(run.instance)
    times = results.times(accuracy)
    rows = [
        (name, *(f"{len(listed & times[solver].keys())} of {len(listed)}" for solver in results.solvers))
        for name, listed in classes.items()
    ]
    return Table(title, ("class", *results.solvers), tuple(rows), ("class",))


def pairwise(results: Results, accuracy: float) -> Table:
    """Return the number of instances on which the solver of a row is quicker than the solver of a column."""
    wins, names = results.wins(accuracy), results.solvers
    rows = [(first, *("" if first == second else str(wins[first, second]) for second in names)) for first in names]
    return Table(f"Quicker to {accuracy:.0e}: row against column", ("quicker", *names), tuple(rows), ("quicker",))


def privacy(results: Results) -> Table:
    """Return how private the matrices of each solver are as they come, at the finest accuracy asked for."""
    headings = (
        "solver",
        "answers",
        "not private",
        f"by over {EXCESS:g}",
        "comparisons that fail",
        "largest amount",
        "largest excess of the level",
        "negative entries",
        "infinite level",
    )
    return Table("Privacy of the matrices as they come", headings, tuple(_private(results, s) for s in results.solvers))


def _private(results: Results, solver: str) -> tuple[str, ...]:
    finest: dict[str, Run] = {}
    for run in results.of(solver):
        if run.score is not None and (run.instance not in finest or run.accuracy < finest[run.instance].accuracy):
            finest[run.instance] = run
    found = [run.score.privacy for run in finest.values() if run.score is not None and run.score.privacy is not None]
    amounts = [each.amount for each in found if math.isfinite(each.amount)]
    finite = [each.excess for each in found if math.isfinite(each.excess)]
    return (
        solver,
        str(len(found)),
        str(sum(each.violated > 0 for each in found)),
        str(sum(each.far > EXCESS for each in found)),
        f"{sum(each.violated for each in found)} of {sum(each.comparisons for each in found)}",
        f"{max(amounts, default=0.0):.1e}",
        f"{max(finite, default=0.0):.3g}",
        str(sum(each.negative for each in found)),
        str(sum(math.isinf(each.level) for each in found)),
    )


#: The columns of the table of runs, each with what it holds.
COLUMNS: dict[str, Callable[[Run], object]] = {
    "set": lambda run: run.set_name,
    "instance": lambda run: run.instance,
    "form": lambda run: run.form,
    "kind": lambda run: run.kind,
    "solver": lambda run: run.solver,
    "version": lambda run: run.version,
    "accuracy": lambda run: run.accuracy,
    "outcome": lambda run: run.outcome,
    "status": lambda run: run.status,
    "iterations": lambda run: run.iterations,
    "seconds": lambda run: run.least_seconds,
    "slowest_seconds": lambda run: max(run.seconds, default=math.inf),
    "processor_seconds": lambda run: min(run.processor, default=math.inf),
    "warm_up_seconds": lambda run: run.warm_up,
    "peak_mb": lambda run: run.peak,
    "error": lambda run: run.score and run.score.error,
    "bound_error": lambda run: run.score and run.score.bound_error,
    "gap": lambda run: run.score and run.score.gap,
    "infeasibility": lambda run: run.score and run.score.infeasibility,
    "comparisons": lambda run: run.score and run.score.privacy and run.score.privacy.comparisons,
    "violated": lambda run: run.score and run.score.privacy and run.score.privacy.violated,
    "amount": lambda run: run.score and run.score.privacy and run.score.privacy.amount,
    "level": lambda run: run.score and run.score.privacy and run.score.privacy.level,
    "excess": lambda run: run.score and run.score.privacy and run.score.privacy.excess,
    "row_error": lambda run: run.score and run.score.privacy and run.score.privacy.row_error,
    "negative": lambda run: run.score and run.score.privacy and run.score.privacy.negative,
    "faults": lambda run: "; ".join([*(run.score.faults if run.score else ()), *run.notes]),
    "why": lambda run: run.why,
}


#: How the JSON of all numbers starts.
NUMBERS = FileKind("the benchmark's numbers", (".json",), (r'\[\s*\{\s*"set": "',))


def write_numbers(results: Results, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write every number of every run, as comma-separated values where the name ends in .csv, otherwise as JSON.

    Raises
    ------
    DomainError
        A file of another kind is there, or the name promises another format.
    """
    columns = list(COLUMNS)
    if Path(path).suffix == ".csv":
        table_of(columns, "the benchmark's numbers").require_place(path, overwrite=overwrite)
        return save_csv(data_of(results), columns, path)
    NUMBERS.require_place(path, overwrite=overwrite)
    return write(path, json.dumps(in_json(data_of(results), missing=True), indent=1, allow_nan=False))


def data_of(results: Results) -> list[dict[str, object]]:
    """Return every number of every run as plain data."""
    return [{name: column(run) for name, column in COLUMNS.items()} for run in results.runs]
