"""Sets of instances: questions written in code, built when they are asked for, with their certified optima."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mechdesign.bench.instance import Instance, Optimum, Vertex
from mechdesign.bench.sets.drafts import Draft
from mechdesign.bench.sets.hard import hard
from mechdesign.bench.sets.large import large
from mechdesign.bench.sets.medium import medium
from mechdesign.bench.sets.small import small
from mechdesign.errors import DomainError, nearest

#: The sets by name.
SETS: dict[str, Callable[[], list[Draft]]] = {"small": small, "medium": medium, "large": large, "hard": hard}
#: The version of the sets: results of another are of other instances.
SETS_VERSION = 1
#: Value and bound of each question, by its label, and whether that is proved; made by `python -m benchmarks.optima`.
OPTIMA = Path(__file__).with_name("optima.json")
#: The numbers of an optimal vertex of each linear program of at most so many nonzeros, by the instance's name; made by
#: `python -m benchmarks.vertices`.
VERTICES, MOST_NONZEROS = Path(__file__).with_name("vertices.json"), 100_000

__all__ = ["SETS", "SETS_VERSION", "instances"]


def instances(set_name: str) -> list[Instance]:
    """Return the instances of a set.

    Raises
    ------
    DomainError
        No set of that name.

    Examples
    --------
    >>> len(instances("small"))
    60
    """
    if set_name not in SETS:
        raise DomainError("set", set_name, "it is the name of a set of instances", nearest(str(set_name), SETS))
    return list(_built(set_name))


@cache
def _built(set_name: str) -> tuple[Instance, ...]:
    optima, vertices = (json.loads(path.read_text(encoding="utf-8")) for path in (OPTIMA, VERTICES))
    return tuple(
        Instance(
            name,
            draft.question,
            form,
            Optimum(*optima[draft.label]),
            draft.why,
            Vertex(*vertices[name]) if name in vertices else None,
        )
        for draft in SETS[set_name]()
        for name, form in draft.names()
    )
