"""The cvxpy program of information design: over the weights of rays, with the slope of the value as a multiplier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import InfeasibleError, SolverError
from mechdesign.notions import Rays
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.frequency_covariance import contrasts
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.programs.cvxpy_problem import problem as silent
from mechdesign.solve.programs.over_matrix import WORTH_CERTIFYING, solved
from mechdesign.solve.solvers.catalogue import solver_name, through_cvxpy
from mechdesign.solve.solvers.claimed_numbers import real_numbers
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Task
from mechdesign.tolerances import SOLVER

#: Information below this share of the columns' own squares is what rounding leaves.
NO_INFORMATION = 1e-24
#: The weight of contrasts that no query has, as a share of the mean.
REST = 1e-12


@dataclass(frozen=True)
class RayInformation:
    """Some rays: columns (n, r), what each takes of the budgets, its mass, and what it adds to the information.

    ``sum_r w_r r = 1`` is stated as ``balance @ w = (1, 0, ..., 0)``: the mean of the rows, and their contrasts in
    units of the largest, which next to epsilon 0 would drown in the solver's tolerance otherwise.
    """

    columns: Array
    cost: Array
    mass: Array
    #: ``U' r / sqrt(theta . r)``, shape (n - 1, r): its square is the ray's information.
    factors: Array
    #: ``balancing @ columns``; multipliers of these rows are taken back by ``balancing'``.
    balance: Array
    balancing: Array

    def __getitem__(self, chosen: Any) -> RayInformation:
        columns, cost, mass, factors, balance = (
            part[..., chosen] for part in (self.columns, self.cost, self.mass, self.factors, self.balance)
        )
        return RayInformation(columns, cost, mass, factors, balance, self.balancing)

    def information(self, weights: Array) -> Array:
        """Return ``sum_r w_r M(r)``, shape (n - 1, n - 1)."""
        return np.asarray((self.factors * weights) @ self.factors.T)


@dataclass(frozen=True)
class Optimum:
    """Weights of the rays, the value there with its slope B, and how the solver ended."""

    weights: Array
    value: float
    slope: Array
    stats: SolverStats


def informative(task: Task, objective: InformationDesign, known: Rays) -> RayInformation:
    """Return the rays with their information; raise InfeasibleError where together they do not identify a contrast."""
    problem = task.problem
    columns = known.columns
    mass = objective.mass(columns, problem)
    apart = contrasts(problem.n).T @ (columns - columns.mean(axis=0))
    factors, unit = apart / np.sqrt(mass), float(np.abs(apart).max()) or 1.0
    balance = np.vstack([columns.mean(axis=0), apart / unit])
    balancing = np.vstack([np.full(problem.n, 1.0 / problem.n), contrasts(problem.n).T / unit])
    rays = RayInformation(
        columns, known.cost, task.notion.columns(problem).normal @ columns, factors, balance, balancing
    )
    sizes = np.linalg.svd(factors, compute_uv=False)
    whole = float((columns**2 / mass).sum())
    if len(sizes) < problem.n - 1 or sizes[-1] ** 2 <= NO_INFORMATION * whole:
        raise no_information(task)
    return rays


def factor(matrix: Array) -> Array:
    """Return the Cholesky factor of a positive definite matrix, of its shape; SolverError where rounding leaves none.

    Next to epsilon 0 the information on some contrasts is a millionth of that on others, whose squares hide theirs.
    """
    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise SolverError(
            "The information of some frequencies is below the rounding of that of others: raise the level.",
            status="singular",
        ) from None


def no_information(task: Task) -> InfeasibleError:
    """Return the error that says so."""
    return InfeasibleError(
        f"No mechanism under {task.notion} lets all frequencies be estimated: the information of every one is "
        f"singular, so {task.objective} is infinite; raise its level."
    )


def best_weights(task: Task, objective: InformationDesign, known: RayInformation, chosen: Any, solver: str) -> Optimum:
    """Return the best weights of the `chosen` rays by a cvxpy program.

    Its information is in units in which that of all of them is the identity.
    """
    import cvxpy as cp

    problem, rays = task.problem, known[chosen]
    size, limits = problem.n - 1, task.notion.columns(problem).budget().limits
    root = factor(rays.information(1.0 / (len(rays.mass) * rays.mass)))
    whitened = np.linalg.solve(root, rays.factors)
    weights, information = cp.Variable(len(rays.mass), nonneg=True), cp.Variable((size, size), symmetric=True)
    # Each entry once: a symmetric matrix tied twice stops Clarabel at its first step.
    upper = np.triu_indices(size)
    squares = whitened[upper[0]] * whitened[upper[1]]
    tie = squares @ weights == information[upper]
    goal, cones = _goal(objective, information, root, problem)
    rules = [tie, rays.balance @ weights == np.eye(problem.n)[0], *cones]
    if len(limits):
        rules.append(rays.cost @ weights <= limits)
    stats = _run(task, silent(goal, rules), solver)
    found = np.maximum(_usable(weights.value, stats), 0.0)
    value = objective.value(rays.columns * found, problem)
    if not np.isfinite(value):
        # Of weights that a solver was stopped at, or of a part of the rays: nothing follows for the others.
        raise SolverError(f"The weights of {stats.name} identify not all frequencies.", status=stats.status)
    # The multiplier of the tie is the slope to the solver's tolerance; that at the weights only to its square root.
    dual, inverse = np.zeros((size, size)), np.linalg.inv(root)
    dual[upper] = _usable(tie.dual_value, stats)
    slope = inverse.T @ (dual + dual.T) @ inverse
    basis, information = contrasts(problem.n), rays.information(found)
    slope = objective.positive_slope(math.copysign(1.0, np.trace(slope)) * (basis @ slope @ basis.T), problem)
    reached = float(size) if objective.criterion == "D" else value
    spread = np.zeros(len(known.mass))
    spread[chosen] = found
    return Optimum(spread, value, slope * (reached / float(np.trace(slope @ information))), stats)


def _goal(objective: InformationDesign, information: Any, root: Array, problem: Problem) -> tuple[Any, list[Any]]:
    """Return what is minimised of ``root^-1 M root^-T``, scaled to about one, and the cones that it needs."""
    import cvxpy as cp

    if objective.criterion == "D":
        return -cp.log_det(information), []
    whole = objective.loading(problem)
    if objective.criterion == "E":
        inverse = np.linalg.inv(root)
        least, wanted = cp.Variable(), inverse @ whole @ inverse.T
        return -least, [information - least * (wanted / np.linalg.eigvalsh(wanted)[-1]) >> 0]
    if objective.criterion == "worst":
        asked = np.linalg.solve(root, objective.rows_on_contrasts(problem).T).T
        asked = asked[np.linalg.norm(asked, axis=1) > REST * np.linalg.norm(asked)]
        asked /= np.linalg.norm(asked, axis=1).max()
        most = cp.Variable()
        return most, [cp.matrix_frac(row, information) <= most for row in asked]
    if objective.queries is not None:
        # Contrasts that no query has count next to nothing: without information on them there is no optimum.
        whole = whole + REST * float(np.trace(whole)) / len(whole) * np.eye(len(whole))
    loading = np.linalg.solve(root, factor(whole))
    return cp.matrix_frac(loading / np.linalg.norm(loading), information), []


def _usable(claimed: Any, stats: SolverStats) -> Array:
    numbers = real_numbers(claimed)
    if numbers is None or not np.all(np.isfinite(numbers)):
        raise SolverError(f"{stats.name} ended as {stats.status} without weights.", status=stats.status)
    return numbers


def _run(task: Task, program: Any, solver: str) -> SolverStats:
    name = solver_name(solver)
    through = through_cvxpy(name)
    options = {**through.options(SOLVER), **through.of_dense_cones}
    status, seconds, iterations = solved(task, program, name, options, "weights")
    if status not in WORTH_CERTIFYING:
        raise SolverError(f"{name} stopped without weights ({status}).", status=status)
    return SolverStats(name, status, seconds, iterations)
