"""How much memory a route's program would take, estimated before any of it is built."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP, LIP, AsymmetricLIP, MaxLift, Notion
from mechdesign.objectives import RatioType
from mechdesign.objectives.base import is_separable
from mechdesign.runtime.memory import GIGABYTE, TRIFLE, ceiling
from mechdesign.solve.solvers.rule import is_grown
from mechdesign.solve.task import Task
from mechdesign.tolerances import RAY_LIMIT

#: Bytes for each number of a program over rays: the columns, their rows as sparse arrays, the solver's copies.
OF_RAYS = 180.0
#: Bytes for each entry of Q in the interior point for bands (400 to 760 measured), and the notions it takes.
OF_BAND = 700.0
OF_BANDS = (LDP, LIP, MaxLift, AsymmetricLIP)
#: The same where most pairs are known from the round before (120 to 400 measured).
OF_DOUBT = 300.0
#: Bytes for each number of a program over Q, a solver's factors included: 640 for deviations of all pairs at n = 50 and
#: 430 at n = 70, 320 for pairs of a line (n = 200), 390 of a plane (n = 81), 450 for a worst case under LDP (n = 300).
OF_PROGRAM = 400.0
#: The same where columns have a curved side, a dense block for each: 640 at n = 60, 950 at n = 120.
OF_CURVED = 800.0
#: Bytes for each pair of inputs where columns are windows and sets of them (610 at n = 1000, 1,200 at n = 400) or fill
#: their lifts (710 at n = 600), and where windows of one size do.
OF_SETS, OF_WINDOWS = 800.0, 150.0
#: Bytes for each pair of inputs and each set where the outputs are the cyclic shifts of sets (550 for 12 at n = 1000).
OF_BLOCKS = 80.0
#: Bytes for each pair of inputs, on any route: an array of floats and a copy.
OF_PAIR = 16.0
#: Bytes for each number of a dense cone or budget and its parts while it is made.
OF_DENSE = 32.0
#: Decisions over which a continuum of them ends up.
OF_CONTINUUM = 100
#: Decisions that are asked where the program starts from one of them (13 to 36 at n = 100 to 300).
OF_GROWN = 36
#: Decisions that the first program of a search among them starts from.
OF_DIRECTIONS = 24
#: Scores of a linear figure's program: 88 at n = 74, LDP(1) after four rounds.
OF_SCORES = 100


def estimate(task: Task, route: str) -> float:
    """Return about how many bytes the route's largest arrays take; 0 where they follow the input's size."""
    problem, notion = task.problem, task.notion
    dense = OF_DENSE * notion.cone_numbers(problem)
    if route in {"rays", "orders", "weights"}:
        count = notion.ray_count(problem)
        # More than the limit are refused without being made, and so are those that are too many to enumerate.
        return OF_RAYS * problem.n * count if count is not None and count <= RAY_LIMIT else 0.0
    if route == "blocks":
        # With room for more it takes more.
        return OF_BLOCKS * problem.n**2
    if route in {"subsets", "lifts"}:
        even = route == "subsets" and problem.prior is not None and float(np.ptp(problem.prior)) == 0.0
        return (OF_WINDOWS if even else OF_SETS) * problem.n**2
    numbers = program_numbers(task, route)
    if numbers:
        return dense + (OF_PROGRAM if notion.polyhedral else OF_CURVED) * numbers
    return dense + OF_BAND * problem.n * columns_of(task, route) if route == "columns" else 0.0


def beyond_ceiling(task: Task, decisions: int) -> str:
    """Return a note where the program of route `columns` over so many decisions would take too much memory."""
    numbers = program_numbers(task, "columns", decisions)
    return note_of(task, (OF_PROGRAM if task.notion.polyhedral else OF_CURVED) * numbers)


def is_beyond_ceiling(task: Task, columns: int) -> bool:
    """Tell whether a program over Q with so many columns, inside a search, would take too much memory."""
    numbers = program_numbers(task, "directions", columns)
    return bool(note_of(task, (OF_PROGRAM if task.notion.polyhedral else OF_CURVED) * numbers))


def note_of(task: Task, needed: float) -> str:
    """Return what a search notes that ends because its next program would take so many bytes; empty if it may."""
    if _is_trifle(task, needed):
        return ""
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return ""
    return f", where the next would take {needed / GIGABYTE:.2g} GB, more than {allowed.source}"


def program_numbers(task: Task, route: str, columns: float | None = None) -> float:
    """Return about how many numbers the route's program over Q holds; 0 for a band, which has a solver of its own.

    Over as many `columns`, or as the route makes.
    """
    problem, notion = task.problem, task.notion
    if route not in {"columns", "convex", "few_outputs", "directions", "scores"}:
        return 0.0
    columns = columns_of(task, route) if columns is None else columns
    if not columns:
        return 0.0
    if not notion.polyhedral:
        return float(columns * problem.n * problem.n)
    if route == "columns" and is_band(task):
        return 0.0
    rows = notion.cone_rows(problem)
    each = problem.n if problem.is_hidden else min(problem.n, 3)
    return float(columns * (rows * each + problem.n))


def is_band(task: Task) -> bool:
    """Tell whether the columns are a band of the inputs, whose programs have a solver of their own."""
    return isinstance(task.notion, OF_BANDS) and not task.problem.is_hidden


def columns_of(task: Task, route: str) -> float:
    """Return how many columns the program has."""
    problem = task.problem
    gains = task.objective.gains(problem) if is_separable(task.objective) else None
    decisions = task.objective.outputs(problem) if gains is None else len(gains)
    fallback = {"columns": OF_CONTINUUM, "directions": OF_DIRECTIONS, "scores": OF_SCORES}.get(route, problem.n)
    if not decisions and route in {"columns", "directions"} and not isinstance(task.objective, RatioType):
        return 0.0
    if decisions and route == "columns" and is_grown(task.notion, problem):
        return min(decisions, OF_GROWN)
    # Over Q each input that may be revealed has a column of its own besides.
    revealing = len(task.notion.revealed(problem)) if route == "convex" else 0
    return (decisions or task.outputs or fallback) + revealing


def beyond_pairs(task: Task) -> str | None:
    """Return the sentence that says that a number for each pair of inputs would take too much memory, or None.

    Only where columns are cells of a line of inputs (LDP, utilities of a ratio) is there no such array.
    """
    n = task.problem.n
    needed = OF_PAIR * float(n) ** 2
    lean = isinstance(task.notion, LDP) and isinstance(task.objective, RatioType) and not task.problem.is_hidden
    if lean or needed <= TRIFLE:
        return None
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return None
    return (
        f"a number for each pair of {n} inputs would take about {needed / GIGABYTE:.3g} GB, more than "
        f"{allowed.source}; merge inputs into fewer categories, or give a larger memory_limit=... (in GB)"
    )


def beyond_memory(task: Task) -> str | None:
    """Return the sentence that says that the notion's own arrays would take too much memory, or None.

    Those of a band are left to the routes, some of which never make it; a table of all pairs of inputs is asked for
    by every route, if only to refuse.
    """
    numbers = task.notion.cone_numbers(task.problem)
    needed = OF_DENSE * numbers
    if numbers <= Notion.cone_numbers(task.notion, task.problem) or _is_trifle(task, needed):
        return None
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return None
    return (
        f"its constraints as arrays would take about {needed / GIGABYTE:.3g} GB, more than {allowed.source}; "
        "a larger memory_limit=... (in GB) allows it"
    )


def sets_in_memory(task: Task) -> int:
    """Return of how many sets the cyclic shifts may be outputs, by memory."""
    return int(ceiling(task.memory_limit).bytes // (OF_BLOCKS * task.problem.n**2))


def too_large(task: Task, route: str) -> str | None:
    """Return the sentence that says that the route's program would take too much memory, or None."""
    needed = estimate(task, route)
    if _is_trifle(task, needed):
        return None
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return None
    return (
        f"its program would take about {needed / GIGABYTE:.3g} GB, more than {allowed.source}; "
        "a larger memory_limit=... (in GB) allows it"
    )


def _is_trifle(task: Task, needed: float) -> bool:
    return task.memory_limit is None and needed <= TRIFLE
