"""Route `blocks`: information design by cyclic shifts of few sets of inputs, for any number of inputs.

The bound is by the sizes of sets where frequencies are equal. Where they differ it is by reference frequencies, with
heavy inputs or single inputs at levels at which the sets have few.
"""

from __future__ import annotations

from functools import partial

from mechdesign.objectives import InformationDesign
from mechdesign.objectives.information_design import is_design, is_of_one_figure
from mechdesign.runtime.deadline import in_share
from mechdesign.solve.resources.measurements import bytes_of
from mechdesign.solve.search.frequency_bound import best_multipliers, bounds_by_sizes
from mechdesign.solve.search.reference_frequencies import best_reference
from mechdesign.solve.search.shifted_sets import has_all_sets, shifted_sets
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, without_solver
from mechdesign.solve.task.route import SINGULAR

#: Fewest inputs: below it the sets of one size are few.
FEWEST_INPUTS = 3
#: Shares of the time left for the matrix and for its bound.
OF_MATRIX, OF_SLOPE = 0.3, 0.6


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective, problem = task.objective, task.problem
    if is_of_one_figure(objective):
        return Refusal("one figure has the route scores")
    if not is_design(objective):
        return Refusal(f"{objective.name} is no criterion of an information matrix")
    if problem.n < FEWEST_INPUTS:
        return Refusal(f"{problem.n} inputs have no sets to choose from; take the route weights")
    if task.outputs is not None and task.outputs < problem.n:
        return Refusal(SINGULAR.format(n=problem.n))
    return Plan(partial(_of_shifts, objective))


def _of_shifts(objective: InformationDesign, task: Task, solver: str) -> Candidate:
    """Return the mechanism of the sets, with the multipliers of its bound."""
    stages = Stages()
    with in_share(OF_MATRIX):
        matrix, note = shifted_sets(task)
    stages.lap("solve")
    with in_share(OF_SLOPE):
        alone = bounds_by_sizes(objective, task)
        found = None if alone else best_reference(objective, task.problem, task.notion.parameter)
        shown = best_multipliers(objective, task, found)
    stages.lap("price")
    stats = SolverStats(ROUTE.solvers[0], "not needed", stages.timings["solve"], 0)
    return Candidate(matrix, shown, stats, stages.timings, note)


def first_of_all(task: Task) -> str | None:
    """Return why it is asked first where it answers by a formula: no program over sets finds more."""
    if task.solver is None and has_all_sets(task):
        return "where frequencies are equal all sets of one size are optimal (subset selection, Ye and Barg 2018)"
    return None


def size(task: Task) -> Size:
    """Return the size of the shifts of one set: with room for more there are more."""
    return Size(bytes_of("shifts", task.problem.n**2))


ROUTE = Route("blocks", without_solver, plan, size, first_of_all, is_exact=False)
