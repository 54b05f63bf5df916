"""Asymmetric local information privacy: the two sides of the lift have bounds of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Fractions, Integers, exp_below
from mechdesign.notions import mass_band
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.cone import Cone, Rays, Support
from mechdesign.notions.dual import Shown
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP
from mechdesign.notions.max_lift import MaxLift
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: What either end may be.
END = Real(low=0.0, infinite=True)


@dataclass(frozen=True)
class AsymmetricLIP(Notion):
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

    lower: float
    upper: float
    domains = {"lower": END, "upper": END}
    needs_prior = True
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
        """Return the same notion at another pair ``(lower, upper)``; a number is for each side that is bounded."""
        if isinstance(level, tuple):
            lower, upper = level
            return replace(self, lower=lower, upper=upper)
        bounded = (name for name in ("lower", "upper") if not math.isinf(getattr(self, name)))
        return replace(self, **dict.fromkeys(bounded, level))

    def plain(self, problem: Problem) -> Notion:
        """Return LIP where both sides are alike, MaxLift where the upper one is alone, LDP(0) where one side is 0."""
        if self.lower == 0 or self.upper == 0:
            # What is nowhere more than its mean, or nowhere less, is equal to it.
            return LDP(0.0)
        if self.lower == self.upper:
            return LIP(self.lower)
        return MaxLift(self.upper) if math.isinf(self.lower) else self

    def cone(self, problem: Problem) -> Cone:
        """Return ``e^-lower m <= v <= e^upper m`` with the mass ``m = pi . v``."""
        return mass_band.cone(problem, *self._ends(problem))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln m(y) - ln v_s(y)`` and ``ln v_s(y) - ln m(y)``; columns of zeros count nothing."""
        if len(self.parts()) > 1:
            return Level.of_parts(self, matrix, problem)
        lifts = mass_band.log_lifts(matrix, problem) * (1.0 if math.isinf(self.lower) else -1.0)
        secret, output = np.unravel_index(lifts.argmax(), lifts.shape)
        return Level(float(max(lifts[secret, output], 0.0)), (int(secret),), int(output))

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Compare each column's extremes with its mass, both exponentials taken from below."""
        return bool(np.all(self.columns_hold_exactly(numerators, problem)))

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the same as a function of one number for each side that is bounded: masses are found once."""
        found = mass_band.Extremes.of(numerators, problem)

        def holds(level: float) -> bool:
            down, up = (None if math.isinf(end) else exp_below(level) for end in (self.lower, self.upper))
            return bool(np.all(found.between(down, up)))

        return holds

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Compare each column's extremes with its mass by itself."""
        down, up = (None if math.isinf(end) else exp_below(end) for end in (self.lower, self.upper))
        return mass_band.Extremes.of(numerators, problem).between(down, up)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_]:
        """Price the mass of each column exactly, both exponentials rounded outward."""
        return mass_band.nonnegative(functionals, problem, self.lower, self.upper)

    def exact_rows(self, problem: Problem) -> Fractions:
        """Return the rows that compare each entry with the mass."""
        return mass_band.exact_rows(problem, self.lower, self.upper)

    def normal(self, problem: Problem) -> Array:
        """Return the prior: on its slice every column has mass one."""
        return super().normal(problem) if problem.is_hidden else mass_band.prior_of(problem)

    def ray_count(self, problem: Problem) -> float | None:
        """Return ``n 2^(n-1)``, the number of full sets with one fractional input; 1 where nothing may be told."""
        return mass_band.ray_count(problem, *self._ends(problem))

    def rays(self, problem: Problem) -> Rays | None:
        """Return the knapsack's vertices: a full set S, and one input that takes what is left."""
        return mass_band.rays(problem, *self._ends(problem))

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return the fractional knapsack's value: fill the inputs of largest ``h_x / P_x`` first."""
        return mass_band.support(functionals, problem, *self._ends(problem))

    def _ends(self, problem: Problem) -> tuple[float, float]:
        return mass_band.ends(problem, self.lower, self.upper)

    def __str__(self) -> str:
        return f"{self.name}(lower={in_full(self.lower)}, upper={in_full(self.upper)})"
