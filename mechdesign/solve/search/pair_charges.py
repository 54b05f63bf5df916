"""Multipliers of a budget for each pair of inputs, beside the rows': the need of all decisions for each pair.

A mechanism that reports the input with probability delta and is private otherwise is optimal where there are
multipliers whose charge for revealing an input is what that gains.
"""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.pair_flows import PairFlows


def charges_of_pairs(gains: Array, rows: Array, ratio: float) -> Array:
    """Return nu with ``gains_d . q <= rows . q + sum nu_xx' max(q_x - ratio q_x', 0)`` for each decision d.

    Each input is charged for what its own best decision gains, in proportion to the room of the others there; then
    each decision adds what its flow needs more. A decision gains nothing without budgets, or it needs more than there
    is room for.

    Parameters
    ----------
    gains : ndarray, shape (decisions, n)
    rows : ndarray, shape (n,)
        Multipliers of the rows, which suffice where columns satisfy LDP.

    Returns
    -------
    ndarray, shape (n, n)
        With zeros on its diagonal.
    """
    beyond = gains - rows
    own = beyond[gains.argmax(axis=0)]
    room = np.maximum(-own, 0.0)
    np.fill_diagonal(room, 0.0)
    total = room.sum(axis=1, keepdims=True)
    most = np.divide(room, total, out=np.zeros_like(room), where=total > 0)
    return with_more(most * np.maximum(np.diag(own), 0.0)[:, None], beyond, ratio)


def with_more(most: Array, beyond: Array, ratio: float) -> Array:
    """Return charges of pairs raised to what each functional, beyond the multipliers of the rows, needs.

    Parameters
    ----------
    most : ndarray, shape (n, n)
    beyond : ndarray, shape (functionals, n)
    """
    for functional in beyond:
        most = np.maximum(most, with_all(PairFlows(ratio, most), functional))
    return most


def with_all(flows: PairFlows, functional: Array) -> Array:
    """Return a flow of all that the functional has above 0, more than is allowed only where that is not enough.

    Parameters
    ----------
    functional : ndarray, shape (n,)
    """
    flow = flows.shipped(functional)
    left = np.maximum(functional - flow.sum(axis=1), 0.0)
    room = np.maximum(-functional / flows.ratio - flow.sum(axis=0), 0.0)
    left[functional <= 0] = 0.0
    if not left.any() or not room.any():
        return flow
    return np.asarray(flow + np.outer(left, room / max(room.sum(), left.sum())))
