"""The one-hot error, the Bayes guess, Jensen-Shannon, Renyi: against definitions, brute force and exact theorems."""

import json
import math

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives import Ratio
from mechdesign.question.question import member_to_dict, objective_from_dict
from tests.helpers import brute_force as brute

ORDERS = (0.01, 0.3, 0.5, 0.999999, 1.000001, 1.3, 2.0, 3.7, 9.0)
NAMES = ("HistogramMMSE", "ErrorProbability", "JensenShannon", "RenyiBelow", "RenyiAbove")


def posed(name, n, rng):
    """Return a problem and an objective."""
    prior = rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n
    first, second = rng.dirichlet(np.ones(n), size=2) * 0.9 + 0.1 / n
    objective = {
        "HistogramMMSE": md.HistogramMMSE,
        "ErrorProbability": md.ErrorProbability,
        "JensenShannon": lambda: md.JensenShannon(first, second),
        "RenyiBelow": lambda: md.RenyiDivergence(0.4, first, second),
        "RenyiAbove": lambda: md.RenyiDivergence(2.6, first, second),
    }[name]()
    return md.Problem(prior=prior), objective


def terms(objective, problem, columns):
    """Return what each column adds to a sum that is to be as large as possible, from the definition."""
    joint = problem.prior[:, None] * columns
    if isinstance(objective, md.HistogramMMSE):
        return -np.array(
            [
                sum(
                    joint[x, y] * sum(((x == i) - joint[i, y] / joint[:, y].sum()) ** 2 for i in range(len(joint)))
                    for x in range(len(joint))
                )
                for y in range(columns.shape[1])
            ]
        )
    if isinstance(objective, md.ErrorProbability):
        return joint.max(axis=0)
    p, s = objective.first @ columns, objective.second @ columns
    if isinstance(objective, md.JensenShannon):
        return (p * np.log(2 * p / (p + s)) + s * np.log(2 * s / (p + s))) / 2
    return np.sign(objective.order - 1) * p**objective.order * s ** (1 - objective.order)


def value_of_sum(objective, total):
    """Return the value that belongs to a sum of terms."""
    if isinstance(objective, md.HistogramMMSE):
        return -total
    if isinstance(objective, md.ErrorProbability):
        return 1 - total
    if isinstance(objective, md.JensenShannon):
        return total
    return math.log(abs(total)) / (objective.order - 1)


# Faces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_value_expression_and_utility_are_the_definition(name, rng):
    for n, m in ((2, 2), (3, 5), (5, 4)):
        problem, objective = posed(name, n, rng)
        matrix = rng.dirichlet(np.ones(m), size=n)
        truth = value_of_sum(objective, float(terms(objective, problem, matrix).sum()))
        assert objective.value(matrix, problem) == pytest.approx(truth, rel=1e-11)
        total = float(objective.column_utility(matrix, problem).sum())
        assert objective.from_utility(total, problem) == pytest.approx(truth, rel=1e-11)
        assert objective.to_utility(truth, problem) == pytest.approx(total, rel=1e-11)
        Q = cp.Variable((n, m))
        Q.value = matrix
        assert float(objective.expression(Q, problem).value) == pytest.approx(truth, rel=1e-9)
        assert float(objective.utility_expression(Q, problem).value) == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_renyi_is_the_same_number_by_every_face(order, rng):
    first, second = rng.dirichlet(np.ones(3), size=2)
    objective, problem = md.RenyiDivergence(order, first, second), md.Problem(n=3)
    for m in (2, 4):
        matrix = rng.dirichlet(np.ones(m), size=3)
        p, s = first @ matrix, second @ matrix
        exact = math.log(math.fsum(p**order * s ** (1 - order))) / (order - 1)
        # The plain formula itself loses 1e-16 / |order - 1|; the package may not.
        assert objective.value(matrix, problem) == pytest.approx(exact, rel=1e-11, abs=4e-16 / abs(order - 1))
        reached = objective.from_utility(float(objective.column_utility(matrix, problem).sum()), problem)
        assert reached == pytest.approx(objective.value(matrix, problem), rel=1e-11)
        Q = cp.Variable((3, m))
        Q.value = matrix
        if 0.1 < abs(order - 1) < 5:
            assert float(objective.expression(Q, problem).value) == pytest.approx(exact, rel=1e-9)


def test_renyi_near_order_one_is_the_relative_entropy(rng):
    first, second = rng.dirichlet(np.ones(4), size=2)
    matrix, problem = rng.dirichlet(np.ones(3), size=4), md.Problem(n=4)
    limit = md.KLDivergence(first, second).value(matrix, problem)
    for step in (1e-9, -1e-9):
        assert md.RenyiDivergence(1 + step, first, second).value(matrix, problem) == pytest.approx(limit, rel=1e-7)


def test_renyi_orders_rise(rng):
    problem, matrix = md.Problem(n=3), rng.dirichlet(np.ones(4), size=3)
    first, second = rng.dirichlet(np.ones(3), size=2)
    values = [md.RenyiDivergence(order, first, second).value(matrix, problem) for order in ORDERS]
    assert np.all(np.diff(values) > 0)


def test_special_orders_are_other_objectives(rng):
    problem, matrix = md.Problem(n=3), rng.dirichlet(np.ones(4), size=3)
    first, second = rng.dirichlet(np.ones(3), size=2)
    half = -2 * math.log(1 - md.Hellinger(first, second).value(matrix, problem))
    two = math.log(1 + md.ChiSquare(first, second).value(matrix, problem))
    assert md.RenyiDivergence(0.5, first, second).value(matrix, problem) == pytest.approx(half, rel=1e-11)
    assert md.RenyiDivergence(2, first, second).value(matrix, problem) == pytest.approx(two, rel=1e-11)


def test_jensen_shannon_is_the_information_about_a_fair_coin(rng):
    first, second = rng.dirichlet(np.ones(4), size=2)
    matrix = rng.dirichlet(np.ones(3), size=4)
    coin = md.Problem(prior=[0.5, 0.5])
    seen = np.array([first, second]) @ matrix
    found = md.JensenShannon(first, second).value(matrix, md.Problem(n=4))
    assert found == pytest.approx(md.MutualInformation().value(seen, coin), rel=1e-11)
    assert md.JensenShannon([1, 0], [0, 1]).no_privacy(md.Problem(n=2)) == pytest.approx(math.log(2), rel=1e-15)


@pytest.mark.parametrize("f", [md.JensenShannonGenerator(), *(md.PowerGenerator(a) for a in (0.3, 0.8, 1.5, 3.0))])
def test_generators_derive_intercept_and_reach_their_limits(f):
    t = np.array([1e-3, 0.1, 0.7, 1.3, 5.0, 400.0])
    step = 1e-6 * t
    assert f.derivative(t) == pytest.approx((f.value(t + step) - f.value(t - step)) / (2 * step), rel=1e-6, abs=1e-8)
    assert f.intercept(t) == pytest.approx(f.value(t) - t * f.derivative(t), rel=1e-9, abs=1e-12)
    assert f.value(np.array([1.0]))[0] == 0
    assert f.value(np.array([0.0]))[0] == f.at_zero
    assert f.value(np.array([1e-80]))[0] == pytest.approx(f.at_zero, rel=1e-12)
    if math.isfinite(f.slope_at_infinity):
        assert f.value(np.array([1e80]))[0] / 1e80 == pytest.approx(f.slope_at_infinity, rel=1e-12)
    f.check()
    ratio = Ratio(np.array([1.0, 0.0]), np.array([0.0, 1.0]), f)
    assert np.all(np.isfinite(ratio.functionals(np.array([0.0, 1e-200, 1.0, 1e6]))))
    slope, intercept = ratio.chords(np.array([0.0]), np.array([9.0])).T
    assert intercept[0] == pytest.approx(f.at_zero, abs=1e-15)
    assert slope[0] * 9 + intercept[0] == pytest.approx(f.value(np.array([9.0]))[0], rel=1e-13)


def test_a_generator_with_a_parameter_survives_json():
    objective = md.FDivergence(md.PowerGenerator(2.5), [0.25, 0.75], [0.5, 0.5])
    data = json.loads(json.dumps(member_to_dict(objective)))
    assert data["f"] == {"name": "PowerGenerator", "order": 2.5}
    assert objective_from_dict(data) == objective
    with pytest.raises(md.DomainError, match=r"objective\.f is PowerGenerator, but its parameters are order"):
        objective_from_dict({**data, "f": "PowerGenerator"})
    with pytest.raises(md.DomainError, match=r"objective\.f is KLGenerator, but it has no parameters"):
        objective_from_dict({**data, "f": {"name": "KLGenerator", "order": 2.0}})


@pytest.mark.parametrize("name", NAMES)
def test_objectives_survive_json(name, rng):
    _, objective = posed(name, 3, rng)
    again = objective_from_dict(json.loads(json.dumps(member_to_dict(objective))))
    assert again == objective
    assert hash(again) == hash(objective)


# Optima ----------------------------------------------------------------------------------------------------------


def columns_of(notion, problem):
    """Return the vertices of the notion's cone by brute force."""
    if isinstance(notion, md.LDP):
        return brute.ldp_vectors(problem.n, notion.epsilon)
    return brute.vertices(brute.lip_rows(problem.prior, notion.epsilon), np.full(problem.n, 1 / problem.n))


@pytest.mark.thinned(12)
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2.5])
@pytest.mark.parametrize("notion", [md.LDP, md.LIP])
@pytest.mark.parametrize("name", NAMES)
def test_every_route_reaches_the_brute_force(name, notion, epsilon, rng):
    routes = ("rays",) if name == "HistogramMMSE" else ("rays", "columns")
    for n in (2, 3, 5):
        problem, objective = posed(name, n, rng)
        columns = columns_of(notion(epsilon), problem)
        best = value_of_sum(objective, brute.optimum(columns, terms(objective, problem, columns)))
        sign = 1 if objective.sense == "maximise" else -1
        for route in routes:
            made = md.design(problem, notion(epsilon), objective, route=route)
            assert made.value == pytest.approx(best, rel=2e-6)
            assert sign * (made.bound - best) >= -1e-8 * abs(best)
            assert made.gap <= 1e-6
            assert made.value == objective.value(made.matrix, problem)
            if notion is md.LDP:
                assert brute.is_ldp(made.matrix, epsilon)
            else:
                assert brute.is_lip(made.matrix, problem.prior, epsilon)


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.7), md.LDP(0.0)])
def test_the_bayes_guess_is_the_hamming_loss_with_free_decisions(notion, rng):
    for n in (2, 4, 30):
        problem = md.Problem(prior=rng.dirichlet(np.ones(n)))
        for route in ("auto", "columns", "convex"):
            guess = md.design(problem, notion, md.ErrorProbability(), route=route)
            loss = md.design(problem, notion, md.HammingLoss(), route=route)
            assert guess.value == pytest.approx(loss.value, rel=1e-7)
            assert guess.gap <= 1e-6


def test_the_bayes_guess_under_ldp_in_closed_form():
    # A uniform prior: randomised response guesses right with e^eps / (n - 1 + e^eps), and nothing does better.
    for n, epsilon in ((2, 0.5), (5, 1.0), (40, 2.0)):
        made = md.design(md.Problem(prior=np.full(n, 1 / n)), md.LDP(epsilon), md.ErrorProbability())
        assert made.value == pytest.approx(1 - math.exp(epsilon) / (n - 1 + math.exp(epsilon)), rel=1e-8)
    # A prior that no output can turn: the guess is always the same, and right with its prior.
    made = md.design(md.Problem(prior=[0.9, 0.1]), md.LDP(1.0), md.ErrorProbability())
    assert made.value == pytest.approx(0.1, rel=1e-9)


def test_outputs_are_named_by_the_guess():
    problem = md.Problem(prior=[0.5, 0.3, 0.2], labels=["red", "green", "blue"])
    made = md.design(problem, md.LDP(3.0), md.ErrorProbability())
    joint = problem.prior[:, None] * made.matrix
    assert made.mechanism.outputs == tuple(problem.labels[x] for x in joint.argmax(axis=0))
    names = md.ErrorProbability().output_names(np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]), problem)
    assert names == ("red (y0)", "red (y1)", "green (y2)")


def test_the_bayes_guess_under_a_budget_by_every_route():
    # |0.6 q0 - 0.4 q1| sums to at most 1/2, and the guess under the prior (0.6, 0.4) is right with (1 + 1/2) / 2.
    problem, notion = md.Problem(prior=[0.6, 0.4]), md.WeightedTV(0.5, 0.4)
    for route in ("auto", "rays", "columns", "convex"):
        assert md.design(problem, notion, md.ErrorProbability(), route=route).value == pytest.approx(0.25, rel=1e-8)


def test_the_histogram_error_at_its_ends():
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    objective = md.HistogramMMSE()
    assert objective.uninformative(problem) == pytest.approx(1 - 0.38, rel=1e-14)
    assert objective.no_privacy(problem) == 0
    # Two data: twice the error of the best estimate of the indicator of one.
    two, matrix = md.Problem(prior=[0.3, 0.7], values=[0, 1]), np.array([[0.6, 0.4], [0.1, 0.9]])
    assert objective.value(matrix, two) == pytest.approx(2 * md.MMSE().value(matrix, two), rel=1e-14)


def test_the_histogram_error_has_no_columns_route(rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(3)))
    with pytest.raises(md.UnsupportedError, match="the decisions of HistogramMMSE are neither finitely many nor one"):
        md.design(problem, md.LDP(1.0), md.HistogramMMSE(), route="columns")


def test_widened_inputs_are_judged_by_their_datum(rng):
    profiles, prior = rng.dirichlet(np.ones(3), size=2), np.array([0.4, 0.6])
    notion = md.ProfileDP(1.0, profiles, ((0, 1),), profile_prior=prior)
    inputs = notion.inputs(md.Problem(n=3))
    matrix = rng.dirichlet(np.ones(4), size=6)
    mass = prior @ profiles
    merged = np.einsum("i,ix,ixy->xy", prior, profiles, matrix.reshape(2, 3, 4)) / mass[:, None]
    plain = md.Problem(prior=mass)
    for objective in (md.HistogramMMSE(), md.ErrorProbability(), md.MutualInformation(minimize=True), md.LeakageLoss()):
        assert objective.value(matrix, inputs) == pytest.approx(objective.value(merged, plain), rel=1e-11)


# Bad input and infinite values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [md.JensenShannon, lambda p, s: md.RenyiDivergence(2.0, p, s)])
def test_distributions_over_other_inputs_are_refused(make):
    with pytest.raises(md.DomainError, match="first is of length 2"):
        make([0.5, 0.5], [0.5, 0.5]).check(md.Problem(n=3))


@pytest.mark.parametrize("objective", [md.HistogramMMSE(), md.ErrorProbability(), md.MutualInformation(minimize=True)])
def test_a_missing_prior_is_told(objective):
    with pytest.raises(md.DomainError, match="prior is None"):
        md.design(md.Problem(n=3), md.LDP(1.0), objective)


def test_infinite_divergences():
    ends, identity, problem = ([1.0, 0.0], [0.0, 1.0]), np.eye(2), md.Problem(n=2)
    for order in (0.5, 2.0):
        objective = md.RenyiDivergence(order, *ends)
        assert objective.value(identity, problem) == math.inf
        with pytest.raises(md.DomainError, match="infinite"):
            md.design(problem, md.WeightedTV(1.0), objective)
    # Below order 1 one output that only one of the two can give is no proof, and the value stays finite.
    half = md.design(problem, md.WeightedTV(0.5), md.RenyiDivergence(0.5, *ends))
    assert half.value == pytest.approx(-2 * math.log(0.5), rel=1e-9)
    with pytest.raises(md.DomainError, match="infinite"):
        md.design(problem, md.WeightedTV(0.5), md.RenyiDivergence(1.5, *ends))
    finite = md.design(problem, md.WeightedTV(1.0), md.JensenShannon(*ends))
    assert finite.value == pytest.approx(math.log(2), rel=1e-12)


def test_an_order_whose_powers_overflow_is_told():
    with pytest.raises(md.DomainError, match=r"order is 3000\.0, but the sum of powers overflows"):
        md.design(md.Problem(n=2), md.LDP(1.0), md.RenyiDivergence(3000, [1, 0], [0, 1]))
