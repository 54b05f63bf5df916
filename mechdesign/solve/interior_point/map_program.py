"""The program of an expected loss under metric DP, scaled: its cost, its start, and what any answer must beat.

Over inputs x and outputs y, with the cost ``c[x, y]`` of prior times loss:

    minimise ``sum c[x, y] Q[x, y]`` over stochastic Q with ``Q[x, y] <= e^(epsilon d(x, x')) Q[x', y]``.

Arrays have the output first: ``columns[y, x] = Q[x, y]``, shape (m, n). Exponents ``epsilon d`` are in nats.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array

Indices = npt.NDArray[np.intp]

#: Share of ``epsilon d`` in the exponential mechanism of the start: below a half it is strictly private.
START = 0.45
#: Larger exponents are cut here: e^-300 is as good as no constraint, and its square must not underflow.
LARGEST = 300.0
#: Slack in nats below which a constraint is nearly tight, where the median distance is at least so many nats.
NEAR, WIDE = 0.05, 1.5
#: A half, less what keeps an exponential mechanism private in spite of rounding.
HALF = 0.5 * (1.0 - 1e-9)


@dataclass(frozen=True)
class MapProgram:
    """The program after scaling: each input's least cost is 0, and their mean is 1."""

    #: Shape (m, n).
    cost: Array
    #: ``epsilon d`` and ``e^(-epsilon d)``, shape (n, n).
    exponents: Array
    factors: Array
    #: Strictly private columns, shape (m, n), and the inputs that they are centred on, shape (m,).
    start: Array
    homes: Indices
    #: Log slack of a constraint that is nearly tight.
    near: float
    #: The cost is ``offset + scale`` times the scaled one.
    scale: float
    offset: float

    @classmethod
    def of(cls, cost: Array, exponents: Array) -> MapProgram:
        """Return the scaled program of a cost, shape (n, m), and exponents that are positive off the diagonal."""
        exponents = np.minimum(exponents, LARGEST)
        least = cost.min(axis=1)
        columns = np.ascontiguousarray((cost - least[:, None]).T)
        scale = float(columns.mean()) or 1.0
        columns /= scale
        homes = _homes(columns)
        return cls(
            columns,
            exponents,
            np.exp(-exponents),
            _exponential(exponents, homes, START),
            homes,
            NEAR * min(1.0, float(np.median(exponents)) / WIDE),
            scale,
            float(least.sum()),
        )

    @cached_property
    def nearest(self) -> Indices:
        """All inputs by their exponents from each one, shape (n, n)."""
        return np.argsort(self.exponents, axis=1, kind="stable")

    @property
    def inputs(self) -> int:
        """The number n of inputs."""
        return int(self.cost.shape[1])

    @property
    def outputs(self) -> int:
        """The number m of outputs."""
        return int(self.cost.shape[0])

    def value(self, columns: Array) -> float:
        """Return the scaled cost of columns, shape (inputs, outputs)."""
        return float((self.cost * columns).sum())

    def unscaled(self, value: float) -> float:
        """Return the cost that a scaled one stands for."""
        return self.offset + self.scale * value

    def obvious(self) -> list[Array]:
        """Return private columns that no answer may be worse than: one output, and two exponential mechanisms."""
        constant = np.zeros_like(self.cost)
        constant[self.cost.sum(axis=1).argmin()] = 1.0
        return [constant, self.start, _exponential(self.exponents, self.homes, HALF)]


def _exponential(exponents: Array, homes: Indices, share: float) -> Array:
    """Return columns proportional to ``e^(-share epsilon d(x, home of y))``: private for a share of a half at most."""
    columns = np.exp(-share * exponents[homes])
    return np.asarray(columns / columns.sum(axis=0))


def _homes(columns: Array) -> Indices:
    """Return for each output the input whose cost for it is least, as a share of that input's mean cost."""
    usual = columns.mean(axis=0)
    shares = np.where(usual > 0, columns / np.where(usual > 0, usual, 1.0), np.inf)
    return np.asarray(shares.argmin(axis=1), dtype=np.intp)
