"""The distances of MetricDP in a table, for people who read a guarantee."""

from __future__ import annotations

from mechdesign.displays import Table
from mechdesign.displays.numbers import rounded_up
from mechdesign.notions import MetricDP, Notion
from mechdesign.notions.distances import shortest
from mechdesign.problem import Problem

#: Values whose distances are all shown.
MOST_SHOWN = 8


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
