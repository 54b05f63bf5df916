"""Local hashing: a random function into few values, and the value of the truth, or another one."""

from __future__ import annotations

import math

from mechdesign.baselines.made import asked
from mechdesign.errors import DomainError, nearest
from mechdesign.families import LocalHashing
from mechdesign.families.best import ratio_below
from mechdesign.families.finite_field import LARGEST_ORDER, MOST_COMPLEX, MOST_NUMBERS, prime_powers
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.notions import LDP
from mechdesign.parameters.checks import whole
from mechdesign.problem import Problem


def local_hashing(problem: Problem, epsilon: float, values: int | None = None) -> ImplicitMechanism:
    r"""Return ``Q[x, (a, z)] = c / (q^t (e^epsilon + q - 1))``, ``c = e^epsilon`` if ``a . x = z``, and 1 if not.

    Inputs are vectors x of t elements of the field of q elements, a report is a uniform vector a and an element z. Two
    inputs have the same value under exactly one function in q, which other families of hash functions have about.

    Parameters
    ----------
    problem : Problem
        Of n inputs.
    epsilon : float
        Above 0 nats.
    values : int, optional
        The prime power q, at most 256; by default the one nearest to ``e^epsilon + 1``, of least variance for a value
        that next to nobody has.

    Returns
    -------
    Mechanism
        Without a matrix, exactly private under ``LDP(epsilon)``. Output ``q a + z`` is below ``q^(t + 1)``.

    Raises
    ------
    DomainError
        The problem is none; epsilon not above 0, or infinite; values that are no prime power; more than ``2^27``
        vectors.

    Notes
    -----
    Each frequency has variance ``(e^epsilon - 1 + q)^2 / ((e^epsilon - 1)^2 (q - 1))`` a report, for a value that next
    to nobody has: ``4 e^epsilon / (e^epsilon - 1)^2`` at ``q = e^epsilon + 1``.

    References
    ----------
    T. Wang, J. Blocki, N. Li, S. Jha, "Locally Differentially Private Protocols for Frequency Estimation", USENIX
    Security 2017, Section 4.4.

    Examples
    --------
    >>> import mechdesign as md
    >>> urls = md.baselines.local_hashing(md.Problem(n=100_000), 1.0)
    >>> urls.family.q, urls.shape
    (4, (100000, 1048576))
    """
    known, level = asked(problem, epsilon)
    if level == 0.0:
        raise DomainError("epsilon", epsilon, "at 0 reports say nothing", "give one above 0")
    orders = prime_powers(LARGEST_ORDER)
    wanted = math.exp(min(level, math.log(LARGEST_ORDER))) + 1.0
    q = min(orders, key=lambda each: abs(each - wanted)) if values is None else whole("values", values, 2)
    if q not in orders:
        rule = f"it has to be a prime power of at most {LARGEST_ORDER}"
        raise DomainError("values", q, rule, nearest(str(q), map(str, orders[:9])))
    t = 1
    while q**t < known.n:
        t += 1
    if q**t > (MOST_NUMBERS if q % 2 == 0 else MOST_COMPLEX):
        rule = f"functions of {q} values of {known.n} inputs are {q**t:.3g}, too many for a transform"
        raise DomainError("problem", f"of {known.n} inputs", rule, "give other values, or use projective_response")
    return ImplicitMechanism(LocalHashing(known.n, ratio_below(level), q, t), problem=known, notion=LDP(level))
