"""Pointwise maximal leakage for every prior that gives each secret a probability of at least c."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, symmetric
from mechdesign.catalogue.promises import factor
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.least_shares import LeastShares, shares
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import SUM_TO_ONE

#: The domain of the least probability of a secret.
LEAST = Real(low=0.0, high=1.0, rule="it bounds a probability", remedy="choose it in [0, 1]")


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report makes any of the {of.values} more probable by more than a factor of {factor(notion.epsilon)}, for "
        f"anyone who gives each of them a probability of at least {in_full(notion.c)} before."
    )


def _edge() -> Edge:
    """Return the symmetric matrix whose largest entry is e^epsilon times the least mass, and a little more.

    With at least a quarter on either input the least mass is ``(h + 3 l) / 4``.
    """
    return Edge(InteriorPML(0.5, 0.25), Problem(n=2), *symmetric(0.5, lambda ratio: (3 * ratio, 4 - ratio)))


@dataclass(frozen=True)
class InteriorPML(Notion):
    r"""Pr(y | s) <= e^epsilon Pr(y) for all s, y and all priors that give each secret at least c; epsilon in nats.

    ``Pr(y) = sum_s pi_s Pr(y | s)``: pointwise maximal leakage at most epsilon whatever the prior, as long as it is not
    extreme. At ``c = 0`` this is LDP, with k equally likely secrets and ``c = 1/k`` it is MaxLift.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    c : float
        The least probability of each of the k secrets, from 0 to ``1/k``.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; c outside [0, 1], or above ``1/k`` for the problem's secrets.

    Notes
    -----
    The least mass of a column v over these priors is ``c sum_s v_s + (1 - k c) min_s v_s``, so the cone needs one
    auxiliary variable. The extreme rays have two values, 1 and ``e^epsilon (1 - c j)/(1 - c j e^epsilon)`` on j
    secrets, as long as that is positive; or ones, zeros, and one number between them.

    References
    ----------
    S. Saeidian, G. Cervia, T. J. Oechtering, M. Skoglund, "Pointwise Maximal Leakage", IEEE Transactions on Information
    Theory 69 (2023), Definition 1, for one prior.

    L. Grosse, S. Saeidian, M. Skoglund, T. J. Oechtering, "Privacy Mechanism Design Based on Empirical Distributions",
    IEEE CSF 2026, for sets of priors.

    Examples
    --------
    >>> import mechdesign as md
    >>> round(md.InteriorPML(0.7, c=0.2).level([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)).value, 6)
    0.76214
    """

    card = Card(
        "pointwise maximal leakage for interior priors",
        r"\Pr(y \mid s) \le e^{\epsilon} \sum_{s^{\prime}} \pi_{s^{\prime}} \Pr(y \mid s^{\prime}) "
        r"\quad \text{for all } s, y \text{ and every prior } \pi \ge c",
        means="Pointwise maximal leakage for all priors that give each secret at least c: LDP at c = 0, max-lift of"
        " equally likely secrets at c = 1/k.",
        search=("interior pointwise maximal leakage", "c-interior PML", "set of priors"),
        works=("saeidian2023", "grosse2026"),
        page="how-to/pointwise-maximal-leakage",
        promise=_promise,
        implied_by=(Rule("LDP", same_level, "no mass is less than the least entry of a column"),),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (InteriorPML(0.7, 0.1), random_problem(4, rng)),
            lambda rng: (InteriorPML(1.5, 0.2), random_problem(4, rng)),
            lambda rng: (InteriorPML(0.5, 0.25), Problem(n=4)),
            lambda rng: (InteriorPML(1.0, 0.0), random_problem(3, rng)),
            lambda rng: (InteriorPML(0.6, 0.2), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: InteriorPML(1.0, 0.3 / problem.n),
        edge=_edge,
    )

    epsilon: float
    c: float
    domains = {"epsilon": EPSILON, "c": LEAST}

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem, whose secrets have to be few enough for the least probability."""
        k = problem.secrets
        if self.c * k > 1.0 + SUM_TO_ONE:
            raise DomainError(
                "c", self.c, f"no prior of the {k} secrets gives each of them so much", f"choose it at most 1/{k}"
            )
        return super().inputs(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP where every prior counts, or epsilon is 0."""
        return LDP(self.epsilon) if self.epsilon == 0 or self.c == 0 else self

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors of which no entry is far above the mass, under any of the priors."""
        return LeastShares(problem.secrets, self.epsilon, self.c)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln v_s(y) - ln m(y)``, m the least mass; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        least, free = map(float, shares(self.c, problem.secrets))
        high, low = seen.argmax(axis=0), seen.argmin(axis=0)
        each = np.arange(seen.shape[1])
        mass = least * seen.sum(axis=0) + free * seen[low, each]
        ratios = np.zeros(len(each))
        used = np.flatnonzero(seen[high, each] > 0)
        with np.errstate(divide="ignore"):
            ratios[used] = np.maximum(np.log(seen[high[used], used]) - np.log(mass[used]), 0.0)
        worst = int(ratios.argmax())
        return Level(float(ratios[worst]), (int(high[worst]), int(low[worst])), worst)
