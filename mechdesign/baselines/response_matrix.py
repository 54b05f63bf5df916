"""k-ary randomised response as an array, classical and as strong as a notion allows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.errors import InfeasibleError
from mechdesign.exact import ONE, Integers
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array, real, whole
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.tolerances import DENOMINATOR_BITS

Indices = npt.NDArray[np.intp]


def response_matrix(n: int, epsilon: float) -> Array:
    r"""Return ``Q[x, x] = e^epsilon / (e^epsilon + n - 1)``, ``Q[x, y] = 1 / (e^epsilon + n - 1)`` beside it.

    Its level of LDP is epsilon, in nats.

    Parameters
    ----------
    n : int
        Number of inputs, and of outputs, at least 1.
    epsilon : float
        At least 0 nats, finite.

    Returns
    -------
    ndarray, shape (n, n)
        In floating point: rows sum to one up to rounding.

    Raises
    ------
    DomainError
        n is no whole number of at least 1; epsilon negative, NaN or infinite.

    References
    ----------
    J. Geumlek, K. Chaudhuri, "Profile-Based Privacy for Locally Private Computations", IEEE ISIT 2019, Section 6 (the
    baseline).

    Examples
    --------
    >>> import numpy as np
    >>> (response_matrix(3, np.log(2)) * 4).round(12).tolist()
    [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]
    """
    count = whole("n", n, 1)
    # Divided by e^epsilon, so that a large epsilon does not overflow.
    low = np.exp(-real("epsilon", epsilon, 0.0))
    return np.asarray((low + (1.0 - low) * np.eye(count)) / (1.0 + (count - 1) * low))


def strongest_randomised_response(notion: Notion, problem: Problem) -> Array:
    r"""Return ``Q[x, y] = o`` beside the diagonal and ``1 - (k - 1) o`` on it, with the least o that is private.

    The least multiple of 2**-53, found by bisection with the notion's exact check; k is the number of data, and
    an input that carries a datum reports that datum. Bisection is exact for convex notions.

    Parameters
    ----------
    notion : Notion
        Any; its own parameter is the level.
    problem : Problem
        The problem, or that over the notion's inputs.

    Returns
    -------
    ndarray, shape (inputs, k)
        Multiples of 2**-53 whose rows sum to one exactly. Where even the most uniform of these is not private (k
        divides no power of two and the level is zero), the constant mechanism of one output per datum.

    Raises
    ------
    InfeasibleError
        Not even the constant mechanism is private.

    Examples
    --------
    >>> import mechdesign as md
    >>> found = strongest_randomised_response(md.LDP(1.0), md.Problem(n=3))
    >>> bool(abs(found - response_matrix(3, 1.0)).max() < 1e-15)
    True
    """
    inputs = notion.inputs(problem)
    datum = np.arange(inputs.n) if inputs.data_of_input is None else inputs.data_of_input
    return strongest_on_cells(notion, inputs, datum)


def strongest_on_cells(notion: Notion, inputs: Problem, cells: Indices, precision: float = 0.0) -> Array:
    """Return the strongest randomised response on cells: an input reports its own cell, or another one at random.

    Parameters
    ----------
    notion : Notion
        Any.
    inputs : Problem
        The problem over the notion's inputs.
    cells : ndarray of int, shape (inputs,)
        The cell of each input, numbered from 0.
    precision : float
        By what share o may be larger than the least one: each halving of it takes one exact check. Where the deadline
        passes it is larger still.

    Returns
    -------
    ndarray, shape (inputs, cells)
        Private all the same.

    Raises
    ------
    InfeasibleError
        Not even the constant mechanism is private.
    """
    k = int(cells.max()) + 1
    most = ONE // k
    if not notion.holds_exactly(_constant(k)[cells], inputs):
        raise InfeasibleError(f"No mechanism satisfies {notion}: not even one that ignores its input.")
    if not notion.holds_exactly(_response(k, most)[cells], inputs):
        return _entries(_constant(k)[cells])
    refused, private = -1, most
    while private - refused > max(1.0, precision * private) and not is_late():
        middle = (refused + private) // 2
        if notion.holds_exactly(_response(k, middle)[cells], inputs):
            private = middle
        else:
            refused = middle
    return _entries(_response(k, private)[cells])


def _response(k: int, lies: int) -> Integers:
    numerators = np.full((k, k), lies, dtype=np.int64)
    np.fill_diagonal(numerators, ONE - (k - 1) * lies)
    return numerators


def _constant(k: int) -> Integers:
    row = np.full(k, ONE // k, dtype=np.int64)
    row[0] += ONE - int(row.sum())
    return np.tile(row, (k, 1))


def _entries(numerators: Integers) -> Array:
    return np.asarray(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS))
