"""The largest excess of a column of LDP over all ``2^n`` sets: branch and bound by falling mass, stopped any time."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP
from mechdesign.objectives import Separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.subdivision import Excess
from mechdesign.solve.pricing.subset_relaxation import Indices, Members, Nodes, Relaxation
from mechdesign.solve.pricing.subset_utility import relaxation

#: Entries of a table of nodes by inputs, and nodes, that are open at once; beyond it the tolerance is doubled.
TABLE, MOST_NODES = 200_000, 1024
#: Nodes from which sets are rounded in each step.
ROUNDED = 16
#: Steps after which the tolerance is doubled at each.
PATIENT_STEPS = 200
#: Its growth once the deadline has passed.
IN_HASTE = 8.0


def subset_price(
    notion: LDP, objective: Separable, problem: Problem, lam: Array, tolerance: float, most_nodes: int = MOST_NODES
) -> Excess:
    """Bound ``(mu(v) - lam . v) / (c . v)`` over all ``v = l + (1-l) 1_S``, shape (n,), to `tolerance` where it can.

    Sound for any multipliers: a node is closed only where no fractional set in it exceeds the bound, and where too
    many are open the bound itself is raised until few are.
    """
    constant = np.ones((problem.n, 1))
    single = float(objective.column_utility(constant, problem)[0] - lam.sum())
    size = float(np.abs(lam).sum() + objective.magnitude(constant, problem)[0])
    relax, order = relaxation(notion, objective, problem)
    if problem.n == 1 or relax.rise == 0.0:
        return Excess(single, size, constant)
    search = _BranchedSets(notion, objective, problem, lam, relax, order)
    search.look(np.ones((1, problem.n), dtype=bool))
    search.look(np.eye(problem.n, dtype=bool)[: MOST_NODES // 8])
    # A tolerance of no digits would never be doubled into one.
    step = max(tolerance, 1e-13 * max(size, abs(search.best)), 1e-300)
    return search.run(step, int(np.clip(TABLE // problem.n, 32, most_nodes)))


class _BranchedSets:
    """Nodes that are open, the best set so far, and the sets seen on the way."""

    def __init__(
        self, notion: LDP, objective: Separable, problem: Problem, lam: Array, relax: Relaxation, order: Indices
    ) -> None:
        self.objective, self.problem, self.lam, self.relax, self.order = objective, problem, lam, relax, order
        self.normal = notion.columns(problem).normal
        self.best, self.size = -np.inf, 0.0
        self.seen: list[Members] = []
        self.worth: list[Array] = []

    def look(self, members: Members) -> None:
        """Evaluate sets, given by falling mass."""
        sets = np.empty_like(members)
        sets[:, self.order] = members
        columns = self.relax.columns(sets)
        mass = self.normal @ columns
        excess = (self.objective.column_utility(columns, self.problem) - self.lam @ columns) / mass
        top = int(excess.argmax())
        if excess[top] > self.best:
            self.best = float(excess[top])
            largest = self.objective.magnitude(columns[:, [top]], self.problem)[0]
            self.size = float((largest + np.abs(self.lam) @ columns[:, top]) / mass[top])
        self.seen.append(sets)
        self.worth.append(excess)

    def run(self, step: float, most: int) -> Excess:
        """Close or split all nodes, level by level."""
        nodes, bound, steps = self.relax.root(), self.best + step, 0
        by_mass, share = self.lam[self.order], self.normal[self.order]
        while len(nodes.chosen):
            steps += 1
            relaxed = self.relax.relaxed(nodes, by_mass + bound * share)
            # A NaN is no proof: such a node stays open until its set is one.
            open_ = ~(relaxed.values <= 0)
            if not open_.any():
                break
            ranked = np.argsort(-relaxed.values, kind="stable")[: min(ROUNDED, int(open_.sum()))]
            self.look(relaxed.rounded(ranked))
            exhausted = nodes.chosen.shape[1] == self.problem.n and not self.relax.wide(nodes).any()
            if self.best + step > bound:
                bound = self.best + step
            elif open_.sum() > most or steps > PATIENT_STEPS or exhausted or is_late():
                step *= IN_HASTE if is_late() else 2.0
                bound = self.best + step
            else:
                nodes = self._split(Nodes(nodes.chosen[open_], nodes.interval[open_]))
        return Excess(bound, self.size, self.top())

    def _split(self, nodes: Nodes) -> Nodes:
        wide = self.relax.wide(nodes)
        if wide.any() or nodes.chosen.shape[1] == self.problem.n:
            low, high = nodes.interval[wide].T
            middle = np.sqrt(low * high)
            chosen = [nodes.chosen[~wide], nodes.chosen[wide], nodes.chosen[wide]]
            intervals = [nodes.interval[~wide], np.column_stack([low, middle]), np.column_stack([middle, high])]
            return Nodes(np.vstack(chosen), np.vstack(intervals))
        count = len(nodes.chosen)
        chosen = [np.hstack([nodes.chosen, np.full((count, 1), taken)]) for taken in (False, True)]
        return Nodes(np.vstack(chosen), np.vstack([nodes.interval, nodes.interval]))

    def top(self) -> Array:
        """Return the columns of the best sets seen after the best one, best first: 1 on the set, shape (n, k)."""
        sets, worth = np.vstack(self.seen), np.concatenate(self.worth)
        order = np.argsort(-worth, kind="stable")[: 4 * ROUNDED]
        return self.relax.columns(sets[order])
