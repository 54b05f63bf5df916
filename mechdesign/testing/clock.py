"""A clock for tests, on which time passes by looks at it: what a deadline cuts short is the same on any machine."""

from __future__ import annotations

from concurrent.futures import Future, wait
from threading import Event, Lock
from typing import Any

from mechdesign.runtime.deadline import Clock

#: Real seconds that a solver with a clock of its own is given: it takes none on this one.
UNLIMITED = 1e6
#: Seconds between two questions whether a solver goes on past its limit.
LISTEN = 0.005


class CountingClock(Clock):
    """A clock on which each look takes some seconds, and nothing else takes any.

    Solvers with clocks of their own are waited for, however long they take.

    Parameters
    ----------
    each : float
        Seconds that a look takes, at least 0.

    Examples
    --------
    >>> import mechdesign as md
    >>> from mechdesign.runtime.deadline import reading
    >>> survey = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    >>> clock = CountingClock(0.01)
    >>> with reading(clock):
    ...     made = md.design(survey, md.LDP(1.0), md.MMSE(), time_limit=60.0)
    >>> made.gap <= 1e-6, clock.seconds < 60.0
    (True, True)
    """

    def __init__(self, each: float = 0.01) -> None:
        self.each = each
        self.seconds = 0.0
        #: Set by what stands in for a solver that goes on past its limit: it is then left, at the end of that limit.
        self.overrun = Event()
        self._lock = Lock()

    def now(self) -> float:
        """Return the seconds that all looks took, this one included."""
        self.advance(self.each)
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let a number of seconds pass."""
        with self._lock:
            self.seconds += seconds

    def solver_limit(self, seconds: float) -> float:
        """Return more than a solver takes."""
        return UNLIMITED

    def wait(self, outcome: Future[Any], end: float) -> None:
        """Wait until there is an outcome, or until what is waited for says that it goes on past `end`."""
        while not outcome.done():
            if self.overrun.is_set():
                self.overrun.clear()
                with self._lock:
                    self.seconds = max(self.seconds, end)
                return
            wait([outcome], timeout=LISTEN)
