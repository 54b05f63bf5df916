"""What a sweep finds: a row for each question, in one order, and the row as a line of a results file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from mechdesign.displays import Block, Displayed, Lines, Record, Table
from mechdesign.displays.blocks import MOST_RESULTS
from mechdesign.displays.numbers import digits, rounded_up
from mechdesign.files.tables import OfRows
from mechdesign.question.plain_values import in_json

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: The status of a row whose gap is as asked.
CERTIFIED = "certified"


@dataclass(frozen=True)
class SweepRow(Record):
    """One question of a sweep and its outcome; numbers are NaN without a design.

    Attributes
    ----------
    index : int
        Its place in the product of problems, notions, objectives and levels, the last quickest.
    problem : str
        The problem's name, or its place.
    n : int
        Number of inputs.
    notion : str
        The notion's name.
    objective : str
        The objective's name.
    level : float, tuple of float or None
        As it was asked for: one number, one for each part of the notion, or None for the notion as it is.
    value : float
        The objective in its own sense.
    bound : float
        No mechanism does better than this.
    gap : float
        The certified relative gap.
    outputs : int
        How many outputs the mechanism uses.
    status : str
        "certified", "gap wider than asked", "infeasible", "unsupported", "bad input", "solver failed", "failed", ...
    reason : str
        The sentence that says why the row is not certified.
    route : str
        The route that answered.
    solver : str
        The solver that it took.
    seconds : float
        How long it took.
    """

    index: int
    problem: str
    n: int
    notion: str
    objective: str
    level: float | tuple[float, ...] | None
    value: float
    bound: float
    gap: float
    outputs: int
    status: str
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
class Sweep(OfRows[SweepRow], Displayed):
    """The rows of a sweep in the order of the product, whatever order they finished in.

    Attributes
    ----------
    rows : tuple of SweepRow
        One for each question that was answered, failed ones included.
    asked : int
        How many there are to be; fewer rows where the sweep was interrupted.
    """

    rows: tuple[SweepRow, ...]
    asked: int

    @property
    def complete(self) -> bool:
        """Whether every question has its row."""
        return len(self.rows) == self.asked

    @property
    def failures(self) -> tuple[SweepRow, ...]:
        """The rows that are not certified, each with its reason."""
        return tuple(row for row in self.rows if row.status != CERTIFIED)

    def plot(
        self, ax: Axes | Figure | None = None, *, x: str = "level", y: str = "value", hue: str | None = "notion"
    ) -> Figure:
        """Draw one column against another, in colours by a third, and return the figure.

        As `mechdesign.plotting.sweep` does, which says which columns there are and what is refused.
        """
        from mechdesign.plotting import sweep

        return sweep(self, ax, x=x, y=y, hue=hue)

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        several = any(isinstance(row.level, tuple) for row in self.rows)
        return [asdict(row) | ({"level": str(row.level)} if several else {}) for row in self.rows]

    def __repr__(self) -> str:
        return f"Sweep({len(self.rows)} of {self.asked} rows, {len(self.failures)} not certified)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the numbers of rows by status, and the table of the rows."""
        counts = Counter(row.status for row in self.rows)
        said = [f"{len(self.rows)} of {self.asked} rows: {', '.join(f'{n} {status}' for status, n in counts.items())}."]
        heads = ("problem", "notion", "objective", "level", "value", "bound", "gap", "status")

        def row(index: int) -> tuple[str, ...]:
            each = self.rows[index]
            level = "-" if each.level is None else str(each.level)
            names = (each.problem, each.notion, each.objective, level)
            return (*names, digits(each.value), digits(each.bound), rounded_up(each.gap, 2), each.status)

        words = ("problem", "notion", "objective", "status")
        return (Lines("Sweep", tuple(said)), Table.of("", heads, len(self.rows), row, words, most=MOST_RESULTS))
