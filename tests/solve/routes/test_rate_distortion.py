"""What leaks under a largest expected loss: rate-distortion functions and least maximal leakage, and their bounds."""

import math
import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from tests.helpers import brute_force as brute

SOLVERS = ("CLARABEL", "ECOS", "SCS")
LEAST = md.MutualInformation(minimize=True)
#: Private at so large a level that only the distortion binds.
FREE = md.LDP(20.0)


def entropy(p):
    return -p * math.log(p) - (1 - p) * math.log(1 - p)


def at_most(cost, largest):
    """Return the constraint that the expected loss is at most `largest`; `cost` is prior times loss."""
    return lambda Q: [cp.sum(cp.multiply(cost, Q)) <= largest]


def blahut_arimoto(prior, loss, slope, rounds=20_000):
    """Return distortion and rate in nats at the point of the curve with that slope."""
    kernel = np.exp(-slope * loss)
    masses = np.full(loss.shape[1], 1 / loss.shape[1])
    for _ in range(rounds):
        matrix = kernel * masses / (kernel @ masses)[:, None]
        masses = prior @ matrix
    # Its own proof: no output would be worth more mass.
    assert np.max(prior @ (kernel / (kernel @ masses)[:, None])) <= 1 + 1e-9
    joint = prior[:, None] * matrix
    used = joint > 0
    rate = float(np.sum(joint[used] * np.log((matrix / np.maximum(masses, 1e-300))[used])))
    return float(np.sum(joint * loss)), rate


# Mutual information ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("distortion", [0.01, 0.1, 0.25, 0.4, 0.49])
def test_a_fair_bit_has_its_rate_distortion_function(distortion, solver):
    problem = md.Problem(prior=[0.5, 0.5])
    made = md.design(problem, FREE, LEAST, solver=solver, gap=1e-5, subject_to=at_most((1 - np.eye(2)) / 2, distortion))
    rate = math.log(2) - entropy(distortion)
    assert made.value == pytest.approx(rate, rel=1e-6)
    assert made.bound == pytest.approx(rate, rel=1e-5)
    assert made.bound <= rate * (1 + 1e-11) + 1e-14
    assert made.route == "convex"
    assert made.solver_stats.name == solver


@pytest.mark.parametrize("p", [0.1, 0.3])
def test_a_biased_bit_has_its_rate_distortion_function(p):
    problem = md.Problem(prior=[p, 1 - p])
    cost = problem.prior[:, None] * (1 - np.eye(2))
    for distortion in (0.02, 0.05):
        made = md.design(problem, FREE, LEAST, subject_to=at_most(cost, distortion))
        assert made.value == pytest.approx(entropy(p) - entropy(distortion), rel=1e-6)
        assert made.gap <= 1e-6


def test_uniform_data_under_the_error_probability():
    for n, distortion in ((3, 0.2), (5, 0.5)):
        made = md.design(
            md.Problem(prior=np.full(n, 1 / n)), FREE, LEAST, subject_to=at_most((1 - np.eye(n)) / n, distortion)
        )
        rate = math.log(n) - entropy(distortion) - distortion * math.log(n - 1)
        assert made.value == pytest.approx(rate, rel=1e-6)
        assert made.bound == pytest.approx(rate, rel=1e-6)


@pytest.mark.parametrize("slope", [0.5, 2.0, 6.0])
def test_a_bell_under_squared_error_agrees_with_blahut_and_arimoto(slope):
    # Some reproduction points get no mass: their weights in the bound come from stationarity alone.
    points = np.linspace(-2.5, 2.5, 9)
    prior = np.exp(-(points**2) / 2)
    prior /= prior.sum()
    loss = (points[:, None] - points) ** 2
    distortion, rate = blahut_arimoto(prior, loss, slope)
    made = md.design(md.Problem(prior=prior), FREE, LEAST, subject_to=at_most(prior[:, None] * loss, distortion))
    assert made.value == pytest.approx(rate, rel=1e-6)
    assert made.bound == pytest.approx(rate, rel=1e-6)
    assert made.gap <= 1e-6


@pytest.mark.parametrize("outputs", [2, 3, 6])
def test_outputs_are_as_many_as_asked_for(outputs, rng):
    prior, loss = rng.dirichlet(np.ones(4)) * 0.8 + 0.05, rng.exponential(size=(4, outputs))
    distortion, rate = blahut_arimoto(prior, loss, 3.0)
    made = md.design(
        md.Problem(prior=prior), FREE, LEAST, outputs=outputs, subject_to=at_most(prior[:, None] * loss, distortion)
    )
    assert made.matrix.shape == (4, outputs)
    assert made.value == pytest.approx(rate, rel=1e-6)
    assert made.gap <= 1e-6


def least_information(prior, rows, cost, largest):
    """Return the least information over private Q with that expected loss, by a program written out here."""
    n, m = cost.shape
    Q = cp.Variable((n, m), nonneg=True)
    mass = cp.reshape(prior @ Q, (1, m), order="C")
    information = cp.sum(cp.rel_entr(cp.multiply(prior[:, None], Q), prior[:, None] @ mass))
    rules = [cp.sum(Q, axis=1) == 1, cp.sum(cp.multiply(cost, Q)) <= largest, rows @ Q >= 0]
    return cp.Problem(cp.Minimize(information), rules).solve(solver="CLARABEL")


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.6)])
def test_privacy_and_usefulness_bind_together(notion, rng):
    n = 4
    prior = rng.dirichlet(np.ones(n)) * 0.6 + 0.1
    problem, cost = md.Problem(prior=prior), prior[:, None] * (1 - np.eye(n))
    rows = brute.ldp_rows(n, 1.0) if isinstance(notion, md.LDP) else brute.lip_rows(prior, 0.6)
    best = md.design(problem, notion, md.HammingLoss()).value
    for share in (0.05, 0.5):
        largest = best + share * (1 - prior.max() - best)
        made = md.design(problem, notion, LEAST, gap=1e-5, subject_to=at_most(cost, largest))
        assert made.value == pytest.approx(least_information(prior, rows, cost, largest), rel=1e-5)
        assert made.gap <= 1e-5
        assert made.audit.holds
        assert np.sum(cost * made.matrix) <= largest + 1e-6
    # No private mechanism is as useful as that.
    with pytest.raises(md.InfeasibleError):
        md.design(problem, notion, LEAST, subject_to=at_most(cost, 0.9 * best))


@pytest.mark.parametrize("objective", [LEAST, md.LeakageLoss()])
@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.5), md.LDP(0.0), md.WeightedTV(0.5)])
def test_where_nothing_is_asked_nothing_is_told(notion, objective):
    problem = md.Problem(prior=[0.3, 0.7])
    made = md.design(problem, notion, objective)
    assert made.value == 0
    assert abs(made.bound) <= 1e-12
    assert made.gap <= 1e-6
    assert np.ptp(made.matrix, axis=0).max() == 0
    assert made.route == "convex"


@pytest.mark.parametrize("objective", [LEAST, md.LeakageLoss()])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_loss_that_a_constant_meets_costs_nothing(objective, solver):
    problem = md.Problem(prior=[0.5, 0.5])
    made = md.design(problem, FREE, objective, solver=solver, subject_to=at_most((1 - np.eye(2)) / 2, 0.6))
    assert 0 <= made.value <= 1e-9
    assert made.bound == pytest.approx(0, abs=1e-12)
    assert made.gap <= 1e-6


# Maximal leakage ---------------------------------------------------------------------------------------------------


def least_leakage(cost, largest, rows=None):
    """Return the logarithm of the least ``sum_y t_y`` with ``Q[x, y] <= t_y``: scipy, every inequality written out."""
    n, m = cost.shape
    goal = np.concatenate([np.zeros(n * m), np.ones(m)])
    left, right = [np.append(cost.ravel(), np.zeros(m))], [largest]
    for x in range(n):
        for y in range(m):
            row = np.zeros(n * m + m)
            row[x * m + y], row[n * m + y] = 1.0, -1.0
            left.append(row)
            right.append(0.0)
    for y in range(m):
        for inequality in () if rows is None else rows:
            entry = np.zeros((n, m))
            entry[:, y] = -inequality
            left.append(np.append(entry.ravel(), np.zeros(m)))
            right.append(0.0)
    sums = np.hstack([np.kron(np.eye(n), np.ones((1, m))), np.zeros((n, m))])
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(goal, np.array(left), right, sums, np.ones(n), method="highs", options=tight)
    assert found.status == 0, found.message
    return math.log(found.fun)


@pytest.mark.parametrize("solver", [*SOLVERS, "HIGHS"])
def test_uniform_data_under_the_error_probability_leak_the_logarithm_of_right_guesses(solver):
    # Sum_y max_x Q[x, y] is at least the trace, n (1 - D), and randomised response reaches it.
    for n, distortion in ((2, 0.1), (4, 0.5)):
        problem, rule = md.Problem(prior=np.full(n, 1 / n)), at_most((1 - np.eye(n)) / n, distortion)
        made = md.design(problem, FREE, md.LeakageLoss(), solver=solver, gap=1e-5, subject_to=rule)
        assert made.value == pytest.approx(math.log(n * (1 - distortion)), rel=1e-6)
        assert made.gap <= 1e-5


@pytest.mark.parametrize("epsilon", [0.7, 20.0])
def test_least_leakage_is_the_linear_program(epsilon, rng):
    for n, m in ((3, 3), (5, 5), (4, 2)):
        prior, loss = rng.dirichlet(np.ones(n)) * 0.8 + 0.2 / n, rng.exponential(size=(n, m))
        problem, cost = md.Problem(prior=prior), prior[:, None] * loss
        best = md.design(problem, md.LDP(epsilon), md.ExpectedLoss(loss)).value
        largest = best + 0.1 * ((prior @ loss).min() - best)
        made = md.design(
            problem, md.LDP(epsilon), md.LeakageLoss(), outputs=m, gap=1e-5, subject_to=at_most(cost, largest)
        )
        truth = least_leakage(cost, largest, brute.ldp_rows(n, epsilon) if epsilon < 5 else None)
        assert made.value == pytest.approx(truth, rel=1e-6, abs=1e-12)
        # At 20 nats no entry is quite zero: a few 1e-9 more than without privacy.
        assert made.bound <= truth * (1 + (1e-8 if epsilon < 5 else 1e-7)) + 1e-12
        assert made.gap <= 1e-5


# Bounds and files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", [LEAST, md.LeakageLoss()])
def test_minorants_stay_below_for_any_weights_and_touch_for_the_right_ones(objective, rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(3)))
    for _ in range(50):
        matrix = rng.dirichlet(np.ones(4), size=3)
        least = -objective.to_utility(objective.value(matrix, problem), problem)
        for weights in (None, rng.normal(size=(3, 4)), 1e3 * rng.normal(size=(3, 4)), np.zeros((3, 4))):
            assert np.sum(objective.minorant(weights, problem) * matrix) <= least + 1e-12
        if objective is LEAST:
            right = np.log(matrix / (problem.prior @ matrix))
        else:
            right = (matrix == matrix.max(axis=0)).astype(float)
        assert np.sum(objective.minorant(right, problem) * matrix) == pytest.approx(least, rel=1e-11, abs=1e-12)


def test_the_bound_is_sound_for_any_weights_and_own_terms(rng):
    prior = np.array([0.3, 0.7])
    cost = prior[:, None] * (1 - np.eye(2))
    rate = entropy(0.3) - entropy(0.1)
    for _ in range(200):
        worth = rng.exponential()
        multipliers = Multipliers(
            rng.normal(size=2), weights=rng.normal(size=(2, 2)), own_cost=worth * cost, own_constant=-worth * 0.1
        )
        bound = utility_bound(FREE, LEAST, md.Problem(prior=prior), multipliers).utility
        assert LEAST.from_utility(bound, md.Problem(prior=prior)) <= rate + 1e-12


@pytest.mark.parametrize("objective", [LEAST, md.LeakageLoss()])
def test_a_file_is_derived_again(objective, tmp_path):
    problem = md.Problem(prior=[0.3, 0.7])
    made = md.design(problem, FREE, objective, subject_to=at_most(problem.prior[:, None] * (1 - np.eye(2)), 0.1))
    again = md.load(made.mechanism.save(tmp_path / "own.json"))
    assert again.certificate.value == pytest.approx(made.value, rel=1e-14)
    assert np.array_equal(again.matrix, made.matrix)
    free = md.design(problem, FREE, objective)
    assert md.load(free.mechanism.save(tmp_path / "free.json")) == free.mechanism


# Refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", [LEAST, md.LeakageLoss()])
@pytest.mark.parametrize("route", ["rays", "columns", "closed_form"])
def test_other_routes_refuse_in_a_sentence(route, objective):
    problem = md.Problem(prior=[0.3, 0.7])
    with pytest.raises(md.UnsupportedError, match=rf"The route {route} refuses: .*{objective.name}"):
        md.design(problem, md.LIP(1.0), objective, route=route)


def test_comparing_shows_one_value():
    for objective in (LEAST, md.LeakageLoss()):
        table = md.compare(md.Problem(prior=[0.3, 0.7]), md.LDP(1.0), objective)
        assert {row.route for row in table if row.outcome == "certified"} - {"known"} == {"convex"}
        assert table.consistent


def test_a_linear_solver_says_that_information_is_not_linear():
    problem = md.Problem(prior=[0.5, 0.5])
    with pytest.raises(md.SolverError, match="HIGHS failed on the program over Q: it takes linear programs only"):
        md.design(problem, FREE, LEAST, solver="HIGHS", subject_to=at_most((1 - np.eye(2)) / 2, 0.1))


def test_outputs_that_reveal_an_input_are_refused_beside_own_constraints():
    problem, notion = md.Problem(prior=[0.5, 0.5]), md.UtilityOptimizedLDP(1.0, [0])
    with pytest.raises(md.UnsupportedError, match="UtilityOptimizedLDP lets outputs reveal an input"):
        md.design(problem, notion, LEAST, subject_to=lambda Q: [Q[0, 0] >= 0.5])


def test_the_two_senses_are_two_objectives():
    assert md.MutualInformation() != LEAST
    assert (md.MutualInformation().kind, LEAST.kind) == ("sublinear", "convex")
    assert (md.MutualInformation().sense, LEAST.sense) == ("maximise", "minimise")
    assert str(LEAST) == "MutualInformation(minimize=True)"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        most = md.design(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.MutualInformation())
    assert most.value > 0
