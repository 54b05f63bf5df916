"""Columns whose entries of one block have ratios up to ``e^epsilon``, and are zero in all other blocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Cone, Rays, Support, raised, rounding_unit, subset_count
from mechdesign.columns.dual import Shown, ratio_rows
from mechdesign.columns.shape import Shape
from mechdesign.exact import Fractions, Integers, exp_above, exp_below, exp_down
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT, RAY_LIMIT

#: More than what a smaller e^-epsilon misses where it is no float.
FAINT = 1e-300


@dataclass(frozen=True, eq=False)
class RatioInBlocks(Shape):
    """Vectors with ``v_s <= e^epsilon v_s'`` for all s, s' of one block.

    The cone is the product of the blocks' cones: the extreme rays live in one block, and are
    ``1 + (e^epsilon - 1) 1_S`` for the sets S of its entries.

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    blocks : tuple of sequences of int
        Disjoint, and of all entries.
    also_revealed : tuple of int
        Entries for which a column ``c e_x`` is allowed besides.
    """

    epsilon: float
    blocks: tuple[Sequence[int], ...]
    also_revealed: tuple[int, ...] = ()

    @classmethod
    def of_all(cls, n: int, epsilon: float, also_revealed: tuple[int, ...] = ()) -> RatioInBlocks:
        """Return the vectors of n entries all of whose ratios are bounded."""
        # No list of them: the inputs may be millions.
        return cls(n, epsilon, (range(n),), also_revealed)

    @property
    def banded(self) -> bool:
        """Whether all entries are in one block, and nothing is revealed."""
        return len(self.blocks) == 1 and not self.also_revealed

    @property
    def ratio_in_blocks(self) -> tuple[float, tuple[Sequence[int], ...]]:
        """Epsilon and the blocks."""
        return self.epsilon, self.blocks

    @property
    def revealed(self) -> tuple[int, ...]:
        """The entries that may be revealed."""
        return self.also_revealed

    def cone_of(self, seen: Array) -> Cone:
        """Return ``e^-epsilon t_b <= v_s <= t_b`` for the entries s of each block b of two or more."""
        low = exp_down(-min(self.epsilon, LARGEST_EXPONENT))
        if len(self.blocks) == 1:
            # Two rows an entry, not all pairs.
            band = Cone.band(seen, low, 1.0)
            return replace(band, band_of_inputs=None) if self.also_revealed else band
        joined = [block for block in self.blocks if len(block) > 1]
        members = [s for block in joined for s in block]
        of_block = np.repeat(np.eye(len(joined)), [len(block) for block in joined], axis=0)
        # t is the largest entry of v in the block, and that is at most n on the slice.
        rows = np.vstack([seen[members], -seen[members]])
        return Cone(rows, np.vstack([-low * of_block, of_block]), float(seen.shape[1]))

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_]:
        """Return for each functional whether its part on every block is nonnegative, and at what is revealed."""
        each = [within_ratio(functionals[:, list(block)], self.epsilon) for block in self.blocks]
        each += [(functionals[:, x] >= 0).astype(bool) for x in self.also_revealed]
        return np.asarray(np.all(each, axis=0))

    def exact_rows(self) -> Fractions:
        """Return ``e^epsilon v_j - v_i`` for each ordered pair within a block."""
        return rows_within(self.epsilon, self.n, self.blocks)

    def ray_count(self) -> float:
        """Return the sum of ``2^k`` over the blocks' sizes k, or 1 if all entries are one block and equal."""
        if len(self.blocks) == 1 and self.epsilon == 0:
            return 1.0
        return sum(subset_count(len(block)) for block in self.blocks)

    def rays(self) -> Rays | None:
        """Return ``e^-epsilon + (1 - e^-epsilon) 1_S`` for every S of a block but the empty and the full one."""
        if self.ray_count() > RAY_LIMIT:
            return None
        columns = []
        for block in self.blocks:
            inside = _rays(len(block), self.epsilon)
            padded = np.zeros((self.n, inside.shape[1]))
            padded[list(block)] = inside
            columns.append(padded)
        every = np.hstack(columns)
        return Rays(every, np.zeros((0, every.shape[1])))

    def support(self, functionals: Array, nu: Array) -> Support:
        """Return the largest of the blocks' support functions: a ray lives in one block."""
        if len(self.blocks) == 1:
            return _support(functionals, self.epsilon)
        values, rounding = np.full(len(functionals), -np.inf), np.zeros(len(functionals))
        columns = np.zeros((self.n, len(functionals)))
        for block in self.blocks:
            inside = _support(functionals[:, list(block)], self.epsilon)
            # A block of k entries has k/n of the mass that it would have alone.
            scale = self.n / len(block)
            blur = scale * (inside.rounding + 4.0 * np.finfo(float).eps * np.abs(inside.values))
            own = scale * inside.values + blur
            better = own > values
            values, rounding = np.where(better, own, values), np.maximum(rounding, blur)
            padded = np.zeros_like(columns)
            padded[list(block)] = scale * inside.columns
            columns = np.where(better, padded, columns)
        return Support(values, columns, rounding)

    def measured(self, seen: Integers) -> tuple[list[tuple[Integers, Integers]], npt.NDArray[np.bool_]]:
        """Return the largest and smallest entry of each block, and which columns reveal an entry."""
        parts = [seen if len(self.blocks) == 1 else seen[list(block)] for block in self.blocks if len(block) > 1]
        ends = [(part.max(axis=0).astype(object), part.min(axis=0).astype(object)) for part in parts]
        positive, kept = np.asarray(seen > 0), np.ones(self.n, dtype=bool)
        kept[list(self.also_revealed)] = False
        return ends, (positive.sum(axis=0) == 1) & ~positive[kept].any(axis=0)

    def allows(self, measured: Any) -> npt.NDArray[np.bool_]:
        """Return for each column whether entries of one block have ratios of at most ``e^epsilon``, rounded down."""
        ratio, (ends, revealing) = exp_below(self.epsilon), measured
        found = np.ones(len(revealing), dtype=bool)
        for high, low in ends:
            found &= (high * ratio.denominator <= low * ratio.numerator).astype(bool)
        return found | revealing if self.also_revealed else found


def _rays(n: int, epsilon: float) -> Array:
    """Return ``e^-epsilon + (1 - e^-epsilon) 1_S`` for every S that is neither empty nor everything."""
    if epsilon == 0 or n == 1:
        return np.ones((n, 1))
    sets = np.arange(1, 2**n - 1)
    member = (sets[None, :] >> np.arange(n)[:, None]) & 1
    return np.where(member == 1, 1.0, math.exp(-epsilon))


def _support(functionals: Array, epsilon: float) -> Support:
    """Return ``max_S (sum h + (e^epsilon - 1) h(S)) / mass``: S holds the largest ``h_x``, so sort."""
    n, low, rise = functionals.shape[1], math.exp(-epsilon), -math.expm1(-epsilon)
    each = np.arange(len(functionals))
    order = np.argsort(-functionals, axis=1, kind="stable")
    ranked = functionals[each[:, None], order]
    sizes = np.abs(ranked)
    # Scaled by e^-epsilon, so that a large epsilon does not overflow.
    gains = low * functionals.sum(axis=1, keepdims=True) + rise * ranked.cumsum(axis=1)
    terms = (low + FAINT) * sizes.sum(axis=1, keepdims=True) + rise * sizes.cumsum(axis=1)
    masses = low + rise * np.arange(1, n + 1) / n
    values, rounding = gains / masses, rounding_unit(n) * terms / masses
    best = (values + rounding).argmax(axis=1)
    rank = np.empty_like(order)
    rank[each[:, None], order] = np.arange(n)
    columns = (low + rise * (rank <= best[:, None])) / masses[best][:, None]
    return raised(values[each, best], rounding[each, best], columns.T)


def within_ratio(functionals: Integers, epsilon: float) -> npt.NDArray[np.bool_]:
    """Return for each functional whether it is at least 0 on all vectors with ratios of entries up to ``e^epsilon``."""
    most = exp_above(epsilon)
    above, below = np.maximum(functionals, 0).sum(axis=1), np.minimum(functionals, 0).sum(axis=1)
    found: npt.NDArray[np.bool_] = (above * most.denominator + below * most.numerator >= 0).astype(bool)
    return found


def rows_within(epsilon: float, count: int, blocks: Iterable[Sequence[int]]) -> Fractions:
    """Return the rows that bound the ratios of entries of one block by ``e^epsilon``."""
    most = exp_above(epsilon)
    return ratio_rows(count, ((i, j, most) for block in blocks for i, j in permutations(block, 2)))
