"""Local information privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, least_lift
from mechdesign.catalogue.odds import lifted
from mechdesign.catalogue.promises import both_ways
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.notions.lift_band import LiftBand, log_lifts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class LIP(LiftBand):
    r"""e^-epsilon <= Pr(y | s) / Pr(y) <= e^epsilon for all secrets s and outputs y; epsilon in nats.

    The mass ``Pr(y) = sum_s Pr(s) Pr(y | s)`` is taken under the problem's prior: the guarantee is relative to it.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a problem without a prior of the secret.

    Notes
    -----
    On the slice of mass one, ``v_x = e^-epsilon + t_x (e^epsilon - e^-epsilon)`` with ``0 <= t <= 1`` and
    ``P . t = 1 / (1 + e^epsilon)``: the rays are the vertices of a knapsack, a full set and one fractional input.

    References
    ----------
    B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation with Localized Information Privacy", IEEE CNS 2018,
    Definition 2.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.LIP(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.693147
    """

    card = Card(
        "local information privacy",
        r"e^{-\epsilon} \le \frac{\Pr(y \mid s)}{\Pr(y)} \le e^{\epsilon} \quad \text{for all } s, y",
        means="No output changes the probability of an input by more than the factor e^epsilon, up or down; "
        "relative to the prior.",
        usual="more useful reports, if the frequencies of the answers are public",
        search=("lift", "context-aware privacy"),
        works=("jiang_lip", "grosse2024"),
        promise=both_ways("has the prior stated here"),
        odds=lambda notion, problem, of: lifted(problem, of, notion.epsilon, notion.epsilon),
        implied_by=(
            Rule("LDP", same_level, "Jiang, Li, Tandon 2018, Theorem 1: the mass is a mean of the column's entries"),
            Rule("WorstCaseLIP", same_level, "Jiang, Li, Tandon 2019, Definition 3: the prior is one of all"),
            Rule("NearPriorLIP", same_level, "the stated prior is one of those near it"),
        ),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (LIP(0.3), random_problem(3, rng)),
            lambda rng: (LIP(2.0), random_problem(4, rng, skew=2.0)),
            lambda rng: (LIP(1.0), random_problem(3, rng, secrets=3)),
            lambda rng: (LIP(0.7), random_problem(4, rng, secrets=2)),
        ),
        edge=lambda: Edge(LIP(1.0), fair(), *least_lift(1.0)),
    )

    epsilon: float

    @property
    def ends(self) -> tuple[float, float]:
        """The two ends of the lift's logarithm, in nats."""
        return self.epsilon, self.epsilon

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_s(y) - ln m(y)|``; columns of zeros count nothing."""
        distance = np.abs(log_lifts(matrix, problem))
        secret, output = np.unravel_index(distance.argmax(), distance.shape)
        return Level(float(distance[secret, output]), (int(secret),), int(output))
