"""How long a route's program would take, told before any of it is built.

Measured on one thread for expected loss with as many decisions as inputs: the seconds until a solver that was given
none stopped, over the numbers of the program. Deviations of all pairs took 4.5 s at 0.8 million (n = 50) and 15 s at
2.1 million (n = 70), pairs of a line 0.8 s at 0.29 million (n = 200), of a plane 0.5 s at 0.08 million (n = 81), a
worst case under LDP 1.4 s at 0.65 million (n = 300), balls 0.6 s at 0.22 million (n = 60) and 16 s at 1.7 million
(n = 120): about as the power 3/2. The simplex method looks at the clock after its first step, which for a million
numbers of rays (LDP, n = 16) takes 2.8 s. The optimum took 41 s at 0.39 million (deviations, n = 40) and 7 s at
0.22 million (balls, n = 60).
"""

from __future__ import annotations

import math
from dataclasses import replace

from mechdesign.notions import LDP, MaximalLeakage
from mechdesign.solve.memory import program_numbers
from mechdesign.solve.task import Task
from mechdesign.tolerances import RAY_LIMIT

#: Seconds until a solver looks at the clock, what comes before and after too: this times the power 3/2 of the numbers
#: of a program over Q, and this for each number of one over rays.
UNSTOPPABLE, OF_RAYS = 6e-9, 2.7e-6
#: The same for each pair of inputs where columns fill their lifts: these are made, valued and loaded before the solver
#: looks at the clock (11 s at n = 2000, 2.1 s at n = 1000).
OF_LIFTS = 2.7e-6
#: How many times as long where cvxpy writes the program (2.5 s at 0.27 million numbers, deviations, n = 36).
BY_CVXPY = 2.0
#: Share of that which one step of it and the certificate take.
ONE_STEP = 0.7
#: How many times as long the optimum takes.
STEPS = 15.0
#: Seconds from which a reason says how long it will be.
LONG = 60.0
#: Seconds that an answer may be late besides a tenth of the limit.
LATE = 1.0


def too_slow(task: Task, route: str) -> str | None:
    """Return the sentence that says that the time limit would pass before a solver could stop, or None."""
    left = task.time_left()
    if left is None:
        return None
    needed = _unstoppable(task, route)
    if needed <= 1.1 * max(left, 0.0) + LATE:
        return None
    return (
        f"its program would take about {needed:.2g} s before its solver could be stopped, more than the {left:.2g} s "
        "that the time limit leaves; a larger time_limit=... allows it"
    )


def leaving(task: Task, route: str) -> Task:
    """Return the task with a deadline that leaves room for the step that the solver is in when it passes."""
    if task.deadline is None:
        return task
    after = ONE_STEP * _unstoppable(task, route) - LATE / 2.0
    return task if after <= 0 else replace(task, deadline=task.deadline - after)


def told(task: Task, route: str) -> str:
    """Return what a reason says of the time where it is long, else nothing."""
    seconds = STEPS * _unstoppable(task, route)
    return f" (by our estimate it takes about {seconds / 60.0:.2g} minutes)" if seconds > LONG else ""


def _unstoppable(task: Task, route: str) -> float:
    """Return the seconds that no time limit shortens."""
    if route == "lifts":
        return OF_LIFTS * task.problem.n**2
    if route != "rays":
        times = BY_CVXPY if route == "convex" else 1.0
        return times * UNSTOPPABLE * math.pow(program_numbers(task, route), 1.5)
    # Of the other notions the count is an upper bound that few programs come near to.
    count = task.notion.ray_count(task.problem) if isinstance(task.notion, LDP | MaximalLeakage) else None
    return OF_RAYS * task.problem.n * count if count is not None and count <= RAY_LIMIT else 0.0
