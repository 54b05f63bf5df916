"""Whether a route's solver could be stopped in time, before any of its program is built."""

from __future__ import annotations

from dataclasses import replace

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
    left = task.time_left()
    if left is None:
        return None
    needed = size.before + size.first
    if needed <= 1.1 * max(left, 0.0) + LATE:
        return None
    return (
        f"its program would take about {needed:.2g} s before its solver could be stopped, more than the {left:.2g} s "
        "that the time limit leaves; a larger time_limit=... allows it"
    )


def leaving(task: Task, size: Size) -> Task:
    """Return the task with a deadline that leaves room for the step that the solver is in when it passes."""
    if task.deadline is None:
        return task
    after = ONE_STEP * size.first - LATE / 2.0
    return task if after <= 0 else replace(task, deadline=task.deadline - after)


def duration(size: Size) -> str:
    """Return what a reason says of the time where it is long, else nothing."""
    seconds = STEPS * size.first
    return f" (by our estimate it takes about {seconds / 60.0:.2g} minutes)" if seconds > LONG else ""
