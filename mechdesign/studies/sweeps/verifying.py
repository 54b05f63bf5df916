"""Whether a row of a results file is one of its sweep, and whether a row that was computed twice is the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mechdesign.files.strict_json import difference
from mechdesign.question.plain_values import in_json
from mechdesign.studies.sweeps.asking import Asked, names
from mechdesign.studies.sweeps.table import COLUMNS, NUMBERS, SweepRow
from mechdesign.tolerances import ROUNDING

#: The columns of a row's outcome that are not numbers.
OUTCOME = ("outputs", "status", "route", "solver")


def fault(asked: Sequence[Asked], line: Mapping[str, Any]) -> str | None:
    """Say why a line of a results file is no row of that sweep, None where it is one."""
    index = line.get("index")
    if type(index) is not int or not 0 <= index < len(asked):
        return "it has no index of a row"
    if set(line) != set(COLUMNS):
        return "it lacks a column or has one too many"
    said = in_json(list(names(asked[index])), missing=True)
    if difference([line[name] for name in COLUMNS[: len(said)]], said, lax=True) is not None:
        return "it is of another question"
    try:
        return difference(dict(line), SweepRow.from_line(line).to_line(), lax=True)
    except (TypeError, ValueError, OverflowError):
        return "it has something else for a number"


def same_numbers(one: SweepRow, other: SweepRow) -> bool:
    """Return whether two rows of one question are equal to the last bit, apart from their seconds.

    Examples
    --------
    >>> row = SweepRow(0, "a", 2, "LDP", "MMSE", 1.0, 0.5, 0.5, 4e-14, 2, "certified", "", "rays", "HIGHS", 0.1)
    >>> from dataclasses import replace
    >>> same_numbers(row, replace(row, seconds=0.2)), same_numbers(row, replace(row, gap=0.0))
    (True, False)
    """
    plain, again = ({**row.to_line(), "seconds": None} for row in (one, other))
    return difference(plain, again) is None


def alike(one: SweepRow, other: SweepRow) -> bool:
    """Return whether two rows of one question are equal up to rounding, apart from their seconds."""
    same = all(getattr(one, name) == getattr(other, name) for name in OUTCOME)
    pairs = [(getattr(one, name), getattr(other, name)) for name in NUMBERS if name != "seconds"]
    size = max((abs(each) for pair in pairs[:2] for each in pair if math.isfinite(each)), default=0.0)
    scales = (size, size, 1.0)
    return same and all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= ROUNDING * scale
        for (a, b), scale in zip(pairs, scales, strict=True)
    )
