"""The optimum of local information privacy for two inputs, for every prior."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import LIP, Notion
from mechdesign.objectives import MMSE, Objective, Separable
from mechdesign.problem import Problem
from mechdesign.theorems.base import Form, Theorem


def _matrix(problem: Problem, notion: Notion, objective: Objective) -> Array:
    """Return the mechanism whose two posteriors are the ends of the segment that the notion allows.

    With ``tau = 1/(1 + e^epsilon)`` and p the probability of the rarer input: where ``p >= tau`` the common input is
    misreported with probability ``p e^-epsilon`` and the rarer with ``(1 - p) e^-epsilon``; otherwise the common
    with ``(1 - p e^epsilon) / ((1 + e^epsilon)(1 - p))`` and the rarer with tau.
    """
    prior, low = problem.prior_of_secret, float(np.exp(-notion.parameter))
    assert prior is not None, "inputs() refuses a problem without one"
    rarer = int(prior.argmin())
    p, tau = float(prior[rarer]), low / (1.0 + low)
    flips = (p * low, (1.0 - p) * low) if p >= tau else ((low - p) / ((1.0 + low) * (1.0 - p)), tau)
    flip = np.array(flips)[[1, 0] if rarer == 0 else [0, 1]]
    return np.array([[1.0 - flip[0], flip[0]], [flip[1], 1.0 - flip[1]]])


def _error(problem: Problem, notion: Notion, objective: Objective) -> float | None:
    """Return ``V (2/E - 1/E^2)`` for ``p >= tau``, otherwise ``V - d^2 p^2 (E - 1)^2 / E``, with ``E = e^epsilon``.

    V is the values' variance ``d^2 p (1 - p)``, d their distance.
    """
    prior = problem.prior_of_secret
    if not isinstance(objective, MMSE) or prior is None:
        return None
    variance, low, p = objective.offset(problem), float(np.exp(-notion.parameter)), float(prior.min())
    if p >= low / (1.0 + low):
        return variance * low * (2.0 - low)
    return variance * (1.0 - p * (1.0 - low) ** 2 / (low * (1.0 - p)))


M4 = Theorem(
    key="ours/M4",
    place="exact binary optimum of LIP",
    kind="exact optimum",
    words=(
        "For two inputs the posteriors that LIP allows form a segment, and the mechanism whose two posteriors are its "
        "ends maximises every sublinear utility, for every prior and every epsilon."
    ),
    # Every feasible posterior is a mixture of the two ends, so every private mechanism is post-processing of this one.
    form=Form(LIP, Separable, "utilities that are sums over outputs", inputs=2),
    printed=_matrix,
    matrix=_matrix,
    value=_error,
)
