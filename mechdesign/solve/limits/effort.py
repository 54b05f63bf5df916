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

from mechdesign.notions import MaximalLeakage, MetricDP, StrongL1
from mechdesign.objectives import RatioType
from mechdesign.solve.limits.memory import OF_BANDS, OF_DIRECTIONS, columns_of, is_band, program_numbers
from mechdesign.solve.pricing.support import has_formula
from mechdesign.solve.task import Task
from mechdesign.tolerances import RAY_LIMIT

#: Seconds until a solver looks at the clock, what comes before and after too: this times the power 3/2 of the numbers
#: of a program over Q, and this for each number of one over rays.
UNSTOPPABLE, OF_RAYS = 6e-9, 2.7e-6
#: Rays beyond which a program starts from some of them (34,842 of 16 inputs under LIP: 0.2 s, and 5 s at once), and
#: seconds for each number of a list of rays.
RAYS_AT_ONCE, OF_LISTED = 8192, 2e-7
#: The same for each pair of inputs where columns fill their lifts: these are made, valued and loaded before the solver
#: looks at the clock (11 s at n = 2000, 2.1 s at n = 1000).
OF_LIFTS = 2.7e-6
#: The same for each number of a cone that is made as a matrix, for the program and for each of its proofs (4 s for 48
#: million, a box of priors at n = 2000), and for each pair of secrets at a distance, of which those that chains imply
#: are left out, or of which each row holds all (2 s at n = 2000).
OF_CONES, OF_DISTANCES = 8e-8, 5e-7
#: The same for each number of a cone without a formula, over whose ends of decisions some programs are solved (0.75 s
#: for 3 million, a box of priors at n = 500).
OF_ENDS = 2.5e-7
#: The same for each pair of an input and a decision of a band, repair, certificate and check included (2.8 s for all
#: pairs at n = 2000), and of a step of its interior point for each such pair and input (0.8 s at n = 1000).
OF_ENTRY, OF_STEP = 7e-7, 8e-10
#: The same for each pair of inputs where columns of a budget are priced in every direction (7.6 s at n = 2000), and
#: where they are sets (1.2 s).
OF_DIRECTION, OF_SETS = 1.9e-6, 3e-7
#: The same for each number of a program where every row holds the mass: the first over a continuum (14 s for 6 million,
#: StrongL1 at n = 500) and that over Q (98 s for 16 million, by cvxpy at n = 2000).
OF_MASSES = 2.4e-6
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
    after = ONE_STEP * _first(task, route) - LATE / 2.0
    return task if after <= 0 else replace(task, deadline=task.deadline - after)


def told(task: Task, route: str) -> str:
    """Return what a reason says of the time where it is long, else nothing."""
    seconds = STEPS * _first(task, route)
    return f" (by our estimate it takes about {seconds / 60.0:.2g} minutes)" if seconds > LONG else ""


def is_too_long(task: Task, columns: float) -> bool:
    """Tell whether a program over Q with so many columns, inside a search, would outlast the time that is left."""
    left = task.time_left()
    return left is not None and BY_CVXPY * _of_program(program_numbers(task, "directions", columns)) > left


def _of_program(numbers: float) -> float:
    return UNSTOPPABLE * math.pow(numbers, 1.5)


def _unstoppable(task: Task, route: str) -> float:
    """Return the seconds that no time limit shortens."""
    return _before(task, route) + _first(task, route)


def _first(task: Task, route: str) -> float:
    """Return the seconds until the solver looks at the clock for the first time."""
    if route == "lifts":
        return OF_LIFTS * task.problem.n**2
    if route == "rays":
        # Of the other notions the count is an upper bound that few programs come near to.
        known = isinstance(task.notion, (*OF_BANDS, MaximalLeakage))
        count = task.notion.ray_count(task.problem) if known else None
        # Of many rays only some are in the first program.
        listed = OF_LISTED * task.problem.n * count if count is not None and count <= RAY_LIMIT else 0.0
        return listed + (OF_RAYS * task.problem.n * min(count, RAYS_AT_ONCE) if listed and count is not None else 0.0)
    times = BY_CVXPY if route in {"convex", "directions"} else 1.0
    columns = OF_DIRECTIONS if _is_continuum(task, route) else None
    if isinstance(task.notion, StrongL1) and (columns is not None or route in {"convex", "few_outputs"}):
        return times * OF_MASSES * (columns or columns_of(task, route)) * task.problem.n**2
    return times * _of_program(program_numbers(task, route, columns)) + _of_band(task, route, OF_STEP)


def _before(task: Task, route: str) -> float:
    """Return the seconds in which a cone is made as a matrix and the ends of its decisions are found, or a band is.

    What comes after the solver, and grows with the numbers of these, is in it.
    """
    if route == "directions" and not isinstance(task.objective, RatioType):
        return OF_DIRECTION * task.problem.n**2
    if route == "subsets":
        return OF_SETS * task.problem.n**2
    if route not in {"columns", "convex", "few_outputs"}:
        return 0.0
    if isinstance(task.notion, OF_BANDS):
        return _of_band(task, route, OF_ENTRY)
    numbers = task.notion.cone_numbers(task.problem)
    by_distance = OF_DISTANCES * task.problem.secrets**2 if isinstance(task.notion, MetricDP | StrongL1) else 0.0
    ends = route != "convex" and isinstance(task.objective, RatioType)
    by_programs = ends and not has_formula(task.notion, task.problem)
    return (OF_CONES + OF_ENDS * by_programs) * numbers + by_distance


def _is_continuum(task: Task, route: str) -> bool:
    return route in {"columns", "directions"} and isinstance(task.objective, RatioType)


def _of_band(task: Task, route: str, each: float) -> float:
    """Return the seconds of the interior point for bands, by pair or by pair and decision; 0 where it is not used."""
    if route != "columns" or not is_band(task) or _is_continuum(task, route):
        return 0.0
    n, columns = task.problem.n, columns_of(task, route)
    return each * n * columns * (min(n, columns) if each == OF_STEP else 1.0)
