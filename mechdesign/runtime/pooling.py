"""Independent tasks through joblib, their results as they come, and what becomes of them when a worker dies."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from typing import Any

#: Tasks that are sent at a time where the backend cannot hand back results as they come, for each process.
AT_A_TIME = 4
#: Tasks that may have been running when a worker died, for each process, and are tried alone.
SUSPECTS = 3

#: The index of a task, its result or None, and why there is none.
Outcome = tuple[int, Any, str | None]


def outcomes(
    work: Callable[[Any], Any], tasks: Mapping[int, Any], n_jobs: int | None, prefer: str | None = None
) -> Iterator[Outcome]:
    """Yield what `work` makes of each task, in the order in which they finish.

    `work` raises nothing; what is raised is the pool's: a worker died. Those that may have killed it are then tried
    one by one, and one that kills a worker by itself is yielded as a failure.

    Parameters
    ----------
    n_jobs : int or None
        As joblib takes it; the backend is that of ``joblib.parallel_config``, otherwise loky's processes. One job
        runs here, and then nothing can be survived.
    prefer : str, optional
        "threads" where the work only waits for processes of its own, which loky's workers cannot start.
    """
    left = dict(tasks)
    alone = 0
    while left:
        some = {index: left[index] for index in list(left)[: 1 if alone else None]}
        died = None
        with closing(_run(work, some, n_jobs, prefer, bool(alone))) as running:
            while True:
                try:
                    index, result = next(running)
                except StopIteration:
                    break
                except Exception as error:  # noqa: BLE001 - whatever a pool says when it lost a worker
                    died = error
                    break
                del left[index]
                yield index, result, None
        if alone:
            alone -= 1
            if died is not None:
                (index,) = some
                del left[index]
                yield index, None, f"the worker died ({type(died).__name__})"
        elif died is not None:
            alone = SUSPECTS * processes(n_jobs)


def _run(
    work: Callable[[Any], Any], tasks: Mapping[int, Any], n_jobs: int | None, prefer: str | None, alone: bool
) -> Generator[tuple[int, Any], None, None]:
    from joblib import Parallel, delayed

    def jobs(some: list[int]) -> Any:
        return (delayed(_numbered)(work, index, tasks[index]) for index in some)

    # One job would run in this process, and take it along.
    jobs_wanted = 2 if alone else n_jobs
    order = list(tasks)
    try:
        pool = Parallel(n_jobs=jobs_wanted, prefer=prefer, batch_size=1, return_as="generator_unordered")
    except ValueError:
        # The backend hands back a list only: some tasks at a time.
        pool = None
    if pool is not None:
        yield from pool(jobs(order))
        return
    step = AT_A_TIME * processes(jobs_wanted)
    for start in range(0, len(order), step):
        yield from Parallel(n_jobs=jobs_wanted, prefer=prefer, batch_size=1)(jobs(order[start : start + step]))


def _numbered(work: Callable[[Any], Any], index: int, task: Any) -> tuple[int, Any]:
    return index, work(task)


def processes(n_jobs: int | None) -> int:
    """Return how many processes joblib takes for `n_jobs`."""
    from joblib import effective_n_jobs

    return max(int(effective_n_jobs(n_jobs)), 1)
