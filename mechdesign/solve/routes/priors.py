"""Route `priors`: the largest least information over priors, by a linear program over extreme rays and few priors."""

from __future__ import annotations

from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import Rays
from mechdesign.objectives.information_over_priors import InformationOverPriors, is_least
from mechdesign.solve.pricing.all_rays import rays_or_why
from mechdesign.solve.routes.rays import size
from mechdesign.solve.search.incumbent import Incumbent, in_rounds
from mechdesign.solve.search.least_information import LeastInformation, Levelled
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Stages, Task

#: Rounds at most, in each of which priors enter.
MOST_ROUNDS = 200
#: The share of the gap asked for to which the program over some priors comes near the least over all.
OF_GAP = 0.1


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective = task.objective
    if not is_least(objective):
        return Refusal(f"{objective.name} is no least information over priors")
    known = rays_or_why(task.notion, task.problem)
    return Refusal(known) if isinstance(known, str) else Plan(partial(_over_rays, objective, known))


def _over_rays(objective: InformationOverPriors, known: Rays, task: Task, solver: str) -> Candidate:
    """Maximise the least ``sum_r w_r mu_k(r)`` over priors k, over weights with ``sum_r w_r r = 1`` and the budget."""
    stages = Stages()
    program = LeastInformation.over(objective, task, known.columns, known.cost)
    none = Multipliers(np.zeros(task.problem.n))
    start = Levelled(np.ones((task.problem.n, 1)), none, np.inf, SolverStats(solver, "not needed", 0.0, 0))
    best: Incumbent[Levelled, Multipliers] = Incumbent(task, start, none, most_rounds=MOST_ROUNDS)
    stages.lap("build")

    def one(ending: Ending) -> bool:
        found = program.best(solver)
        information = program.information(found.matrix)
        best.reach(float(information.min()), found)
        best.show(found.claimed, found.multipliers)
        stages.lap("solve")
        near = best.end_round() <= OF_GAP * task.gap * abs(best.reached)
        return not near and program.enter(information)

    ending = in_rounds(best, one, lenient=True)
    note = f"over {known.columns.shape[1]} rays, {best.rounds} rounds of priors{ending}"
    return Candidate(best.found.matrix, best.shown, best.found.stats, stages.timings, note, ending.interrupted)


ROUTE = Route("priors", of_linear_programs, plan, size, size_first=True)
