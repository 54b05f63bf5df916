"""The optimum of local information privacy for two inputs, for every prior."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, ErrorProbability, MutualInformation, Separable
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family
from mechdesign.theorems.ours.published_lip import asked
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector


def exact_binary(question: Question) -> Published:
    """Return the mechanism whose two posteriors are the ends of the segment that the notion allows.

    With ``tau = 1/(1 + e^epsilon)`` and p the probability of the rarer input: where ``p >= tau`` the common input is
    misreported with probability ``p e^-epsilon`` and the rarer with ``(1 - p) e^-epsilon``; otherwise the common
    with ``(1 - p e^epsilon) / ((1 + e^epsilon)(1 - p))`` and the rarer with tau.
    """
    prior, low = question.problem.required_prior_of_secret, float(np.exp(-question.notion.parameter))
    rarer = int(prior.argmin())
    p, tau = float(prior[rarer]), low / (1.0 + low)
    flips = (p * low, (1.0 - p) * low) if p >= tau else ((low - p) / ((1.0 + low) * (1.0 - p)), tau)
    flip = np.array(flips)[[1, 0] if rarer == 0 else [0, 1]]
    return Published(np.array([[1.0 - flip[0], flip[0]], [flip[1], 1.0 - flip[1]]]), _error(question, low, p))


def _error(question: Question, low: float, p: float) -> float | None:
    """Return ``V (2/E - 1/E^2)`` for ``p >= tau``, otherwise ``V - d^2 p^2 (E - 1)^2 / E``, with ``E = e^epsilon``.

    V is the values' variance ``d^2 p (1 - p)``, d their distance.
    """
    if not isinstance(question.objective, MMSE):
        return None
    variance = question.objective.offset(question.problem)
    if p >= low / (1.0 + low):
        return variance * low * (2.0 - low)
    return variance * (1.0 - p * (1.0 - low) ** 2 / (low * (1.0 - p)))


M4 = Theorem(
    key="ours/M4",
    place="exact binary optimum of LIP",
    origin="not published, as far as we know for LIP; for LDP of two inputs it is in Kairouz, Oh, Viswanath 2014",
    kind="exact optimum",
    words=(
        "For two inputs the posteriors that LIP allows form a segment, and the mechanism whose two posteriors are its "
        "ends maximises every sublinear utility, for every prior and every epsilon."
    ),
    latex=(
        r"(q_0, q_1) = (p/E, (1-p)/E) \text{ if } p \ge \tau, \quad "
        r"\left(\frac{1 - pE}{(1+E)(1-p)}, \frac{1}{1+E}\right) \text{ if } p < \tau = \frac{1}{1+E}"
    ),
    # Every feasible posterior is a mixture of the two ends, so every private mechanism is post-processing of this one.
    family=Family(
        {
            "epsilon": Real(0.05, 4.0),
            "prior": Distribution(2),
            "values": Vector(2, 0.0, 5.0),
            "objective": Choice((MMSE(), MutualInformation(), ErrorProbability())),
        },
        subject=asked,
    ),
    printed=exact_binary,
    test=is_optimal,
    form=Form(LIP, Separable, "utilities that are sums over outputs", inputs=2),
)
