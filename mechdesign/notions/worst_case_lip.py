"""Local information privacy for every prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, randomised_response
from mechdesign.catalogue.odds import of_every_pair
from mechdesign.catalogue.promises import both_ways
from mechdesign.columns import Shape
from mechdesign.columns.pair_ratios import EveryPair
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class WorstCaseLIP(Notion):
    r"""e^-epsilon <= Pr(y | s) / sum_s' pi_s' Pr(y | s') <= e^epsilon for all s, y and every prior pi; epsilon in nats.

    With a hidden secret, the prior is that of the secret, and ``Pr(y | s) = sum_x W[s, x] Q[x, y]`` is kept.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite.

    Notes
    -----
    The mass is linear in the prior, so the worst priors put all on one secret s', where it is ``Pr(y | s')``: these
    are the constraints of LDP(epsilon) for all ordered pairs, k (k - 1) rows a column. LDP has the same cone in 2k.

    References
    ----------
    B. Jiang, M. Li, R. Tandon, "Local Information Privacy with Bounded Prior", IEEE ICC 2019, Theorem 1.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(n=2)
    >>> round(md.WorstCaseLIP(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    1.098612
    """

    card = Card(
        "worst-case local information privacy",
        r"e^{-\epsilon} \le \frac{\Pr(y \mid s)}{\sum_{s^{\prime}} \pi_{s^{\prime}} \Pr(y \mid "
        r"s^{\prime})} \le e^{\epsilon} \quad \text{for all } s, y \text{ and every prior } \pi",
        search=("lift", "minimax", "set of priors"),
        works=("jiang_bounded_prior",),
        promise=both_ways("has any prior at all"),
        odds=of_every_pair,
        adds_up="level",
        implied_by=(Rule("LDP", same_level, "Jiang, Li, Tandon 2019, Theorem 1"),),
        examples=(
            lambda rng: (WorstCaseLIP(0.3), random_problem(4, rng)),
            lambda rng: (WorstCaseLIP(2.0), Problem(n=3)),
            lambda rng: (WorstCaseLIP(0.7), random_problem(4, rng, secrets=3)),
        ),
        # The prior that is all on one input is the worst.
        edge=lambda: Edge(WorstCaseLIP(1.0), Problem(n=2), *randomised_response(1.0)),
    )

    epsilon: float

    def plain(self, problem: Problem) -> Notion:
        """Return LDP."""
        return LDP(self.epsilon)

    def shape(self, problem: Problem) -> Shape:
        """Return ``v_s <= e^epsilon v_s'`` for all ordered pairs."""
        return EveryPair(problem.secrets, self.epsilon, ())

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_s(y) - ln v_s'(y)|``: the lift of s where the prior is all on s'."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        worst = Level(0.0, (0,), 0)
        for output in np.flatnonzero(seen.max(axis=0) > 0):
            with np.errstate(divide="ignore"):
                logs = np.log(seen[:, output])
            first, second = int(logs.argmax()), int(logs.argmin())
            if logs[first] - logs[second] > worst.value:
                worst = Level(float(logs[first] - logs[second]), (first, second), int(output))
        return worst
