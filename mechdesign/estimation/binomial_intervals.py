"""Confidence intervals of many binomial probabilities at once."""

from __future__ import annotations

import numpy as np

from mechdesign.estimation.intervals import quantile
from mechdesign.parameters.checks import Array


def wilson(counts: Array, trials: int, level: float) -> Array:
    """Return Wilson's interval of each probability, shape (n, 2): populations that a score test keeps.

    Parameters
    ----------
    counts : ndarray, shape (n,)
        Successes.
    trials : int
        Of each.
    level : float
        Above 0 and below 1.

    Examples
    --------
    >>> wilson(np.array([0.0, 50.0]), 100, 0.95).round(4).tolist()
    [[0.0, 0.037], [0.4038, 0.5962]]
    """
    z2 = quantile(level) ** 2
    share = counts / trials
    centre = (share + z2 / (2.0 * trials)) / (1.0 + z2 / trials)
    half = np.sqrt(z2 * (share * (1.0 - share) / trials + z2 / (4.0 * trials**2))) / (1.0 + z2 / trials)
    return np.column_stack([np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)])


def clopper_pearson(counts: Array, trials: int, level: float) -> Array:
    """Return the exact interval of each probability, shape (n, 2), of at least that level.

    Examples
    --------
    >>> clopper_pearson(np.array([0.0, 50.0]), 100, 0.95).round(4).tolist()
    [[0.0, 0.0362], [0.3983, 0.6017]]
    """
    from scipy.special import betaincinv

    tail = (1.0 - level) / 2.0
    low = np.where(counts > 0, betaincinv(np.maximum(counts, 1), trials - counts + 1, tail), 0.0)
    high = np.where(counts < trials, betaincinv(counts + 1, np.maximum(trials - counts, 1), 1.0 - tail), 1.0)
    return np.column_stack([low, high])
