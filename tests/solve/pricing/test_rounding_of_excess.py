"""Bounds on the excess of columns are raised by all that rounding may have taken from them."""

from fractions import Fraction

import numpy as np

import mechdesign as md
from mechdesign.solve.pricing.functionals import over_functionals
from mechdesign.solve.pricing.oracles import _estimated
from mechdesign.solve.pricing.subdivision import Excess

EPS = np.finfo(float).eps


def test_multipliers_that_cancel_gains_leave_the_rounding_of_the_gains(rng):
    notion = md.LDP(1.0)
    for _ in range(50):
        problem, losses = md.Problem(prior=rng.dirichlet(np.ones(4))), rng.random(4)
        gains = md.ExpectedLoss(losses[:, None]).gains(problem)
        found = over_functionals(notion, problem, gains, gains[0], np.zeros(0))
        # At the constant column, in fractions: the products with the prior are rounded, and cancel no more.
        true = [-Fraction(float(p)) * Fraction(loss) for p, loss in zip(problem.prior, losses, strict=True)]
        normal = [Fraction(float(c)) for c in notion.columns(problem).normal]
        left = sum(exact - Fraction(rounded) for exact, rounded in zip(true, gains[0], strict=True)) / sum(normal)
        assert Fraction(found.bound) >= left
        assert 0.0 < found.rounding < 1e-13


def test_bounds_of_branch_and_bound_are_raised_by_the_rounding_of_their_terms():
    found = _estimated(Excess(2.0, 3.0, np.zeros((2, 0))), np.array([1.0, -4.0]))
    # Terms of size 2, 3, 1 and 4 were added up.
    assert found.bound - 2.0 >= 4.0 * EPS * 10.0 * 0.5 and found.bound == 2.0 + found.rounding
