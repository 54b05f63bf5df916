"""Maximal lift: no secret becomes much likelier with an output than without it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, symmetric
from mechdesign.catalogue.odds import lifted
from mechdesign.catalogue.promises import sides
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.notions.lift_band import LiftBand, log_lifts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class MaxLift(LiftBand):
    r"""Pr(y | s) <= e^epsilon Pr(y) for all secrets s and outputs y; epsilon in nats.

    The mass ``Pr(y) = sum_s Pr(s) Pr(y | s)`` is taken under the problem's prior: the guarantee is relative to it.
    An output may rule a secret out.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At ``-ln min(prior)`` and above nothing is asked.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a problem without a prior of the secret.

    Notes
    -----
    It is the upper half of LIP(epsilon), so LIP(epsilon) implies it, but not back. On the slice of mass one,
    ``v_x = t_x e^epsilon`` with ``0 <= t <= 1`` and ``P . t = e^-epsilon``: the rays are the vertices of a knapsack.

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), Section V-B, (34).

    S. Saeidian, G. Cervia, T. J. Oechtering, M. Skoglund, "Pointwise Maximal Leakage", IEEE Transactions on Information
    Theory 69 (2023), Definition 1: pointwise maximal leakage is its level; `md.PointwiseMaximalLeakage` is this class.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.MaxLift(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.405465
    """

    card = Card(
        "pointwise maximal leakage, or maximal lift",
        r"\Pr(y \mid s) \le e^{\epsilon} \Pr(y) \quad \text{for all } s, y",
        means="ln max_x Pr(y | x) / Pr(y) for every output y: pointwise maximal leakage is the level of the notion "
        "MaxLift.",
        search=("pointwise maximal leakage", "PML", "max-lift", "maximal lift", "context-aware privacy"),
        works=("saeidian2023", "zamani"),
        page="how-to/pointwise-maximal-leakage",
        promise=lambda notion, problem, of: sides(math.inf, notion.epsilon, of),
        odds=lambda notion, problem, of: lifted(problem, of, math.inf, notion.epsilon),
        implied_by=(
            Rule("LIP", same_level, "Zamani, Sadeghi, Skoglund 2025, Section V-B: the upper half of the definition"),
            Rule(
                "LDP",
                same_level,
                "Jiang, Li, Tandon 2018, Theorem 1, and Zamani, Sadeghi, Skoglund 2025, Section V-B",
            ),
        ),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (MaxLift(0.3), random_problem(3, rng)),
            lambda rng: (MaxLift(1.0), random_problem(4, rng, skew=2.0)),
            lambda rng: (MaxLift(0.2), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: MaxLift(0.5),
        # The largest entry is e^epsilon times the mass.
        edge=lambda: Edge(MaxLift(0.5), fair(), *symmetric(0.5, lambda ratio: (ratio, 2 - ratio))),
    )

    epsilon: float

    @property
    def ends(self) -> tuple[float, float]:
        """The two ends of the lift's logarithm, in nats."""
        return math.inf, self.epsilon

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln v_s(y) - ln m(y)``; columns of zeros count nothing."""
        lifts = log_lifts(matrix, problem)
        secret, output = np.unravel_index(lifts.argmax(), lifts.shape)
        return Level(float(max(lifts[secret, output], 0.0)), (int(secret),), int(output))


#: The name of the notion in the literature on quantitative information flow.
PointwiseMaximalLeakage = MaxLift


def lifted_or_ldp(notion: Any, problem: Problem) -> Notion:
    """Return max-lift at the epsilon of a notion that it implies at the same level; without a prior LDP."""
    return LDP(notion.epsilon) if problem.prior is None else MaxLift(notion.epsilon)
