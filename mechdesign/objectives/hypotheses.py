"""Base class of divergences and error exponents: two distributions over the inputs, to be distinguished by outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from mechdesign.exact import integers
from mechdesign.objectives.base import Objective, Sense
from mechdesign.objectives.near_one import unshared
from mechdesign.parameters import Distribution
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


class Hypotheses(Objective):
    """An objective of ``first`` and ``second``, distributions over the inputs, maximised; a subclass holds both."""

    sense: ClassVar[Sense] = "maximise"

    first: Array
    second: Array
    domains = {"first": Distribution(), "second": Distribution()}
    axes = {"first": ("inputs",), "second": ("inputs",)}

    def check_together(self) -> None:
        """Refuse distributions over other numbers of inputs."""
        domains.vector("second", self.second, len(self.first))

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield a distribution over one input more."""
        for name in ("first", "second"):
            yield f"a longer {name}", {name: [*getattr(self, name), 0.0]}

    def check(self, problem: Problem) -> None:
        """Refuse vectors of another length than the mechanism has inputs."""
        super().check(problem)
        domains.vector("first", self.first, problem.n)

    def pair(self, columns: Array) -> tuple[Array, Array]:
        """Return the probability of each output under both hypotheses, ``first . q_y`` and ``second . q_y``."""
        Q = np.asarray(columns, dtype=float)
        return self.first @ Q / total(self.first.tobytes()), self.second @ Q / total(self.second.tobytes())

    @property
    def difference(self) -> Array:
        """``first - second``, both normalised: each entry is rounded once."""
        return exact_difference(self.first.tobytes(), self.second.tobytes())

    def apart(self, columns: Array) -> Array:
        """Return ``(first - second) . q_y``, which keeps its digits when the two probabilities are nearly equal."""
        difference = self.difference
        # The difference adds up to 0: what all entries of a column share counts for nothing.
        return np.asarray(difference @ unshared(np.asarray(columns, dtype=float), np.abs(difference))[1])

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of `first` and `second` themselves, infinite where it is."""
        return self.value(np.eye(problem.n), problem)


@lru_cache(maxsize=128)
def total(vector: bytes) -> float:
    """Return the sum of a vector of floats, rounded once."""
    return math.fsum(np.frombuffer(vector))


@lru_cache(maxsize=64)
def exact_difference(first: bytes, second: bytes) -> Array:
    """Return the difference of two vectors of floats, each over its exact sum, correctly rounded and read-only."""
    p, s = (integers(np.frombuffer(given)) for given in (first, second))
    sums = sum(p), sum(s)
    return domains.frozen([(x * sums[1] - y * sums[0]) / (sums[0] * sums[1]) for x, y in zip(p, s, strict=True)])
