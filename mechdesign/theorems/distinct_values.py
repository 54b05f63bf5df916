"""Values of inputs that differ: what is claimed of them is not settled by ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.variables import Sizes, Vector, size_of


@dataclass(frozen=True)
class Increasing(Vector):
    """Numbers of ``[low, high]`` that increase, each by at least `apart`."""

    apart: float = 0.5

    def draw(self, rng: np.random.Generator, known: Sizes) -> Array:
        """Return increasing numbers of the range."""
        n = size_of(self.size, known)
        drawn = np.sort(rng.uniform(self.low, self.high - self.apart * (n - 1), n))
        return np.asarray(drawn + self.apart * np.arange(n))

    def in_words(self) -> str:
        """Return its range."""
        return f"increasing numbers from {self.low:g} to {self.high:g}"

    def corners(self, known: Sizes) -> tuple[Array, ...]:
        """Return evenly spread numbers, and all but the last as near to the lower end as can be."""
        n = size_of(self.size, known)
        last = self.low + self.apart * np.arange(n)
        last[-1] = self.high
        return np.asarray(np.linspace(self.low, self.high, n)), np.asarray(last)

    def simpler(self, value: Array) -> Iterator[Array]:
        """Yield the numbers with short decimals, where they still differ."""
        return (short for short in super().simpler(value) if np.diff(short).min(initial=self.apart) >= self.apart)
