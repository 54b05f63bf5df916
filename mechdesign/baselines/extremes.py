"""The two extreme mechanisms: the output is constant, or it is the input itself."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array, whole


def uninformative(n: int) -> Array:
    """Return ``Q[x, 0] = 1``: one output, whatever the input.

    Parameters
    ----------
    n : int
        Number of inputs, at least 1.

    Returns
    -------
    ndarray, shape (n, 1)
        Every entry is 1.

    Raises
    ------
    DomainError
        n is no whole number of at least 1.

    Examples
    --------
    >>> uninformative(2).tolist()
    [[1.0], [1.0]]
    """
    return np.ones((whole("n", n, 1), 1))


def no_privacy(n: int) -> Array:
    """Return ``Q[x, y] = 1`` where y is x: the input itself is reported.

    Parameters
    ----------
    n : int
        Number of inputs, at least 1.

    Returns
    -------
    ndarray, shape (n, n)
        Every entry is 0 or 1.

    Raises
    ------
    DomainError
        n is no whole number of at least 1.

    Examples
    --------
    >>> no_privacy(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return np.eye(whole("n", n, 1))
