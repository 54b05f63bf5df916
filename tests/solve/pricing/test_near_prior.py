"""Pricing of columns near the prior: no column has more than the bound, and it is near for many inputs."""

import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.ball_of_lifts import BallOfLifts
from mechdesign.solve.pricing.largest_excess import within
from mechdesign.solve.pricing.moved_mass import MovedMass
from mechdesign.solve.pricing.near_prior import near_prior
from mechdesign.solve.pricing.utility_of_lifts import EntropyOfLifts, SquaredLifts
from mechdesign.solve.search.drawn_columns import OfBall
from tests.helpers import brute_force as brute

OBJECTIVES = (md.MutualInformation(), md.HistogramMMSE())
NOTIONS = (md.StrongL1(0.3), md.StrongL1(1.5), md.StrongChiSquare(0.4), md.StrongChiSquare(2.0))


def worth(objective, columns, prior):
    """Return the utility of each column from its definition."""
    if isinstance(objective, md.MutualInformation):
        return brute.information(columns, prior)
    joint = prior[:, None] * columns
    return (joint**2).sum(axis=0) / joint.sum(axis=0)


def some_columns(notion, prior, rng):
    """Return columns of mass one that the notion allows: its rays, or random ones of the ball, and mixtures of them."""
    n = len(prior)
    if isinstance(notion, md.StrongL1):
        columns = notion.columns(md.Problem(prior=prior)).rays().columns
        columns = columns / (prior @ columns)
    else:
        drawn = OfBall(prior, notion.columns(md.Problem(prior=prior)).reach).draw(400, 0)[0]
        columns = within(notion, md.Problem(prior=prior), drawn)
    return np.hstack([columns, np.ones((n, 1)), columns @ rng.dirichlet(np.ones(columns.shape[1]), size=20).T])


def is_above(notion, objective, rng):
    """Tell whether the bound on the excess is above that of every column, for random multipliers and the best ones."""
    for n in (1, 2, 3, 6):
        prior = rng.dirichlet(np.full(n, 0.8)) + 1e-4
        prior /= prior.sum()
        near = near_prior(notion, objective, md.Problem(prior=prior))
        columns = some_columns(notion, prior, rng)
        utility = worth(objective, columns, prior)
        for lam in (near.multipliers(), prior * rng.normal(size=n), rng.normal(size=n), np.zeros(n)):
            if near.excess(lam)[0] < (utility - lam @ columns).max() - 1e-12:
                return False
    return True


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_no_column_has_more_than_the_bound(notion, objective, rng):
    assert is_above(notion, objective, rng)


@pytest.mark.parametrize("mean", [-5.0, 0.0, 5.0])
@pytest.mark.parametrize("reach", [0.02, 0.1])
def test_in_a_small_ball_the_bound_is_the_length_of_the_slope(reach, mean, rng):
    """Of ``sum_x g_x (q_x - 1)`` the most over the ball is r times the deviation of g / P; squares add little."""
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    lam = prior * (mean + rng.normal(size=4))
    rate = (2.0 * prior**2 - lam) / prior
    length = reach * float(np.sqrt(prior @ (rate - prior @ rate) ** 2))
    least = float((prior**2).sum() - lam.sum()) + length
    bound = BallOfLifts(SquaredLifts(), prior, reach).excess(lam)[0]
    assert least - 1e-12 <= bound <= least + prior.max() * reach**2


def half_moved(self):
    return 0.25 * self.distance * np.ones(len(self.prior))


def only_stationary(self, prior, linear, curve, most):
    """Return the value where the slope is zero, and not at the ends."""
    inside = np.ones(len(prior))
    return self.at(prior, inside) - linear * inside, inside


@pytest.mark.parametrize(
    ("owner", "attribute", "wrong", "notion", "objective"),
    [
        (MovedMass, "moved", half_moved, md.StrongL1(1.5), OBJECTIVES[0]),
        (MovedMass, "_most_lost", lambda self, slope, moved: 0.0 * moved, md.StrongL1(0.3), OBJECTIVES[1]),
        (BallOfLifts, "_most", lambda self: np.ones(len(self.prior)), md.StrongChiSquare(2.0), OBJECTIVES[1]),
        (EntropyOfLifts, "largest", only_stationary, md.StrongChiSquare(0.4), OBJECTIVES[0]),
        (SquaredLifts, "largest", only_stationary, md.StrongChiSquare(0.4), OBJECTIVES[1]),
    ],
)
def test_a_bound_that_is_too_low_is_caught(owner, attribute, wrong, notion, objective, rng, monkeypatch):
    """Planted: less mass is moved, nothing is lost, no lift is above 1, or the ends of a range are left out."""
    monkeypatch.setattr(owner, attribute, wrong)
    assert not is_above(notion, objective, rng)


def test_what_is_lost_is_the_same_by_sums_and_by_the_table_of_losses(rng):
    for n in (1, 2, 5, 40):
        near = MovedMass(SquaredLifts(), rng.dirichlet(np.ones(n)), rng.uniform(0.1, 1.9))
        lam, moved = rng.normal(size=n), near.moved()
        losses = near.losses(lam, moved)
        assert np.all(losses.diagonal() == 0.0) and np.all((losses >= 0.0) & (losses <= near.prior))
        assert np.allclose(losses.sum(axis=1), np.minimum(moved, 1.0 - near.prior), rtol=0, atol=1e-12)
        slope = (lam + near.utility.at(near.prior, np.zeros(n)) - near.utility.at(near.prior, np.ones(n))) / near.prior
        assert np.allclose(near._most_lost(slope, moved), losses @ slope, rtol=1e-9, atol=1e-9)
        assert np.isclose(near.shares().sum(), 1.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("utility", [EntropyOfLifts(), SquaredLifts()], ids=["entropy", "squares"])
def test_the_best_lift_and_the_envelope_are_those_of_a_fine_grid(utility, rng):
    for _ in range(40):
        prior, most = rng.uniform(0.02, 0.5, size=1), rng.uniform(1.05, 6.0, size=1)
        curve, linear = prior * np.exp(rng.uniform(-4, 2, size=1)), prior * rng.normal(size=1)
        grid = np.linspace(0.0, most[0], 20001)
        bent = utility.at(prior, grid) - curve * (grid - 1.0) ** 2
        found, where = utility.largest(prior, linear, curve, most)
        on_grid = (bent - linear * grid).max()
        assert on_grid - 1e-12 <= found[0] <= on_grid + 1e-5 * (1 + curve[0])
        reached = utility.at(prior, where) - linear * where - curve * (where - 1.0) ** 2
        assert math.isclose(reached[0], found[0], rel_tol=1e-9, abs_tol=1e-12)
        # The envelope at 1 is the least value there of a line that is above the function.
        at_one, slope = utility.envelope(prior, curve, most)
        assert np.all(at_one + slope * (grid - 1.0) >= bent - 1e-12)
        below, above = grid < 1.0, grid >= 1.0
        first, second = grid[below][::40], grid[above][::-40]
        share = (1.0 - first[:, None]) / (second - first[:, None])
        chords = bent[below][::40][:, None] * (1.0 - share) + share * bent[above][::-40]
        assert chords.max() - 1e-12 <= at_one[0] <= chords.max() + 1e-3 * (1 + curve[0])


@pytest.mark.parametrize("n", [20, 200])
def test_information_under_chi_square_is_at_most_that_of_sets_of_one_height(n, rng):
    # By Jensen's inequality E ln(v / P) is at most ln(1 + r^2), and sets of mass 1 / (1 + r^2) reach it.
    prior = rng.dirichlet(np.full(n, 5.0))
    near = near_prior(md.StrongChiSquare(0.5), md.MutualInformation(), md.Problem(prior=prior))
    lam = near.multipliers()
    assert math.isclose(lam.sum() + near.excess(lam)[0], math.log(1.25), rel_tol=1e-8)
    made = md.design(md.Problem(prior=prior), md.StrongChiSquare(0.5), md.MutualInformation(), gap=5e-3)
    assert made.value >= 0.995 * math.log(1.25)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("epsilon", [0.2, 0.9])
def test_value_and_bound_hold_the_optimum_over_rays(epsilon, objective, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(6, 3.0)))
    near = near_prior(md.StrongL1(epsilon), objective, problem)
    best = md.design(problem, md.StrongL1(epsilon), objective, route="rays").value
    optimum, idle = (objective.to_utility(v, problem) for v in (best, objective.uninformative(problem)))
    lam = near.multipliers()
    assert optimum <= lam.sum() + near.excess(lam)[0] <= optimum + (optimum - idle)


@pytest.mark.parametrize("notion", ["LDP", "LIP", "Intersection", "MutualInformationPrivacy"])
def test_other_notions_are_none_of_that_kind(notion):
    other = {
        "LDP": md.LDP(1.0),
        "LIP": md.LIP(1.0),
        "Intersection": md.LIP(1.0) & md.StrongL1(0.5),
        "MutualInformationPrivacy": md.MutualInformationPrivacy(0.2),
    }[notion]
    assert near_prior(other, md.HistogramMMSE(), md.Problem(prior=[0.5, 0.3, 0.2])) is None
    assert near_prior(md.StrongL1(0.5), md.MMSE(), md.Problem(prior=[0.5, 0.5], values=[0, 1])) is None
