"""GLeakage: level and exact check from their definition, optima against maximal leakage and by direct programs."""

from __future__ import annotations

import math
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact import exp_below


def leaked(matrix, prior, gain):
    """Return the ratio of the best mean gains with and without the output."""
    weighted = np.asarray(gain) * prior
    return (weighted @ matrix).max(axis=0).sum() / weighted.sum(axis=1).max()


def direct(prior, gain, epsilon, reward):
    """Return the largest sum of reward * Q under the notion, written once more."""
    n, m = reward.shape
    q, most = cp.Variable((n, m), nonneg=True), cp.Variable(m)
    weighted = np.asarray(gain) * prior
    within = [row @ q <= most for row in weighted]
    limit = math.exp(epsilon) * weighted.sum(axis=1).max()
    asked = [cp.sum(q, axis=1) == 1, cp.sum(most) <= limit, *within]
    return cp.Problem(cp.Maximize(cp.sum(cp.multiply(reward, q))), asked).solve(solver="CLARABEL")


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_level_is_the_definition(n, rng):
    for actions in (1, 2, n, n + 2):
        prior, gain = rng.dirichlet(np.ones(n)), rng.random((actions, n))
        matrix = rng.dirichlet(np.ones(4), size=n)
        found = md.GLeakage(1.0, gain).level(matrix, md.Problem(prior=prior))
        assert found.value == pytest.approx(math.log(leaked(matrix, prior, gain)), abs=1e-14)
        assert md.GLeakage(1.0, gain).level(np.full((n, 2), 0.5), md.Problem(prior=prior)).value == 0


def test_next_to_no_leakage_is_not_lost_in_rounding():
    faint = np.array([[0.5 + 2.0**-40, 0.5 - 2.0**-40], [0.5 - 2.0**-40, 0.5 + 2.0**-40]])
    level = md.GLeakage(1.0, np.eye(2)).level(faint, md.Problem(prior=[0.5, 0.5])).value
    assert level == pytest.approx(2.0**-39, rel=1e-9)


def test_one_action_leaks_nothing():
    assert md.GLeakage(0.1, [[3.0, 1.0]]).level(np.eye(2), md.Problem(prior=[0.4, 0.6])).value == 0
    made = md.design(md.Problem(prior=[0.4, 0.6]), md.GLeakage(0.1, [[3.0, 1.0]]), md.MutualInformation())
    assert made.value == pytest.approx(-0.4 * math.log(0.4) - 0.6 * math.log(0.6), abs=1e-9)


def test_at_level_zero_no_report_changes_what_is_best():
    problem = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2])
    made = md.design(problem, md.GLeakage(0.0, np.eye(3)), md.MutualInformation())
    joint = problem.prior[:, None] * made.matrix
    assert np.all(joint.argmax(axis=0) == 0) and made.value > 0.1 and made.gap < 1e-6
    assert md.audit(made.mechanism, md.GLeakage(0.0, np.eye(3)), problem).holds


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 0.8])
def test_guesses_of_an_even_secret_are_maximal_leakage(epsilon):
    even = md.Problem(prior=[0.25] * 4, values=range(4))
    for objective in (md.MMSE(), md.HammingLoss(), md.ErrorProbability()):
        one = md.design(even, md.GLeakage(epsilon, np.eye(4)), objective)
        other = md.design(even, md.MaximalLeakage(epsilon), objective)
        assert one.bound - 1e-9 <= other.value and other.bound - 1e-9 <= one.value
        assert one.value == pytest.approx(other.value, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_an_expected_loss_is_that_of_a_program_of_its_own(seed):
    rng = np.random.default_rng(seed)
    prior, gain, loss = rng.dirichlet(np.ones(4)), rng.random((3, 4)), rng.random((4, 3))
    made = md.design(md.Problem(prior=prior), md.GLeakage(0.1, gain), md.ExpectedLoss(loss))
    assert made.value == pytest.approx(-direct(prior, gain, 0.1, -prior[:, None] * loss), abs=1e-6)
    assert made.gap < 1e-5


def test_a_hidden_secret_is_guessed_from_what_it_sees():
    data = md.Problem(prior=[0.5, 0.3, 0.2]).hidden(secret_given_data=[[0.9, 0.4, 0.2], [0.1, 0.6, 0.8]])
    notion = md.GLeakage(0.1, np.eye(2))
    made = md.design(data, notion, md.MutualInformation())
    assert made.gap < 1e-5 and float(made.audit) <= 0.1
    joint = np.array([[0.9, 0.4, 0.2], [0.1, 0.6, 0.8]]) * np.array([0.5, 0.3, 0.2])
    guessed = (joint @ made.matrix).max(axis=0).sum() / joint.sum(axis=1).max()
    assert math.log(guessed) <= 0.1 + 1e-12


def test_the_exact_check_decides_at_one_unit():
    problem, notion = md.Problem(prior=[0.5, 0.5]), md.GLeakage(0.5, [[2, 0], [0, 2]])
    least = 1 - exp_below(0.5) / 2
    units = math.ceil(least * 2**53)
    for flips, fine in ((units, True), (units - 1, False)):
        flip = Fraction(flips, 2**53)
        assert md.audit([[1 - flip, flip], [flip, 1 - flip]], notion, problem).holds == fine


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": -0.1, "gain": np.eye(2)}, "epsilon"),
        ({"epsilon": 1.0, "gain": np.zeros((2, 2))}, "some action has to earn something"),
        ({"epsilon": 1.0, "gain": [[-1.0, 1.0]]}, r"gain\[0, 0\]"),
    ],
)
def test_what_is_no_gain_is_refused(given, said):
    with pytest.raises(md.DomainError, match=said):
        md.GLeakage(**given)


def test_gains_of_other_secrets_are_refused():
    with pytest.raises(md.DomainError, match="give a column for each"):
        md.design(md.Problem(prior=[0.5, 0.5]), md.GLeakage(1.0, np.eye(3)), md.HammingLoss())
