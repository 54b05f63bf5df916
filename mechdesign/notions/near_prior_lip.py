"""Local information privacy for every prior near the stated one in total variation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, symmetric
from mechdesign.catalogue.promises import factor
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.prior_ball import PriorBall
from mechdesign.displays.numbers import in_full
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.notions.lip import LIP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.problem.priors_near import RADIUS


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report makes any of the {of.values} more probable or less probable by more than a factor of "
        f"{factor(notion.epsilon)}, for anyone whose prior differs from the prior stated here by at most "
        f"{in_full(notion.radius)} in the probability of any event."
    )


def _edge() -> Edge:
    """Return the symmetric matrix on which the largest mass is e^epsilon times the least entry, and a little more.

    Near equal probabilities, at a distance of at most a quarter, the largest mass is ``(3 h + l) / 4``.
    """
    return Edge(NearPriorLIP(1.0, 0.25), fair(), *symmetric(1.0, lambda ratio: ((4 * ratio - 1) / 3, Fraction(1))))


@dataclass(frozen=True)
class NearPriorLIP(Notion):
    r"""e^-epsilon <= Pr(y | s) / Pr(y) <= e^epsilon for all s, y and all priors near the stated one; epsilon in nats.

    ``Pr(y) = sum_s pi_s Pr(y | s)`` for each prior pi with ``sum_s |pi_s - p_s| / 2 <= radius``, p the problem's prior:
    LIP that still holds if the stated prior is wrong by that much. It holds whether or not pi gives s a positive
    probability.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    radius : float
        The total variation distance, from 0 to 1.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a radius outside [0, 1]; a problem without a prior of the secret.

    Notes
    -----
    The least mass of a column takes the radius from the largest entries and gives it to the least one. By linear
    programming duality the cone needs 2k + 6 auxiliary variables for k secrets, and no vertices of the ball. A radius
    of 0 is LIP; a ball that holds every prior is LDP. `md.priors_near` lists its extreme priors.

    References
    ----------
    L. Grosse, S. Saeidian, M. Skoglund, T. J. Oechtering, "Privacy Mechanism Design Based on Empirical Distributions",
    IEEE CSF 2026, for sets of priors.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> response = [[0.75, 0.25], [0.25, 0.75]]
    >>> [round(md.NearPriorLIP(1.0, radius).level(response, problem).value, 6) for radius in (0.0, 0.1, 0.5)]
    [0.693147, 0.788457, 1.098612]
    """

    card = Card(
        "local information privacy near a prior",
        r"e^{-\epsilon} \le \frac{\Pr(y \mid s)}{\Pr(y)} \le e^{\epsilon} \quad \text{for all } s, y "
        r"\text{ and all } \pi \text{ with } d_{\mathrm{TV}}(\pi, p) \le r",
        means="LIP for every prior within a total variation distance of the stated one: a prior that was estimated.",
        search=("lift", "set of priors", "context-aware privacy", "robust", "estimated prior", "distribution mismatch"),
        works=("grosse2026",),
        promise=_promise,
        relative_to="holds for every prior within the stated distance of the stated one, and says nothing for others.",
        implied_by=(
            Rule("LDP", same_level, "Jiang, Li, Tandon 2019, Theorem 2"),
            Rule("WorstCaseLIP", same_level, "the priors near the stated one are some of all"),
        ),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (NearPriorLIP(0.5, 0.1), random_problem(3, rng)),
            lambda rng: (NearPriorLIP(1.0, 0.3), random_problem(4, rng, skew=2.0)),
            lambda rng: (NearPriorLIP(2.0, 0.6), random_problem(3, rng)),
            lambda rng: (NearPriorLIP(0.7, 0.05), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: NearPriorLIP(1.0, 0.1),
        edge=_edge,
    )

    epsilon: float
    radius: float
    domains = {"epsilon": EPSILON, "radius": RADIUS}
    needs_prior = True

    def plain(self, problem: Problem) -> Notion:
        """Return LDP if every prior is near, or epsilon is 0, and LIP if no other prior is."""
        if self.epsilon == 0:
            return LDP(0.0)
        if self.radius == 0:
            return LIP(self.epsilon)
        if problem.prior_of_secret is None:
            return self
        prior = problem.exact_prior_of_secret
        return LDP(self.epsilon) if self.radius >= 1 - Fraction(min(prior), sum(prior)) else self

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors within ``e^epsilon`` of their mass under every prior of the ball."""
        prior = np.array(problem.exact_prior_of_secret, dtype=object)
        return PriorBall(problem.secrets, self.epsilon, self.radius, prior)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_s(y) - ln m(y)|`` over the ball; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        prior, best = problem.required_prior_of_secret, Level(0.0, (0,), 0)
        for output in np.flatnonzero(seen.max(axis=0) > 0).tolist():
            column = seen[:, output]
            high, low = int(column.argmax()), int(column.argmin())
            mass = float(prior @ column)
            # What the likeliest secrets lose goes to the least likely one, and the other way round.
            least = mass - _moved(column - column[low], prior, self.radius)
            most = mass + _moved(column[high] - column, prior, self.radius)
            for secret, ratio in ((high, _ratio(column[high], least)), (low, _ratio(most, column[low]))):
                if ratio > best.value:
                    best = Level(ratio, (secret,), output)
        return best


def _moved(gains: Array, prior: Array, radius: float) -> float:
    """Return the largest sum of gains for a mass of `radius` that is taken from the prior."""
    order = np.argsort(-gains, kind="stable")
    taken = np.clip(radius - (np.cumsum(prior[order]) - prior[order]), 0.0, prior[order])
    return float(taken @ gains[order])


def _ratio(larger: float, smaller: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(larger) - np.log(max(smaller, 0.0)))
