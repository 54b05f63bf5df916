"""Which questions are settled by subsets of inputs, and the relaxation of their utility."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LDP, Notion
from mechdesign.objectives import HistogramMMSE, MutualInformation, Objective
from mechdesign.problem import Problem
from mechdesign.solve.pricing.subset_histogram import Histogram
from mechdesign.solve.pricing.subset_information import Information
from mechdesign.solve.pricing.subset_relaxation import Indices, Relaxation

#: The relaxation of each utility that is known: subclasses may compute another.
RELAXATIONS: dict[type[Objective], type[Relaxation]] = {HistogramMMSE: Histogram, MutualInformation: Information}


def relaxation(notion: LDP, objective: Objective, problem: Problem) -> tuple[Relaxation, Indices]:
    """Return the relaxation, and the inputs by falling mass."""
    prior = problem.required_prior
    order = np.argsort(-prior, kind="stable")
    return RELAXATIONS[type(objective)]((prior / prior.sum())[order], notion.epsilon), order


def is_of_subsets(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether subsets give the rays, and the utility is one of the two: subclasses may compute another."""
    # Minimised leakage is convex, and no sum over sets.
    known = type(objective) in RELAXATIONS and objective.kind != "convex"
    return known and problem.data_of_input is None and notion.columns(problem).ratio_in_blocks is not None
