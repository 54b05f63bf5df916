"""Cells of a file as inputs of a mechanism, batch by batch: missing ones are dropped, unknown ones refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from mechdesign.cli.missing_answers import IN_COMMANDS
from mechdesign.errors import DomainError, nearest
from mechdesign.estimation.random_rounding import inputs_of, of_interval
from mechdesign.estimation.records import in_bins, outside
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters.labels import Names, Places
from mechdesign.parameters.written_numbers import as_number, decimal_comma, with_point
from mechdesign.problem import Problem
from mechdesign.problem.bins import bins_of_labels
from mechdesign.problem.missing import MISSING, MissingRule, looks_missing

Cell = tuple[int, str]


@dataclass(frozen=True)
class Answers:
    """The answers in a column of a file.

    Attributes
    ----------
    places : Places
        Where the label of each input of the mechanism stands.
    place : str
        Where an answer stands, with ``{}`` for its line.
    missing : MissingRule
        What stands for a missing answer.
    over : Problem, optional
        The problem, if it is over an interval: answers are its numbers, each rounded at random to a point beside it.
    """

    places: Places
    place: str
    missing: MissingRule
    over: Problem | None = None

    @property
    def labels(self) -> Names:
        """The labels of the mechanism's inputs."""
        return self.places.labels

    def inputs(self, cells: Iterable[Cell], before: int, rest: Iterable[str]) -> Indices:
        """Return the input of each cell of a batch, -1 for those that are dropped.

        Parameters
        ----------
        cells : iterable of (int, str)
            Lines and answers.
        before : int
            How many answers the batches before had.
        rest : iterable of str
            The answers after the batch; read for the message of an error only.

        Raises
        ------
        DomainError
            An answer that is no input, with its line.

        Examples
        --------
        >>> answers = Answers(Places(("no", "yes")), "a.csv line {}, smokes", MissingRule(None, drop=True))
        >>> answers.inputs([(2, "yes"), (3, "NA")], 0, []).tolist()
        [1, -1]
        """
        given = list(cells)
        texts = [text for _, text in given]
        known = {text: self._is_absent(text) for text in set(texts)}
        absent = np.array([known[text] for text in texts])
        found = self.places.of(texts) if self.over is None else self._rounded(texts, absent, self.over)
        unknown = (found < 0) & ~absent
        if unknown.any() and self.over is None:
            found = in_bins(texts, self.labels, found)
            unknown = (found < 0) & ~absent
        if unknown.any():
            self._refuse([given[at] for at in np.flatnonzero(unknown)], before + len(given), rest)
        if absent.any():
            found[absent] = -1 if self.missing.drop else self.places.table[MISSING]
        return found

    def _rounded(self, texts: Sequence[str], absent: npt.NDArray[np.bool_], over: Problem) -> Indices:
        """Return a point of the interval for each number, -1 for missing answers and numbers outside."""
        numbers = np.array([as_number(text) for text in texts], dtype=float)
        low, high = over.required_values[[0, -1]]
        inside = (numbers >= low) & (numbers <= high) & ~absent
        found = np.full(len(texts), -1, dtype=np.int64)
        found[inside] = inputs_of(numbers[inside], over)
        return found

    def _is_absent(self, text: str) -> bool:
        if self.missing.codes is None and text in self.places.table:
            # The usual codes are answers of a mechanism that has them.
            return False
        return self.missing.is_absent(text)

    def _refuse(self, strangers: list[Cell], read: int, rest: Iterable[str]) -> NoReturn:
        line, text = strangers[0]
        if looks_missing(text):
            self._refuse_missing(line, text, [each for _, each in strangers], read, list(rest))
        others = len(strangers) - 1
        more = f" (nor the labels of {others} rows soon after)" if others else ""
        rule, remedy = f"the problem does not have this label{more}", nearest(text, self.labels)
        bins = bins_of_labels(self.labels)
        if self.over is not None:
            rule, remedy = of_interval(self.over)
        elif bins is not None:
            rule, remedy = outside(bins)
        if (self.over is not None or bins is not None) and decimal_comma(text):
            remedy = with_point(text)
        raise DomainError(self.place.format(line), text or "empty", rule, remedy)

    def _refuse_missing(self, line: int, text: str, soon: list[str], read: int, rest: list[str]) -> NoReturn:
        after = [each for each in rest if looks_missing(each) and each not in self.places.table]
        codes = [each for each in soon if looks_missing(each)] + after
        rule = f"nothing may be missing ({len(codes)} of {read + len(rest)})"
        remedy = IN_COMMANDS.remedy(dict.fromkeys(codes))
        if MISSING not in self.labels:
            remedy = (
                f'give {IN_COMMANDS.drop} to leave them out, or sample by a mechanism that has the answer "{MISSING}"'
            )
        raise DomainError(self.place.format(line), text or "empty", rule, remedy)
