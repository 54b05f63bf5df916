"""Frequencies of words that were hashed into buckets, with what collisions add to their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.estimation.intervals import probability, quantile
from mechdesign.files.tables import Tabular
from mechdesign.parameters.checks import Array, frozen

#: The columns of the table, whose intervals have this level.
COLUMNS = ("label", "bucket", "estimate", "standard_error", "low", "high")
LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class WordFrequencies(Tabular, Displayed):
    """Frequencies of words from the buckets that they are hashed into, as `HashedVocabulary.frequencies` returns them.

    Attributes
    ----------
    labels : tuple of str
        The words, in their order.
    buckets : tuple of int
        The bucket of each word; words of one bucket have one estimate, and which of them people have is not known.
    frequencies : ndarray, shape (k,)
        The estimates: unbiased over the key, some of them may be negative.
    standard_errors : ndarray, shape (k,)
        Of the draw of people, the mechanism's noise and collisions together.
    collision_errors : ndarray, shape (k,)
        What collisions alone add: the squares of the others are `standard_errors` squared less these squared.
    reports : int
        How many people reported.
    """

    labels: tuple[str, ...]
    buckets: tuple[int, ...]
    frequencies: Array
    standard_errors: Array
    collision_errors: Array
    reports: int

    def __len__(self) -> int:
        return len(self.labels)

    def interval(self, level: float = LEVEL) -> Array:
        """Return a confidence interval of each frequency, shape (k, 2), over the draw of the key, too.

        Estimates plus and minus normal quantiles of their standard errors. They do not hold for all words at once,
        however wide: among as many words as there are buckets one shares its bucket with the most frequent word.

        Parameters
        ----------
        level : float
            Above 0 and below 1.

        Raises
        ------
        DomainError
            A level outside of its range.
        """
        half = quantile(probability(level)) * self.standard_errors
        return frozen(np.column_stack([self.frequencies - half, self.frequencies + half]))

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        numbers = np.column_stack([self.frequencies, self.standard_errors, self.interval()]).tolist()
        rows = zip(self.labels, self.buckets, numbers, strict=True)
        return [dict(zip(COLUMNS, (name, at, *row), strict=True)) for name, at, row in rows]

    def __repr__(self) -> str:
        return f"WordFrequencies({len(self)} words, {self.reports} reports)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return a table of the words, and how many of them share a bucket with another one."""
        records = self._records()

        def row(k: int) -> tuple[str, ...]:
            found = records[k]
            return (str(found["label"]), str(found["bucket"]), *(f"{found[name]:z.6f}" for name in COLUMNS[2:]))

        heads = ("word", "bucket", "frequency", "standard error", f"{100 * LEVEL:.4g} % from", "to")
        table = Table.of("Words", heads, len(self), row, ("word",), "words")
        shared = sum(self.buckets.count(bucket) > 1 for bucket in self.buckets)
        said = f"{shared} of {len(self)} words share a bucket with another one of them, and have its estimate."
        return (table, Lines("", (said,))) if shared else (table,)
