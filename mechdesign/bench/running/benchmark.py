"""Every solver on every instance of a set, each run in a process of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mechdesign.bench.answer import Answer
from mechdesign.bench.instance import Instance
from mechdesign.bench.judging import Score, judged, judged_matrix
from mechdesign.bench.results import Results
from mechdesign.bench.running.child import Order
from mechdesign.bench.running.isolated import run_isolated
from mechdesign.bench.running.results_file import ResultsFile, Run
from mechdesign.bench.sets import instances
from mechdesign.bench.solvers import BenchSolver, solvers_named
from mechdesign.errors import DomainError, MechdesignError
from mechdesign.parameters.checks import whole

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
    n_jobs: int = 1,
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
        A file to which each run is appended as it ends. Runs that it holds already are not run again.
    accuracies : sequence of float
        The tolerances that each solver is asked for, each in a run of its own.
    time_limit : float
        Seconds for each run.
    memory : float
        GB for each run.
    repeats : int
        How often a run shorter than a second is repeated in its process.
    n_jobs : int
        How many runs go on beside each other; with more than one, times are those of a machine that is shared.
    every : int
        Take every so many instances of the set, from the first on.
    progress : callable, optional
        Called after each run with the run, its number and the number of all.

    Returns
    -------
    Results
        All runs of the file, or of this call where there is no file.

    Raises
    ------
    DomainError
        Another name of a set or a solver, a limit that is not positive.
    OtherFileError
        `output` is another file.

    Examples
    --------
    >>> from mechdesign import bench
    >>> found = bench.run("small", ["HIGHS"], accuracies=[1e-9], every=20)  # doctest: +SKIP
    >>> found.solved(1e-6)  # doctest: +SKIP
    {'HIGHS': 3}
    """
    chosen = solvers_named(solvers)
    listed = instances(set_name)[:: whole("every", every, 1)]
    for name, number in (("time_limit", time_limit), ("memory", memory), *(("accuracies", a) for a in accuracies)):
        if not (isinstance(number, int | float) and math.isfinite(number) and number > 0):
            raise DomainError(name, number, "it is a positive number", "give one")
    whole("repeats", repeats, 1)
    whole("n_jobs", n_jobs, 1)
    file = None if output is None else ResultsFile(output)
    kept = [] if file is None else list(file.runs)
    done = {each.key for each in kept}
    orders = [
        (instance, solver, order)
        for instance in listed
        for solver, asked in zip(chosen, solvers, strict=True)
        for order in (
            Order(asked, instance, float(a), float(time_limit), int(memory * 2**30), repeats) for a in accuracies
        )
        if (set_name, instance.name, solver.name, order.accuracy) not in done
    ]
    for count, found in enumerate(_all(set_name, orders, n_jobs), 1):
        kept.append(found)
        if file is not None:
            file.add(found)
        if progress is not None:
            progress(found, count, len(orders))
    return Results(tuple(kept))


def _all(set_name: str, orders: Iterable[tuple[Instance, BenchSolver, Order]], n_jobs: int) -> Iterator[Run]:
    """Yield the runs as they end. Threads only wait: the work is done by the processes of the runs."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, backend="threading", return_as="generator_unordered")
    yield from parallel(delayed(_one)(set_name, *each) for each in orders)


def _one(set_name: str, instance: Instance, solver: BenchSolver, order: Order) -> Run:
    returned = run_isolated(order)
    outcome, why, score, answer = returned.outcome, returned.why, None, returned.answer
    if outcome == "answered":
        try:
            score = _score(instance, answer, order.accuracy)
        except MechdesignError as error:
            outcome, why = "malformed", str(error)
    plain = answer if isinstance(answer, Answer) else Answer()
    return Run(
        set_name,
        instance.name,
        instance.form,
        instance.kind,
        solver.name,
        returned.version,
        order.accuracy,
        outcome,
        why,
        plain.status if outcome == "answered" else "",
        plain.iterations,
        returned.seconds,
        returned.processor,
        returned.warm_up,
        returned.peak,
        score,
        returned.notes,
    )


def _score(instance: Instance, answer: Any, accuracy: float) -> Score:
    if isinstance(answer, Answer):
        return judged(instance, answer, accuracy)
    return judged_matrix(instance, answer["matrix"], answer["multipliers"])
