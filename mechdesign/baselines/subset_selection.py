"""Subset selection: a random set of inputs of one size, which holds the truth more often than not."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from mechdesign.baselines.made import asked, fits, made
from mechdesign.errors import DomainError
from mechdesign.exact import exp_below
from mechdesign.families.best import best_subset_selection, ratio_below, subset_selection_of
from mechdesign.families.on_sets import on_sets
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.notions import LDP
from mechdesign.parameters.checks import whole
from mechdesign.problem import Problem

#: There are at least two to the power k sets of k of n inputs, if k is at most n / 2.
MOST_BITS = 64


def subset_selection(problem: Problem, epsilon: float, size: int | None = None) -> Mechanism:
    r"""Return ``Q[x, S] = e^epsilon / (C(n-1, k-1) e^epsilon + C(n-1, k))`` where x is in S, 1 over that elsewhere.

    The outputs S are all sets of k inputs. With k = 1 it is k-ary randomised response. If there is no memory for all of
    them, S is one of fewer sets of about k inputs, which are a 2-design: a report is a number in place of n bits, and
    has the variance of subset selection among all sets of that size.

    Parameters
    ----------
    problem : Problem
        Of n inputs.
    epsilon : float
        At least 0 nats, finite.
    size : int, optional
        The number k from 1 to n - 1; by default the one of least variance where all values are equally frequent,
        next to ``n / (e^epsilon + 1)``. Without a matrix the share ``k / n``, to within a hundredth of it.

    Returns
    -------
    Mechanism
        Shape (n, C(n, k)), exactly private under ``LDP(epsilon)``. Outputs are named ``{a, b}`` by the inputs' labels.
        If there is no memory for it, without a matrix: outputs are numbers below ``q (q^t - 1)``.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN, infinite, or so large that rounding to multiples of ``2**-53`` would
        move more than ``2**-20`` of a row; a size out of range. Without a matrix epsilon 0, a share of the inputs that
        is less than 1/256, or more than ``2^27`` inputs.

    Notes
    -----
    With p the probability that the set holds the truth and q that it holds another given value, each frequency f has
    variance ``r (1 - r) / (p - q)^2`` a report, ``r = q + f (p - q)``. Without a matrix, inputs are vectors of t
    elements of a finite field, and S is the union of some of the parallel hyperplanes ``a . x = b``.

    References
    ----------
    M. Ye, A. Barg, "Optimal Schemes for Discrete Distribution Estimation under Locally Differential Privacy", IEEE
    Transactions on Information Theory 64 (2018), Section III.

    S. Wang, L. Huang, P. Wang, Y. Nie, H. Xu, W. Yang, X.-Y. Li, C. Qiao, "Mutual Information Optimally Local Private
    Discrete Distribution Estimation", arXiv 1607.08025 (2016).

    H.-Y. Park, S.-H. Nam, S.-H. Lee, "Exactly Optimal and Communication-Efficient Private Estimation via Block
    Designs", arXiv 2305.01261 (2023), for sets that are a design.

    Examples
    --------
    >>> import mechdesign as md
    >>> mechanism = md.baselines.subset_selection(md.Problem(n=3), np.log(2), size=2)
    >>> mechanism.outputs
    ('{0, 1}', '{0, 2}', '{1, 2}')
    >>> (mechanism.matrix * 5).round(12).tolist()
    [[2.0, 2.0, 1.0], [2.0, 1.0, 2.0], [1.0, 2.0, 2.0]]
    >>> md.baselines.subset_selection(md.Problem(n=10**6), 1.0)
    ImplicitMechanism(n=1000000, subset selection, LDP(epsilon=1))
    """
    known, level = asked(problem, epsilon)
    n, E = known.n, exp_below(level)
    k = best_size(n, level) if size is None else whole("size", size, 1)
    if k > max(n - 1, 1):
        raise DomainError("size", k, f"a set of all inputs reveals nothing, and there are {n}", "choose a smaller one")
    # From 2^k sets on there is no memory, and their number is not worked out: it has up to millions of digits.
    if min(k, n - k) >= MOST_BITS or not fits(n * math.comb(n, k)):
        return _without_matrix(known, level, size)
    sets = list(combinations(range(n), k))
    members = np.zeros((n, len(sets)), dtype=bool)
    members[np.array(sets), np.arange(len(sets))[:, None]] = True
    low = 1 / Fraction(math.comb(n - 1, k - 1) * E + math.comb(n - 1, k))
    numerators = on_sets(members, [low] * (n + 1), E, level)
    names = ["{" + ", ".join(map(known.named, chosen)) + "}" for chosen in sets]
    return made(numerators, names, known, LDP(level))


def _without_matrix(problem: Problem, epsilon: float, size: int | None) -> ImplicitMechanism:
    """Return subset selection among sets that are a 2-design."""
    if epsilon == 0.0:
        raise DomainError("epsilon", epsilon, "at 0 reports say nothing", "give one above 0")
    n, ratio = problem.n, ratio_below(epsilon)
    family = best_subset_selection(n, ratio) if size is None else subset_selection_of(n, ratio, size)
    return ImplicitMechanism(family, problem=problem, notion=LDP(epsilon))


def best_size(n: int, epsilon: float) -> int:
    """Return the size k of least variance ``(k/n) (1 - k/n) / (p - q)^2`` where all values are equally frequent.

    Examples
    --------
    >>> best_size(10, 1.0), best_size(10, 5.0)
    (3, 1)
    """
    low = math.exp(-epsilon)

    def spread(k: int) -> float:
        """Return that variance but for what does not depend on k."""
        return (k + (n - k) * low) ** 2 / (k * (n - k))

    near = n * low / (1.0 + low)
    sizes = {min(max(k, 1), n - 1) for k in (math.floor(near), math.ceil(near))} if n > 1 else {1}
    return min(sorted(sizes), key=spread) if n > 1 else 1


def total_variance(n: int, epsilon: float, size: int) -> float:
    """Return the sum of the variances of n equally frequent values' estimates from one report, without the matrix.

    ``n r (1 - r) / (p - q)^2`` with ``r = k / n``, p the probability that the set of k holds the truth, and q that it
    holds another given value.

    Examples
    --------
    >>> round(total_variance(26, 1.0, 7), 6)
    88.526355
    """
    low = math.exp(-epsilon)
    held = size / (size + (n - size) * low)
    other = (size - held) / (n - 1)
    share = size / n
    return n * share * (1.0 - share) / (held - other) ** 2
