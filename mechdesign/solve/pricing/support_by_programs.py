"""The support function of a notion's cone by linear programs, whose multipliers give bounds whatever a solver says."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.errors import SolverError
from mechdesign.notions import Budget, Cone, Notion, Support
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.runtime.learned import learned
from mechdesign.solve.solvers.linear import solve_costs, solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram
from mechdesign.tolerances import SOLVER

#: Programs whose multipliers bound those that there is no time for.
MOST_LENT = 64
#: How far multipliers of a program's own may bound its value from it, relative to its largest coefficient.
SOLVED_TO = 1e-8
#: Programs at most that a second solver is asked for, and which.
MOST_AGAIN, SECOND = 64, "CLARABEL"


def support_by_programs(
    notion: Notion, problem: Problem, functionals: Array, nu: Array, *, for_largest: bool = False
) -> Support:
    """Return at least the largest ``h . q - nu . beta(q)`` on the slice for each row h, by a program for each.

    Parameters
    ----------
    functionals : ndarray, shape (count, n)
    nu : ndarray, shape (budgets,)
    for_largest : bool
        Whether only the largest of all values counts: a second solver is asked for it, and for the one that is the
        largest then, as long as that lowers it.
    """
    one = _OneColumn.of(notion, problem, nu)
    count = len(functionals)
    values, rounding = np.full(count, np.inf), np.zeros(count)
    columns = np.empty((problem.n, count))
    costs, scales = one.costs(functionals)
    # One region, many directions: each program starts from the vertex of the one before.
    try:
        solved = solve_costs(one.program(np.zeros(costs.shape[1])), costs)
    except SolverError:
        # Without any solver's multipliers there is a bound all the same.
        solved = []
    # Multipliers of the last programs over one column of the notion in this design: sound for all others, too.
    known: deque[Array] = learned(("multipliers of programs", notion, problem), partial(deque, maxlen=MOST_LENT))
    for index, (solution, scale) in enumerate(zip(solved, scales, strict=False)):
        duals = np.maximum(solution.multipliers[1:] * scale, 0.0)
        values[[index]], rounding[[index]] = one.bounded(functionals[[index]], duals)
        columns[:, index] = solution.point[: problem.n] / one.normal
        known.append(duals)
    done = len(solved)
    # No multipliers at all bound better than those of a program solved badly.
    none, by_rounding = one.bounded(functionals, np.zeros(one.rows.shape[0] - 1))
    better = none < values
    values, rounding = np.where(better, none, values), np.where(better, by_rounding, rounding)
    if done < count and known:
        # The deadline passed: multipliers of any program bound the others, the wider the less they are alike. What is
        # claimed has to follow from the program's own, too, which has been solved no better than this.
        rest = [one.bounded(functionals[done:], duals)[0] for duals in known]
        values[done:] = np.minimum(values[done:], np.min(rest, axis=0) + SOLVED_TO * scales[done:])
    columns[:, done:] = 1.0
    found = Support(values, columns, rounding)
    return _lowered(found, one, functionals) if for_largest and done == count else found


def _lowered(found: Support, one: _OneColumn, functionals: Array) -> Support:
    """Return the support function with its largest values lowered as far as a second solver's multipliers do.

    Where entries of a column differ by many orders, the simplex method ends at vertices that are feasible to its
    tolerance alone, and their multipliers are wrong by what grows along a chain of inputs.
    """
    values, rounding = found.values.copy(), found.rounding.copy()
    costs, scales = one.costs(functionals)
    asked = set[int]()
    while len(asked) < MOST_AGAIN and not is_late():
        at = int(values.argmax())
        if at in asked or values[at] <= SOLVER * scales[at]:
            break
        asked.add(at)
        try:
            other = solve_linear(one.program(costs[at]), SECOND, interior=True, time_limit=time_left())
        except SolverError:
            break
        value, raised_by = one.bounded(functionals[[at]], np.maximum(other.multipliers[1:] * scales[at], 0.0))
        if value[0] < values[at]:
            values[at], rounding[at] = value[0], raised_by[0]
    return Support(values, found.columns, rounding)


@dataclass(frozen=True)
class _OneColumn:
    """The program over one column of a notion on its slice, for any functional; charges `nu`, shape (budgets,)."""

    cone: Cone
    budget: Budget
    normal: Array
    nu: Array

    @classmethod
    def of(cls, notion: Notion, problem: Problem, nu: Array) -> Self:
        """Return the program of a notion, charges `nu` of shape (budgets,)."""
        return cls(notion.columns(problem).cone(), notion.columns(problem).budget(), notion.columns(problem).normal, nu)

    @cached_property
    def rows(self) -> Any:
        """The rows of `slice_rows`."""
        return slice_rows(self.cone, self.budget, self.normal)

    def program(self, cost: Array) -> LinearProgram:
        """Return the program of a cost, shape (variables,)."""
        low = np.concatenate([[1.0], np.zeros(self.rows.shape[0] - 1)])
        high = np.concatenate([[1.0], np.full(self.rows.shape[0] - 1, np.inf)])
        return LinearProgram(cost, self.rows, low, high)

    def costs(self, functionals: Array) -> tuple[Array, Array]:
        """Return the costs of functionals, shape (count, variables), each divided by its scale, shape (count,)."""
        # Masses of the inputs are the variables: a multiplier's error then counts as it is where an input is rare.
        by_mass, nu, count = functionals / self.normal, self.nu, len(functionals)
        scales = np.maximum(np.abs(by_mass).max(axis=1), max(float(nu.max(initial=0.0)), 1e-300))
        none = np.zeros((count, self.cone.on_auxiliary.shape[1]))
        costs = np.hstack([-by_mass, none, np.tile(nu, (count, 1)), np.tile(-nu, (count, 1))])
        return costs / scales[:, None], scales

    def bounded(self, functionals: Array, duals: Array) -> tuple[Array, Array]:
        """Return what any ``duals >= 0``, shape (rows,), bound each functional's value by, shape (count,).

        They are of the cone's rows and the budget's peaks. The second array says by how much rounding raised it.
        """
        cone, budget, normal, nu = self.cone, self.budget, self.normal, self.nu
        groups, each = budget.pieces.shape[:2]
        on_cone, on_pieces = duals[: len(cone.on_column)], duals[len(cone.on_column) :].reshape(groups, each)
        # beta is at least any convex combination of its pieces, and any y >= 0 relaxes the cone: sound whatever it is.
        totals = on_pieces.sum(axis=1, keepdims=True)
        weights = np.where(totals > 0, on_pieces / np.where(totals > 0, totals, 1.0), 1.0 / max(each, 1))
        reduced = functionals + (on_cone @ cone.on_column - np.einsum("k,kj,kjx->x", nu, weights, budget.pieces))
        spill = np.maximum(on_cone @ cone.on_auxiliary, 0.0).sum() * cone.ceiling
        # Every entry is raised by its rounding, and by that of the cone's and the budget's own.
        unit = rounding_unit(len(on_cone) + groups * each)
        charged = nu @ budget.sizes + np.einsum("k,kj,kjx->x", nu, weights, np.abs(budget.pieces))
        blur = unit * (np.abs(functionals) + (on_cone @ cone.sizes + charged))
        slack = on_cone @ np.abs(cone.on_auxiliary)
        spilled = np.maximum(on_cone @ cone.on_auxiliary + unit * slack, 0.0).sum() * cone.ceiling
        nominal = (reduced / normal).max(axis=1) + spill
        above = ((reduced + blur) / normal).max(axis=1) + spilled
        above += unit * (np.abs(above) + spilled)
        return above, above - nominal


def slice_rows(cone: Cone, budget: Budget, normal: Array) -> Any:
    """Return the rows of the program over the masses ``normal q``, shape (n,), of one column: sum, cone and peaks."""
    from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

    n, extra = len(normal), cone.on_auxiliary.shape[1]
    pieces = budget.pieces
    groups, each = pieces.shape[:2]
    # Sparse: with a budget for each pair of inputs a dense program would have their number to the fourth.
    of_group = csr_array(kron(eye_array(groups), np.ones((each, 1))))
    blocks = [
        [np.ones((1, n)), np.zeros((1, extra)), np.zeros((1, 2 * groups))],
        [cone.on_column / normal, cone.on_auxiliary, np.zeros((len(cone.on_column), 2 * groups))],
        [-pieces.reshape(-1, n) / normal, np.zeros((groups * each, extra)), hstack([of_group, -of_group])],
    ]
    stacked: Any = vstack([hstack([csr_array(part) for part in block]) for block in blocks])
    return csr_array(stacked)
