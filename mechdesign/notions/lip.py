"""Local information privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign import domains
from mechdesign.domains import Array
from mechdesign.exact import Integers, exp_below
from mechdesign.notions.base import Cone, Level, Notion, Rays, Support
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT


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
    jiang_lip, Definition 2.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.LIP(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.693147
    """

    epsilon: float
    needs_prior = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", domains.real("epsilon", self.epsilon, 0.0))

    @property
    def _ratio(self) -> float:
        return float(np.exp(min(self.epsilon, LARGEST_EXPONENT)))

    def cone(self, problem: Problem) -> Cone:
        """Return ``e^-epsilon m <= v <= e^epsilon m`` with the mass ``m = pi . v``."""
        prior = _prior(problem)
        return Cone.band(problem.channel, 1.0 / self._ratio, self._ratio, prior @ problem.channel)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_s(y) - ln m(y)|``; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        mass = _prior(problem) @ seen
        used = mass > 0
        distance = np.zeros_like(seen)
        with np.errstate(divide="ignore"):
            distance[:, used] = np.abs(np.log(seen[:, used]) - np.log(mass[used]))
        secret, output = np.unravel_index(distance.argmax(), distance.shape)
        return Level(float(distance[secret, output]), (int(secret),), int(output))

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Compare each column's extremes with its mass, ``e^epsilon`` taken from below."""
        seen = problem.exactly_seen_by_secret(numerators)
        prior = np.array(problem.exact_prior_of_secret, dtype=object)
        total = int(sum(prior))
        mass = prior @ seen.astype(object)
        high, low = seen.max(axis=0).astype(object), seen.min(axis=0).astype(object)
        ratio = exp_below(self.epsilon)
        above = high * (total * ratio.denominator) <= mass * ratio.numerator
        below = mass * ratio.denominator <= low * (total * ratio.numerator)
        return bool(np.all(above & below))

    def normal(self, problem: Problem) -> Array:
        """Return the prior: on its slice every column has mass one."""
        return super().normal(problem) if problem.is_hidden else _prior(problem)

    def ray_count(self, problem: Problem) -> float | None:
        """Return ``n 2^(n-1)``, the number of full sets with one fractional input."""
        return None if problem.is_hidden else problem.n * 2.0 ** (problem.n - 1)

    def rays(self, problem: Problem) -> Rays | None:
        """Return the knapsack's vertices: a full set S, and one input that takes what is left."""
        if problem.is_hidden or problem.n * 2.0 ** (problem.n - 1) > 8 * RAY_LIMIT:
            return None
        prior, n = _prior(problem), problem.n
        capacity = 1.0 / (1.0 + self._ratio)
        sets = np.arange(2**n)
        member = ((sets[None, :] >> np.arange(n)[:, None]) & 1).astype(float)
        left = capacity - prior @ member
        part, full = np.nonzero((left >= 0) & (left <= prior[:, None]) & (member == 0))
        filled = member[:, full]
        filled[part, np.arange(len(part))] = left[full] / prior[part]
        low = np.exp(-2.0 * self.epsilon)
        # A set that fills exactly is met more than once.
        columns = np.unique(low + (1.0 - low) * filled, axis=1)
        columns /= columns.max(axis=0)
        return Rays(columns, np.zeros((0, columns.shape[1])))

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return the fractional knapsack's value: fill the inputs of largest ``h_x / P_x`` first."""
        if problem.is_hidden:
            return None
        prior = _prior(problem)
        low = 1.0 / self._ratio
        order = np.argsort(-functionals / prior, axis=1, kind="stable")
        sizes = prior[order]
        before = sizes.cumsum(axis=1) - sizes
        capacity = 1.0 / (1.0 + self._ratio)
        filled = np.empty_like(functionals)
        np.put_along_axis(filled, order, np.clip((capacity - before) / sizes, 0.0, 1.0), axis=1)
        columns = low + (self._ratio - low) * filled
        return Support(np.einsum("tx,tx->t", functionals, columns), columns.T)


def _prior(problem: Problem) -> Array:
    prior = problem.prior_of_secret
    assert prior is not None, "inputs() refuses a problem without one"
    return prior
