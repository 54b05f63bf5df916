"""The set `large`: 20 instances of up to 400 inputs and 1e7 nonzeros."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.sets.drafts import Draft, draft, on_a_line, on_integers
from mechdesign.bench.sets.drawing import distances_between, places_on_grid, random_places, skewed_prior, zipf_prior
from mechdesign.bench.sets.small import AUXILIARY, DECISIONS, PAIRS
from mechdesign.notions import LDP, LIP, MaxLift, MetricDP
from mechdesign.objectives import AbsoluteError, ExpectedLoss, HammingLoss
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def large() -> list[Draft]:
    """Return the drafts of the set."""
    return [*_maps(), *_lines()]


def _maps() -> list[Draft]:
    near, found = "neighbouring pairs", []
    for side, epsilon in ((10, 1.0), (12, 1.0), (14, 1.0), (20, 2.0)):
        streets, label = _streets(side), f"map-streets-{side * side}"
        problem = Problem(prior=skewed_prior(side * side, 200 + side))
        found.append(draft(label, problem, MetricDP(epsilon, streets), ExpectedLoss(streets), near))
    for side in (7, 10, 12):
        apart = distances_between(places_on_grid(side))
        problem = Problem(prior=skewed_prior(side * side, 220 + side))
        forms = (PAIRS, near) if side == 10 else (near,)
        found.append(draft(f"map-euclid-{side * side}", problem, MetricDP(0.4, apart), ExpectedLoss(apart), *forms))
    apart = distances_between(random_places(100, 241))
    problem = Problem(prior=skewed_prior(100, 242))
    return [*found, draft("map-random-100", problem, MetricDP(0.5, apart), ExpectedLoss(apart), PAIRS, near)]


def _lines() -> list[Draft]:
    error = AbsoluteError()
    return [
        draft("ldp-absolute-300", on_a_line(300, 251), LDP(1.0), error, AUXILIARY, DECISIONS),
        draft("lip-absolute-300", on_a_line(300, 252), LIP(1.0), error, AUXILIARY, DECISIONS),
        draft("lip-squared-300", on_integers(300, 253), LIP(2.5), _squared(300), DECISIONS),
        draft("lip-hamming-300", Problem(prior=zipf_prior(300)), LIP(1.0), HammingLoss(), DECISIONS),
        draft("maxlift-absolute-300", on_a_line(300, 254), MaxLift(0.5), error, DECISIONS),
        draft("ldp-absolute-100-wide", on_a_line(100, 255), LDP(1.0), error, PAIRS, "looped"),
        draft("ldp-hamming-300", Problem(prior=zipf_prior(300)), LDP(2.0), HammingLoss(), AUXILIARY),
    ]


def _streets(side: int) -> Array:
    grid = places_on_grid(side)
    return np.asarray(np.abs(grid[:, None] - grid).sum(axis=2))


def _squared(n: int) -> ExpectedLoss:
    """Return the squared error of estimates 0 to n - 1: the mean squared error, by decisions."""
    return ExpectedLoss(np.subtract.outer(np.arange(n), np.arange(n)) ** 2.0)
