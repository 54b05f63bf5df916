"""The setting X - Y - U: a hidden secret X, data Y that the mechanism sees, its output U; boxes, bounds and optima.

What an output u says of the secret is ``P_{X|U=u} = P_X + epsilon J_u``. A box bounds ``J_u / P_X`` from below and
above. What is maximised is a mean over outputs of a convex function of J_u, so that vertices of the box with the best
weights of mean zero are optimal; both are enumerated from the definition.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mechdesign.notions import LIP, Notion
from mechdesign.objectives import MutualInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.zamani.vertices import SLACK, best_mixture, divergence, extreme_points


class Box(NamedTuple):
    """``low <= J_u / P_X <= high``."""

    low: float
    high: float


def first(epsilon: float) -> Box:
    """Return the first approach's box, (10): a stronger criterion than LIP."""
    return Box(-1.0 / (1.0 + epsilon), 1.0)


def second(epsilon: float) -> Box:
    """Return the second approach's box, (9): LIP itself."""
    return Box(float(np.expm1(-epsilon)) / epsilon, float(np.expm1(epsilon)) / epsilon)


class Mixture(NamedTuple):
    """The best outputs: their weights, what each says of the data (columns ``P_{Y|U=u}``), and the value."""

    weights: Array
    posteriors: Array
    value: float


@dataclass(frozen=True, eq=False)
class Setting:
    """The leakage ``R[x, y] = P_{X|Y}(x | y)``, the distribution of the data, and epsilon."""

    leakage: Array
    data_prior: Array
    epsilon: float

    @property
    def size(self) -> int:
        """Number of secrets, and of data."""
        return len(self.data_prior)

    def at(self, epsilon: float) -> Setting:
        """Return a setting with this leakage and distribution of the data, at another epsilon."""
        return Setting(self.leakage, self.data_prior, epsilon)

    @cached_property
    def secret_prior(self) -> Array:
        """``P_X = R P_Y``."""
        return np.asarray(self.leakage @ self.data_prior)

    @cached_property
    def inverse(self) -> Array:
        """``alpha = R^{-1}``."""
        return np.asarray(np.linalg.inv(self.leakage))

    @cached_property
    def W(self) -> Array:  # noqa: N802 # as in the paper
        """``[sqrt P_Y]^{-1} R^{-1} [sqrt P_X]``."""
        return np.asarray(self.inverse * np.sqrt(self.secret_prior) / np.sqrt(self.data_prior)[:, None])

    @cached_property
    def _across(self) -> tuple[Array, Array]:
        """Singular values and right singular vectors of W on the complement of ``sqrt P_X``, the largest first."""
        root = np.sqrt(self.secret_prior)
        # The complement's basis first: where several singular values are 1, W does not single out sqrt P_X.
        basis = np.linalg.svd(root[None, :])[2][1:]
        _, values, vectors = np.linalg.svd(self.W @ basis.T)
        return values, vectors @ basis

    @property
    def sigma(self) -> float:
        """The largest singular value of W; orthogonal to ``sqrt P_X`` where it is 1."""
        return float(self._across[0][0])

    @cached_property
    def L(self) -> Array:  # noqa: N802 # as in the paper
        """``L*``, the right singular vector of sigma with norm one; its first part that is not 0 is positive."""
        vector = self._across[1][0]
        return np.asarray(vector * np.sign(vector[np.argmax(np.abs(vector) > SLACK)]))

    @cached_property
    def c1(self) -> float:
        """``min P_Y / max_i sum_j |alpha_ij| P_X(j)``."""
        return float(self.data_prior.min() / (np.abs(self.inverse) @ self.secret_prior).max())

    @cached_property
    def c2(self) -> float:
        """``sigma_min(R) min P_Y``."""
        return float(np.linalg.svd(self.leakage)[1][-1] * self.data_prior.min())

    @property
    def range_first(self) -> float:
        """``max(c1, c2)``, the end of the first approach's range of epsilon."""
        return max(self.c1, self.c2)

    @property
    def range_second(self) -> float:
        """``max(c1', c2')`` with ``c' = ln(1 + c)``, the end of the second approach's."""
        return float(np.log1p(self.range_first))

    def problem(self) -> Problem:
        """Return the data with the secret hidden behind it."""
        return Problem(prior=self.data_prior).hidden(secret_given_data=self.leakage)

    def question(self, notion: Notion | None = None) -> Question:
        """Return problem (1), the largest ``I(U; Y)`` under LIP, or under another notion."""
        return Question(self.problem(), notion or LIP(self.epsilon), MutualInformation())

    def scale(self, box: Box, direction: Array) -> float:
        """Return the largest factor with which ``direction``, in the coordinates of L, stays in the box."""
        ratios = direction / np.sqrt(self.secret_prior)
        met = np.abs(ratios) > SLACK
        return float((np.where(ratios > 0, box.high, box.low)[met] / ratios[met]).min())

    def scales(self, box: Box) -> tuple[float, float]:
        """Return the factors of ``L*`` and ``-L*``: ``lambda_1`` and ``lambda_2``, one over the gammas."""
        return self.scale(box, self.L), self.scale(box, -self.L)

    def vertices(self, box: Box, *, possible: bool = False) -> Array:
        """Return the extreme ``J_u`` of the box as rows; if `possible`, of its part with ``P_{Y|U=u} >= 0``."""
        rows, bounds = self.facets(box, possible=possible)
        return extreme_points(rows, bounds)

    def facets(self, box: Box, *, possible: bool) -> tuple[Array, Array]:
        """Return rows and bounds with ``rows @ J <= bounds``, infinite bounds left out."""
        prior, eye = self.secret_prior, np.eye(self.size)
        rows = [eye / prior[:, None], -eye / prior[:, None]]
        bounds = [np.full(self.size, box.high), np.full(self.size, -box.low)]
        if possible:
            rows.append(-self.inverse / self.data_prior[:, None])
            bounds.append(np.full(self.size, 1.0 / self.epsilon))
        limit = np.concatenate(bounds)
        return np.concatenate(rows)[np.isfinite(limit)], limit[np.isfinite(limit)]

    def moved(self, directions: Array) -> Array:
        """Return ``P_{Y|U=u} = P_Y + epsilon R^{-1} J_u`` for each row J_u, as rows."""
        return np.asarray(self.data_prior + self.epsilon * directions @ self.inverse.T)

    def largest_change(self, box: Box) -> float:
        """Return the largest ``|epsilon R^{-1} J_u / P_Y|`` over the box: below 1, every logarithm has its series."""
        return float(np.abs(self.moved(self.vertices(box)) / self.data_prior - 1.0).max())

    def quadratic(self, box: Box) -> float:
        """Return the largest ``epsilon^2 / 2 * sum_u P_U |W L_u|^2`` over the box: P1, P2, and their like."""
        points = self.vertices(box)
        norms = (((points / np.sqrt(self.secret_prior)) @ self.W.T) ** 2).sum(axis=1)
        return 0.5 * self.epsilon**2 * best_mixture(points, norms)[1]

    @property
    def P1(self) -> float:  # noqa: N802 # as in the paper
        """The first approach's quadratic approximation, (15)."""
        return self.quadratic(first(self.epsilon))

    @property
    def P2(self) -> float:  # noqa: N802 # as in the paper
        """The second approach's, (25)."""
        return self.quadratic(second(self.epsilon))

    def optimum(self, box: Box) -> Mixture:
        """Return the largest ``I(U; Y)`` over the box, with its outputs: a weighted mean of ``D(P_{Y|U=u} | P_Y)``."""
        return self.optimum_of(self.vertices(box, possible=True))

    def optimum_of(self, points: Array) -> Mixture:
        """Return the largest ``I(U; Y)`` over the convex hull of the rows J_u."""
        found = np.maximum(self.moved(points), 0.0)
        weights, value = best_mixture(points, divergence(found, self.data_prior))
        used = weights > 0
        return Mixture(weights[used], found[used].T, value)

    def mechanism(self, weights: Array, posteriors: Array) -> Array:
        """Return the matrix ``P_{U|Y}`` of outputs with these weights and columns ``P_{Y|U=u}``."""
        return np.asarray(posteriors * weights / self.data_prior[:, None])
