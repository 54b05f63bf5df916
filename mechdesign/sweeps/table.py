"""What a sweep finds: a row for each question, in one order, and the row as a line of a results file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from mechdesign.question import in_json
from mechdesign.tables import OfRows, as_pandas, as_polars, save_csv

#: How a row ends whose gap is as asked.
CERTIFIED = "certified"


@dataclass(frozen=True)
class SweepRow:
    """One question of a sweep and what came of it; numbers are NaN where there is no design."""

    #: Its place in the product of problems, notions, objectives and levels, the last quickest.
    index: int
    #: The problem's name, or its place.
    problem: str
    n: int
    notion: str
    objective: str
    #: As it was asked for: one number, one for each part of the notion, or None for the notion as it is.
    level: float | tuple[float, ...] | None
    value: float
    bound: float
    gap: float
    outputs: int
    #: "certified", "gap wider than asked", "infeasible", "unsupported", "bad input", "solver failed", "failed", ...
    status: str
    #: The sentence that says why the row is not certified.
    reason: str
    route: str
    solver: str
    seconds: float

    def to_line(self) -> dict[str, Any]:
        """Return the row as JSON has it: no word for NaN but null, and infinity as text."""
        plain: dict[str, Any] = in_json(asdict(self), missing=True)
        return plain

    @classmethod
    def from_line(cls, line: Mapping[str, Any]) -> SweepRow:
        """Return the row that a line holds."""
        asked = line["level"]
        # An infinite level stands there as text.
        level = tuple(map(float, asked)) if isinstance(asked, list) else None if asked is None else float(asked)
        numbers = {name: math.nan if line[name] is None else float(line[name]) for name in NUMBERS}
        return cls(**{**line, **numbers, "level": level})


COLUMNS = tuple(field.name for field in fields(SweepRow))
#: The columns that are null in a line where there is no number.
NUMBERS = ("value", "bound", "gap", "seconds")


@dataclass(frozen=True)
class Sweep(OfRows[SweepRow]):
    """The rows of a sweep in the order of the product, whatever order they finished in."""

    rows: tuple[SweepRow, ...]
    #: How many there are to be; fewer rows where the sweep was interrupted.
    asked: int

    @property
    def complete(self) -> bool:
        """Whether every question has its row."""
        return len(self.rows) == self.asked

    @property
    def failures(self) -> tuple[SweepRow, ...]:
        """The rows that are not certified, each with its reason."""
        return tuple(row for row in self.rows if row.status != CERTIFIED)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame (needs the extra ``tables``)."""
        return as_pandas(self._plain(), COLUMNS)

    def to_polars(self) -> Any:
        """Return a polars DataFrame (needs the extra ``tables``)."""
        return as_polars(self._plain(), COLUMNS)

    def save(self, path: str | Path) -> Path:
        """Write the rows as CSV and return the path.

        A text that a spreadsheet would execute stands behind an apostrophe: drop one from the start of a text to have
        it back.
        """
        return save_csv(self._plain(), COLUMNS, path)

    def _plain(self) -> list[dict[str, Any]]:
        several = any(isinstance(row.level, tuple) for row in self.rows)
        return [asdict(row) | ({"level": str(row.level)} if several else {}) for row in self.rows]
