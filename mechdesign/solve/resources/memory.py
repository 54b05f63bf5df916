"""Whether a question's programs fit into memory, before any part is built."""

from __future__ import annotations

from mechdesign.columns.shape import usual_numbers
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import RatioType
from mechdesign.runtime.memory import GIGABYTE, TRIFLE, ceiling
from mechdesign.solve.resources.measurements import bytes_of
from mechdesign.solve.resources.programs import cone_bytes
from mechdesign.solve.task import Task


def too_large(task: Task, needed: float) -> str | None:
    """Return the sentence that says that a program of this size would take too much memory, or None."""
    if _is_trifle(task, needed):
        return None
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return None
    return (
        f"its program would take about {needed / GIGABYTE:.3g} GB, more than {allowed.source}; "
        "a larger memory_limit=... (in GB) allows it"
    )


def note_of(task: Task, needed: float) -> str:
    """Return the note of a search that ends because its next program would take too much memory; empty if it fits."""
    if _is_trifle(task, needed):
        return ""
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return ""
    return f", where the next would take {needed / GIGABYTE:.2g} GB, more than {allowed.source}"


def pairs_beyond_memory(task: Task) -> str | None:
    """Return the sentence that says that a number for each pair of inputs would take too much memory, or None.

    Only where columns are cells of a line of inputs (LDP, utilities of a ratio) is there no such array.
    """
    n = task.problem.n
    needed = bytes_of("pair", float(n) ** 2)
    lean = is_ldp_of_inputs(task.notion, task.problem) and isinstance(task.objective, RatioType)
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
    needed = cone_bytes(task)
    own = task.columns.cone_numbers > usual_numbers(task.problem)
    if not own or _is_trifle(task, needed):
        return None
    allowed = ceiling(task.memory_limit)
    if needed <= allowed.bytes:
        return None
    return (
        f"its constraints as arrays would take about {needed / GIGABYTE:.3g} GB, more than {allowed.source}; "
        "a larger memory_limit=... (in GB) allows it"
    )


def _is_trifle(task: Task, needed: float) -> bool:
    return task.memory_limit is None and needed <= TRIFLE
