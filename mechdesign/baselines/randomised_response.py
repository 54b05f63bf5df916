"""k-ary randomised response: the truth, or one of the other values at random."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.baselines.made import asked, fits, made
from mechdesign.baselines.response_matrix import strongest_randomised_response
from mechdesign.exact import ONE, dyadic, exp_below
from mechdesign.families import KaryResponse
from mechdesign.families.best import ratio_below
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.notions import LDP
from mechdesign.parameters.labels import named
from mechdesign.problem import Problem


def randomised_response(problem: Problem, epsilon: float) -> Mechanism:
    r"""Return ``Q[x, x] = e^epsilon / (e^epsilon + n - 1)``, ``Q[x, y] = 1 / (e^epsilon + n - 1)`` beside it.

    The mechanism of most truth that is private and whose entries are multiples of ``2**-53``: each lie is at most
    ``2**-53`` more than the formula.

    Parameters
    ----------
    problem : Problem
        Its n inputs are the outputs too.
    epsilon : float
        At least 0 nats, finite.

    Returns
    -------
    Mechanism
        Shape (n, n), exactly private under ``LDP(epsilon)``; without a matrix if there is no memory for one.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN or infinite.

    Notes
    -----
    The frequency that inverts the reports has variance ``(n - 2 + e^epsilon) / (e^epsilon - 1)^2`` a report, for a
    value that next to nobody has.

    References
    ----------
    S. L. Warner, "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias", Journal of the American
    Statistical Association 60 (1965), for n = 2.

    P. Kairouz, K. Bonawitz, D. Ramage, "Discrete Distribution Estimation under Local Privacy", ICML 2016, Section 3.

    Examples
    --------
    >>> import mechdesign as md
    >>> mechanism = md.baselines.randomised_response(md.Problem(labels=["a", "b", "c"]), np.log(2))
    >>> (mechanism.matrix * 4).round(12).tolist()
    [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]
    >>> mechanism.outputs, md.audit(mechanism, md.LDP(np.log(2))).holds
    (('a', 'b', 'c'), True)
    """
    known, level = asked(problem, epsilon)
    notion, n = LDP(level), known.n
    if not fits(n * n):
        return ImplicitMechanism(KaryResponse(n, ratio_below(level)), problem=known, notion=notion)
    # The least multiple of 2**-53 of which e^epsilon times is no less than what it leaves to the truth.
    lies = math.ceil(ONE / (exp_below(level) + n - 1))
    truth = ONE - (n - 1) * lies
    if truth >= lies:
        numerators = np.full((n, n), lies, dtype=np.int64)
        np.fill_diagonal(numerators, truth)
    else:
        found = dyadic(strongest_randomised_response(notion, Problem(n=n)))
        assert found is not None
        numerators = found
    return made(numerators, named(known.labels, n), known, notion)
