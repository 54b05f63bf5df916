"""Unbiased estimates of a number from one report: a number for each output, of least variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from mechdesign.columns.cone_program import minimise
from mechdesign.errors import SolverError
from mechdesign.objectives.frequency_covariance import NO_BIAS
from mechdesign.parameters.checks import Array
from mechdesign.runtime.learned import learned
from mechdesign.runtime.native_call import called

#: The share of the largest variance by which it may be missed, the factor from one barrier to the next, and how many
#: Newton steps are made at most.
ACCURACY, FASTER, MOST_STEPS = 1e-11, 30.0, 100
#: Part of the way to the boundary that a step may go, and the squared decrement at which the next barrier is taken.
INSIDE, CENTRED = 0.95, 0.1
#: The least shares of the largest singular value, and of a second moment, that are no rounding.
SINGULAR, ROUNDED = 1e-13, 1e-15
#: Entries from which a cone program takes less than those steps.
MANY = 20_000
#: Entries of a column that differ by less than this share of the largest count as equal in that program.
ALIKE = 1e-10
#: By what share entries may be rounded: the bias that this leaves is none that a matrix of floats can be without.
OF_ENTRIES = 4.0 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Estimates:
    """What each output is worth, and the variance of that number for each input."""

    #: Shape (m,): ``sum_y Q[x, y] worth[y] = values[x]``.
    worth: Array
    #: Shape (n,).
    variances: Array


def unbiased(columns: Array, values: Array, theta: Array | None) -> Estimates | None:
    """Return the unbiased estimates of least variance, on average or for the worst input; None if there are none.

    Minimise ``sum_y Q[x, y] t_y^2 - v_x^2``, averaged by theta or at its largest, over all t with
    ``sum_y Q[x, y] t_y = v_x`` for each input. An estimate counts as unbiased if its bias is below 1e-10 of the values,
    or no larger than rounded entries of Q make it.

    Parameters
    ----------
    columns : ndarray, shape (n, m)
        Q; outputs that never occur get the estimate 0.
    values : ndarray, shape (n,)
        v.
    theta : ndarray, shape (n,), or None
        Weights of the inputs that add up to 1; None for the largest variance.

    Examples
    --------
    >>> warner = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> unbiased(warner, np.array([0.0, 1.0]), None).worth.round(9).tolist()
    [-0.5, 1.5]
    >>> unbiased(np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]), np.array([0.0, 1.0, 0.0]), None) is None
    True
    """
    middle, half = 0.5 * float(values.max() + values.min()), 0.5 * float(np.ptp(values)) or 1.0
    wanted = (values - middle) / half
    used = columns.max(axis=0) > 0
    # A design asks for the same matrix some five times.
    asked = "estimates", columns.tobytes(), wanted.tobytes(), None if theta is None else theta.tobytes()
    found = learned(asked, lambda: _least(columns[:, used], wanted, theta))
    if found is None:
        return None
    worth = np.zeros(columns.shape[1])
    worth[used] = middle + half * found
    centred = columns[:, used] @ found**2 - wanted**2
    return Estimates(worth, half**2 * np.maximum(centred, 0.0))


def _least(columns: Array, wanted: Array, theta: Array | None) -> Array | None:
    """Return the estimates of values of size one."""
    n = len(wanted)
    mass = np.full(n, 1.0 / n) @ columns if theta is None else theta @ columns
    scale = np.sqrt(np.where(mass > 0, mass, 1.0))
    left, sizes, right = np.linalg.svd(columns / scale, full_matrices=False)
    known = sizes > SINGULAR * max(columns.shape) * sizes[0]
    left, along = left[:, known], right[known]

    def nearest(worth: Array) -> Array:
        """Return the unbiased estimates that are nearest."""
        return np.asarray(worth + along.T @ ((left.T @ (wanted - columns @ worth)) / sizes[known]) / scale)

    least = nearest(nearest(np.zeros(columns.shape[1])))
    rounded = OF_ENTRIES * (columns @ np.abs(least))
    if np.any(np.abs(columns @ least - wanted) > np.maximum(NO_BIAS * math.sqrt(n), rounded)):
        return None
    free = columns.shape[1] - int(known.sum())
    if theta is not None or not free:
        return least
    return _of_least_maximum(columns, wanted, left.T @ columns, least, nearest)


def _of_least_maximum(
    columns: Array, wanted: Array, rows: Array, worth: Array, nearest: Callable[[Array], Array]
) -> Array:
    """Return estimates whose largest variance is least: Newton steps on ``weight tau - sum_x ln(tau - variance_x)``.

    Parameters
    ----------
    rows : ndarray, shape (k, m)
        Independent combinations of the rows of the matrix, which keep their expectations.
    worth : ndarray, shape (m,)
        Where to begin: unbiased.
    nearest : callable
        What takes away the bias that rounding leaves after a step.
    """
    squares = wanted**2

    def largest(estimates: Array) -> float:
        return float((columns @ estimates**2 - squares).max())

    if columns.size > MANY:
        solved = nearest(_by_cone_program(columns, wanted, worth))
        if largest(solved) < largest(worth):
            return solved
    variances = columns @ worth**2 - squares
    best, at_best = float(variances.max()), worth
    tau = best + 0.1 * (1.0 + abs(best))
    weight = float((1.0 / (tau - variances)).sum())
    for _ in range(MOST_STEPS):
        second = columns @ worth**2
        slack = tau + squares - second
        # What rounding leaves of the difference is no room.
        size = tau + float(second.max())
        if slack.min() <= ROUNDED * size:
            break
        try:
            change, raised, decrement = _step(columns, rows, worth, slack, weight)
        except np.linalg.LinAlgError:
            break
        length = _length(columns, worth, slack, change, raised)
        worth, tau = nearest(worth + length * change), tau + length * raised
        found = largest(worth)
        if found < best:
            best, at_best = found, worth
        if decrement <= CENTRED:
            if len(wanted) <= ACCURACY * weight * size:
                return at_best
            weight *= FASTER
    return min((at_best, nearest(_by_cone_program(columns, wanted, at_best))), key=largest)


def _by_cone_program(columns: Array, wanted: Array, worth: Array) -> Array:
    """Return nearly the estimates whose largest variance is least, where Newton steps get lost: values nearly equal.

    Minimise tau with ``Q z - v^2 <= tau``, ``z_y >= t_y^2`` and unbiased t; the given ones if the solver fails. Rows
    are stated as differences from one value to the next, which are sparse if columns have few different entries.
    """
    from scipy.sparse import block_array, csr_array, eye_array

    (n, m), order, size = columns.shape, np.argsort(wanted, kind="stable"), float(np.abs(worth).max())
    steps = _differences(columns[order])
    steps[np.abs(steps) <= ALIKE * columns.max(axis=0)] = 0.0
    unit = 1.0 / np.maximum(np.abs(steps).max(axis=1), ALIKE)
    shares, eye = csr_array(unit[:, None] * steps), eye_array(m)
    room = csr_array(unit[:, None] * _differences(np.eye(n)))
    # The variables are t, z, how far each variance is below tau, and tau.
    parts = [
        [shares, None, None, None],
        [None, shares, room, csr_array(-unit[:, None] * np.eye(n)[:, :1])],
        [None, None, -eye_array(n), None],
        [None, -eye, None, None],
        [None, -eye, None, None],
        [-2.0 * eye, None, None, None],
    ]
    # For each output the cone of ``(z + 1, z - 1, 2 t)``, these three rows one after the other.
    together = np.concatenate([np.arange(3 * n), 3 * n + np.arange(3 * m).reshape(3, m).T.ravel()])
    rows = block_array(parts).tocsr()[together]
    ends = [unit * _differences((wanted[order] / size) ** power) for power in (1, 2)]
    right = np.concatenate([*ends, np.zeros(n), np.tile([1.0, -1.0, 0.0], m)])
    cost = np.append(np.zeros(2 * m + n), 1.0)
    solve = partial(minimise, cost, rows, right, equal=2 * n, nonnegative=n, second_order=(3,) * m)
    try:
        found = size * called("CLARABEL", solve)[0][:m]
    except SolverError:
        # At the time limit the given ones are estimates, too.
        return worth
    return found if np.all(np.isfinite(found)) else worth


def _differences(rows: Array) -> Array:
    """Return the first row, and the difference of each other row from the row before it."""
    return np.concatenate([rows[:1], np.diff(rows, axis=0)])


def _step(columns: Array, rows: Array, worth: Array, slack: Array, weight: float) -> tuple[Array, float, float]:
    """Return the Newton step of the estimates and of tau, and the square of its decrement.

    The Hessian in the estimates is diagonal but for one square for each input: with an unknown u for each of them, y
    for each row that is kept, and d for tau, it is a system of ``n + k + 1`` equations.
    """
    n, k = len(slack), len(rows)
    curvature = 2.0 * ((1.0 / slack) @ columns)
    outward = np.vstack([columns * (2.0 * worth), rows])
    system = np.zeros((n + k + 1, n + k + 1))
    system[: n + k, : n + k] = (outward / curvature) @ outward.T
    system[range(n), range(n)] += slack**2
    system[:n, -1] = system[-1, :n] = -1.0
    found = np.linalg.solve(system, np.concatenate([-slack, np.zeros(k), [weight]]))
    change, raised = (outward.T @ found[: n + k]) / curvature, float(found[-1])
    return change, raised, float(curvature @ change**2 + np.sum((slack * found[:n] + 1.0) ** 2))


def _length(columns: Array, worth: Array, slack: Array, change: Array, raised: float) -> float:
    """Return the length of a step, at most 1, after which every variance stays below tau."""
    bent, along = columns @ change**2, raised - columns @ (2.0 * worth * change)
    with np.errstate(over="ignore"):
        ends = 2.0 * slack / np.maximum(np.sqrt(along**2 + 4.0 * bent * slack) - along, 1e-300)
    return min(1.0, INSIDE * float(ends.min()))


def between(variances: Array, values: Array) -> float:
    """Return the largest variance of any number between the values, if numbers are rounded at random to those beside.

    The second moment of the estimate is linear between two values, so that its excess over the square of the number is
    a parabola.

    Parameters
    ----------
    variances, values : ndarray, shape (n,)
        Of increasing values.

    Examples
    --------
    >>> between(np.array([1.0, 1.0]), np.array([0.0, 2.0]))
    2.0
    """
    width = np.diff(values)
    rise = np.diff(variances) / width
    # At a share s of the way it is variance + s width rise + s (1 - s) width^2.
    share = np.clip(0.5 * (1.0 + rise / width), 0.0, 1.0)
    return float((variances[:-1] + share * width * rise + share * (1.0 - share) * width**2).max())
