"""Unary encodings: a bit for each input, each reported through a coin of its own."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mechdesign.baselines.made import asked, fits, made
from mechdesign.errors import DomainError
from mechdesign.exact import exp_below
from mechdesign.families import OptimisedUnaryEncoding, SymmetricUnaryEncoding, UnaryEncoding
from mechdesign.families.best import ratio_below
from mechdesign.families.on_sets import on_sets
from mechdesign.families.unary_encoding import square_below, without_own_bit
from mechdesign.mechanism import ImplicitMechanism, Mechanism
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
        If there is no memory for it, without a matrix: reports are rows of bits, eight in a byte, shape (people,
        ceil(n / 8)); bit ``x % 8`` of byte ``x // 8`` is that of input x.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN, infinite, or so large that rounding to multiples of ``2**-53`` would
        move more than ``2**-20`` of a row; `optimised` is no bool; without a matrix epsilon 0.

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
    >>> words = md.baselines.unary_encoding(md.Problem(n=1000), 1.0)
    >>> reports = words.sample([7] * 500)
    >>> reports.shape, words.estimate(reports).top(1).labels
    ((500, 125), ('7',))
    """
    known, level = asked(problem, epsilon)
    n, few = known.n, truth("optimised", optimised)
    if not fits(n << n):
        return ImplicitMechanism(_without_matrix(n, level, few), problem=known, notion=LDP(level))
    E, H = exp_below(level), exp_below(level / 2)
    p, q = (Fraction(1, 2), 1 / (E + 1)) if few else (H / (H + 1), 1 / (H + 1))
    low = without_own_bit(n, p, q)
    members = (np.arange(2**n) >> np.arange(n)[:, None] & 1).astype(bool)
    # The square of a lower bound of e^(epsilon/2) may pass that of e^epsilon by its last digit.
    numerators = on_sets(members, low, min(p * (1 - q) / ((1 - p) * q), E), level)
    return made(numerators, [f"{y:0{n}b}"[::-1] for y in range(2**n)], known, LDP(level))


def _without_matrix(n: int, epsilon: float, optimised: bool) -> UnaryEncoding:
    """Return the unary encoding of the largest ratio of probabilities at that level."""
    if epsilon == 0.0:
        raise DomainError("epsilon", epsilon, "at 0 reports say nothing", "give one above 0")
    ratio = ratio_below(epsilon)
    return OptimisedUnaryEncoding(n, ratio) if optimised else SymmetricUnaryEncoding(n, square_below(ratio))
