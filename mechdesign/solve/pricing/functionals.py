"""Columns priced by finitely many functionals: the decisions of an objective, or what bounds a convex one."""

from __future__ import annotations

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import Linear, Objective
from mechdesign.objectives.base import gains_of, is_convex, required_gains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.priced_columns import Priced
from mechdesign.solve.pricing.revealing_outputs import best_decisions, makes_decisions, units
from mechdesign.solve.pricing.support import cone_support, support, support_of_few

#: Floats differ by this share from one to the next.
EPS = float(np.finfo(float).eps)
#: Roundings of a functional's entry from its multipliers and the objective's numbers, with some room.
STEPS = 4.0
#: Columns of largest reduced cost that are returned beside a bound.
RETURNED = 64


def has_functionals(objective: Objective, problem: Problem) -> bool:
    """Return whether finitely many functionals of a column bound the utility."""
    return is_convex(objective) or gains_of(objective, problem) is not None


def functionals_of(objective: Objective, problem: Problem, multipliers: Multipliers) -> Array:
    """Return the functionals that bound the utility, one for each output, shape (outputs, n)."""
    if is_convex(objective):
        return np.asarray(-objective.minorant(multipliers.weights, problem).T)
    return required_gains(objective, problem)


def has_own_cost(objective: Objective, multipliers: Multipliers) -> bool:
    """Return whether the user's own constraints count: only beside a linear cost, elsewhere they are left out."""
    return multipliers.own_cost is not None and (isinstance(objective, Linear) or is_convex(objective))


def over_functionals(notion: Notion, problem: Problem, gains: Array, rows: Array, budget: Array) -> Priced:
    """Return the largest ``(gains - rows) . q - budget . beta(q)`` over the slice, and the best column of each gain.

    `gains` has the shape (functionals, n), `rows` (n,), `budget` (budgets,).
    """
    # Columns are nowhere negative: functionals that are raised bound, whatever column is best.
    blur = STEPS * EPS * (np.abs(gains) + np.abs(rows))
    found = support_of_few(notion, problem, gains - rows + blur, budget)
    rounding = found.rounding + np.einsum("tx,xt->t", blur, found.columns)
    return largest_of(found.values - found.rounding, rounding, found.columns)


def over_functionals_at_cost(
    notion: Notion, objective: Objective, problem: Problem, gains: Array, rows: Array, budget: Array, own: Array
) -> Priced:
    """Return it with a cost of each output besides, ``own[t] . q``, shape (outputs, n).

    Outputs that reveal an input have their cost at that input alone.
    """
    functionals, count, revealing = gains - rows, len(gains), units(notion, problem)
    apart = bool(revealing.shape[1]) and makes_decisions(objective, problem)
    blur = STEPS * EPS * (np.abs(gains) + np.abs(rows)) + STEPS * EPS * np.abs(own[:count])
    over = cone_support if apart else support
    found = over(notion, problem, functionals - own[:count] + blur, budget, for_largest=True)
    rounding = found.rounding + np.einsum("tx,xt->t", blur, found.columns)
    best = largest_of(found.values - found.rounding, rounding, found.columns)
    if not apart:
        return best
    decided = best_decisions(objective, revealing, problem)
    taken = functionals[decided] - own[count:]
    mass, charged = notion.columns(problem).normal @ revealing, notion.columns(problem).budget()
    values = (np.einsum("kx,xk->k", taken, revealing) - budget @ charged.cost(revealing)) / mass
    terms = np.einsum("kx,xk->k", blur[decided] / EPS + np.abs(own[count:]), revealing)
    terms += budget @ charged.sizes @ revealing
    revealed = largest_of(values, rounding_unit(len(budget)) * terms / mass, revealing / mass)
    columns = np.hstack([best.columns, revealed.columns])
    return Priced(max(best.bound, revealed.bound), max(best.rounding, revealed.rounding), columns)


def largest_of(values: Array, rounding: Array, columns: Array) -> Priced:
    """Return the largest value, each raised by its rounding, shapes (m,), and the columns, (n, m), of the largest."""
    above = float((values + rounding).max())
    best = np.argsort(-values, kind="stable")[:RETURNED]
    return Priced(above, max(above - float(values.max()), 0.0), columns[:, best])
