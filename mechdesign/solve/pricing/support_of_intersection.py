"""The support function of an intersection with one curved cone or smooth budget: columns of that one, priced by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.columns import Cone, Shape, Support
from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram
from mechdesign.tolerances import PRICING

#: Rounds of pricing for each functional, after which the bound at hand is returned: it is sound.
MOST_ROUNDS = 60
#: Rounds in which the gap has to halve.
PATIENCE = 6
#: Columns that are kept for the next functional.
KEPT = 200
#: Functionals whose multipliers bound those that there is no time for.
MOST_LENT = 16


@dataclass
class _Pool:
    """Columns of the curved part on its slice, with what each takes of its budget; they serve every functional."""

    columns: Array
    cost: Array

    def add(self, column: Array, cost: Array) -> None:
        """Add a column, shape (n, 1), and forget the oldest but the first where there are many."""
        keep = [0, *range(max(1, self.columns.shape[1] - KEPT), self.columns.shape[1])]
        self.columns = np.hstack([self.columns[:, keep], column])
        self.cost = np.hstack([self.cost[:, keep], cost])


def joined_support(notion: Notion, problem: Problem, functionals: Array, nu: Array) -> Support:
    """Return at least the largest ``h . q - nu . beta(q)`` on the slice for each row h, shape (functionals, n).

    For any ``y >= 0`` on the rows ``G q + H t >= 0`` of the flat parts it is at most the curved part's own support
    function at ``h + y G``, and what the auxiliary variables t can gain. Good y come from programs over mixtures of
    known columns; each pricing adds the column at which the curved part's support function is reached. Where the
    deadline passes, the remaining functionals are bounded by the y of others.
    """
    shape, curved = notion.columns(problem), notion.columns(problem).curved
    assert curved is not None, "the support function of polyhedra needs no columns"
    cone, budget = shape.cone(), curved.budget()
    # The constant column lies in every cone, so that the first program has a solution.
    constant = np.ones((problem.n, 1))
    pool = _Pool(constant, budget.cost(constant))
    values, rounding = np.empty(len(functionals)), np.zeros(len(functionals))
    columns = np.empty((problem.n, len(functionals)))
    lent = [np.zeros(len(cone.on_column))]
    for index, functional in enumerate(functionals):
        if is_late():
            found = [_relaxed(curved, cone, problem, functionals[index:], nu, each) for each in lent]
            # The roundings are within the values; the largest counts for all.
            values[index:], columns[:, index:] = np.min([each.values for each in found], axis=0), 1.0
            rounding[index:] = np.max([each.rounding for each in found], axis=0)
            break
        values[index], rounding[index], columns[:, index], multipliers = _one(
            curved, cone, problem, functional, nu, pool
        )
        lent = [*lent[:1], *lent[1:][-MOST_LENT + 1 :], multipliers]
    return Support(values, columns, rounding)


def _relaxed(curved: Shape, cone: Cone, problem: Problem, functionals: Array, nu: Array, multipliers: Array) -> Support:
    """Return the support function of the curved part, the flat parts' rows relaxed by `multipliers` >= 0."""
    unit = rounding_unit(len(cone.on_column))
    # Raised by its own rounding and by that of the rows: columns are nowhere negative.
    blur = unit * (np.abs(functionals) + multipliers @ cone.sizes)
    priced = curved.support(functionals + multipliers @ cone.on_column + blur, nu)
    assert priced is not None, "a shape that is no polyhedron knows its support function"
    slack = unit * (multipliers @ np.abs(cone.on_auxiliary))
    spill = float(np.maximum(multipliers @ cone.on_auxiliary + slack, 0.0).sum()) * cone.ceiling
    moved = np.einsum("tx,xt->t", blur, np.abs(priced.columns))
    return Support(priced.values + (1.0 + unit) * spill, priced.columns, priced.rounding + moved + unit * spill)


def _one(
    curved: Shape, cone: Cone, problem: Problem, functional: Array, nu: Array, pool: _Pool
) -> tuple[float, float, Array, Array]:
    """Return the bound of one functional, its rounding, the best mixture of known columns, and its multipliers."""
    scale = max(float(np.abs(functional).max()), 1e-300)
    column, kept = np.ones(problem.n), np.zeros(len(cone.on_column))
    # The curved part alone: where it is all that binds, programs only come near to it.
    alone = _relaxed(curved, cone, problem, functional[None, :], nu, kept)
    best, rounding = float(alone.values[0]), float(alone.rounding[0])
    gaps: list[float] = []
    for _ in range(MOST_ROUNDS):
        value, column, multipliers = _mixture(cone, functional, nu, pool, scale)
        priced = _relaxed(curved, cone, problem, functional[None, :], nu, multipliers)
        if priced.values[0] < best:
            best, rounding, kept = float(priced.values[0]), float(priced.rounding[0]), multipliers
        gaps.append(best - value)
        # Rounding of large multipliers may leave a gap that no round closes.
        stalled = len(gaps) > PATIENCE and gaps[-1] > gaps[-1 - PATIENCE] / 2
        if gaps[-1] <= PRICING * scale or stalled or is_late():
            break
        pool.add(priced.columns, curved.budget().cost(priced.columns))
    return best, rounding, column, kept


def _mixture(cone: Cone, functional: Array, nu: Array, pool: _Pool, scale: float) -> tuple[float, Array, Array]:
    """Return the best value of a mixture of known columns, the mixture, and the multipliers of the cone's rows."""
    from scipy.sparse import csr_array

    count, extra = pool.columns.shape[1], cone.on_auxiliary.shape[1]
    worth = functional @ pool.columns - nu @ pool.cost
    rows = np.vstack(
        [
            np.concatenate([np.ones(count), np.zeros(extra)]),
            np.hstack([cone.on_column @ pool.columns, cone.on_auxiliary]),
        ]
    )
    low = np.concatenate([[1.0], np.zeros(len(rows) - 1)])
    high = np.concatenate([[1.0], np.full(len(rows) - 1, np.inf)])
    cost = np.concatenate([-worth / scale, np.zeros(extra)])
    found = solve_linear(LinearProgram(cost, csr_array(rows), low, high))
    weights = np.maximum(found.point[:count], 0.0)
    weights /= weights.sum()
    return float(worth @ weights), pool.columns @ weights, np.maximum(found.multipliers[1:] * scale, 0.0)
