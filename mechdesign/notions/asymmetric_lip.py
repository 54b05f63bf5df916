"""Asymmetric local information privacy: the two sides of the lift have bounds of their own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, least_lift
from mechdesign.catalogue.odds import lifted
from mechdesign.catalogue.promises import sides
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lift_band import LiftBand, log_lifts
from mechdesign.notions.lip import LIP
from mechdesign.notions.max_lift import MaxLift
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: What either end may be.
END = Real(low=0.0, infinite=True)


@dataclass(frozen=True)
class AsymmetricLIP(LiftBand):
    r"""e^-lower <= Pr(y | s) / Pr(y) <= e^upper for all secrets s and outputs y; lower and upper in nats.

    The mass ``Pr(y) = sum_s Pr(s) Pr(y | s)`` is taken under the problem's prior: the guarantee is relative to it.
    Its level is the pair of the smallest lower and the smallest upper; where one side is infinite, the other alone.

    Parameters
    ----------
    lower : float
        At least 0 nats; infinite where an output may rule a secret out.
    upper : float
        At least 0 nats; infinite where an output may point a secret out. One of the two is finite.

    Raises
    ------
    DomainError
        An end negative or NaN, both infinite; a problem without a prior of the secret.

    Notes
    -----
    ``lower = upper`` is LIP, an infinite lower is MaxLift. On the slice of mass one, ``v_x = low + t_x (high - low)``
    with ``low = e^-lower``, ``high = e^upper``, ``0 <= t <= 1`` and ``P . t = (1 - low) / (high - low)``: the rays
    are the vertices of a knapsack. Where one end is 0, so is the other in effect: only constant columns remain.

    References
    ----------
    B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation with Localized Information Privacy", IEEE CNS 2018,
    Definition 2 (with one epsilon for both sides).

    Examples
    --------
    >>> import mechdesign as md
    >>> report = md.audit([[0.75, 0.25], [0.25, 0.75]], md.AsymmetricLIP(1.0, 0.5), md.Problem(prior=[0.5, 0.5]))
    >>> [round(level, 6) for level in report.level], round(float(report), 6), report.holds
    ([0.693147, 0.405465], 0.693147, True)
    """

    card = Card(
        "asymmetric local information privacy",
        r"e^{-\text{lower}} \le \frac{\Pr(y \mid s)}{\Pr(y)} \le e^{\text{upper}} \quad \text{for all } s, y",
        search=("lift",),
        works=("jiang_lip",),
        promise=lambda notion, problem, of: sides(notion.lower, notion.upper, of),
        odds=lambda notion, problem, of: lifted(problem, of, notion.lower, notion.upper),
        implied_by=(
            Rule("LIP", same_level, "Jiang, Li, Tandon 2018, Definition 2: one side of the lift"),
            Rule("LDP", same_level, "Jiang, Li, Tandon 2018, Theorem 1: one side of the lift"),
        ),
        stronger=lambda notion, problem: LDP(min(notion.lower, notion.upper)),
        examples=(
            lambda rng: (AsymmetricLIP(0.3, 0.6), random_problem(3, rng)),
            lambda rng: (AsymmetricLIP(1.5, 0.4), random_problem(4, rng, skew=2.0)),
            lambda rng: (AsymmetricLIP(0.5, math.inf), random_problem(4, rng)),
            lambda rng: (AsymmetricLIP(math.inf, 0.5), random_problem(3, rng)),
            lambda rng: (AsymmetricLIP(0.7, 0.3), random_problem(4, rng, secrets=3)),
            lambda rng: (AsymmetricLIP(0.4, math.inf), random_problem(4, rng, secrets=2)),
        ),
        sized=lambda problem, rng: AsymmetricLIP(1.0, 0.5),
        # Only the lower bound is tight.
        edge=lambda: Edge(AsymmetricLIP(1.0, 0.75), fair(), *least_lift(1.0)),
    )

    lower: float
    upper: float
    domains = {"lower": END, "upper": END}
    level_name = "lower, upper"

    def __post_init__(self) -> None:
        super().__post_init__()
        # With one side alone there is one number to measure.
        for other, name in (("upper", "lower"), ("lower", "upper")):
            if math.isinf(getattr(self, other)):
                object.__setattr__(self, "level_name", name)

    def parts(self) -> tuple[Notion, ...]:
        """Return the two sides; itself where only one is bounded."""
        if math.isinf(self.lower) or math.isinf(self.upper):
            return (self,)
        return AsymmetricLIP(self.lower, math.inf), AsymmetricLIP(math.inf, self.upper)

    def check_together(self) -> None:
        """Refuse two infinite ends."""
        if math.isinf(self.lower) and math.isinf(self.upper):
            raise DomainError("upper", self.upper, "with both ends infinite nothing is asked", "give a finite one")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield two infinite ends."""
        yield "both infinite", {"lower": math.inf, "upper": math.inf}

    def at(self, level: float | tuple[float, ...]) -> AsymmetricLIP:
        """Return a copy of the notion at another pair ``(lower, upper)``; a number sets each side that is bounded."""
        if isinstance(level, tuple):
            lower, upper = level
            return replace(self, lower=lower, upper=upper)
        bounded = (name for name in ("lower", "upper") if not math.isinf(getattr(self, name)))
        return replace(self, **dict.fromkeys(bounded, level))

    @property
    def ends(self) -> tuple[float, float]:
        """The two ends of the lift's logarithm, in nats."""
        return self.lower, self.upper

    def plain(self, problem: Problem) -> Notion:
        """Return LIP where both sides are alike, MaxLift where the upper one is alone, LDP(0) where one side is 0."""
        if self.lower == 0 or self.upper == 0:
            # What is nowhere more than its mean, or nowhere less, is equal to it.
            return LDP(0.0)
        if self.lower == self.upper:
            return LIP(self.lower)
        return MaxLift(self.upper) if math.isinf(self.lower) else self

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln m(y) - ln v_s(y)`` and ``ln v_s(y) - ln m(y)``; columns of zeros count nothing."""
        if len(self.parts()) > 1:
            return Level.of_parts(self, matrix, problem)
        lifts = log_lifts(matrix, problem) * (1.0 if math.isinf(self.lower) else -1.0)
        secret, output = np.unravel_index(lifts.argmax(), lifts.shape)
        return Level(float(max(lifts[secret, output], 0.0)), (int(secret),), int(output))

    def __str__(self) -> str:
        return f"{self.name}(lower={in_full(self.lower)}, upper={in_full(self.upper)})"
