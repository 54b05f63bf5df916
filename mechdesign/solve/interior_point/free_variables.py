"""Which pairs of an input and a decision are unknowns of a program over a band: all, or those still in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.rank_one_plus_sparse import Lifted, Places

Chosen = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class EveryPair:
    """All pairs: arrays over them have shape (n, decisions)."""

    n: int
    count: int

    def at_inputs(self, of_inputs: Array) -> Array:
        """Return each pair's number of its input, of numbers of shape (n,)."""
        return of_inputs[:, None]

    def at_decisions(self, of_decisions: Array) -> Array:
        """Return each pair's number of its decision, of numbers of shape (decisions,)."""
        return of_decisions

    def over_inputs(self, of_pairs: Array) -> Array:
        """Return the sum over each decision's pairs, shape (decisions,)."""
        return np.asarray(of_pairs.sum(axis=0))

    def over_decisions(self, of_pairs: Array) -> Array:
        """Return the sum over each input's pairs, shape (n,)."""
        return np.asarray(of_pairs.sum(axis=1))

    def weighed(self, weights: Array, of_pairs: Array) -> Array:
        """Return the sum over each decision's pairs, shape (decisions,), weighted by input."""
        return np.asarray(weights @ of_pairs)

    def kept(self, matrix: Array) -> Array:
        """Return the entries of a matrix, shape (n, decisions), that belong to pairs."""
        return matrix

    def matrix(self, base: float, of_pairs: Array | float, _: float = 0.0) -> Lifted:
        """Return the matrix, shape (n, decisions), of `base` and what is added for each pair."""
        return Lifted(np.zeros(self.count), np.broadcast_to(base + of_pairs, (self.n, self.count)))


@dataclass(frozen=True)
class SomePairs:
    """The pairs where `free` is true, in one row: every input and every decision has one. Where `full` is, z is t."""

    free: Chosen
    full: Chosen

    @property
    def count(self) -> int:
        """The number of decisions."""
        return int(self.free.shape[1])

    @cached_property
    def flat(self) -> npt.NDArray[np.intp]:
        """The pairs' places in the matrix."""
        return np.flatnonzero(self.free)

    @cached_property
    def inputs(self) -> npt.NDArray[np.intp]:
        """The input of each pair, in order."""
        return self.flat // self.count

    @cached_property
    def decisions(self) -> npt.NDArray[np.intp]:
        """The decision of each pair."""
        return self.flat % self.count

    @cached_property
    def starts(self) -> npt.NDArray[np.intp]:
        """Where each input's pairs begin."""
        return np.searchsorted(self.inputs, np.arange(len(self.free)))

    def at_inputs(self, of_inputs: Array) -> Array:
        """Return each pair's number of its input, of numbers of shape (n,)."""
        return of_inputs[self.inputs]

    def at_decisions(self, of_decisions: Array) -> Array:
        """Return each pair's number of its decision, of numbers of shape (decisions,)."""
        return of_decisions[self.decisions]

    def over_inputs(self, of_pairs: Array) -> Array:
        """Return the sum over each decision's pairs, shape (decisions,)."""
        return np.bincount(self.decisions, of_pairs, self.count).astype(float, copy=False)

    def over_decisions(self, of_pairs: Array) -> Array:
        """Return the sum over each input's pairs, shape (n,)."""
        return np.add.reduceat(of_pairs, self.starts)

    def weighed(self, weights: Array, of_pairs: Array) -> Array:
        """Return the sum over each decision's pairs, shape (decisions,), weighted by input."""
        return self.over_inputs(weights[self.inputs] * of_pairs)

    def kept(self, matrix: Array) -> Array:
        """Return the entries of a matrix, shape (n, decisions), that belong to pairs."""
        return matrix.ravel()[self.flat]

    @cached_property
    def places(self) -> Places:
        """The pairs that are no zeros: unknown, or full."""
        return Places.of(self.free | self.full)

    @cached_property
    def unknown(self) -> Chosen:
        """Which of these are unknown."""
        return self.free[self.free | self.full]

    def matrix(self, base: float, of_pairs: Array | float, of_full: float = 0.0) -> Lifted:
        """Return the matrix, shape (n, decisions), of `base` and what is added for each pair, unknown or full."""
        entries = np.full(len(self.unknown), of_full)
        entries[self.unknown] = of_pairs
        return Lifted(np.full(self.count, base), entries, self.places)
