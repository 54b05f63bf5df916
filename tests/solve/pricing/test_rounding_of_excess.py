"""Bounds on the excess of columns are raised by all that rounding may have taken from them."""

from fractions import Fraction

import numpy as np

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.pricing.functionals import over_functionals
from mechdesign.solve.pricing.line_of_a_ratio import over_continuum
from mechdesign.solve.pricing.oracles import _estimated
from mechdesign.solve.pricing.priced_columns import Columns
from mechdesign.solve.pricing.subdivision import Excess
from mechdesign.solve.pricing.support import support

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


def test_on_a_line_of_decisions_what_rounding_takes_from_a_difference_is_added_to_the_support_function_s_own():
    notion, rows = md.LDP(1.0), np.array([0.2, 0.3, 0.5])
    for size in (1e-3, 1.0, 1e3):
        problem = md.Problem(prior=rows, values=[0.0, size, 3.0 * size])
        columns = Columns(notion, md.MMSE(), problem, Multipliers(rows, np.zeros(0)), rows, np.zeros(0), 1e-3)
        # At the mean of the values the functional is what is subtracted alone.
        own = support(notion, problem, -rows[None, :]).rounding.max()
        # Half a unit in the last place of each entry, of both columns and differences; of mass one a column has 1.
        assert over_continuum(columns).rounding >= own + EPS
