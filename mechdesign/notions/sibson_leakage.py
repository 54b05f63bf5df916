"""Sibson's mutual information of the secret and the output, bounded: between mutual information and maximal leakage."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, of_level_and_order, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import INSIDE, OUTSIDE, Edge, fair, keeping
from mechdesign.catalogue.promises import rare
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full
from mechdesign.exact import Integers, exp_enclosed, power_above
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.bounded_information import BoundedInformation, BudgetOfSecret
from mechdesign.notions.cone import rounding_unit
from mechdesign.notions.dual import Shown, charges_of, shares_of_secret
from mechdesign.notions.ldp import LDP
from mechdesign.notions.max_lift import MaxLift
from mechdesign.notions.power_budget import PowerBudget, conjugate, excess
from mechdesign.notions.sibson_constants import ldp_for, most_under_ldp, most_under_lip
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

if TYPE_CHECKING:
    import cvxpy as cp

#: The domain of the order: beyond it powers of floats have no digits left, and the ends are notions of their own.
ALPHA = Real(
    low=1.1,
    high=100.0,
    rule="it is the order of a norm",
    remedy="for 1 use MutualInformationPrivacy, for infinity MaximalLeakage",
)
#: Floats may reject a matrix whose leakage is this much above epsilon, relative to 1 + epsilon: proofs are slow.
CLEARLY = 1e-10


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

    def budget_of_secret(self, problem: Problem) -> BudgetOfSecret:
        """Return by how much the norms exceed the means, and ``e^(epsilon (alpha - 1) / alpha) - 1`` as their limit."""
        prior = problem.required_prior_of_secret
        # No mechanism has more than full disclosure; a limit far beyond is all that a solver sees.
        most = 2.0 * float((prior ** (1.0 / self.alpha)).sum())
        exponent = self.epsilon * (1.0 - 1.0 / self.alpha)
        limit = most if exponent > math.log1p(most) else math.expm1(exponent) * (1.0 + rounding_unit(2))
        return PowerBudget(np.zeros((1, 1, problem.n)), np.array([limit]), problem.channel, prior, self.alpha)

    def constraints(self, Q: cp.Variable, problem: Problem) -> list[cp.Constraint]:
        """Return ``Q >= 0``, each ``t_y`` at least a norm by power cones (a ball at order 2), and the sum of all t."""
        import cvxpy as cp

        inputs = self.inputs(problem)
        if self.epsilon == 0:
            return super().constraints(Q, inputs)
        prior, outputs = inputs.required_prior_of_secret, Q.shape[1]
        norms, seen = cp.Variable(outputs), inputs.channel @ Q
        if self.alpha == 2:
            held = [cp.norm(cp.multiply(np.sqrt(prior)[:, None], seen), 2, axis=0) <= norms]
        else:
            # z^(1/alpha) (pi t)^(1 - 1/alpha) >= pi v and the sum of z <= t: then t is at least the norm.
            shares, beside = cp.Variable(seen.shape, nonneg=True), cp.outer(prior, norms)
            sides = (shares, beside, cp.multiply(prior[:, None], seen))
            flat = [cp.reshape(each, (seen.size,), order="C") for each in sides]
            held = [cp.PowCone3D(*flat, 1.0 / self.alpha), cp.sum(shares, axis=0) <= norms]
        within = cp.sum(norms) - cp.sum((prior @ inputs.channel) @ Q) <= self.budget(inputs).limits
        return [Q >= 0, *held, within]

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the leakage, with the output that adds most to it and the secret that adds most to its norm there."""
        seen, prior = problem.seen_by_secret(np.asarray(matrix, dtype=float)), problem.required_prior_of_secret
        added = excess(seen, prior, self.alpha)
        output = int(added.argmax())
        secret = int((np.log(prior) / self.alpha + np.log(np.maximum(seen[:, output], 1e-300))).argmax())
        return Level(conjugate(self.alpha) * math.log1p(math.fsum(added)), (secret,), output)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return whether ``charge - w / pi``, where positive, is at most the charge in the dual norm: by Hoelder."""
        if self.epsilon == 0:
            return None
        prior, dual = shares_of_secret(problem), 1 / (1 - 1 / Fraction(self.alpha))

        def is_shown(functional: Integers, charge: int) -> bool:
            if charge <= 0:
                return charge == 0 and min(functional) >= 0
            left = [1 - Fraction(entry) / (charge * share) for entry, share in zip(functional, prior, strict=True)]
            if any(entry * share > 1 for entry, share in zip(left, prior, strict=True)):
                return False
            powers = [power_above(max(entry, Fraction(0)), dual) for entry in left]
            return sum(share * power for share, power in zip(prior, powers, strict=True)) <= 1

        charges = charges_of(shown, len(functionals), 1)[:, 0]
        return np.array([is_shown(w, charge) for w, charge in zip(functionals, charges, strict=True)])

    def exact_limits(self, problem: Problem) -> tuple[Fraction, ...]:
        """Return ``e^(epsilon (alpha - 1) / alpha) - 1``, rounded up."""
        return (exp_enclosed(self._exponent(self.epsilon))[1] - 1,) if self.epsilon > 0 else ()

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of epsilon; exact powers are taken only near it."""
        seen = problem.exactly_seen_by_secret(numerators).astype(object)

        def holds(level: float) -> bool:
            if level == 0:
                return bool(np.all(seen == seen[0]))
            # Floats may reject, never accept.
            floats = (seen / seen[0].sum()).astype(float)
            added = excess(floats, problem.required_prior_of_secret, self.alpha)
            rough = conjugate(self.alpha) * math.log1p(float(added.sum()))
            if rough > level + CLEARLY * (1.0 + level):
                return False
            above = _norms_above(tuple(map(tuple, seen)), tuple(problem.exact_prior_of_secret), self.alpha)
            return above <= exp_enclosed(self._exponent(level))[0]

        return holds

    def _exponent(self, level: float) -> Fraction:
        """Return ``level (alpha - 1) / alpha``, in exact arithmetic, no more than decides anything."""
        order = Fraction(self.alpha)
        return Fraction(min(level, LARGEST_EXPONENT)) * (order - 1) / order

    def __str__(self) -> str:
        return f"{self.name}(epsilon={in_full(self.epsilon)}, alpha={in_full(self.alpha)})"


@lru_cache(maxsize=16)
def _norms_above(seen: tuple[tuple[int, ...], ...], prior: tuple[int, ...], alpha: float) -> Fraction:
    """Return a fraction at least ``sum_y (sum_s pi_s v_sy^alpha)^(1 / alpha)`` of rows of integers of one sum."""
    total, certain, order = sum(prior), sum(seen[0]), Fraction(alpha)
    found = Fraction(0)
    for column in zip(*seen, strict=True):
        mass = sum(weight * entry for weight, entry in zip(prior, column, strict=True))
        if mass:
            # Known mechanisms have few different entries, and a power takes longer than all else here.
            powers = {entry: power_above(Fraction(entry * total, mass), order) for entry in set(column)}
            mean = sum((weight * powers[entry] for weight, entry in zip(prior, column, strict=True)), Fraction(0))
            found += mass * power_above(mean / total, 1 / order)
    return found / (total * certain)
