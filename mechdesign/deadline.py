"""How long there is: one moment, set around a design, that whatever can stop early asks for."""

from __future__ import annotations

import atexit
import math
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Thread, current_thread, main_thread
from typing import TypeVar

from mechdesign.errors import SolverError

Result = TypeVar("Result")

#: Seconds that the interpreter waits at its end.
AT_EXIT = 20.0

#: Seconds after which Ctrl-C is listened for anew, at first and at the longest.
LISTEN = (0.01, 0.1)

_UNTIL: ContextVar[float] = ContextVar("mechdesign_deadline", default=math.inf)


class OutOfTime(SolverError):
    """The deadline passed before there was anything to return."""

    def __init__(self, doing: str) -> None:
        super().__init__(f"the time limit passed while {doing}", status="time limit")


@contextmanager
def until(moment: float | None) -> Iterator[None]:
    """Let all within be late from `moment` on, as ``time.perf_counter`` counts; never where that is None."""
    token = _UNTIL.set(math.inf if moment is None else moment)
    try:
        yield
    finally:
        _UNTIL.reset(token)


@contextmanager
def in_share(share: float) -> Iterator[None]:
    """Let what is within take this share of the time that is left."""
    now = time.perf_counter()
    with until(now + share * (_UNTIL.get() - now)):
        yield


@contextmanager
def at_least(seconds: float) -> Iterator[None]:
    """Let what is within have so many seconds, even where the deadline is nearer or has passed."""
    with until(max(_UNTIL.get(), time.perf_counter() + seconds)):
        yield


def time_left() -> float | None:
    """Return the seconds until the deadline, or None where there is none."""
    return None if math.isinf(_UNTIL.get()) else _UNTIL.get() - time.perf_counter()


def is_late() -> bool:
    """Tell whether the deadline has passed: what bounds or improves stops with what it has."""
    return time.perf_counter() >= _UNTIL.get()


def require_time(doing: str) -> None:
    """Raise where the deadline has passed: for what has nothing to show before its end."""
    if is_late():
        raise OutOfTime(doing)


def or_leave(
    run: Callable[[], Result], patience: float, doing: str, *, awaited: bool = False, brief: bool = False
) -> Result:
    """Return ``run()``, or leave it `patience` seconds after the deadline, or at once at Ctrl-C.

    What is left works on in a thread of its own, as no thread can be stopped, and its result is dropped: `run` should
    change nothing that others use. Native solvers release the interpreter, so that nobody waits for them.

    Parameters
    ----------
    patience : float
        At least 0 seconds.
    awaited : bool
        Whether the interpreter waits for it at its own end, some seconds at most: for libraries that crash otherwise.
    brief : bool
        Whether it is over soon: without a deadline Ctrl-C then waits for it, which spares a thread.

    Raises
    ------
    OutOfTime
        It was left while `doing`.
    """
    left = time_left()
    # Signals reach the main thread alone, and there only between two steps of the interpreter.
    if left is None and (brief or current_thread() is not main_thread()):
        return run()
    outcome: Future[Result] = Future()
    context = copy_context()

    def work() -> None:
        try:
            outcome.set_result(context.run(run))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            outcome.set_exception(error)

    thread = Thread(target=work, name="mechdesign solver", daemon=True)
    thread.start()
    try:
        _await(outcome, math.inf if left is None else time.perf_counter() + max(left, 0.0) + patience)
    finally:
        if awaited and not outcome.done():
            atexit.register(thread.join, AT_EXIT)
    if not outcome.done():
        raise OutOfTime(doing)
    return outcome.result()


def _await(outcome: Future[Result], end: float) -> None:
    """Wait until there is an outcome, at the longest to the moment `end`, and hear of Ctrl-C meanwhile."""
    pause = LISTEN[0]
    while not outcome.done() and (left := end - time.perf_counter()) > 0:
        wait([outcome], timeout=min(pause, left))
        pause = min(2 * pause, LISTEN[1])
        if not outcome.done() and current_thread() is main_thread():
            # SCS and ECOS put handlers of their own in the place of Python's, and keep Ctrl-C to themselves.
            handler = signal.getsignal(signal.SIGINT)
            if handler is not None:
                signal.signal(signal.SIGINT, handler)
