"""The bound over at most m outputs: a tree of choices, each of its leaves bounded by multipliers of its own.

A region says which decisions the outputs may stand for. The tree halves regions until each is bounded well enough; its
leaves cover everything because they are rebuilt from its choices, whoever wrote these down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import rounding_unit
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion, SmoothBudget
from mechdesign.objectives import Objective, PiecewiseLinear, Ratio, RatioType
from mechdesign.objectives.base import gains_of, required_gains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.continuum_of_decisions import ratio_range
from mechdesign.solve.pricing.support import support

#: What a node of the tree says where it is a leaf.
LEAF = -1
#: Roundings of a functional's entry from its multipliers and the objective's numbers, with some room.
STEPS = 8.0
#: Functionals that are priced at once.
BATCH = 8192


@dataclass(frozen=True)
class Chosen:
    """Of finitely many decisions, those that are kept, and those that are open while fewer than m are kept."""

    kept: tuple[int, ...]
    open: tuple[int, ...]

    @property
    def allowed(self) -> list[int]:
        """The decisions that an output may stand for."""
        return sorted((*self.kept, *self.open))


@dataclass(frozen=True)
class Box:
    """Of decisions on a line, ``low[j] <= t_j <= high[j]`` for the j-th output's, in ascending order."""

    low: Array
    high: Array


@dataclass(frozen=True)
class Subsets:
    """The subsets of at most m of finitely many decisions; a choice is a decision, kept or left out."""

    objective: Objective
    problem: Problem
    count: int
    outputs: int

    @property
    def extra(self) -> int:
        """How many further multipliers a leaf has: the weights of the pieces, where the objective has pieces."""
        if isinstance(self.objective, PiecewiseLinear):
            return int(self.objective.pieces(self.problem).shape[0])
        return 0

    @property
    def root(self) -> Chosen:
        """Every decision is open."""
        return Chosen((), tuple(range(self.count)))

    def halves(self, region: Chosen, which: int, at: float) -> tuple[Chosen, Chosen]:
        """Return the region with decision `which` kept, and with it left out."""
        if which not in region.open:
            raise ValueError("a choice is of a decision that is not open")
        others = tuple(d for d in region.open if d != which)
        kept = (*region.kept, which)
        return Chosen(kept, others if len(kept) < self.outputs else ()), Chosen(region.kept, others)

    def functionals(self, region: Chosen, extra: Array) -> Array:
        """Return what bounds the utility of an output: a functional for each decision, shape (decisions, n)."""
        if isinstance(self.objective, PiecewiseLinear):
            gains = -self.objective.minorant(extra, self.problem).T
        else:
            gains = required_gains(self.objective, self.problem)
        return np.asarray(gains[region.allowed])

    def sizes(self, region: Chosen, extra: Array) -> Array:
        """Return the size of the terms of each functional, of their shape."""
        return np.abs(self.functionals(region, extra))


@dataclass(frozen=True)
class Line:
    """Ascending sequences of m decisions on a line; a choice is an output and where its interval is cut in two.

    A column q whose ratio lies in ``[s, u]`` has at most the utility of the chord of f over it, and
    ``(a - s b) . q >= 0 <= (u b - a) . q``: any nonnegative multiple of these may be added to the chord's functional.
    """

    ratio: Ratio
    low: float
    high: float
    outputs: int

    @property
    def extra(self) -> int:
        """A leaf has one multiplier for each output: positive for its interval's lower end, negative for the upper."""
        return self.outputs

    @property
    def root(self) -> Box:
        """Every ratio that a column can have, for each output."""
        return Box(np.full(self.outputs, self.low), np.full(self.outputs, self.high))

    def halves(self, region: Box, which: int, at: float) -> tuple[Box, Box]:
        """Return where ``t_which <= at``, those before it too, and where it is at least that, those after it too."""
        if not 0 <= which < self.outputs:
            raise ValueError("a choice is of an output that there is not")
        high, low = region.high.copy(), region.low.copy()
        high[: which + 1] = np.minimum(high[: which + 1], at)
        low[which:] = np.maximum(low[which:], at)
        return Box(region.low, high), Box(low, region.high)

    def functionals(self, region: Box, extra: Array) -> Array:
        """Return what bounds the utility of each output, shape (outputs, n): a chord and a share of one of its ends."""
        a, b = self.ratio.a, self.ratio.b
        chords = self.ratio.chords(region.low, region.high)
        above, below = np.maximum(extra, 0.0), np.maximum(-extra, 0.0)
        rises = np.outer(above, a) - np.outer(above * region.low, b)
        return np.asarray(chords + rises + np.outer(below * region.high, b) - np.outer(below, a))

    def sizes(self, region: Box, extra: Array) -> Array:
        """Return the size of the terms of each functional, of their shape."""
        a, b = np.abs(self.ratio.a), np.abs(self.ratio.b)
        ends, most = np.stack([region.low, region.high]), np.abs(extra)
        chords = np.stack([self.ratio.sizes(pair) for pair in ends.T])
        return np.asarray(chords + np.outer(most, a) + np.outer(most * np.abs(ends).max(axis=0), b))


Space = Subsets | Line


def space_of(notion: Notion, objective: Objective, problem: Problem, outputs: int) -> Space | None:
    """Return what there is to choose from, or None where decisions are neither finitely many nor one number."""
    count = decision_count(objective, problem)
    if count is not None:
        return Subsets(objective, problem, count, outputs)
    if isinstance(objective, RatioType):
        ratio = objective.ratio(problem)
        return Line(ratio, *ratio_range(ratio, notion, problem), outputs)
    return None


def decision_count(objective: Objective, problem: Problem) -> int | None:
    """Return how many decisions there are to choose from, or None where they are not finitely many."""
    if isinstance(objective, PiecewiseLinear):
        return objective.outputs(problem)
    gains = gains_of(objective, problem)
    return None if gains is None else len(gains)


def regions(space: Space, tree: Array) -> Iterator[Any]:
    """Yield the leaves that the choices of `tree`, shape (nodes, 2), lead to: depth first, each first half first.

    Raises
    ------
    ValueError
        The tree breaks off, goes on after its last leaf, or chooses what is not there: it covers nothing for sure.
    """
    waiting: list[Any] = [space.root]
    for which, at in np.asarray(tree, dtype=float).reshape(-1, 2):
        if not waiting or not np.isfinite(which) or not np.isfinite(at):
            raise ValueError("the tree goes on after its last leaf, or holds what is no number")
        region = waiting.pop()
        if which == LEAF:
            yield region
        else:
            first, second = space.halves(region, int(which), float(at))
            waiting += [second, first]
    if waiting:
        raise ValueError("the tree breaks off before its last leaf")


def bound_over_leaves(
    notion: Notion, objective: Objective, problem: Problem, multipliers: Multipliers, outputs: int
) -> tuple[float, float] | None:
    """Return a bound on the utility of mechanisms of at most that many outputs, with its rounding.

    At a leaf with functionals H, utility is at most ``sum(lam) + nu . limits + max_h sigma(h - lam)`` for any ``lam``
    and any ``nu >= 0``; the bound is the largest of the leaves'. None where the multipliers hold no whole tree.
    """
    if multipliers.tree is None or multipliers.leaves is None or notion.columns(problem).revealed:
        return None
    space, budget = space_of(notion, objective, problem, outputs), notion.columns(problem).budget()
    tree, leaves = np.asarray(multipliers.tree, dtype=float), np.asarray(multipliers.leaves, dtype=float)
    n, charged = problem.n, len(budget)
    if space is None or isinstance(budget, SmoothBudget) or tree.ndim != 2 or tree.shape[1] != 2:
        return None
    if leaves.shape != (int((tree[:, 0] == LEAF).sum()), n + charged + space.extra):
        return None
    lam, nu, extra = np.split(leaves, [n, n + charged], axis=1)
    nu = np.maximum(nu, 0.0)
    try:
        leaves_of = zip(regions(space, tree), extra, strict=True)
        priced = [(space.functionals(region, own), space.sizes(region, own)) for region, own in leaves_of]
    except ValueError:
        return None
    # Where every decision is left out there is no mechanism.
    held = [at for at, (functionals, _) in enumerate(priced) if len(functionals)]
    return _largest(notion, problem, [priced[at] for at in held], lam[held], nu[held])


def _largest(
    notion: Notion, problem: Problem, priced: list[tuple[Array, Array]], lam: Array, nu: Array
) -> tuple[float, float] | None:
    counts = np.array([len(each) for each, _ in priced])
    of_leaf = np.repeat(np.arange(len(priced)), counts)
    functionals, terms = (np.vstack(parts) for parts in zip(*priced, strict=True))
    if not np.all(np.isfinite(functionals)):
        return None
    values, blurs = np.empty(len(functionals)), np.empty(len(functionals))
    for rows in _batches(of_leaf, bool(nu.shape[1])):
        leaf = of_leaf[rows]
        # Columns are nowhere negative: functionals that are raised bound, whatever column is best.
        blur = STEPS * float(np.finfo(float).eps) * (terms[rows] + np.abs(lam[leaf]))
        found = support(notion, problem, functionals[rows] - lam[leaf] + blur, nu[leaf[0]])
        values[rows] = found.values
        blurs[rows] = found.rounding + np.einsum("hx,xh->h", blur, found.columns)
    charges = nu @ notion.columns(problem).budget().limits
    starts = np.concatenate([[0], counts.cumsum()[:-1]])
    rho, blur = np.maximum.reduceat(values, starts), np.maximum.reduceat(blurs, starts)
    unit = rounding_unit(problem.n + nu.shape[1])
    slack = unit * (np.abs(lam).sum(axis=1) + np.abs(charges) + 2.0 * np.abs(rho))
    bounds = lam.sum(axis=1) + charges + rho + slack
    worst = int(bounds.argmax())
    return float(bounds[worst]), float((blur + slack)[worst])


def _batches(of_leaf: npt.NDArray[np.intp], one_by_one: bool) -> Iterator[slice]:
    """Yield slices of the functionals: a leaf at a time where each has multipliers of a budget, many otherwise."""
    ends = np.flatnonzero(np.diff(of_leaf)) + 1 if one_by_one else np.arange(BATCH, len(of_leaf), BATCH)
    yield from (slice(start, end) for start, end in pairwise([0, *ends.tolist(), len(of_leaf)]))
