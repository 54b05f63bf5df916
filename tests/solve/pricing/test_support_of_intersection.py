"""The support function of an intersection with a curved side: a program of second-order cones has the same value."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.support_of_intersection import joined_support

PRIOR = np.array([0.1, 0.2, 0.3, 0.4])


def by_a_cone_program(functional, level, distance):
    """Return the largest ``h . q`` over lifts of mass one within both limits."""
    q = cp.Variable(len(PRIOR))
    limits = [PRIOR @ q == 1, q >= np.exp(-level), q <= np.exp(level)]
    limits += [cp.norm(cp.multiply(np.sqrt(PRIOR), q - 1)) <= distance]
    return cp.Problem(cp.Maximize(functional @ q), limits).solve(solver="CLARABEL")


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_it_is_the_value_of_a_cone_program(scale, rng):
    notion, problem = md.LIP(1.0) & md.StrongChiSquare(0.5), md.Problem(prior=PRIOR)
    functionals = scale * rng.normal(size=(6, 4)) * PRIOR
    found = joined_support(notion, problem, functionals, np.zeros(0))
    # A bound from above, to a share of what is asked for; the columns have nearly that value.
    for functional, bound, column in zip(functionals, found.values, found.columns.T, strict=True):
        best = scale * by_a_cone_program(functional / scale, 1.0, 0.5)
        assert best - 1e-7 * scale <= bound <= best + 1e-6 * scale
        assert best - 1e-6 * scale <= functional @ column <= bound
        assert PRIOR @ column == pytest.approx(1.0) and np.all(np.abs(np.log(column)) <= 1.0 + 1e-7)
        assert PRIOR @ (column - 1.0) ** 2 <= 0.25 * (1.0 + 1e-7)
    assert np.all((found.rounding > 0.0) & (found.rounding < 1e-11 * scale))
