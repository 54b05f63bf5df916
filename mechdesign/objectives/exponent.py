"""Exponents of hypothesis tests: the best over an order of a monotone function of ``sum_y p_y^(1-t) s_y^t``."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.objectives.base import unit
from mechdesign.objectives.hypotheses import Hypotheses
from mechdesign.objectives.near_one import NEAR, entropy_change, log_less_change, log_ratio, power_shortfall
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: Halvings of an interval of orders: a float has no more to give.
HALVINGS = 64

#: What the inner program of an expression is solved to.
PRECISE = {"tol_gap_abs": 3e-11, "tol_gap_rel": 3e-11, "tol_feas": 3e-11}


class Exponent(Hypotheses):
    """A rate in nats at which a test of two hypotheses errs; a subclass holds both distributions of the inputs.

    With ``p = first Q`` and ``s = second Q`` it is the largest over orders t in [0, 1] of a function of t and of the
    shortfall ``1 - sum_y p_y^(1-t) s_y^t``, a sum over outputs. Powers with ``p_y s_y = 0`` count as 0 at the ends
    of the range too: there the exponent is its limit from inside.
    """

    kind = "sublinear"
    unit = "nats"
    #: The range of orders that is searched.
    orders: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def pair_expression(self, Q: cp.Variable) -> tuple[cp.Expression, cp.Expression]:
        """Return both distributions of the output as cvxpy expressions."""
        return self.first / math.fsum(self.first) @ Q, self.second / math.fsum(self.second) @ Q

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the exponent at its best order, which is found by halving."""
        Q = np.ascontiguousarray(matrix, dtype=float)
        return _best_of(self, Q.tobytes(), Q.shape[1])

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return some units in the last place of the terms of each output, where no rate is taken from them."""
        value = self.value(matrix, problem)
        if getattr(self, "rate", 0.0) > 0 or not np.isfinite(value):
            return super().rounding(matrix, problem)
        p, s = self.pair(matrix)
        logs = np.abs(log_ratio(p, s, self.apart(matrix)))
        moved = np.abs(self.difference) @ (np.asarray(matrix, dtype=float) - np.min(matrix, axis=0))
        # The logarithm of what is left of 1 magnifies what the shortfall misses.
        return unit(problem.n) * (value + math.exp(min(value, 700.0)) * float(np.sum(logs * moved)))

    def uninformative(self, problem: Problem) -> float:
        """Return the value of the constant mechanism."""
        return self.value(np.ones((problem.n, 1)), problem)

    @abstractmethod
    def best(self, p: Array, s: Array, apart: Array | None = None) -> tuple[float, float]:
        """Return the best order for two distributions of the output, and the exponent there.

        `apart` is ``p - s`` where it is known more accurately than by that subtraction.
        """


@lru_cache(maxsize=16)
def _best_of(objective: Exponent, matrix: bytes, outputs: int) -> float:
    """Return the exponent of a matrix: the value, its rounding and what is gained ask for it one after the other."""
    Q = np.frombuffer(matrix).reshape(-1, outputs)
    return objective.best(*objective.pair(Q), objective.apart(Q))[1]


class Searched(Exponent):
    """An exponent that is maximised: over the order and over mechanisms alike."""

    @property
    def vanishing_rate(self) -> float:
        """The exponent is 0 where no mechanism has a larger ``D(s || p)`` than this; 0 where there is no such rate."""
        return 0.0

    def shortfalls(self, p: Array, s: Array, orders: Array, apart: Array | None = None) -> Array:
        """Return what each output adds to the shortfall at each order, shape (orders, outputs): sublinear in Q."""
        return shortfall(p, s, np.asarray(orders)[:, None], apart)

    @abstractmethod
    def at(self, total: Array, orders: Array) -> Array:
        """Return the exponent at `orders`, given the total shortfall there; infinite from a total of 1 on."""


def shortfall(p: Array, s: Array, order: Array | float, apart: Array | None = None) -> Array:
    """Return ``(1-t) p + t s - p^(1-t) s^t`` without cancellation: at least 0 for t in [0, 1], at most 0 elsewhere.

    Parameters
    ----------
    apart : ndarray, optional
        ``p - s``, where it is known more accurately than by that subtraction.

    Examples
    --------
    >>> shortfall(np.array([1.0, 1.0]), np.array([4.0, 0.0]), 0.5).tolist()
    [0.5, 0.5]
    """
    both = (p > 0) & (s > 0)
    change, near = _change(p, s, apart)
    a = 1.0 - np.asarray(order)
    difference = p - s if apart is None else apart
    logs = log_ratio(p, s, difference)
    with np.errstate(over="ignore", invalid="ignore"):
        # Each form loses what the other keeps, next to a = 0 and to a = 1.
        lower, upper = a * difference - s * np.expm1(a * logs), (a - 1.0) * difference - p * np.expm1((a - 1.0) * logs)
    inside = np.where(a < 0.5, lower, upper)
    if near.any():
        inside = np.where(near, s * power_shortfall(change, a), inside)
    return np.where(both, inside, (1.0 - order) * p + order * s)


def _change(p: Array, s: Array, apart: Array | None) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return ``w = p / s - 1`` of the outputs where it is small, and which these are."""
    difference = p - s if apart is None else apart
    near = (p > 0) & (s > 0) & (np.abs(difference) <= NEAR * s)
    return np.divide(difference, s, out=np.zeros(np.shape(s)), where=near), near


def divergence(p: Array, s: Array, apart: Array | None = None) -> Array:
    """Return ``p ln(p / s) - p + s`` of each output, infinite where only p gives it: they sum to ``D(p || s)``.

    Examples
    --------
    >>> divergence(np.array([1.0, 0.0, 0.5]), np.array([1.0, 0.5, 0.0])).tolist()
    [0.0, 0.5, inf]
    """
    both = (p > 0) & (s > 0)
    ratio = np.log(np.where(both, s, 1.0)) - np.log(np.where(both, p, 1.0))
    change, near = _change(p, s, apart)
    inside = np.where(near, s * entropy_change(change), p * (np.expm1(ratio) - ratio))
    return np.where(both, inside, np.where(p > 0, np.inf, s))


def log_ratios(p: Array, s: Array) -> tuple[Array, Array]:
    """Return p and ``ln(s / p)`` of the outputs that both hypotheses give."""
    both = (p > 0) & (s > 0)
    return p[both], np.log(s[both]) - np.log(p[both])


def slope_of_sum(p: Array, s: Array, apart: Array | None = None) -> Callable[[float], float]:
    """Return the derivative of ``sum_y p^(1-t) s^t`` over t, of two distributions, for outputs that both give.

    Each output's is ``-s e^(aL) L`` with ``L = ln(p / s)`` and ``a = 1 - t``; less ``p - s``, whose sum is known, each
    is of second order in L.
    """
    both = (p > 0) & (s > 0)
    alone = float(p[~both].sum() - s[~both].sum())
    change, near = _change(p, s, apart)
    change, near, p, s = change[both], near[both], p[both], s[both]
    logs = np.where(near, np.log1p(change), log_ratio(p, s, p - s if apart is None else apart[both]))
    rest = s * np.where(near, log_less_change(change), logs - (p / s - 1.0))
    # The terms of each sum have one sign, so that they may be added by themselves: it is asked for many times.
    known, weights = alone - float(rest.sum()), s * logs

    def slope(order: float) -> float:
        return known - float(weights @ np.expm1((1.0 - order) * logs))

    return slope


def infinite(objective: Exponent) -> DomainError:
    """Return the error of an exponent that some private mechanism makes infinite."""
    return DomainError(
        "objective",
        str(objective),
        "it is infinite on mechanisms with outputs that only one of its two distributions can give",
        "give distributions without zeros, a larger rate, or a notion under which every input can give every output",
    )


def minus_log_of_rest(total: Array) -> Array:
    """Return ``-ln(1 - total)``, infinite from a total of 1 on."""
    inside = np.asarray(total) < 1
    return np.where(inside, -np.log1p(-np.where(inside, total, 0.0)), np.inf)


def least_over(z: Any, goal: Any, rules: list[Any]) -> cp.Expression:
    """Return the least of the convex `goal` over `z` under `rules`, as an expression of the other variables."""
    import cvxpy as cp
    from cvxpy.transforms.partial_optimize import partial_optimize

    return partial_optimize(cp.Problem(cp.Minimize(goal), rules), opt_vars=[z], solver="CLARABEL", **PRECISE)
