"""Sets of inputs where columns satisfy LDP on one of several blocks of inputs, or reveal an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.notions import LDP, Notion
from mechdesign.objectives import Separable
from mechdesign.objectives.decisions import shares
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.subdivision import Excess
from mechdesign.solve.pricing.subset_relaxation import Indices
from mechdesign.solve.pricing.subset_utility import RELAXATIONS
from mechdesign.solve.pricing.subsets_of_inputs import MOST_NODES, subset_price


@dataclass(frozen=True)
class Block:
    """Inputs on which columns satisfy LDP, being 0 elsewhere: the problem of these inputs alone, and their mass."""

    inputs: Indices
    problem: Problem
    mass: float
    #: For each input b of ``mu(v) = mass mu'(v) + b . v``, with ``mu'`` the utility in the problem of the block.
    shift: Array

    @classmethod
    def of(cls, inputs: Sequence[int], objective: Separable, problem: Problem) -> Block:
        """Return the block of `inputs`."""
        kept = np.array(inputs, dtype=np.intp)
        prior = shares(problem)[kept]
        mass = float(prior.sum())
        conditional = prior / mass
        return cls(kept, Problem(prior=conditional), mass, RELAXATIONS[type(objective)].shift(mass) * conditional)

    def multipliers(self, lam: Array) -> Array:
        """Return the multipliers of the block's own problem, shape (k,), from those for all inputs, shape (n,)."""
        return np.asarray((lam[self.inputs] - self.shift) / self.mass)

    def of_all(self, own: Array) -> Array:
        """Return the multipliers of the block's inputs in the whole problem, shape (k,), from its own."""
        return np.asarray(self.mass * own + self.shift)


def price_on_blocks(
    notion: Notion, objective: Separable, problem: Problem, lam: Array, tolerance: float, most_nodes: int = MOST_NODES
) -> Excess:
    """Bound ``(mu(v) - lam . v) / (c . v)`` over the columns of the notion; return columns on which it is large, too.

    Parameters
    ----------
    lam : ndarray, shape (n,)
        Any multipliers of the inputs.
    tolerance : float
        How much a search may stop early; it is inside the bound.
    most_nodes : int
        Nodes of branch and bound that are open at once: beyond them the bound is less tight.
    """
    known = notion.columns(problem).ratio_in_blocks
    assert known is not None, "is_of_subsets() asks for it"
    epsilon, blocks = known
    alone = [block[0] for block in blocks if len(block) == 1]
    found = [revealed_excess(notion, objective, problem, lam, [*notion.columns(problem).revealed, *alone])]
    if len(blocks) == 1:
        found.append(subset_price(LDP(epsilon), objective, problem, lam, tolerance, most_nodes))
    else:
        several = (inputs for inputs in blocks if len(inputs) > 1)
        found += [_in_block(epsilon, inputs, objective, problem, lam, tolerance) for inputs in several]
    columns = np.hstack([each.columns for each in found])
    mass = notion.columns(problem).normal @ columns
    return Excess(max(each.bound for each in found), max(each.size for each in found), columns / mass)


def revealed_excess(
    notion: Notion, objective: Separable, problem: Problem, lam: Array, inputs: Sequence[int]
) -> Excess:
    """Return the largest excess of a column that reveals one of `inputs`, -inf where there are none, and the columns.

    `lam` are any multipliers of the inputs, shape (n,).
    """
    kept = np.array(inputs, dtype=np.intp)
    if not len(kept):
        return Excess(-np.inf, 0.0, np.zeros((problem.n, 0)))
    units = np.eye(problem.n)[:, kept]
    mass = notion.columns(problem).normal[kept]
    excess = (objective.column_utility(units, problem) - lam[kept]) / mass
    size = (objective.magnitude(units, problem) + np.abs(lam[kept])) / mass
    return Excess(float(excess.max()), float(size.max()), units)


def _in_block(
    epsilon: float, inputs: Sequence[int], objective: Separable, problem: Problem, lam: Array, tolerance: float
) -> Excess:
    """Return the bound on the excess of the columns of a block, and columns on which it is large."""
    block = Block.of(inputs, objective, problem)
    # The slice of all inputs is uniform, as is that of the block.
    factor = block.mass * problem.n / len(inputs)
    own = block.multipliers(lam)
    found = subset_price(LDP(epsilon), objective, block.problem, own, tolerance / factor)
    size = found.size + float((np.abs(lam[block.inputs]) + np.abs(block.shift)).sum()) / block.mass
    rounding = rounding_unit(problem.n) * (abs(found.bound) + size)
    return Excess(factor * (found.bound + rounding), factor * size, np.eye(problem.n)[:, block.inputs] @ found.columns)
