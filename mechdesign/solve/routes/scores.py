"""Route `scores`: the least variance of one figure, by linear programs over the scores that outputs stand for.

An estimator adds up a score for each report. At fixed scores the best mechanism whose scores have the right expectation
for every input is one linear program; where its prices have a maximum, scores are added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from mechdesign.baselines.stochastic_rounding import strongest_rounding
from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import SmoothBudget
from mechdesign.objectives import FisherInformation, InformationDesign
from mechdesign.objectives.information_design import is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import no_certificate
from mechdesign.solve.certificate.one_figure import centred
from mechdesign.solve.pricing.continuum_of_decisions import Price, added, peaks, price, ratio_range
from mechdesign.solve.pricing.squared_ratio_on_band import pricing_of
from mechdesign.solve.pricing.support import support
from mechdesign.solve.programs.over_scores import Unbiased, exactly_unbiased, over_scores
from mechdesign.solve.resources.programs import (
    cone_bytes,
    cone_seconds,
    numbers_over_matrix,
    program_bytes,
    program_seconds,
)
from mechdesign.solve.search.incumbent import Incumbent, in_rounds
from mechdesign.solve.search.known_mechanisms import best
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task, used
from mechdesign.tolerances import NEGLIGIBLE_MASS

#: Scores of the first program, and how far they reach, in units of those of stochastic rounding.
FIRST_SCORES, REACH = 33, 1.5
#: Scores of a program after some rounds: 88 at n = 74, LDP(1) after four.
OF_SCORES = 100
#: Decisions that pricing starts from.
GRID = 65
#: Columns whose entries differ by no larger share say the same.
ALIKE = 1e-8
#: Rounds at most, and without progress.
MOST_ROUNDS, PATIENCE = 12, 4


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective, notion = task.objective, task.notion
    if not is_of_one_figure(objective):
        return Refusal(f"{objective} is not the variance of one figure")
    if task.outputs == 1:
        return Refusal("reports of one output identify nothing; raise outputs")
    if not notion.polyhedral or isinstance(notion.budget(task.problem), SmoothBudget):
        return Refusal(f"the columns under {notion.name} are no polyhedron")
    none = no_certificate(notion, objective, task.problem)
    return Plan(partial(_over_scores, objective)) if none is None else Refusal(none)


def _over_scores(objective: InformationDesign, task: Task, solver: str) -> Candidate:
    """Solve over some scores, and add those at which a column would lower the variance."""
    stages, problem = Stages(), task.problem
    theta, wanted = objective.theta_of(problem), centred(objective, problem)
    unit = float(np.abs(wanted).max())
    wanted = wanted / unit
    scores = _first(task, wanted)
    stages.lap("build")
    constant, nothing = np.ones((problem.n, 1)), Multipliers(np.zeros(problem.n))
    progress = Incumbent(task, constant, nothing, most_rounds=MOST_ROUNDS, patience=PATIENCE)
    # No variance is negative.
    progress.show(0.0, nothing)
    stats: SolverStats | None = None

    def one(ending: Ending) -> bool:
        nonlocal scores, stats
        found = over_scores(task, wanted, theta, scores, solver)
        stages.lap("solve")
        stats = found.stats
        matrix = _matrix(found, wanted)
        progress.reach(-objective.value(matrix, problem), matrix)
        along = FisherInformation(theta, found.direction)
        priced, most = _priced(task, along, found)
        least = (unit * float(along.direction @ wanted)) ** 2 / most if most > 0 else 0.0
        progress.show(-least, _of_value(found, most, least))
        stages.lap("price")
        if progress.end_round() <= 0.5 * task.gap * abs(progress.reached) or is_late():
            return False
        new = 0.5 * (found.size * peaks(priced) + found.shift)
        # Where an output may reveal an input its score may lie far out.
        ends = np.array([new.min(initial=scores[0]), new.max(initial=scores[-1])])
        scores = added(np.union1d(scores, ends), new, 1e-7 * float(np.ptp(scores)))
        return True

    ending = in_rounds(progress, one, lenient=True)
    assert stats is not None, "in_rounds() raises where no round has ended"
    note, matrix = f"over {len(scores)} scores, {progress.rounds} rounds{ending}", progress.found
    if task.outputs is not None and used(matrix).shape[1] > task.outputs:
        # What bounds every mechanism bounds those of few outputs, too.
        name, matrix = best(task)
        note += f"; {name}, beside the bound for any number of outputs"
    return Candidate(matrix, progress.shown, stats, stages.timings, note, ending.interrupted)


def _first(task: Task, wanted: Array) -> Array:
    """Return scores that reach further than those of stochastic rounding at the strongest level that is private."""
    two = strongest_rounding(task.notion, task.problem, wanted)
    spread = float(np.ptp(two[:, 0]))
    if not spread > 0.0:
        raise SolverError(
            "No mechanism of two outputs is private whose reports identify the figure.", status="no start"
        )
    middle, half = 0.5 * float(wanted.max() + wanted.min()), 0.5 * float(np.ptp(wanted)) / spread
    spread_out = np.linspace(middle - REACH * half, middle + REACH * half, FIRST_SCORES)
    # With little privacy the scores are next to the values themselves.
    values = np.unique(wanted)[:: max(len(wanted) // FIRST_SCORES, 1)]
    return added(spread_out, values, 1e-3 * float(np.ptp(spread_out)))


def _matrix(found: Unbiased, wanted: Array) -> Array:
    """Return the columns that are made, proportional ones as one, with the right expectations to the last digit."""
    made = found.columns.max(axis=0) > NEGLIGIBLE_MASS
    columns, scores = found.columns[:, made], found.scores[made]
    masses = columns.sum(axis=0)
    shares = columns / masses
    # Alike ones are next to each other along a random line.
    order = np.argsort(np.random.default_rng(0).random(len(shares)) @ shares, kind="stable")
    apart = np.abs(np.diff(shares[:, order], axis=1)).max(axis=0) > ALIKE * shares[:, order[1:]].max(axis=0)
    starts = np.flatnonzero(np.concatenate([[True], apart]))
    merged = np.add.reduceat(columns[:, order], starts, axis=1)
    totals = np.add.reduceat((masses * scores)[order], starts)
    matrix = exactly_unbiased(merged, totals / merged.sum(axis=0), wanted)
    return matrix[:, np.argsort(totals / merged.sum(axis=0), kind="stable")]


def _of_value(found: Unbiased, most: float, least: float) -> Multipliers:
    """Return the multipliers in units in which the information is the variance: then they are slopes of that."""
    if not (most > 0.0 and least > 0.0):
        return found.multipliers
    share = least / most
    return Multipliers(
        found.multipliers.rows * share, found.multipliers.budget * share, found.direction * math.sqrt(share)
    )


def _priced(task: Task, along: FisherInformation, found: Unbiased) -> tuple[Price, float]:
    """Return the price of all columns under the multipliers, and the most information that it bounds."""
    notion, problem, multipliers = task.notion, task.problem, found.multipliers
    ratio, nu = along.ratio(problem), multipliers.budget
    low, high = ratio_range(ratio, notion, problem)
    decisions = np.linspace(low, high, GRID) if high > low else np.array([low])
    pricing: Callable[[Array, Array, float], Price]
    if len(nu):

        def sigma(functionals: Array) -> Array:
            return support(notion, problem, functionals, nu).values

        def pricing(rows: Array, decisions: Array, tolerance: float) -> Price:
            return price(ratio, sigma, rows, decisions, tolerance)
    else:
        pricing = pricing_of(ratio, notion, problem, notion.cone(problem))
    sums = float(multipliers.rows.sum() + nu @ notion.budget(problem).limits)
    priced = pricing(multipliers.rows, decisions, 0.1 * task.gap * abs(sums))
    return priced, sums + priced.bound


def size(task: Task) -> Size:
    """Return the size of a program with a column for each score; there is none of more than one figure."""
    if not is_of_one_figure(task.objective):
        return Size()
    numbers = numbers_over_matrix(task, OF_SCORES)
    return Size(
        cone_bytes(task) + program_bytes(task, numbers), cone_seconds(task, ends=False), program_seconds(numbers)
    )


def first_of_all(task: Task) -> str | None:
    """Return why it is the route of one figure."""
    one = is_of_one_figure(task.objective)
    return "over the scores of an unbiased estimator it is one linear program" if one else None


ROUTE = Route("scores", of_linear_programs, plan, size, first_of_all, size_first=True)
