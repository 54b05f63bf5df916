"""Mutual information between the datum and the output."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.digits import LOWERED, ColumnUtility, logarithm, mass_of, prior_of
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.objectives.base import Convex, Kind, Sense, Separable, unit
from mechdesign.objectives.decisions import by_input, joint, mass_by_datum, masses
from mechdesign.objectives.exact_convex import ConvexOfColumn, information
from mechdesign.objectives.exact_form import ExactForm, prior_shares
from mechdesign.objectives.near_one import NEAR, entropy_change, unshared
from mechdesign.parameters import Truth
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: A posterior of 0 is taken as this much of the prior in a supporting functional, whose entry would be -infinite.
LEAST_LIFT = 1e-300
#: Logarithms of the weights of a certificate stay below this: a solver's nonsense would overflow their products.
LARGEST_LOGARITHM = 1e6


def _exact_utility(objective: MutualInformation, problem: Problem) -> ColumnUtility | None:
    """Return ``sum p v ln(v / m)``, lowered by what logarithms miss; None if inputs share a datum."""
    if problem.data_of_input is not None:
        return None
    prior = prior_of(problem)

    def utility(column: list[Fraction]) -> Fraction:
        mass = mass_of(prior, column)
        terms = [p * v * logarithm(v / mass) for p, v in zip(prior, column, strict=True) if v]
        return sum(terms, Fraction(0)) - LOWERED * mass

    return utility


@dataclass(frozen=True)
class MutualInformation(Separable, Convex):
    r"""sum_y sum_x P_x Q[x, y] ln(Q[x, y] / (P . q_y)), in nats; maximised, or minimised on request.

    A sum over columns of ``mu(v) = sum_x P_x v_x ln(v_x / P . v)`` with ``0 ln 0 = 0``: convex and homogeneous, so
    some optimum uses extreme rays alone. Where a notion widened the inputs, x is the datum that they carry and
    ``P_x Q[x, y]`` the mass of all inputs that carry it.

    Parameters
    ----------
    minimize : bool
        Minimise it, the information that an output carries, under constraints of your own that keep the output
        useful. With ``subject_to`` a largest expected loss the optimum is the rate-distortion function; without any
        constraint it is 0.

    Raises
    ------
    DomainError
        A problem without prior; a `minimize` that is neither True nor False.

    Notes
    -----
    By Gibbs' inequality ``sum_x P_x v_x ln w_x <= mu(v)`` for all ``w > 0`` with ``P . w <= 1``; it is an equality at
    ``w = v / P . v``. The decisions are such w: no scalar, so the columns route refuses.
    Minimised, it is a convex program over one output for each input (or ``outputs`` of them), and the same inequality
    bounds it from below: the weights of its certificate are ``ln w``, shape (data, outputs).

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), eq. (1).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> round(md.MutualInformation().value([[0.75, 0.25], [0.25, 0.75]], problem), 6)
    0.130812
    >>> wrong = lambda Q: [(Q[0, 1] + Q[1, 0]) / 2 <= 0.25]
    >>> rate = md.design(problem, md.LDP(5.0), md.MutualInformation(minimize=True), subject_to=wrong)
    >>> round(rate.value, 6)
    0.130812
    """

    card = Card(
        "mutual information between datum and output",
        latex=r"\sum_y \sum_x P_x Q_{xy} \ln \frac{Q_{xy}}{P \cdot q_y}",
        search=("privacy funnel", "capacity", "mutual information privacy"),
        works=("zamani",),
        examples=(
            lambda rng: (MutualInformation(), random_problem(4, rng, skew=2.0)),
            lambda rng: (MutualInformation(), random_pairs(rng)),
            lambda rng: (MutualInformation(minimize=True), random_problem(4, rng, skew=2.0)),
            lambda rng: (MutualInformation(minimize=True), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(
            MutualInformation(), 0.75 * math.log(3) - math.log(2), "(3/4) ln(3/2) + (1/4) ln(1/2) nats"
        ),
        exact_utility=_exact_utility,
    )

    minimize: bool = False
    domains = {"minimize": Truth()}

    unit = "nats"
    lowest = 0.0
    needs_prior = True
    is_of_information = True

    @property
    def kind(self) -> Kind:  # type: ignore[override] # it depends on the instance
        """Sublinear to maximise, convex to minimise."""
        return "convex" if self.minimize else "sublinear"

    @property
    def sense(self) -> Sense:  # type: ignore[override] # likewise
        """Maximise, unless asked otherwise."""
        return "minimise" if self.minimize else "maximise"

    @property
    def measures_leakage(self) -> bool:  # type: ignore[override] # likewise
        """Whether it is minimised."""
        return self.minimize

    def __str__(self) -> str:
        return f"{self.name}(minimize=True)" if self.minimize else self.name

    def uninformative(self, problem: Problem) -> float:
        """Return 0."""
        return 0.0

    def no_privacy(self, problem: Problem) -> float:
        """Return the entropy of the datum."""
        of_data = masses(problem)
        logs, likeliest = np.log(of_data), int(of_data.argmax())
        # Next to 1 the logarithm of a mass is computed from the sum of the other masses.
        rest = float(np.delete(of_data, likeliest).sum())
        if rest < 0.5:
            logs[likeliest] = np.log1p(-rest)
        return float(-of_data @ logs)

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the relative entropy of the joint distribution to the product of its margins."""
        columns = np.asarray(matrix, dtype=float)
        both, of_data = joint(columns, problem), masses(problem)
        product = np.outer(of_data, both.sum(axis=0))
        moved = _moved(columns, problem)
        # x ln(x / u) - x + u is never negative, so that next to no information is not lost in rounding.
        near = (product > 0) & (np.abs(moved) <= NEAR * product)
        total = float(np.sum(product[near] * entropy_change(moved[near] / product[near])))
        far = (both > 0) & ~near
        logs = np.log(both[far] / np.maximum(product[far], np.finfo(float).tiny))
        return total + float(np.sum(both[far] * logs - moved[far])) + float(product[(both <= 0) & ~near].sum())

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the information under the exact prior; None to minimise it, or where a notion widened the inputs."""
        if self.minimize or problem.data_of_input is not None:
            return None
        prior = prior_shares(problem)
        return ConvexOfColumn(
            problem.n, information(prior), partial(self.column_utility, problem=problem), alike=len(set(prior)) == 1
        )

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the information, convex in `Q`: no convex program maximises it."""
        import cvxpy as cp

        weights = mass_by_datum(problem)
        mass = cp.reshape(weights.sum(axis=0) @ Q, (1, Q.shape[1]), order="C")
        return cp.sum(cp.rel_entr(weights @ Q, weights.sum(axis=1)[:, None] @ mass))

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``sum_x j_x ln w_x - j_x + e_x`` with ``j_x = P_x v_x`` and the lift ``w_x = j_x / e_x``.

        The last two terms add up to 0 and make every term positive.
        """
        both, expected, changed, near = self._lifts(columns, problem)
        if not near.any():
            # Without the copies that masks make of a large matrix.
            return np.asarray((both * np.log(_lift(both, expected)) - (both - expected)).sum(axis=0))
        terms = np.empty_like(both)
        terms[near] = expected[near] * entropy_change(changed[near])
        far = ~near
        terms[far] = both[far] * np.log(_lift(both, expected)[far]) - (both - expected)[far]
        return np.asarray(terms.sum(axis=0))

    def _lifts(self, columns: Array, problem: Problem) -> tuple[Array, Array, Array, npt.NDArray[np.bool_]]:
        """Return ``j``, ``e``, the lift's change ``w - 1`` where it is small and 0 elsewhere, and where it is small."""
        both = joint(columns, problem)
        expected = np.outer(masses(problem), both.sum(axis=0))
        moved = _moved(columns, problem)
        near = np.abs(moved) <= NEAR * expected
        return both, expected, np.divide(moved, expected, out=np.zeros_like(both), where=near & (expected > 0)), near

    def magnitude(self, columns: Array, problem: Problem) -> Array:
        """Return ``sum_x j_x |ln w_x| + |j_x - e_x|``: small where the output carries little information."""
        both = joint(columns, problem)
        expected = np.outer(masses(problem), both.sum(axis=0))
        logs = np.log(_lift(both, expected))
        return np.asarray(np.sum(both * np.abs(logs) + np.abs(both - expected), axis=0))

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return ``P_x ln w_x`` with the lift w of each column; finite where an entry is 0."""
        both, expected, changed, near = self._lifts(columns, problem)
        return by_input(np.where(near, np.log1p(changed), np.log(_lift(both, expected))), problem)

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return some units in the last place of the terms of each output, the matrix's entries being exact."""
        return self._rounding(matrix, self.value(matrix, problem), problem)

    def accuracy(self, matrix: Array, value: float, problem: Problem) -> tuple[float, float, float]:
        """Return the rounding, the information itself, and the rounding once more: the value is not found again."""
        rounding = self._rounding(matrix, value, problem)
        return rounding, self.to_utility(value, problem), rounding

    def _rounding(self, matrix: Array, value: float, problem: Problem) -> float:
        both, expected, _, near = self._lifts(np.asarray(matrix, dtype=float), problem)
        logs = np.abs(np.log(_lift(both, expected)))
        moved = joint(np.abs(_unshared(np.asarray(matrix, dtype=float), problem)), problem)
        moved += np.outer(masses(problem), moved.sum(axis=0))
        np.minimum(moved, both + expected, out=moved)
        # Ratios far from 1 are rounded themselves before their logarithm is taken.
        ratios = 4.0 * float(np.finfo(float).eps) * float(both[~near].sum())
        return ratios + unit(problem.n) * (float(np.sum(logs * moved)) + value)

    def improvement(self, matrix: Array, problem: Problem) -> tuple[float, float]:
        """Return the information with the sign of a utility, and its rounding: a constant mechanism has none."""
        value = self.value(matrix, problem)
        return self.to_utility(value, problem), self.rounding(matrix, problem)

    def minorant(self, weights: Array | None, problem: Problem) -> Array:
        """Return ``P_x ln w_x`` for each output, `weights` being any ``ln w``, scaled here to ``P . w = 1``."""
        of_data = masses(problem)
        if weights is None or np.ndim(weights) != 2 or len(weights) != len(of_data):
            weights = np.zeros((len(of_data), 1))
        # Next to below 1, so that no rounding of the logarithm leaves P . w above it.
        below = _scaled(weights, of_data) - 8.0 * np.finfo(float).eps * (len(of_data) + 8)
        return by_input(below, problem)

    def weights_for(self, room: Array, problem: Problem) -> Array:
        """Return the least ``ln w`` with ``P_x ln w_x >= room[x, y]`` at every input: what stationarity asks for."""
        by_datum = mass_by_datum(problem)
        asked = np.full((len(by_datum), *room.shape), -np.inf)
        np.divide(room[None, :, :], by_datum[:, :, None], out=asked, where=by_datum[:, :, None] > 0)
        return _scaled(np.clip(asked.max(axis=1), -LARGEST_LOGARITHM, LARGEST_LOGARITHM), by_datum.sum(axis=1))


def _scaled(logs: Array, of_data: Array) -> Array:
    """Return ``ln w`` less its ``ln(P . w)`` for each column."""
    highest = logs.max(axis=0)
    return np.asarray(logs - highest - np.log(of_data @ np.exp(logs - highest)))


def _moved(columns: Array, problem: Problem) -> Array:
    """Return ``j_x - e_x``, from what the entries of a column do not share: the rest is the same in both."""
    moved = joint(_unshared(columns, problem), problem)
    return np.asarray(moved - np.outer(masses(problem), moved.sum(axis=0)))


def _unshared(columns: Array, problem: Problem) -> Array:
    """Return the columns less what the entries of each share."""
    return unshared(columns, problem.required_prior)[1]


def _lift(both: Array, expected: Array) -> Array:
    """Return ``Pr(y | datum) / Pr(y)``, at least LEAST_LIFT, shape (data, m); 1 for a column of zeros."""
    ratios = np.divide(both, expected, out=np.ones_like(both), where=both.sum(axis=0) > 0)
    return np.maximum(ratios, LEAST_LIFT)
