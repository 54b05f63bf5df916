"""Which notions keep the lifts of a column near 1, and which utilities are sums of convex functions of them."""

from __future__ import annotations

from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.solve.pricing.ball_of_lifts import BallOfLifts
from mechdesign.solve.pricing.distance_from_prior import NearPrior
from mechdesign.solve.pricing.moved_mass import MovedMass
from mechdesign.solve.pricing.utility_of_lifts import utility_of_lifts


def near_prior(notion: Notion, objective: Objective, problem: Problem) -> NearPrior | None:
    """Return the notion's columns with the objective's utility, None where either is of another kind."""
    utility = utility_of_lifts(objective)
    if utility is None or problem.prior is None or problem.data_of_input is not None:
        return None
    shape = notion.columns(problem)
    prior = problem.prior / problem.prior.sum()
    if shape.deviation:
        return MovedMass(utility, prior, shape.deviation)
    return BallOfLifts(utility, prior, shape.reach) if shape.reach else None
