"""Mutual information between the secret and the output, bounded."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Integers, exp_enclosed, log_above
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.cone import Budget, Cone, Rays, SmoothBudget, Support, raised, rounding_unit
from mechdesign.notions.cone_program import minimise, of_each
from mechdesign.notions.dual import Shown, charges_of, shares_of_secret
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_EXPONENT

if TYPE_CHECKING:
    import cvxpy as cp

#: A posterior of 0 is taken as this much of the prior in a tangent, whose entry would be -infinite.
LEAST_LIFT = 1e-300
#: Floats may reject a matrix whose information is this much above epsilon, relative to 1 + epsilon: proofs are slow.
CLEARLY = 1e-10
#: Exponents below this count as this: an exponential of less is no number beside one.
LEAST_EXPONENT = -200


@dataclass(frozen=True)
class InformationBudget(SmoothBudget):
    """``sum_y beta(q_y) <= epsilon`` with ``beta(q) = sum_s pi_s v_s ln(v_s / pi . v)`` and ``v = W q``, in nats."""

    #: ``W[s, x] = Pr(x | s)``.
    channel: Array
    #: The prior pi of the secret.
    prior: Array

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


@dataclass(frozen=True)
class MutualInformationPrivacy(Notion):
    r"""I(S; Y) = sum_sy pi_s Pr(y | s) ln(Pr(y | s) / Pr(y)) <= epsilon for the secret S; epsilon in nats.

    With a hidden secret ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input. An average over
    outputs: a rare output may betray the secret altogether.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At 0 only mechanisms that ignore the secret remain.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a problem without a prior of the secret.

    Notes
    -----
    A smooth budget: no finite set of rays holds an optimum. The route `convex` answers linear and convex objectives;
    `directions` answers sums over columns, whose columns it prices in every direction: exactly where the secret is the
    input and decisions are finitely many or one number, otherwise by subdivision, for few inputs. Logarithms have no
    exact value: the exact check evaluates them to sixty digits, each rounded upward, so that what it accepts holds.

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), eq. (1).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.MutualInformationPrivacy(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    0.130812
    """

    epsilon: float
    needs_prior = True
    polyhedral = False

    def __post_init__(self) -> None:
        super().__post_init__()
        # Without any information every column is silent: then the notion is a cone, and has no budget.
        object.__setattr__(self, "polyhedral", self.epsilon == 0)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def cone(self, problem: Problem) -> Cone:
        """Return the whole orthant: only the sum over columns is bounded. At epsilon 0, ``v = m``."""
        if self.epsilon > 0:
            return Cone.of_rows(np.zeros((0, problem.n)))
        mass = np.broadcast_to(_prior(problem) @ problem.channel, problem.channel.shape)
        return Cone.at_least(np.vstack([problem.channel, mass]), np.vstack([mass, problem.channel]))

    def budget(self, problem: Problem) -> Budget:
        """Return the information of each column, and epsilon as its limit."""
        if self.epsilon == 0:
            return Budget.none(problem.n)
        pieces = np.zeros((1, 1, problem.n))
        return InformationBudget(pieces, np.array([self.epsilon]), problem.channel, _prior(problem))

    def constraints(self, Q: cp.Variable, problem: Problem) -> list[cp.Constraint]:
        """Return ``Q >= 0`` and the information at most epsilon."""
        import cvxpy as cp

        inputs = self.inputs(problem)
        if self.epsilon == 0:
            return super().constraints(Q, inputs)
        prior = _prior(inputs)
        mass = prior @ inputs.channel
        expected = prior[:, None] @ cp.reshape(mass @ Q, (1, Q.shape[1]), order="C")
        return [Q >= 0, cp.sum(cp.rel_entr((prior[:, None] * inputs.channel) @ Q, expected)) <= self.epsilon]

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the mutual information, with the output that adds most to it and the secret that adds most there."""
        added = terms(problem.seen_by_secret(np.asarray(matrix, dtype=float)), _prior(problem))
        output = int(added.sum(axis=0).argmax())
        return Level(math.fsum(added.ravel()), (int(added[:, output].argmax()),), output)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether an upper bound of the information, logarithms rounded up, is at most epsilon, in rationals."""
        return self.exactly(numerators, problem)(self.epsilon)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return whether ``E[e^(-w / (charge pi))] <= 1``: where the functional and the charge are least, by Gibbs."""
        if self.epsilon == 0:
            return None
        prior = shares_of_secret(problem)

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

    def exact_limits(self, problem: Problem) -> tuple[Fraction, ...]:
        """Return epsilon."""
        return (Fraction(self.epsilon),) if self.epsilon > 0 else ()

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of epsilon; exact logarithms are taken only near it."""
        seen = problem.exactly_seen_by_secret(numerators).astype(object)

        def holds(level: float) -> bool:
            if level == 0:
                return bool(np.all(seen == seen[0]))
            # Floats may reject, never accept.
            rough = float(terms((seen / seen[0].sum()).astype(float), _prior(problem)).sum())
            if rough > level + CLEARLY * (1.0 + level):
                return False
            return _information_above(tuple(map(tuple, seen)), tuple(problem.exact_prior_of_secret)) <= level

        return holds

    def normal(self, problem: Problem) -> Array:
        """Return the prior of the inputs: on its slice every column has mass one."""
        mass = _prior(problem) @ problem.channel
        return mass / mass.sum() if np.all(mass > 0) else super().normal(problem)

    def ray_count(self, problem: Problem) -> float | None:
        """Return 1 at epsilon 0, where the secret is the input: all columns are constant."""
        return 1.0 if self.epsilon == 0 and not problem.is_hidden else None

    def rays(self, problem: Problem) -> Rays | None:
        """Return the constant column at epsilon 0, where the secret is the input."""
        constant = self.epsilon == 0 and not problem.is_hidden
        return Rays(np.ones((problem.n, 1)), np.zeros((0, 1))) if constant else None

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return ``nu ln sum_x P_x e^(h_x / (nu P_x))``, Gibbs' variational formula; by its dual where S is hidden."""
        budget, normal = self.budget(problem), self.normal(problem)
        if not isinstance(budget, InformationBudget):
            return None
        price = float(nu[0])
        if price <= 0:
            ratios = functionals / normal
            best = ratios.argmax(axis=1)
            columns = np.zeros((problem.n, len(best)))
            columns[best, np.arange(len(best))] = 1.0 / normal[best]
            unit = rounding_unit(problem.n)
            most = (ratios + unit * np.abs(ratios)).max(axis=1)
            return Support(most, columns, most - ratios.max(axis=1))
        if not problem.is_hidden:
            return _free_energy(functionals, budget.prior, price)
        k, n = budget.channel.shape
        found = of_each(functionals, lambda h: _by_dual(h, budget, normal, price), (n + 1 + 3 * k) * (1 + 2 * k))
        values, rounding = np.array([numbers for numbers, _ in found]).T
        return raised(values, rounding, np.array([column for _, column in found]).T)


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


def _by_dual(
    functional: Array, budget: InformationBudget, normal: Array, price: float
) -> tuple[tuple[float, float], Array]:
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
    found = Fraction(0)
    for column in zip(*seen, strict=True):
        mass = sum(weight * entry for weight, entry in zip(prior, column, strict=True))
        for weight, entry in zip(prior, column, strict=True):
            if weight * entry:
                found += weight * entry * log_above(entry * total, mass)
    return found / (total * certain)


def _prior(problem: Problem) -> Array:
    prior = problem.prior_of_secret
    assert prior is not None, "inputs() refuses a problem without one"
    return prior
