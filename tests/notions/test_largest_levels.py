"""Levels so large that e^-level is no float: the columns are those of no privacy, and nothing is divided by zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.notions.plain import plain
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.support import has_formula, support
from mechdesign.testing.examples import NOTIONS

LEVELS = (40.0, 800.0, 1e300)
#: Levels of WeightedTV are differences of probabilities.
CASES = [
    (name, place, level)
    for name in NOTIONS
    if name != "WeightedTV"
    for place in range(len(NOTIONS[name]))
    for level in LEVELS
]


@pytest.mark.parametrize(("name", "place", "level"), CASES)
def test_rays_and_support_hold_at_the_largest_levels(name, place, level, rng):
    notion, problem = NOTIONS[name][place](rng)
    # The level of ApproximateLDP is its delta.
    largest = replace(notion, epsilon=level) if name == "ApproximateLDP" else notion.at(level)
    notion, problem = plain(largest, largest.inputs(problem))
    with np.errstate(divide="raise", invalid="raise"):
        rays = all_rays(notion, problem)
        assert rays is None or (np.all(np.isfinite(rays.columns)) and np.all(rays.columns.max(axis=0) > 0))
        if has_formula(notion, problem):
            functionals, nu = rng.normal(size=(5, problem.n)), np.zeros(len(notion.columns(problem).budget()))
            found = support(notion, problem, functionals, nu)
            assert np.all(np.isfinite(found.values)) and np.all(np.isfinite(found.columns))


def test_a_probability_of_one_secret_alone_is_no_division_by_zero():
    problem = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2])
    made = md.design(problem, md.InteriorPML(1e3, 0.1), md.MMSE())
    assert made.value == 0.0 and made.audit.holds
