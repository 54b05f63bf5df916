"""Route `weights`: information design over the weights of extreme rays, where it is one convex program."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import LDP, Rays
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.objectives.information_design import is_design, is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import utility_bound
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
from mechdesign.solve.search.incumbent import Incumbent, in_rounds
from mechdesign.solve.solvers.catalogue import of_semidefinite_programs
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task
from mechdesign.tolerances import NEGLIGIBLE_MASS, RAY_LIMIT

#: Up to this many rays are in the first program; of more, those that are best for each frequency alone.
FIRST_RAYS = 700
#: Rays that are added in a round, and rounds.
MORE_RAYS, MOST_ROUNDS = 200, 40
#: Subsets of the first program, where rays are not listed, and rounds of pricing all of them.
FIRST_SUBSETS, SUBSET_ROUNDS = 900, 12
#: Share of the gap asked for to which the bound over all rays comes near.
OF_GAP = 0.1
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
_Rounds = Incumbent[tuple[Optimum, RayInformation] | None, Multipliers]


class _Listed:
    """All extreme rays, listed: those that the multipliers of the present ones price highest enter."""

    most_rounds = MOST_ROUNDS

    def __init__(self, objective: InformationDesign, known: Rays, task: Task) -> None:
        self.rays = informative(task, objective, known)
        self.chosen = _first(task, self.rays)

    def grow(self, found: Optimum, own: Multipliers) -> bool:
        """Add rays of positive reduced cost, drop what is far from entering; return whether there are new ones."""
        rays, chosen = self.rays, self.chosen
        utility, lam, nu = _squares(rays, found.slope), own.rows, own.budget
        excess = (utility - nu @ rays.cost - lam @ rays.columns) / rays.mass
        scale = float((utility / rays.mass).max())
        # Rays that are far from entering would only slow the next program down.
        enter = found.weights[chosen] * rays.mass[chosen] > NEGLIGIBLE_MASS
        near = chosen[enter | (excess[chosen] > -NEAR * scale)]
        excess[chosen] = -np.inf
        new = np.argsort(-excess)[:MORE_RAYS]
        new = new[excess[new] > 0]
        self.chosen = np.sort(np.concatenate([near, new])) if len(new) else chosen
        return bool(len(new))

    def __str__(self) -> str:
        return f"{len(self.chosen)} of {len(self.rays.mass)} rays"


class _OfSubsets:
    """The rays of some subsets of the inputs: those that pricing all subsets finds enter."""

    most_rounds = SUBSET_ROUNDS

    def __init__(self, notion: LDP, objective: InformationDesign, task: Task) -> None:
        self.notion, self.objective, self.task = notion, objective, task
        self._take(first_subsets(task.problem.n, notion.epsilon, FIRST_SUBSETS))

    def _take(self, subsets: Array) -> None:
        self.subsets = subsets
        self.rays = informative(self.task, self.objective, rays_of(subsets, self.notion.epsilon))
        self.chosen = np.arange(len(self.rays.mass))

    def grow(self, found: Optimum, own: Multipliers) -> bool:
        """Add the subsets of the largest reduced costs, and drop what is far from entering."""
        rays, problem = self.rays, self.task.problem
        utility, lam = _squares(rays, found.slope), own.rows
        normal = self.notion.columns(problem).normal
        worst = priced(self.notion, self.objective, problem, found.slope, lam, normal, MORE_RAYS)
        excess = (utility - lam @ rays.columns) / rays.mass
        near = (found.weights * rays.mass > NEGLIGIBLE_MASS) | (excess > -NEAR * float((utility / rays.mass).max()))
        self._take(np.unique(np.hstack([self.subsets[:, near], worst]), axis=1))
        return True

    def __str__(self) -> str:
        return f"{self.subsets.shape[1]} subsets, all of them priced"


def _over_rays(objective: InformationDesign, known: Rays, task: Task, solver: str) -> Candidate:
    return _in_rounds(objective, _Listed(objective, known, task), task, solver)


def _over_subsets(notion: LDP, objective: InformationDesign, task: Task, solver: str) -> Candidate:
    return _in_rounds(objective, _OfSubsets(notion, objective, task), task, solver)


def _in_rounds(objective: InformationDesign, pool: _Listed | _OfSubsets, task: Task, solver: str) -> Candidate:
    """Minimise the criterion of ``sum_r w_r M(r)`` over weights with ``sum_r w_r r = 1`` and the budget.

    Rays enter in rounds, until the bound over all rays is as tight as asked. The weights are then moved to a vertex of
    those with the same information.
    """
    stages = Stages()
    best: _Rounds = Incumbent(task, None, Multipliers(np.zeros(task.problem.n)), most_rounds=pool.most_rounds)

    def one(ending: Ending) -> bool:
        rays, chosen = pool.rays, pool.chosen
        found = best_weights(task, objective, rays, chosen, solver)
        bound, multipliers, own = _best_slope(task, rays[chosen], found)
        best.show(bound, multipliers)
        best.reach(-found.value, (found, rays))
        near = best.end_round() <= OF_GAP * task.gap * abs(best.reached)
        return not (near or is_late()) and pool.grow(found, own)

    ending = in_rounds(best, one, lenient=True)
    stages.lap("solve")
    assert best.found is not None, "in_rounds() raises where no round has ended"
    matrix = few_outputs(task, best.found[1], best.found[0])
    stages.lap("vertex")
    note = f"over {pool}, {best.rounds} rounds{ending}"
    return Candidate(matrix, best.shown, best.found[0].stats, stages.timings, note, ending.interrupted)


def _best_slope(task: Task, rays: RayInformation, found: Optimum) -> tuple[float, Multipliers, Multipliers]:
    """Return the better bound of two slopes with its multipliers, and the solver's slope's, which price rays.

    The other slope is alike for all contrasts: where those are estimated equally well, the worst of them is no single
    one, and the solver's slope one of many.
    """
    slopes, basis = [found.slope], contrasts(task.problem.n)
    if is_design(task.objective) and task.objective.criterion == "E" and not task.objective.is_weighted:
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
    """Return the rays of the first program: all, or the best weights' for each frequency and for all alike."""
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
    limits, n = task.columns.budget().limits, task.problem.n
    program = ColumnWeights.of(rays.balance, np.eye(n)[0], rays.cost, limits)
    found = program.best(utility, scale=float(np.abs(utility / rays.mass).max()))
    return found.weights, found.of_sums @ rays.balancing, found.of_limits


def size(task: Task) -> Size:
    """Return the size of a program over the rays, and the seconds until the first of them has ended."""
    n, first = task.problem.n, 0.0
    # Of other notions the count is an upper bound that few cones come near to.
    shape = task.columns
    count = shape.ray_count() if shape.banded or shape.around_mass else None
    if count is not None and count <= RAY_LIMIT:
        first = seconds_of("weights", n**4) + seconds_of("contrasts", n**2 * count) * (count > FIRST_RAYS)
    return Size(rays_bytes(task), first=first)


ROUTE = Route("weights", of_semidefinite_programs, plan, size, size_first=True)
