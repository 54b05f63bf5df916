"""Which routes answer which pair of notion and objective, up to which size, as a table in Markdown."""

from __future__ import annotations

import zlib

import numpy as np

from mechdesign.errors import MechdesignError
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.task import Task
from mechdesign.testing import sized

#: Numbers of data at which a pair is asked.
SIZES = (2, 3, 8, 40)


def answering(notion: str, objective: str, n: int) -> tuple[list[str], str]:
    """Return the routes that accept a question of that pair with n data, and one sentence of those that refuse."""
    rng = np.random.default_rng(zlib.crc32(f"{notion} {objective} {n}".encode()))
    asked = sized.some_pair(notion, objective, n, rng)
    if asked is None:
        return [], f"{notion} has no such question with {n} data"
    problem, made, wanted = asked
    try:
        task = Task(made.inputs(problem), made, wanted)
        wanted.check(task.problem)
        refusals = {name: route.refusal(task) for name, route in ROUTES.items() if route.is_exact}
    except MechdesignError as error:
        return [], str(error)
    accepted = [name for name, why in refusals.items() if why is None]
    return accepted, "; ".join(f"{name}: {why}" for name, why in refusals.items() if why is not None)


def table() -> str:
    """Return the table of pairs: for each notion and objective the routes that answer, up to which size."""
    asked = f"Asked of one random question each with {', '.join(map(str, SIZES))} data"
    lines = [
        "# Which routes answer which pair",
        "",
        f"{asked}; a route stands with the largest of these that it accepts.",
        "",
        "| notion | objective | routes | where none: why |",
        "|---|---|---|---|",
    ]
    for notion in sized.NOTIONS:
        for objective in sized.OBJECTIVES:
            largest: dict[str, int] = {}
            reason = ""
            for n in SIZES:
                accepted, why = answering(notion, objective, n)
                largest.update(dict.fromkeys(accepted, n))
                reason = why or reason
            routes = ", ".join(f"{name} ({n})" for name, n in largest.items())
            lines.append(f"| {notion} | {objective} | {routes or 'none'} | {'' if routes else reason} |")
    return "\n".join(lines) + "\n"
