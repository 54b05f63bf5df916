"""``low * m <= v_s <= high * m`` with the mass ``m = pi . v``: what all notions of the lift share.

The lift is ``Pr(y | s) / Pr(y)``. Notions give its ends in nats, ``low = e^-lower`` and ``high = e^upper``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.domains import Array
from mechdesign.exact import Integers, product
from mechdesign.notions.cone import Cone, Rays, Support, difference, subset_count
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT

#: A knapsack's share this close to 0 or 1 is that: what the rounding of its capacity leaves.
WHOLE = 1e-13


def prior_of(problem: Problem) -> Array:
    """Return the secret's prior, which `inputs` has asked for."""
    prior = problem.prior_of_secret
    assert prior is not None, "inputs() refuses a problem without one"
    return prior


def ends(problem: Problem, lower: float, upper: float) -> tuple[float, float]:
    """Return ``(low, high)`` of ``-lower <= ln(v_s / m) <= upper``, either of them possibly infinite."""
    if lower == 0 or upper == 0:
        # All are at least the mean of all, or at most: equal.
        return 1.0, 1.0
    low = 0.0 if math.isinf(lower) else math.exp(-min(lower, LARGEST_EXPONENT))
    # v_s is at most m / pi_s, so that more than that says nothing, and nothing is infinite.
    return low, min(math.exp(min(upper, LARGEST_EXPONENT)), 2.0 / float(prior_of(problem).min()))


def cone(problem: Problem, low: float, high: float) -> Cone:
    """Return ``low * m <= v <= high * m``, with the mass as an auxiliary variable."""
    return Cone.band(problem.channel, low, high, prior_of(problem) @ problem.channel)


def ray_count(problem: Problem, low: float, high: float) -> float | None:
    """Return ``n 2^(n-1)``, the number of full sets with one fractional input; None with a hidden secret.

    It is 1 where nothing may be told, and infinite where it is beyond floats.
    """
    if problem.is_hidden:
        return None
    if low >= high:
        return 1.0
    return problem.n * subset_count(problem.n - 1)


def rays(problem: Problem, low: float, high: float) -> Rays | None:
    """Return the vertices of a knapsack: a full set S, and one input that takes what is left.

    On the slice of mass one, ``v_x = low + t_x (high - low)`` with ``0 <= t <= 1`` and
    ``P . t = (1 - low) / (high - low)``.
    """
    n = problem.n
    count = ray_count(problem, low, high)
    if count is None or count > 8 * RAY_LIMIT:
        return None
    if low >= high:
        return Rays(np.ones((n, 1)), np.zeros((0, 1)))
    prior = prior_of(problem)
    member = ((np.arange(2**n)[None, :] >> np.arange(n)[:, None]) & 1).astype(float)
    left = difference(np.asarray((1.0 - low) / (high - low)), prior @ member)
    share = left / prior[:, None]
    share = np.where(np.abs(share - np.rint(share)) <= WHOLE, np.rint(share), share)
    part, full = np.nonzero((share >= 0) & (share <= 1) & (member == 0))
    filled = member[:, full]
    filled[part, np.arange(len(part))] = share[part, full]
    # A set that fills exactly is met more than once.
    columns = np.unique(low / high + (1.0 - low / high) * filled, axis=1)
    columns /= columns.max(axis=0)
    return Rays(columns, np.zeros((0, columns.shape[1])))


def support(functionals: Array, problem: Problem, low: float, high: float) -> Support | None:
    """Return the fractional knapsack's value: fill the inputs of largest ``h_x / P_x`` first."""
    if problem.is_hidden:
        return None
    prior = prior_of(problem)
    capacity = (1.0 - low) / (high - low) if low < high else 0.0
    filled = np.empty_like(functionals)
    # An input of next to no mass is filled first or never, and always whole: infinity says so.
    with np.errstate(over="ignore"):
        order = np.argsort(-functionals / prior, axis=1, kind="stable")
        sizes = prior[order]
        before = sizes.cumsum(axis=1) - sizes
        each = np.arange(len(filled))[:, None]
        filled[each, order] = np.clip((capacity - before) / sizes, 0.0, 1.0)
    columns = low + (high - low) * filled
    return Support(np.einsum("tx,tx->t", functionals, columns), columns.T)


def log_lifts(matrix: Array, problem: Problem) -> Array:
    """Return ``ln v_s(y) - ln m(y)``, shape (secrets, m), zero for columns of zeros."""
    seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
    mass = prior_of(problem) @ seen
    used = mass > 0
    found = np.zeros_like(seen)
    with np.errstate(divide="ignore"):
        found[:, used] = np.log(seen[:, used]) - np.log(mass[used])
    return found


@dataclass(frozen=True)
class Extremes:
    """Integers for each column, in one unit: ``total`` times its largest and smallest entry, and its mass."""

    high: Integers
    low: Integers
    mass: Integers

    @classmethod
    def of(cls, numerators: Integers, problem: Problem) -> Extremes:
        """Return those of a matrix of integers whose rows have one sum."""
        seen = problem.exactly_seen_by_secret(numerators)
        prior = np.array(problem.exact_prior_of_secret, dtype=object)
        total = int(sum(prior))
        high, low = seen.max(axis=0).astype(object), seen.min(axis=0).astype(object)
        return cls(high * total, low * total, product(prior, seen))

    def between(self, down: Fraction | None, up: Fraction | None) -> npt.NDArray[np.bool_]:
        """Tell of each column whether ``m <= down * v_s`` and ``v_s <= up * m``; None bounds nothing."""
        found = np.ones(len(self.mass), dtype=bool)
        if down is not None:
            found &= (self.mass * down.denominator <= self.low * down.numerator).astype(bool)
        if up is not None:
            found &= (self.high * up.denominator <= self.mass * up.numerator).astype(bool)
        return found
