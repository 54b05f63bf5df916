"""Every solver on every instance of a set, each run in a process of its own."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from multiprocessing import get_all_start_methods
from pathlib import Path

from mechdesign.bench.results import Results
from mechdesign.bench.running.child import Order
from mechdesign.bench.running.one_run import Asked, run_of
from mechdesign.bench.running.record import RUNS, Conditions, Run, fault, machine
from mechdesign.bench.sets import SETS_VERSION, instances
from mechdesign.bench.solvers import Own, solvers_named
from mechdesign.errors import DomainError, FileWarning, UnsupportedError
from mechdesign.files.appended_rows import AppendedRows
from mechdesign.parameters.checks import whole
from mechdesign.runtime.pooling import outcomes, processes

#: The tolerances that every solver is asked for, one after another.
ACCURACIES = (1e-4, 1e-7, 1e-9)


def run(
    set_name: str = "small",
    solvers: Sequence[str] = ("HIGHS", "HIGHS-IPM", "CLARABEL", "SCS", "MECHDESIGN"),
    *,
    output: str | Path | None = None,
    accuracies: Sequence[float] = ACCURACIES,
    time_limit: float = 10.0,
    memory: float = 4.0,
    repeats: int = 1,
    n_jobs: int | None = 1,
    every: int = 1,
    progress: Callable[[Run, int, int], None] | None = None,
) -> Results:
    """Run solvers on the instances of a set and score what they return.

    Each run is a process of its own with one thread, a time limit and a memory limit. What a solver says of its answer
    is kept and not believed: scores are found from its point and its multipliers alone.

    Parameters
    ----------
    set_name : str
        A name of `SETS`: "small", "medium", "large" or "hard".
    solvers : sequence of str
        Names of `known_solvers`, or ``name=module:function`` for a callable of one's own.
    output : str or path, optional
        A file to which each run is appended as it ends. Runs that it holds already are not run again, unless the
        solver or the instances are of another version, or a run ended at a limit that is wider now.
    accuracies : sequence of float
        The tolerances that each solver is asked for, each in a run of its own.
    time_limit : float
        Seconds for each run.
    memory : float
        GB for each run, on Linux.
    repeats : int
        How often a run shorter than a second is repeated in its process.
    n_jobs : int or None
        How many runs go on beside each other, as joblib takes it; with more than one, times are those of a machine that
        is shared. None: as ``joblib.parallel_config`` says. Workers of Dask start the processes of the runs where its
        ``distributed.worker.daemon`` is False.
    every : int
        Take every so many instances of the set, from the first on.
    progress : callable, optional
        Called after each run with the run, its number and the number of all.

    Returns
    -------
    Results
        All runs of the file, or of this call where there is no file; after Ctrl-C those that ended before.

    Raises
    ------
    DomainError
        Another name of a set or a solver, a module without that function; a limit that is not positive; `output`
        is another file, or in use.
    WriteError
        `output` cannot be written.
    UnsupportedError
        The system cannot start processes as the benchmark does: on Windows.

    Warns
    -----
    FileWarning
        Lines of `output` that were damaged; their runs are made again.

    Examples
    --------
    >>> from mechdesign import bench
    >>> found = bench.run("small", ["HIGHS"], accuracies=[1e-9], every=20)  # doctest: +SKIP
    >>> found.solved(1e-6)  # doctest: +SKIP
    {'HIGHS': 3}
    """
    chosen = solvers_named(solvers)
    for each in chosen:
        if isinstance(each, Own):
            each.require_found()
    listed = instances(set_name)[:: whole("every", every, 1)]
    _check(time_limit, memory, accuracies, n_jobs)
    conditions = Conditions(SETS_VERSION, float(time_limit), float(memory), processes(n_jobs), machine())
    limits = float(time_limit), int(memory * 2**30), whole("repeats", repeats, 1)
    versions = [solver.version() for solver in chosen]
    asked = [
        Asked(set_name, instance, solver, version, Order(named, instance, float(accuracy), *limits), conditions)
        for instance in listed
        for solver, version, named in zip(chosen, versions, solvers, strict=True)
        for accuracy in accuracies
    ]
    with ExitStack() as stack:
        file, kept = None, {}
        if output is not None:
            file = stack.enter_context(AppendedRows(Path(output), RUNS, {}, fault))
            kept = {run.key: run for run in map(Run.from_row, file.held.values())}
            if file.mended:
                warnings.warn(file.mended, FileWarning, stacklevel=2)
        todo = [each for each in asked if each.key not in kept or not each.is_answered_by(kept[each.key])]
        # After an interrupt what is done is kept: in the file, and in what is returned.
        count = 0
        with suppress(KeyboardInterrupt):
            for count, found in enumerate(_all(todo, n_jobs), 1):
                kept[found.key] = found
                if file is not None:
                    file.append(found.to_row())
                if progress is not None:
                    progress(found, count, len(todo))
    return Results(tuple(kept.values()), interrupted=count < len(todo))


def _check(time_limit: float, memory: float, accuracies: Sequence[float], n_jobs: int | None) -> None:
    for name, number in (("time_limit", time_limit), ("memory", memory), *(("accuracies", a) for a in accuracies)):
        if not (isinstance(number, int | float) and math.isfinite(number) and number > 0):
            raise DomainError(name, number, "it is a positive number", "give one")
    if n_jobs is not None and whole("n_jobs", n_jobs, -(2**31)) == 0:
        raise DomainError("n_jobs", 0, "some process has to do it", "give 1, or -1 for all cores")
    if "forkserver" not in get_all_start_methods():
        raise UnsupportedError("The benchmark needs Linux or macOS: on Windows run it within Linux (WSL).")


def _all(asked: list[Asked], n_jobs: int | None) -> Iterator[Run]:
    """Yield the runs as they end. Threads only wait: the work is done by the processes of the runs."""
    for index, run, died in outcomes(run_of, dict(enumerate(asked)), n_jobs, "threads"):
        yield run if died is None else asked[index].ended("crashed", died)
