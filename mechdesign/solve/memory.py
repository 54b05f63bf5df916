"""How much memory a route's program would take, told before any of it is built."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mechdesign.notions import LDP, LIP, AsymmetricLIP, MaxLift, WorstCaseLIP
from mechdesign.objectives.base import is_separable
from mechdesign.solve.task import Task
from mechdesign.tolerances import MEMORY, RAY_LIMIT

#: Bytes for each number of a program over rays: the columns, their rows as sparse arrays, the solver's copies.
OF_RAYS = 180.0
#: Bytes for each entry of Q in the interior point for bands (400 to 760 measured), and the notions it takes.
OF_BAND = 700.0
OF_BANDS = (LDP, LIP, MaxLift, AsymmetricLIP, WorstCaseLIP)
#: The same where most pairs are known from the round before (120 to 400 measured).
OF_DOUBT = 300.0
#: Bytes for each nonzero of a program over Q, a solver's factors included: 250 for pairs of a plane at n = 50.
OF_PROGRAM = 250.0
#: Bytes for each number of a dense cone or budget and its parts while it is made.
OF_DENSE = 32.0
#: Decisions over which a continuum of them ends up.
OF_CONTINUUM = 100
GIGABYTE = 1e9
#: Less than one megabyte is a trifle beside the interpreter: how much is free is not looked up for it.
TRIFLE = 1e6


@dataclass(frozen=True)
class Ceiling:
    """The most memory that a program may take, in bytes, and where that number comes from."""

    bytes: float
    source: str


def ceiling(given: float | None) -> Ceiling:
    """Return `given` gigabytes; without it the package's own limit, or half of what is free where that is less."""
    if given is not None:
        return Ceiling(given * GIGABYTE, f"the memory_limit of {given:g} GB")
    half = _available() / 2.0
    if half < MEMORY:
        return Ceiling(half, f"half of the memory that is free, {half / GIGABYTE:.3g} GB")
    return Ceiling(MEMORY, f"{MEMORY / GIGABYTE:g} GB, the limit where no memory_limit is given")


def _available() -> float:
    """Return the bytes that can be had without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("MemAvailable:"):
            return 1024.0 * float(line.split()[1])
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    return float("inf")


def estimate(task: Task, route: str) -> float:
    """Return about how many bytes the route's largest arrays take; 0 where they follow the input's size."""
    problem, notion = task.problem, task.notion
    dense = OF_DENSE * notion.cone_numbers(problem)
    if route in {"rays", "orders", "weights"}:
        count = notion.ray_count(problem)
        # More than the limit are refused without being made, and so are those that are too many to enumerate.
        return OF_RAYS * problem.n * count if count is not None and count <= RAY_LIMIT else 0.0
    if route not in {"columns", "convex"}:
        return 0.0
    gains = task.objective.gains(problem) if is_separable(task.objective) else None
    decisions = task.objective.outputs(problem) if gains is None else len(gains)
    fallback = OF_CONTINUUM if route == "columns" else problem.n
    columns = decisions or task.outputs or fallback
    if route == "columns" and isinstance(notion, OF_BANDS) and not problem.is_hidden:
        return dense + OF_BAND * problem.n * columns
    rows = notion.cone_numbers(problem) / problem.n
    each = problem.n if problem.is_hidden else min(problem.n, 3)
    return dense + OF_PROGRAM * columns * (rows * each + problem.n)


def too_large(task: Task, route: str) -> str | None:
    """Return the sentence that says that the route's program would take too much memory, or None."""
    needed = estimate(task, route)
    if task.memory_limit is None and needed <= TRIFLE:
        return None
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return None
    return (
        f"its program would take about {needed / GIGABYTE:.3g} GB, more than {allowed.source}; "
        "a larger memory_limit=... (in GB) allows it"
    )
