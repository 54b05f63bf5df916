"""The published mechanisms as matrices, wherever LDP or a metric at a notion's own epsilon may satisfy it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from mechdesign.baselines.exponential import exponential
from mechdesign.baselines.geometric import geometric
from mechdesign.baselines.hadamard_response import hadamard_response
from mechdesign.baselines.randomised_response import randomised_response
from mechdesign.baselines.sensitive_response import sensitive_response
from mechdesign.baselines.subset_selection import best_size, subset_selection
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.notions import MetricDP, Notion, UtilityOptimizedLDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Entries of a matrix (8 MB) up to which it is worth its making beside a design.
MOST_ENTRIES = 1 << 20


def published(notion: Notion, inputs: Problem) -> Iterator[tuple[str, Array]]:
    """Yield known mechanisms at the notion's own epsilon with their names; nothing where it has none.

    Subset selection, Hadamard response and k-ary randomised response; under `MetricDP` the exponential and the
    geometric mechanism; under `UtilityOptimizedLDP` its randomised response besides.

    Parameters
    ----------
    notion : Notion
        Any; whether it is satisfied is left to its exact check.
    inputs : Problem
        The problem over the notion's inputs.

    Yields
    ------
    tuple of str and ndarray, shape (n, m)
        Of at most ``2**20`` entries, multiples of ``2**-53``.

    References
    ----------
    M. Ye, A. Barg, "Optimal Schemes for Discrete Distribution Estimation under Locally Differential Privacy", IEEE
    Transactions on Information Theory 64 (2018), Section III.

    S. L. Warner, "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias", Journal of the American
    Statistical Association 60 (1965).

    F. McSherry, K. Talwar, "Mechanism Design via Differential Privacy", IEEE FOCS 2007, Section 3.

    A. Ghosh, T. Roughgarden, M. Sundararajan, "Universally Utility-Maximizing Privacy Mechanisms", SIAM Journal on
    Computing 41 (2012), Definition 2.3.

    J. Acharya, Z. Sun, H. Zhang, "Hadamard Response: Estimating Distributions Privately, Efficiently, and with Little
    Communication", AISTATS 2019, Section 4.

    Examples
    --------
    >>> import mechdesign as md
    >>> [(name, matrix.shape) for name, matrix in published(md.LDP(1.0), md.Problem(n=10))]
    [('subset selection of 3', (10, 120)), ('Hadamard response', (10, 16)), ('k-ary randomised response', (10, 10))]
    >>> list(published(md.AsymmetricLIP(0.5, 0.5), md.Problem(n=10)))
    []
    """
    epsilon = getattr(notion, "epsilon", None)
    if not isinstance(epsilon, float) or not 0.0 < epsilon < math.inf:
        return
    plain, n = Problem(n=inputs.n), inputs.n
    if isinstance(notion, MetricDP):
        offered = _of_metric(plain, notion)
    elif isinstance(notion, UtilityOptimizedLDP):
        offered = _of_sensitive(plain, notion) | _of_ldp(plain, epsilon)
    else:
        offered = _of_ldp(plain, epsilon)
    for name, (outputs, make) in offered.items():
        if n * outputs > MOST_ENTRIES:
            continue
        try:
            made = make()
        except DomainError:
            # Rounding to multiples of 2**-53 would take too much of it.
            continue
        yield name, made.matrix


def _of_ldp(plain: Problem, epsilon: float) -> dict[str, tuple[int, Callable[[], Mechanism]]]:
    """Return the mechanisms of LDP by name, each with its number of outputs and what makes it."""
    n, size = plain.n, best_size(plain.n, epsilon)
    offered: dict[str, tuple[int, Callable[[], Mechanism]]] = {
        f"subset selection of {size}": (math.comb(n, size), lambda: subset_selection(plain, epsilon, size)),
        "Hadamard response": (1 << n.bit_length(), lambda: hadamard_response(plain, epsilon)),
        "k-ary randomised response": (n, lambda: randomised_response(plain, epsilon)),
    }
    if size == 1:
        del offered["subset selection of 1"]
    return offered


def _of_sensitive(plain: Problem, notion: UtilityOptimizedLDP) -> dict[str, tuple[int, Callable[[], Mechanism]]]:
    """Return the mechanism for inputs of which some are sensitive likewise."""
    if not notion.sensitive:
        return {}
    make = partial(sensitive_response, plain, notion.epsilon, notion.sensitive)
    return {"utility-optimised randomised response": (plain.n, make)}


def _of_metric(plain: Problem, notion: MetricDP) -> dict[str, tuple[int, Callable[[], Mechanism]]]:
    """Return the mechanisms of a metric likewise; the geometric one by the least distance of neighbours in order."""
    n, step = plain.n, float(np.diag(notion.distance, 1).min(initial=np.inf))
    offered = {"exponential mechanism": (n, lambda: exponential(plain, notion.epsilon, notion.distance))}
    if n > 1 and 0.0 < step < np.inf:
        offered["geometric mechanism"] = n, lambda: geometric(plain, notion.epsilon * step)
    return offered
