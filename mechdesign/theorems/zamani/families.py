"""The settings that are drawn: an invertible leakage, a distribution of the data, and epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Condition
from mechdesign.theorems.family import Point
from mechdesign.theorems.variables import Channel, Distribution, Real, Sizes, Whole
from mechdesign.theorems.zamani.setting import Setting


@dataclass(frozen=True)
class Leakage(Channel):
    """Invertible ``P_{X|Y}`` with one distribution over the secret in each row, clear of singular ones."""

    rows: int | str = "K"
    columns: int | str = "K"
    #: The smallest singular value is at least this.
    clear: float = 0.05
    #: Further matrices to try as corners, of any size.
    further: tuple[tuple[tuple[float, ...], ...], ...] = ()

    def draw(self, rng: np.random.Generator, known: Sizes) -> Array:
        """Return an invertible one."""
        while True:
            drawn = super().draw(rng, known)
            if self._clear(drawn):
                return drawn

    def in_words(self) -> str:
        """Return of what kind it is."""
        return f"an invertible stochastic matrix, no singular value below {self.clear:g}"

    def corners(self, known: Sizes) -> tuple[Array, ...]:
        """Return a matrix near the identity, and the further ones of this size."""
        own = super().corners(known)
        return (*own, *(np.array(rows) for rows in self.further if len(rows) == len(own[0])))

    def simpler(self, value: Array) -> Iterator[Array]:
        """Yield it with short decimals, where it stays invertible."""
        return (short for short in super().simpler(value) if self._clear(short))

    def resized(self, value: Array, known: Sizes) -> Array | None:
        """Return the first rows and columns of the matrix, or None where these are not invertible."""
        head = super().resized(value, known)
        return head if head is not None and self._clear(head) else None

    def between(self, start: Array, end: Array, share: float) -> Array:
        """Return the mixture, or the nearer end if the mixture is nearly singular."""
        mixed = super().between(start, end, share)
        if self._clear(mixed):
            return mixed
        return start if share < 0.5 else end

    def _clear(self, value: Any) -> bool:
        return bool(np.linalg.svd(np.asarray(value, dtype=float))[1][-1] >= self.clear)


#: The variables of a setting of 2 or 3 values but for epsilon; rows of `leakage` are the distributions of X given Y.
DATA = {"K": Whole(2, 3), "leakage": Leakage(), "data": Distribution("K", least=0.02)}

#: With epsilon by itself, small ones as likely as large ones.
VARIABLES = {**DATA, "epsilon": Real(0.003, 3.0, log=True)}

#: With epsilon as a share of the range of the two approaches, up to well beyond it.
BEYOND_RANGE = {**DATA, "share": Real(0.02, 30.0, log=True)}

#: A secret that the mechanism sees itself.
SECRETS = {"K": Whole(2, 4), "prior": Distribution("K", least=0.02), "mechanism": Channel("K", 3, least=0.01)}


def setting(point: Point) -> Setting:
    """Return the setting of a point with its epsilon."""
    return Setting(np.asarray(point.leakage).T, point.data, point.epsilon)


def in_first_range(point: Point) -> Setting:
    """Return the setting whose epsilon is a share of ``max(c1, c2)``."""
    made = Setting(np.asarray(point.leakage).T, point.data, 1.0)
    return made.at(point.share * made.range_first)


def in_second_range(point: Point) -> Setting:
    """Return the setting whose epsilon is a share of ``max(c1', c2')``."""
    made = Setting(np.asarray(point.leakage).T, point.data, 1.0)
    return made.at(point.share * made.range_second)


FIRST_RANGE = Condition("max(c1, c2)", "epsilon", lambda s: (s.range_first, s.epsilon))
SECOND_RANGE = Condition("max(c1', c2')", "epsilon", lambda s: (s.range_second, s.epsilon))

#: The steps of an expansion, as shares of the range: so small that one order of it is seen alone.
LADDER = 0.5 ** np.arange(4, 10)
