"""Columns within ``e^epsilon`` of their mass under every prior of a set: what boxes and balls of priors share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.columns.shape import Shape
from mechdesign.exact import Integers, exp_below
from mechdesign.parameters.checks import Array

#: Secrets up to which rays are enumerated: the cone then has a row for each vertex of the set that may bind.
MOST_SECRETS = 5


@dataclass(frozen=True, eq=False)
class PriorSet(Shape):
    """Vectors with ``-epsilon <= ln(v_s / pi . v) <= epsilon`` for each s and every distribution pi of a set.

    A subclass says which set, and bounds the masses over it.

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    """

    epsilon: float

    @abstractmethod
    def has_prior(self, prior: Integers) -> bool:
        """Return whether a distribution, in a common unit, is one of the set, in exact arithmetic."""

    def allows(self, measured: Any) -> npt.NDArray[np.bool_]:
        """Return for each column whether its entries lie within ``e^epsilon`` of every mass, rounded down."""
        ratio, (high, low, least, most) = exp_below(self.epsilon), measured
        above = high * ratio.denominator <= least * ratio.numerator
        below = most * ratio.denominator <= low * ratio.numerator
        return np.asarray((above & below).astype(bool))


def vertices_of_least(s: int, lower: Array, span: Array, room: float) -> Array:
    """Return the vertices of the box cut with the simplex at which secret s has its least probability."""
    k = len(lower)
    others = np.delete(np.arange(k), s)
    forced = max(room - float(span[others].sum()), 0.0)
    left_over, sizes = room - forced, span[others]
    if k == 1 or left_over <= 0:
        prior = lower.copy()
        prior[s] += forced
        return prior[None, :]
    member = ((np.arange(2 ** (k - 1))[None, :] >> np.arange(k - 1)[:, None]) & 1).astype(float)
    left = left_over - sizes @ member
    tiny = 1e-14 * (1.0 + room)
    part, full = np.nonzero((left >= -tiny) & (left <= sizes[:, None] + tiny) & (member == 0))
    filled = member[:, full] * sizes[:, None]
    filled[part, np.arange(len(part))] = np.clip(left[full], 0.0, sizes[part])
    priors = np.tile(lower, (len(part), 1))
    priors[:, others] += filled.T
    priors[:, s] += forced
    return priors[np.sort(np.unique(np.round(priors, 14), axis=0, return_index=True)[1])]


def least_mass(values: Any, order: Any, lower: Any, span: Any, room: Any) -> Any:
    """Return ``pi . v`` of each column where the box is filled in `order`: exact for integers."""
    ranked, sizes = np.take_along_axis(values, order, axis=0), span[order]
    before = sizes.cumsum(axis=0) - sizes
    filled = np.minimum(np.maximum(room - before, 0), sizes)
    return lower @ values + (filled * ranked).sum(axis=0)
