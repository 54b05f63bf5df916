"""Information on few labels, priced by cutting up what the labels see: few numbers, however many inputs there are.

What a column q is worth depends on ``u = W q`` alone, one number for each label. On a simplex of such vectors the
utility, convex and homogeneous, is at most its chord, a linear functional of u and so of q, whose largest value over
the columns is the support function of the notion. Simplices where that may exceed the best column seen are halved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import Notion
from mechdesign.objectives import Objective, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.label import Seen, seen_by_label
from mechdesign.objectives.label_information import INFORMATION
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.priced_columns import Columns
from mechdesign.solve.pricing.subdivision import Cells, Excess, Pricing, best_apart, searched
from mechdesign.solve.pricing.support import support, takes_no_program

#: Labels up to which what they see is cut up.
MOST_LABELS = 5
#: Of more labels than these fewer cells are looked at while multipliers still change.
QUICK_LABELS, FEW_CELLS = 4, 1 << 12
#: Cells that differ from the best column by less than this share of the terms are not halved any more.
FINEST = 1e-12
#: Columns that are handed back: a program over them is small, and further rounds are not.
RETURNED = 240


def is_seen_by_labels(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether columns are worth what labels see of them, and their support function is a formula."""
    about = objective.label_table is not None and is_separable(objective)
    return about and not len(notion.columns(problem).budget()) and takes_no_program(notion, problem)


def has_few_labels(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether the labels are so few that what they see is cut up."""
    table = objective.label_table
    if table is None or not is_seen_by_labels(notion, objective, problem):
        return False
    return 2 <= seen_by_label(table, problem).problem.n <= MOST_LABELS


def over_few_labels(columns: Columns) -> Excess | None:
    """Return a bound on the largest excess of a column, to the tolerance asked for, and columns that come near it.

    None if the utility is about no label.
    """
    table, objective = columns.objective.label_table, columns.objective
    if table is None or not is_separable(objective):
        return None
    pricing = _OfLabels(columns, objective, seen_by_label(table, columns.problem))
    # What a label that is disclosed is worth, at least.
    size = float(np.abs(columns.rows).sum() - np.log(pricing.normal.max()))
    tolerance = max(columns.tolerance, FINEST * size)
    labels = np.arange(len(pricing.normal))
    few = columns.for_search and len(labels) > QUICK_LABELS
    found = searched(pricing, labels[None, :], tolerance, FEW_CELLS if few else None)
    return replace(found, columns=pricing.kept())


class _OfLabels(Pricing):
    """The excess of columns by what labels see of them; corners are vectors of the labels."""

    def __init__(self, columns: Columns, objective: Separable, seen: Seen) -> None:
        prior = seen.problem.required_prior
        super().__init__(INFORMATION, seen.problem, prior, np.zeros(len(prior)))
        self.asked, self.of_inputs, self.channel = columns, objective, seen.channel
        self.found: list[tuple[Array, Array]] = []

    def cells(self, corners: Array) -> Cells:
        """Return the cells, corners of shape (cells, labels, labels), with the largest of each one's chord."""
        count, each, _ = corners.shape
        worth = self.gains(corners.reshape(-1, each).T).reshape(count, each)
        chords = self._raised(self._chords(corners, worth), corners, worth)
        notion, problem, rows = self.asked.notion, self.asked.problem, self.asked.rows
        blur = rounding_unit(len(rows)) * (np.abs(chords) @ self.channel + np.abs(rows))
        most = support(notion, problem, chords @ self.channel - rows + blur)
        self._see(most.columns)
        return Cells(corners, np.asarray(most.values))

    def _chords(self, corners: Array, worth: Array) -> Array:
        """Return the functionals with the values `worth` at the corners; tangents if corners are nearly one."""
        try:
            return np.asarray(np.linalg.solve(corners, worth[:, :, None])[:, :, 0])
        except np.linalg.LinAlgError:
            return np.asarray(self.objective.supporting(corners.mean(axis=1).T, self.problem).T)

    def _raised(self, chords: Array, corners: Array, worth: Array) -> Array:
        """Return functionals that are nowhere below `worth` at their corners, each of mass one."""
        missed = worth - np.einsum("cvt,ct->cv", corners, chords)
        size = np.einsum("cvt,ct->cv", corners, np.abs(chords)) + np.abs(worth)
        above = (np.maximum(missed, 0.0) + rounding_unit(corners.shape[1]) * size).max(axis=1)
        return np.asarray(chords + above[:, None] * self.normal)

    def _see(self, columns: Array) -> None:
        """Keep columns of the notion, shape (n, m), with what they exceed."""
        charged = self.asked.rows @ columns
        values = self.of_inputs.column_utility(columns, self.asked.problem) - charged
        self.best = max(self.best, float(values.max()))
        self.size = max(self.size, float((np.abs(values) + np.abs(self.asked.rows) @ columns).max()))
        order = np.argsort(-values, kind="stable")[:RETURNED]
        self.found.append((columns[:, order], values[order]))

    def kept(self) -> Array:
        """Return the columns that exceed most, shape (n, k)."""
        columns, values = zip(*self.found, strict=True)
        return best_apart(np.hstack(columns), np.concatenate(values), RETURNED)[0]
