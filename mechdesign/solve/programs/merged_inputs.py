"""Inputs that a program cannot distinguish are one: merged before it is solved, and split again after.

Under a band two inputs whose gains are in one proportion ``w_x : w_x'`` for every decision can be given the mean of
their rows, weighted by w: it gains as much, and lies between them. Where the band's middle is the mass, the mean has
the same mass only if w is the prior's share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.notions import Cone
from mechdesign.parameters.checks import Array

#: Gains of two inputs are one where they agree to so many decimals of the largest.
DECIMALS = 13
#: Sums of numbers up to 4 in size that are the same differ by no more than this for each number.
ROUNDING_OF_SUMS = 1e-14


@dataclass(frozen=True)
class Alike:
    """Which inputs are one, and the cone over those that are left."""

    #: The number of each input's group, shape (n,), and its share of the group's weight.
    group: npt.NDArray[np.intp]
    share: Array
    cone: Cone

    def merged(self, gains: Array) -> Array:
        """Return the gains of the groups, shape (decisions, groups)."""
        total = np.zeros((len(self.cone.on_column[0]), len(gains)))
        np.add.at(total, self.group, gains.T)
        return np.asarray(total.T)

    def split(self, columns: Array, rows: Array) -> tuple[Array, Array]:
        """Return each input's row of the columns, shape (n, m), and its share of its group's multiplier, shape (n,)."""
        return columns[self.group], rows[self.group] * self.share


def alike(cone: Cone, gains: Array) -> Alike | None:
    """Return the groups of inputs whose gains, shape (decisions, n), are in proportion; None where all differ."""
    band = cone.band_of_inputs
    if band is None or not gains.any():
        return None
    largest = np.abs(gains).max(axis=0)
    # An input that gains nothing by any decision has any weight.
    weight = np.where(largest > 0, largest, 1.0) if band.middle is None else band.middle
    keys = gains / weight
    keys = np.round(keys / np.abs(keys).max(), DECIMALS) + 0.0
    if _all_differ(keys):
        return None
    _, group = np.unique(keys, axis=1, return_inverse=True)
    group = group.ravel()
    count = int(group.max()) + 1
    if count == gains.shape[1]:
        return None
    total = np.bincount(group, weight).astype(float)
    middle = None if band.middle is None else total
    return Alike(group, weight / total[group], Cone.band(np.eye(count), band.low, band.high, middle))


def _all_differ(keys: Array) -> bool:
    """Return, nearly always, whether no two columns are equal: by one sum of each, which equal columns share."""
    shares = np.linspace(1.0, 2.0, len(keys)) ** 2
    sums = np.sort(shares @ keys)
    return bool(np.all(np.diff(sums) > ROUNDING_OF_SUMS * len(keys)))
