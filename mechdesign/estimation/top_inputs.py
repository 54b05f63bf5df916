"""The most frequent inputs of an estimate, with intervals that hold for all inputs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.displays import Block, Displayed, Table
from mechdesign.files.tables import Tabular
from mechdesign.parameters.checks import Array, whole

#: The columns of the table.
COLUMNS = ("label", "estimate", "low", "high")


@dataclass(frozen=True, eq=False)
class TopInputs(Tabular, Displayed):
    """The inputs of the largest estimated frequencies, the largest first, as ``estimate.top(k)`` returns them.

    Intervals hold for all inputs at once with the probability `level`, whichever were chosen.

    Attributes
    ----------
    inputs : tuple of int
        The number of each input.
    labels : tuple of str
        Their names.
    frequencies : ndarray, shape (k,)
        Their estimates.
    ends : ndarray, shape (k, 2)
        Their intervals.
    level : float
        Of the intervals.
    sure : int
        How many of them are certainly among the k most frequent, if all intervals hold.
    """

    inputs: tuple[int, ...]
    labels: tuple[str, ...]
    frequencies: Array
    ends: Array
    level: float
    sure: int

    def __len__(self) -> int:
        return len(self.inputs)

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        numbers = np.column_stack([self.frequencies, self.ends]).tolist()
        return [dict(zip(COLUMNS, (name, *row), strict=True)) for name, row in zip(self.labels, numbers, strict=True)]

    def __repr__(self) -> str:
        return f"TopInputs({len(self)} inputs, {self.sure} of them certainly)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the table, with how many of the inputs are certainly among the most frequent."""
        records = self._records()

        def row(k: int) -> tuple[str, ...]:
            return (str(records[k]["label"]), *(f"{records[k][name]:z.6f}" for name in COLUMNS[1:]))

        ends = f"{100 * self.level:.4g} % from"
        title = f"The {len(self)} most frequent inputs, {self.sure} of them certainly"
        return (Table.of(title, ("input", "frequency", ends, "to"), len(self), row, ("input",), "inputs"),)


def top_inputs(k: Any, frequencies: Array, ends: Array, level: float, named: Any) -> TopInputs:
    """Return the k inputs of the largest frequencies.

    Parameters
    ----------
    k : int
        At least 1; all inputs if there are no more.
    frequencies : ndarray, shape (n,)
        Estimates.
    ends : ndarray, shape (n, 2)
        Intervals that hold at once.
    level : float
        Of the intervals.
    named : callable
        The name of an input by its number.

    Raises
    ------
    DomainError
        No whole number of at least 1.

    Examples
    --------
    >>> ends = np.array([[0.1, 0.3], [0.5, 0.7], [0.15, 0.25]])
    >>> found = top_inputs(2, np.array([0.2, 0.6, 0.19]), ends, 0.95, str)
    >>> found.labels, found.sure
    (('1', '0'), 1)
    """
    count = min(whole("k", k, 1), len(frequencies))
    # Of equal frequencies the first input comes first.
    chosen = np.argsort(-frequencies, kind="stable")[:count]
    # Then at most count - 1 others may be more frequent.
    bar = np.sort(ends[:, 1])[::-1][count] if count < len(frequencies) else -np.inf
    sure = int(np.count_nonzero(ends[chosen, 0] > bar))
    return TopInputs(
        tuple(chosen.tolist()),
        tuple(named(int(x)) for x in chosen),
        frequencies[chosen],
        ends[chosen],
        level,
        sure,
    )
