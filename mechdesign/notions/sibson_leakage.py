"""Sibson's mutual information of the secret and the output, bounded: between mutual information and maximal leakage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, of_level_and_order, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import INSIDE, OUTSIDE, Edge, fair, keeping
from mechdesign.catalogue.promises import rare
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Masses, Shape
from mechdesign.columns.power_budget import NormBound, conjugate, excess
from mechdesign.displays.numbers import in_full
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.bounded_information import BoundedInformation
from mechdesign.notions.ldp import LDP
from mechdesign.notions.max_lift import MaxLift
from mechdesign.notions.sibson_constants import ldp_for, most_under_ldp, most_under_lip
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: The domain of the order: beyond it powers of floats have no digits left, and the ends are notions of their own.
ALPHA = Real(
    low=1.1,
    high=100.0,
    rule="it is the order of a norm",
    remedy="for 1 use MutualInformationPrivacy, for infinity MaximalLeakage",
)


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"On average over reports, a report discloses at most {in_full(notion.epsilon)} nats of {of.it} by Sibson's "
        f"measure of order {in_full(notion.alpha)}, in which a rare report that discloses more weighs more."
        f"{rare(notion, of)}"
    )


def _stronger(notion: Any, problem: Problem) -> Notion:
    level = ldp_for(notion.epsilon, notion.alpha)
    return MaxLift(notion.epsilon) if level <= notion.epsilon else LDP(level)


def _edge() -> Edge:
    """Return binary randomised response whose leakage of order 2, ``ln(2 (a^2 + (1 - a)^2))``, is epsilon."""
    digits = Context(prec=120)
    # With a = (1 + d) / 2 it is ln(1 + d^2).
    apart = digits.sqrt(digits.subtract(digits.exp(Decimal("0.25")), Decimal(1)))
    share = Fraction(digits.divide(digits.add(Decimal(1), apart), Decimal(2)))
    return Edge(SibsonLeakage(0.25, 2.0), fair(), keeping(share - INSIDE), keeping(share + OUTSIDE))


@dataclass(frozen=True)
class SibsonLeakage(BoundedInformation):
    r"""Sibson's mutual information of order alpha between the secret S and the output is at most epsilon, in nats.

    .. math:: I_\alpha(S; Y) = \frac{\alpha}{\alpha - 1}
        \ln \sum_y \left(\sum_s \pi_s \Pr(y \mid s)^\alpha\right)^{1/\alpha} \le \epsilon

    It grows with alpha, from the mutual information at 1 to the maximal leakage at infinity: a larger order weighs rare
    outputs that betray the secret more. With a hidden secret ``Pr(y | s) = sum_x W[s, x] Q[x, y]``.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At 0 only mechanisms that ignore the secret remain.
    alpha : float
        The order, from 1.1 to 100.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; another alpha; a problem without a prior of the secret.

    Notes
    -----
    A smooth budget, as `MutualInformationPrivacy`: sums over columns are priced in every direction, for few inputs.
    Powers have no exact value: the exact check encloses them to sixty digits, so that what it accepts holds.

    References
    ----------
    R. Sibson, "Information Radius", Zeitschrift für Wahrscheinlichkeitstheorie und verwandte Gebiete 14 (1969).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.SibsonLeakage(1.0, 2.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.223144
    """

    card = Card(
        "Sibson mutual information",
        r"\frac{\alpha}{\alpha - 1} \ln \sum_y \Big(\sum_s \pi_s \Pr(y \mid s)^{\alpha}\Big)^{1/\alpha} \le \epsilon",
        means="Sibson's mutual information of order alpha: mutual information at order 1, maximal leakage at "
        "infinity; a larger order weighs rare outputs more.",
        search=(
            "Sibson leakage",
            "alpha-mutual information",
            "Renyi information",
            "information radius",
            "maximal alpha-leakage",
        ),
        works=("sibson1969", "issa2020"),
        promise=_promise,
        implied_by=(
            Rule("MaximalLeakage", same_level, "Sibson 1969: it grows with its order, whose end is maximal leakage"),
            Rule("MaxLift", same_level, "Sibson 1969: it grows with its order, whose end is maximal leakage"),
            Rule(
                "LDP", of_level_and_order(most_under_ldp), "an extreme column has two values, and their share is best"
            ),
            Rule("LIP", of_level_and_order(most_under_lip), "a lift of the two ends has the largest norm"),
        ),
        stronger=_stronger,
        examples=(
            lambda rng: (SibsonLeakage(0.2, 2.0), random_problem(4, rng)),
            lambda rng: (SibsonLeakage(0.05, 1.3), random_problem(3, rng, skew=2.0)),
            lambda rng: (SibsonLeakage(0.05, 20.0), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: SibsonLeakage(0.15, 2.0),
        edge=_edge,
    )

    epsilon: float
    alpha: float
    domains = {"epsilon": EPSILON, "alpha": ALPHA}

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors with a bound on the sum of their norms."""
        return NormBound(problem.secrets, Masses.of(problem), self.epsilon, self.alpha)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the leakage, with the output that adds most to it and the secret that adds most to its norm there."""
        seen, prior = problem.seen_by_secret(np.asarray(matrix, dtype=float)), problem.required_prior_of_secret
        added = excess(seen, prior, self.alpha)
        output = int(added.argmax())
        secret = int((np.log(prior) / self.alpha + np.log(np.maximum(seen[:, output], 1e-300))).argmax())
        return Level(conjugate(self.alpha) * math.log1p(math.fsum(added)), (secret,), output)
