"""SibsonLeakage: level and exact check from the definition, bounds against many columns, optima by direct programs."""

from __future__ import annotations

import math
from fractions import Fraction

import cvxpy as cp
import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.notions.sibson_constants import ldp_for, most_under_ldp, most_under_lip
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.largest_excess import no_excess

ORDERS = (1.1, 1.5, 2.0, 7.0, 100.0)


def question(n, rng, secrets=None):
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n, values=rng.normal(size=n))
    return problem if secrets is None else problem.hidden(rng.dirichlet(np.ones(secrets), size=n).T)


def leaked(rows, prior, alpha):
    """Return Sibson's mutual information with fifty digits."""
    with mpmath.workdps(50):
        total, order = mpmath.mpf(0), mpmath.mpf(alpha)
        weights = [mpmath.mpf(float(p)) for p in prior]
        for column in np.asarray(rows).T:
            entries = [mpmath.mpf(float(v)) for v in column]
            total += (sum(p * v**order for p, v in zip(weights, entries, strict=True)) / sum(weights)) ** (1 / order)
        return order / (order - 1) * mpmath.log(total)


@pytest.mark.parametrize("alpha", ORDERS)
def test_the_level_is_the_definition(alpha, rng):
    for n, spread in ((2, 1.0), (3, 0.1), (5, 30.0)):
        problem, matrix = question(n, rng), rng.dirichlet(np.full(4, spread), size=n)
        found = md.SibsonLeakage(1.0, alpha).level(matrix, problem).value
        # The rows of floats sum to one within some units, and the definition is that of the sum.
        assert found == pytest.approx(float(leaked(matrix, problem.prior, alpha)), rel=1e-9, abs=1e-14)
        hidden = problem.hidden(rng.dirichlet(np.ones(3), size=n).T)
        found = md.SibsonLeakage(1.0, alpha).level(matrix, hidden).value
        direct = leaked(hidden.channel @ matrix, hidden.secret_prior, alpha)
        assert found == pytest.approx(float(direct), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize("power", [4, 20, 30])
def test_next_to_no_leakage_keeps_its_digits(alpha, power):
    step = 2.0**-power
    matrix = np.array([[0.5 + step, 0.5 - step], [0.5 - step, 0.5 + step], [0.5, 0.5]])
    prior = np.array([0.25, 0.25, 0.5])
    found = md.SibsonLeakage(1.0, alpha).level(matrix, md.Problem(prior=prior)).value
    assert found == pytest.approx(float(leaked(matrix, prior, alpha)), rel=1e-12)
    assert md.SibsonLeakage(1.0, alpha).level(np.full((3, 3), 1 / 3), md.Problem(prior=prior)).value == 0


def test_powers_beyond_floats_are_counted():
    prior = [1e-290, 1.0 - 1e-290]
    found = md.SibsonLeakage(1.0, 50.0).level(np.eye(2), md.Problem(prior=prior)).value
    assert found == pytest.approx(float(leaked(np.eye(2), prior, 50.0)), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_its_order_is_between_its_ends(seed):
    rng = np.random.default_rng(seed)
    problem, matrix = question(4, rng), rng.dirichlet(np.full(5, 0.5), size=4)
    levels = [md.SibsonLeakage(1.0, alpha).level(matrix, problem).value for alpha in ORDERS]
    ends = [
        notion.level(matrix, problem).value for notion in (md.MutualInformationPrivacy(1.0), md.MaximalLeakage(1.0))
    ]
    assert ends[0] < levels[0] < levels[-1] < ends[1]
    assert levels == sorted(levels) and levels[0] < 1.1 * ends[0] and levels[-1] > 0.9 * ends[1]


def test_the_exact_check_decides_at_one_unit():
    # Of order 2 and flips f it is ln(1 + (1 - 2 f)^2).
    with mpmath.workdps(50):
        least = (1 - mpmath.sqrt(mpmath.expm1(mpmath.mpf(0.25)))) / 2
        units = int(mpmath.ceil(least * 2**53))
    problem, notion = md.Problem(prior=[0.5, 0.5]), md.SibsonLeakage(0.25, 2.0)
    for flips, fine in ((units, True), (units - 1, False)):
        flip = Fraction(flips, 2**53)
        assert md.audit([[1 - flip, flip], [flip, 1 - flip]], notion, problem).holds == fine


def test_the_level_of_an_audit_is_rounded_up():
    matrix, problem = [[0.75, 0.25], [0.25, 0.75]], md.Problem(prior=[0.5, 0.5])
    level = float(md.audit(matrix, md.SibsonLeakage(0.5, 3.0), problem))
    with mpmath.workdps(50):
        exact = leaked(matrix, problem.prior, 3.0)
        assert mpmath.mpf(level) >= exact > mpmath.mpf(math.nextafter(level, 0.0))
    assert md.audit(matrix, md.SibsonLeakage(level, 3.0), problem).holds
    assert not md.audit(matrix, md.SibsonLeakage(math.nextafter(level, 0.0), 3.0), problem).holds


def test_nothing_is_disclosed_at_zero(rng):
    problem = question(3, rng)
    silent, spoken = [[0.3, 0.7]] * 3, [[0.5, 0.5], [0.5, 0.5], [0.5 - 2.0**-50, 0.5 + 2.0**-50]]
    assert md.audit(silent, md.SibsonLeakage(0.0, 2.0), problem).holds
    assert not md.audit(spoken, md.SibsonLeakage(0.0, 2.0), problem).holds
    assert 0 < float(md.audit(spoken, md.SibsonLeakage(1.0, 2.0), problem)) < 1e-28
    made = md.design(problem, md.SibsonLeakage(0.0, 2.0), md.MutualInformation())
    assert made.value == 0 and made.gap <= 1e-12


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize("secrets", [None, 3])
def test_the_support_function_is_above_many_columns_and_reached(alpha, secrets, rng):
    problem, notion = question(4, rng, secrets), md.SibsonLeakage(0.1, alpha)
    normal, budget = notion.columns(problem).normal, notion.columns(problem).budget()
    columns = rng.dirichlet(np.full(4, 0.6), size=20_000).T / normal[:, None]
    for size, nu in ((1.0, 0.0), (1.0, 0.05), (1.0, 1.0), (1e-3, 20.0), (1e3, 1.0)):
        functionals = size * rng.normal(size=(5, 4))
        found = notion.columns(problem).support(functionals, np.array([nu]))
        reached = (functionals @ columns - nu * budget.cost(columns)).max(axis=1)
        assert np.all(reached <= found.values + 1e-13 * (size + nu))
        own = np.einsum("tx,xt->t", functionals, found.columns) - nu * budget.cost(found.columns)[0]
        assert found.values == pytest.approx(own, abs=(1e-12 if secrets is None else 1e-8) * (size + nu))
        assert np.all(own <= found.values)


def test_the_support_function_next_to_one_functional_is_its_deviation():
    # A column of lifts 1 + w costs nu (alpha - 1) / 2 times the variance of w.
    prior, step = np.array([0.25, 0.75]), np.array([3.0, -1.0]) * 2.0**-30
    notion, nu = md.SibsonLeakage(0.1, 4.0), 2.0
    found = notion.columns(md.Problem(prior=prior)).support((prior * step)[None, :], np.array([nu]))
    variance = float(prior @ step**2)
    assert found.values[0] == pytest.approx(variance / (2 * 3.0 * nu), rel=1e-5)


@pytest.mark.parametrize("alpha", ORDERS)
def test_tangents_are_below_and_touch(alpha, rng):
    problem = question(4, rng, 3)
    budget = md.SibsonLeakage(0.1, alpha).columns(problem).budget()
    columns = rng.dirichlet(np.ones(4), size=60).T
    columns[0, :20] = 0.0
    tangents = budget.tangents(columns)
    assert np.all(tangents @ columns <= budget.cost(columns) + 1e-15)
    assert np.diag(tangents @ columns) == pytest.approx(budget.cost(columns)[0], abs=1e-13)


@pytest.mark.parametrize("secrets", [None, 2])
def test_a_bound_holds_for_any_multipliers(secrets, rng):
    problem, notion = question(3, rng, secrets), md.SibsonLeakage(0.02, 3.0)
    for asked in (md.MMSE(), md.HistogramMMSE(), md.HammingLoss()):
        best = asked.to_utility(md.design(problem, notion, asked).value, problem)
        for size in (0.0, 0.1, 1.0, 10.0):
            multipliers = Multipliers(size * rng.normal(size=3), size * rng.uniform(0, 2, size=1))
            assert utility_bound(notion, asked, problem, multipliers, 1e-6).utility >= best - 1e-9


def direct(problem, channel, prior, alpha, epsilon, loss):
    """Return the least expected loss under the notion, written once more."""
    q = cp.Variable(loss.shape, nonneg=True)
    seen = (prior ** (1.0 / alpha))[:, None] * channel
    norms = cp.sum([cp.pnorm(seen @ q[:, y], alpha) for y in range(loss.shape[1])])
    asked = [cp.sum(q, axis=1) == 1, norms <= math.exp(epsilon * (alpha - 1) / alpha)]
    return cp.Problem(cp.Minimize(cp.sum(cp.multiply(problem.prior[:, None] * loss, q))), asked).solve(
        solver="CLARABEL"
    )


@pytest.mark.parametrize("secrets", [None, 3])
@pytest.mark.parametrize("alpha", [1.5, 2.0, 5.0])
def test_an_expected_loss_is_that_of_a_program_of_its_own(alpha, secrets, rng):
    problem, loss = question(4, rng, secrets), rng.random((4, 3))
    made = md.design(problem, md.SibsonLeakage(0.02, alpha), md.ExpectedLoss(loss))
    channel, prior = problem.channel, problem.prior_of_secret
    assert made.value == pytest.approx(direct(problem, channel, prior, alpha, 0.02, loss), abs=2e-6)
    assert made.gap < 1e-5 and leaked(channel @ made.matrix, prior, alpha) <= 0.02 + 1e-12


@pytest.mark.parametrize("alpha", [1.5, 8.0])
@pytest.mark.parametrize("secrets", [None, 2])
def test_no_columns_of_a_grid_are_better(alpha, secrets, rng):
    problem, epsilon = question(3, rng, secrets), 0.05
    channel, prior = problem.channel, problem.prior_of_secret
    shares = np.array([(i, j, 60 - i - j) for i in range(61) for j in range(61 - i)]).T / 60
    columns = shares / problem.prior[:, None]
    seen = channel @ columns
    cost = (prior @ seen**alpha) ** (1.0 / alpha) - prior @ seen
    limit = math.expm1(epsilon * (alpha - 1) / alpha)
    for asked in (md.MMSE(), md.HistogramMMSE(), md.MutualInformation()):
        made = md.design(problem, md.SibsonLeakage(epsilon, alpha), asked, gap=1e-4)
        worth = asked.column_utility(columns, problem)
        found = linprog(-worth, A_ub=cost[None], b_ub=[limit], A_eq=columns, b_eq=np.ones(3), method="highs")
        best = -found.fun
        assert best <= asked.to_utility(made.bound, problem) + 1e-9
        assert asked.to_utility(made.value, problem) >= best - 1e-4


def test_a_large_order_is_next_to_maximal_leakage():
    even = md.Problem(prior=[0.25] * 4)
    one = md.design(even, md.SibsonLeakage(0.5, 100.0), md.ErrorProbability())
    other = md.design(even, md.MaximalLeakage(0.5), md.ErrorProbability())
    assert one.value <= other.value + 1e-9 and one.value == pytest.approx(other.value, abs=0.01)


@pytest.mark.parametrize("secrets", [None, 3])
def test_the_bound_is_derived_again_from_the_file(secrets, tmp_path, rng):
    problem = question(4, rng, secrets)
    for at, asked in enumerate((md.MMSE(), md.AbsoluteError(), md.HistogramMMSE())):
        made = md.design(problem, md.SibsonLeakage(0.03, 2.5), asked)
        again = md.load(made.mechanism.save(tmp_path / f"{at}.json"))
        assert again.certificate.bound == pytest.approx(made.bound, rel=1e-9)


def test_columns_of_a_secret_of_two_values_are_cut_up_at_many_inputs(rng):
    assert no_excess(md.SibsonLeakage(0.05, 2.0), md.MutualInformation(), question(12, rng, 2)) is None
    assert "too few" in no_excess(md.SibsonLeakage(0.05, 2.0), md.MutualInformation(), question(12, rng))


@pytest.mark.parametrize("alpha", ORDERS)
@pytest.mark.parametrize("epsilon", [0.001, 0.05, 0.4, 2.0, 6.0])
def test_what_ldp_and_lip_leave_is_the_most_of_columns_of_two_values(alpha, epsilon):
    shares = np.geomspace(1e-4 * math.exp(-epsilon), 1.0, 20_001)
    norms = np.log1p(shares * np.expm1(alpha * epsilon)) / alpha - np.log1p(shares * np.expm1(epsilon))
    most = alpha / (alpha - 1) * float(norms.max())
    assert most <= most_under_ldp(epsilon, alpha) <= most * (1 + 1e-5) + 1e-14
    with mpmath.workdps(50):
        E, order = mpmath.exp(epsilon), mpmath.mpf(alpha)
        lip = float(mpmath.log((E**order + E ** (1 - order)) / (1 + E)) / (order - 1))
    assert lip <= most_under_lip(epsilon, alpha) <= lip * (1 + 1e-6)
    assert most_under_ldp(ldp_for(most, alpha), alpha) <= most
    assert ldp_for(most, alpha) == pytest.approx(epsilon, rel=1e-5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": -0.1, "alpha": 2.0}, "epsilon"),
        ({"epsilon": 1.0, "alpha": 1.0}, "for 1 use MutualInformationPrivacy, for infinity MaximalLeakage"),
        ({"epsilon": 1.0, "alpha": math.inf}, "for 1 use MutualInformationPrivacy, for infinity MaximalLeakage"),
    ],
)
def test_what_is_no_order_is_refused(given, said):
    with pytest.raises(md.DomainError, match=said):
        md.SibsonLeakage(**given)


def test_a_prior_is_needed():
    with pytest.raises(md.DomainError, match="relative to the prior"):
        md.design(md.Problem(n=2), md.SibsonLeakage(0.1, 2.0), md.WorstCaseLoss(np.eye(2)))
