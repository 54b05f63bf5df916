"""Known mechanisms against their formulas in fractions, and the notion's definition."""

import math
from fractions import Fraction

import numpy as np
import pytest

from mechdesign.baselines import no_privacy, response_matrix, strongest_randomised_response, uninformative
from mechdesign.errors import DomainError, InfeasibleError
from mechdesign.notions import LDP, LIP, ProfileDP, WeightedTV
from mechdesign.problem import Problem
from tests.helpers import brute_force

STEP = 2.0**-53


def more_truthful(matrix):
    """Return the same randomised response with one unit of 2**-53 less on each lie."""
    k = matrix.shape[1]
    lies = matrix.min() - STEP
    fewer = np.full((k, k), lies)
    np.fill_diagonal(fewer, 1.0 - (k - 1) * lies)
    return fewer


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_the_array_of_randomised_response_is_its_formula(n):
    matrix = response_matrix(n, math.log(4))
    truth, lie = Fraction(4, 3 + n), Fraction(1, 3 + n)
    wanted = [[float(truth if x == y else lie) for y in range(n)] for x in range(n)]
    assert matrix == pytest.approx(np.array(wanted), rel=1e-15)


def test_randomised_response_at_the_ends_of_epsilon():
    assert response_matrix(4, 0.0) == pytest.approx(np.full((4, 4), 0.25), abs=0)
    assert np.array_equal(response_matrix(4, 2000.0), np.eye(4))


@pytest.mark.parametrize(
    ("n", "epsilon", "said"),
    [(0, 1.0, "n is 0"), (2.5, 1.0, "n is 2.5"), (3, -1.0, "epsilon is -1.0"), (3, math.nan, "epsilon is nan")],
)
def test_randomised_response_refuses_what_is_out_of_range(n, epsilon, said):
    with pytest.raises(DomainError, match=said):
        response_matrix(n, epsilon)


def test_the_extremes():
    assert np.array_equal(uninformative(3), [[1.0], [1.0], [1.0]])
    assert np.array_equal(no_privacy(3), np.eye(3))
    for extreme in (uninformative, no_privacy):
        with pytest.raises(DomainError, match="n is 0, but it has to be at least 1"):
            extreme(0)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_the_strongest_of_ldp_is_the_classic_one_to_the_last_bit(n, epsilon):
    matrix = strongest_randomised_response(LDP(epsilon), Problem(n=n))
    assert matrix == pytest.approx(response_matrix(n, epsilon), abs=1e-15)
    assert brute_force.is_ldp(matrix, epsilon)
    assert not brute_force.is_ldp(more_truthful(matrix), epsilon)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
def test_the_strongest_of_lip_is_private_and_one_step_more_is_not(rng, epsilon):
    for n in (2, 3, 5):
        prior = rng.dirichlet(np.full(n, 0.7)) + 1e-3
        prior /= prior.sum()
        matrix = strongest_randomised_response(LIP(epsilon), Problem(prior=prior))
        assert brute_force.is_lip(matrix, prior, epsilon)
        assert not brute_force.is_lip(more_truthful(matrix), prior, epsilon)


def test_the_strongest_of_lip_beats_that_of_ldp():
    # LDP implies LIP at the same epsilon, strictly where every input is common.
    problem = Problem(prior=[0.3, 0.3, 0.4])
    by_lip, by_ldp = (strongest_randomised_response(notion, problem) for notion in (LIP(1.0), LDP(1.0)))
    assert by_lip[0, 0] > by_ldp[0, 0] + 0.05


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_at_epsilon_zero_rows_are_equal(n):
    for notion in (LDP(0.0), LIP(0.0)):
        matrix = strongest_randomised_response(notion, Problem(prior=np.full(n, 1 / n)))
        assert np.all(matrix == matrix[0])
        assert brute_force.is_ldp(matrix, 0.0)


def test_the_strongest_of_weighted_tv_has_its_delta():
    # At weight one half the norm is 1 - 2 lies.
    matrix = strongest_randomised_response(WeightedTV(0.375), Problem(n=2))
    assert np.array_equal(matrix, [[0.6875, 0.3125], [0.3125, 0.6875]])
    # At another weight, above the least level: |(1-w)(1-f) - wf| + |(1-w)f - w(1-f)| with lies f.
    matrix = strongest_randomised_response(WeightedTV(0.5, 0.3), Problem(n=2))
    lies = matrix[0, 1]
    assert abs(0.7 * (1 - lies) - 0.3 * lies) + abs(0.7 * lies - 0.3 * (1 - lies)) == pytest.approx(0.5, rel=1e-14)


def test_inputs_that_carry_one_datum_report_alike():
    profiles = [[0.8, 0.2], [0.3, 0.7]]
    notion = ProfileDP(0.4, profiles, [(0, 1)], sees_profile=True)
    matrix = strongest_randomised_response(notion, Problem(n=2))
    assert matrix.shape == (4, 2)
    assert np.array_equal(matrix[:2], matrix[2:])
    # The mechanism ignores the profile, so it is that of the mechanism that does not see it.
    unseen = ProfileDP(0.4, profiles, [(0, 1)], sees_profile=False)
    assert np.array_equal(matrix[:2], strongest_randomised_response(unseen, Problem(n=2)))
    # (0.8 (1 - f) + 0.2 f) / (0.3 (1 - f) + 0.7 f) and (0.7 (1-f) + 0.3 f) / (0.2 (1-f) + 0.8 f) at most e^0.4.
    f = matrix[0, 1]
    ratios = (0.8 - 0.6 * f) / (0.3 + 0.4 * f), (0.7 - 0.4 * f) / (0.2 + 0.6 * f)
    assert max(ratios) == pytest.approx(math.exp(0.4), rel=1e-14)


def test_a_notion_that_nothing_satisfies_is_said():
    with pytest.raises(InfeasibleError):
        strongest_randomised_response(WeightedTV(0.1, 0.3), Problem(n=2))


def test_what_needs_no_privacy_is_left_alone():
    assert np.array_equal(strongest_randomised_response(WeightedTV(1.0), Problem(n=2)), np.eye(2))
