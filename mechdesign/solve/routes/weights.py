"""Route `weights`: information design over the weights of extreme rays, where it is one convex program."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import LDP, Rays
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.objectives.information_design import is_design
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.one_figure import is_of_one_figure
from mechdesign.solve.pricing.all_rays import rays_or_why
from mechdesign.solve.pricing.subset_quadratic import by_subsets, first_subsets, priced, rays_of
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.programs.few_rays import few_outputs
from mechdesign.solve.programs.over_weights import (
    NO_INFORMATION,
    Optimum,
    RayInformation,
    best_weights,
    factor,
    informative,
    no_information,
)
from mechdesign.solve.resources.measurements import seconds_of
from mechdesign.solve.resources.programs import rays_bytes
from mechdesign.solve.search.progress import Progress
from mechdesign.solve.solvers.catalogue import of_semidefinite_programs
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task, stopping
from mechdesign.tolerances import NEGLIGIBLE_MASS, RAY_LIMIT

#: Up to this many rays are in the first program; of more, those that are best for each frequency alone.
FIRST_RAYS = 700
#: Rays that are added in a round, and rounds.
MORE_RAYS, MOST_ROUNDS = 200, 40
#: Subsets of the first program, where rays are not listed, and rounds of pricing all of them.
FIRST_SUBSETS, SUBSET_ROUNDS = 900, 12
#: Rays stay in while they are this near to entering, as a share of the largest utility.
NEAR = 0.1


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    notion, objective, problem = task.notion, task.objective, task.problem
    if is_of_one_figure(objective):
        return Refusal("one figure has the route scores")
    if not is_design(objective):
        return Refusal(f"{objective.name} is no criterion of an information matrix")
    if task.outputs is not None and task.outputs < problem.n:
        return Refusal(
            f"with fewer outputs than the {problem.n} inputs the information matrix is singular; raise outputs"
        )
    if by_subsets(notion, problem):
        return Plan(partial(_over_subsets, notion, objective))
    known = rays_or_why(notion, problem)
    return Refusal(known) if isinstance(known, str) else Plan(partial(_over_rays, objective, known))


#: The weights of the best round with the rays that they are of, and the multipliers of the best bound.
_Rounds = Progress[tuple[Optimum, RayInformation] | None, Multipliers]


def _over_rays(objective: InformationDesign, known: Rays, task: Task, solver: str) -> Candidate:
    """Minimise the criterion of ``sum_r w_r M(r)`` over weights with ``sum_r w_r r = 1`` and the budget.

    Rays enter in rounds: those that the multipliers of the present ones price highest, until the bound over all rays
    is as tight as asked. The weights are then moved to a vertex of those with the same information.
    """
    stages, rays = Stages(), informative(task, objective, known)
    chosen = _first(task, rays)
    stages.lap("build")
    progress = _progress(task, MOST_ROUNDS)
    with stopping(task, lambda: progress.rounds > 0) as ending:
        while not progress.is_over:
            try:
                found = best_weights(task, objective, rays, chosen, solver)
            except SolverError:
                if not progress.rounds:
                    raise
                # What the rounds before came to is sound, and nearly as good.
                break
            bound, multipliers, own = _best_slope(task, rays[chosen], found)
            progress.show(bound, multipliers)
            progress.reach(-found.value, (found, rays))
            width = progress.end_round()
            utility, lam, nu = _squares(rays, found.slope), own.rows, own.budget
            excess = (utility - nu @ rays.cost - lam @ rays.columns) / rays.mass
            scale = float((utility / rays.mass).max())
            # Rays that are far from entering would only slow the next program down.
            enter = found.weights[chosen] * rays.mass[chosen] > NEGLIGIBLE_MASS
            near = chosen[enter | (excess[chosen] > -NEAR * scale)]
            excess[chosen] = -np.inf
            new = np.argsort(-excess)[:MORE_RAYS]
            new = new[excess[new] > 0]
            if width <= 0.1 * task.gap * abs(progress.reached) or not len(new) or is_late():
                break
            chosen = np.sort(np.concatenate([near, new]))
    return _candidate(progress, stages, f"{len(chosen)} of {len(rays.mass)} rays", ending)


def _over_subsets(notion: LDP, objective: InformationDesign, task: Task, solver: str) -> Candidate:
    """Minimise over the weights of some subsets' rays, and add those that pricing all of them finds."""
    stages, problem = Stages(), task.problem
    subsets = first_subsets(problem.n, notion, FIRST_SUBSETS)
    progress = _progress(task, SUBSET_ROUNDS)
    with stopping(task, lambda: progress.rounds > 0) as ending:
        while not progress.is_over:
            rays = informative(task, objective, rays_of(subsets, notion))
            try:
                found = best_weights(task, objective, rays, np.arange(len(rays.mass)), solver)
            except SolverError:
                if not progress.rounds:
                    raise
                break
            bound, multipliers, own = _best_slope(task, rays, found)
            progress.show(bound, multipliers)
            progress.reach(-found.value, (found, rays))
            if progress.end_round() <= 0.1 * task.gap * abs(progress.reached) or is_late():
                break
            utility, lam = _squares(rays, found.slope), own.rows
            worst = priced(notion, objective, problem, found.slope, lam, notion.normal(problem), MORE_RAYS)
            excess = (utility - lam @ rays.columns) / rays.mass
            near = (found.weights * rays.mass > NEGLIGIBLE_MASS) | (excess > -NEAR * float((utility / rays.mass).max()))
            subsets = np.unique(np.hstack([subsets[:, near], worst]), axis=1)
    return _candidate(progress, stages, f"{subsets.shape[1]} subsets, all of them priced", ending)


def _progress(task: Task, rounds: int) -> _Rounds:
    return Progress(task, None, Multipliers(np.zeros(task.problem.n)), most_rounds=rounds)


def _candidate(progress: _Rounds, stages: Stages, over: str, ending: Ending) -> Candidate:
    """Return the weights of the best round, moved to few outputs."""
    stages.lap("solve")
    assert progress.found is not None, "stopping() raises where no round has ended"
    best, rays = progress.found
    matrix = few_outputs(progress.task, rays, best)
    stages.lap("vertex")
    note = f"over {over}, {progress.rounds} rounds{ending}"
    return Candidate(matrix, progress.shown, best.stats, stages.timings, note, ending.interrupted)


def _best_slope(task: Task, rays: RayInformation, found: Optimum) -> tuple[float, Multipliers, Multipliers]:
    """Return the better bound of two slopes with its multipliers, and those of the solver's slope, which price rays.

    The other slope is alike for all contrasts: where those are estimated equally well, the worst of them is no single
    one, and the solver's slope one of many.
    """
    slopes, basis = [found.slope], contrasts(task.problem.n)
    if is_design(task.objective) and task.objective.criterion == "E":
        slopes.append(np.eye(len(found.slope)) * float(np.trace(found.slope)) / len(found.slope))
    offered = []
    for slope in slopes:
        lam, nu = _linear(task, rays, _squares(rays, slope))[1:]
        multipliers = Multipliers(lam, nu, basis @ slope @ basis.T)
        bound = utility_bound(task.notion, task.objective, task.problem, multipliers).utility
        offered.append((bound, multipliers))
    return *min(offered, key=lambda one: one[0]), offered[0][1]


def _squares(rays: RayInformation, slope: Array) -> Array:
    """Return ``trace(B M(r))`` of each ray."""
    return np.asarray(((factor(slope).T @ rays.factors) ** 2).sum(axis=0))


def _first(task: Task, rays: RayInformation) -> Any:
    """Return the rays of the first program: all, or those of the best weights for each frequency and for all alike."""
    n, count = task.problem.n, len(rays.mass)
    # In units in which the rays together identify each contrast equally.
    axes, sizes, whitened = np.linalg.svd(rays.factors, full_matrices=False)
    weights = _linear(task, rays, (whitened**2).sum(axis=0))[0]
    if not float((whitened**2).sum(axis=0) @ weights) > NO_INFORMATION:
        raise no_information(task)
    if count <= FIRST_RAYS:
        return np.arange(count)
    found = weights > 0
    # With rays from all over, there is room to move the weights in.
    found[:: count // MORE_RAYS] = True
    for contrast in contrasts(n) @ (axes / sizes):
        if is_late():
            break
        found |= _linear(task, rays, (contrast @ whitened) ** 2)[0] > 0
    regular = np.linalg.matrix_rank(whitened[:, found]) == n - 1
    return np.flatnonzero(found) if regular else np.arange(count)


def _linear(task: Task, rays: RayInformation, utility: Array) -> tuple[Array, Array, Array]:
    """Return the weights with the largest ``w . utility``, and the multipliers of the rows and of the budget."""
    limits, n = task.notion.budget(task.problem).limits, task.problem.n
    program = ColumnWeights.of(rays.balance, np.eye(n)[0], rays.cost, limits)
    found = program.best(utility, scale=float(np.abs(utility / rays.mass).max()))
    return found.weights, found.of_sums @ rays.balancing, found.of_limits


def size(task: Task) -> Size:
    """Return the size of a program over the rays, and the seconds until the first of them has ended."""
    n, first = task.problem.n, 0.0
    # Of other notions the count is an upper bound that few cones come near to.
    known = task.notion.banded or task.notion.around_mass
    count = task.notion.ray_count(task.problem) if known else None
    if count is not None and count <= RAY_LIMIT:
        first = seconds_of("weights", n**4) + seconds_of("contrasts", n**2 * count) * (count > FIRST_RAYS)
    return Size(rays_bytes(task), first=first)


ROUTE = Route("weights", of_semidefinite_programs, plan, size, size_first=True)
