"""MutualInformationPrivacy: levels, outward rounding, known optima, certified optima of a smooth budget."""

import math
from decimal import Decimal, localcontext

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq, linprog

import mechdesign as md
from mechdesign.exact import log_above
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.subdivision import largest_excess
from mechdesign.solve.pricing.support import support
from mechdesign.solve.repair.exactly_private import repair
from tests.helpers import brute_force as brute


def information(rows, prior):
    """Return ``sum pi v ln(v / m)`` from lists."""
    total = 0.0
    for column in zip(*rows, strict=True):
        mass = sum(p * v for p, v in zip(prior, column, strict=True))
        total += sum(p * v * math.log(v / mass) for p, v in zip(prior, column, strict=True) if v > 0)
    return total


def question(n, rng):
    return md.Problem(prior=rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n, values=rng.normal(size=n))


def over_grid(problem, channel, prior, utility, epsilon, steps):
    """Return the largest sum of utilities over weights of columns on a grid of the simplex: below the optimum."""
    n = problem.n
    axes = np.meshgrid(*[np.arange(steps + 1)] * (n - 1), indexing="ij")
    rest = steps - sum(axes)
    shares = np.array([axis[rest >= 0] for axis in axes] + [rest[rest >= 0]]) / steps
    columns = shares / problem.prior[:, None]
    seen = channel @ columns
    logs = np.log(np.where(seen > 0, seen, 1.0) / (prior @ seen))
    cost = prior @ np.where(seen > 0, seen * logs, 0.0)
    ones = np.ones(n)
    found = linprog(-utility(columns), A_ub=cost[None], b_ub=[epsilon], A_eq=columns, b_eq=ones, method="highs")
    assert found.status == 0, found.message
    return -found.fun


def test_level_is_the_definition(rng):
    for n in (2, 3, 6):
        problem, matrix = question(n, rng), rng.dirichlet(np.ones(4), size=n)
        found = md.MutualInformationPrivacy(1.0).level(matrix, problem).value
        assert found == pytest.approx(information(matrix, problem.prior), rel=1e-11)
        hidden = problem.hidden(rng.dirichlet(np.ones(3), size=n).T)
        found = md.MutualInformationPrivacy(1.0).level(matrix, hidden).value
        assert found == pytest.approx(information(hidden.channel @ matrix, hidden.secret_prior), rel=1e-10)
    assert md.MutualInformationPrivacy(1.0).level(np.eye(2), md.Problem(prior=[0.5, 0.5])).value == math.log(2)


def test_logarithms_are_rounded_upward():
    assert log_above(7, 7) == 0
    with localcontext() as digits:
        digits.prec = 90
        for a, b in ((2, 1), (1, 3), (10**40 + 1, 10**40), (5, 10**30)):
            true = (Decimal(a) / Decimal(b)).ln()
            above = log_above(a, b)
            excess = Decimal(above.numerator) / Decimal(above.denominator) - true
            assert 0 < excess < Decimal("1e-56")


def test_what_is_accepted_is_proved_and_the_level_is_rounded_up():
    # I = ln 2 - H(1/4): its float neighbours on both sides are told apart by ninety digits.
    with localcontext() as digits:
        digits.prec = 90
        exact = Decimal(2).ln() + (Decimal(3) * (Decimal(3) / 4).ln() + (Decimal(1) / 4).ln()) / 4
    matrix, problem = [[0.75, 0.25], [0.25, 0.75]], md.Problem(prior=[0.5, 0.5])
    level = float(md.audit(matrix, md.MutualInformationPrivacy(0.2), problem))
    assert Decimal(level) >= exact > Decimal(math.nextafter(level, 0.0))
    assert md.audit(matrix, md.MutualInformationPrivacy(level), problem).holds
    assert not md.audit(matrix, md.MutualInformationPrivacy(math.nextafter(level, 0.0)), problem).holds


def test_only_silence_holds_at_zero():
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 2.0])
    silent = np.tile([0.25, 0.75], (3, 1))
    assert md.audit(silent, md.MutualInformationPrivacy(0.0), problem).holds
    spoken = silent + np.array([[2.0**-50, -(2.0**-50)], [0, 0], [0, 0]])
    assert not md.audit(spoken, md.MutualInformationPrivacy(0.0), problem).holds
    assert 0 < float(md.audit(spoken, md.MutualInformationPrivacy(1.0), problem)) < 1e-29
    for asked in (md.MMSE(), md.HammingLoss(), md.MutualInformation(), md.WorstCaseLoss(np.eye(3)[::-1])):
        found = md.design(problem, md.MutualInformationPrivacy(0.0), asked)
        assert np.all(found.matrix == found.matrix[0])
        assert found.gap <= 1e-6


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 0.6])
def test_hamming_loss_of_a_fair_coin_is_rate_distortion(epsilon):
    def missing(error):
        return math.log(2) + error * math.log(error) + (1 - error) * math.log(1 - error) - epsilon

    error = brentq(missing, 1e-12, 0.5, xtol=1e-15)
    problem = md.Problem(prior=[0.5, 0.5])
    for asked in (md.HammingLoss(), md.ErrorProbability()):
        found = md.design(problem, md.MutualInformationPrivacy(epsilon), asked)
        assert found.value == pytest.approx(error, rel=1e-6)
        assert found.bound <= error * (1 + 1e-9)
        assert found.gap <= 1e-6


@pytest.mark.parametrize("slope", [0.5, 2.0, 6.0])
def test_losses_lie_on_the_rate_distortion_curve(slope, rng):
    # Blahut and Arimoto: alternate between outputs' masses and conditionals at one slope of the curve.
    n, m = 4, 5
    prior, loss = rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n, rng.exponential(size=(n, m))
    mass = np.full(m, 1 / m)
    for _ in range(20_000):
        matrix = mass * np.exp(-slope * loss)
        matrix /= matrix.sum(axis=1, keepdims=True)
        mass = prior @ matrix
    rate, distortion = information(matrix, prior), float((prior[:, None] * matrix * loss).sum())
    if rate > 1e-3:
        found = md.design(md.Problem(prior=prior), md.MutualInformationPrivacy(rate), md.ExpectedLoss(loss))
        assert found.value == pytest.approx(distortion, rel=2e-6)
        assert found.gap <= 1e-6


@pytest.mark.thinned(8)
@pytest.mark.parametrize("n", [2, 3])
def test_sublinear_optima_pass_every_grid(n, rng):
    problem, epsilon = question(n, rng), 0.1
    prior, values = problem.prior, problem.values
    first, second = rng.dirichlet(np.ones(n)) * 0.8 + 0.2 / n, rng.dirichlet(np.ones(n)) * 0.8 + 0.2 / n
    cases = (
        (md.MMSE(), lambda q: -brute.squared_error(q, prior, values)),
        (md.KLDivergence(first, second), lambda q: brute.divergence("KLDivergence", q, first, second)),
        (md.HistogramMMSE(), lambda q: (prior[:, None] ** 2 * q**2 / (prior @ q)).sum(axis=0) - prior @ q),
    )
    for asked, utility in cases:
        found = md.design(problem, md.MutualInformationPrivacy(epsilon), asked)
        assert found.route == "directions"
        assert found.gap <= 1e-6
        sign = 1.0 if asked.sense == "maximise" else -1.0
        best = over_grid(problem, np.eye(n), prior, utility, epsilon, {2: 4000, 3: 120}[n])
        assert sign * found.bound >= best - 1e-9
        # The grid is fine enough to come near from below.
        assert sign * found.value >= best - 1e-6 * abs(best)
        assert sign * found.value <= best + 5e-3 * abs(best) + 1e-6
        assert information(found.matrix, prior) <= epsilon + 1e-13


@pytest.mark.parametrize("n", [2, 3])
def test_privacy_funnel_is_certified(n, rng):
    problem, epsilon = question(n, rng), 0.02
    hidden = problem.hidden(rng.dirichlet(np.ones(2), size=n).T)
    found = md.design(hidden, md.MutualInformationPrivacy(epsilon), md.MutualInformation())
    assert found.gap <= 1e-6
    best = over_grid(
        problem,
        hidden.channel,
        hidden.secret_prior,
        lambda q: brute.information(q, problem.prior),
        epsilon,
        {2: 4000, 3: 120}[n],
    )
    assert best - 1e-9 <= found.bound
    assert found.value >= best - 1e-6
    assert found.value <= best * 1.01
    assert information(hidden.channel @ found.matrix, hidden.secret_prior) <= epsilon + 1e-13


@pytest.mark.parametrize("hidden", [False, True])
def test_bound_holds_for_any_multipliers(hidden, rng):
    problem = question(3, rng)
    problem = problem.hidden(rng.dirichlet(np.ones(2), size=3).T) if hidden else problem
    # A third of what the identity tells.
    notion = md.MutualInformationPrivacy(information(problem.channel, problem.prior_of_secret) / 3)
    for asked in (md.MMSE(), md.HistogramMMSE(), md.HammingLoss()):
        best = md.design(problem, notion, asked)
        reached = asked.to_utility(best.value, problem)
        for size in (0.0, 0.1, 1.0, 10.0):
            multipliers = Multipliers(size * rng.normal(size=3), size * rng.uniform(0, 2, size=1))
            assert utility_bound(notion, asked, problem, multipliers, 1e-6).utility >= reached - 1e-9


def test_subdivision_bounds_what_it_does_not_look_at(rng):
    problem = question(3, rng)
    notion, asked = md.MutualInformationPrivacy(0.1), md.HistogramMMSE()
    lam, nu = rng.normal(size=3), 0.7
    found = largest_excess(asked, problem, notion.columns(problem).budget(), problem.prior, lam, nu, 1e-7)
    columns = rng.dirichlet(np.full(3, 0.7), size=20_000).T / problem.prior[:, None]
    worth = (
        asked.column_utility(columns, problem) - nu * notion.columns(problem).budget().cost(columns)[0] - lam @ columns
    )
    assert worth.max() <= found.bound
    own = asked.column_utility(found.columns, problem) - nu * notion.columns(problem).budget().cost(found.columns)[0]
    assert (own - lam @ found.columns).max() >= found.bound - 1.1e-7


@pytest.mark.parametrize("hidden", [False, True])
def test_support_is_the_largest_of_many_columns(hidden, rng):
    problem = question(4, rng)
    problem = problem.hidden(rng.dirichlet(np.ones(3), size=4).T) if hidden else problem
    notion = md.MutualInformationPrivacy(0.1)
    normal, budget = notion.columns(problem).normal, notion.columns(problem).budget()
    columns = rng.dirichlet(np.full(4, 0.6), size=50_000).T / normal[:, None]
    functionals = rng.normal(size=(5, 4))
    for nu in (0.0, 0.05, 1.0, 20.0):
        found = support(notion, problem, functionals, np.array([nu]))
        reached = (functionals @ columns - nu * budget.cost(columns)).max(axis=1)
        assert np.all(reached <= found.values + 1e-12)
        own = np.einsum("tx,xt->t", functionals, found.columns) - nu * budget.cost(found.columns)[0]
        assert found.values == pytest.approx(own, abs=1e-9 * (1 + nu))


def test_tangents_are_below_and_touch(rng):
    problem = question(4, rng).hidden(rng.dirichlet(np.ones(3), size=4).T)
    budget = md.MutualInformationPrivacy(0.1).columns(problem).budget()
    columns = rng.dirichlet(np.ones(4), size=60).T
    columns[0, :20] = 0.0
    tangents = budget.tangents(columns)
    assert np.all(tangents @ columns <= budget.cost(columns) + 1e-15)
    assert np.diag(tangents @ columns) == pytest.approx(budget.cost(columns)[0], abs=1e-13)
    assert np.all(budget.polyhedral(columns[:, :5]).cost(columns) <= budget.cost(columns) + 1e-15)


def test_repair_mixes_in_no_more_than_it_must():
    problem = md.Problem(prior=[0.5, 0.5])
    notion = md.MutualInformationPrivacy(0.1)
    fixed = repair(np.array([[0.8, 0.2], [0.2, 0.8]]), notion, problem)
    level = float(md.audit(fixed.matrix, notion, problem))
    # The ladder alone would stop at twice the share.
    assert 0.1 * (1 - 0.05) <= level <= 0.1


@pytest.mark.slow
def test_more_inputs_are_answered(rng):
    problem = question(9, rng)
    notion = md.MutualInformationPrivacy(0.2)
    assert md.design(problem, notion, md.MMSE()).gap <= 1e-6
    assert md.design(problem, notion, md.HammingLoss()).gap <= 1e-6
    assert md.design(problem, notion, md.HistogramMMSE()).gap <= 1e-6
    searched, refused = (problem.hidden(rng.dirichlet(np.ones(k), size=9).T) for k in (5, 7))
    with pytest.warns(md.GapWarning, match="the search came to its own end"):
        made = md.design(searched, notion, md.HistogramMMSE())
    assert made.audit.holds and made.gap <= 5e-3
    with pytest.warns(md.GapWarning, match="no route that searches answers"):
        made = md.design(refused, notion, md.HistogramMMSE())
    assert made.audit.holds and "at most 6 inputs" in made.refusals["directions"]


def test_the_bound_is_derived_again_from_the_file(tmp_path, rng):
    problem = question(3, rng)
    for at, asked in enumerate((md.MMSE(), md.HistogramMMSE(), md.AbsoluteError())):
        made = md.design(problem, md.MutualInformationPrivacy(0.1), asked)
        again = md.load(made.mechanism.save(tmp_path / f"{at}.json"))
        assert again.certificate.bound == pytest.approx(made.bound, rel=1e-12)


def test_a_prior_is_needed():
    with pytest.raises(md.DomainError, match="relative to the prior"):
        md.design(md.Problem(values=[0.0, 1.0]), md.MutualInformationPrivacy(0.1), md.WorstCaseLoss(np.eye(2)))


def test_a_matrix_is_private_at_its_own_information_whatever_floats_make_of_it(rng):
    problem = md.Problem(prior=[0.125, 0.25, 0.625])
    for _ in range(60):
        numerators = rng.multinomial(1 << 20, rng.dirichlet(np.ones(4)), size=3)
        with mpmath.workdps(50):
            mass = [mpmath.fdot([0.125, 0.25, 0.625], map(int, column)) for column in numerators.T]
            terms = (
                share * int(entry) * mpmath.log(int(entry) / mass[y])
                for share, row in zip((0.125, 0.25, 0.625), numerators, strict=True)
                for y, entry in enumerate(row)
                if entry
            )
            exact = mpmath.fsum(terms) / (1 << 20)
            least = float(exact)
            least = least if least > exact else math.nextafter(least, math.inf)
        assert md.MutualInformationPrivacy(least).holds_exactly(numerators, problem)
        below = math.nextafter(math.nextafter(least, 0.0), 0.0)
        assert not md.MutualInformationPrivacy(below).holds_exactly(numerators, problem)
