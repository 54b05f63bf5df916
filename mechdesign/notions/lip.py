"""Local information privacy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Fractions, Integers, exp_below
from mechdesign.notions import mass_band
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.cone import Cone, Rays, Support
from mechdesign.notions.dual import Shown
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class LIP(Notion):
    r"""e^-epsilon <= Pr(y | s) / Pr(y) <= e^epsilon for all secrets s and outputs y; epsilon in nats.

    The mass ``Pr(y) = sum_s Pr(s) Pr(y | s)`` is taken under the problem's prior: the guarantee is relative to it.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a problem without a prior of the secret.

    Notes
    -----
    On the slice of mass one, ``v_x = e^-epsilon + t_x (e^epsilon - e^-epsilon)`` with ``0 <= t <= 1`` and
    ``P . t = 1 / (1 + e^epsilon)``: the rays are the vertices of a knapsack, a full set and one fractional input.

    References
    ----------
    B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation with Localized Information Privacy", IEEE CNS 2018,
    Definition 2.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.LIP(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.693147
    """

    epsilon: float
    needs_prior = True

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def cone(self, problem: Problem) -> Cone:
        """Return ``e^-epsilon m <= v <= e^epsilon m`` with the mass ``m = pi . v``."""
        return mass_band.cone(problem, *self._ends(problem))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_s(y) - ln m(y)|``; columns of zeros count nothing."""
        distance = np.abs(mass_band.log_lifts(matrix, problem))
        secret, output = np.unravel_index(distance.argmax(), distance.shape)
        return Level(float(distance[secret, output]), (int(secret),), int(output))

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Compare each column's extremes with its mass, ``e^epsilon`` taken from below."""
        return bool(np.all(self.columns_hold_exactly(numerators, problem)))

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the same as a function of epsilon: extremes and masses are found once."""
        found = mass_band.Extremes.of(numerators, problem)
        return lambda level: bool(np.all(found.between(exp_below(level), exp_below(level))))

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Compare each column's extremes with its mass by itself."""
        ratio = exp_below(self.epsilon)
        return mass_band.Extremes.of(numerators, problem).between(ratio, ratio)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_]:
        """Price the mass of each column exactly, both exponentials rounded outward."""
        return mass_band.nonnegative(functionals, problem, self.epsilon, self.epsilon)

    def exact_rows(self, problem: Problem) -> Fractions:
        """Return the rows that compare each entry with the mass."""
        return mass_band.exact_rows(problem, self.epsilon, self.epsilon)

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
        return mass_band.ends(problem, self.epsilon, self.epsilon)
