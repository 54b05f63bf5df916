"""The truncated geometric mechanism: the input's place plus noise that falls off as a power, kept within the range."""

from __future__ import annotations

import numpy as np

from mechdesign.baselines.in_metric import privately_rounded
from mechdesign.baselines.made import asked, made, require_small
from mechdesign.mechanism import Mechanism
from mechdesign.notions import MetricDP
from mechdesign.parameters.labels import named
from mechdesign.problem import Problem


def geometric(problem: Problem, epsilon: float) -> Mechanism:
    r"""Return ``Q[x, y] = a^|x - y| (1 - a) / (1 + a)``, at both ends ``a^|x - y| / (1 + a)``; ``a = e^-epsilon``.

    Inputs are taken in their order, one step apart, whatever their values are.

    Parameters
    ----------
    problem : Problem
        Its n inputs are the outputs too.
    epsilon : float
        At least 0 nats a step, finite.

    Returns
    -------
    Mechanism
        Shape (n, n), exactly private under ``MetricDP(epsilon, |x - x'|)``.

    Raises
    ------
    DomainError
        The problem is none, or its matrix would take too much memory; epsilon negative, NaN, infinite, or so small
        that multiples of ``2**-53`` cannot express it.

    References
    ----------
    A. Ghosh, T. Roughgarden, M. Sundararajan, "Universally Utility-Maximizing Privacy Mechanisms", SIAM Journal on
    Computing 41 (2012), Definition 2.3: from it every user of a count derives an optimum of their own.

    Examples
    --------
    >>> import mechdesign as md
    >>> mechanism = md.baselines.geometric(md.Problem(n=3), np.log(2))
    >>> (mechanism.matrix * 12).round(12).tolist()
    [[8.0, 2.0, 2.0], [4.0, 4.0, 4.0], [2.0, 2.0, 8.0]]
    """
    known, level = asked(problem, epsilon)
    n = known.n
    require_small(known, "the geometric mechanism")
    places = np.arange(n, dtype=float)
    steps = np.abs(places[:, None] - places)
    notion = MetricDP(level, steps)
    a = np.exp(-level)
    ends = np.where((places == 0) | (places == n - 1), 1.0, -np.expm1(-level))
    # One place has both ends, where the ends' shares add up.
    matrix = a**steps * ends / (1.0 + a) if n > 1 else np.ones((1, 1))
    numerators = privately_rounded(matrix, notion)
    return made(numerators, named(known.labels, n), known, notion)
