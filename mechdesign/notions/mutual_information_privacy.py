"""Mutual information between the secret and the output, bounded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, of_level, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import INSIDE, OUTSIDE, Edge, fair, keeping
from mechdesign.catalogue.promises import rare
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Masses, Shape
from mechdesign.columns.information_budget import InformationBound, terms
from mechdesign.displays.numbers import in_full
from mechdesign.notions.base import Level
from mechdesign.notions.bounded_information import BoundedInformation
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Halvings of the epsilon at which LDP discloses so much information.
HALVINGS = 60
#: Where series take the place of differences that cancel, and more than what either misses.
NEXT_TO_ZERO, ROUNDED_UP = 1e-3, 1.0 + 1e-8


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    most = f"a report reveals at most {in_full(notion.epsilon)} nats of {of.it}"
    return f"On average over reports, {most}.{rare(notion, of)}"


def most_information(epsilon: float) -> float:
    """Return at least ``w - ln(1 + w)`` with ``1 + w = epsilon E / (E - 1)``: the most information under LDP, in nats.

    Next to 0, where the differences cancel, by series that end in a positive term.

    Examples
    --------
    >>> most_information(1.0), most_information(1e-9)
    (0.123301..., 1.25...e-19)
    """
    shrunk = -math.expm1(-epsilon)
    w = epsilon / 2.0 + epsilon**2 / 12.0 if epsilon < NEXT_TO_ZERO else (epsilon - shrunk) / shrunk
    if w < NEXT_TO_ZERO:
        return w * w * (0.5 - w / 3.0 + w * w / 4.0) * ROUNDED_UP
    return (w - math.log1p(w)) * ROUNDED_UP


def _ldp_for(nats: float) -> float:
    """Return the largest epsilon, found by bisection, at which LDP discloses at most `nats` of information."""
    low, high = 0.0, nats + 2.0 * math.sqrt(2.0 * nats)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if most_information(middle) <= nats else (low, middle)
    return low


def _edge() -> Edge:
    """Return binary randomised response whose capacity ``ln 2 + a ln a + (1 - a) ln(1 - a)`` is epsilon."""
    digits, epsilon = Context(prec=120), Decimal("0.25")
    low, high = Decimal("0.5"), Decimal(1)
    for _ in range(380):
        middle = digits.divide(digits.add(low, high), Decimal(2))
        other = digits.subtract(Decimal(1), middle)
        terms = [digits.multiply(share, digits.ln(share)) for share in (middle, other)]
        capacity = digits.add(digits.ln(Decimal(2)), digits.add(*terms))
        low, high = (middle, high) if capacity <= epsilon else (low, middle)
    inside, outside = Fraction(low) - INSIDE, Fraction(high) + OUTSIDE
    return Edge(MutualInformationPrivacy(0.25), fair(), keeping(inside), keeping(outside))


@dataclass(frozen=True)
class MutualInformationPrivacy(BoundedInformation):
    r"""I(S; Y) = sum_sy pi_s Pr(y | s) ln(Pr(y | s) / Pr(y)) <= epsilon for the secret S; epsilon in nats.

    With a hidden secret ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input. An average over
    outputs: a rare output may betray the secret altogether.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At 0 only mechanisms that ignore the secret remain.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a problem without a prior of the secret.

    Notes
    -----
    A smooth budget: no finite set of rays holds an optimum. The route `convex` answers linear and convex objectives;
    `directions` answers sums over columns, whose columns it prices in every direction: exactly where the secret is the
    input and decisions are finitely many or one number, otherwise by subdivision, for few inputs. Logarithms have no
    exact value: the exact check rounds each of them upward, to ``2^-256``, so that what it accepts holds.

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), eq. (1).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.MutualInformationPrivacy(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.130812
    """

    card = Card(
        "mutual information privacy",
        r"I(S; Y) = \sum_{s, y} \pi_s \Pr(y \mid s) \ln \frac{\Pr(y \mid s)}{\Pr(y)} \le \epsilon",
        search=("privacy funnel", "capacity", "Sibson mutual information"),
        works=("zamani",),
        promise=_promise,
        adds_up="level",
        implied_by=(
            Rule(
                "LIP",
                of_level(lambda level: level * math.tanh(level / 2)),
                "Jiang, Li, Tandon 2018, Proposition 1, with the sharp constant of the chord of x ln x",
            ),
            Rule(
                "LDP",
                of_level(most_information),
                "an extreme column has two values, and their mass is best at (c - 1) / (e^epsilon - 1)",
            ),
            Rule("SibsonLeakage", same_level, "Sibson 1969: it grows with its order, from 1 on"),
        ),
        stronger=lambda notion, problem: LDP(_ldp_for(notion.epsilon)),
        examples=(
            lambda rng: (MutualInformationPrivacy(0.2), random_problem(4, rng)),
            lambda rng: (MutualInformationPrivacy(0.05), random_problem(3, rng, skew=2.0)),
            lambda rng: (MutualInformationPrivacy(0.02), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: MutualInformationPrivacy(0.1),
        edge=_edge,
    )

    epsilon: float

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors with a bound on their mutual information with the secret."""
        return InformationBound(problem.secrets, Masses.of(problem), self.epsilon)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the mutual information, with the output that adds most to it and the secret that adds most there."""
        added = terms(problem.seen_by_secret(np.asarray(matrix, dtype=float)), problem.required_prior_of_secret)
        output = int(added.sum(axis=0).argmax())
        return Level(math.fsum(added.ravel()), (int(added[:, output].argmax()),), output)
