"""Local information privacy for every prior in a box."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, symmetric
from mechdesign.catalogue.promises import both_ways
from mechdesign.columns import Shape
from mechdesign.columns.prior_box import PriorBox
from mechdesign.columns.prior_set import least_mass
from mechdesign.errors import DomainError
from mechdesign.exact import Integers, integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.notions.lip import LIP
from mechdesign.parameters import Real, Vector
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import SUM_TO_ONE

#: The domain of either bound.
BOUND = Vector(Real(low=0.0, high=1.0, rule="it bounds a probability", remedy="choose it in [0, 1]"))


def _around(prior: Array, epsilon: float, reach: float) -> BoundedPriorLIP:
    """Return the notion for the priors within `reach` of one prior."""
    return BoundedPriorLIP(epsilon, np.maximum(prior - reach, 0.0), np.minimum(prior + reach, 1.0))


def _of(problem: Problem, epsilon: float, reach: float) -> tuple[BoundedPriorLIP, Problem]:
    """Return the notion for the priors within `reach` of the problem's own, and the problem."""
    return _around(problem.required_prior_of_secret, epsilon, reach), problem


def _edge() -> Edge:
    """Return the symmetric matrix on which the least mass in the box is e^-epsilon times an entry, and a little more.

    With at least a quarter on either input, ``h = e^epsilon (h + 3 l) / 4`` would need ``e^epsilon`` below 4, and
    ``(3 h + l) / 4 = e^epsilon l`` is met first.
    """
    notion = BoundedPriorLIP(1.0, np.array([0.25, 0.25]), np.array([0.75, 0.75]))
    return Edge(notion, Problem(n=2), *symmetric(1.0, lambda ratio: ((4 * ratio - 1) / 3, Fraction(1))))


@dataclass(frozen=True)
class BoundedPriorLIP(Notion):
    r"""e^-epsilon <= Pr(y | s) / Pr(y) <= e^epsilon for all s, y and all priors in a box; epsilon in nats.

    ``Pr(y) = sum_s pi_s Pr(y | s)`` for each prior pi with ``lower <= pi <= upper`` and ``sum(pi) = 1``, whether or
    not that prior gives s a positive probability.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    lower, upper : array_like, shape (k,)
        What the prior of each of the k secrets may be, in [0, 1]. Bounds that meet the simplex in one point only by
        rounding (sums within 1e-9 of 1) are divided by their sum.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; bounds outside [0, 1], of different lengths, crossed, or that no
        distribution satisfies; a problem of another size, or whose own prior lies outside the box by more than 1e-9.

    Notes
    -----
    The least mass of a column over the box is ``max over rho of l . v + (1 - sum l) rho - (u - l) . max(rho - v, 0)``,
    by linear programming duality, so the cone needs 2k + 4 auxiliary variables and no vertices of the box.
    ``lower = upper`` is LIP, ``[0, 1]`` is LDP.

    References
    ----------
    B. Jiang, M. Li, R. Tandon, "Local Information Privacy with Bounded Prior", IEEE ICC 2019, Definition 4.

    Examples
    --------
    >>> import mechdesign as md
    >>> notion = md.BoundedPriorLIP(1.0, lower=[0.2, 0.4], upper=[0.6, 0.8])
    >>> problem = md.Problem(n=2)
    >>> round(notion.level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.955511
    """

    card = Card(
        "local information privacy with bounded priors",
        r"e^{-\epsilon} \le \frac{\Pr(y \mid s)}{\Pr(y)} \le e^{\epsilon} \quad \text{for all } s, y "
        r"\text{ and all priors in a box}",
        search=("lift", "set of priors", "context-aware privacy", "pointwise maximal leakage for interior priors"),
        works=("jiang_bounded_prior",),
        promise=both_ways("has a prior within the stated bounds"),
        relative_to="holds for every prior within the bounds that it states, and says nothing for others.",
        implied_by=(Rule("LDP", same_level, "Jiang, Li, Tandon 2019, Theorem 2"),),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: _of(random_problem(3, rng), 0.5, 0.1),
            lambda rng: _of(random_problem(4, rng, skew=2.0), 1.0, 0.3),
            lambda rng: (BoundedPriorLIP(2.0, np.array([0.0, 0.3]), np.array([0.7, 1.0])), Problem(n=2)),
            lambda rng: _of(random_problem(4, rng, secrets=3), 0.7, 0.05),
        ),
        sized=lambda problem, rng: _around(problem.required_prior, 1.0, 0.1),
        edge=_edge,
    )

    epsilon: float
    lower: Array
    upper: Array
    domains = {"epsilon": EPSILON, "lower": BOUND, "upper": BOUND}
    axes = {"lower": ("secrets",), "upper": ("secrets",)}

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, lower: npt.ArrayLike, upper: npt.ArrayLike) -> None: ...

    def check_together(self) -> None:
        """Refuse bounds of different lengths, that cross, or between which no distribution lies."""
        domains.vector("upper", self.upper, len(self.lower))
        crossed = self.lower > self.upper
        if crossed.any():
            place, low = domains.first_of("lower", self.lower, crossed)
            high = float(self.upper[crossed.argmax()])
            raise DomainError(place, low, f"the upper bound is {high!r} there", "exchange them")
        for name, total, empty in (
            ("lower", float(self.lower.sum()), self.lower.sum() > 1 + SUM_TO_ONE),
            ("upper", float(self.upper.sum()), self.upper.sum() < 1 - SUM_TO_ONE),
        ):
            if empty:
                rule = "no distribution lies in the box"
                raise DomainError(name, f"of sum {total!r}", rule, "widen it until the sums enclose 1")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield bounds of different lengths, that cross, and boxes beside the simplex."""
        k, (lower, upper) = len(self.lower), (np.array(self.lower), np.array(self.upper))
        yield "a longer upper", {"upper": [*upper, 0.5]}
        yield "a longer lower", {"lower": [*lower, 0.0]}
        lower[-1], upper[-1] = 0.5, 0.5 - 1e-9
        yield "crossed", {"lower": lower, "upper": upper}
        yield "too much", {"lower": np.full(k, (1 + 1e-8) / k), "upper": np.ones(k)}
        yield "too little", {"lower": np.zeros(k), "upper": np.full(k, (1 - 1e-8) / k)}

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem, checked against the box."""
        k = len(self.lower)
        if problem.secrets != k:
            raise DomainError(
                "lower",
                f"of length {k}",
                f"it has to have one entry for each of the {problem.secrets} secrets",
                "give bounds for each of them",
            )
        prior = problem.prior_of_secret
        if prior is not None:
            for bound, missed in ((self.lower, self.lower - prior), (self.upper, prior - self.upper)):
                if missed.max() > SUM_TO_ONE:
                    at, side = int(missed.argmax()), "lower" if bound is self.lower else "upper"
                    raise DomainError(
                        f"prior[{at}]",
                        float(prior[at]),
                        f"it lies outside the box: {side}[{at}] is {float(bound[at])!r}",
                        "widen the box, or leave the prior out",
                    )
        return super().inputs(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP where the box holds every prior or epsilon is 0, and LIP where it is the problem's own alone."""
        if self.epsilon == 0:
            return LDP(0.0)
        lower, span, room = self._exact_box()
        if not lower.any() and np.all(span >= room):
            return LDP(self.epsilon)
        if room or problem.prior_of_secret is None:
            return self
        prior = np.array(problem.exact_prior_of_secret, dtype=object)
        return LIP(self.epsilon) if np.all(lower * prior.sum() == prior * lower.sum()) else self

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors within ``e^epsilon`` of their mass under every prior of the box."""
        return PriorBox(problem.secrets, self.epsilon, self.lower, self.upper, self._box(), self._exact_box())

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_s(y) - ln m(y)|`` over the box; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        lower, span, room = self._box()
        order = np.argsort(seen, axis=0, kind="stable")
        least, most = least_mass(seen, order, lower, span, room), least_mass(seen, order[::-1], lower, span, room)
        used = np.flatnonzero(seen.max(axis=0) > 0)
        excess, lack = np.zeros(seen.shape[1]), np.zeros(seen.shape[1])
        with np.errstate(divide="ignore"):
            excess[used] = np.log(seen.max(axis=0)[used]) - np.log(least[used])
            lack[used] = np.log(most[used]) - np.log(seen.min(axis=0)[used])
        output = int(np.maximum(excess, lack).argmax())
        secret = order[-1, output] if excess[output] >= lack[output] else order[0, output]
        return Level(float(max(excess[output], lack[output], 0.0)), (int(secret),), output)

    def _box(self) -> tuple[Array, Array, float]:
        """Return lower, span and room: the priors are ``lower + r`` with ``0 <= r <= span``, ``sum(r) = room``."""
        lower, span, room = self._exact_box()
        total = int(sum(lower)) + room
        floats = [np.array([float(Fraction(int(e), total)) for e in part]) for part in (lower, span, [room])]
        return floats[0], floats[1], float(floats[2][0])

    def _exact_box(self) -> tuple[Integers, Integers, int]:
        """Return lower, span and room of the box of priors as integers, in one unit."""
        k = len(self.lower)
        scaled = integers([*self.lower, *self.upper, 1.0])
        lower, upper = (np.array(part, dtype=object) for part in (scaled[:k], scaled[k:-1]))
        one, none = scaled[-1], np.array([0] * k, dtype=object)
        # Sums that pass one by rounding leave a single prior; at one itself there is no room on either way.
        if sum(lower) >= one:
            return lower, none, 0
        if sum(upper) <= one:
            return upper, none, 0
        return lower, upper - lower, one - int(sum(lower))
