"""How fast one error of a test falls while the other has to fall at a given rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.displays.numbers import in_full
from mechdesign.objectives.exponent import (
    HALVINGS,
    Exponent,
    Searched,
    divergence,
    least_over,
    log_ratios,
    minus_log_of_rest,
    shortfall,
)
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: A rate that is beyond a relative entropy by this share of it surely is: rounding is far less.
SURE = 1e-9
#: Positive rates below this cannot be distinguished from 0: their best order, about its root, is lost in rounding.
LEAST_RATE = 1e-12


@dataclass(frozen=True, eq=False)
class HoeffdingExponent(Searched):
    r"""sup_{u>=0} -u rate - (1+u) ln sum_y p_y^(u/(1+u)) s_y^(1/(1+u)), in nats, for p = first Q, s = second Q.

    Maximised. Of all tests whose probability to take `first` for `second` falls at least like ``e^(-N rate)`` with
    the number N of reports, it is the largest exponent at which the probability to take `second` for `first` falls:
    the least relative entropy to s of a distribution whose relative entropy to p is at most `rate`. It is
    ``D(p || s)`` at rate 0 (Stein), falls with the rate, and is 0 from ``D(s || p)`` on. No prior is used.

    With the order ``t = 1/(1+u)`` it is the largest ``(-(1-t) rate - ln sum_y p_y^(1-t) s_y^t) / t`` over t in
    (0, 1]. At a fixed order the best mechanism uses extreme rays; the route `orders` searches the order. Infinite
    where outputs that only `first` gives have the mass ``1 - e^(-rate)`` or more, and refused where a notion allows
    that.

    Parameters
    ----------
    rate : float
        In nats, 0 or at least 1e-12.
    first, second : array_like, shape (n,)
        Distributions over the inputs, kept as given; zeros are allowed.

    Raises
    ------
    DomainError
        A rate that is negative, not finite, or positive and below 1e-12; vectors that are no distributions, or
        whose lengths differ from each other or from the number of inputs.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, eq. (18).

    Examples
    --------
    >>> import mechdesign as md
    >>> coin = [[0.75, 0.25], [0.25, 0.75]]
    >>> objective = md.HoeffdingExponent(rate=0.0, first=[1, 0], second=[0, 1])
    >>> round(objective.value(coin, md.Problem(n=2)), 6)  # (3/4 - 1/4) ln 3
    0.549306
    """

    card = Card(
        "exponent of one error of a test while the other falls at a given rate",
        latex=r"\sup_{u \ge 0} \left(-u \, \text{rate} - (1 + u) \ln \sum_y p_y^{u/(1 + u)} s_y^{1/(1 + u)}\right)",
        search=("hypothesis testing",),
        works=("yoshida",),
        examples=(
            lambda rng: (HoeffdingExponent(0.01, **hypotheses(3, rng)), Problem(n=3)),
            lambda rng: (HoeffdingExponent(0.0, **hypotheses(4, rng)), Problem(n=4)),
        ),
        sized=lambda problem, rng: HoeffdingExponent(0.01, **hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(
            HoeffdingExponent(math.log(4 / 3) / 2, **two_ends()),
            math.log(4 / 3) / 2,
            "the relative entropy of a fair coin to either hypothesis, (1/2) ln(4/3) nats",
        ),
    )

    rate: float
    first: Array
    second: Array
    domains = {
        **Exponent.domains,
        "rate": Real(
            low=0.0,
            without=(math.ulp(0.0), math.nextafter(LEAST_RATE, 0.0)),
            rule=f"it has to be 0 or at least {LEAST_RATE:g}, and finite",
            remedy="give 0, where the exponent is a relative entropy, or a larger rate",
        ),
    }

    if TYPE_CHECKING:

        def __init__(self, rate: float, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    @property
    def orders(self) -> tuple[float, float]:  # type: ignore[override] # it follows from the rate
        """The range of t: at rate 0 the exponent grows towards t = 0, where it is the relative entropy."""
        return (0.0, 1.0) if self.rate > 0 else (0.0, 0.0)

    @property
    def vanishing_rate(self) -> float:
        """The rate: where no mechanism has a larger ``D(s || p)``, the exponent is 0."""
        return self.rate

    def best(self, p: Array, s: Array, apart: Array | None = None) -> tuple[float, float]:
        """Return the order at which ``rate + L - t L'`` (falling in t) changes its sign, ``L = ln sum p^(1-t) s^t``."""
        if self.rate == 0:
            return 0.0, float(self.shortfalls(p, s, np.zeros(1), apart).sum())
        weights, ratios = log_ratios(p, s)
        if not self.rate + np.log(weights.sum() or np.nan) > 0:
            return 0.0, np.inf
        low, high = self.orders
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            terms = weights * np.exp(middle * ratios)
            logarithm = np.log1p(-shortfall(p, s, middle, apart).sum())
            rises = self.rate + logarithm > middle * float(terms @ ratios) / float(terms.sum())
            low, high = (middle, high) if rises else (low, middle)
        ends = np.array([low, high])
        values = self.at(shortfall(p, s, ends[:, None], apart).sum(axis=1), ends)
        best = int(values.argmax())
        return float(ends[best]), max(float(values[best]), 0.0)

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return 0 where the rate is surely beyond ``D(s || p)``: the exponent is exactly 0 there."""
        (p, s), apart = self.pair(matrix), self.apart(matrix)
        vanishes = self.rate > 0 and float(divergence(s, p, -apart).sum()) < self.rate * (1.0 - SURE)
        return 0.0 if vanishes else super().rounding(matrix, problem)

    def shortfalls(self, p: Array, s: Array, orders: Array, apart: Array | None = None) -> Array:
        """Return what each output adds to the shortfall, at rate 0 to the relative entropy (its limit over t)."""
        if self.rate > 0:
            return super().shortfalls(p, s, orders, apart)
        return np.broadcast_to(divergence(p, s, apart), (len(orders), len(p)))

    def at(self, total: Array, orders: Array) -> Array:
        """Return ``(-(1-t) rate - ln(1 - total)) / t``, at t = 0 its limit; the total itself at rate 0."""
        if self.rate == 0:
            return np.asarray(total, dtype=float)
        above = minus_log_of_rest(total) - (1.0 - np.asarray(orders)) * self.rate
        inside = np.asarray(orders) > 0
        return np.where(inside, above / np.where(inside, orders, 1.0), np.where(above > 0, np.inf, -np.inf))

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the least relative entropy to s of a distribution z with relative entropy to p of at most `rate`.

        By duality this equals the exponent. It is convex in `Q`: no convex program maximises it.
        """
        import cvxpy as cp

        p, s = self.pair_expression(Q)
        if self.rate == 0:
            return cp.sum(cp.rel_entr(p, s))
        z = cp.Variable(Q.shape[1])
        rules = [cp.sum(z) == 1, cp.sum(cp.rel_entr(z, p)) <= self.rate]
        return least_over(z, cp.sum(cp.rel_entr(z, s)), rules)

    def __str__(self) -> str:
        return f"{self.name}(rate={in_full(self.rate)})"
