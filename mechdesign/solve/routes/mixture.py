"""Route `mixture`: the input itself with the probability that a notion leaves for it, and else what is best privately.

Under (epsilon, delta)-LDP these are delta and the best mechanism of LDP. Where the decisions are finitely many or one
number, a bound comes from flows between the inputs; the gap need not close.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import LDP
from mechdesign.objectives import ExpectedLoss, Objective, RatioType, Separable
from mechdesign.objectives.base import Convex, gains_of, is_convex, is_separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import in_share, is_late
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.continuum_of_decisions import WIDEST_RANGE, peaks, price, ratio_range
from mechdesign.solve.pricing.pair_flows import MOST_INPUTS, PairFlows, has_flows, pairs_of
from mechdesign.solve.pricing.revealing_outputs import with_disclosure
from mechdesign.solve.resources.effort import too_slow
from mechdesign.solve.resources.programs import cone_bytes
from mechdesign.solve.routes import columns, quantised
from mechdesign.solve.search.pair_charges import charges_of_pairs, with_more
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, stopping, used, without_solver

#: The routes that are asked for the best private mechanism.
ROUTES: tuple[Route, ...] = (columns.ROUTE, quantised.ROUTE)
#: Share of the time for that mechanism, and of the gap for it.
OF_TIME, OF_GAP = 0.4, 0.25
#: Decisions over which a continuum is spread at first, and rounds in which those that gain most are added.
DECISIONS, ROUNDS = 65, 4
#: Inputs from which on it is asked first where the decisions are finitely many: the program over them comes after it.
FIRST = 16
#: By what share a continuum's multipliers are raised, and by what share of the gap at least: between decisions that
#: leave no room pricing would never end.
ROOM, ROOM_OF_GAP = 3e-5, 0.1


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    problem, objective = task.problem, task.objective
    known = task.notion.columns(problem).mixture
    if known is None:
        return Refusal("only under ApproximateLDP may a mechanism report the input itself with some probability")
    if is_convex(objective):
        problem, objective = _under_equal_weights(objective, problem)
    if not is_separable(objective):
        return Refusal(f"the value of {objective.name} is no sum over outputs")
    if not has_flows(task.notion, problem):
        return Refusal(f"there are more than the {MOST_INPUTS} inputs for which flows between pairs are looked at")
    if task.outputs is not None:
        return Refusal("outputs that reveal an input take one each, so their number cannot be restricted")
    if objective.gains(problem) is None and not _is_bounded_line(objective, task):
        return Refusal(f"the decisions of {objective.name} are neither finitely many nor one number within bounds")
    epsilon, share = known
    inner = replace(
        task,
        problem=problem,
        notion=LDP(epsilon),
        objective=objective,
        gap=OF_GAP * task.gap,
        solver=None,
        warm_start=None,
        say=None,
    )
    refusals = []
    for route in ROUTES:
        why = too_slow(inner, route.size(inner)) or route.refusal(inner)
        if why is None:
            return Plan(partial(_mixed, objective, route, inner, share))
        refusals.append(f"{route.name}: {why}")
    return Refusal(f"no route answers under {inner.notion} ({'; '.join(refusals)})")


def _is_bounded_line(objective: Objective, task: Task) -> bool:
    """Return whether the decisions are one number, of which no column needs one without bound."""
    if not isinstance(objective, RatioType):
        return False
    line = objective.ratio(task.problem)
    ends = ratio_range(line, task.notion, task.problem)
    return max(map(abs, ends)) <= WIDEST_RANGE and bool(np.all(np.isfinite(line.functionals(np.array(ends)))))


def _under_equal_weights(objective: Convex, problem: Problem) -> tuple[Problem, Objective]:
    """Return the expected loss that is no larger than the maximum of several: their mean."""
    cost = objective.minorant(None, problem)
    return Problem(prior=np.full(problem.n, 1.0 / problem.n)), ExpectedLoss(problem.n * cost)


def _mixed(objective: Separable, route: Route, inner: Task, delta: float, task: Task, solver: str) -> Candidate:
    """Return the mixture of the best private mechanism and of disclosure, with multipliers for both."""
    stages, problem = Stages(), inner.problem
    found: list[tuple[float, Candidate, Multipliers]] = []
    with stopping(task, lambda: bool(found)) as ending:
        for named in _solvers(objective, route, problem):
            with in_share(OF_TIME):
                candidate = route.solve(inner, named)
            stages.lap("solve")
            found.append((math.inf, candidate, Multipliers(np.zeros(problem.n))))
            if is_late() or candidate.interrupted:
                break
            multipliers = _multipliers(objective, inner, task, candidate)
            total = math.fsum([*multipliers.rows, delta * float(multipliers.budget.sum())])
            found[-1] = (total, candidate, multipliers)
            stages.lap("price")
    _, candidate, multipliers = min(found, key=itemgetter(0))
    private = np.maximum(candidate.matrix, 0.0)
    matrix = with_disclosure(private / private.sum(axis=1, keepdims=True), delta, objective, problem)
    note = f"with probability {delta:g} the input, else what {route.name} finds under {inner.notion}{ending}"
    interrupted = ending.interrupted or candidate.interrupted
    return Candidate(matrix, multipliers, candidate.stats, stages.timings, note, interrupted)


def _solvers(objective: Separable, route: Route, problem: Problem) -> tuple[str | None, ...]:
    """Return the solvers that are asked: over finitely many decisions for a vertex and for the middle of the optima.

    Which of the two multipliers leave the flows more room differs from question to question.
    """
    both = tuple(name for name in ("CLARABEL", "HIGHS") if name in route.solvers)
    return both if objective.gains(problem) is not None and both else (None,)


def _multipliers(objective: Separable, inner: Task, task: Task, found: Candidate) -> Multipliers:
    """Return the multipliers of the rows, of the private notion, and of the pairs."""
    problem, private, rows = inner.problem, inner.notion, found.multipliers.rows
    bound = utility_bound(private, objective, problem, found.multipliers, 0.0).utility
    # Raised until they suffice for every column of the private notion.
    rows = rows + max(bound - float(rows.sum()), 0.0) * private.columns(problem).normal
    asked = replace(task, problem=problem)
    return Multipliers(rows, pairs_of(_charges(objective, asked, used(np.maximum(found.matrix, 0.0)), rows)))


def _charges(objective: Separable, task: Task, private: Array, rows: Array) -> Array:
    """Return what revealing is charged for each pair of inputs, shape (n, n).

    Parameters
    ----------
    private : ndarray, shape (n, outputs)
        Columns whose decisions matter most.
    rows : ndarray, shape (n,)
    """
    notion, problem, ratio = task.notion, task.problem, task.columns.pair_ratio
    assert ratio is not None, "has_flows() was asked first"
    gains = objective.gains(problem)
    if gains is not None:
        return charges_of_pairs(gains, rows, ratio)
    assert isinstance(objective, RatioType), "the plan refuses others"
    line, normal = objective.ratio(problem), notion.columns(problem).normal
    grid = np.linspace(*ratio_range(line, notion, problem), DECISIONS)
    first = np.concatenate([line.at(np.eye(problem.n)), line.at(private), grid])
    room = max(ROOM, ROOM_OF_GAP * task.gap)
    most = (1.0 + room) * charges_of_pairs(line.functionals(np.unique(first)), rows, ratio)
    enough = room * float(most.sum())
    for _ in range(ROUNDS):
        flows = PairFlows(ratio, most)
        found = price(line, partial(_values, flows, normal), rows, grid, enough)
        new = peaks(found)
        if not len(new) or found.bound <= enough or is_late():
            break
        most = (1.0 + room) * with_more(most / (1.0 + room), line.functionals(new) - rows, ratio)
    return most


def _values(flows: PairFlows, normal: Array, functionals: Array) -> Array:
    return flows.support(functionals, normal).values


def size(task: Task) -> Size:
    """Return the size of the budgets' array; the size of the private mechanism is checked in the plan."""
    return Size(cone_bytes(task))


def first_of_all(task: Task) -> str | None:
    """Return why it is asked before the program over decisions, which takes longer, and comes next where it misses."""
    many = task.problem.n >= FIRST and gains_of(task.objective, task.problem) is not None
    if not many or task.outputs is not None or task.columns.mixture is None:
        return None
    return "the input with some probability, and else what is best privately, is often optimal"


ROUTE = Route("mixture", without_solver, plan, size, first_of_all, is_exact=False)
