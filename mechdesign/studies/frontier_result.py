"""The designs of one question at many levels: numbers by level, tables and the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.designing.proving import manners
from mechdesign.designing.result import Design
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_RESULTS, listed
from mechdesign.displays.numbers import in_full, outward, rounded_up
from mechdesign.errors import MechdesignError
from mechdesign.files.kinds import FileKind
from mechdesign.files.table_formats import format_of
from mechdesign.files.tables import Tabular, kind_of
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array
from mechdesign.rivals.rival import Rival, rivals

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

COLUMNS = ("value", "bound", "gap", "outputs", "route", "solver", "seconds", "proved")
#: A frontier's table, whatever its level is called; former ones do not say what is proved.
FRONTIER_FILE = FileKind("the table", (".csv",), (rf"[^\r\n]+,{','.join(COLUMNS[:-1])}(,{COLUMNS[-1]})?\r?\n",))


@dataclass(frozen=True)
class Frontier(Tabular, Sequence[Design], Displayed):
    """The designs of one question at many levels, in the order in which the levels were given.

    Attributes
    ----------
    level_name : str
        What the levels are of: epsilon, mostly.
    designs : tuple of Design
        One for each level.
    seconds : tuple of float
        How long each took.
    complete : bool
        Whether every level has its design: the stricter ones have where it was interrupted.
    """

    level_name: str
    designs: tuple[Design, ...]
    seconds: tuple[float, ...]
    complete: bool = True

    def __getitem__(self, index: int) -> Design:  # type: ignore[override] # slices are not offered
        return self.designs[index]

    def __len__(self) -> int:
        return len(self.designs)

    def __iter__(self) -> Iterator[Design]:
        return iter(self.designs)

    @property
    def levels(self) -> Array:
        """The levels, shape (k,); (k, parts) for a notion of several parts."""
        found = np.array([made.mechanism.asked.notion.parameters for made in self.designs])
        return found[:, 0] if found.shape[1] == 1 else found

    @property
    def values(self) -> Array:
        """The objective at each level, in its own sense."""
        return np.array([made.value for made in self.designs])

    @property
    def bounds(self) -> Array:
        """What no mechanism does better than, at each level."""
        return np.array([made.bound for made in self.designs])

    @property
    def gaps(self) -> Array:
        """The certified relative gap at each level."""
        return np.array([made.gap for made in self.designs])

    @property
    def proved(self) -> Array:
        """Whether the bound is proved in integers, at each level; otherwise it is certified in floating point."""
        return np.array([made.mechanism.claimed.proved for made in self.designs])

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """What the tables hold: the level under its name (``epsilon``; one column for each part), value, bound, gap."""
        return tuple(
            {
                **dict(zip(self._names(), made.mechanism.asked.notion.parameters, strict=True)),
                "value": made.value,
                "bound": made.bound,
                "gap": made.gap,
                "outputs": made.mechanism.used_outputs,
                "route": made.route,
                "solver": made.solver_stats.name,
                "seconds": seconds,
                "proved": made.mechanism.claimed.proved,
            }
            for made, seconds in zip(self.designs, self.seconds, strict=True)
        )

    @cached_property
    def rivals(self) -> tuple[tuple[Rival, ...], ...]:
        """What one would use instead at each level; empty where there is nothing to compare it by."""
        return tuple(_rivals(made) for made in self.designs)

    def plot(
        self, ax: Axes | Figure | None = None, *, baselines: bool | None = None, part: int | None = None
    ) -> Figure:
        """Draw the values with their bounds against the level, beside known mechanisms, and return the figure.

        As `mechdesign.plotting.frontier` does, which says what the parameters are, and draws several frontiers.
        """
        from mechdesign.plotting import frontier as drawn

        return drawn(self, ax, baselines=baselines, part=part)

    def _columns(self) -> tuple[str, ...]:
        return (*self._names(), *COLUMNS)

    def _records(self) -> tuple[dict[str, Any], ...]:
        return self.rows

    def _file_kind(self) -> FileKind:
        return FRONTIER_FILE

    def __repr__(self) -> str:
        return f"Frontier({self.level_name}={listed(self.levels.tolist())}, {len(self.designs)} designs)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the question and what each level reaches."""
        asked = self.designs[0].mechanism.asked
        question = Lines(f"Question, at its first level: {asked.notion}", asked.display()[0].lines)
        return (question, *self.story(MOST_RESULTS))

    def story(self, most: int) -> tuple[Block, ...]:
        """Return a table of what each level reaches, of `most` levels at most."""

        def row(index: int) -> tuple[str, ...]:
            made = self.designs[index]
            level = ", ".join(f"{in_full(part)}" for part in made.mechanism.asked.notion.parameters)
            shown = outward(made.value, made.bound, made.mechanism.asked.objective.sense, 9)
            return (level, *shown, rounded_up(made.gap, 2), made.route)

        heads = (self.level_name, "value", "bound", "gap", "route")
        proved = sum(made.mechanism.claimed.proved for made in self.designs)
        return (
            Table.of("Frontier", heads, len(self.designs), row, ("route",), "levels", most),
            Lines("Bounds", (manners(proved, len(self.designs)),)),
        )

    def _names(self) -> tuple[str, ...]:
        return _names(self.designs[0].mechanism.asked.notion)


def frontier_file(path: str | Path, notion: Notion) -> FileKind:
    """Return the kind of file that a frontier under a notion is written to at a path, by its ending."""
    return FRONTIER_FILE if format_of(path) is None else kind_of(path, (*_names(notion), *COLUMNS))


def _names(notion: Notion) -> tuple[str, ...]:
    """Return the names of the level's columns: one for each part of the notion."""
    count = len(notion.parameters)
    if count == 1:
        return (notion.level_name,)
    named = tuple(name.strip() for name in notion.level_name.split(","))
    return named if len(named) == count else tuple(f"{notion.level_name}_{part}" for part in range(count))


def _rivals(made: Design) -> tuple[Rival, ...]:
    try:
        return rivals(made.mechanism.asked)
    except MechdesignError:
        return ()
