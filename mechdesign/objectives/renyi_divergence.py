"""Renyi divergence between two distributions, seen through the outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.displays.numbers import in_full
from mechdesign.errors import CertificateError, DomainError
from mechdesign.exact import Enclosure, log_enclosed
from mechdesign.objectives.exponent import shortfall
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.objectives.power_generator import PowerGenerator
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True, eq=False)
class RenyiDivergence(Divergence):
    r"""ln(sum_y p_y^a s_y^(1-a)) / (a - 1) with ``p = first Q`` and ``s = second Q``, in nats; maximised.

    A monotone function of the utility of ratio type ``U = sum_y s_y f(p_y / s_y)`` with
    ``f(t) = (t^a - a t + a - 1) / (a (a - 1))``, whose terms are not negative: ``D = ln(1 + a (a - 1) U) / (a - 1)``.
    Infinite where, for ``a > 1``, an output has ``s_y = 0 < p_y``, and for ``a < 1`` where no output can come from
    both; refused where a notion allows that. No prior is used.

    Parameters
    ----------
    order : float
        The order a, positive, not 1 (there it is `KLDivergence`).
    first, second : array_like, shape (n,)
        Distributions over the inputs, kept as given; zeros are allowed.

    Raises
    ------
    DomainError
        An order of 0 or less, of 1, or so large that the sum overflows; vectors that are no distributions, or whose
        lengths differ from each other or from the number of inputs.

    Notes
    -----
    For ``a > 1`` the value is quasiconvex in `Q`, and so is its cvxpy expression.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, eq. (20) with ``a = 1 + s``, and Corollary 2.

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.RenyiDivergence(2, first=[1, 0], second=[0, 1])
    >>> round(objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)), 6)
    0.847298
    """

    card = Card(
        "Renyi divergence of the outputs' two distributions",
        latex=r"\frac{1}{\alpha - 1} \ln \sum_y p_y^{\alpha} s_y^{1 - \alpha}",
        works=("yoshida",),
        examples=(
            lambda rng: (RenyiDivergence(2.0, **hypotheses(3, rng)), Problem(n=3)),
            lambda rng: (RenyiDivergence(0.3, **hypotheses(4, rng)), Problem(n=4)),
            lambda rng: (RenyiDivergence(1.4, **hypotheses(3, rng)), Problem(n=3)),
            lambda rng: (RenyiDivergence(5.0, **hypotheses(3, rng)), Problem(n=3)),
        ),
        sized=lambda problem, rng: RenyiDivergence(2.0, **hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(
            RenyiDivergence(2.0, **two_ends()), math.log(7 / 3), "ln((3/4)^2 / (1/4) + (1/4)^2 / (3/4)) nats"
        ),
    )

    order: float
    first: Array
    second: Array
    domains = {**Divergence.domains, **PowerGenerator.domains}

    if TYPE_CHECKING:

        def __init__(self, order: float, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    unit = "nats"
    is_transformed = True

    @property
    def generator(self) -> PowerGenerator:
        """Return the power's generator."""
        return PowerGenerator(self.order)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return ``ln(1 - sum_y shortfall_y) / (a - 1)`` with ``a p + (1 - a) s - p^a s^(1-a)``, of one sign each."""
        (p, s), less = self.pair(matrix), self.order - 1.0
        if less > 0 and np.any(s[p > 0] == 0):
            return math.inf
        with np.errstate(over="ignore"):
            total = -float(shortfall(p, s, 1.0 - self.order, self.apart(matrix)).sum())
        return math.inf if total <= -1.0 else math.log1p(total) / less

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the divergence: convex in `Q` for orders below 1, quasiconvex above."""
        import cvxpy as cp

        ratio = self.ratio(problem)
        powers = PowerGenerator(self.order).powers(ratio.a @ Q, ratio.b @ Q)
        return cp.log(powers) / (self.order - 1.0)

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``(b . v) f(a . v / b . v)``; raises DomainError where the power overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            utility = super().column_utility(columns, problem)
        if not np.all(np.isfinite(utility)):
            raise DomainError(
                "order", self.order, "the sum of powers overflows at this level of privacy", "take a smaller order"
            )
        return utility

    def enclosed_value(self, utility: Fraction) -> Enclosure:
        """Return bounds of ``ln(1 + a (a - 1) U) / (a - 1)``.

        Raises CertificateError where the sum of powers, ``1 + a (a - 1) U``, is not above 0, as loose bounds have it.
        """
        a = Fraction(self.order)
        total = 1 + a * (a - 1) * utility
        if total <= 0:
            raise CertificateError("The proof fails: the sum of powers that it shows is not above 0.")
        low, high = (each / (a - 1) for each in log_enclosed(total))
        return (low, high) if a > 1 else (high, low)

    def from_utility(self, utility: float, problem: Problem) -> float:
        """Return ``ln(1 + a (a - 1) U) / (a - 1)``."""
        total = self.order * (self.order - 1.0) * utility
        return math.inf if total <= -1.0 else math.log1p(total) / (self.order - 1.0)

    def to_utility(self, value: float, problem: Problem) -> float:
        """Return ``(e^((a - 1) D) - 1) / (a (a - 1))``."""
        return float(np.expm1((self.order - 1.0) * value)) / (self.order * (self.order - 1.0))

    def steepness(self, value: float, problem: Problem) -> float:
        """Return ``e^((a - 1) D) / a``."""
        return float(np.exp((self.order - 1.0) * value)) / self.order

    def utility_expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return U, convex in `Q`: no convex program maximises it."""
        ratio = self.ratio(problem)
        return self.generator.perspective(ratio.a @ Q, ratio.b @ Q)

    def __str__(self) -> str:
        return f"{self.name}(order={in_full(self.order)})"
