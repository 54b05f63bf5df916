"""Unary encodings: a bit for each input, each reported through a coin of its own."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.baselines.made import asked, made, require_small
from mechdesign.exact import exp_below
from mechdesign.families.on_sets import on_sets
from mechdesign.mechanism import Mechanism
from mechdesign.notions import LDP
from mechdesign.parameters.checks import truth
from mechdesign.problem import Problem


def unary_encoding(problem: Problem, epsilon: float, optimised: bool = True) -> Mechanism:
    r"""Return ``Q[x, y] = prod_i Pr(y_i)``: bit x of the report is 1 with probability p, every other bit with q.

    Optimised, ``p = 1/2`` and ``q = 1 / (e^epsilon + 1)``; otherwise symmetric, as in basic RAPPOR,
    ``p = 1 - q = e^(epsilon/2) / (e^(epsilon/2) + 1)``.

    Parameters
    ----------
    problem : Problem
        Of n inputs.
    epsilon : float
        At least 0 nats, finite.
    optimised : bool
        Whether fewer bits are set by mistake (OUE), or each bit is treated alike (SUE).

    Returns
    -------
    Mechanism
        Shape (n, 2^n), exactly private under ``LDP(epsilon)``. Output y is named by its bits, that of input 0 first.

    Raises
    ------
    DomainError
        The problem is none, or its matrix would take too much memory; epsilon negative, NaN, infinite, or so large
        that rounding to multiples of ``2**-53`` would move more than ``2**-20`` of a row; `optimised` is no bool.

    Notes
    -----
    Each frequency, estimated from its own bit, has variance ``q (1 - q) / (p - q)^2`` a report for a value that next
    to nobody has: ``4 e^epsilon / (e^epsilon - 1)^2`` optimised, ``e^(epsilon/2) / (e^(epsilon/2) - 1)^2`` otherwise.

    References
    ----------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation", USENIX
    Security 2017, Sections 4.2 and 4.3.

    U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal Response", ACM CCS
    2014.

    Examples
    --------
    >>> import mechdesign as md
    >>> mechanism = md.baselines.unary_encoding(md.Problem(n=2), np.log(3))
    >>> mechanism.outputs
    ('00', '10', '01', '11')
    >>> (mechanism.matrix * 8).round(12).tolist()
    [[3.0, 3.0, 1.0, 1.0], [3.0, 1.0, 3.0, 1.0]]
    """
    known, level = asked(problem, epsilon)
    require_small(known, 2**known.n, "unary encoding", level)
    E, H = exp_below(level), exp_below(level / 2)
    p, q = (Fraction(1, 2), 1 / (E + 1)) if truth("optimised", optimised) else (H / (H + 1), 1 / (H + 1))
    n = known.n
    # Whoever is not in the set had a bit that was not set, and as many others that were by mistake.
    low = [(1 - p) * q**size * (1 - q) ** (n - 1 - size) for size in range(n + 1)]
    members = (np.arange(2**n) >> np.arange(n)[:, None] & 1).astype(bool)
    # The square of a lower bound of e^(epsilon/2) may pass that of e^epsilon by its last digit.
    numerators = on_sets(members, low, min(p * (1 - q) / ((1 - p) * q), E), level)
    return made(numerators, [f"{y:0{n}b}"[::-1] for y in range(2**n)], known, LDP(level))
