"""A curator who sees all records and publishes their sum: centralised information privacy."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import numpy as np

from mechdesign.notions import LDP, LIP, CentralizedIP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Real, Vector, Whole


def _priors(point: Point) -> list[Any]:
    """Return the users' priors: p, and less and less from user to user if they differ."""
    return [point.p * (1 - point.spread * user / point.N) for user in range(point.N)]


def _binomial(point: Point) -> Array:
    p, n = point.p, point.N
    return np.array([comb(n, s) * p**s * (1 - p) ** (n - s) for s in range(n + 1)])


def _is_the_sum(point: Point, given: Array) -> Iterable[Check]:
    found = np.array([Fraction(1)])
    for p in _priors(point):
        found = np.convolve(found, np.array([1 - p, p]))
    yield Equal(given, found, "the distribution of the sum")


EQ33 = Theorem(
    key="jiang_lip/eq33",
    place="eq. (33)",
    kind="identity",
    words="The sum of N bits, each 1 with probability P_1 and independent of the others, is binomial.",
    latex=r"\Pr(S = s) = \frac{N!}{s! (N - s)!} P_1^s (1 - P_1)^{N - s}",
    family=Family(
        {"N": Whole(1, 6), "p": Real(0.02, 0.98), "spread": Choice((Fraction(0), Fraction(1, 2)))}, exact=True
    ),
    printed=_binomial,
    test=_is_the_sum,
    claimed=(Condition("0", "spread of the users' priors", lambda point: (0, point.spread)),),
)


class Curated(NamedTuple):
    """Independent bits whose sum a curator sees: the distribution of the sum, and that given a record's value."""

    notion: CentralizedIP
    prior: Array
    given_record: Array

    @property
    def sums(self) -> Array:
        """The sums."""
        return np.arange(float(len(self.prior)))

    def lifts(self, columns: Array) -> Array:
        """Return ``max |ln Pr(y | record) / Pr(y)|`` of each column."""
        return np.asarray(np.abs(np.log((self.given_record @ columns) / (self.prior @ columns))).max(axis=0))


def curated(priors: Iterable[float], epsilon: float) -> Curated:
    """Return the sum of independent bits as a curator sees it: its notion, its prior and the channel of the records."""
    rows = [[1.0 - p, p] for p in priors]
    notion = CentralizedIP(epsilon, rows)
    problem = notion.inputs(Problem(n=len(rows) + 1))
    return Curated(notion, problem.required_prior, problem.channel)


def _both(point: Point, given: float) -> Iterable[Check]:
    curator = curated(point.priors, point.epsilon)
    of_records = OnRays(LIP(point.epsilon), Problem(prior=curator.prior), curator.lifts)
    yield AtMost(of_records, given, "the level of the records where the sum is private")
    if point.N > 1:
        parity = np.eye(2)[np.arange(point.N + 1) % 2]
        fair = curated([0.5] * point.N, point.epsilon)
        yield AtMost(float(fair.lifts(parity).max()), given, "the level of fair records by parity")
        of_sum = LIP(point.epsilon).level(parity, Problem(prior=fair.prior)).value
        yield AtMost(given, of_sum, "the level of their sum by parity", strictly=True)


T6 = Theorem(
    key="jiang_lip/T6",
    place="Theorem 6",
    kind="implication",
    words=(
        "A mechanism on the sum that is epsilon-LIP of the sum is epsilon-CIP of every record; the converse does not "
        "hold for two records or more."
    ),
    latex=r"\epsilon\text{-LIP of } S \Rightarrow \epsilon\text{-CIP}",
    # Given a record, the sum is a mixture of sums. With one record the two notions are the same; the parity of two
    # fair records or more says nothing of one of them.
    family=Family({"N": Whole(1, 3), "epsilon": Real(0.05, 4.0), "priors": Vector("N", 0.05, 0.95)}),
    printed=lambda point: point.epsilon,
    test=_both,
)


def _bounds(point: Point) -> tuple[float, float]:
    """Return the least and the largest estimate of the sum that are printed as private."""
    low, total = float(np.exp(-point.epsilon)), point.N
    return low * total * point.p, total - low * (total - point.p * total)


def _bounds_corrected(point: Point) -> tuple[float, float]:
    exp, total = float(np.exp(point.epsilon)), point.N
    least = max(total * point.p / exp, total - exp * total * (1.0 - point.p))
    return least, min(exp * total * point.p, total - total * (1.0 - point.p) / exp)


def _extremes(point: Point) -> tuple[float, float]:
    """Return the least and the largest estimate of the sum from a private output, by linear programs.

    Over the columns of mass one: ``e^-epsilon <= Pr(y | record) <= e^epsilon``.
    """
    from scipy.optimize import linprog

    curator, exp = curated([point.p] * point.N, point.epsilon), float(np.exp(point.epsilon))
    weights = curator.prior * curator.sums
    rows = np.vstack([curator.given_record, -curator.given_record])
    limits = np.repeat([exp, -1.0 / exp], len(curator.given_record))
    program = {"A_ub": rows, "b_ub": limits, "A_eq": [curator.prior], "b_eq": [1.0]}
    return float(linprog(weights, **program).fun), -float(linprog(-weights, **program).fun)


def _are_bounds(point: Point, given: tuple[float, float]) -> Iterable[Check]:
    curator, total = curated([point.p] * point.N, point.epsilon), point.N

    def levels_apart(columns: Array) -> Array:
        found = ((curator.prior * curator.sums) @ columns) / (curator.prior @ columns)
        mean = total * point.p
        by_estimate = np.maximum(np.abs(np.log(found / mean)), np.abs(np.log((total - found) / (total - mean))))
        return np.asarray(np.abs(by_estimate - curator.lifts(columns)))

    # (39) and (40): the estimate alone decides whether a column is private.
    columns = OnRays(LDP(1.0), Problem(n=total + 1), levels_apart)
    yield AtMost(columns, 0.0, "the level by the estimate, less the level by the posteriors", scale=1.0)
    least, largest = _extremes(point)
    yield Equal(given[0], least, "the least private estimate", scale=float(total))
    yield Equal(given[1], largest, "the largest private estimate", scale=float(total))


P5 = Theorem(
    key="jiang_lip/P5",
    place="Proposition 5, eqs. (37) to (40)",
    kind="identity",
    words=(
        "With one prior for all records, CIP bounds the estimate of the sum from below by e^-epsilon N P_1 and from "
        "above by N - e^-epsilon (N - N P_1), and nothing else."
    ),
    latex=r"e^{-\epsilon} N P_1 \le \hat{S} \le N - e^{-\epsilon} (N - P_1 N)",
    family=Family({"N": Whole(1, 4), "epsilon": Real(0.05, 4.0), "p": Real(0.02, 0.98)}),
    printed=_bounds,
    test=_are_bounds,
    # The other two of four bounds, from Pr(D_i) / Pr(D_i | Y) >= e^-epsilon, are then no tighter.
    narrower=(
        Condition(
            "min(P_1, 1 - P_1)",
            "1/(1 + e^epsilon)",
            lambda point: (min(point.p, 1.0 - point.p), 1.0 / (1.0 + float(np.exp(point.epsilon)))),
        ),
    ),
    corrected=_bounds_corrected,
    correction=(
        "the lower bound is the larger of N P_1/e^epsilon and N - e^epsilon N (1 - P_1), the upper one the smaller of "
        "e^epsilon N P_1 and N - N (1 - P_1)/e^epsilon"
    ),
)
