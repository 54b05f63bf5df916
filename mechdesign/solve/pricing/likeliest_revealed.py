"""Histogram MMSE under a bound on the maximal leakage: multipliers with a formula, and what they say of others.

The extreme columns are indicators of sets S of inputs, each of which takes 1 of the budget and gains
``sum_S P_x^2 / P(S)``. Where the r likeliest inputs are revealed, let ``p`` be the mass of the next one, ``m`` that of
all after it, ``a`` the sum of their squares over m, and ``T = m + p``. Then

    nu = p (m + a) / T,    lam_x = P_x - nu for the r likeliest,    lam_x = P_x (2 P_x - p - a) / T for the others

are at least as much on every set: ``sum_S P_x^2 / P(S) <= lam(S) + nu``. The proof is that of the theorem
``ours/histogram-maximal-leakage``.
"""

from __future__ import annotations

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import HistogramMMSE, Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.priced_columns import Priced, no_columns


def is_of_peaks(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether the sum of the columns' largest entries is all that is bounded: subclasses may compute another."""
    if type(objective) is not HistogramMMSE or problem.prior is None or problem.data_of_input is not None:
        return False
    return notion.columns(problem).sum_of_peaks is not None


def multipliers(masses: Array, revealed: int) -> Multipliers:
    """Return the multipliers of the formula, with `revealed` inputs revealed, 0 to n; from n - 1 on nothing is charged.

    Parameters
    ----------
    masses : ndarray, shape (n,)
        The prior, in any order.

    Examples
    --------
    >>> found = multipliers(np.array([0.5, 0.25, 0.25]), 0)
    >>> found.budget, found.rows
    (array([0.375]), array([ 0.125 , -0.0625, -0.0625]))
    """
    order = np.argsort(-masses, kind="stable")
    falling = masses[order]
    if revealed >= len(masses) - 1:
        return Multipliers(masses.copy(), np.zeros(1))
    first, after = float(falling[revealed]), falling[revealed + 1 :]
    mass = float(after.sum())
    mean, total = float((after**2).sum()) / mass, mass + first
    nu = first * (mass + mean) / total
    rows = np.empty_like(masses)
    rows[order[:revealed]] = falling[:revealed] - nu
    rows[order[revealed:]] = falling[revealed:] * (2.0 * falling[revealed:] - first - mean) / total
    return Multipliers(rows, np.array([nu]))


def excess(problem: Problem, rows: Array, charge: float) -> Priced:
    """Return a bound on ``mu(q) - charge max(q) - rows . q`` over the columns q of mean 1, and its rounding.

    It is at most ``(lam - rows) . q + (nu - charge) max(q)`` for the multipliers of the formula; those whose nu is the
    nearest to the charge are taken. `rows` are of shape (n,).
    """
    masses, n = problem.required_prior, problem.n
    low, high = 0, n
    # nu falls with the number of inputs that are revealed.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if multipliers(masses, middle).budget[0] >= charge else (low, middle)
    return min(_against(multipliers(masses, revealed), masses, rows, charge) for revealed in (low, low + 1))


def _against(formula: Multipliers, masses: Array, rows: Array, charge: float) -> Priced:
    """Return the bound by the formula at one number of inputs: entries of such q are at most n, peaks from 1 to n."""
    n, nu = len(masses), float(formula.budget[0])
    apart, above = formula.rows - rows, nu - charge
    value = n * float(apart.max()) + (n * above if above > 0 else above)
    # Without a charge the formula is the prior itself, and of equal numbers the difference is exact.
    formed = np.abs(formula.rows) + masses + nu if nu > 0 else np.zeros(n)
    size = float((formed + np.abs(apart)).max()) + nu + abs(above)
    rounding = 8.0 * rounding_unit(n) * n * size
    return Priced(value + rounding, rounding, no_columns(n))
