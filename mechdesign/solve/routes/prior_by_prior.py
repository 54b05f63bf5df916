"""Route `prior_by_prior`: information over priors by designs at one prior after another, without a list of rays.

Information is concave in the prior: at a mixture of the priors a mechanism has no less of it than at the least
favourable one, or in the mean. Under a notion that is relative to a prior of its own, that one alone is designed for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.optimize import nnls

from mechdesign.errors import SolverError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Rays
from mechdesign.objectives import Objective
from mechdesign.objectives.information_over_priors import InformationOverPriors
from mechdesign.objectives.label_information import INFORMATION
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.all_rays import rays_or_why
from mechdesign.solve.pricing.mixture_of_priors import at_mixture, keeps_prior
from mechdesign.solve.routes import columns, directions, lifts, mixture, near_prior, subsets
from mechdesign.solve.search.incumbent import Incumbent, in_rounds
from mechdesign.solve.search.least_information import LeastInformation
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task
from mechdesign.tolerances import RAY_LIMIT

#: The routes that are asked for the design at a prior, in this order.
ROUTES: tuple[Route, ...] = (
    subsets.ROUTE,
    columns.ROUTE,
    mixture.ROUTE,
    lifts.ROUTE,
    directions.ROUTE,
    near_prior.ROUTE,
)
#: Designs at most, and the least gap of each.
MOST_DESIGNS, GAP = 12, 1e-5
#: The share of all priors alike in the one that is designed for, so that each input has some probability.
OF_ALL = 1e-3
#: Weights that differ by less have been designed for.
SAME = 1e-6
#: The solver that weighs the columns of all designs.
WEIGHING = "HIGHS"


@dataclass(frozen=True)
class _First:
    """The mixture of the priors that is designed for first, the task of the information there, and its route."""

    #: Shape (K,).
    weights: Array
    inner: Task
    route: Route
    #: Whether the mean information itself is designed for, and not the information at the mixture.
    of_means: bool = False

    @classmethod
    def of(cls, objective: InformationOverPriors, task: Task) -> _First | Refusal:
        """Return them, or why there are none."""
        if objective.is_least:
            mean = _task_of(objective.at(None), task)
            curved = next((route for route in ROUTES if route.refusal(mean) is None), None)
            if curved is not None:
                return cls(objective.shares, mean, curved, of_means=True)
        weights = _first_weights(objective, task)
        inner = _task_at(objective.at(weights), task)
        if inner is None:
            return Refusal("an input has probability 0 under each prior, or the secret is not the input itself")
        refusals: dict[str, str] = {}
        for route in ROUTES:
            why = route.refusal(inner)
            if why is None:
                return cls(weights, inner, route)
            refusals[route.name] = why
        said = "; ".join(f"{name}: {why}" for name, why in refusals.items())
        return Refusal(f"no route answers at a single prior ({said})")

    def at(self, objective: InformationOverPriors, weights: Array, task: Task) -> Task:
        """Return the task of the mean at other weights, shape (K,), or of the information at their mixture."""
        if self.of_means:
            return _task_of(objective.at(weights), task)
        return _task_at(objective.at(weights), task) or self.inner


def plan(task: Task) -> Plan | Refusal:
    """Return how one prior after another is designed for, of a mean the mixture alone; or why none can be."""
    objective = task.objective
    if not isinstance(objective, InformationOverPriors):
        return Refusal(f"{objective.name} is no information over priors")
    if isinstance(rays_or_why(task.notion, task.problem), Rays):
        return Refusal(f"there are few extreme rays, over which the route {_exact(objective)} is exact")
    first = _First.of(objective, task)
    if isinstance(first, Refusal):
        return first
    run = partial(_searched, objective, first) if objective.is_least else partial(_at_once, first)
    return Plan(run, first.route.solvers[0])


def _exact(objective: InformationOverPriors) -> str:
    return "priors" if objective.is_least else "rays"


def _first_weights(objective: InformationOverPriors, task: Task) -> Array:
    """Return the weights of the priors that are designed for first, shape (K,).

    Under a notion that is relative to a prior they are those of the mixture next to it: the nearer, the better is the
    bound.
    """
    if not (keeps_prior(task.notion, task.problem) and objective.is_least):
        return objective.shares
    weights = nnls(objective.priors.T, task.problem.required_prior)[0]
    return np.asarray(weights / weights.sum()) if weights.sum() > 0 else objective.shares


def _task_at(mean: InformationOverPriors, task: Task) -> Task | None:
    """Return the task of the information at a mixture, which reports nothing; None if an input has no probability."""
    found = at_mixture(task.notion, mean, task.problem)
    return None if found is None else replace(_task_of(INFORMATION, task), problem=found[0])


def _task_of(objective: Objective, task: Task) -> Task:
    """Return the task of another objective, which reports nothing."""
    return replace(task, objective=objective, gap=max(GAP, task.gap), warm_start=None, say=None)


def _at_once(first: _First, task: Task, solver: str) -> Candidate:
    """Return the design at the mixture of the priors, whose multipliers bound the mean as well."""
    return first.route.solve(first.inner, solver if solver in first.route.solvers else None)


@dataclass
class _Search:
    """The columns of all designs so far, and the mixture of priors that is designed for next.

    Attributes
    ----------
    weights : ndarray, shape (K,)
    columns : ndarray, shape (n, k)
    designed : list of int
        The places of the priors that have been designed for.
    """

    objective: InformationOverPriors
    task: Task
    weights: Array
    columns: Array
    designed: list[int]
    of_means: bool
    #: The multipliers of the priors where the columns so far are weighed best.
    claimed: Array | None = None

    def weighed(self) -> Iterator[tuple[Array, Array]]:
        """Yield mechanisms of the columns and the information of each under each prior, round by round."""
        cost = self.task.columns.budget().cost(self.columns)
        program = LeastInformation.over(self.objective, self.task, self.columns, cost)
        with suppress(SolverError):
            while True:
                found = program.best(WEIGHING)
                information, self.claimed = program.information(found.matrix), found.multipliers.weights
                yield found.matrix, information
                if is_late() or not program.enter(information):
                    break

    def go_on(self, information: Array) -> bool:
        """Choose the next weights from the information, shape (K,); return whether they have not been designed for.

        Means are taken at the multipliers of the columns so far, mixtures at the prior of the least information.
        """
        if self.of_means:
            return self._go_on_to_claimed()
        worst = int(information.argmin())
        if keeps_prior(self.task.notion, self.task.problem) or worst in self.designed:
            return False
        self.designed.append(worst)
        count = len(information)
        self.weights = np.full(count, OF_ALL / count)
        self.weights[worst] += 1.0 - OF_ALL
        return True

    def _go_on_to_claimed(self) -> bool:
        before = self.weights
        if self.claimed is None or not self.claimed.sum() > 0:
            return False
        self.weights = self.claimed / self.claimed.sum()
        return bool(np.abs(self.weights - before).sum() > SAME)


def _searched(objective: InformationOverPriors, first: _First, task: Task, solver: str) -> Candidate:
    """Design at one prior after another, and weigh the columns of all of these mechanisms."""
    stages, constant, count = Stages(), np.ones((task.problem.n, 1)), len(objective.priors)
    search = _Search(objective, task, first.weights, constant, [0] * (count == 1), first.of_means)
    start, none = (constant, np.zeros(count)), Multipliers(np.zeros(task.problem.n))
    best: Incumbent[tuple[Array, Array], Multipliers] = Incumbent(task, start, none, most_rounds=MOST_DESIGNS)
    stats = SolverStats(solver, "not needed", 0.0, 0)

    def one(ending: Ending) -> bool:
        nonlocal stats
        inner = first.at(objective, search.weights, task)
        candidate = _at_once(replace(first, inner=inner), task, solver)
        own, stats = candidate.multipliers, candidate.stats
        shown = Multipliers(own.rows, own.budget, search.weights)
        stages.lap("solve")
        own_information = objective.of_each(candidate.matrix, task.problem)
        best.reach(float(own_information.min()), (candidate.matrix, own_information))
        priced = utility_bound(task.notion, objective, task.problem, shown, GAP * max(best.reached, 0.0))
        best.show(priced.utility, shown)
        stages.lap("price")
        search.columns = np.hstack([search.columns, candidate.matrix[:, candidate.matrix.max(axis=0) > 0]])
        for matrix, information in search.weighed():
            best.reach(float(information.min()), (matrix, information))
        best.end_round()
        ending.said = "interrupted" if candidate.interrupted else ""
        return not (best.is_near or is_late() or ending.said) and search.go_on(best.found[1])

    ending = in_rounds(best, one, lenient=True)
    note = f"{best.rounds} designs by the route {first.route.name}{ending}"
    return Candidate(best.found[0], best.shown, stats, stages.timings, note, ending.interrupted)


def size(task: Task) -> Size:
    """Return the size of the design at one prior."""
    objective, count = task.objective, task.columns.ray_count()
    if not isinstance(objective, InformationOverPriors) or (count is not None and count <= RAY_LIMIT):
        return Size()
    first = _First.of(objective, task)
    return Size() if isinstance(first, Refusal) else first.route.size(first.inner)


ROUTE = Route("prior_by_prior", of_linear_programs, plan, size, is_exact=False)
