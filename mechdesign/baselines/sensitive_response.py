"""Utility-optimised randomised response: sensitive inputs lie among themselves, others are reported or hidden there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mechdesign.baselines.made import made
from mechdesign.exact import ONE, exp_below
from mechdesign.mechanism import Mechanism
from mechdesign.notions import UtilityOptimizedLDP
from mechdesign.parameters.labels import named
from mechdesign.problem import Problem


def sensitive_response(problem: Problem, epsilon: float, sensitive: Sequence[int]) -> Mechanism:
    """Return ``Q[x, y] = 1 / (e^epsilon + s - 1)`` for sensitive y other than x, and what is left for y = x.

    Parameters
    ----------
    problem : Problem
        Its n inputs are the outputs too.
    epsilon : float
        Above 0 nats, finite.
    sensitive : sequence of int
        The s inputs that no output may reveal, one at least.

    Returns
    -------
    Mechanism
        Shape (n, n), of multiples of ``2**-53``, exactly private under ``UtilityOptimizedLDP(epsilon, sensitive)``.

    References
    ----------
    T. Murakami, Y. Kawamoto, "Utility-Optimized Local Differential Privacy Mechanisms for Distribution Estimation",
    USENIX Security 2019.

    Examples
    --------
    >>> import mechdesign as md
    >>> sensitive_response(md.Problem(n=3), math.log(2), [0, 1]).matrix.round(6).tolist()
    [[0.666667, 0.333333, 0.0], [0.333333, 0.666667, 0.0], [0.333333, 0.333333, 0.333333]]
    """
    n, s = problem.n, len(sensitive)
    # The least multiple of 2**-53 of which e^epsilon times is no less than what it leaves to the truth.
    lies = math.ceil(ONE / (exp_below(epsilon) + s - 1))
    numerators = np.zeros((n, n), dtype=np.int64)
    numerators[:, list(sensitive)] = lies
    np.fill_diagonal(numerators, 0)
    np.fill_diagonal(numerators, ONE - numerators.sum(axis=1))
    return made(numerators, named(problem.labels, n), problem, UtilityOptimizedLDP(epsilon, sensitive))
