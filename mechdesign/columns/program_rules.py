"""The cvxpy constraints that hold columns to a cone and to budgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.columns.cone import Budget, Cone

if TYPE_CHECKING:
    import cvxpy as cp


def cone_rules(cone: Cone, Q: cp.Variable, revealed: Sequence[int] = ()) -> list[cp.Constraint]:
    """Return ``Q >= 0`` and the rows of a cone, if it has any, for each column of Q.

    The last columns are not held to the cone: they reveal an input each, those of `revealed` in their order.

    Examples
    --------
    >>> import cvxpy as cp
    >>> len(cone_rules(Cone.of_rows(np.array([[2.0, -1.0]])), cp.Variable((2, 2))))
    2
    """
    import cvxpy as cp
    from scipy.sparse import csr_array

    within = Q.shape[1] - len(revealed)
    rules = [Q >= 0]
    if len(cone.on_column) and within > 0:
        slack: Any = csr_array(cone.on_column) @ Q[:, :within]
        if cone.on_auxiliary.shape[1]:
            auxiliary = cp.Variable((cone.on_auxiliary.shape[1], within), nonneg=True)
            slack = slack + csr_array(cone.on_auxiliary) @ auxiliary
        rules.append(slack >= 0)
    if revealed:
        rules.append(cp.multiply(1.0 - np.eye(Q.shape[0])[:, list(revealed)], Q[:, within:]) == 0)
    return rules


def budget_rules(budget: Budget, Q: cp.Variable) -> list[cp.Constraint]:
    """Return that sums over the columns of Q keep to budgets: ``peaks >= pieces @ Q`` and ``peaks @ 1 <= limits``.

    Examples
    --------
    >>> import cvxpy as cp
    >>> budget_rules(Budget.none(2), cp.Variable((2, 2)))
    []
    """
    import cvxpy as cp
    from scipy.sparse import csr_array, eye_array, kron

    if not len(budget):
        return []
    groups, each, n = budget.pieces.shape
    peaks = cp.Variable((groups, Q.shape[1]))
    of_group = csr_array(kron(eye_array(groups), np.ones((each, 1))))
    return [
        of_group @ peaks >= csr_array(budget.pieces.reshape(-1, n)) @ Q,
        cp.sum(peaks, axis=1) <= budget.limits,
    ]
