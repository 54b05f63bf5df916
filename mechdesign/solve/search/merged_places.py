"""Inputs at nearly no distance from each other, as one place of a map: their rows are equal.

A mechanism of places is one of inputs; flows between the inputs of a place, where next to nothing is lost on the
way, turn the multipliers of places into those of inputs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import Indices

#: Inputs are one place up to this distance in nats: the Newton systems of a map break down near 1e-9.
NEXT_TO_NONE = 1e-8


@dataclass(frozen=True)
class Places:
    """The place of each input, shape (n,), and an input of each place, shape (k,)."""

    of_input: Indices
    first: Indices

    @classmethod
    def of(cls, exponents: Array) -> Places:
        """Return the places of inputs, from distances in nats, shape (n, n)."""
        from scipy.sparse.csgraph import connected_components

        found = connected_components(exponents <= NEXT_TO_NONE, directed=False)[1]
        _, first, of_input = np.unique(found, return_index=True, return_inverse=True)
        return cls(of_input, first)

    def exponents(self, exponents: Array) -> Array:
        """Return the lengths of the shortest ways between places, shape (k, k)."""
        from scipy.sparse.csgraph import shortest_path

        if len(self.first) == len(self.of_input):
            return exponents
        count = len(self.first)
        nearest = np.full((count, count), np.inf)
        np.minimum.at(nearest, (self.of_input[:, None], self.of_input), exponents)
        return np.asarray(shortest_path(nearest, directed=False))

    def gains(self, gains: Array) -> Array:
        """Return the gain of each output at each place, shape (m, k), from the gain of each input, shape (m, n)."""
        return np.asarray(gains @ (self.of_input[:, None] == np.arange(len(self.first))))

    def rows(self, rows: Array) -> Array:
        """Return multipliers of inputs, shape (n,): the first input of a place has its place's."""
        found = np.zeros(len(self.of_input))
        found[self.first] = rows
        return found

    def flows(self, gains: Array, table: Array) -> Array:
        """Return flows of inputs, shape (flows, 4), from places': a place's other inputs gain by its first.

        Where a flow z is sent the multipliers gain z, and where it arrives they lose nearly as much.
        """
        between = np.column_stack([table[:, 0], self.first[table[:, 1:3].astype(np.intp)], table[:, 3]])
        others = np.setdiff1d(np.arange(len(self.of_input)), self.first)
        at_first = self.first[self.of_input[others]]
        found = [between]
        for y, gained in enumerate(gains[:, others]):
            sink, source = np.where(gained > 0, (others, at_first), (at_first, others))
            found.append(np.column_stack([np.full(len(others), float(y)), sink, source, np.abs(gained)]))
        return np.vstack(found)
