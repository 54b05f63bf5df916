"""The exponential mechanism of a metric: what is nearer is reported more often."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.baselines.in_metric import privately_rounded
from mechdesign.baselines.made import asked, made, require_small
from mechdesign.mechanism import Mechanism
from mechdesign.notions import MetricDP
from mechdesign.notions.distances import shortest
from mechdesign.parameters.by_label import in_order_of_problem
from mechdesign.parameters.labels import named
from mechdesign.problem import Problem


def exponential(problem: Problem, epsilon: float, distance: npt.ArrayLike) -> Mechanism:
    r"""Return ``Q[x, y]`` proportional to ``e^(-epsilon d(x, y) / 2)``, d the length of the shortest chain.

    The half pays for the sums that the rows are divided by, which differ by at most ``e^(epsilon d / 2)``.

    Parameters
    ----------
    problem : Problem
        Its n inputs are the outputs too.
    epsilon : float
        At least 0 nats per unit of the distance, finite.
    distance : array_like, shape (n, n)
        Symmetric, zero on the diagonal, nowhere negative; infinite between inputs that may be distinguished.

    Returns
    -------
    Mechanism
        Shape (n, n), exactly private under ``MetricDP(epsilon, distance)``.

    Raises
    ------
    DomainError
        The problem is none, or its matrix would take too much memory; epsilon negative, NaN, infinite, or with a
        distance so small that multiples of ``2**-53`` cannot express it; a distance that is none.

    References
    ----------
    F. McSherry, K. Talwar, "Mechanism Design via Differential Privacy", IEEE FOCS 2007, Section 3; of a metric: K.
    Chatzikokolakis, M. Andres, N. Bordenabe, C. Palamidessi, "Broadening the Scope of Differential Privacy Using
    Metrics", PETS 2013.

    Examples
    --------
    >>> import mechdesign as md
    >>> line = abs(np.subtract.outer(np.arange(3), np.arange(3)))
    >>> mechanism = md.baselines.exponential(md.Problem(n=3), 2 * np.log(2), line)
    >>> (mechanism.matrix * 28).round(12).tolist()
    [[16.0, 8.0, 4.0], [7.0, 14.0, 7.0], [4.0, 8.0, 16.0]]
    """
    known, level = asked(problem, epsilon)
    require_small(known, "the exponential mechanism")
    notion = in_order_of_problem(MetricDP(level, distance), known, known)
    notion.inputs(Problem(n=known.n))
    # A product beyond floats counts as infinite; at epsilon 0 inputs at an infinite distance stay distinguished.
    with np.errstate(over="ignore"):
        apart = level / 2.0 * shortest(notion.distance) if level else None
    exponents = np.where(np.isinf(notion.distance), np.inf, 0.0) if apart is None else apart
    weights = np.exp(-exponents)
    numerators = privately_rounded(weights / weights.sum(axis=1, keepdims=True), notion)
    return made(numerators, named(known.labels, known.n), known, notion)
