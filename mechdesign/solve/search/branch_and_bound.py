"""Branch and bound over the decisions that few outputs stand for: regions are cut in two, the most promising first."""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from mechdesign.baselines.interval_partition import best_partition
from mechdesign.errors import SolverError
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import Linear, PiecewiseLinear, RatioType
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, now, time_left
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.certificate.few_outputs import Box, Chosen, Line, Space, Subsets
from mechdesign.solve.pricing.support import support
from mechdesign.solve.programs.over_leaf import LeafProgram, Relaxed
from mechdesign.solve.repair.merged_outputs import merge_alike
from mechdesign.solve.search.search_tree import Node
from mechdesign.solve.task import Task, stopping, used
from mechdesign.tolerances import LARGEST_EXPONENT, SPAN_SHARE

#: Leaves before the search returns what it has.
MOST_LEAVES = 20_000
#: Where an interval is cut: no nearer to its ends than this share of its width.
MARGIN = 0.1
#: Leaves between two lines of a report.
REPORTED = 100
#: Rounds in which decisions and columns are improved in turn.
MOST_TURNS = 30


class Search:
    """The best mechanism so far, and the regions that may hold a better one."""

    def __init__(self, task: Task, space: Space, solver: str) -> None:
        self.task, self.space = task, space
        self.program = LeafProgram(task, space, solver)
        self.reached, self.columns = -np.inf, np.ones((task.problem.n, 1))
        self.span = span(task.objective, task.problem)
        self.status, self.interrupted = "searched", False
        self.proof = 0.0
        self.tried: set[tuple[int, ...]] = set()

    def run(self) -> Node:
        """Return the root of the tree."""
        for columns in self._constants():
            self._take(columns)
        root = self._node(self.space.root, np.inf, None)
        with stopping(self.task, lambda: True) as ending:
            try:
                if time_left() is not None:
                    self.proof = self._time_proof(root)
                self._start(root)
                self._explore(root)
            except SolverError as error:
                # Where the solvers give up on a program, its region keeps the bound that it has.
                self.status = f"stopped early ({error.status})"
        self.status = ending.said or self.status
        self.interrupted = ending.interrupted
        return root

    def _explore(self, root: Node) -> None:
        numbers = itertools.count()
        waiting, leaves = [(-root.bound, next(numbers), root)], 1
        while waiting:
            node = heapq.heappop(waiting)[2]
            if node.bound <= self.reached + self._asked():
                break
            if self._late(leaves) or leaves >= MOST_LEAVES:
                self.status = "time limit" if self._late(leaves) else f"limit of {MOST_LEAVES} leaves"
                break
            self._cut(node)
            leaves += 1
            if leaves % REPORTED == 0:
                self.task.report_utility(leaves, self.reached, node.bound)
            for half in node.halves:
                if half.bound > self.reached + self._asked() and not self._exact(half):
                    heapq.heappush(waiting, (-half.bound, next(numbers), half))

    def _late(self, leaves: int) -> bool:
        """Return whether the time that is left is at most the time to prove a number of leaves."""
        left = time_left()
        return left is not None and left <= leaves * self.proof

    def _time_proof(self, root: Node) -> float:
        """Return the seconds that the proof of a leaf takes: almost none by formula, more by programs."""
        n, charged, problem = self.task.problem.n, self.program.charged, self.task.problem
        lam, nu, extra = np.split(root.relaxed.multipliers, [n, n + charged])
        functionals = self.space.functionals(root.region, extra)  # type: ignore[arg-type] # regions are their space's
        # Once for what is kept for later, and once for the time.
        for _ in range(2):
            started = now()
            support(self.task.notion, problem, functionals - lam, nu)
        return now() - started

    def _constants(self) -> list[Array]:
        """Return the mechanisms that ignore their input: they are private, whatever the search will find."""
        n = self.task.problem.n
        if isinstance(self.space, Line):
            return [np.ones((n, 1))]
        return [np.tile(row, (n, 1)) for row in np.eye(self.space.count)]

    def _asked(self) -> float:
        """Return how much better than the best mechanism a region may seem and be left alone."""
        objective, problem = self.task.objective, self.task.problem
        value = objective.from_utility(self.reached, problem)
        steepness = objective.steepness(value, problem)
        return 0.3 * self.task.gap * steepness * max(abs(value), SPAN_SHARE * self.span)

    def _node(self, region: Chosen | Box, bound: float, known: Relaxed | None) -> Node:
        relaxed = self.program.over(region) if known is None else known
        self._take(relaxed.columns)
        return Node(region, relaxed, min(bound, relaxed.bound))

    def _cut(self, node: Node) -> None:
        if isinstance(node.region, Chosen):
            self._round(node)
            masses = node.relaxed.columns.sum(axis=0)
            which = max(node.region.open, key=lambda d: float(masses[d]))
            node.cut = (which, 0.0)
        else:
            node.cut = self._place(node.region, node.relaxed.columns)
        first, second = self.space.halves(node.region, *node.cut)  # type: ignore[arg-type] # regions are their space's
        # Where a decision is kept and others are still open, the program is the same.
        same = isinstance(first, Chosen) and isinstance(node.region, Chosen) and first.allowed == node.region.allowed
        kept = self._node(first, node.bound, node.relaxed if same else None)
        node.halves = (kept, self._node(second, node.bound, None))

    def _exact(self, node: Node) -> bool:
        """Return whether the region's program has no more freedom than a mechanism of at most m outputs."""
        region = node.region
        if isinstance(region, Chosen):
            return not region.open or len(region.allowed) <= self.space.outputs
        middle = region.low + (region.high - region.low) / 2.0
        return bool(np.all((middle <= region.low) | (middle >= region.high)))

    def _place(self, region: Box, columns: Array) -> tuple[int, float]:
        """Return the output whose chord is furthest above its utility, and its ratio or nearly so."""
        assert isinstance(self.space, Line)
        ratio, width = self.space.ratio, region.high - region.low
        if self.space.outputs == 1:
            # The one output has the ratio of the ones vector: at that end of an interval its chord is exact.
            only = float(ratio.at(np.ones((len(columns), 1)))[0])
            return 0, only if region.low[0] < only < region.high[0] else float(region.low[0] + width[0] / 2.0)
        at = ratio.at(columns)
        chords = self.space.functionals(region, np.zeros(self.space.outputs))
        excess = np.einsum("jx,xj->j", chords, columns) - _utilities(self.task, columns)
        inside = (at >= region.low) & (at <= region.high)
        wide = width > 0
        which = int(np.where(wide & inside, excess, -np.inf).argmax())
        if not (wide & inside)[which] or not excess[which] > 0:
            which = int(width.argmax())
            return which, float(region.low[which] + width[which] / 2.0)
        low, high = region.low[which] + MARGIN * width[which], region.high[which] - MARGIN * width[which]
        return which, float(np.clip(at[which], low, high))

    def _start(self, root: Node) -> None:
        """Find good mechanisms before the search."""
        if isinstance(root.region, Chosen):
            return self._round(root)
        task, objective = self.task, self.task.objective
        assert isinstance(objective, RatioType)
        assert isinstance(self.space, Line)
        if is_ldp_of_inputs(task.notion, task.problem) and task.notion.parameter <= LARGEST_EXPONENT:
            self._take(best_partition(task.notion, objective, task.problem, self.space.outputs))
        shares = np.arange(1, self.space.outputs + 1) / (self.space.outputs + 1)
        self._improve(self.space.low + shares * (self.space.high - self.space.low))
        self._improve(self._decisions(self.columns))
        return None

    def _improve(self, decisions: Array) -> None:
        """Choose the best columns for the decisions, and the best decisions for the columns, in turn."""
        reached = -np.inf
        for _ in range(MOST_TURNS):
            if is_late():
                break
            columns = self.program.at(decisions).columns
            found = float(_utilities(self.task, columns).sum())
            self._take(columns)
            if not found > reached + 0.1 * self._asked():
                break
            reached, decisions = found, self._decisions(columns)

    def _decisions(self, columns: Array) -> Array:
        assert isinstance(self.space, Line)
        at = np.sort(self.space.ratio.at(used(columns)))
        at = np.concatenate([at, np.full(self.space.outputs - len(at), at[-1])])
        return np.clip(at, self.space.low, self.space.high)

    def _round(self, node: Node) -> None:
        """Try the decisions of most mass in a region's relaxed mechanism, kept ones first."""
        assert isinstance(node.region, Chosen)
        masses = node.relaxed.columns.sum(axis=0)
        ranked = sorted(node.region.open, key=lambda d: -float(masses[d]))
        chosen = tuple(sorted((*node.region.kept, *ranked)[: self.space.outputs]))
        if chosen not in self.tried:
            self.tried.add(chosen)
            self._take(self.program.over(Chosen(chosen, ())).columns)

    def _take(self, columns: Array) -> None:
        """Keep the mechanism if it is better than the best so far and has few enough outputs."""
        if not np.all(np.isfinite(columns)) or not np.any(columns > 0):
            return
        stochastic = columns / np.maximum(columns.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        few = stochastic if isinstance(self.space, Subsets) else used(stochastic)
        if np.count_nonzero(few.max(axis=0)) > self.space.outputs:
            return
        reached = float(_utilities(self.task, few).sum())
        if reached > self.reached:
            self.reached, self.columns = reached, self._told(few)

    def _told(self, columns: Array) -> Array:
        """Return the columns as the matrix of a candidate: one for each decision where the objective asks for them."""
        objective, problem = self.task.objective, self.task.problem
        if isinstance(objective, Linear | PiecewiseLinear):
            return columns
        if isinstance(objective, RatioType):
            return merge_alike(columns, objective, problem)
        return used(columns)


def _utilities(task: Task, columns: Array) -> Array:
    """Return the utility of each column, zeros of outputs that are not used; as one number for a maximum of pieces."""
    objective = task.objective
    if isinstance(objective, PiecewiseLinear):
        return np.array([objective.to_utility(objective.value(columns, task.problem), task.problem)])
    assert is_separable(objective), "plan() refuses otherwise"
    result, kept = np.zeros(columns.shape[1]), columns.max(axis=0) > 0
    if isinstance(objective, Linear):
        # Outputs stand for the decisions that they are named after.
        return np.asarray(np.einsum("dx,xd->d", objective.gains(task.problem), columns))
    result[kept] = objective.column_utility(columns[:, kept], task.problem)
    return result
