"""How fast a test stops being right when the other error has to fall faster than it can."""

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
from mechdesign.errors import UnsupportedError
from mechdesign.objectives.exponent import HALVINGS, Exponent, log_ratios, shortfall
from mechdesign.parameters import Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: Up to this exponent sums are taken as they are, relative to 1; beyond it, relative to their largest power.
LARGEST_POWER = 30.0


@dataclass(frozen=True, eq=False)
class HanKobayashiExponent(Exponent):
    r"""sup_{0<=t<1} t rate - (1-t) ln sum_y p_y^(-t/(1-t)) s_y^(1/(1-t)), in nats, for p = first Q, s = second Q.

    Minimised. Where the probability to take `first` for `second` has to fall like ``e^(-N rate)`` with a rate above
    ``D(s || p)``, the other error goes to one; this is the least exponent at which the probability to be right about
    `second` falls. It is 0 up to ``D(s || p)``, and ``rate - max_y ln(s_y / p_y)`` (the limit at t = 1) for large
    rates. No prior is used.

    For each order it falls with a sublinear sum, so it is neither convex nor concave in the matrix; it is convex in
    the weights of the extreme rays and concave in t. Therefore the order and the weights may be exchanged: the
    bound is the largest over t of the least over mechanisms, and the optimum is a mixture of mechanisms that are
    best at that t. The route `orders` finds both.

    Parameters
    ----------
    rate : float
        In nats, at least 0.
    first, second : array_like, shape (n,)
        Distributions over the inputs, kept as given; zeros are allowed.

    Raises
    ------
    DomainError
        A rate that is negative or not finite; vectors that are no distributions, or whose lengths differ from each
        other or from the number of inputs.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, eq. (19).

    Examples
    --------
    >>> import mechdesign as md
    >>> coin = [[0.75, 0.25], [0.25, 0.75]]
    >>> objective = md.HanKobayashiExponent(rate=2.0, first=[1, 0], second=[0, 1])
    >>> round(objective.value(coin, md.Problem(n=2)), 6)  # 2 - ln 3
    0.901388
    """

    card = Card(
        "exponent at which a test is still right while the other error falls too fast",
        latex=r"\sup_{0 \le t < 1} \left(t \, \text{rate} - (1 - t) \ln \sum_y p_y^{-t/(1 - t)} s_y^{1/(1 - t)}\right)",
        works=("yoshida",),
        examples=(
            lambda rng: (HanKobayashiExponent(0.3, **hypotheses(3, rng)), Problem(n=3)),
            lambda rng: (HanKobayashiExponent(3.0, **hypotheses(4, rng)), Problem(n=4)),
        ),
        sized=lambda problem, rng: HanKobayashiExponent(0.3, **hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(HanKobayashiExponent(2.0, **two_ends()), 2 - math.log(3), "2 - ln 3 nats"),
    )

    rate: float
    first: Array
    second: Array
    domains = {**Exponent.domains, "rate": Real(low=0.0)}

    if TYPE_CHECKING:

        def __init__(self, rate: float, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    sense = "minimise"
    has_expression = False
    lowest = 0.0

    def best(self, p: Array, s: Array, apart: Array | None = None) -> tuple[float, float]:
        """Return the order up to which the exponent rises: it is concave in the order."""
        if np.any((p <= 0) & (s > 0)) or not self.rises(p, s, 0.0):
            return 0.0, 0.0
        # The slope has the sign of rate + L - T L' with T = 1/(1-t) and L = ln sum p^(1-T) s^T.
        low, high = self.orders
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if middle < 1 and self.rises(p, s, middle) else (low, middle)
        found = {order: self.at_order(p, s, order) for order in (0.0, low, high, 1.0)}
        order = max(found, key=lambda t: found[t])
        return order, max(found[order], 0.0)

    def rises(self, p: Array, s: Array, order: float) -> bool:
        """Return whether the exponent of two distributions still grows with the order, which is below 1."""
        weights, ratios = log_ratios(p, s)
        power, largest = 1.0 / (1.0 - order), float(ratios.max())
        terms = weights * np.exp(power * (ratios - largest))
        slope = float(terms @ (ratios - largest)) / float(terms.sum())
        if power * largest <= LARGEST_POWER:
            logarithm = float(np.log1p(-shortfall(p, s, power).sum())) - power * largest
        else:
            logarithm = float(np.log(terms.sum()))
        return self.rate + logarithm > power * slope

    def at_order(self, p: Array, s: Array, order: float) -> float:
        """Return ``t rate - (1-t) L`` for two distributions, at order 1 its limit ``rate - max ln(s / p)``."""
        ratios = log_ratios(p, s)[1]
        if order >= 1:
            return self.rate - float(ratios.max())
        terms, scale = self.powers(p, s, order, float(ratios.max()))
        return self.at(float(terms.sum()), order, scale)

    def powers(self, p: Array, s: Array, order: float, largest: float) -> tuple[Array, float | None]:
        """Return what each output adds to the sum of powers at an order below 1, and the logarithm of their scale.

        The scale is None where what is returned are the terms beyond 1: the sum is 1 and theirs. Sublinear in Q.
        `largest` is the largest ``ln(s / p)`` of all.
        """
        power = 1.0 / (1.0 - order)
        if power * largest <= LARGEST_POWER:
            return -shortfall(p, s, power), None
        both = (p > 0) & (s > 0)
        ratio = np.log(np.where(both, s, 1.0)) - np.log(np.where(both, p, 1.0))
        return np.where(both, p * np.exp(power * (ratio - largest)), 0.0), power * largest

    def at(self, total: float, order: float, scale: float | None) -> float:
        """Return the exponent at an order below 1, given the sum of the `powers` there and their scale."""
        logarithm = np.log1p(total) if scale is None else np.log(total) + scale
        return float(order * self.rate - (1.0 - order) * logarithm)

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Refuse: neither convex nor concave in `Q`, it is no expression of a convex program."""
        raise UnsupportedError(
            f"{self.name} is neither convex nor concave in the matrix, so it has no cvxpy form: use route orders."
        )

    def __str__(self) -> str:
        return f"{self.name}(rate={in_full(self.rate)})"
