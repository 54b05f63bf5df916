"""Mutual information between the datum and the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.domains import Array
from mechdesign.objectives.base import Separable
from mechdesign.objectives.decisions import data_count, datum_of_input
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: A posterior of 0 is taken as this much of the prior in a supporting functional, whose entry would be -infinite.
LEAST_LIFT = 1e-300


@dataclass(frozen=True)
class MutualInformation(Separable):
    r"""sum_y sum_x P_x Q[x, y] ln(Q[x, y] / (P . q_y)), in nats; maximised.

    A sum over columns of ``mu(v) = sum_x P_x v_x ln(v_x / P . v)`` with ``0 ln 0 = 0``: convex and homogeneous, so
    some optimum uses extreme rays alone. Where a notion widened the inputs, x is the datum that they carry and
    ``P_x Q[x, y]`` the mass of all inputs that carry it.

    Raises
    ------
    DomainError
        A problem without prior.

    Notes
    -----
    By Gibbs' inequality ``sum_x P_x v_x ln w_x <= mu(v)`` for all ``w > 0`` with ``P . w <= 1``; it is an equality at
    ``w = v / P . v``. The decisions are such w: no scalar, so the columns route refuses.

    References
    ----------
    zamani, eq. (1).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.MutualInformation().value([[0.75, 0.25], [0.25, 0.75]], problem), 6)
    0.130812
    """

    kind = "sublinear"
    sense = "maximise"
    unit = "nats"
    words = "mutual information between datum and output"
    needs_prior = True

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the relative entropy of the joint distribution to the product of its margins."""
        joint = _by_datum(problem) @ np.asarray(matrix, dtype=float)
        product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        met = joint > 0
        # x ln(x / u) - x + u is never negative, so that next to no information is not lost in rounding.
        excess, ratio = (joint[met] - product[met]) / product[met], joint[met] / product[met]
        logs = np.log1p(np.maximum(excess, -0.5)) + np.log(np.minimum(2.0 * ratio, 1.0))
        return float(np.sum(joint[met] * logs - (joint[met] - product[met])) + product[~met].sum())

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the information, convex in `Q`: no convex program maximises it."""
        import cvxpy as cp

        weights = _by_datum(problem)
        mass = cp.reshape(weights.sum(axis=0) @ Q, (1, Q.shape[1]), order="C")
        return cp.sum(cp.rel_entr(weights @ Q, weights.sum(axis=1)[:, None] @ mass))

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``sum_x j_x ln w_x - j_x + e_x`` with ``j_x = P_x v_x`` and the lift ``w_x = j_x / e_x``.

        The last two terms add up to 0 and make every term positive.
        """
        weights = _by_datum(problem)
        joint = weights @ columns
        expected = np.outer(weights.sum(axis=1), joint.sum(axis=0))
        changed = np.divide(joint - expected, expected, out=np.zeros_like(joint), where=expected > 0)
        # ln w near w = 1 from its change, far from it from w itself, which may be next to 0.
        near = np.abs(changed) < 0.5
        logs = np.where(near, np.log1p(np.where(near, changed, 0.0)), np.log(_lift(columns, weights)))
        return np.asarray(np.sum(joint * logs - joint + expected, axis=0))

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return ``P_x ln w_x`` with the lift w of each column; finite where an entry is 0."""
        weights = _by_datum(problem)
        return np.asarray(weights.T @ np.log(_lift(columns, weights)))


def _lift(columns: Array, weights: Array) -> Array:
    """Return ``Pr(y | datum) / Pr(y)``, at least LEAST_LIFT, shape (data, m); 1 for a column of zeros."""
    joint = weights @ columns
    mass = joint.sum(axis=0)
    expected = np.outer(weights.sum(axis=1), mass)
    ratios = np.divide(joint, expected, out=np.ones_like(joint), where=mass > 0)
    return np.maximum(ratios, LEAST_LIFT)


def _by_datum(problem: Problem) -> Array:
    """Return the prior of each input at its datum's row, shape (data, n), without data that have none."""
    assert problem.prior is not None, "check() refuses a problem without one"
    weights = np.zeros((data_count(problem), problem.n))
    weights[datum_of_input(problem), np.arange(problem.n)] = problem.prior / problem.prior.sum()
    return np.asarray(weights[weights.sum(axis=1) > 0])
