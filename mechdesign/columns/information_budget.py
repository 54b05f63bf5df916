"""Columns with a bound on the mutual information with the secret: values, tangents and the support function."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Support, raised, rounding_unit
from mechdesign.columns.cone_program import ByDual, minimise
from mechdesign.columns.dual import Shown, charges_of
from mechdesign.columns.smooth import BudgetOfSecret, SmoothlyBounded
from mechdesign.exact import UNIT_BITS, Integers, exp_enclosed, log_units
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT

if TYPE_CHECKING:
    import cvxpy as cp

#: Floats may reject a matrix whose information is this much above epsilon, relative to 1 + epsilon: proofs are slow.
CLEARLY = 1e-10
#: Exponents below this count as this: an exponential of less is no number beside one.
LEAST_EXPONENT = -200
#: A posterior of 0 is taken as this much of the prior in a tangent, whose entry would be -infinite.
LEAST_LIFT = 1e-300


@dataclass(frozen=True, eq=False)
class InformationBound(SmoothlyBounded):
    """Vectors whose mutual information with their index, ``sum_y sum_s pi_s v_s ln(v_s / pi . v)``, is at most epsilon.

    Parameters
    ----------
    n : int
    masses : Masses
        pi.
    epsilon : float
        In nats.
    """

    def smooth_budget(self, seen: Array) -> BudgetOfSecret:
        """Return the budget of mutual information."""
        pieces = np.zeros((1, 1, seen.shape[1]))
        return InformationBudget(pieces, np.array([self.epsilon]), seen, self.masses.floats)

    def constraints_of(self, Q: cp.Variable, seen: Array) -> list[cp.Constraint]:
        """Return ``Q >= 0`` and the information at most epsilon."""
        import cvxpy as cp

        if self.epsilon == 0:
            return super().constraints_of(Q, seen)
        prior = self.masses.floats
        # With variables for the masses each cone has three numbers, and a whole column otherwise.
        masses = cp.Variable(Q.shape[1])
        expected = cp.outer(prior, masses)
        information = cp.sum(cp.rel_entr((prior[:, None] * seen) @ Q, expected))
        return [Q >= 0, masses == (prior @ seen) @ Q, information <= self.epsilon]

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return whether ``E[e^(-w / (charge pi))] <= 1``: where the functional and the charge are least, by Gibbs."""
        if self.epsilon == 0:
            return None
        prior = self.masses.shares

        def is_shown(functional: Integers, charge: int) -> bool:
            if charge <= 0:
                return charge == 0 and min(functional) >= 0
            exponents = [Fraction(-entry) / (charge * share) for entry, share in zip(functional, prior, strict=True)]
            if max(exponents) > LARGEST_EXPONENT:
                return False
            # A larger exponent is sound, and one far below zero has more digits than it counts.
            ends = [exp_enclosed(max(each, Fraction(LEAST_EXPONENT)))[1] for each in exponents]
            return sum(share * end for share, end in zip(prior, ends, strict=True)) <= 1

        charges = charges_of(shown, len(functionals), 1)[:, 0]
        return np.array([is_shown(w, charge) for w, charge in zip(functionals, charges, strict=True)])

    def exact_limits(self) -> tuple[Fraction, ...]:
        """Return epsilon."""
        return (Fraction(self.epsilon),) if self.epsilon > 0 else ()

    def measured(self, seen: Integers) -> Integers:
        """Return the integers."""
        return seen.astype(object)

    def allows(self, measured: Integers) -> npt.NDArray[np.bool_]:
        """Return whether an upper bound of the information is at most epsilon; exact logarithms are taken near it."""
        level = self.epsilon
        if level == 0:
            return np.array([bool(np.all(measured == measured[0]))])
        # Floats may reject, never accept.
        rough = float(terms((measured / measured[0].sum()).astype(float), self.masses.floats).sum())
        if rough > level + CLEARLY * (1.0 + level):
            return np.array([False])
        return np.array([_information_above(tuple(map(tuple, measured)), tuple(self.masses.exact)) <= level])


@dataclass(frozen=True)
class InformationBudget(BudgetOfSecret):
    """``sum_y beta(q_y) <= epsilon`` with ``beta(q) = sum_s pi_s v_s ln(v_s / pi . v)`` and ``v = W q``, in nats."""

    def cost(self, columns: Array) -> Array:
        """Return ``sum_s j_s ln w_s - j_s + e_s`` with ``j_s = pi_s v_s``, ``e_s = pi_s m`` and the lift ``w = j / e``.

        The last two terms add up to 0 and make every term positive.
        """
        return np.asarray(terms(self.channel @ columns, self.prior).sum(axis=0, keepdims=True))

    def tangents(self, columns: Array) -> Array:
        """Return ``W' (pi ln w)`` at the lift w of each column: by Gibbs' inequality for ``w > 0``, ``pi . w <= 1``."""
        return np.asarray((self.prior[:, None] * self.logs(columns)).T @ self.channel)

    def logs(self, columns: Array) -> Array:
        """Return ``ln w`` at the lift w of each column."""
        seen = self.channel @ columns
        mass = self.prior @ seen
        lift = np.divide(seen, mass, out=np.ones_like(seen), where=mass > 0)
        return log_weights(np.maximum(lift, LEAST_LIFT), self.prior)

    def support_of_input(self, functionals: Array, price: float) -> Support:
        """Return ``price ln sum_x P_x e^(h_x / (price P_x))``, by Gibbs' variational formula."""
        return _free_energy(functionals, self.prior, price)

    def support_by_dual(self, functional: Array, normal: Array, price: float) -> ByDual:
        """Return a bound by u with ``pi . e^u <= 1``, of a program over exponential cones."""
        return _by_dual(functional, self, normal, price)


def terms(seen: Array, prior: Array) -> Array:
    """Return what each secret and output add to the information, each at least 0, shape (k, m)."""
    joint = prior[:, None] * seen
    expected = np.outer(prior, joint.sum(axis=0))
    changed = np.divide(joint - expected, expected, out=np.zeros_like(joint), where=expected > 0)
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=expected > 0)
    # ln w near w = 1 from its change, far from it from w itself, which may be next to 0.
    near = np.abs(changed) < 0.5
    logs = np.where(near, np.log1p(np.where(near, changed, 0.0)), np.log(np.maximum(ratio, LEAST_LIFT)))
    return np.asarray(np.maximum(joint * logs - joint + expected, 0.0))


def log_weights(lift: Array, prior: Array) -> Array:
    """Return ``ln w`` of each column of `lift`, lowered so that ``pi . w <= 1`` whatever was given."""
    return np.log(lift) - np.log(np.maximum(prior @ lift, 1.0)) - 4.0 * np.finfo(float).eps


def _free_energy(functionals: Array, prior: Array, price: float) -> Support:
    """Return the support function where the secret is the input."""
    ratios = functionals / prior
    peak = ratios.max(axis=1, keepdims=True)
    # From the peak down: exact zeros below it stay exact, and next to equal ratios lose nothing.
    behind = np.expm1((ratios - peak) / price)
    less = behind @ prior
    # Far below the peak the sum of what is left has more digits than one less the sum of what is not.
    total = np.where(less > -0.5, np.log1p(np.maximum(less, -0.5)), np.log((behind + 1.0) @ prior))
    shares = prior * (behind + 1.0) / np.exp(total)[:, None]
    # Rounded are the ratios, each weighted as it counts, the sum, and the logarithm.
    sizes = np.abs(peak[:, 0]) + np.einsum("tx,tx->t", shares, np.abs(ratios) + np.abs(peak))
    rounding = rounding_unit(len(prior)) * (sizes + price * (1.0 + np.abs(total)))
    return raised(peak[:, 0] + price * total, rounding, (shares / prior).T)


def _by_dual(functional: Array, budget: InformationBudget, normal: Array, price: float) -> ByDual:
    """Minimise ``max_x (h - price W' (pi u))_x / normal_x`` over u with ``pi . e^u <= 1``: each u gives a bound."""
    k, n = budget.channel.shape
    scale = max(float(np.abs(functional).max()), price)
    joint = budget.channel.T * budget.prior
    # Variables (t, u, e): t normal + price joint u >= h, pi . e <= 1, and e >= exp(u).
    rows = np.zeros((n + 1 + 3 * k, 1 + 2 * k))
    rows[:n, 0], rows[:n, 1 : k + 1], rows[n, k + 1 :] = -normal, -price / scale * joint, budget.prior
    places = n + 1 + 3 * np.arange(k)
    rows[places, 1 + np.arange(k)] = rows[places + 2, 1 + k + np.arange(k)] = -1.0
    right = np.zeros(len(rows))
    right[:n], right[n], right[places + 1] = -functional / scale, 1.0, 1.0
    cost = np.concatenate([[1.0], np.zeros(2 * k)])
    point, multipliers = minimise(cost, rows, right, nonnegative=n + 1, exponential=k)
    column = np.maximum(multipliers[:n], 0.0)
    if not (np.all(np.isfinite(column)) and normal @ column > 0):
        column = np.ones(n)
    column /= float(normal @ column)
    with np.errstate(over="ignore", under="ignore"):
        lift = np.exp(np.clip(np.nan_to_num(point[1 : k + 1]), -690.0, 690.0))
    # Whichever tangent says more, the solver's or that at its column.
    bounds = []
    for logs in (log_weights(lift, budget.prior), budget.logs(column[:, None])[:, 0]):
        reduced = functional - price * (joint @ logs)
        blur = rounding_unit(n + k) * (np.abs(functional) + price * (joint @ (1.0 + np.abs(logs))))
        bounds.append((float(((reduced + blur) / normal).max()), float((reduced / normal).max())))
    above, nominal = min(bounds)
    return (nominal, above - nominal), column


@lru_cache(maxsize=16)
def _information_above(seen: tuple[tuple[int, ...], ...], prior: tuple[int, ...]) -> Fraction:
    """Return a fraction at least the information of rows of integers of one sum, under a prior of integers."""
    total, certain = sum(prior), sum(seen[0])
    units = 0
    for column in zip(*seen, strict=True):
        mass = sum(weight * entry for weight, entry in zip(prior, column, strict=True))
        # Known mechanisms have few different entries, and a logarithm takes longer than all else here.
        logs = {entry: log_units(entry * total, mass) for entry in set(column) if entry}
        units += sum(weight * entry * logs[entry] for weight, entry in zip(prior, column, strict=True) if entry)
    return Fraction(units, (total * certain) << UNIT_BITS)
