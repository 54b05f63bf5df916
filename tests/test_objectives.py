"""Objectives: definitions, agreement of their faces, convexity, support, exact theorems, limits and bad input."""

import json
import math
import re
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives import Generator, Linear, PiecewiseLinear, Ratio, RatioType
from mechdesign.question import member_to_dict, objective_from_dict

SIZES = (2, 3, 5)


class LeCam(Generator):
    """``f(t) = (t - 1)^2 / (t + 1)``: what a user has to write for a divergence of their own."""

    at_zero = 1.0
    slope_at_infinity = 1.0

    def value(self, t):
        return (t - 1) ** 2 / (t + 1)

    def derivative(self, t):
        return (t - 1) * (t + 3) / (t + 1) ** 2

    def perspective(self, first, second):
        return sum(cp.quad_over_lin(first[y] - second[y], first[y] + second[y]) for y in range(first.shape[0]))


# What is tested --------------------------------------------------------------------------------------------------


def pair(n, rng):
    return {"first": rng.dirichlet(np.ones(n)), "second": rng.dirichlet(np.ones(n))}


def fisher(n, rng):
    direction = rng.normal(size=n)
    return md.FisherInformation(rng.dirichlet(np.ones(n)), direction - direction.mean())


MAKERS = {
    "MMSE": lambda n, rng: md.MMSE(),
    "ExpectedLoss": lambda n, rng: md.ExpectedLoss(rng.normal(size=(n, n + 1))),
    "HammingLoss": lambda n, rng: md.HammingLoss(),
    "AbsoluteError": lambda n, rng: md.AbsoluteError(),
    "WorstCaseLoss": lambda n, rng: md.WorstCaseLoss(rng.normal(size=(n, n + 1))),
    "MaxOffDiagonal": lambda n, rng: md.MaxOffDiagonal(),
    "FisherInformation": fisher,
    "FDivergence": lambda n, rng: md.FDivergence(LeCam(), **pair(n, rng)),
    "KLDivergence": lambda n, rng: md.KLDivergence(**pair(n, rng)),
    "TotalVariation": lambda n, rng: md.TotalVariation(**pair(n, rng)),
    "ChiSquare": lambda n, rng: md.ChiSquare(**pair(n, rng)),
    "Hellinger": lambda n, rng: md.Hellinger(**pair(n, rng)),
    "MutualInformation": lambda n, rng: md.MutualInformation(),
    "JensenShannon": lambda n, rng: md.JensenShannon(**pair(n, rng)),
}
# Objectives that have a file of tests of their own.
ELSEWHERE = {
    "ChernoffExponent",
    "ErrorProbability",
    "HanKobayashiExponent",
    "HistogramMMSE",
    "HoeffdingExponent",
    "InformationDesign",
    "LeakageLoss",
    "RenyiDivergence",
}
DECIDING = ("ExpectedLoss", "HammingLoss", "AbsoluteError")
WORST = ("WorstCaseLoss", "MaxOffDiagonal")
SUBLINEAR = tuple(name for name in MAKERS if name not in DECIDING + WORST)
SEPARABLE = SUBLINEAR + DECIDING
GENERATORS = (
    md.Square(),
    md.KLGenerator(),
    md.TotalVariationGenerator(),
    md.ChiSquareGenerator(),
    md.HellingerGenerator(),
    md.JensenShannonGenerator(),
    LeCam(),
)


def posed(name, n, rng):
    """Return the objective, a random problem and a random matrix of as many outputs as the objective wants."""
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    objective = MAKERS[name](n, rng)
    objective.check(problem)
    return objective, problem, rng.dirichlet(np.ones(objective.outputs(problem) or n + 2), size=n)


def by_definition(objective, problem, Q):
    """Return the value from its definition, in loops."""
    n, m, P, a = *Q.shape, problem.prior, problem.values
    cells = [(x, y) for x in range(n) for y in range(m)]
    if isinstance(objective, md.ExpectedLoss):
        return math.fsum(P[x] * Q[x, d] * objective.loss[x, d] for x, d in cells)
    if isinstance(objective, md.HammingLoss):
        return math.fsum(P[x] * Q[x, d] for x, d in cells if x != d)
    if isinstance(objective, md.AbsoluteError):
        return math.fsum(P[x] * Q[x, d] * abs(a[x] - a[d]) for x, d in cells)
    if isinstance(objective, md.WorstCaseLoss):
        return max(math.fsum(Q[x, d] * objective.loss[x, d] for d in range(m)) for x in range(n))
    if isinstance(objective, md.MaxOffDiagonal):
        return max(Q[x, y] for x, y in cells if x != y)
    if isinstance(objective, md.FisherInformation):
        return math.fsum((objective.direction @ Q[:, y]) ** 2 / (objective.theta @ Q[:, y]) for y in range(m))
    mass = [math.fsum(P[x] * Q[x, y] for x in range(n)) for y in range(m)]
    if isinstance(objective, md.MMSE):
        mean = [math.fsum(P[x] * Q[x, y] * a[x] for x in range(n)) / mass[y] for y in range(m)]
        return math.fsum(P[x] * Q[x, y] * (a[x] - mean[y]) ** 2 for x, y in cells)
    if isinstance(objective, md.MutualInformation):
        return math.fsum(P[x] * Q[x, y] * math.log(Q[x, y] / mass[y]) for x, y in cells)
    term = {
        "JensenShannon": lambda p, s: (p * math.log(2 * p / (p + s)) + s * math.log(2 * s / (p + s))) / 2,
        "KLDivergence": lambda p, s: p * math.log(p / s),
        "TotalVariation": lambda p, s: abs(p - s) / 2,
        "ChiSquare": lambda p, s: p * p / s - 2 * p + s,
        "Hellinger": lambda p, s: (p + s) / 2 - math.sqrt(p * s),
        "FDivergence": lambda p, s: (p - s) ** 2 / (p + s),
    }[objective.name]
    return math.fsum(term(objective.first @ Q[:, y], objective.second @ Q[:, y]) for y in range(m))


def expression_value(objective, problem, Q):
    variable = cp.Variable(Q.shape)
    variable.value = Q
    return float(objective.expression(variable, problem).value)


def close(value, relative=1e-10):
    return pytest.approx(value, rel=relative, abs=1e-14)


def random_columns(n, count, rng):
    """Return random nonnegative columns of any size, a third of the entries zero but no column all zero."""
    columns = rng.exponential(size=(n, count)) * 10.0 ** rng.uniform(-3, 3, size=count)
    columns[rng.random((n, count)) < 1 / 3] = 0.0
    columns[rng.integers(n, size=count), np.arange(count)] += rng.exponential(size=count)
    return columns


def randomised_response(n, epsilon):
    E = math.exp(epsilon)
    return (np.ones((n, n)) + (E - 1) * np.eye(n)) / (n - 1 + E)


def erasure(n, delta):
    return np.hstack([delta * np.eye(n), np.full((n, 1), 1 - delta)])


def test_every_objective_of_the_catalogue_is_here():
    """Fail where an objective was added without a line above."""
    room = {name: getattr(md.objectives, name) for name in md.objectives.__all__}
    concrete = {
        name
        for name, member in room.items()
        if issubclass(member, md.Objective) and not getattr(member, "__abstractmethods__", None)
    }
    assert concrete == set(MAKERS) | ELSEWHERE


# Faces -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", MAKERS)
def test_value_and_expression_are_the_definition(name, n, rng):
    for _ in range(5):
        objective, problem, Q = posed(name, n, rng)
        wanted = by_definition(objective, problem, Q)
        assert objective.value(Q, problem) == close(wanted)
        assert expression_value(objective, problem, Q) == close(wanted)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SUBLINEAR)
def test_column_utilities_add_up_to_the_value(name, n, rng):
    for _ in range(5):
        objective, problem, Q = posed(name, n, rng)
        total = float(objective.column_utility(Q, problem).sum())
        wanted = by_definition(objective, problem, Q)
        assert objective.from_utility(total, problem) == close(wanted)
        assert objective.to_utility(wanted, problem) == pytest.approx(total, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", DECIDING)
def test_column_utility_of_a_loss_takes_the_best_decision(name, n, rng):
    for _ in range(5):
        objective, problem, _ = posed(name, n, rng)
        Q = rng.dirichlet(np.ones(3), size=n)
        units = np.eye(objective.outputs(problem))
        best = 0.0
        for y in range(3):
            named = [np.outer(Q[:, y], units[d]) for d in range(len(units))]
            best += min(by_definition(objective, problem, one) for one in named)
        total = float(objective.column_utility(Q, problem).sum())
        assert objective.from_utility(total, problem) == close(best)
        assert by_definition(objective, problem, objective.by_decision(Q, problem)) == close(best)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", WORST)
def test_the_largest_piece_is_the_value(name, n, rng):
    for _ in range(5):
        objective, problem, Q = posed(name, n, rng)
        pieces = objective.pieces(problem)
        assert isinstance(objective, PiecewiseLinear)
        assert pieces.shape[1] == Q.size
        assert float((pieces @ Q.ravel()).max()) == close(by_definition(objective, problem, Q))


@pytest.mark.parametrize("name", MAKERS)
def test_curvature_is_what_the_kind_says(name, rng):
    objective, problem, matrix = posed(name, 3, rng)
    expression = objective.expression(cp.Variable(matrix.shape), problem)
    asked = cp.Minimize if objective.sense == "minimise" else cp.Maximize
    assert expression.is_affine() == (objective.kind == "linear")
    # The sublinear kind is the one that no convex program states as it is meant.
    assert asked(expression).is_dcp() == (objective.kind != "sublinear")
    assert expression.is_concave() if name == "MMSE" else expression.is_convex()


@pytest.mark.parametrize("name", MAKERS)
def test_words_and_unit_are_there(name):
    member = getattr(md, name)
    assert member.words
    assert member.unit or name == "FDivergence"
    assert member.__doc__.startswith(("sum_", "max_", "E[", "(1/2) sum_", "1 - sum_"))


@pytest.mark.parametrize("name", MAKERS)
def test_no_information_and_no_privacy(name, rng):
    objective, problem, _ = posed(name, 4, rng)
    constant, identity = objective.uninformative(problem), objective.no_privacy(problem)
    better = constant - identity if objective.sense == "minimise" else identity - constant
    assert better > 0
    wanted = {"MMSE": 0.0, "HammingLoss": 0.0, "AbsoluteError": 0.0, "MaxOffDiagonal": 0.0}
    if name in wanted:
        assert identity == pytest.approx(wanted[name], abs=1e-15)
    elif name in SUBLINEAR:
        assert constant == pytest.approx(0.0, abs=1e-15)
        assert identity == close(objective.value(np.eye(4), problem))


# Utilities of columns --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SEPARABLE)
def test_column_utility_is_homogeneous_and_convex(name, n, rng):
    objective, problem, _ = posed(name, n, rng)
    u, v = random_columns(n, 200, rng), random_columns(n, 200, rng)
    scale = 10.0 ** rng.uniform(-3, 3, size=200)
    at_u, at_v = objective.column_utility(u, problem), objective.column_utility(v, problem)
    size = np.abs(objective.supporting(u, problem)).max() * (u + v).sum(axis=0)
    assert objective.column_utility(u * scale, problem) == pytest.approx(at_u * scale, rel=1e-9, abs=1e-11)
    assert np.all(objective.column_utility((u + v) / 2, problem) <= (at_u + at_v) / 2 + 1e-13 * size)
    zero = np.zeros((n, 1))
    assert objective.column_utility(zero, problem)[0] == 0
    assert np.all(np.isfinite(objective.supporting(zero, problem)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SEPARABLE)
def test_supporting_functionals_support(name, n, rng):
    """At columns with zeros too."""
    objective, problem, _ = posed(name, n, rng)
    columns, others = random_columns(n, 60, rng), random_columns(n, 300, rng)
    columns[:, 0] = 0.0
    functionals = objective.supporting(columns, problem)
    assert np.all(np.isfinite(functionals))
    # Where the two hypotheses are alike, a slope is a small difference of numbers of order one.
    slack = 1e-13 * np.abs(functionals).T @ others + 1e-15 * others.sum(axis=0)
    assert np.all(functionals.T @ others <= objective.column_utility(others, problem) + slack)
    reached = np.einsum("xm,xm->m", functionals, columns)
    slack = 1e-12 * np.einsum("xm,xm->m", np.abs(functionals), columns) + 1e-15 * columns.sum(axis=0)
    assert np.all(np.abs(reached - objective.column_utility(columns, problem)) <= slack)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SUBLINEAR)
def test_postprocessing_never_increases_the_utility(name, n, rng):
    for _ in range(10):
        objective, problem, Q = posed(name, n, rng)
        R = rng.dirichlet(np.full(3, 0.3), size=Q.shape[1])
        before = objective.to_utility(by_definition(objective, problem, Q), problem)
        after = objective.to_utility(by_definition(objective, problem, Q @ R), problem)
        assert after <= before + 1e-13
        assert float(objective.column_utility(Q @ R, problem).sum()) == pytest.approx(after, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("name", SEPARABLE)
def test_columns_in_proportion_may_be_merged(name, rng):
    objective, problem, _ = posed(name, 4, rng)
    v = random_columns(4, 50, rng)
    share = rng.random(50)
    parts = objective.column_utility(v * share, problem) + objective.column_utility(v * (1 - share), problem)
    assert parts == pytest.approx(objective.column_utility(v, problem), rel=1e-9, abs=1e-12)


# Units, fixed by exact theorems ------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(1, 7)])
@pytest.mark.parametrize("p", [Fraction(1, 4), Fraction(1, 10)])
def test_mmse_of_the_symmetric_channel(p, q):
    """Var of one bit with odds q, seen through crossover p: q(1-q)p(1-p) / (m_0 m_1)."""
    problem = md.Problem(prior=[1 - q, q], values=[3, 5])
    mass = (1 - q) * p + q * (1 - p)
    wanted = 4 * q * (1 - q) * p * (1 - p) / (mass * (1 - mass))
    Q = np.array([[1 - p, p], [p, 1 - p]], dtype=float)
    assert md.MMSE().value(Q, problem) == close(float(wanted), 1e-13)
    assert expression_value(md.MMSE(), problem, Q) == close(float(wanted), 1e-12)


@pytest.mark.parametrize("p", [0.5, 0.25, 0.01, 0.0])
def test_information_of_the_symmetric_channel(p):
    """I = ln 2 - H(p)."""
    problem = md.Problem(prior=[0.5, 0.5])
    entropy = -sum(q * math.log(q) for q in (p, 1 - p) if q > 0)
    Q = np.array([[1 - p, p], [p, 1 - p]])
    objective = md.MutualInformation()
    assert objective.value(Q, problem) == close(math.log(2) - entropy, 1e-13)
    assert float(objective.column_utility(Q, problem).sum()) == close(math.log(2) - entropy, 1e-13)
    assert expression_value(objective, problem, Q) == close(math.log(2) - entropy, 1e-12)


def test_little_information_is_not_lost_in_rounding():
    """I = 2 h^2 + O(h^4) at crossover 1/2 - h: eight digits at 2e-8."""
    h = 1e-4
    Q = np.array([[0.5 + h, 0.5 - h], [0.5 - h, 0.5 + h]])
    problem = md.Problem(prior=[0.5, 0.5])
    wanted = 2 * h**2 + 4 * h**4 / 3
    assert md.MutualInformation().value(Q, problem) == pytest.approx(wanted, rel=1e-11)
    assert md.MutualInformation().column_utility(Q, problem).sum() == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("n", SIZES)
def test_identity_gives_entropy(n, rng):
    prior = rng.dirichlet(np.ones(n))
    entropy = -math.fsum(p * math.log(p) for p in prior)
    problem = md.Problem(prior=prior)
    assert md.MutualInformation().value(np.eye(n), problem) == close(entropy, 1e-13)
    assert md.MutualInformation().no_privacy(problem) == close(entropy, 1e-13)


@pytest.mark.parametrize("n", SIZES)
def test_divergences_of_the_identity_are_those_of_the_inputs(n, rng):
    p, s = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    # Other forms than the definitions: total variation by sets, chi-square by moments, Hellinger by its affinity.
    sets = [sum(p[x] - s[x] for x in range(n) if k >> x & 1) for k in range(2**n)]
    wanted = {
        md.KLDivergence: -math.fsum(a * math.log(b) for a, b in zip(p, s, strict=True))
        + math.fsum(a * math.log(a) for a in p),
        md.TotalVariation: max(sets),
        md.ChiSquare: math.fsum(p * p / s) - 1,
        md.Hellinger: 1 - math.fsum(np.sqrt(p * s)),
    }
    for member, value in wanted.items():
        objective = member(p, s)
        assert objective.value(np.eye(n), md.Problem(n=n)) == pytest.approx(value, rel=1e-10, abs=1e-14)
        assert objective.no_privacy(md.Problem(n=n)) == pytest.approx(value, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("delta", [0.25, 1.0])
def test_erasure_multiplies_information_by_the_share_that_gets_through(n, delta, rng):
    Q, problem = erasure(n, delta), md.Problem(prior=rng.dirichlet(np.ones(n)))
    objective = fisher(n, rng)
    whole = math.fsum(objective.direction**2 / objective.theta)
    assert objective.value(Q, problem) == close(delta * whole)
    assert objective.from_utility(objective.column_utility(Q, problem).sum(), problem) == close(delta * whole)
    for name in ("KLDivergence", "TotalVariation", "ChiSquare", "Hellinger", "FDivergence"):
        objective = MAKERS[name](n, rng)
        whole = by_definition(objective, md.Problem(prior=np.full(n, 1 / n), values=np.zeros(n)), np.eye(n))
        assert objective.value(Q, problem) == close(delta * whole)
        assert objective.column_utility(Q, problem).sum() == close(delta * whole)
    entropy = -math.fsum(q * math.log(q) for q in problem.prior)
    assert md.MutualInformation().value(Q, problem) == close(delta * entropy)
    assert md.MutualInformation().column_utility(Q, problem).sum() == close(delta * entropy)


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("n", SIZES)
def test_randomised_response(n, epsilon):
    """Closed forms with E = e^epsilon and D = E + n - 1, hypotheses "input 0" against "input 1"."""
    E, Q = math.exp(epsilon), randomised_response(n, epsilon)
    D, problem = E + n - 1, md.Problem(prior=np.arange(1, n + 1) / (n * (n + 1) / 2))
    first, second = np.eye(n)[0], np.eye(n)[1]
    assert md.HammingLoss().value(Q, problem) == close((n - 1) / D)
    assert md.WorstCaseLoss(1 - np.eye(n)).value(Q, problem) == close((n - 1) / D)
    assert md.MaxOffDiagonal().value(Q, problem) == close(1 / D)
    wanted = {
        md.KLDivergence: epsilon * (E - 1) / D,
        md.TotalVariation: (E - 1) / D,
        md.ChiSquare: (E - 1) ** 2 * (1 + 1 / E) / D,
        md.Hellinger: (math.sqrt(E) - 1) ** 2 / D,
    }
    for member, value in wanted.items():
        objective = member(first, second)
        assert objective.value(Q, problem) == close(value)
        assert objective.column_utility(Q, problem).sum() == close(value)


@pytest.mark.parametrize("member", ["WorstCaseLoss", "MaxOffDiagonal"])
def test_least_worst_case_under_ldp_is_randomised_response(member):
    """Q[x, x] <= E t and sum over the other n - 1 at most (n - 1) t, so t >= 1 / (E + n - 1)."""
    n, epsilon = 3, 1.0
    problem = md.Problem(n=n)
    objective = md.MaxOffDiagonal() if member == "MaxOffDiagonal" else md.WorstCaseLoss(1 - np.eye(n))
    Q = cp.Variable((n, n))
    rules = [*md.LDP(epsilon).constraints(Q, problem), cp.sum(Q, axis=1) == 1]
    found = cp.Problem(cp.Minimize(objective.expression(Q, problem)), rules).solve(solver="CLARABEL")
    share = 1.0 if member == "MaxOffDiagonal" else n - 1
    assert found == pytest.approx(share / (math.e + n - 1), rel=1e-6)


@pytest.mark.parametrize("delta", [0.1, 0.5])
@pytest.mark.parametrize("theta", [0.2, 0.5])
def test_fisher_information_of_the_three_output_optimum(delta, theta):
    """At equal weights J = delta / (theta (1 - theta)) (yoshida, Theorem 1, third case)."""
    Q = np.array([[1 - delta, delta, 0.0], [1 - delta, 0.0, delta]])
    objective = md.FisherInformation(theta=[1 - theta, theta], direction=[-1, 1])
    assert objective.value(Q, md.Problem(n=2)) == close(delta / (theta * (1 - theta)))


@pytest.mark.parametrize("n", SIZES)
def test_hamming_loss_with_free_decisions_is_the_bayes_error(n, rng):
    prior = rng.dirichlet(np.ones(n))
    problem, objective = md.Problem(prior=prior), md.HammingLoss()
    for _ in range(10):
        Q = rng.dirichlet(np.ones(n + 2), size=n)
        bayes = 1 - math.fsum(max(prior[x] * Q[x, y] for x in range(n)) for y in range(n + 2))
        free = objective.from_utility(float(objective.column_utility(Q, problem).sum()), problem)
        assert free == close(bayes)
        naming = rng.dirichlet(np.ones(n), size=n + 2)
        assert objective.value(Q @ naming, problem) >= bayes - 1e-14
        joined = rng.dirichlet(np.ones(2), size=n + 2)
        coarser = objective.from_utility(float(objective.column_utility(Q @ joined, problem).sum()), problem)
        assert coarser >= free - 1e-14


def test_absolute_error_needs_no_other_estimates(rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(5)), values=rng.normal(size=5))
    columns = random_columns(5, 20, rng)
    best = -md.AbsoluteError().column_utility(columns, problem)
    for estimate in np.linspace(-4, 4, 81):
        assert np.all((problem.prior * np.abs(problem.values - estimate)) @ columns >= best - 1e-12)


# Limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.name)
def test_generators_derive_and_intercept(f):
    """Against central differences, and the tangent's definition."""
    t = np.array([1e-3, 0.1, 0.7, 1.3, 5.0, 400.0])
    step = 1e-6 * t
    differences = (f.value(t + step) - f.value(t - step)) / (2 * step)
    assert f.derivative(t) == pytest.approx(differences, rel=1e-6, abs=1e-8)
    assert f.intercept(t) == pytest.approx(f.value(t) - t * f.derivative(t), rel=1e-10, abs=1e-12)
    assert f.value(np.array([1e-24]))[0] == pytest.approx(f.at_zero, abs=1e-11)
    if math.isinf(f.slope_at_infinity):
        assert f.value(np.array([1e100]))[0] / 1e100 > 200
    else:
        assert f.value(np.array([1e24]))[0] / 1e24 == pytest.approx(f.slope_at_infinity, abs=1e-11)
    f.check()


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.name)
def test_functionals_and_chords_are_finite_on_the_closed_range(f):
    """Ratios of 0, a little below it by rounding, and huge: tangents stay finite, chords meet f at both ends."""
    ratio = Ratio(np.array([1.0, 0.0]), np.array([0.0, 1.0]), f)
    most = 1e6 if math.isinf(f.most) else 1e40
    t = np.array([-1e-12, 0.0, 1e-200, 1e-3, 1.0, 7.0, most])
    assert np.all(np.isfinite(ratio.functionals(t)))
    low, high = np.array([0.0, 0.0, 0.5, -1e-12, -1e-12]), np.array([0.5, 9.0, 2.0, -1e-13, 1.0])
    slope, intercept = ratio.chords(low, high).T
    assert np.all(np.isfinite(slope))
    assert np.all(np.isfinite(intercept))
    at_zero = float(f.value(np.array([0.0]))[0])
    assert at_zero == f.at_zero
    assert intercept[:2] == pytest.approx(at_zero, abs=1e-15)
    if f != md.Square():  # the others live on the half-line, so a low end below 0 is 0
        assert intercept[3:] == pytest.approx(at_zero, abs=1e-15)
    assert (intercept + slope * high)[:3] == pytest.approx(f.value(high[:3]), rel=1e-13)
    assert (intercept + slope * low)[2] == pytest.approx(f.value(low[2:3])[0], rel=1e-13)


@pytest.mark.parametrize("name", ["KLDivergence", "TotalVariation", "ChiSquare", "Hellinger", "FDivergence"])
def test_outputs_that_only_second_gives(name, rng):
    """A term is second . v f(0): 1, 1/2, 1, 1/2 and 1 of the mass."""
    vectors = {"first": [0.0, 0.4, 0.6], "second": [0.5, 0.5, 0.0]}
    objective = md.FDivergence(LeCam(), **vectors) if name == "FDivergence" else getattr(md, name)(**vectors)
    problem = md.Problem(n=3)
    column = np.array([[3.0], [0.0], [0.0]])
    share = {"KLDivergence": 1.0, "TotalVariation": 0.5, "ChiSquare": 1.0, "Hellinger": 0.5, "FDivergence": 1.0}
    assert objective.column_utility(column, problem)[0] == close(1.5 * share[name])
    functional = objective.supporting(column, problem)
    assert np.all(np.isfinite(functional))
    assert (functional.T @ column)[0, 0] == pytest.approx(1.5 * share[name], abs=1e-14)
    others = rng.exponential(size=(3, 100))
    assert np.all(functional.T @ others <= objective.column_utility(others, problem) + 1e-14)


@pytest.mark.parametrize("name", ["TotalVariation", "Hellinger", "FDivergence"])
def test_outputs_that_only_first_gives_count_the_slope_at_infinity(name, rng):
    vectors = {"first": [0.0, 0.4, 0.6], "second": [0.5, 0.5, 0.0]}
    objective = md.FDivergence(LeCam(), **vectors) if name == "FDivergence" else getattr(md, name)(**vectors)
    problem = md.Problem(n=3)
    column = np.array([[0.0], [0.0], [2.0]])
    wanted = 1.2 * (1.0 if name == "FDivergence" else 0.5)
    assert objective.column_utility(column, problem)[0] == close(wanted)
    functional = objective.supporting(column, problem)
    assert np.all(np.isfinite(functional))
    assert (functional.T @ column)[0, 0] == pytest.approx(wanted, abs=1e-13)
    if name != "FDivergence":  # LeCam keeps the intercept that cancels there, as Generator.intercept warns
        others = rng.exponential(size=(3, 100))
        assert np.all(functional.T @ others <= objective.column_utility(others, problem) + 1e-14)
    assert objective.value(np.eye(3), problem) == close(
        {"TotalVariation": 0.6, "Hellinger": 1 - math.sqrt(0.2), "FDivergence": 0.5 + 0.01 / 0.9 + 0.6}[name]
    )


@pytest.mark.parametrize("name", ["KLDivergence", "ChiSquare", "Square"])
def test_an_infinite_divergence_is_a_value_but_no_utility(name):
    vectors = {"first": [0.0, 0.4, 0.6], "second": [0.5, 0.5, 0.0]}
    objective = md.FDivergence(md.Square(), **vectors) if name == "Square" else getattr(md, name)(**vectors)
    problem = md.Problem(n=3)
    assert objective.value(np.eye(3), problem) == math.inf
    assert objective.no_privacy(problem) == math.inf
    for asked in (objective.column_utility, objective.supporting):
        with pytest.raises(md.DomainError, match=r"infinite on an output that only one .* give distributions without"):
            asked(np.eye(3), problem)
    # Under a notion that gives every output from every input it is finite, though second has a zero.
    Q = randomised_response(3, 1.0)
    assert objective.column_utility(Q, problem).sum() == close(objective.value(Q, problem))


class ReverseKL(Generator):
    """``f(t) = -ln t``: infinite at 0."""

    at_zero = math.inf
    slope_at_infinity = 0.0

    def value(self, t):
        return -np.log(t)

    def derivative(self, t):
        return -1 / t

    def perspective(self, first, second):
        return cp.sum(cp.rel_entr(second, first))


def test_a_generator_that_is_infinite_at_zero():
    objective, problem = md.FDivergence(ReverseKL(), [0.0, 1.0], [0.5, 0.5]), md.Problem(n=2)
    assert objective.value(np.eye(2), problem) == math.inf
    for asked in (objective.column_utility, objective.supporting):
        with pytest.raises(md.DomainError, match=r"generator ReverseKL, but it is infinite"):
            asked(np.eye(2), problem)
    Q = np.array([[0.75, 0.25], [0.25, 0.75]])
    wanted = md.KLDivergence([0.5, 0.5], [0.0, 1.0]).value(Q, problem)
    assert objective.value(Q, problem) == close(wanted)
    assert objective.column_utility(Q, problem).sum() == close(wanted)


def test_outputs_without_mass_count_nothing(rng):
    for name in SUBLINEAR:
        objective, problem, Q = posed(name, 3, rng)
        padded = np.hstack([Q, np.zeros((3, 1))])
        assert objective.value(padded, problem) == close(objective.value(Q, problem))
        assert objective.column_utility(padded, problem)[-1] == 0


def test_fisher_information_ignores_inputs_that_never_occur():
    objective = md.FisherInformation(theta=[0.5, 0.5, 0.0], direction=[1.0, -1.0, 0.0])
    assert objective.value(np.eye(3), md.Problem(n=3)) == close(4.0)
    assert objective.column_utility(np.eye(3), md.Problem(n=3)) == close(np.array([2.0, 2.0, 0.0]))
    assert np.all(np.isfinite(objective.supporting(np.eye(3), md.Problem(n=3))))


def test_information_at_zeros_has_a_finite_support(rng):
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    objective = md.MutualInformation()
    functional = objective.supporting(np.array([[1.0], [0.0], [1.0]]), problem)
    assert np.all(np.isfinite(functional))
    assert functional[1, 0] < -100
    assert functional[:, 0] @ [1.0, 0.0, 1.0] == close(0.7 * math.log(1 / 0.7))
    others = random_columns(3, 500, rng)
    assert np.all(functional.T @ others <= objective.column_utility(others, problem) + 1e-13)


# Inputs that a notion widened --------------------------------------------------------------------------------------


CARRIED = (0, 0, 1, 2, 2, 1)


def widened(rng):
    """Return two inputs for each of three data, with the matrix of the data that belongs to a matrix of the inputs."""
    prior = rng.dirichlet(np.ones(6))
    data = np.array(CARRIED)
    values = np.array([4.0, -1.0, 2.0])
    problem = md.Problem(prior=prior, values=values[data], labels=[f"{i}" for i in "abcdef"], data_of_input=data)
    Q = rng.dirichlet(np.ones(3), size=6)
    P = np.array([sum(prior[i] for i in range(6) if CARRIED[i] == x) for x in range(3)])
    joint = [sum(prior[i] * Q[i] for i in range(6) if CARRIED[i] == x) for x in range(3)]
    seen = np.array(joint) / P[:, None]
    return problem, Q, md.Problem(prior=P, values=values), seen


@pytest.mark.parametrize("name", ["MMSE", "ExpectedLoss", "HammingLoss", "AbsoluteError", "MutualInformation"])
def test_objectives_look_at_the_data(name, rng):
    problem, Q, plain, seen = widened(rng)
    objective = MAKERS[name](3, rng)
    if name == "ExpectedLoss":
        objective = md.ExpectedLoss(objective.loss[:, :3])
    objective.check(problem)
    wanted = by_definition(objective, plain, seen)
    assert objective.value(Q, problem) == close(wanted)
    assert expression_value(objective, problem, Q) == close(wanted)
    if name in SUBLINEAR:
        assert objective.from_utility(objective.column_utility(Q, problem).sum(), problem) == close(wanted)
        functionals = objective.supporting(Q, problem)
        excess = functionals.T @ Q - objective.column_utility(Q, problem)
        assert excess.max() <= 1e-13
        assert np.diag(excess) == pytest.approx(0.0, abs=1e-13)
    else:
        assert objective.outputs(problem) == 3
        assert len(objective.output_names(Q, problem)) == 3


def test_worst_cases_look_at_every_input(rng):
    problem, Q, _, _ = widened(rng)
    loss = rng.random((3, 3))
    worst = max(math.fsum(Q[i, d] * loss[CARRIED[i], d] for d in range(3)) for i in range(6))
    off = max(Q[i, y] for i in range(6) for y in range(3) if y != CARRIED[i])
    for objective, wanted in ((md.WorstCaseLoss(loss), worst), (md.MaxOffDiagonal(), off)):
        objective.check(problem)
        assert objective.value(Q, problem) == close(wanted)
        assert expression_value(objective, problem, Q) == close(wanted)
        assert float((objective.pieces(problem) @ Q.ravel()).max()) == close(wanted)
        assert objective.outputs(problem) == 3


def test_a_datum_that_never_occurs_carries_no_information(rng):
    """A profile may exclude a datum: its inputs have prior 0."""
    prior = np.array([0.2, 0.0, 0.5, 0.3])
    problem = md.Problem(prior=prior, data_of_input=np.array([0, 1, 2, 0]))
    Q = rng.dirichlet(np.ones(3), size=4)
    seen = np.array([(0.2 * Q[0] + 0.3 * Q[3]) / 0.5, Q[2]])
    wanted = by_definition(md.MutualInformation(), md.Problem(prior=[0.5, 0.5], values=[0, 0]), seen)
    objective = md.MutualInformation()
    assert objective.value(Q, problem) == close(wanted)
    assert objective.column_utility(Q, problem).sum() == close(wanted)
    assert expression_value(objective, problem, Q) == close(wanted)
    assert np.all(objective.supporting(Q, problem)[1] == 0)


# Names, parameters, files --------------------------------------------------------------------------------------------


def test_output_names():
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[1, 2.5, 0.1], labels=["lo", "mid", "hi"])
    assert md.HammingLoss().decisions(problem) == ("lo", "mid", "hi")
    assert md.AbsoluteError().decisions(problem) == ("1", "2.5", "0.1")
    assert md.MaxOffDiagonal().output_names(np.eye(3), problem) == ("lo", "mid", "hi")
    assert md.WorstCaseLoss(np.eye(3)).output_names(np.eye(3), problem) == ("lo", "mid", "hi")
    assert md.WorstCaseLoss(np.ones((3, 2))).output_names(np.ones((3, 2)), problem) == ("0", "1")
    twins = md.Problem(prior=[0.2, 0.3, 0.5], values=[1, 1, 1 + 1e-12])
    assert md.AbsoluteError().decisions(twins) == ("1 (0)", "1 (1)", "1.000000000001")


@pytest.mark.parametrize("name", MAKERS)
def test_parameters_survive_json(name, rng):
    objective, _, _ = posed(name, 3, rng)
    data = json.loads(json.dumps(member_to_dict(objective)))
    if name == "FDivergence":
        with pytest.raises(md.DomainError, match=r"objective\.f is LeCam.*KLGenerator"):
            objective_from_dict(data)
        return
    again = objective_from_dict(data)
    assert again == objective
    assert hash(again) == hash(objective)
    assert str(objective).startswith(name)


@pytest.mark.parametrize("f", [f for f in GENERATORS if not isinstance(f, LeCam)], ids=lambda f: f.name)
def test_built_in_generators_survive_json(f):
    objective = md.FDivergence(f, [0.25, 0.75], [0.5, 0.5])
    data = json.loads(json.dumps(member_to_dict(objective)))
    assert data["f"] == f.name
    assert objective_from_dict(data) == objective


def test_equality_is_by_content():
    assert md.KLDivergence([0.5, 0.5], [0.25, 0.75]) == md.KLDivergence([0.5, 0.5], [0.25, 0.75])
    assert md.KLDivergence([0.5, 0.5], [0.25, 0.75]) != md.KLDivergence([0.25, 0.75], [0.5, 0.5])
    assert md.KLDivergence([0.5, 0.5], [0.25, 0.75]) != md.ChiSquare([0.5, 0.5], [0.25, 0.75])
    with pytest.raises(ValueError, match="read-only"):
        md.KLDivergence([0.5, 0.5], [0.25, 0.75]).first[0] = 1.0


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("named", ["KLDivergence", "TotalVariation", "ChiSquare", "Hellinger"])
def test_the_named_divergences_are_f_divergences(named, n, rng):
    vectors = pair(n, rng)
    objective, problem = getattr(md, named)(**vectors), md.Problem(n=n)
    general = md.FDivergence(objective.generator, **vectors)
    Q = rng.dirichlet(np.full(4, 0.5), size=n)
    assert general.value(Q, problem) == close(objective.value(Q, problem), 1e-9)


@pytest.mark.parametrize("name", SUBLINEAR)
def test_ratio_type_is_where_the_decision_is_one_number(name):
    assert issubclass(getattr(md, name), RatioType) == (name != "MutualInformation")
    assert not issubclass(getattr(md, name), Linear)


# Bad input -----------------------------------------------------------------------------------------------------------


def two(**given):
    return {"theta": [0.5, 0.5], "direction": [1.0, -1.0], **given}


BAD = {
    "theta sum": (
        lambda: md.FisherInformation(**two(theta=[0.5, 0.6])),
        ("theta", "1.1", "has to sum to 1 within 1e-09", "divide it by its sum"),
    ),
    "theta negative": (
        lambda: md.FisherInformation(**two(theta=[-0.5, 1.5])),
        ("theta[0]", "-0.5", "not negative", "correct it"),
    ),
    "theta zero": (
        lambda: md.FisherInformation([0.5, 0.0, 0.5], [1.0, -1.0, 0.0]),
        ("theta[1]", "0.0", "positive where the direction is not zero", "drop the input"),
    ),
    "direction sum": (
        lambda: md.FisherInformation(**two(direction=[1.0, -0.5])),
        ("direction", "sums to 0.5", "has to sum to zero", "subtract its mean"),
    ),
    "direction sum, small": (
        lambda: md.FisherInformation(**two(direction=[1e-12, -0.5e-12])),
        ("direction", "sums to 5e-13", "has to sum to zero", "subtract its mean"),
    ),
    "direction zero": (
        lambda: md.FisherInformation(**two(direction=[0.0, 0.0])),
        ("direction", "all zero", "has to change", "give one entry"),
    ),
    "direction NaN": (
        lambda: md.FisherInformation(**two(direction=[math.nan, 0.0])),
        ("direction[0]", "nan", "every entry has to be finite", "correct it"),
    ),
    "direction length": (
        lambda: md.FisherInformation(**two(direction=[1.0, 0.0, -1.0])),
        ("direction", "of length 3", "each of the 2 inputs", "vectors of one length"),
    ),
    "theta length": (
        lambda: md.FisherInformation(**two()).check(md.Problem(n=3)),
        ("theta", "of length 2", "each of the 3 inputs", "vectors of one length"),
    ),
    "first text": (
        lambda: md.KLDivergence("half", [0.5, 0.5]),
        ("first", "half", "a vector of numbers", "give floats"),
    ),
    "first sum": (
        lambda: md.Hellinger([0.5, 0.4], [0.5, 0.5]),
        ("first", "0.9", "has to sum to 1", "divide it by its sum"),
    ),
    "second infinite": (
        lambda: md.TotalVariation([0.5, 0.5], [math.inf, 0.5]),
        ("second[0]", "inf", "finite", "correct it"),
    ),
    "second length": (
        lambda: md.ChiSquare([0.5, 0.5], [1.0]),
        ("second", "of length 1", "each of the 2 inputs", "vectors of one length"),
    ),
    "first length": (
        lambda: md.KLDivergence([0.5, 0.5], [0.5, 0.5]).check(md.Problem(n=4)),
        ("first", "of length 2", "each of the 4 inputs", "vectors of one length"),
    ),
    "f name": (
        lambda: md.FDivergence("KL", [0.5, 0.5], [0.5, 0.5]),
        ("f", "KL", "has to be a Generator", "named divergence"),
    ),
    "loss NaN": (
        lambda: md.WorstCaseLoss([[0.0, math.nan], [1.0, 0.0]]),
        ("loss[0, 1]", "nan", "every entry has to be finite", "correct it"),
    ),
    "loss vector": (lambda: md.WorstCaseLoss([0.0, 1.0]), ("loss", "(2,)", "a matrix", "at least one entry")),
    "loss rows": (
        lambda: md.WorstCaseLoss(np.zeros((2, 3))).check(md.Problem(n=3)),
        ("loss", "of shape (2, 3)", "one row for each of the 3 inputs", "transposed"),
    ),
    "one datum": (
        lambda: md.MaxOffDiagonal().check(md.Problem(n=1)),
        ("n", "1", "compares a datum with others", "at least two"),
    ),
    "values missing": (
        lambda: md.AbsoluteError().check(md.Problem(prior=[0.5, 0.5])),
        ("values", "None", "AbsoluteError needs it", "give Problem(values=...)"),
    ),
    **{
        f"prior missing, {name}": (
            lambda name=name: getattr(md, name)().check(md.Problem(values=[0.0, 1.0])),
            ("prior", "None", f"{name} needs it", "give Problem(prior=...)"),
        )
        for name in ("MMSE", "HammingLoss", "AbsoluteError", "MutualInformation")
    },
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_argument_value_rule_and_remedy(case):
    made, (argument, value, rule, remedy) = BAD[case]
    with pytest.raises(md.DomainError) as caught:
        made()
    assert caught.value.argument == argument
    parts = [re.escape(part) for part in (argument, value, rule, remedy)]
    pattern = "^{} is .*{}.*, but .*{}.*; .*{}.*\\.$".format(*parts)
    assert re.match(pattern, str(caught.value)), str(caught.value)


@pytest.mark.parametrize("name", ["WorstCaseLoss", "MaxOffDiagonal", "KLDivergence", "FisherInformation"])
def test_no_prior_is_asked_where_none_is_used(name, rng):
    MAKERS[name](3, rng).check(md.Problem(n=3))


WRONG = {
    "concave": {
        "value": lambda self, t: -((t - 1) ** 2),
        "derivative": lambda self, t: -2 * (t - 1),
        "at_zero": math.inf,
        "slope_at_infinity": math.inf,
    },
    "an intercept too low": {"intercept": lambda self, t: Generator.intercept(self, t) - 0.5},
    "a derivative of another f": {"derivative": lambda self, t: 2 * (t - 1)},
    "a derivative of the wrong sign": {"derivative": lambda self, t: -LeCam.derivative(self, t)},
    "a limit at 0 too low": {"at_zero": 0.5},
    "a slope at infinity too low": {"slope_at_infinity": 0.5},
    "an intercept of another f": {"intercept": lambda self, t: 1 - t * t},
}


@pytest.mark.parametrize("defect", WRONG)
def test_a_generator_that_would_make_bounds_wrong_is_refused(defect):
    planted = type("Planted", (LeCam,), WRONG[defect])()
    with pytest.raises(md.DomainError, match=r"f is Planted, but it has to be convex, .*; correct the generator"):
        md.FDivergence(planted, [0.5, 0.5], [0.25, 0.75])
