r"""Bound of information designs under LDP by quadratic forms that are nonnegative on the columns of two values.

For the information ``J = sum_y q_y q_y' / (theta . q_y)`` of a mechanism at frequencies theta, ``J theta = 1``. Best
mechanisms have columns of the entries 1 and ``E = e^epsilon``. So for every symmetric W with ``v' W v >= 0`` for all
such columns v,

.. math:: \operatorname{trace}(G J) \le 1' W 1, \qquad G = -(I - \theta 1') W (I - 1 \theta').

Where G is positive definite on contrasts it bounds every criterion. With reference frequencies nu, a distribution of
the inputs, ``W = z z' - diag(z)`` for ``z = (1 + sinh^2(epsilon / 2)) nu`` is such a form: ``v_x^2 = (E + 1) v_x - E``,
so that ``v' W v = (z . v - (E + 1) / 2)^2``. It is 0 for sets of the mass ``1 / (1 + E)`` under nu. Inputs with more
than that are heavy: few of them have a form B of their own beside it, and all sets of them are looked at.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.single_inputs import LARGEST, SinglesForm

Indices = npt.NDArray[np.intp]
#: Levels between which the fourth power of ``e^epsilon - 1`` is a float.
LEAST_LEVEL, LARGEST_LEVEL = 1e-60, 150.0
#: Heavy inputs at most: all of their sets are listed.
MOST_HEAVY = 10


@dataclass(frozen=True)
class ReferenceForm:
    """The form ``W = z z' - diag(z) + B`` of ``z = (1 + beyond) nu``.

    Attributes
    ----------
    nu : ndarray, shape (n,)
        Reference frequencies, which add up to 1.
    beyond : float
        Above -1; ``sinh^2(epsilon / 2)`` without heavy inputs.
    heavy : ndarray of int, shape (h,)
        Inputs.
    extra : ndarray, shape (h, h)
        B, symmetric, of these inputs.
    """

    nu: Array
    beyond: float
    heavy: Indices
    extra: Array

    @property
    def z(self) -> Array:
        """The reference frequencies and what they have beyond 1."""
        return (1.0 + self.beyond) * self.nu

    def matrix(self) -> Array:
        """Return W, shape (n, n)."""
        found = np.outer(self.z, self.z) - np.diag(self.z)
        found[np.ix_(self.heavy, self.heavy)] += self.extra
        return found

    @property
    def sums(self) -> Array:
        """``W 1``, without the cancellation of z z' and diag(z)."""
        found = self.beyond * self.z
        found[self.heavy] += self.extra.sum(axis=1)
        return found

    @property
    def sizes(self) -> tuple[Array, Array]:
        """The sizes of what W and ``W 1`` are added up from, shapes (n, n) and (n,)."""
        entries, sums = np.outer(self.z, self.z) + np.diag(self.z), np.abs(self.beyond) * self.z
        entries[np.ix_(self.heavy, self.heavy)] += np.abs(self.extra)
        sums[self.heavy] += np.abs(self.extra).sum(axis=1)
        return entries, sums

    @property
    def total(self) -> float:
        """``1' W 1``."""
        return math.fsum([self.beyond * (1.0 + self.beyond), *self.extra.ravel()])

    @property
    def size_of_total(self) -> float:
        """The size of what the total is added up from."""
        return abs(self.beyond) + self.beyond**2 + float(np.abs(self.extra).sum())

    def least(self, epsilon: float) -> float:
        """Return a number below ``v' W v`` for all columns v, 0 at most.

        Of each set of heavy inputs by itself: of the others some are in the set, or none. Their sums of z are then any
        numbers between those of the smallest and of all.
        """
        raised = math.expm1(epsilon)
        z, middle = self.z, 0.5 * raised + 1.0
        light = np.delete(z, self.heavy)
        sets = 1.0 + raised * np.array(list(itertools.product((0.0, 1.0), repeat=len(self.heavy))))
        low = sets @ z[self.heavy] + float(light.sum())
        form = np.einsum("sh,hk,sk->s", sets, self.extra, sets)
        fixed = (raised + 1.0) * self.beyond - (0.5 * raised) ** 2
        apart = np.abs(low - middle)
        if len(light):
            some = np.maximum(low + raised * float(light.min()), np.minimum(middle, low + raised * float(light.sum())))
            apart = np.minimum(apart, np.abs(some - middle))
        units = 4.0 * rounding_unit(len(z) + len(self.heavy) ** 2)
        size = (raised + 1.0) * abs(self.beyond) + (0.5 * raised) ** 2
        size = size + np.einsum("sh,hk,sk->s", sets, np.abs(self.extra), sets) + apart * (apart + middle + low)
        return min(0.0, float((apart**2 + form + fixed - units * size).min()))

    def packed(self) -> Array:
        """Return one array, shape (h + 1, n + 1): nu and what is beyond, and a row of B for each heavy input."""
        found = np.zeros((len(self.heavy) + 1, len(self.nu) + 1))
        found[0] = np.append(self.nu, self.beyond)
        found[1:, self.heavy] = self.extra
        return found

    @classmethod
    def unpacked(cls, given: Array | None, theta: Array) -> ReferenceForm | None:
        """Return what `packed` was made from, at frequencies theta; None where the array has another shape."""
        n = len(theta)
        if given is None or np.ndim(given) != 2 or np.shape(given)[1] != n + 1:
            return None
        count = len(given) - 1
        if not 0 <= count <= min(MOST_HEAVY, n) or not np.all(np.abs(given) < LARGEST):
            return None
        nu, heavy = np.asarray(given[0, :n], dtype=float), heaviest(theta, count)
        if nu.min() < 0 or not nu.max() > 0 or not given[0, n] > -1:
            return None
        extra = np.asarray(given[1:, heavy], dtype=float).reshape(count, count)
        return cls(nu / math.fsum(nu), float(given[0, n]), heavy, 0.5 * (extra + extra.T))


def heaviest(theta: Array, count: int) -> Indices:
    """Return the most frequent inputs, shape (count,)."""
    return np.argsort(-theta, kind="stable")[:count]


def of_reference(nu: Array, epsilon: float) -> ReferenceForm:
    """Return the form of reference frequencies alone, shape (n,).

    Examples
    --------
    >>> even = of_reference(np.array([0.5, 0.5]), 1.0)
    >>> even.least(1.0) > -1e-14, round(even.total, 6)
    (True, 0.345274)
    """
    beyond = math.sinh(0.5 * max(min(epsilon, LARGEST_LEVEL), LEAST_LEVEL)) ** 2
    return ReferenceForm(nu, beyond, np.zeros(0, dtype=np.intp), np.zeros((0, 0)))


def slope_of(form: ReferenceForm | SinglesForm, theta: Array) -> Array:
    """Return G of a form at frequencies theta, shape (n, n)."""
    across = np.outer(form.sums, theta)
    return np.asarray(across + across.T - form.total * np.outer(theta, theta) - form.matrix())


def least_by_reference(
    notion: Notion, objective: Any, problem: Problem, claimed: Array | None
) -> tuple[float, float] | None:
    """Return a lower bound on the criterion of all mechanisms under LDP, and its rounding; None under other notions.

    Parameters
    ----------
    objective : InformationDesign
        A criterion of the information about all frequencies.
    claimed : ndarray, shape (h + 1, n + 1) or (2, n), or None
        What `packed` of a `ReferenceForm` or a `SinglesForm` returned. None is returned for another shape, for
        numbers that make no form, and where G is not positive definite.
    """
    n = problem.n
    if n < 2 or not is_ldp_of_inputs(notion, problem) or not LEAST_LEVEL <= notion.epsilon <= LARGEST_LEVEL:
        return None
    theta = objective.theta_of(problem)
    form = ReferenceForm.unpacked(claimed, theta) or SinglesForm.unpacked(claimed, n)
    if form is None:
        return None
    (entries, sums), basis = form.sizes, contrasts(n)
    # No mass is below one, so what v' W v is below 0 counts once. The total is rounded by its last steps.
    most = form.total - form.least(notion.epsilon) + rounding_unit(n) * form.size_of_total
    if not 0 < most < math.inf:
        return None
    inner = basis.T @ slope_of(form, theta) @ basis
    across = np.outer(sums, theta)
    sizes = entries + across + across.T + float(sums.sum()) * np.outer(theta, theta)
    noise = 8.0 * rounding_unit(n) * float(np.linalg.norm(np.abs(basis).T @ sizes @ np.abs(basis)))
    found, further = (_least(inner - k * noise * np.eye(n - 1), most, objective, problem) for k in (1.0, 2.0))
    if found is None or further is None:
        return None
    return found, abs(found - further) + rounding_unit(n) * (abs(found) + n)


def _least(slope: Array, most: float, objective: Any, problem: Problem) -> float | None:
    """Return the least value of any M with ``trace(B M) <= most``; None where B is not positive definite."""
    try:
        return float(objective.least_value(0.5 * (slope + slope.T), most, problem))
    except np.linalg.LinAlgError:
        return None
