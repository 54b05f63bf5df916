"""A bound on information designs from the sizes of sets, or of squared entries, for any number of inputs.

With ``G = I - 1 1'/n`` the information of an output is ``q' G q / (theta . q)``. That of all outputs adds up to
``trace(G K)``, of which `least_of_total` makes a bound on the criterion.
"""

from __future__ import annotations

import numpy as np

from mechdesign.exact import exp_down
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.base import unit
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.reference_frequencies import least_by_reference
from mechdesign.solve.certificate.squared_entries import least_by_squares
from mechdesign.tolerances import LARGEST_EXPONENT

#: Halvings of the interval of a multiplier: any multiplier gives a bound.
BISECTIONS = 50


def least_without_rays(
    notion: Notion, objective: InformationDesign, problem: Problem, lam: Array, slope: Array | None = None
) -> tuple[float, float]:
    """Return a lower bound on the value of every mechanism that satisfies the notion, and an estimate of its rounding.

    The largest of what the sets of LDP allow (by their sizes, and by reference frequencies where given), of what
    bounds on squared entries allow, and of the value of the inputs themselves, which no report is worth more than. Each
    part of an intersection counts by itself.

    Parameters
    ----------
    lam : ndarray, shape (n,)
        Multipliers of the rows, of which the mean is taken.
    slope : ndarray, optional
        As `ReferenceForm.packed` makes it, or the shares of the inputs.
    """
    own = objective.no_privacy(problem)
    bounds = [(own, unit(problem.n) * max(abs(own), 1.0))]
    for part in notion.members():
        total = total_of_sets(part, objective, problem, float(lam.mean()))
        bounds += [] if total is None else [least_of_total(objective, problem, *total)]
        bounds += least_by_squares(part, objective, problem, slope)
        reference = least_by_reference(part, objective, problem, slope)
        bounds += [] if reference is None else [(reference[0] + reference[1], reference[1])]
    return max(bounds, key=lambda bound: bound[0] - bound[1])


def total_of_sets(
    notion: Notion, objective: InformationDesign, problem: Problem, a: float
) -> tuple[float, float] | None:
    """Return a number above ``trace(G K)`` of every mechanism under LDP, with its rounding; None under other notions.

    Parameters
    ----------
    a : float
        Any number, as for `total_of_sizes`.
    """
    if not is_ldp_of_inputs(notion, problem):
        return None
    return total_of_sizes(notion.epsilon, objective.theta_of(problem), a)


def total_of_sizes(epsilon: float, theta: Array, a: float) -> tuple[float, float]:
    r"""Return a number above ``trace(G K)`` of every mechanism under LDP at frequencies theta, with its rounding.

    An extreme column is ``v = low + (1 - low) 1_S``, ``low = e^-epsilon``. With k elements it has
    ``v' G v = (1 - low)^2 k (n - k) / n`` and ``sum v = n low + (1 - low) k``, and its mass ``m = theta . v`` lies
    between those of the k smallest and the k largest frequencies. So for any number a

    .. math:: \operatorname{trace}(G K) \le a n + \max_k \max_m \Bigl(\frac{v' G v}{m^2} - \frac{a \sum v}{m}\Bigr),

    and the inner maximum, convex in ``1 / m``, is at one of the two ends.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        Frequencies.
    a : float
        Any number; `best_multiplier` has the best one.
    """
    n, low = len(theta), exp_down(-min(epsilon, LARGEST_EXPONENT))
    information, sums, inverse = _of_sizes(theta, low)
    # In this order: no set has no information, however small its mass.
    squares = information * inverse * inverse
    above = squares - a * sums * inverse
    sizes = squares + abs(a) * sums * inverse
    rounding = 4.0 * unit(n) * (abs(a) * n + float(sizes.max()))
    return a * n + float(above.max()) + rounding, rounding


def best_multiplier(theta: Array, epsilon: float) -> float:
    """Return the number a of the least bound of `total_of_sizes` at frequencies theta, shape (n,), by bisection.

    Examples
    --------
    >>> best_multiplier(np.full(4, 0.25), 1.0)
    0.0
    >>> best_multiplier(np.array([0.7, 0.1, 0.1, 0.1]), 1.0) > 0
    True
    """
    if float(np.ptp(theta)) == 0.0:
        return 0.0
    n, low = len(theta), float(np.exp(-min(epsilon, LARGEST_EXPONENT)))
    information, sums, inverse = _of_sizes(theta, low)
    squares = information * inverse * inverse

    def slope(a: float) -> float:
        """Return a subgradient of the bound at a."""
        worst = np.unravel_index(int((squares - a * sums * inverse).argmax()), inverse.shape)
        return float(n - (sums * inverse)[worst])

    high = float(squares.max())
    ends = [-high, high]
    for _ in range(BISECTIONS):
        middle = 0.5 * (ends[0] + ends[1])
        ends[int(slope(middle) > 0)] = middle
    return 0.5 * (ends[0] + ends[1])


def _of_sizes(theta: Array, low: float) -> tuple[Array, Array, Array]:
    """Return ``v' G v``, the sum of v, and 1 over its least and its largest mass, of sets of each size."""
    n, ranked, rise = len(theta), np.sort(theta), 1.0 - low
    k = np.arange(n + 1.0)
    least, most = (np.concatenate([[0.0], np.cumsum(one)]) for one in (ranked, ranked[::-1]))
    inverse = 1.0 / (low + rise * np.array([least, most]))
    return rise**2 * k * (n - k) / n, n * low + rise * k, inverse


def least_of_total(objective: InformationDesign, problem: Problem, total: float, noise: float) -> tuple[float, float]:
    """Return the least criterion of any K with ``trace(G K) <= total``, and its rounding.

    The least value of its criterion at the slope ``B = I``, `Criterion.least_alike` of all frequencies.
    """
    size, one = problem.n - 1, objective.measure

    def least(total: float) -> float:
        if objective.is_weighted:
            return objective.least_value(np.eye(size), total, problem)
        return one.least_alike(size, total)

    found, below = least(total), least(total + noise)
    scale = max(abs(found), size) if objective.criterion == "D" else abs(found)
    return found, abs(found - below) + 4.0 * unit(problem.n) * scale
