"""How fast the mean error of a test between two hypotheses falls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.objectives.exponent import HALVINGS, Searched, least_over, minus_log_of_rest, shortfall, slope_of_sum
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True, eq=False)
class ChernoffExponent(Searched):
    r"""max_{0<=t<=1} -ln sum_y p_y^(1-t) s_y^t with ``p = first Q`` and ``s = second Q``, in nats; maximised.

    The mean of both error probabilities of the best test after N reports falls like ``e^(-N value)``. No prior is
    used. At a fixed order the best mechanism uses extreme rays; the route `orders` searches the order. Infinite
    where no output can come from both hypotheses, and refused where a notion allows that.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Distributions over the inputs, kept as given; zeros are allowed.

    Raises
    ------
    DomainError
        Vectors that are no distributions, or whose lengths differ from each other or from the number of inputs.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, eq. (17).

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.ChernoffExponent(first=[1, 0], second=[0, 1])
    >>> round(objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)), 6)  # -ln(2 sqrt(3) / 4)
    0.143841
    """

    card = Card(
        "exponent at which the mean error of a test of two hypotheses falls",
        latex=r"\max_{0 \le t \le 1} -\ln \sum_y p_y^{1 - t} s_y^{t}",
        search=("hypothesis testing",),
        works=("yoshida",),
        examples=(lambda rng: (ChernoffExponent(**hypotheses(3, rng)), Problem(n=3)),),
        sized=lambda problem, rng: ChernoffExponent(**hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(ChernoffExponent(**two_ends()), math.log(4 / 3) / 2, "-ln(2 sqrt(3/16)) nats"),
    )

    first: Array
    second: Array

    if TYPE_CHECKING:

        def __init__(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    def best(self, p: Array, s: Array, apart: Array | None = None) -> tuple[float, float]:
        """Return the order at which the convex sum is least, and the exponent there."""
        low, high = self.orders
        slope = slope_of_sum(p, s, apart)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            rises = slope(middle) > 0
            low, high = (low, middle) if rises else (middle, high)
        ends = np.array([low, high])
        values = self.at(shortfall(p, s, ends[:, None], apart).sum(axis=1), ends)
        best = int(values.argmax())
        return float(ends[best]), max(float(values[best]), 0.0)

    def at(self, total: Array, orders: Array) -> Array:
        """Return ``-ln(1 - total)``."""
        return minus_log_of_rest(total)

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the least, over distributions z of the output, of the larger relative entropy of z to p and s.

        By duality this equals the exponent. It is convex in `Q`: no convex program maximises it.
        """
        import cvxpy as cp

        p, s = self.pair_expression(Q)
        z = cp.Variable(Q.shape[1])
        larger = cp.maximum(cp.sum(cp.rel_entr(z, p)), cp.sum(cp.rel_entr(z, s)))
        return least_over(z, larger, [cp.sum(z) == 1])
