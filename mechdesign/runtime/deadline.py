"""How long there is: one clock that all of the package reads, and one moment by which what can stop early ends."""

from __future__ import annotations

import atexit
import math
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from threading import Thread, current_thread, main_thread
from typing import Any, NamedTuple, TypeVar

from mechdesign.errors import SolverError

Result = TypeVar("Result")

#: Seconds that the interpreter waits at its end for solvers that were left.
AT_EXIT = 20.0

#: Seconds after which Ctrl-C is listened for anew, at first and at the longest.
LISTEN = (0.01, 0.1)

#: Seconds that a solver with a clock of its own is given at the least: with none it would return nothing at all.
LEAST_LIMIT = 0.01


class Deadline(NamedTuple):
    """When what can stop early ends, and when a solver that does not stop by itself is left."""

    late: float
    #: No sooner than `late`.
    left: float


_NEVER = Deadline(math.inf, math.inf)
_DEADLINE: ContextVar[Deadline] = ContextVar("mechdesign_deadline", default=_NEVER)


class OutOfTime(SolverError):
    """The deadline passed before there was anything to return."""

    def __init__(self, doing: str) -> None:
        super().__init__(f"the time limit passed while {doing}", status="time limit")


class Clock:
    """What time it is: real seconds, which nothing else in the package reads.

    `mechdesign.testing.clock.CountingClock` takes its place in tests: what a deadline does is then the same each time.
    """

    def now(self) -> float:
        """Return the seconds since some moment."""
        return time.perf_counter()

    def solver_limit(self, seconds: float) -> float:
        """Return the limit, in real seconds, for a solver with a clock of its own, given the `seconds` left."""
        return max(seconds, LEAST_LIMIT)

    def wait(self, outcome: Future[Any], end: float) -> None:
        """Wait until there is an outcome, at the longest to the moment `end`, and hear of Ctrl-C meanwhile."""
        pause = LISTEN[0]
        while not outcome.done() and (left := end - self.now()) > 0:
            wait([outcome], timeout=min(pause, left))
            pause = min(2 * pause, LISTEN[1])
            if not outcome.done() and current_thread() is main_thread():
                # SCS and ECOS put handlers of their own in the place of Python's, and keep Ctrl-C to themselves.
                handler = signal.getsignal(signal.SIGINT)
                if handler is not None:
                    signal.signal(signal.SIGINT, handler)


_clock = Clock()


@contextmanager
def reading(clock: Clock) -> Iterator[None]:
    """Let the whole package, in all threads, read another clock."""
    global _clock  # noqa: PLW0603 - one clock for all threads, or they would disagree on what is late
    before, _clock = _clock, clock
    try:
        yield
    finally:
        _clock = before


def now() -> float:
    """Return the seconds that the clock shows."""
    return _clock.now()


def solver_limit(seconds: float) -> float:
    """Return the limit for a solver that has a clock of its own, given the `seconds` that are left."""
    return _clock.solver_limit(seconds)


@contextmanager
def _with(deadline: Deadline) -> Iterator[None]:
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def until(moment: float | None) -> AbstractContextManager[None]:
    """Let all within be late from `moment` on, as `now` counts; never where that is None."""
    end = math.inf if moment is None else moment
    return _with(Deadline(end, end))


def in_share(share: float) -> AbstractContextManager[None]:
    """Let what is within take this share of the time that is left; solvers are left at the deadline only."""
    late, left = _DEADLINE.get()
    if math.isinf(late):
        return _with(_DEADLINE.get())
    start = now()
    return _with(Deadline(start + share * (late - start), left))


def sooner(seconds: float) -> AbstractContextManager[None]:
    """Make the block late `seconds` before the deadline; solvers are still stopped at the deadline only."""
    late, left = _DEADLINE.get()
    return _with(Deadline(late - seconds, left))


def later(seconds: float) -> AbstractContextManager[None]:
    """Move the deadline of the block `seconds` later."""
    return until(_DEADLINE.get().late + seconds)


def at_least(seconds: float) -> AbstractContextManager[None]:
    """Guarantee the block at least `seconds`, overriding a nearer or an earlier deadline."""
    end = now() + seconds
    late, left = _DEADLINE.get()
    return _with(Deadline(max(late, end), max(left, end)))


def is_limited() -> bool:
    """Return whether there is a deadline, without a look at the clock."""
    return math.isfinite(_DEADLINE.get().left)


def time_left() -> float | None:
    """Return the seconds until the deadline, or None without a deadline."""
    late = _DEADLINE.get().late
    return None if math.isinf(late) else late - now()


def available(seconds: float | None) -> float | None:
    """Return the seconds until the deadline or those given, where they are fewer; None for neither."""
    return min((limit for limit in (seconds, time_left()) if limit is not None), default=None)


def is_late() -> bool:
    """Return whether the deadline has passed: what bounds or improves stops with what it has."""
    late = _DEADLINE.get().late
    return math.isfinite(late) and now() >= late


def require_time(doing: str) -> None:
    """Raise where the deadline has passed: for what has nothing to show before its end."""
    if is_late():
        raise OutOfTime(doing)


def or_leave(run: Callable[[], Result], patience: float, doing: str, *, brief: bool = False) -> Result:
    """Return ``run()``, or leave it `patience` seconds after the deadline, or at once at Ctrl-C.

    What is left works on in a thread of its own, as no thread can be stopped, and its result is dropped: `run` should
    change nothing that others use. Native solvers release the interpreter, so that nobody waits for them before its
    end; then it does, `AT_EXIT` seconds at most.

    Parameters
    ----------
    patience : float
        At least 0 seconds.
    brief : bool
        Whether it is over soon: without a deadline Ctrl-C then waits for it, which spares a thread.

    Raises
    ------
    OutOfTime
        It was left while `doing`.
    """
    end = _DEADLINE.get().left
    # Signals reach the main thread alone, and there only between two steps of the interpreter.
    if math.isinf(end) and (brief or current_thread() is not main_thread()):
        return run()
    outcome: Future[Result] = Future()
    context = copy_context()

    def work() -> None:
        try:
            outcome.set_result(context.run(run))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            outcome.set_exception(error)

    thread = Thread(target=work, name="mechdesign solver", daemon=True)
    try:
        # Ctrl-C may come before the start has returned.
        thread.start()
        _clock.wait(outcome, max(now(), end) + patience)
    finally:
        if not outcome.done():
            _leave(thread)
    if not outcome.done():
        raise OutOfTime(doing)
    return outcome.result()


_left: list[Thread] = []


def _leave(thread: Thread) -> None:
    """Let the interpreter's end wait for what was left: a thread that ends within native code takes the process along.

    Python ends such threads where they ask for the interpreter again; C++ and Rust abort the process at that.
    """
    if not _left:
        atexit.register(_await_left)
    _left[:] = [other for other in _left if other.is_alive()] + [thread]


def left_at_work() -> bool:
    """Return whether a solver that was left is still at work: the interpreter's end would wait for it."""
    return any(thread.is_alive() for thread in _left)


def _await_left() -> None:
    end = time.perf_counter() + AT_EXIT
    try:
        # One that the system refused to start cannot be joined.
        for thread in filter(Thread.is_alive, _left):
            thread.join(max(end - time.perf_counter(), 0.0))
    except KeyboardInterrupt:
        # Whoever does not wait takes what comes.
        pass
