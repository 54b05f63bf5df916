"""Route `scores`: the least variance of one figure, by linear programs over the scores that outputs stand for.

An estimator adds up a score for each report. At fixed scores the best mechanism whose scores have the right expectation
for every input is one linear program; where its prices have a maximum, scores are added. Under LDP columns are sets of
inputs, and the scores of given sets are found with their weights by one second-order cone program; sets are added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mechdesign.baselines.stochastic_rounding import strongest_rounding
from mechdesign.errors import InfeasibleError, SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import SmoothBudget
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import RatioType
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.information_design import is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import no_certificate
from mechdesign.solve.certificate.one_figure import at_population, centred, information_along, spread
from mechdesign.solve.pricing.continuum_of_decisions import Price, added, peaks, price, ratio_range
from mechdesign.solve.pricing.squared_ratio_on_band import pricing_of
from mechdesign.solve.pricing.support import support
from mechdesign.solve.pricing.utility_kind import UtilityKind, kind_of
from mechdesign.solve.programs.over_scores import Slopes, Unbiased, exactly_unbiased, over_scores
from mechdesign.solve.resources.programs import (
    cone_bytes,
    cone_seconds,
    numbers_over_matrix,
    program_bytes,
    program_seconds,
)
from mechdesign.solve.search.few_scores import FewScores
from mechdesign.solve.search.incumbent import Incumbent, in_rounds
from mechdesign.solve.search.known_mechanisms import best
from mechdesign.solve.search.sets_of_values import SetsOfValues
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
#: The share of the gap at which a search ends, and over an interval.
NEAR, NEAR_BETWEEN = 0.5, 0.9
#: Numbers of size one that are no further apart are equal.
MIRRORED = 1e-12
#: How far on the way from the best multipliers to the program's they are priced, beside the latter (Wentges 1997).
MIXED = 0.5
#: Scores beyond which those that are not used are forgotten.
MANY_SCORES = 100
#: The largest level at which columns are searched as sets: beyond it entries differ by more than solvers can hold.
MOST_OF_SETS = 12.0
#: Rounds at most, and without progress.
MOST_ROUNDS, PATIENCE = 40, 4
#: The share by which a better mechanism over sets counts as progress: its bound is nothing until sets are nearly best.
GAINED = 1e-4


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective, notion = task.objective, task.notion
    asked: _Figure | _Mean
    if is_of_one_figure(objective):
        asked = _Figure(objective, task)
    elif isinstance(objective, EstimatorVariance):
        asked = _Mean(objective, task)
    else:
        return Refusal(f"{objective} is not the variance of one figure")
    if task.outputs == 1:
        return Refusal("reports of one output identify nothing; raise outputs")
    if not notion.polyhedral or isinstance(notion.columns(task.problem).budget(), SmoothBudget):
        return Refusal(f"the columns under {notion.name} are no polyhedron")
    none = no_certificate(notion, objective, task.problem)
    return Plan(partial(_over_scores, asked)) if none is None else Refusal(none)


def _is_of_scores(task: Task) -> bool:
    return kind_of(task.objective, task.problem) in (UtilityKind.FIGURE, UtilityKind.MEAN)


class _Figure:
    """The variance of one figure: the estimand of the scores, and the bound of multipliers."""

    def __init__(self, figure: Any, task: Task) -> None:
        self.figure, self.problem = figure, task.problem
        #: Where the variance is averaged, shape (n,), and the expectation of the score for each input.
        self.theta: Array | None = figure.theta_of(task.problem)
        self.wanted = centred(figure, task.problem)

    def at(self, slopes: Slopes) -> tuple[Any, float]:
        """Return the figure whose variance the multipliers bound, and what that counts beside the value."""
        return self.figure, 0.0

    def shown(self, slopes: Slopes, least: float, most: float) -> Multipliers:
        """Return multipliers in units in which the information is the variance: then they are slopes of that."""
        share, given = least / most if most > 0.0 and least > 0.0 else 1.0, slopes.multipliers
        return Multipliers(given.rows * share, given.budget * share, slopes.direction * math.sqrt(share))


class _Mean:
    """The variance of an unbiased estimate of a number, averaged over a population or the largest; likewise."""

    def __init__(self, mean: EstimatorVariance, task: Task) -> None:
        self.mean, self.problem = mean, task.problem
        self.theta = mean.population(task.problem)
        values = mean.figure(task.problem)
        self.wanted = values - 0.5 * (float(values.max()) + float(values.min()))

    def at(self, slopes: Slopes) -> tuple[Any, float]:
        """Return the mean at the population of the multipliers, and the variance of the values there."""
        figure, _ = at_population(self.mean, self.problem, np.vstack([slopes.theta, slopes.direction]))
        return figure, spread(figure, self.problem)

    def shown(self, slopes: Slopes, least: float, most: float) -> Multipliers:
        """Return the multipliers with their population and direction."""
        return replace(slopes.multipliers, weights=np.vstack([slopes.theta, slopes.direction]))


def _over_scores(asked: _Figure | _Mean, task: Task, solver: str) -> Candidate:
    """Solve over some scores, and add those at which a column would lower the variance."""
    rounds = _Rounds(asked, task, solver, Stages())
    ending = in_rounds(rounds.best, rounds.one, lenient=True)
    assert rounds.stats is not None, "in_rounds() raises where no round has ended"
    note, matrix = f"over {len(rounds.scores)} scores, {rounds.best.rounds} rounds{ending}", rounds.best.found
    if task.outputs is not None and used(matrix).shape[1] > task.outputs:
        # What bounds every mechanism bounds those of few outputs, too.
        name, matrix = best(task)
        few = rounds.of_few(task.outputs)
        if few is not None and task.objective.value(few, task.problem) < task.objective.value(matrix, task.problem):
            name, matrix = f"{task.outputs} scores", few
        note += f"; {name}, beside the bound for any number of outputs"
    return Candidate(matrix, rounds.best.shown, rounds.stats, rounds.stages.timings, note, ending.interrupted)


class _Rounds:
    """Rounds of one search: a program over some scores, a bound by its multipliers, and further scores."""

    def __init__(self, asked: _Figure | _Mean, task: Task, solver: str, stages: Stages) -> None:
        self.asked, self.task, self.solver, self.stages = asked, task, solver, stages
        self.unit = float(np.abs(asked.wanted).max())
        self.wanted = asked.wanted / self.unit
        self.mirrored = _is_mirrored(task, asked.theta, self.wanted)
        self.scores = _first(task, self.wanted)
        if self.mirrored:
            self.wanted = 0.5 * (self.wanted - self.wanted[::-1])
            self.scores = np.unique(np.append(np.abs(self.scores), 0.0))
        is_of_sets = is_ldp_of_inputs(task.notion, task.problem) and task.notion.parameter <= MOST_OF_SETS
        #: The search over sets, which replaces the one over scores for as long as its solver answers.
        self.sets = SetsOfValues(task, self.wanted, asked.theta, solver) if is_of_sets else None
        self.stats: SolverStats | None = None
        self.last: Unbiased | None = None
        #: The multipliers of the best bound so far.
        self.slopes: Slopes | None = None
        n = task.problem.n
        constant, nothing = np.ones((n, 1)), Multipliers(np.zeros(n))
        gain = None if self.sets is None else GAINED
        self.best = Incumbent(task, constant, nothing, most_rounds=MOST_ROUNDS, patience=PATIENCE, least_gain=gain)
        # No variance is negative.
        self.best.show(0.0, nothing)
        # Rounding to points of an interval leaves a part of the gap, whatever the search does.
        self.near = (NEAR if task.problem.interval is None else NEAR_BETWEEN) * task.gap
        stages.lap("build")

    def one(self, ending: Ending) -> bool:
        """Solve, price and add scores; return whether another round is needed."""
        task, best = self.task, self.best
        found = self._solved()
        self.stages.lap("solve")
        self.stats, self.last = found.stats, found if self.sets is None else self.sets.spread
        matrix = _matrix(found, self.wanted, task)
        best.reach(-task.objective.value(matrix, task.problem), matrix)
        trials = [found.slopes] if self.slopes is None else [self.slopes.mixed(found.slopes, MIXED), found.slopes]
        new = np.concatenate([self._price(slopes) for slopes in trials])
        self.stages.lap("price")
        if best.end_round() <= self.near * abs(best.reached) or is_late():
            return False
        if self.sets is not None:
            return True
        if len(self.scores) > MANY_SCORES and self.mirrored:
            # Few are used: programs over all that were ever added take most of the time.
            made = np.abs(found.scores[found.columns.max(axis=0) > NEGLIGIBLE_MASS])
            self.scores = np.intersect1d(self.scores, made)
        self._add(new)
        return True

    def _solved(self) -> Unbiased:
        if self.sets is not None:
            try:
                return self.sets.solve()
            except SolverError:
                if is_late():
                    raise
                # Over scores all rows are of linear programs, which solvers fail at less often.
                self.sets = None
        task, theta = self.task, self.asked.theta
        return over_scores(task, self.wanted, theta, self.scores, self.solver, mirrored=self.mirrored)

    def of_few(self, count: int) -> Array | None:
        """Return the best mechanism found of at most `count` outputs; None if none is found."""
        if self.last is None or is_late():
            return None
        task, asked, made = self.task, self.asked, []
        # With mirror images an odd number has the score 0.
        for scores in {count, max(count - 1, 2)}:
            few = FewScores(task, self.wanted, asked.theta, scores, self.solver, self.mirrored)
            found = few.best(self.last)
            made += [] if found is None else [_matrix(found, self.wanted, task)]
        return min(made, key=lambda matrix: task.objective.value(matrix, task.problem), default=None)

    def _price(self, slopes: Slopes) -> Array:
        """Bound the value by multipliers, keep the best, and return the scores of columns that cost too little."""
        figure, beside = self.asked.at(slopes)
        along = information_along(figure, self.task.problem, slopes.direction)
        # What is granted bounds the second moment; the variance may be a small part of that.
        value = -self.best.reached
        priced, most = _priced(self.task, along, slopes, value / (value + beside))
        least = (self.unit * float(along.direction @ self.wanted)) ** 2 / most if most > 0 else 0.0
        if beside - least < self.best.bound or self.slopes is None:
            self.slopes = slopes
        self.best.show(beside - least, self.asked.shown(slopes, least, most))
        return np.asarray(0.5 * (slopes.size * peaks(priced) + slopes.shift))

    def _add(self, new: Array) -> None:
        """Add scores; where an output may reveal an input they may lie far out, and at first all too far."""
        scores, reach = self.scores, float(np.ptp(self.scores))
        new = np.clip(np.abs(new) if self.mirrored else new, scores[0] - reach, scores[-1] + reach)
        ends = np.array([new.min(initial=scores[0]), new.max(initial=scores[-1])])
        self.scores = added(np.union1d(scores, ends), new, 1e-7 * reach)


def _is_mirrored(task: Task, theta: Array | None, wanted: Array) -> bool:
    """Return whether the question is the same where values, and the inputs with them, change their signs."""
    if not is_ldp_of_inputs(task.notion, task.problem):
        return False
    alike = theta is None or np.abs(theta - theta[::-1]).max() <= MIRRORED * theta.max()
    return bool(alike and np.abs(wanted + wanted[::-1]).max() <= MIRRORED)


def _first(task: Task, wanted: Array) -> Array:
    """Return scores that reach further than the scores of stochastic rounding at the strongest private level."""
    two = strongest_rounding(task.notion, task.problem, wanted)
    spread = float(np.ptp(two[:, 0]))
    if not spread > 0.0 and not task.notion.parameter > 0.0:
        said = f"No mechanism under {task.notion} lets the figure be estimated, so {task.objective} is infinite"
        raise InfeasibleError(f"{said}; raise its level.")
    if not spread > 0.0:
        raise SolverError(
            "No mechanism of two outputs is private whose reports identify the figure.", status="no start"
        )
    middle, half = 0.5 * float(wanted.max() + wanted.min()), 0.5 * float(np.ptp(wanted)) / spread
    spread_out = np.linspace(middle - REACH * half, middle + REACH * half, FIRST_SCORES)
    # With little privacy the scores are next to the values themselves.
    values = np.unique(wanted)[:: max(len(wanted) // FIRST_SCORES, 1)]
    return added(spread_out, values, 1e-3 * float(np.ptp(spread_out)))


def _matrix(found: Unbiased, wanted: Array, task: Task) -> Array:
    """Return the columns that are made, with the right expectations to the last digit.

    Proportional columns are one, and columns of equal scores unless some reveal an input: with others they may not.
    """
    made = found.columns.max(axis=0) > NEGLIGIBLE_MASS
    if not made.any():
        raise SolverError(
            f"{found.stats.name} ended as {found.stats.status} without columns.", status=found.stats.status
        )
    # A solver that was stopped leaves entries below zero.
    scores, columns = found.scores[made], np.maximum(found.columns[:, made], 0.0)
    if not task.columns.revealed:
        scores, place = np.unique(scores, return_inverse=True)
        columns = columns @ (place[:, None] == np.arange(len(scores)))
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


def _priced(task: Task, along: RatioType, slopes: Slopes, share: float) -> tuple[Price, float]:
    """Return the price of all columns under the multipliers, and the most information that it bounds.

    Pricing may stop within a part of the gap, of that share of the information.
    """
    notion, problem, multipliers = task.notion, task.problem, slopes.multipliers
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
        pricing = pricing_of(ratio, notion, problem, notion.columns(problem).cone())
    sums = float(multipliers.rows.sum() + nu @ notion.columns(problem).budget().limits)
    priced = pricing(multipliers.rows, decisions, 0.1 * task.gap * share * abs(sums))
    return priced, sums + priced.bound


def size(task: Task) -> Size:
    """Return the size of a program with a column for each score; no program for more than one figure."""
    if not _is_of_scores(task):
        return Size()
    numbers = numbers_over_matrix(task, OF_SCORES)
    return Size(
        cone_bytes(task) + program_bytes(task, numbers), cone_seconds(task, ends=False), program_seconds(numbers)
    )


def first_of_all(task: Task) -> str | None:
    """Return why it is the route of one figure."""
    return "over the scores of an unbiased estimator it is one linear program" if _is_of_scores(task) else None


ROUTE = Route("scores", of_linear_programs, plan, size, first_of_all, size_first=True)
