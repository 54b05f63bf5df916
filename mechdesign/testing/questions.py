"""Random questions of each theorem's form, inside its confirmed domain and outside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign import notions, objectives
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.testing.generators import random_prior, random_problem
from mechdesign.testing.theorem_contract import Question

Rng = np.random.Generator


def some_separable(n: int, rng: Rng) -> Objective:
    """Return a random sum over outputs, of every family."""
    first, second = random_prior(n, rng), random_prior(n, rng)
    direction = rng.normal(size=n)
    families: list[Callable[[], Objective]] = [
        objectives.MMSE,
        objectives.MutualInformation,
        objectives.HammingLoss,
        lambda: objectives.KLDivergence(first, second),
        lambda: objectives.TotalVariation(first, second),
        lambda: objectives.FisherInformation(first, direction - direction.mean()),
        lambda: objectives.ExpectedLoss(rng.exponential(size=(n, 3))),
    ]
    return families[int(rng.integers(len(families)))]()


def _lip(n: int, rng: Rng) -> Question:
    # Epsilon around ln(1 / min prior - 1), where the domain of the closed forms ends.
    problem = random_problem(n, rng, skew=0.5)
    return problem, notions.LIP(float(rng.uniform(0.2, 3.0))), some_separable(n, rng)


def _tv(rng: Rng, objective: Callable[[Rng], Objective]) -> Question:
    weight = float(rng.uniform(0.2, 0.8))
    notion = notions.WeightedTV(float(rng.uniform(abs(1 - 2 * weight), 1.0)), weight)
    return random_problem(2, rng), notion, objective(rng)


def _fisher(rng: Rng) -> Objective:
    return objectives.FisherInformation(random_prior(2, rng), np.array([1.0, -1.0]) * rng.uniform(0.5, 2.0))


def _one_bit(rng: Rng) -> Question:
    profiles = rng.dirichlet(np.ones(2), size=2)
    notion = notions.ProfileDP(float(rng.uniform(0.1, 2.0)), profiles, ((0, 1),), sees_profile=False)
    return notion.inputs(Problem(n=2)), notion, objectives.MaxOffDiagonal()


#: A random question of each theorem's form.
QUESTIONS: dict[str, Callable[[Rng], Question]] = {
    "geumlek/eq4": _one_bit,
    "jiang_lip/P4a": lambda rng: (
        random_problem(2, rng),
        notions.LDP(float(rng.uniform(0.2, 3.0))),
        some_separable(2, rng),
    ),
    "jiang_lip/T2": lambda rng: _lip(2, rng),
    "jiang_lip/T3": lambda rng: _lip(3, rng),
    "ours/M4": lambda rng: _lip(2, rng),
    "yoshida/T1iii": lambda rng: _tv(rng, _fisher),
    "yoshida/T2": lambda rng: _tv(rng, lambda r: some_separable(2, r)),
}
