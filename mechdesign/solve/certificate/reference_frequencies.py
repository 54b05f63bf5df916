r"""Bound of information designs under LDP by reference frequencies nu: any distribution of the inputs gives one.

For the information ``J = sum_y q_y q_y' / (theta . q_y)`` of every mechanism with epsilon-LDP at frequencies theta,

.. math:: \operatorname{trace}(G J) \le 1, \qquad
    G = \frac{\operatorname{diag}(\nu) - \nu \nu'}{\sinh^2(\epsilon / 2)} - (\nu - \theta)(\nu - \theta)'.

A column v with entries between 1 and ``E = e^epsilon`` has ``sum_x nu_x v_x^2 <= (E + 1) a - E`` for ``a = nu . v``. So
with ``m = theta . v``, ``v' G v <= 2 a m - m^2 - ((E + 1) a - 2 E)^2 / (E - 1)^2``, and the sum of ``2 a - m`` over the
columns of a mechanism is ``2 - 1``. Where G is positive definite on contrasts it bounds every criterion of information
designs. In the order of matrices G is concave in nu.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Levels between which the fourth power of ``sinh`` is a float.
LEAST_LEVEL, LARGEST_LEVEL = 1e-60, 600.0


def stretch(epsilon: float) -> float:
    """Return a number just below ``1 / sinh(epsilon / 2)^2``, which is 0 at levels beyond floats.

    Examples
    --------
    >>> round(stretch(1.0), 6)
    3.682694
    """
    if epsilon > LARGEST_LEVEL:
        return 0.0
    return (1.0 - 16.0 * float(np.finfo(float).eps)) / math.sinh(0.5 * max(epsilon, LEAST_LEVEL)) ** 2


def slope_at(nu: Array, theta: Array, stretched: float) -> Array:
    """Return G, shape (n, n), for reference frequencies nu and frequencies theta, both of shape (n,)."""
    apart = nu - theta
    return stretched * (np.diag(nu) - np.outer(nu, nu)) - np.outer(apart, apart)


def least_by_reference(
    notion: Notion, objective: Any, problem: Problem, claimed: Array | None
) -> tuple[float, float] | None:
    """Return a lower bound on the criterion of all mechanisms under LDP, and its rounding; None under other notions.

    Parameters
    ----------
    objective : InformationDesign
        A criterion of the information about all frequencies.
    claimed : ndarray, shape (n,), or None
        Reference frequencies, up to a factor. None is returned for another shape, for entries that are negative or
        not finite, and where G is not positive definite.
    """
    n = problem.n
    if claimed is None or np.shape(claimed) != (n,) or n < 2 or not is_ldp_of_inputs(notion, problem):
        return None
    given, theta = np.asarray(claimed, dtype=float), objective.theta_of(problem)
    if not np.all(given >= 0) or not 0 < float(given.max()) < math.inf or not notion.epsilon > 0:
        return None
    nu, stretched, basis = given / float(given.max()), stretch(notion.epsilon), contrasts(n)
    nu = nu / math.fsum(nu)
    slope = basis.T @ slope_at(nu, theta, stretched) @ basis
    # Of the terms of each entry, whose products with the basis are rounded once more.
    sizes = stretched * (np.diag(nu) + np.outer(nu, nu)) + np.outer(nu + theta, nu + theta)
    noise = 8.0 * rounding_unit(n) * float(np.linalg.norm(np.abs(basis).T @ sizes @ np.abs(basis)))
    found, further = (_least(slope - k * noise * np.eye(n - 1), objective, problem) for k in (1.0, 2.0))
    if found is None or further is None:
        return None
    return found, abs(found - further) + rounding_unit(n) * (abs(found) + n)


def _least(slope: Array, objective: Any, problem: Problem) -> float | None:
    """Return the least value of any M with ``trace(B M) <= 1``; None where B is not positive definite."""
    try:
        return float(objective.least_value(0.5 * (slope + slope.T), 1.0, problem))
    except np.linalg.LinAlgError:
        return None
