"""Merging of the last outputs of negligible mass, exactly, after a mechanism is repaired and proved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.mechanism import Certificate
from mechdesign.parameters.checks import Array, frozen
from mechdesign.question import Question
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.claims import derive
from mechdesign.solve.pricing.revealing_outputs import decided, reveals
from mechdesign.solve.task import Task
from mechdesign.tolerances import NEGLIGIBLE

#: Up to so many outputs each is tried for a merger; beyond, only the one with the nearest posterior.
MANY = 64


def without_negligible_outputs(
    question: Question, task: Task, matrix: Array, claims: Certificate
) -> tuple[Array, Certificate]:
    """Return the matrix and its claims with outputs of negligible mass merged, up to the gap asked for.

    Sums of columns are post-processing, and multiples of 2**-53 again: what was private stays so.
    """
    if not claims.gap <= task.gap or not task.notion.closed_under_postprocessing or task.subject_to is not None:
        return matrix, claims
    if not _some(matrix.max(axis=0)).any():
        return matrix, claims
    lost, gained = 0.0, abs(claims.value - task.objective.uninformative(task.problem))
    while not is_late():
        tops = matrix.max(axis=0)
        small = _some(tops) & ~reveals(matrix, task.columns.revealed)
        if not small.any() or not (tops >= NEGLIGIBLE).any():
            break
        merged, value = _best_merged(task, matrix, int(np.flatnonzero(small)[tops[small].argmin()]))
        if not np.isfinite(value):
            # What only such outputs let estimate is worth an output.
            break
        again = derive(question, task.problem, merged, claims.multipliers, claims.route)
        lost += abs(value - claims.value)
        if not again.gap <= task.gap or not lost <= task.gap * gained:
            break
        matrix, claims = merged, again
    return matrix, claims


def _some(tops: Array) -> npt.NDArray[np.bool_]:
    return (tops > 0) & (tops < NEGLIGIBLE)


def _best_merged(task: Task, matrix: Array, place: int) -> tuple[Array, float]:
    """Return the best matrix with the column at `place` added to one that is not negligible, and its value."""
    column, tops = matrix[:, place], matrix.max(axis=0)
    targets = np.flatnonzero(tops >= NEGLIGIBLE)
    if len(targets) > MANY:
        directions = matrix[:, targets] / np.linalg.norm(matrix[:, targets], axis=0)
        targets = targets[[int((directions.T @ column).argmax())]]
    found: list[tuple[float, Array, float]] = []
    for target in targets:
        merged = matrix.copy()
        merged[:, target] += column
        merged[:, place] = 0.0
        value = task.objective.value(decided(merged, task.objective, task.problem), task.problem)
        found.append((task.objective.to_utility(value, task.problem), merged, value))
    _, best, value = max(found, key=lambda one: one[0])
    keep = task.objective.outputs(task.problem) is not None
    return frozen(best if keep else np.delete(best, place, axis=1)), value
