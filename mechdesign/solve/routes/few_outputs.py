"""Route `few_outputs`: the optimum over at most m outputs, by branch and bound over the decisions they stand for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import SmoothBudget
from mechdesign.objectives import PiecewiseLinear, RatioType
from mechdesign.solve.certificate.few_outputs import Line, Space, decision_count, space_of
from mechdesign.solve.pricing.continuum_of_decisions import WIDEST_RANGE
from mechdesign.solve.resources.programs import (
    cone_bytes,
    cone_seconds,
    mass_seconds,
    numbers_over_matrix,
    own_columns,
    program_bytes,
    program_seconds,
)
from mechdesign.solve.search.branch_and_bound import Search
from mechdesign.solve.search.search_tree import written
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task
from mechdesign.solve.task.route import OF_YOUR_OWN

#: Outputs on a line that the boxes of their decisions can be searched for.
MOST_ON_LINE = 6


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    if task.outputs is None:
        return Refusal("the number of outputs is not bounded: give outputs=m for at most m of them")
    why = _why_not(task, task.outputs)
    if why is not None:
        return Refusal(why)
    space = space_of(task.notion, task.objective, task.problem, task.outputs)
    assert space is not None, "_why_not() refuses other decisions"
    if isinstance(space, Line) and _is_too_wide(space):
        return Refusal("an output can have a ratio without bound, so that its decisions cannot be separated")
    return Plan(partial(_over_regions, space))


def _why_not(task: Task, outputs: int) -> str | None:
    notion, objective, problem = task.notion, task.objective, task.problem
    if task.subject_to is not None:
        return OF_YOUR_OWN
    count = decision_count(objective, problem)
    if count is None and not isinstance(objective, RatioType):
        return (
            f"the decisions of {objective.name} are neither finitely many nor one number, so that there is no search "
            "among them; leave outputs out"
        )
    if not notion.polyhedral or isinstance(notion.columns(problem).budget(), SmoothBudget):
        return f"the columns of {notion.name} have a curved side, and each leaf of the search is a linear program"
    if notion.columns(problem).revealed:
        return f"{notion.name} lets outputs reveal an input, which would count as outputs besides the decisions'"
    if count is None and outputs > MOST_ON_LINE:
        return (
            f"the decisions of {objective.name} are a continuum, which is searched for at most {MOST_ON_LINE} outputs; "
            f"allow no more than {MOST_ON_LINE}, or leave outputs out"
        )
    return None


def _is_too_wide(line: Line) -> bool:
    chord = line.functionals(line.root, np.zeros(line.outputs))
    return max(abs(line.low), abs(line.high)) > WIDEST_RANGE or not np.all(np.isfinite(chord))


def _over_regions(space: Space, task: Task, solver: str) -> Candidate:
    """Cut regions of decisions in two, the most promising first, until none can hold more than was found."""
    stages = Stages()
    search = Search(task, space, solver)
    stages.lap("build")
    root = search.run()
    stages.lap("solve")
    tree, leaves = written(root)
    n, charged = task.problem.n, len(task.columns.budget())
    first = root.relaxed.multipliers
    multipliers = Multipliers(first[:n], first[n : n + charged], tree=tree, leaves=leaves)
    if isinstance(task.objective, PiecewiseLinear):
        multipliers = replace(multipliers, weights=first[n + charged :])
    note = (
        f"{len(leaves)} leaves, {search.program.solved} linear programs{', interrupted' if search.interrupted else ''}"
    )
    last = root.relaxed.stats
    stats = SolverStats(last.name, search.status, stages.timings["solve"], search.program.solved)
    return Candidate(search.columns, multipliers, stats, stages.timings, note, search.interrupted)


def size(task: Task) -> Size:
    """Return the size of the program of a region, with a column for each decision; no program without `outputs`."""
    if task.outputs is None:
        return Size()
    columns = own_columns(task) or task.outputs
    numbers, masses = numbers_over_matrix(task, columns), mass_seconds(task, columns)
    first = program_seconds(numbers) if masses is None else masses
    return Size(cone_bytes(task) + program_bytes(task, numbers), cone_seconds(task, ends=True), first)


ROUTE = Route("few_outputs", of_linear_programs, plan, size, size_first=True, takes_own_constraints=True)
