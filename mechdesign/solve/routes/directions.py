"""Route `directions`: sums over columns under a budget, priced together with their use of the budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import SmoothBudget
from mechdesign.objectives import RatioType, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import time_left
from mechdesign.runtime.learned import learned
from mechdesign.solve.pricing.continuum_of_decisions import WIDEST_RANGE, added, ratio_range
from mechdesign.solve.pricing.largest_excess import extreme_columns, no_excess, within
from mechdesign.solve.pricing.oracles import CONTINUUM, CUTTING
from mechdesign.solve.pricing.support import has_formula
from mechdesign.solve.programs.column_weights import weighed_pool
from mechdesign.solve.programs.cvxpy_problem import problem as silent
from mechdesign.solve.programs.over_matrix import Program, dual, matrix, run
from mechdesign.solve.repair.merged_outputs import merge_alike
from mechdesign.solve.resources.measurements import seconds_of
from mechdesign.solve.resources.memory import note_of
from mechdesign.solve.resources.programs import (
    BY_CVXPY,
    FIRST_OF_CONTINUUM,
    cone_bytes,
    is_continuum,
    mass_seconds,
    numbers_over_matrix,
    own_columns,
    program_bytes,
    program_seconds,
)
from mechdesign.solve.search.bracket import bracket
from mechdesign.solve.search.incumbent import incumbent
from mechdesign.solve.search.pooled_columns import apart
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Task
from mechdesign.tolerances import NEGLIGIBLE_MASS

#: Decisions of the first program, over the range of the ratio, and earlier answers of a design whose columns join them.
FIRST_DECISIONS, MOST_KNOWN = 24, 2
#: Rounds before the route returns what it has, and how many of them may pass without the gap getting any narrower.
MOST_ROUNDS, PATIENCE = 60, 6
#: Decisions that a round adds for their price.
MOST_PEAKS = 12
#: Columns that are weighted, those of them that are decisions of a program, and the digits in which two differ.
MOST_COLUMNS, MOST_DECISIONS, DIGITS = 600, 80, 7
#: How far inside the slice decisions are taken: further where the solver gives up on them.
INSIDE = (1e-9, 1e-6, 1e-4)


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    notion, objective, problem = task.notion, task.objective, task.problem
    if not is_separable(objective):
        return Refusal(f"{objective.name} is no sum over columns")
    budget, by_columns = notion.columns(problem).budget(), Plan(partial(_over_columns, objective), "HIGHS")
    whole = not isinstance(objective, RatioType) and objective.gains(problem) is None
    if whole and notion.columns(problem).of_secret.reach is not None:
        # Decisions are whole columns: what the route columns does not answer.
        none = no_excess(notion, objective, problem)
        return by_columns if none is None else Refusal(none)
    if not len(budget):
        return Refusal(f"{notion.name} bounds no sum over columns, so that single columns can be priced without it")
    if objective.gains(problem) is not None:
        return Refusal("the decisions are finitely many, so that one convex program over Q is exact")
    if isinstance(objective, RatioType) and has_formula(notion, problem):
        ends = ratio_range(objective.ratio(problem), notion, problem)
        if max(map(abs, ends)) > WIDEST_RANGE:
            return Refusal("an output can have a ratio without bound, so that its decisions cannot be separated")
        return Plan(partial(_over_decisions, objective), "CLARABEL")
    if not isinstance(budget, SmoothBudget):
        return Refusal(
            f"columns under {notion.name} have no price by formula, or {objective.name} has more decisions than a line"
        )
    if len(notion.columns(problem).cone().on_column):
        return Refusal(
            f"{objective.name} is priced by cutting up all columns, which {notion.name} restricts one by one besides"
        )
    none = no_excess(notion, objective, problem)
    return by_columns if none is None else Refusal(none)


def _over_decisions(objective: RatioType, task: Task, solver: str) -> Candidate:
    """Maximise over one free column for each of some decisions; further decisions are priced on their line."""
    notion, problem = task.notion, task.problem
    ratio = objective.ratio(problem)
    low, high = ratio_range(ratio, notion, problem)
    if high == low:
        rows, none = ratio.functionals(np.array([low]))[0], SolverStats(solver, "not needed", 0.0, 0)
        constant = Multipliers(rows, np.zeros(len(notion.columns(problem).budget())))
        return Candidate(np.ones((problem.n, 1)), constant, none, {}, "every column has one ratio")
    # Columns of other divergences in this design, such as those of an exponent at other orders.
    known: deque[Array] = learned(("columns by directions", notion, problem), partial(deque, maxlen=MOST_KNOWN))
    master = _FreeColumns(objective, task, solver, (low, high), known)
    found = bracket(incumbent(task, MOST_ROUNDS, PATIENCE), master, CONTINUUM, ())
    known.append(found.matrix[:, notion.columns(problem).normal @ found.matrix > NEGLIGIBLE_MASS])
    return found


class _FreeColumns:
    """The restricted master problem with a free column for each of some decisions, and weights of all columns seen."""

    obstacle = ""

    def __init__(
        self, objective: RatioType, task: Task, solver: str, ends: tuple[float, float], known: Sequence[Array]
    ) -> None:
        self.objective, self.task, self.solver = objective, task, solver
        self.ratio, self.normal = objective.ratio(task.problem), task.columns.normal
        self.apart = ends[1] - ends[0]
        self.decisions = np.linspace(*ends, FIRST_DECISIONS)
        if known:
            self.decisions = added(self.decisions, self.ratio.at(np.hstack(known)), 1e-4 * self.apart)
        self.simple = np.hstack([np.ones((task.problem.n, 1)), np.diag(1.0 / self.normal)])
        self.made = self.pool = np.hstack([self.simple, *(each / (self.normal @ each) for each in known)])
        self.stats = SolverStats(solver, "not needed", 0.0, 0)

    @property
    def size(self) -> int:
        """The number of free columns."""
        return len(self.decisions)

    def add(self, columns: Array) -> None:
        """Add the best decisions at columns, shape (n, k), and at the columns of the last mechanism."""
        self.pool = np.hstack([self.pool, columns])
        new = np.concatenate([self.ratio.at(columns), self.ratio.at(self.made)])
        self.decisions = added(self.decisions, new, 1e-7 * self.apart)

    def solve(self) -> tuple[Array, Multipliers]:
        """Return the best mechanism over the columns seen, shape (n, outputs), and the program's multipliers."""
        try:
            found, multipliers, self.stats = _program(self.task, self.ratio.functionals(self.decisions), self.solver)
            found = found[:, self.normal @ found > NEGLIGIBLE_MASS]
            pool = np.hstack([self.simple, found / (self.normal @ found), self.pool])
            self.pool = apart(pool, self.normal, DIGITS)[:, :MOST_COLUMNS]
            columns, _, _ = weighed_pool(self.task, self.objective, self.pool, "HIGHS")
        except SolverError:
            # The weights of what is known have multipliers, too, though they swing from round to round.
            columns, multipliers, self.stats = weighed_pool(self.task, self.objective, self.pool, "HIGHS")
        self.made = merge_alike(columns, self.objective, self.task.problem)
        return self.made, multipliers


def _program(task: Task, gains: Array, solver: str) -> tuple[Array, Multipliers, SolverStats]:
    """Maximise ``sum_d gains[d] . q_d`` over private matrices with one column for each decision."""
    import cvxpy as cp

    scale = float(np.abs(gains).max()) or 1.0
    Q = cp.Variable((task.problem.n, len(gains)), name="Q")
    rows, rules = cp.sum(Q, axis=1) == 1, task.notion.constraints(Q, task.problem)
    whole = silent(-cp.sum(cp.multiply(gains.T / scale, Q)), [rows, *rules])
    program = Program(whole, Q, scale, rows, None, rules, [])
    stats = run(program, task, solver)
    budgets = len(task.columns.budget())
    on_budget = np.maximum(dual(rules[-1] if budgets else None, (budgets,)), 0.0) * scale
    return matrix(program, stats), Multipliers(dual(rows, (task.problem.n,)) * scale, on_budget), stats


def _over_columns(objective: Separable, task: Task, solver: str) -> Candidate:
    """Maximise over the weights of some columns; further columns are priced all over the slice."""
    best = incumbent(task, MOST_ROUNDS, PATIENCE)
    return bracket(best, _WithDecisions(objective, task, solver), CUTTING, ())


class _WithDecisions:
    """The restricted master problem over a pool of columns, with multipliers of free columns for its decisions.

    Decisions that support the utility at those columns make a convex program over their own columns, whose multipliers
    change smoothly: those of the weights swing from round to round.
    """

    def __init__(self, objective: Separable, task: Task, solver: str) -> None:
        self.objective, self.task, self.solver = objective, task, solver
        self.normal = task.columns.normal
        self.pool = self.decisions = self.simple = self.used = extreme_columns(task.notion, task.problem)
        self.new: Array | None = None
        self.stats = SolverStats(solver, "not needed", 0.0, 0)

    obstacle = ""

    @property
    def size(self) -> int:
        """The number of columns."""
        return int(self.pool.shape[1])

    def add(self, columns: Array) -> None:
        """Take the columns, shape (n, k), best first, into the next round."""
        self.new = columns

    def solve(self) -> tuple[Array, Multipliers]:
        """Return the best mechanism over the pool, shape (n, outputs), and the multipliers of the decisions."""
        smooth = None if self.new is None else self._of_decisions(self.new)
        columns, multipliers, self.stats = weighed_pool(self.task, self.objective, self.pool, self.solver)
        self.used = columns / (self.normal @ columns)
        return merge_alike(columns, self.objective, self.task.problem), smooth or multipliers

    def _of_decisions(self, new: Array) -> Multipliers:
        """Return the multipliers of the decisions, and add new columns and the decisions' columns to the pool."""
        first = np.hstack([self.used, new[:, :MOST_PEAKS], self.decisions])
        decisions = apart(first, self.normal, DIGITS)[:, :MOST_DECISIONS]
        found, multipliers = _supported(self.task, self.objective, decisions, self.solver)
        found = within(self.task.notion, self.task.problem, found[:, self.normal @ found > NEGLIGIBLE_MASS])
        self.decisions = np.hstack([found, decisions])
        pool = np.hstack([self.simple, self.used, found, new, self.pool])
        self.pool = apart(pool, self.normal, DIGITS)[:, :MOST_COLUMNS]
        return multipliers


def _supported(task: Task, objective: Separable, decisions: Array, solver: str) -> tuple[Array, Multipliers]:
    """Return free columns, one for each functional that supports the utility at a decision, and the multipliers.

    Where their program is too large, or there is too little time for it, the decisions themselves, weighted.
    """
    numbers, left = numbers_over_matrix(task, decisions.shape[1]), time_left()
    large = note_of(task, program_bytes(task, numbers))
    for inside in () if large or (left is not None and BY_CVXPY * program_seconds(numbers) > left) else INSIDE:
        # A little inside the slice, where no functional has entries next to infinite.
        gains = objective.supporting((1.0 - inside) * decisions + inside, task.problem).T
        try:
            found, multipliers, _ = _program(task, gains, "CLARABEL")
        except SolverError:
            continue
        return found, multipliers
    _, multipliers, _ = weighed_pool(task, objective, decisions, solver)
    return decisions, multipliers


def size(task: Task) -> Size:
    """Return the size of the programs over Q inside the search, written by cvxpy."""
    n, continuum = task.problem.n, is_continuum(task)
    columns = own_columns(task) or (task.outputs or FIRST_OF_CONTINUUM if continuum else 0)
    numbers = numbers_over_matrix(task, columns)
    of_first = FIRST_OF_CONTINUUM if continuum else columns
    masses = mass_seconds(task, of_first) if continuum else None
    first = program_seconds(numbers_over_matrix(task, of_first)) if masses is None else masses
    before = 0.0 if continuum else seconds_of("directions", n**2)
    needed = cone_bytes(task) + program_bytes(task, numbers) if columns else 0.0
    return Size(needed, before, BY_CVXPY * first)


ROUTE = Route("directions", of_linear_programs, plan, size, size_first=True)
