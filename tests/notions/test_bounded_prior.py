"""Local information privacy for every prior in a box: closed form, vertices of the box, inclusions, bad input."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.extreme_rays import extreme_rays
from tests.helpers.brute_force import (
    divergence,
    exactly,
    exponential_below,
    least_loss,
    lip_rows,
    optimum,
    squared_error,
    vertices,
)

BINARY = [(0.1, 0.3), (0.0, 0.5), (0.6, 0.95), (0.2, 0.6), (0.0, 1.0), (0.3, 1.0), (0.4, 0.4), (0.05, 0.05)]


def boxed(a, b):
    """Return the bounds of ``Pr(X = 1)`` in [a, b] as lower and upper of both inputs."""
    return [1 - b, a], [1 - a, b]


def ratios(a, b, epsilon):
    """Return the largest ``Pr(y | 0) / Pr(y | 1)`` and ``Pr(y | 1) / Pr(y | 0)``, from the four constraints by hand."""
    E, infinite = math.exp(epsilon), math.inf
    first = min((E - a) / (1 - a) if a < 1 else infinite, b / (1 / E - 1 + b) if 1 / E - 1 + b > 0 else infinite)
    second = min((E - 1 + b) / b if b > 0 else infinite, (1 - a) / (1 / E - a) if 1 / E - a > 0 else infinite)
    return first, second


def closed_form(a, b, epsilon):
    first, second = ratios(a, b, epsilon)
    q0, q1 = (first - 1) / (first * second - 1), (second - 1) / (first * second - 1)
    return np.array([[1 - q0, q0], [q1, 1 - q1]])


def corners(lower, upper):
    """Return every vertex of the box cut with the simplex: all coordinates but one at a bound."""
    found = []
    for free in range(len(lower)):
        others = [s for s in range(len(lower)) if s != free]
        for chosen in itertools.product((0, 1), repeat=len(others)):
            prior = np.empty(len(lower))
            prior[others] = [(lower, upper)[c][s] for s, c in zip(others, chosen, strict=True)]
            prior[free] = 1 - prior[others].sum()
            if lower[free] - 1e-12 <= prior[free] <= upper[free] + 1e-12:
                found.append(prior)
    return np.array(found)


def all_rows(lower, upper, epsilon, channel=None):
    """Return the constraints of LIP at every vertex of the box."""
    return np.vstack([lip_rows(prior, epsilon, channel) for prior in corners(lower, upper)])


def some_box(n, rng, reach=0.15):
    """Return a prior and bounds around it, in hundredths as somebody would type them."""
    prior = rng.dirichlet(2 * np.ones(n)) + 0.02
    prior /= prior.sum()
    lower = np.floor(100 * np.maximum(prior - reach * rng.random(n), 0.0)) / 100
    return prior, lower, np.ceil(100 * np.minimum(prior + reach * rng.random(n), 1.0)) / 100


@pytest.mark.parametrize(("a", "b"), BINARY)
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_two_inputs_have_the_two_rays_of_the_closed_form(a, b, epsilon):
    notion = md.BoundedPriorLIP(epsilon, *boxed(a, b))
    rays = all_rays(notion, md.Problem(n=2)).columns
    assert rays.shape == (2, 2)
    found = sorted(rays[0] / rays[1])
    first, second = ratios(a, b, epsilon)
    assert found == pytest.approx([1 / second, first], rel=1e-9)
    # What the rays say is also the level of the matrix that they make, and the LDP level that it has.
    matrix = closed_form(a, b, epsilon)
    assert notion.level(matrix, md.Problem(n=2)).value == pytest.approx(epsilon, abs=1e-12)
    assert md.LDP(1.0).level(matrix, md.Problem(n=2)).value == pytest.approx(math.log(max(first, second)), abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0.4, 0.7), (0.2, 0.6), (0.01, 0.99), (0.0, 1.0)])
def test_the_published_optimum_holds_where_its_condition_does(a, b):
    epsilon = 1.5
    assert (a == 0 and b == 1) or abs(math.log(a / (1 - b))) <= epsilon
    bottom = b - a + math.exp(epsilon)
    q0, q1 = b / bottom, (1 - a) / bottom
    assert closed_form(a, b, epsilon)[[0, 1], [1, 0]] == pytest.approx([q0, q1], rel=1e-12)
    prior = (a + b) / 2
    problem = md.Problem(prior=[1 - prior, prior], values=[0, 1])
    found = md.design(problem, md.BoundedPriorLIP(epsilon, *boxed(a, b)), md.MMSE())
    assert found.value == pytest.approx(md.MMSE().value(np.array([[1 - q0, q0], [q1, 1 - q1]]), problem), rel=1e-9)


@pytest.mark.parametrize(("a", "b"), [(0.1, 0.3), (0.0, 0.5), (0.6, 0.95)])
def test_elsewhere_the_published_optimum_is_not_private(a, b):
    bottom = b - a + math.e
    q0, q1 = b / bottom, (1 - a) / bottom
    level = md.BoundedPriorLIP(1.0, *boxed(a, b)).level([[1 - q0, q0], [q1, 1 - q1]], md.Problem(n=2)).value
    assert level > 1.05
    assert md.BoundedPriorLIP(1.0, *boxed(a, b)).level(closed_form(a, b, 1.0), md.Problem(n=2)).value <= 1 + 1e-12


@pytest.mark.thinned(4)
@pytest.mark.parametrize("objective", ["MMSE", "ExpectedLoss", "KLDivergence"])
@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("hidden", [False, True])
def test_design_equals_brute_force_over_all_vertices_of_the_box(objective, n, hidden, rng):
    for epsilon in (0.4, 1.2) if n < 4 else (0.8,):
        _, lower, upper = some_box(n, rng)
        secret = corners(lower, upper).mean(axis=0)
        channel = 0.8 * np.eye(n) + 0.2 * rng.dirichlet(np.ones(n), size=n) if hidden else np.eye(n)
        prior, values, loss = secret @ channel, rng.normal(size=n), rng.exponential(size=(n, 3))
        first, second = rng.dirichlet(np.ones(n), size=2)
        problem = md.Problem(prior=prior, values=values)
        if hidden:
            problem = problem.hidden(data_given_secret=channel, secret_prior=secret)
        columns = vertices(all_rows(lower, upper, epsilon, channel), np.ones(n) / n)
        cases = {
            "MMSE": (md.MMSE(), -squared_error(columns, prior, values)),
            "ExpectedLoss": (md.ExpectedLoss(loss), -least_loss(columns, prior, loss)),
            "KLDivergence": (md.KLDivergence(first, second), divergence("KLDivergence", columns, first, second)),
        }
        asked, utility = cases[objective]
        best = abs(optimum(columns, utility))
        routes = ("rays", "columns", "convex") if objective == "ExpectedLoss" else ("rays", "columns")
        for route in routes:
            found = md.design(problem, md.BoundedPriorLIP(epsilon, lower, upper), asked, route=route)
            assert found.value == pytest.approx(best, rel=2e-6, abs=1e-9)
            assert found.gap <= 1e-6
            assert found.audit.holds


def test_level_is_the_largest_over_the_vertices_of_the_box(rng):
    for _ in range(40):
        n = int(rng.integers(2, 6))
        _, lower, upper = some_box(n, rng, 0.5)
        matrix = rng.dirichlet(np.ones(3), size=n)
        worst = 0.0
        for prior in corners(lower, upper):
            mass = prior @ matrix
            worst = max(worst, np.abs(np.log(matrix / mass)).max())
        found = md.BoundedPriorLIP(1.0, lower, upper).level(matrix, md.Problem(n=n))
        assert found.value == pytest.approx(worst, rel=1e-12)


def test_exact_check_is_that_of_fractions_at_every_vertex(rng):
    decided = set()
    for _ in range(60):
        n = int(rng.integers(2, 5))
        eighths = np.sort(rng.integers(0, 9, size=(n, 2)), axis=1) / 8
        if eighths[:, 0].sum() > 1 or eighths[:, 1].sum() < 1:
            continue
        numerators = rng.integers(1, 6, size=(n, 2))
        numerators[:, 1] = 8 - numerators[:, 0]
        notion, most = md.BoundedPriorLIP(0.75, *eighths.T), exponential_below(0.75)
        holds = True
        for prior in corners(*eighths.T):
            weights = [Fraction(p) for p in prior]
            for column in numerators.T:
                mass = sum(w * int(e) for w, e in zip(weights, column, strict=True))
                holds &= int(max(column)) <= most * mass and mass <= most * int(min(column))
        assert notion.holds_exactly(numerators, md.Problem(n=n)) == holds
        decided.add(holds)
    assert decided == {True, False}


def test_a_box_of_one_prior_is_lip_and_the_whole_simplex_is_ldp(rng):
    for n in (2, 3, 4):
        prior = rng.dirichlet(np.ones(n)) + 0.01
        prior /= prior.sum()
        problem = md.Problem(prior=prior, values=rng.normal(size=n))
        for box, other in (((prior, prior), md.LIP(0.8)), ((np.zeros(n), np.ones(n)), md.LDP(0.8))):
            notion = md.BoundedPriorLIP(0.8, *box)
            for route in ("rays", "columns"):
                ours = md.design(problem, notion, md.MMSE(), route=route).value
                assert ours == pytest.approx(md.design(problem, other, md.MMSE(), route="rays").value, rel=1e-6)
            for _ in range(20):
                numerators = rng.integers(1, 1000, size=(n, 3))
                numerators[:, 2] = 3000 - numerators[:, :2].sum(axis=1)
                level = other.level(numerators / 3000, problem).value
                assert notion.level(numerators / 3000, problem).value == pytest.approx(level, rel=1e-12)
                asked = notion.at(level * rng.choice([0.999, 1.001]))
                same = other.at(asked.epsilon).holds_exactly(numerators, problem)
                assert asked.holds_exactly(numerators, problem) == same


def test_decimals_that_miss_the_simplex_by_rounding_are_a_single_prior():
    thirds = [1 / 3 + 1e-13, 1 / 3, 1 / 3]
    notion = md.BoundedPriorLIP(1.0, thirds, thirds)
    matrix = [[0.6, 0.4], [0.5, 0.5], [0.3, 0.7]]
    level = md.LIP(1.0).level(matrix, md.Problem(prior=exactly_normalised(thirds))).value
    assert notion.level(matrix, md.Problem(n=3)).value == pytest.approx(level, rel=1e-12)
    below = md.BoundedPriorLIP(1.0, [0.1] * 3, [1 / 3 - 1e-13] * 3)
    assert below.level(matrix, md.Problem(n=3)).value == pytest.approx(level, rel=1e-9)


def exactly_normalised(row):
    return [float(weight) for weight in exactly(row)]


def test_duality_and_vertices_give_one_cone(rng):
    for n, times in ((2, 6), (3, 4), (4, 1)):
        for _ in range(times):
            _, lower, upper = some_box(n, rng)
            notion, problem = md.BoundedPriorLIP(0.9, lower, upper), md.Problem(n=n)
            brute = vertices(all_rows(lower, upper, 0.9), np.ones(n) / n)
            brute = brute / brute.max(axis=0)
            # Eliminating the variables of the dual by Fourier and Motzkin is for two inputs only.
            for form in (notion.columns(problem).facets(), *([notion.columns(problem).cone()] if n == 2 else [])):
                given = extreme_rays(form).columns
                assert given.shape == brute.shape
                assert np.abs(brute[:, :, None] - given[:, None, :]).max(axis=0).min(axis=0).max() <= 1e-9


def test_seven_inputs_have_no_list_of_rays_and_the_optimum_all_the_same(rng):
    n, epsilon = 7, 0.6
    prior, lower, upper = some_box(n, rng)
    notion, problem = md.BoundedPriorLIP(epsilon, lower, upper), md.Problem(prior=prior, values=np.arange(7.0))
    assert all_rays(notion, problem) is None
    loss = rng.exponential(size=(n, 3))
    rows = all_rows(lower, upper, epsilon)
    rows = np.unique(np.round(rows, 13), axis=0)
    big = np.kron(np.eye(3), -rows)
    sums = np.kron(np.ones((1, 3)), np.eye(n))
    best = linprog((prior[:, None] * loss).T.ravel(), A_ub=big, b_ub=np.zeros(len(big)), A_eq=sums, b_eq=np.ones(n))
    for route in ("columns", "convex"):
        found = md.design(problem, notion, md.ExpectedLoss(loss), route=route)
        assert found.value == pytest.approx(best.fun, rel=1e-7)
        assert found.gap <= 1e-6
    squared = md.design(problem, notion, md.MMSE())
    assert squared.gap <= 1e-6
    lowest, highest = (md.design(problem, m, md.MMSE()).value for m in (md.LIP(epsilon), md.LDP(epsilon)))
    assert lowest < squared.value < highest


def test_the_bound_is_finite_and_sound_for_any_multipliers(rng):
    prior, lower, upper = some_box(6, rng)
    notion, problem = md.BoundedPriorLIP(1.0, lower, upper), md.Problem(prior=prior, values=rng.normal(size=6))
    objective = md.AbsoluteError()
    best = md.design(problem, notion, objective)
    reached = objective.to_utility(best.value, problem)
    for scale in (0.0, 0.1, 10.0):
        rows = scale * rng.normal(size=6)
        multipliers = type(best.mechanism.certificate.multipliers)(rows)
        found = utility_bound(notion, objective, problem, multipliers).utility
        assert math.isfinite(found)
        assert found >= reached - 1e-9


@pytest.mark.parametrize("objective", [md.MMSE(), md.AbsoluteError(), md.MutualInformation()])
def test_utility_lies_between_that_of_ldp_and_of_lip_strictly(objective):
    problem = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])
    box = md.BoundedPriorLIP(1.5, [0.2, 0.2, 0.3], [0.4, 0.4, 0.5])
    wide = md.BoundedPriorLIP(1.5, [0.1, 0.1, 0.2], [0.6, 0.6, 0.7])
    asked = [md.LDP(1.5), wide, box, md.LIP(1.5)]
    utility = [objective.to_utility(md.design(problem, notion, objective).value, problem) for notion in asked]
    assert all(more > less + 1e-3 for less, more in itertools.pairwise(utility))
    # Half the level of LIP is never better than LDP: LIP(epsilon / 2) implies LDP(epsilon).
    half = objective.to_utility(md.design(problem, md.LIP(0.75), objective).value, problem)
    assert half <= utility[0] + 1e-9


def test_a_problem_that_does_not_fit_the_box_is_refused():
    notion = md.BoundedPriorLIP(1.0, [0.2, 0.3], [0.7, 0.8])
    with pytest.raises(md.DomainError, match="one entry for each of the 3 secrets"):
        notion.inputs(md.Problem(n=3))
    with pytest.raises(md.DomainError, match="outside the box: upper"):
        md.BoundedPriorLIP(1.0, [0.2, 0.2], [0.7, 0.8]).inputs(md.Problem(prior=[0.75, 0.25]))
    with pytest.raises(md.DomainError, match="outside the box: lower"):
        md.BoundedPriorLIP(1.0, [0.2, 0.3], [0.8, 0.8]).inputs(md.Problem(prior=[0.75, 0.25]))
    inside = md.Problem(prior=[0.7 + 5e-10, 0.3 - 5e-10])
    assert notion.inputs(inside) is inside
