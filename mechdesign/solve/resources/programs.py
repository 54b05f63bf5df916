"""How many numbers a program over Q holds, and what they take, from the question alone."""

from __future__ import annotations

import math

from mechdesign.columns.distance_ratios import DistanceRatios
from mechdesign.objectives import RatioType
from mechdesign.objectives.base import gains_of
from mechdesign.solve.pricing.support import takes_no_program
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.task import Task
from mechdesign.tolerances import RAY_LIMIT

#: Decisions that the first program of a search among a continuum of them starts from.
FIRST_OF_CONTINUUM = 24
#: Numbers of a program for each entry of Q where a cone with a curved side holds it.
OF_CURVED = 8
#: How many times as long it takes where cvxpy writes the program (2.5 s at 0.27 million numbers).
BY_CVXPY = 2.0


def is_band(task: Task) -> bool:
    """Return whether the columns are a band of the inputs, whose programs have a solver of their own."""
    return task.columns.banded


def is_continuum(task: Task) -> bool:
    """Return whether the decisions are one number."""
    return isinstance(task.objective, RatioType)


def own_columns(task: Task) -> int | None:
    """Return how many columns the objective gives a matrix, one for each decision; None where it leaves that open."""
    gains = gains_of(task.objective, task.problem)
    return task.objective.outputs(task.problem) if gains is None else len(gains)


def cone_bytes(task: Task) -> float:
    """Return the bytes of the notion's own arrays while they are made."""
    return bytes_of("cone", task.columns.cone_numbers)


def rays_bytes(task: Task) -> float:
    """Return the bytes of a program over the notion's rays; 0 where they are too many to be listed."""
    count = task.columns.ray_count()
    return bytes_of("rays", task.problem.n * count) if count is not None and count <= RAY_LIMIT else 0.0


def numbers_over_matrix(task: Task, columns: float) -> float:
    """Return about how many numbers a program over Q of a number of columns holds."""
    problem, notion = task.problem, task.notion
    hidden = problem.is_hidden
    if not notion.polyhedral:
        # A cone or a row of one for each entry; what the secret sees of a column is dense where it is hidden.
        return float(columns * problem.n * (problem.secrets if hidden else OF_CURVED))
    each = problem.n if hidden else min(problem.n, 3)
    return float(columns * (notion.columns(problem).cone_rows * each + problem.n))


def program_bytes(task: Task, numbers: float) -> float:
    """Return the bytes of a program over Q with a number of nonzeros."""
    return bytes_of("program" if task.notion.polyhedral else "curved program", numbers)


def program_seconds(numbers: float) -> float:
    """Return the seconds until the solver of a program over Q of a given size looks at the clock."""
    return seconds_of("program", math.pow(numbers, 1.5))


def mass_seconds(task: Task, columns: float) -> float | None:
    """Return these seconds where every row of the cone holds the mass; None under other notions."""
    return seconds_of("masses", columns * task.problem.n**2) if _holds_mass(task) else None


def _holds_mass(task: Task) -> bool:
    """Return whether every row of the cone holds the mass of the column, and with it all inputs."""
    return task.columns.of_secret.around_mass and task.notion.polyhedral


def cone_seconds(task: Task, *, ends: bool) -> float:
    """Return the seconds in which a cone is made as a matrix, and the ends of its decisions are found where `ends`.

    What comes after the solver, and grows with the numbers of these, is in it. A band is never made.
    """
    shape = task.columns
    if shape.of_secret.banded:
        return 0.0
    numbers, metric = shape.cone_numbers, isinstance(shape.of_secret, DistanceRatios) or _holds_mass(task)
    seconds = seconds_of("cone", numbers) + seconds_of("distances", metric * task.problem.secrets**2)
    by_programs = ends and is_continuum(task) and not takes_no_program(task.notion, task.problem)
    return seconds + seconds_of("ends", by_programs * numbers)
