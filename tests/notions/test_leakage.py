"""MaximalLeakage: level, exact check and rays from their definitions, optima by brute force and direct programs."""

import math
import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.exact import exp_below
from mechdesign.solve.pricing.support import support
from tests.helpers import brute_force as brute


def level_by_loops(rows):
    """Return ``ln sum_y max_s``, from lists."""
    return math.log(sum(max(float(row[y]) for row in rows) for y in range(len(rows[0]))))


def arrangement(channel):
    """Return every ray that n - 1 of the planes ``q_x = 0`` and ``v_s = v_t`` leave, and its largest v."""
    secrets, n = channel.shape
    planes = [*np.eye(n), *(channel[s] - channel[t] for s, t in combinations(range(secrets), 2))]
    found = []
    for chosen in combinations(planes, n - 1):
        _, sizes, right = np.linalg.svd(np.array(chosen))
        ray = right[-1] * np.sign(right[-1][np.abs(right[-1]).argmax()])
        if sizes.min() > 1e-9 and ray.min() > -1e-12:
            found.append(np.maximum(ray, 0.0) / ray.max())
    columns = np.unique(np.round(np.array(found), 13), axis=0).T
    return columns, (channel @ columns).max(axis=0)


def best_weights(columns, utilities, cost, limit):
    """Return the largest sum of utilities over weights whose columns add up to one within the budget."""
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    ones = np.ones(len(columns))
    found = linprog(-utilities, A_ub=cost[None], b_ub=[limit], A_eq=columns, b_eq=ones, method="highs", options=tight)
    assert found.status == 0, found.message
    return -found.fun


def cases(n, rng):
    """Return problem, objectives, and what each column adds to them by definition (larger is better)."""
    prior, values, loss = rng.dirichlet(np.ones(n)), rng.normal(size=n), rng.exponential(size=(n, 3))
    first, second = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    return md.Problem(prior=prior, values=values), (
        (md.MMSE(), lambda q: -brute.squared_error(q, prior, values)),
        (md.ExpectedLoss(loss), lambda q: -brute.least_loss(q, prior, loss)),
        (md.KLDivergence(first, second), lambda q: brute.divergence("KLDivergence", q, first, second)),
        (md.MutualInformation(), lambda q: brute.information(q, prior)),
    )


def test_level_is_the_definition(rng):
    for n in (2, 3, 6):
        matrix = rng.dirichlet(np.ones(4), size=n)
        found = md.MaximalLeakage(1.0).level(matrix, md.Problem(n=n))
        assert found.value == pytest.approx(level_by_loops(matrix), rel=1e-12)
        given = rng.dirichlet(np.ones(n), size=3)
        hidden = md.Problem(n=n).hidden(data_given_secret=given)
        assert md.MaximalLeakage(1.0).level(matrix, hidden).value == pytest.approx(
            level_by_loops(given @ matrix), rel=1e-11
        )
    # The identity tells everything.
    assert md.MaximalLeakage(1.0).level(np.eye(5), md.Problem(n=5)).value == pytest.approx(math.log(5), rel=1e-15)
    # Next to no leakage is not lost in rounding: 2^-40 more than one.
    faint = np.array([[0.5 + 2.0**-40, 0.5 - 2.0**-40], [0.5, 0.5]])
    assert md.MaximalLeakage(1.0).level(faint, md.Problem(n=2)).value == pytest.approx(2.0**-40, rel=1e-9)


def test_exact_check_stops_at_the_last_bit():
    matrix = [[0.75, 0.25], [0.25, 0.75]]
    report = md.audit(matrix, md.MaximalLeakage(0.5))
    assert float(report) == pytest.approx(math.log(1.5), abs=1e-16)
    assert md.audit(matrix, md.MaximalLeakage(float(report))).holds
    assert not md.audit(matrix, md.MaximalLeakage(math.nextafter(float(report), 0.0))).holds
    assert md.audit([[0.5, 0.5], [0.5, 0.5]], md.MaximalLeakage(0.0)).holds
    assert not md.audit(
        [
            ["1/2", "1/2"],
            ["1/2", "1/2"],
            ["50000000000000001/100000000000000000", "49999999999999999/100000000000000000"],
        ],
        md.MaximalLeakage(0.0),
    ).holds


def test_programs_are_over_no_less_than_the_notion():
    # The budget's limit is e^epsilon from above, where the exact check takes it from below.
    for epsilon in np.linspace(0.0, 5.0, 50):
        limit = md.MaximalLeakage(float(epsilon)).columns(md.Problem(n=150)).budget().limits.item()
        assert Fraction(limit) >= exp_below(float(epsilon))


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 0.6])
def test_optimum_is_the_brute_force(n, epsilon, rng):
    problem, asked = cases(n, rng)
    columns, cost = arrangement(np.eye(n))
    for objective, utility in asked:
        best = best_weights(columns, utility(columns), cost, math.exp(epsilon))
        found = md.design(problem, md.MaximalLeakage(epsilon), objective)
        sign = 1.0 if objective.sense == "maximise" else -1.0
        assert found.value == pytest.approx(sign * best, rel=1e-8)
        assert found.gap <= 1e-9
        assert level_by_loops(found.matrix) <= epsilon + 1e-15


@pytest.mark.parametrize("epsilon", [0.02, 0.1])
def test_hidden_optimum_is_the_brute_force(epsilon, rng):
    problem, asked = cases(3, rng)
    given = rng.dirichlet(np.ones(2), size=3).T
    hidden = problem.hidden(secret_given_data=given)
    columns, cost = arrangement(hidden.channel)
    for objective, utility in asked:
        best = best_weights(columns, utility(columns), cost, math.exp(epsilon))
        found = md.design(hidden, md.MaximalLeakage(epsilon), objective)
        sign = 1.0 if objective.sense == "maximise" else -1.0
        assert found.value == pytest.approx(sign * best, rel=1e-7)
        assert found.gap <= 1e-6
        assert level_by_loops(hidden.channel @ found.matrix) <= epsilon + 1e-13


def test_losses_are_one_linear_program(rng):
    import cvxpy as cp

    for n, epsilon in ((3, 0.2), (7, 0.5), (18, 0.4)):
        problem, loss = md.Problem(prior=rng.dirichlet(np.ones(n))), rng.exponential(size=(n, n))
        Q = cp.Variable((n, n), nonneg=True)
        rules = [cp.sum(Q, axis=1) == 1, cp.sum(cp.max(Q, axis=0)) <= math.exp(epsilon)]
        best = cp.Problem(cp.Minimize(cp.sum(cp.multiply(problem.prior[:, None] * loss, Q))), rules)
        best.solve(solver="HIGHS")
        worst = cp.Problem(cp.Minimize(cp.max(cp.sum(cp.multiply(loss, Q), axis=1))), rules)
        worst.solve(solver="HIGHS")
        for asked, expected in ((md.ExpectedLoss(loss), best.value), (md.WorstCaseLoss(loss), worst.value)):
            found = md.design(problem, md.MaximalLeakage(epsilon), asked)
            assert found.value == pytest.approx(expected, rel=1e-7)
            assert found.gap <= 1e-6


def test_hamming_loss_at_a_uniform_prior_is_known():
    # Whatever the mechanism, the best guess is right with probability sum_y max_x Q / n <= e^epsilon / n.
    n, epsilon = 6, 0.7
    found = md.design(md.Problem(prior=np.full(n, 1 / n)), md.MaximalLeakage(epsilon), md.HammingLoss())
    assert found.value == pytest.approx(1 - math.exp(epsilon) / n, rel=1e-10)


def test_no_privacy_is_left_at_the_logarithm_of_the_inputs():
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 5.0])
    for epsilon in (math.log(3) + 1e-9, 5.0, 700.0, 1e6):
        assert md.design(problem, md.MaximalLeakage(epsilon), md.MMSE()).value == pytest.approx(0.0, abs=1e-9)


def test_support_is_the_largest_over_all_sets(rng):
    n = 5
    notion, problem, nu = md.MaximalLeakage(0.5), md.Problem(n=n), np.array([0.7])
    sets = [np.array([s >> x & 1 for x in range(n)], dtype=float) for s in range(1, 2**n)]
    functionals = rng.normal(size=(20, n))
    found = support(notion, problem, functionals, nu)
    for h, value, column in zip(functionals, found.values, found.columns.T, strict=True):
        assert value == pytest.approx(max((h @ s - 0.7) / s.mean() for s in sets), rel=1e-12)
        assert h @ column - 0.7 * column.max() == pytest.approx(value, rel=1e-12)
        assert column.mean() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("n", [5, 10])
def test_directions_reach_what_rays_reach(n, rng):
    problem, asked = cases(n, rng)
    for objective, _ in (asked[0], asked[2]):
        by_rays, by_directions = (
            md.design(problem, md.MaximalLeakage(0.3), objective, route=route) for route in ("rays", "directions")
        )
        assert by_directions.value == pytest.approx(by_rays.value, rel=1e-6)
        assert by_directions.gap <= 1e-6


def test_many_inputs_are_answered_by_directions(rng):
    n = 30
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = md.design(problem, md.MaximalLeakage(0.2), md.MMSE())
    assert found.route == "directions"
    assert found.gap <= 1e-6
    assert level_by_loops(found.matrix) <= 0.2 + 1e-14
