"""The distances of MetricDP, as people who read a guarantee need them: smallest, largest, and a table of a few."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.baselines.exponential import shortest
from mechdesign.displays import Table
from mechdesign.displays.numbers import rounded_up
from mechdesign.exact import exp_up
from mechdesign.notions import MetricDP, Notion
from mechdesign.problem import Problem

#: Values whose distances are all shown.
MOST_SHOWN = 8
#: Of a larger level the factor is not written out.
MOST_WRITTEN = 20.0


def extent(notion: Any, opening: str) -> str:
    """Return the smallest and the largest distance with their factors, and whether some pairs are not joined.

    A distance is the length of the shortest path: that is what binds. `opening` begins what is left open.
    """
    lengths = shortest(notion.distance)
    apart = lengths[~np.eye(len(lengths), dtype=bool)]
    finite = apart[np.isfinite(apart)]
    said = []
    if len(finite):
        few = {"smallest": float(finite.min()), "largest": float(finite.max())}
        ends = few.items() if few["smallest"] < few["largest"] else [("only one", few["largest"])]
        shown = (f"the {word} is {rounded_up(end, 6)} ({_factor(notion.epsilon * end)})" for word, end in ends)
        said.append(f"Of the distances along the shortest path, {' and '.join(shown)}.")
    if len(finite) < len(apart):
        said.append(f"{opening}pairs that no path of finite distances joins may be distinguished entirely.")
    return " ".join(said)


def distance_table(notion: Notion, problem: Problem) -> Table | None:
    """Return the distances along the shortest paths, rounded up; None where there are none, or too many."""
    found = next((part for part in notion.parts() if isinstance(part, MetricDP)), None)
    if found is None or len(found.distance) > MOST_SHOWN:
        return None
    names = [problem.named_secret(s) for s in range(len(found.distance))]
    rows = tuple(
        (name, *(rounded_up(float(length), 4) for length in row))
        for name, row in zip(names, shortest(found.distance), strict=True)
    )
    return Table("", ("distance", *names), rows, ("distance",))


def _factor(level: float) -> str:
    """Return the factor at a level that is a rounded product, rounded up."""
    above = math.nextafter(level, math.inf) if level else 0.0
    if above > MOST_WRITTEN:
        return f"a factor of at most e^{rounded_up(above, 4)}"
    return f"a factor of at most {rounded_up(exp_up(above), 4)}"
