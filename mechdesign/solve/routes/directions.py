"""Route `directions`: sums over columns under a budget, whose columns are priced together with what they take of it."""

from __future__ import annotations

from collections import deque
from functools import partial

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import SmoothBudget
from mechdesign.objectives import RatioType, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.runtime.learned import learned
from mechdesign.solve.pricing.continuum_of_decisions import WIDEST_RANGE, Price, added, peaks, price, ratio_range
from mechdesign.solve.pricing.largest_excess import column_excess, extreme_columns, no_excess, within
from mechdesign.solve.pricing.support import has_formula, support
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
from mechdesign.solve.search.progress import Progress
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task, stopping
from mechdesign.tolerances import NEGLIGIBLE_MASS

#: Decisions of the first program, over the range of the ratio, and earlier answers of a design whose columns join them.
FIRST_DECISIONS, MOST_KNOWN = 24, 2
#: Rounds before the route returns what it has, and how many of them may pass without the gap getting any narrower.
MOST_ROUNDS, PATIENCE = 60, 6
#: Share of what the gap asks that a price may miss, and decisions that a round adds for their price.
PRICED, MOST_PEAKS = 0.1, 12
#: Columns that are weighted, those of them that are decisions of a program, and the digits in which two differ.
MOST_COLUMNS, MOST_DECISIONS, DIGITS = 600, 80, 7
#: How far inside the slice decisions are taken: further where the solver gives up on them.
INSIDE = (1e-9, 1e-6, 1e-4)


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    notion, objective, problem = task.notion, task.objective, task.problem
    if not is_separable(objective):
        return Refusal(f"{objective.name} is no sum over columns")
    budget, by_columns = notion.budget(problem), Plan(partial(_over_columns, objective), "HIGHS")
    whole = not isinstance(objective, RatioType) and objective.gains(problem) is None
    if whole and notion.reach(problem) is not None:
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
    if len(notion.cone(problem).on_column):
        return Refusal(
            f"{objective.name} is priced by cutting up all columns, which {notion.name} restricts one by one besides"
        )
    none = no_excess(notion, objective, problem)
    return by_columns if none is None else Refusal(none)


class _Search(Progress[Array, Multipliers]):
    """The best matrix and the best multipliers so far, and whether to go on."""

    def __init__(self, task: Task, solver: str) -> None:
        constant, nothing = np.ones((task.problem.n, 1)), Multipliers(np.zeros(task.problem.n))
        super().__init__(task, constant, nothing, most_rounds=MOST_ROUNDS, patience=PATIENCE)
        self.stats = SolverStats(solver, "not needed", 0.0, 0)

    def ends(self, columns: Array, reached: float, multipliers: Multipliers, rho: float) -> bool:
        """Take a round's columns, shape (n, m), in, and return whether it was the last."""
        limits = self.task.notion.budget(self.task.problem).limits
        self.show(float(multipliers.rows.sum() + multipliers.budget @ limits) + rho, multipliers)
        self.reach(reached, columns)
        return self.end_round() <= 5 * self.task.asked(self.reached, PRICED) or is_late() or self.is_over

    def candidate(self, stages: Stages, over: str, ending: Ending) -> Candidate:
        """Return the answer."""
        note = f"over {over}, {self.rounds} rounds{ending}"
        return Candidate(self.found, self.shown, self.stats, stages.timings, note, ending.interrupted)


def _over_decisions(objective: RatioType, task: Task, solver: str) -> Candidate:
    """Maximise over one free column for each of some decisions; further decisions are priced on their line."""
    stages, search = Stages(), _Search(task, solver)
    notion, problem = task.notion, task.problem
    ratio = objective.ratio(problem)
    low, high = ratio_range(ratio, notion, problem)
    if high == low:
        stats = SolverStats(solver, "not needed", 0.0, 0)
        constant = Multipliers(ratio.functionals(np.array([low]))[0], np.zeros(len(notion.budget(problem))))
        return Candidate(np.ones((problem.n, 1)), constant, stats, stages.timings, "every column has one ratio")
    normal = notion.normal(problem)
    # Columns of other divergences in this design, such as those of an exponent at other orders.
    known: deque[Array] = learned(("columns by directions", notion, problem), partial(deque, maxlen=MOST_KNOWN))
    decisions = np.linspace(low, high, FIRST_DECISIONS)
    if known:
        decisions = added(decisions, ratio.at(np.hstack(known)), 1e-4 * (high - low))
    # Columns that make up for what the others miss of one, and all that were found before.
    simple = np.hstack([np.ones((problem.n, 1)), np.diag(1.0 / normal)])
    pool = np.hstack([simple, *(columns / (normal @ columns) for columns in known)])
    with stopping(task, lambda: search.rounds > 0) as ending:
        while True:
            try:
                found, multipliers, search.stats = _program(task, ratio.functionals(decisions), solver)
                found = found[:, normal @ found > NEGLIGIBLE_MASS]
                pool = _apart(np.hstack([simple, found / (normal @ found), pool]), normal)
                columns, _, _ = weighed_pool(task, objective, pool, "HIGHS")
            except SolverError:
                # The weights of what is known have multipliers, too, though they swing from round to round.
                columns, multipliers, search.stats = weighed_pool(task, objective, pool, "HIGHS")
            columns = merge_alike(columns, objective, problem)
            reached = float(objective.column_utility(columns, problem).sum())
            stages.lap("solve")
            lam, nu = multipliers.rows, multipliers.budget
            worth = price(ratio, partial(_values, task, nu), lam, decisions, task.asked(reached, PRICED))
            stages.lap("price")
            if search.ends(columns, reached, multipliers, worth.bound):
                break
            peaked = _highest(worth)
            violated = support(notion, problem, ratio.functionals(peaked) - lam, nu).columns
            pool = np.hstack([pool, violated])
            new = np.concatenate([peaked, ratio.at(violated), ratio.at(columns)])
            decisions = added(decisions, new, 1e-7 * (high - low))
    known.append(search.found[:, normal @ search.found > NEGLIGIBLE_MASS])
    return search.candidate(stages, f"{len(decisions)} decisions", ending)


def _values(task: Task, nu: Array, functionals: Array) -> Array:
    return support(task.notion, task.problem, functionals, nu).values


def _highest(worth: Price) -> Array:
    """Return the peaks of largest price, not too many."""
    at = dict(zip(worth.decisions.tolist(), worth.values.tolist(), strict=True))
    return np.array(sorted(peaks(worth), key=lambda t: -at[float(t)])[:MOST_PEAKS])


def _program(task: Task, gains: Array, solver: str) -> tuple[Array, Multipliers, SolverStats]:
    """Maximise ``sum_d gains[d] . q_d`` over private matrices with one column for each decision."""
    import cvxpy as cp

    scale = float(np.abs(gains).max()) or 1.0
    Q = cp.Variable((task.problem.n, len(gains)), name="Q")
    rows, rules = cp.sum(Q, axis=1) == 1, task.notion.constraints(Q, task.problem)
    whole = silent(-cp.sum(cp.multiply(gains.T / scale, Q)), [rows, *rules])
    program = Program(whole, Q, scale, rows, None, rules, [])
    stats = run(program, task, solver)
    budgets = len(task.notion.budget(task.problem))
    on_budget = np.maximum(dual(rules[-1] if budgets else None, (budgets,)), 0.0) * scale
    return matrix(program, stats), Multipliers(dual(rows, (task.problem.n,)) * scale, on_budget), stats


def _over_columns(objective: Separable, task: Task, solver: str) -> Candidate:
    """Maximise over the weights of some columns; further columns are priced all over the slice.

    Where the weights alone do not do, decisions that support the utility at those columns make a convex program over
    their own columns, whose multipliers change smoothly: those of the weights swing from round to round.
    """
    stages, search = Stages(), _Search(task, solver)
    notion, problem = task.notion, task.problem
    normal = notion.normal(problem)
    pool = decisions = simple = extreme_columns(notion, problem)
    _, multipliers, _ = weighed_pool(task, objective, pool, solver)
    with stopping(task, lambda: search.rounds > 0) as ending:
        while True:
            columns, _, search.stats = weighed_pool(task, objective, pool, solver)
            reached = float(objective.column_utility(columns, problem).sum())
            stages.lap("solve")
            lam, nu = multipliers.rows, multipliers.budget
            excess = column_excess(notion, objective, problem, lam, nu, task.asked(reached, PRICED))
            stages.lap("price")
            if search.ends(merge_alike(columns, objective, problem), reached, multipliers, excess.bound):
                break
            used = columns / (normal @ columns)
            decisions = _apart(np.hstack([used, excess.columns[:, :MOST_PEAKS], decisions]), normal)[:, :MOST_DECISIONS]
            pool = _apart(np.hstack([simple, used, excess.columns, pool]), normal)
            found, multipliers = _supported(task, objective, decisions, solver)
            found = within(notion, problem, found[:, normal @ found > NEGLIGIBLE_MASS])
            decisions = np.hstack([found, decisions])
            pool = _apart(np.hstack([simple, used, found, excess.columns, pool]), normal)
    return search.candidate(stages, f"{pool.shape[1]} columns", ending)


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


def _apart(columns: Array, normal: Array) -> Array:
    """Return the first of the columns that differ, not too many: next to equal ones break the simplex method."""
    shares = np.round(columns * normal[:, None], DIGITS)
    first = np.sort(np.unique(shares, axis=1, return_index=True)[1])
    return columns[:, first[:MOST_COLUMNS]]


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
