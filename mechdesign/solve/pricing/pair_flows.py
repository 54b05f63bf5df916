r"""The support function of columns with a budget for each ordered pair of inputs, by maximum flows between inputs.

With ``beta_xx'(q) = max(q_x - r q_x', 0)``, any flow ``0 <= b_xx' <= nu_xx'`` has

.. math:: h \cdot q - \sum_{x, x'} \nu_{xx'} \beta_{xx'}(q) \le
   \sum_x \Bigl(h_x - \sum_{x'} b_{xx'} + r \sum_{x'} b_{x'x}\Bigr) q_x ,

so that ``rho`` bounds it on the slice ``c . q = 1`` where what inputs have beyond it, ``h - rho c``, can be shipped to
inputs that have less, of which one unit takes r. A detour over a third input, which would take r squared, is not looked
for: where multipliers need it, the bound is wider than that of a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mechdesign.columns.cone import raised, rounding_unit
from mechdesign.notions import Notion, Support
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late

#: Inputs up to which the budgets' own array, of the order of n^3 numbers, takes less than anyone notices.
MOST_INPUTS = 128
#: Units of a flow that all of a supply is: flows are of integers, and leave room for sums in 32 bits.
UNITS = 2.0**29
#: Flows at most, each of what the units of the one before left.
REFINED = 3
EPS = float(np.finfo(float).eps)
#: Steps of the search for the least bound where the flow misses a part of the supply, and the share that is no miss.
STEPS, MISSED = 8, 1e-10


def has_flows(notion: Notion, problem: Problem) -> bool:
    """Return whether columns can be priced by flows: budgets of pairs, and not very many inputs."""
    return problem.n <= MOST_INPUTS and notion.columns(problem).pair_ratio is not None


def by_pairs(nu: Array, n: int) -> Array:
    """Return the multipliers of the pairs as a matrix, shape (n, n), with zeros on its diagonal."""
    found = np.zeros((n, n))
    found[~np.eye(n, dtype=bool)] = nu
    return found


def pairs_of(matrix: Array) -> Array:
    """Return the multipliers of the pairs from a matrix, in the notion's order, shape (n (n - 1),)."""
    return np.asarray(matrix[~np.eye(len(matrix), dtype=bool)])


@dataclass(frozen=True)
class PairFlows:
    """Flows between inputs: how much of ``q_x - r q_x'`` may be used of each pair, shape (n, n)."""

    ratio: float
    most: Array

    @classmethod
    def of(cls, notion: Notion, problem: Problem, nu: Array) -> Self:
        """Return the flows that the multipliers of the pairs allow, nu of shape (n (n - 1),)."""
        ratio = notion.columns(problem).pair_ratio
        assert ratio is not None, "has_flows() was asked first"
        return cls(ratio, by_pairs(nu, problem.n))

    def support(self, functionals: Array, normal: Array) -> Support:
        """Return at least the largest ``h . q - nu . beta(q)`` on the slice for each row h.

        Parameters
        ----------
        functionals : ndarray, shape (count, n)
        normal : ndarray, shape (n,)
            c of the slice, positive.
        """
        # Late, no flow is asked for: the bound without one is sound.
        found, in_time = [], bool(self.most.any())
        for functional in functionals:
            best = self._beyond(functional, normal, np.zeros_like(self.most))
            if best[0] > 0.0 and in_time:
                in_time = not is_late()
                best = min(best, self._beyond(functional, normal, self.shipped(functional))) if in_time else best
            found.append(best)
        largest = -np.inf
        for index in sorted(range(len(found)), key=lambda index: -found[index][0]):
            if found[index][0] > largest:
                found[index] = self._closer(functionals[index], normal, found[index])
                largest = max(largest, found[index][0])
        values, rounding, places = (np.array(part) for part in zip(*found, strict=True))
        return raised(values, rounding, np.eye(len(normal))[:, places] / normal[places])

    def _closer(self, functional: Array, normal: Array, best: tuple[float, float, int]) -> tuple[float, float, int]:
        """Return the least bound of a few flows, between what they miss and what is enough."""
        missed = MISSED * float(np.abs(functional / normal).max())
        low, high = 0.0, best[0]
        for _ in range(STEPS * self.most.any()):
            if high - low <= missed or is_late():
                break
            middle = 0.5 * (low + high)
            found = self._beyond(functional, normal, self.shipped(functional - middle * normal))
            best = min(best, found)
            low, high = (low, min(middle, best[0])) if found[0] - middle <= missed else (middle, min(high, best[0]))
        return best

    def _beyond(self, functional: Array, normal: Array, flow: Array) -> tuple[float, float, int]:
        """Return what a flow leaves of the functional, a share of the mass, its rounding, and the input with most."""
        sent, taken = flow.sum(axis=1), self.ratio * flow.sum(axis=0)
        left = (functional - sent + taken) / normal
        rounding = rounding_unit(2 * len(normal)) * (np.abs(functional) + sent + taken) / normal
        place = int((left + rounding).argmax())
        return float(left[place]), float(rounding[place]), place

    def shipped(self, functional: Array) -> Array:
        """Return a flow from the inputs where the functional is positive to those where it is negative, shape (n, n).

        As much as can be: a maximum flow in integers, and then what their rounding left.
        """
        flow = np.zeros_like(self.most)
        sources, sinks = np.flatnonzero(functional > 0), np.flatnonzero(functional < 0)
        if not len(sources) or not len(sinks):
            return flow
        supply, room = functional[sources], -functional[sinks] / self.ratio
        most = self.most[np.ix_(sources, sinks)]
        found = np.zeros_like(most)
        for _ in range(REFINED):
            left, open_ = supply - found.sum(axis=1), room - found.sum(axis=0)
            if float(left.max()) <= EPS * float(supply.max()):
                break
            more = _maximum_flow(left, open_, most - found, found)
            if not more.any():
                break
            found = np.clip(found + more, 0.0, most)
        flow[np.ix_(sources, sinks)] = found
        return flow


def _maximum_flow(supply: Array, room: Array, forth: Array, back: Array) -> Array:
    """Return how much more each source sends to each sink, at most `forth`, or, less than 0, `back` less.

    Parameters
    ----------
    supply : ndarray, shape (sources,)
    room : ndarray, shape (sinks,)
    forth, back : ndarray, shape (sources, sinks)
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    sources, sinks = forth.shape
    supply = np.maximum(supply, 0.0)
    unit = float(supply.sum()) / UNITS
    # From the first node to the sources, to and fro between these and the sinks, from these to the last node.
    returned = np.hstack([back.T, np.maximum(room, 0.0)[:, None]])
    capacities = np.concatenate([supply, np.maximum(forth, 0.0).ravel(), returned.ravel()])
    units = np.minimum(capacities / unit, UNITS).astype(np.int32)
    first, last = np.arange(1, sources + 1), np.arange(sources + 1, sources + sinks + 1)
    heads = [first, np.tile(last, sources), np.tile(np.append(first, sources + sinks + 1), sinks)]
    counts = np.concatenate([[sources], np.full(sources, sinks), np.full(sinks, sources + 1), [0]])
    starts = np.concatenate([[0], np.cumsum(counts)])
    arcs = csr_array((units, np.concatenate(heads).astype(np.int32), starts.astype(np.int32)), shape=(len(counts),) * 2)
    found = maximum_flow(arcs, 0, len(counts) - 1).flow.toarray()
    return np.asarray(found[1 : sources + 1, sources + 1 : -1] * unit)
