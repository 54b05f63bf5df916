"""The process of one run: load, warm up, solve, send the outcome."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.bench.instance import Instance, Optimum
from mechdesign.bench.sets.drafts import draft, on_integers
from mechdesign.bench.solvers import Own, solver_named
from mechdesign.bench.solvers.solver import BenchSolver
from mechdesign.errors import DomainError
from mechdesign.notions import LDP
from mechdesign.objectives import AbsoluteError
from mechdesign.runtime.deadline import now

#: Runs longer than this many seconds are not repeated.
LONG = 1.0
#: What a process says when it is about to call the solver, and when it writes the program again.
READY, PREPARING = "ready", "preparing"


@dataclass(frozen=True)
class Order:
    """What a process is asked for."""

    solver: str
    instance: Instance
    accuracy: float
    time_limit: float
    #: Bytes beyond what the process holds when it starts.
    memory: int
    repeats: int


@dataclass(frozen=True)
class Returned:
    """What a process sends back.

    Attributes
    ----------
    outcome : str
        "answered", "refused", "raised", "malformed" or "out of memory".
    why : str
        Why there is no answer.
    answer : object
        An `Answer`, or a matrix and multipliers; None without one.
    seconds, processor : tuple of float
        Wall and processor seconds of each repetition.
    warm_up : float
        Seconds of the first call, on a program of two inputs.
    peak : float
        The largest resident memory, in MB, beyond that before the first call.
    notes : tuple of str
        What it did besides.
    """

    outcome: str
    why: str = ""
    answer: Any = None
    seconds: tuple[float, ...] = ()
    processor: tuple[float, ...] = ()
    warm_up: float = 0.0
    peak: float = 0.0
    notes: tuple[str, ...] = field(default_factory=tuple)


def run_order(connection: Connection, order: Order) -> None:
    """Send `READY` before the warm-up and before each timed call, then what came of them."""
    # Ctrl-C is for the process that waits for this one, and ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    printed = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
    sys.stdout.flush()
    os.dup2(printed.fileno(), 1)
    _limit(order.memory)
    # In a process of its own: how wide a gap or how inaccurate an answer is stands in the scores.
    warnings.simplefilter("ignore")
    try:
        found = _returned(connection, order, printed)
    except MemoryError:
        found = Returned("out of memory", f"it needs more than {order.memory / 2**30:.3g} GB")
    except DomainError as error:
        found = Returned("malformed", str(error))
    except Exception as error:  # noqa: BLE001 - of whoever wrote the solver
        found = Returned("raised", f"{type(error).__name__}: {error}"[:300])
    connection.send(found)
    connection.close()


def _returned(connection: Connection, order: Order, printed: Any) -> Returned:
    solver = solver_named(order.solver)
    refused = solver.refuses(order.instance)
    if refused:
        return Returned("refused", refused)
    connection.send(READY)
    warm_up = _warm_up(solver)
    connection.send(PREPARING)
    before = _resident()
    seconds: list[float] = []
    processor: list[float] = []
    while not seconds or (len(seconds) < order.repeats and seconds[-1] < LONG):
        call = solver.prepare(order.instance, order.accuracy, order.time_limit)
        connection.send(READY)
        wall, own = now(), _processor()
        returned = call()
        seconds.append(now() - wall)
        processor.append(_processor() - own)
    answer = solver.finish(returned)
    peak = _resident() - before
    return Returned(
        "answered",
        "",
        answer,
        tuple(seconds),
        tuple(processor),
        warm_up,
        peak,
        _notes(solver, printed),
    )


def _notes(solver: BenchSolver, printed: Any) -> tuple[str, ...]:
    found = []
    if isinstance(solver, Own):
        if solver.changed_its_input():
            found.append("it changes the arrays that it is given")
        sys.stdout.flush()
        if os.fstat(printed.fileno()).st_size:
            found.append("it prints to standard output")
    return tuple(found)


def _warm_up(solver: BenchSolver) -> float:
    """Return the seconds of a call on two inputs, which loads what the solver needs; its outcome does not count."""
    two = draft("two", on_integers(2, 0), LDP(1.0), AbsoluteError(), "all pairs")
    tiny = Instance("two", two.question, "all pairs", Optimum(np.nan, np.nan))
    started = now()
    try:
        solver.prepare(tiny, 1e-6, 1.0)()
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the run itself will say it
        return now() - started
    return now() - started


def _limit(memory: int) -> None:
    """Limit the memory where the system says how much is held: on Linux."""
    import resource

    held_pages = Path("/proc/self/statm")
    if not held_pages.exists():
        return
    held = int(held_pages.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))


def _resident() -> float:
    """Return the most memory held so far, in MB."""
    import resource

    return in_megabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, sys.platform)


def in_megabytes(held: int, system: str) -> float:
    """Return the most memory held, in MB: the system counts it in bytes on macOS, in kB elsewhere.

    Examples
    --------
    >>> in_megabytes(3 * 1024, "linux"), in_megabytes(3 * 1024**2, "darwin")
    (3.0, 3.0)
    """
    return held / (2.0**20 if system == "darwin" else 2.0**10)


def _processor() -> float:
    """Return the processor seconds of this process and its threads."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
