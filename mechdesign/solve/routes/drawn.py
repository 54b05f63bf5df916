"""Route `drawn`: information design over thousands of columns drawn at random, with weights by projected gradients.

Under bounds of the lift, deviations from the prior (`StrongChiSquare`, `StrongL1`) and budgets (`MaximalLeakage`,
`MutualInformationPrivacy`), with a bound by squared entries, which columns of lifts, of the ball of chi-square and of
the largest entries reach. Under LDP, with a bound by reference frequencies whose best information draws the columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.information_design import is_design, is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import in_share, is_late
from mechdesign.solve.certificate.frequencies import least_without_rays
from mechdesign.solve.pricing.bounded_lift import lifts
from mechdesign.solve.resources.measurements import bytes_of
from mechdesign.solve.search.best_shares import best_shares
from mechdesign.solve.search.drawn_columns import DrawnColumns, OfBall, OfBudgets, OfDeviations, OfLifts
from mechdesign.solve.search.drawn_design import DrawnDesign
from mechdesign.solve.search.drawn_sets import OfSets
from mechdesign.solve.search.frequency_bound import best_multipliers, bounds_by_sizes
from mechdesign.solve.search.incumbent import Incumbent
from mechdesign.solve.search.reference_frequencies import best_reference
from mechdesign.solve.search.shifted_sets import shifted_sets
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping, without_solver
from mechdesign.solve.task.route import SINGULAR
from mechdesign.tolerances import LARGEST_EXPONENT

#: Budgets at most: each is a row of the columns.
MOST_BUDGETS = 4
#: Columns of a round for each input, at least, and entries of them at most.
FOR_EACH, FEWEST, MOST_ENTRIES = 100, 1000, 1 << 21
#: Columns with a curved side, which are repaired and checked one by one: for each input, and at most.
FOR_EACH_CURVED, MOST_CURVED = 35, 3000
#: Inputs from which and up to which sets are drawn, and columns of a round for each input then, and at least.
FEWEST_INPUTS, MOST_SETS, FOR_SETS, FEWEST_SETS = 3, 256, 12, 800
#: Inputs from which the columns of a workload are drawn first.
MANY_SETS = 13
#: Rounds at most, how many may pass without a gain, and what share of the value counts as one.
MOST_ROUNDS, PATIENCE, LEAST_GAIN = 24, 3, 1e-4
#: Products of entries for a step of each round, over all rounds: more inputs have fewer rounds.
MOST_PRODUCTS = 6e8
#: Shares of the time for the search, and of the gap that it leaves.
OF_TIME, OF_GAP = 0.7, 0.5
#: Share of the time for the form of heavy inputs.
OF_FORM = 0.3


@dataclass(frozen=True)
class _Drawn:
    """Columns that are drawn, a batch at a time, and the multipliers of a bound."""

    columns: DrawnColumns
    shown: Multipliers
    count: int


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective = task.objective
    if is_of_one_figure(objective):
        return Refusal("one figure has the route scores")
    if not is_design(objective):
        return Refusal(f"{objective.name} is no criterion of an information matrix")
    if task.outputs is not None and task.outputs < task.problem.n:
        return Refusal(SINGULAR.format(n=task.problem.n))
    if task.outputs is not None:
        return Refusal("the columns that are drawn are thousands, and their number cannot be restricted")
    if is_ldp_of_inputs(task.notion, task.problem):
        none = _no_sets(objective, task)
        return Plan(partial(_over_rounds, objective, partial(_sets, objective))) if none is None else Refusal(none)
    draws = columns_of(task)
    if draws is None:
        return Refusal("it draws columns of bounds of the lift, of deviations from the prior, and of few budgets")
    return Plan(partial(_over_rounds, objective, partial(_squares, objective, draws)))


def _no_sets(objective: Any, task: Task) -> str | None:
    """Return why no sets are drawn under LDP, or None."""
    problem = task.problem
    if problem.n < FEWEST_INPUTS:
        return f"{problem.n} inputs have no sets to choose from; take the route weights"
    if problem.data_of_input is not None or not math.exp(min(task.notion.parameter, LARGEST_EXPONENT)) > 1.0:
        return "under LDP it draws columns for inputs that are the data themselves, at an epsilon that floats see"
    if bounds_by_sizes(objective, task) and objective.criterion != "E":
        return "where frequencies are equal, all shifts of few sets are as good and quicker: the route blocks"
    return f"columns of more than {MOST_SETS} inputs take too long" if problem.n > MOST_SETS else None


def _sets(objective: Any, task: Task) -> _Drawn:
    """Return the columns that are drawn from the information at the best reference frequencies."""
    problem, level = task.problem, min(task.notion.parameter, LARGEST_EXPONENT)
    ratio = math.exp(level)
    found = best_reference(objective, problem, level)
    count = max(FOR_SETS * problem.n, FEWEST_SETS)
    with in_share(OF_FORM):
        shown = best_multipliers(objective, task, found)
    # Shifts of sets identify all frequencies alike, which a workload does not ask for.
    first = None if objective.is_weighted else _as_columns(shifted_sets(task)[0], ratio)
    drawn = OfSets(found, objective.theta_of(problem), ratio, first)
    return _Drawn(drawn, shown, count)


def _as_columns(matrix: Array, ratio: float) -> tuple[Array, Array]:
    """Return the columns of a matrix of sets with entries 1 and `ratio`, shape (n, m), and their weights."""
    least = matrix.min(axis=0)
    return np.where(matrix > 0.5 * (1.0 + ratio) * least, ratio, 1.0), least


def _squares(objective: Any, draws: DrawnColumns, task: Task) -> _Drawn:
    """Return columns with the bound by their squared entries."""
    problem, n = task.problem, task.problem.n
    shares = best_shares(objective, problem, draws.bounds) if isinstance(draws, OfLifts) else None
    count = int(min(max(FOR_EACH * n, FEWEST), MOST_ENTRIES / n))
    if not task.notion.polyhedral:
        count = int(min(max(FOR_EACH_CURVED * n, FEWEST), MOST_CURVED))
    return _Drawn(draws, Multipliers(np.zeros(n), weights=shares), count)


def columns_of(task: Task) -> DrawnColumns | None:
    """Return the columns that are drawn under the task's notion, None where none are known."""
    notion, problem = task.notion, task.problem
    shape = notion.columns(problem)
    if shape.of_secret is not shape or problem.data_of_input is not None:
        return None
    if _has_budgets_alone(notion, problem):
        return OfBudgets(problem.n, shape.budget())
    if problem.prior is None:
        return None
    prior = problem.prior / problem.prior.sum()
    if shape.reach is not None:
        return OfBall(prior, shape.reach)
    if shape.deviation is not None:
        return OfDeviations(prior, shape.deviation)
    found = lifts(notion, problem)
    return None if found is None or not np.all(np.isfinite(found.high)) else OfLifts(found)


def _has_budgets_alone(notion: Notion, problem: Problem) -> bool:
    """Return whether columns are bounded by few budgets and nothing else."""
    if notion.members() != (notion,) or notion.columns(problem).pair_ratio is not None:
        return False
    return 0 < len(notion.columns(problem).budget()) <= MOST_BUDGETS and not len(
        notion.columns(problem).cone().on_column
    )


def _over_rounds(objective: InformationDesign, source: Callable[[Task], _Drawn], task: Task, solver: str) -> Candidate:
    """Return the best mechanism of some rounds of columns, with the multipliers of the bound."""
    stages, problem = Stages(), task.problem
    drawn = source(task)
    draws, shown, count = drawn.columns, drawn.shown, drawn.count
    least = least_without_rays(task.notion, objective, problem, shown.rows, shown.weights)[0]
    stages.lap("price")
    n = problem.n
    most = math.inf if task.notion.polyhedral else MOST_CURVED
    rounds = int(max(2, min(MOST_ROUNDS, MOST_PRODUCTS / (n * n * count))))
    design = DrawnDesign(objective, problem, draws, count)
    progress = Incumbent(task, None, None, most_rounds=rounds, patience=PATIENCE, least_gain=LEAST_GAIN)
    progress.show(-least, None)
    with in_share(OF_TIME), stopping(task, lambda: progress.rounds > 1) as ending:
        best = design.first()
        while True:
            progress.reach(-best.value, None)
            near = progress.end_round() <= OF_GAP * task.gap * abs(best.value)
            if near or progress.is_over or len(best.kept[1]) >= most or is_late():
                break
            best = design.after(best, progress.rounds)
    stages.lap("solve")
    columns, weights = best.kept
    if not np.isfinite(objective.value(columns * weights, problem)):
        raise SolverError("The columns that were drawn do not identify all frequencies.", status="singular")
    stats = SolverStats(ROUTE.solvers[0], "not needed", stages.timings["solve"], progress.rounds)
    note = f"{columns.shape[1]} columns, {progress.rounds} rounds of {count} drawn{ending}"
    return Candidate(columns * weights, shown, stats, stages.timings, note, ending.interrupted)


def size(task: Task) -> Size:
    """Return the size of the columns, and of their products with what they weigh."""
    return Size(bytes_of("sets", task.problem.n**2))


def first_of_all(task: Task) -> str | None:
    """Return why it comes before the weights of all sets, which take longer for many inputs."""
    objective = task.objective
    if not is_design(objective) or objective.queries is None or task.outputs is not None:
        return None
    if task.problem.n < MANY_SETS or not is_ldp_of_inputs(task.notion, task.problem):
        return None
    return "sets of inputs are drawn from the information that is best for the queries"


ROUTE = Route("drawn", without_solver, plan, size, first_of_all, is_exact=False)
