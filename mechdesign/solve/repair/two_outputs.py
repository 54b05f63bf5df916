"""Mechanisms of two outputs, as strong as a notion allows: what a program loses in its tolerances at small levels.

Where next to nothing may be learnt, a program's optimum is lost in the solver's tolerance and in its repair. The
strongest two outputs that separate one part of the inputs from the others are found by bisection with the exact check:
they lose what multiples of 2**-53 cost, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.objectives import RatioType
from mechdesign.parameters.checks import Array, frozen
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.revealing_outputs import decided
from mechdesign.solve.pricing.support import has_formula, support
from mechdesign.solve.task import Task
from mechdesign.tolerances import DENOMINATOR_BITS

#: Inputs up to which these are tried, and how many parts of the inputs are separated at most.
MOST_INPUTS, MOST_SIDES = 64, 16
HALF = 1 << (DENOMINATOR_BITS - 1)


def two_outputs(task: Task) -> Iterator[Array]:
    """Yield private matrices ``1/2 + k side, 1/2 - k side``, while there is time; none for many inputs."""
    objective, problem = task.objective, task.problem
    many = problem.n > MOST_INPUTS or problem.is_hidden or objective.outputs(problem) is not None
    if many or task.subject_to is not None:
        return
    for side in _sides(task):
        if is_late():
            return
        found = _strongest(task, side)
        # Two outputs may carry too little information for any finite value.
        if found is not None and np.isfinite(objective.value(decided(found, objective, problem), problem)):
            yield frozen(found)


def _sides(task: Task) -> list[Array]:
    """Return for each pair of outputs how much more likely each input makes the first of them, in [-1, 1]."""
    problem, objective = task.problem, task.objective
    sides: list[Array] = []
    if isinstance(objective, RatioType):
        ratio = objective.ratio(problem)
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(np.nan_to_num(ratio.difference / ratio.b), kind="stable")
        if task.notion.polyhedral and has_formula(task.notion, problem):
            columns = support(task.notion, problem, np.stack([ratio.difference, -ratio.difference])).columns
            # A column of the cone, less its mean, is a direction in which two outputs may differ.
            sides += [_centred(column, task) for column in columns.T]
    else:
        order = np.argsort(problem.channel.sum(axis=0) if problem.prior is None else problem.prior, kind="stable")
    for cut in sorted({round(place) for place in np.linspace(1, problem.n - 1, MOST_SIDES)} & set(range(1, problem.n))):
        side = np.full(problem.n, -1.0)
        side[order[cut:]] = 1.0
        sides.append(side)
    return sides


def _centred(column: Array, task: Task) -> Array:
    """Return by how much the column's entries lie off its mass, scaled to [-1, 1]."""
    normal = task.columns.normal
    moved = column - column.min()
    moved = moved - float(normal @ moved) / float(normal.sum())
    return np.asarray(moved / (np.abs(moved).max() or 1.0))


def _strongest(task: Task, side: Array) -> Array | None:
    """Return ``1/2 + k side, 1/2 - k side`` with the largest k for which that is private, or None for none."""
    numerators = np.empty((len(side), 2), dtype=np.int64)

    def private(k: int) -> bool:
        moved = np.round(side * k).astype(np.int64)
        numerators[:, 0], numerators[:, 1] = HALF + moved, HALF - moved
        return bool(task.notion.holds_exactly(numerators, task.problem))

    allowed, refused = 0, HALF + 1
    while refused - allowed > 1:
        middle = (allowed + refused) // 2
        allowed, refused = (middle, refused) if private(middle) else (allowed, middle)
    if not allowed or not private(allowed):
        return None
    return np.asarray(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS))
