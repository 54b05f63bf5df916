"""Hadamard response: a column of a Hadamard matrix, more often one that has +1 in the row of the truth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.baselines.made import asked, fits, made
from mechdesign.exact import exp_below
from mechdesign.families import Hadamard
from mechdesign.families.best import ratio_below
from mechdesign.families.on_sets import on_sets
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.notions import LDP
from mechdesign.problem import Problem


def hadamard_response(problem: Problem, epsilon: float) -> Mechanism:
    r"""Return ``Q[x, y] = 2 c / (K (e^epsilon + 1))`` with ``c = e^epsilon`` where ``H[x + 1, y] = 1``, 1 elsewhere.

    H is Sylvester's Hadamard matrix of order K, the least power of two above n; row 0, all ones, stands for no input.

    Parameters
    ----------
    problem : Problem
        Of n inputs.
    epsilon : float
        At least 0 nats, finite.

    Returns
    -------
    Mechanism
        Shape (n, K), exactly private under ``LDP(epsilon)``. Outputs are named by the number of their column. If there
        is no memory for it, without a matrix.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN, infinite, or so large
        that rounding to multiples of ``2**-53`` would move more than ``2**-20`` of a row.

    Notes
    -----
    This is the scheme of high privacy: rows agree in half of their places. Each frequency f that is estimated from the
    share of reports with +1 in its row has variance ``((e^epsilon + 1) / (e^epsilon - 1))^2 - f^2`` a report.

    References
    ----------
    J. Acharya, Z. Sun, H. Zhang, "Hadamard Response: Estimating Distributions Privately, Efficiently, and with Little
    Communication", AISTATS 2019, Section 4.

    Examples
    --------
    >>> import mechdesign as md
    >>> mechanism = md.baselines.hadamard_response(md.Problem(n=3), np.log(3))
    >>> (mechanism.matrix * 8).round(12).tolist()
    [[3.0, 1.0, 3.0, 1.0], [3.0, 3.0, 1.0, 1.0], [3.0, 1.0, 1.0, 3.0]]
    """
    known, level = asked(problem, epsilon)
    order = 1 << known.n.bit_length()
    if not fits(known.n * order):
        return ImplicitMechanism(Hadamard(known.n, ratio_below(level)), problem=known, notion=LDP(level))
    positive = np.ones((1, 1), dtype=bool)
    while len(positive) < order:
        positive = np.block([[positive, positive], [positive, ~positive]])
    E = exp_below(level)
    numerators = on_sets(positive[1 : known.n + 1], [Fraction(2, order) / (E + 1)] * (known.n + 1), E, level)
    return made(numerators, [str(y) for y in range(order)], known, LDP(level))
