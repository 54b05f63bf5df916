"""The least worst-case variance of an unbiased estimate of any number of [-1, 1] under LDP: a formula, and two outputs.

With ``E = e^epsilon``, ``x = tanh(epsilon / 2)``, ``c = coth x`` and ``L = c^2 - 1``, the best mechanism reports an
estimate t with the density ``1 / (2 (E - 1) |t|)`` on ``c - 1 <= |t| <= c + 1``, and E times that in the window from
``v - sqrt(v^2 + L)`` to ``v + sqrt(v^2 + L)`` about the number v. The mean is v, and the variance one for all v.

No mechanism is better by weak duality. Multipliers are a density ``G(v) = coth(epsilon / 2) L / (2 (v^2 + L)^1.5)`` and
two atoms at -1 and 1: a column whose entries are 1 and E costs ``sum q_v h_v(t)`` with ``h_v(t) = G(v) (t^2 - 2 v t -
L)``, which is nothing on the bands, and nowhere less as long as ``(E - 1) tanh(x) / x <= 1``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad

from mechdesign.baselines import stochastic_rounding
from mechdesign.notions import LDP
from mechdesign.objectives import UnbiasedMean
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Real, Seed, Whole

#: The largest epsilon with ``(E - 1) tanh(x) / x <= 1``, rounded down.
LARGEST = 0.71228
#: Numbers and estimates at which both sides are looked at.
MANY = 6


@dataclass(frozen=True)
class Bands:
    """The best mechanism at an epsilon, and the multipliers that show it."""

    epsilon: float

    @property
    def ratio(self) -> float:
        """``E = e^epsilon``."""
        return math.exp(self.epsilon)

    @property
    def centre(self) -> float:
        """``c = coth(tanh(epsilon / 2))``, about which the estimates lie within 1, on either side of 0."""
        return 1.0 / math.tanh(math.tanh(self.epsilon / 2.0))

    @property
    def room(self) -> float:
        """``L = c^2 - 1``."""
        return self.centre**2 - 1.0

    @property
    def variance(self) -> float:
        """``coth(epsilon / 2) coth(tanh(epsilon / 2)) - 1``."""
        return self.centre / math.tanh(self.epsilon / 2.0) - 1.0

    def moment(self, power: int, number: float) -> float:
        """Return the integral of ``t^power`` over the law of the reports of a number."""
        half = math.sqrt(number**2 + self.room)
        ends = self.centre - 1.0, self.centre + 1.0

        def base(t: float) -> float:
            return t**power / (2.0 * (self.ratio - 1.0) * abs(t))

        whole = _integral(base, *ends) + _integral(base, -ends[1], -ends[0])
        window = _integral(base, ends[0], number + half) + _integral(base, number - half, -ends[0])
        return whole + (self.ratio - 1.0) * window

    def weight(self, number: float) -> float:
        """Return the density of the multipliers of the variances."""
        return self.room / (2.0 * math.tanh(self.epsilon / 2.0) * math.hypot(number, math.sqrt(self.room)) ** 3)

    @property
    def within(self) -> float:
        """How much that density adds up to; the rest is at both ends alike."""
        x = math.tanh(self.epsilon / 2.0)
        return math.tanh(x) / x

    @property
    def at_end(self) -> tuple[float, float, float]:
        """a, b and d of ``h_1(t) = a t^2 - b t + d``, the atom at 1; that at -1 is its mirror image."""
        a, d = 0.5 * (1.0 - self.within), self.room * (0.5 + 0.5 * self.within)
        return a, 0.5 * (self.variance - self.room) + d + a, d

    def cost(self, estimate: float) -> float:
        """Return the least cost of a column with that estimate, whose entries are 1 and E."""
        t = estimate

        def density(number: float) -> float:
            return self.weight(number) * (t * t - 2.0 * number * t - self.room)

        a, b, d = self.at_end
        atoms = a * t * t - b * t + d, a * t * t + b * t + d
        first = min(max((t * t - self.room) / (2.0 * t), -1.0), 1.0) if t else -1.0
        cheap = _integral(density, first, 1.0) if t >= 0 else _integral(density, -1.0, first)
        saved = cheap + sum(min(atom, 0.0) for atom in atoms)
        return _integral(density, -1.0, 1.0) + sum(atoms) + (self.ratio - 1.0) * saved

    @property
    def shown(self) -> float:
        """The bound of the multipliers: what they sum up to over all numbers."""
        a, b, d = self.at_end
        return _integral(lambda v: self.weight(v) * (self.room + v * v), -1.0, 1.0) + 2.0 * (b - a - d)


def _integral(function: Callable[[float], float], low: float, high: float) -> float:
    return float(quad(function, low, high, epsabs=1e-12, epsrel=1e-11)[0])


def _of_interval(point: Point, given: float) -> Iterator[Check]:
    bands, rng = Bands(point.epsilon), np.random.default_rng(point.seed)
    size = given + 1.0
    for number in (-1.0, 1.0, *rng.uniform(-1.0, 1.0, size=MANY)):
        yield Equal(bands.moment(0, number), 1.0, "a law", scale=1.0)
        yield Equal(bands.moment(1, number), number, "the mean of the reports is the number", scale=bands.centre)
        yield Equal(bands.moment(2, number) - number**2, given, "every number has the variance", scale=size)
    two = 1.0 / math.tanh(point.epsilon / 2.0) ** 2
    yield AtMost(2.0 / 3.0, two - given, "less than two outputs", scale=size, strictly=True)
    yield Equal(bands.shown, given, "the bound of the multipliers", scale=size)
    for share in rng.uniform(-1.0, 1.0, size=MANY):
        yield Equal(bands.cost(bands.centre + share), 0.0, "columns of the mechanism cost nothing", scale=size)
    for estimate in (0.0, *rng.uniform(-2.0 * bands.centre, 2.0 * bands.centre, size=MANY)):
        yield AtMost(0.0, bands.cost(estimate), "no column costs less", scale=size)
    points = Problem(values=np.linspace(-1.0, 1.0, point.n))
    yield AtMost(Optimum(Question(points, LDP(point.epsilon), UnbiasedMean())), given, "some numbers of the interval")


def _of_two(point: Point, given: float) -> Iterator[Check]:
    problem, rng = Problem(values=np.linspace(-1.0, 1.0, 2 * point.n + 1)), np.random.default_rng(point.seed)
    rounding = stochastic_rounding(problem, point.epsilon).matrix
    yield Equal(UnbiasedMean().value(rounding, problem), given, "stochastic rounding, at the middle of the interval")
    # Of two outputs the probability of one is linear in the number, or no estimate is unbiased.
    low, high = np.sort(rng.uniform(size=2))
    while max(high / low, (1.0 - low) / (1.0 - high)) > math.exp(point.epsilon):
        low, high = 0.5 * (low + 0.5), 0.5 * (high + 0.5)
    other = low + (high - low) * (np.asarray(problem.values) + 1.0) / 2.0
    value = UnbiasedMean().value(np.column_stack([other, 1.0 - other]), problem)
    yield AtMost(given, value, "any private mechanism of two outputs")
    # Two estimates t < u have the variance (u - v) (v - t); privacy at both ends asks for -t, u >= coth(epsilon / 2).
    ends = np.sort(rng.uniform(1.0, 2.0, size=2)) / math.tanh(point.epsilon / 2.0)
    yield AtMost(given, float(ends[0] * ends[1]), "estimates beyond those of stochastic rounding, at the middle")


OF_INTERVAL = Theorem(
    key="ours/mean-of-interval",
    place="unbiased mean of numbers of an interval under LDP",
    kind="exact optimum",
    words=(
        "Under LDP at epsilon <= 0.71228 the least worst-case variance of an unbiased estimate of any number of "
        "[-1, 1], per report, is coth(epsilon/2) coth(tanh(epsilon/2)) - 1. Estimates fill two bands, and every number "
        "has that variance. It is lower than the one of Duchi, Jordan and Wainwright's two outputs by more than 2/3."
    ),
    latex=r"\coth\frac{\varepsilon}{2}\,\coth\left(\tanh\frac{\varepsilon}{2}\right) - 1",
    origin="not published, as far as we know; a mechanism of two bands, and weak duality",
    family=Family({"n": Whole(2, 7), "epsilon": Real(0.1, LARGEST), "seed": Seed()}),
    printed=lambda point: Bands(point.epsilon).variance,
    test=_of_interval,
)
OF_TWO_OUTPUTS = Theorem(
    key="ours/two-output-mean",
    place="unbiased mean by two outputs under LDP",
    kind="exact optimum",
    words=(
        "Of all mechanisms with two outputs, stochastic rounding (Duchi, Jordan, Wainwright 2018) has the least "
        "worst-case variance of an unbiased estimate of any number of [-1, 1] under LDP: coth(epsilon/2)^2, at 0."
    ),
    latex=r"\coth^2\frac{\varepsilon}{2}",
    origin="not published in these words, as far as we know; two estimates t < u have the variance (u - v)(v - t)",
    family=Family({"n": Whole(1, 6), "epsilon": Real(0.05, 6.0), "seed": Seed()}),
    printed=lambda point: 1.0 / math.tanh(point.epsilon / 2.0) ** 2,
    test=_of_two,
)
