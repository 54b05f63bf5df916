"""What every route must satisfy: it refuses with a sentence, or its answer is the optimum and proves it.

Of a route that is not exact the answer is private and its bound is true; neither need be the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.exponent import Exponent
from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.revealing_outputs import decided
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.solve.task import Candidate, Route, Task
from mechdesign.testing.certificate_contract import repaired_is_stochastic
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.programs import optimum

#: Two routes, or a route and a judging program, agree this well: solvers stop at their tolerances.
AGREE: Final = 2e-6
#: How far the sums of rows are moved to see what the multipliers promise.
STEPS: Final = (0.01, 0.1)


@dataclass(frozen=True)
class Answer:
    """A route's answer with its repaired matrix, the utility that this reaches, and the bound."""

    candidate: Candidate
    matrix: Array
    utility: float
    bound: float


def check_route(route: Route, task: Task, rng: np.random.Generator) -> None:
    """Check every clause of the contract of routes; a route that refuses has only its sentence checked.

    Parameters
    ----------
    route : Route
        The member.
    task : Task
        A question of few inputs; its problem is over the mechanism's inputs.
    rng : numpy.random.Generator
        Where the directions of the finite differences come from.

    Raises
    ------
    BrokenContractError
        With the member, the clause and what was found.
    """
    member = f"route {route.name} for {task.objective} under {task.notion}"
    run({"refusal": refuses_in_words}, member, route, task, rng)
    if route.refusal(task) is None:
        run({name: clause for name, clause in ROUTE_CLAUSES.items() if name != "refusal"}, member, route, task, rng)


def refuses_in_words(route: Route, task: Task, rng: np.random.Generator) -> None:
    """A refusal is a sentence that a user can act on, and never an exception."""
    for asked in (task, replace(task, subject_to=lambda Q: [Q <= 1]), replace(task, outputs=1)):
        said = route.refusal(asked)
        if said is not None:
            words = isinstance(said, str) and len(said.split()) >= 4 and not said.endswith((".", " "))
            require(words, f"the refusal is {said!r}, which is no sentence without its stop")


def candidate_is_matrix(route: Route, task: Task, rng: np.random.Generator) -> None:
    """The candidate has a row for each input, is nearly stochastic, and its multipliers are finite numbers."""
    candidate, n = route.solve(task), task.problem.n
    decisions, revealed = task.objective.outputs(task.problem), len(task.columns.revealed)
    rows, outputs = candidate.matrix.shape
    allowed = {outputs} if decisions is None else {decisions + revealed} if route.is_exact else {decisions}
    require(rows == n and outputs in allowed, f"the matrix has the shape {candidate.matrix.shape}")
    require(np.all(np.isfinite(candidate.matrix)), "the matrix has entries that are not finite")
    missed = float(np.abs(candidate.matrix.sum(axis=1) - 1).max())
    require(missed <= 1e-6, f"a row of the matrix misses the sum 1 by {missed:.2g}")
    require(candidate.matrix.min() >= -1e-6, f"the matrix has the entry {candidate.matrix.min():.2g}")
    rows = np.asarray(candidate.multipliers.rows)
    require(rows.shape == (n,) and np.all(np.isfinite(rows)), "there is not one finite multiplier for each row")
    require(candidate.stats.name and candidate.stats.status, "the solver's name or status is missing")


def answer_is_private(route: Route, task: Task, rng: np.random.Generator) -> None:
    """The repaired matrix is stochastic to the last bit, passes the exact check, and is near the route's."""
    candidate = route.solve(task)
    fixed = repair(candidate.matrix, task.notion, task.problem, keep_outputs=True)
    moved = float(np.abs(fixed.matrix - candidate.matrix).max())
    require(moved <= 1e-6, f"the repair had to move the route's matrix by {moved:.2g}")
    repaired_is_stochastic(lambda *_: fixed, task.notion, task.problem, rng)
    numerators = np.ldexp(fixed.matrix, 53).astype(np.int64)
    require(task.notion.holds_exactly(numerators, task.problem), "the repaired matrix fails the exact check")


def gap_is_closed(route: Route, task: Task, rng: np.random.Generator) -> None:
    """Value and bound bracket the optimum, and lie within the gap of each other."""
    found, best = answered(route, task), optimum(task, np.ones(task.problem.n))
    scale = size(task, best)
    require(found.utility <= best + AGREE * scale, f"the matrix reaches {found.utility!r}, above the optimum {best!r}")
    require(found.bound >= best - 1e-8 * scale, f"the bound {found.bound!r} lies below the optimum {best!r}")
    if not route.is_exact:
        return
    width = (found.bound - found.utility) / scale
    require(width <= task.gap, f"utility {found.utility!r} and bound {found.bound!r} leave a gap of {width:.2g}")


def value_is_optimal(route: Route, task: Task, rng: np.random.Generator) -> None:
    """The matrix reaches the optimum of the judging program."""
    if not route.is_exact:
        return
    found, best = answered(route, task), optimum(task, np.ones(task.problem.n))
    far = abs(found.utility - best) / size(task, best)
    require(far <= AGREE, f"the matrix reaches {found.utility!r}, the optimum is {best!r}")


def multipliers_are_slopes(route: Route, task: Task, rng: np.random.Generator) -> None:
    """Moving the row sums along d changes the optimum by at most ``multipliers . d``: it is concave in them."""
    if not route.is_exact:
        return
    if isinstance(task.objective, Exponent | EstimatorVariance):
        # They belong to the sum of powers at one order, or the information at one population.
        return
    if task.outputs is not None:
        # Over so few outputs the optimum is not concave in the row sums, and each leaf has multipliers of its own.
        return
    n, candidate = task.problem.n, route.solve(task)
    rows = np.asarray(candidate.multipliers.rows)
    best = optimum(task, np.ones(n))
    scale = size(task, best)
    # Along its own columns the optimum is linear in the row sums, elsewhere it may have kinks.
    directions = [*rng.uniform(-1, 1, size=(2, n)), *candidate.matrix.T[:4]]
    for direction in directions:
        for step in (s * sign for s in STEPS for sign in (1, -1)):
            moved = feasible_optimum(task, np.ones(n) + step * direction)
            promised = best + step * float(rows @ direction)
            require(
                moved <= promised + AGREE * scale,
                f"row sums moved by {step} make the optimum {moved!r}, the multipliers promise at most {promised!r}",
            )


def feasible_optimum(task: Task, sums: Array) -> float:
    """Return the optimum over matrices whose rows have the sums `sums`; minus infinity without such a matrix."""
    try:
        found = optimum(task, sums)
    except AssertionError:
        return -np.inf
    return found if np.isfinite(found) else -np.inf


def answered(route: Route, task: Task) -> Answer:
    """Return the route's answer, repaired and bounded."""
    candidate, objective = route.solve(task), task.objective
    keep = objective.outputs(task.problem) is not None
    matrix = repair(candidate.matrix, task.notion, task.problem, keep_outputs=keep).matrix
    value = objective.value(decided(matrix, objective, task.problem), task.problem)
    utility = objective.to_utility(value, task.problem)
    tolerance = 0.1 * task.gap * size(task, utility)
    bound = utility_bound(task.notion, objective, task.problem, candidate.multipliers, tolerance, task.outputs)
    return Answer(candidate, matrix, utility, bound.utility)


def size(task: Task, utility: float) -> float:
    """Return the size of the value that belongs to `utility`: agreement and gap are relative to it."""
    value = abs(task.objective.from_utility(utility, task.problem))
    # Next to an error of 0 no solver reaches a relative gap; a design says so by a GapWarning.
    idle = abs(task.objective.uninformative(task.problem))
    return max(value, 1e-3 * idle if np.isfinite(idle) else 0.0, 1e-9)


#: The contract of routes, by name.
ROUTE_CLAUSES: dict[str, Clause] = {
    "refusal": refuses_in_words,
    "candidate": candidate_is_matrix,
    "private": answer_is_private,
    "gap": gap_is_closed,
    "optimal": value_is_optimal,
    "multipliers": multipliers_are_slopes,
}
