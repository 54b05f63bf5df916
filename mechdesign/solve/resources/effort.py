"""Whether a route's solver could be stopped in time, before any of its program is built."""

from __future__ import annotations

from contextlib import AbstractContextManager

from mechdesign.runtime.deadline import sooner, time_left
from mechdesign.solve.task import Size, Task

#: Share of the seconds until a solver looks at the clock that one step of it and the certificate take.
ONE_STEP = 0.7
#: How many times as long the optimum takes.
STEPS = 15.0
#: Seconds from which a reason says how long it will be.
LONG = 60.0
#: Seconds that an answer may be late besides a tenth of the limit.
LATE = 1.0


def too_slow(task: Task, size: Size) -> str | None:
    """Return the sentence that says that the time limit would pass before a solver could stop, or None."""
    left = time_left()
    if left is None:
        return None
    needed = size.before + size.first
    if needed <= 1.1 * max(left, 0.0) + LATE:
        return None
    return (
        f"its program would take about {needed:.2g} s before its solver could be stopped, more than the {left:.2g} s "
        "that the time limit leaves; a larger time_limit=... allows it"
    )


def leaving_a_step(size: Size) -> AbstractContextManager[None]:
    """Let what is within be late in time for the step that the solver is in then."""
    return sooner(max(ONE_STEP * size.first - LATE / 2.0, 0.0))


def duration(size: Size) -> str:
    """Return what a reason says of the time where it is long, else nothing."""
    seconds = STEPS * size.first
    return f" (by our estimate it takes about {seconds / 60.0:.2g} minutes)" if seconds > LONG else ""
