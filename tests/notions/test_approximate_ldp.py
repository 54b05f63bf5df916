"""ApproximateLDP: level, exact check and rays from their definitions, optima by brute force, the erasure theorem."""

import math
from fractions import Fraction
from itertools import combinations, permutations

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.exact import exp_below
from mechdesign.solve.pricing.all_rays import all_rays
from tests.helpers import brute_force as brute


def level_by_loops(matrix, epsilon):
    """Return the largest sum over outputs of what one row has more than e^epsilon times another."""
    rows = [list(map(float, row)) for row in matrix]
    sums = [
        sum(max(a - math.exp(epsilon) * b, 0.0) for a, b in zip(rows[s], rows[t], strict=True))
        for s, t in permutations(range(len(rows)), 2)
    ]
    return max(sums)


def arrangement(n, ratio):
    """Return every ray that n - 1 of the planes ``q_x = 0`` and ``q_x = ratio q_x'`` leave, and their sums by pair."""
    planes = list(np.eye(n))
    for x, other in permutations(range(n), 2):
        plane = np.zeros(n)
        plane[x], plane[other] = 1.0, -ratio
        planes.append(plane)
    found = []
    for chosen in combinations(planes, n - 1):
        _, sizes, right = np.linalg.svd(np.array(chosen))
        if n == 1 or sizes.min() < 1e-12:
            continue
        ray = right[-1] * np.sign(right[-1][np.abs(right[-1]).argmax()])
        if ray.min() > -1e-12:
            found.append(np.maximum(ray, 0.0) / ray.max())
    columns = np.unique(np.round(np.array(found), 12), axis=0).T
    cost = np.array([np.maximum(columns[x] - ratio * columns[y], 0.0) for x, y in permutations(range(n), 2)])
    return columns, cost


def optimum(columns, utilities, cost, limit):
    """Return the largest sum of utilities over weights whose columns add up to one within the budgets."""
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(
        -utilities,
        A_ub=cost,
        b_ub=np.full(len(cost), limit),
        A_eq=columns,
        b_eq=np.ones(len(columns)),
        method="highs",
        options=tight,
    )
    assert found.status == 0, found.message
    return -found.fun


def utilities(name, columns, problem, given):
    """Return what each column adds, from the definition (larger is better)."""
    return {
        "MMSE": lambda: -brute.squared_error(columns, problem.prior, problem.values),
        "ExpectedLoss": lambda: -brute.least_loss(columns, problem.prior, given["loss"]),
        "KLDivergence": lambda: brute.divergence("KLDivergence", columns, given["first"], given["second"]),
        "MutualInformation": lambda: brute.information(columns, problem.prior),
    }[name]()


def objective(name, given):
    return {
        "MMSE": md.MMSE,
        "ExpectedLoss": lambda: md.ExpectedLoss(given["loss"]),
        "KLDivergence": lambda: md.KLDivergence(given["first"], given["second"]),
        "MutualInformation": md.MutualInformation,
    }[name]()


def question(n, rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    given = {
        "loss": rng.exponential(size=(n, 3)),
        "first": rng.dirichlet(np.ones(n)),
        "second": rng.dirichlet(np.ones(n)),
    }
    return problem, given


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_level_is_the_definition(epsilon, rng):
    notion = md.ApproximateLDP(epsilon, 0.5)
    for n in (2, 3, 5):
        matrix = rng.dirichlet(np.ones(4), size=n)
        found = notion.level(matrix, md.Problem(n=n))
        assert found.value == pytest.approx(level_by_loops(matrix, epsilon), rel=1e-12)
        s, t = found.inputs
        assert np.maximum(matrix[s] - math.exp(epsilon) * matrix[t], 0).sum() == pytest.approx(found.value, rel=1e-12)
        given = rng.dirichlet(np.ones(n), size=3)
        hidden = md.Problem(n=n).hidden(data_given_secret=given)
        assert notion.level(matrix, hidden).value == pytest.approx(level_by_loops(given @ matrix, epsilon), rel=1e-12)


def test_exact_check_stops_at_the_last_bit():
    matrix = [[0.75, 0.25], [0.25, 0.75]]
    assert md.audit(matrix, md.ApproximateLDP(0.0, 0.5)).holds
    assert not md.audit(matrix, md.ApproximateLDP(0.0, math.nextafter(0.5, 0.0))).holds
    # 3/4 - e/4 = 0.0704...: the level is delta, rounded up to a float.
    report = md.audit(matrix, md.ApproximateLDP(1.0, 0.2))
    assert float(report) == pytest.approx(0.75 - math.e / 4, abs=1e-15)
    assert md.audit(matrix, md.ApproximateLDP(1.0, float(report))).holds
    assert not md.audit(matrix, md.ApproximateLDP(1.0, math.nextafter(float(report), 0.0))).holds


def test_exact_check_stops_at_the_last_bit_of_sums_that_floats_round(rng):
    # Thirty outputs at which one row is next to e^epsilon times the other: what they differ by is lost in rounding.
    epsilon = 0.7
    for _ in range(20):
        second = rng.integers(2**44, 2**47, size=30)
        first = np.array([math.ceil(exp_below(epsilon) * int(entry)) for entry in second]) + rng.integers(0, 3, size=30)
        numerators = np.array([[*first, 2**53 - first.sum()], [*second, 2**53 - second.sum()]])
        exact = sum(int(a) - exp_below(epsilon) * int(b) for a, b in zip(first, second, strict=True)) / 2**53
        delta = float(exact)
        above = delta if Fraction(delta) >= exact else math.nextafter(delta, 1.0)
        matrix = np.ldexp(numerators.astype(float), -53)
        assert md.audit(matrix, md.ApproximateLDP(epsilon, above)).holds
        assert not md.audit(matrix, md.ApproximateLDP(epsilon, math.nextafter(above, 0.0))).holds


def test_ratios_beyond_floats_are_checked():
    tiny = Fraction(1, 10**320)
    matrix = [[Fraction(1, 2), Fraction(1, 2)], [tiny, 1 - tiny]]
    # e^740 is about 2e321, e^730 about 1e317.
    assert md.audit(matrix, md.ApproximateLDP(740.0, 0.0)).holds
    assert not md.audit(matrix, md.ApproximateLDP(730.0, 0.0)).holds


def test_programs_are_over_no_less_than_the_notion():
    # Every pair of its budget takes e^epsilon from above, where the exact check takes it from below.
    for epsilon in np.linspace(0.0, 12.0, 50):
        pieces = md.ApproximateLDP(float(epsilon), 0.1).columns(md.Problem(n=2)).budget().pieces
        assert Fraction(float(-pieces.min())) >= exp_below(float(epsilon))


def test_ray_counts_are_those_of_the_fan():
    assert [md.ApproximateLDP(0.7, 0.1).columns(md.Problem(n=n)).ray_count() for n in (1, 2, 3, 4)] == [1, 4, 21, 138]
    for n in (1, 2, 3, 4, 5, 6):
        for epsilon in (0.0, 0.7):
            notion, problem = md.ApproximateLDP(epsilon, 0.1), md.Problem(n=n)
            rays = notion.columns(problem).rays()
            assert rays.columns.shape[1] == notion.columns(problem).ray_count()
            assert len(np.unique(np.round(rays.columns, 12), axis=1).T) == rays.columns.shape[1]
    indicators = md.ApproximateLDP(0.0, 0.1).columns(md.Problem(n=3)).rays().columns
    assert {tuple(c) for c in indicators.T} == {tuple(map(float, f"{s:03b}")) for s in range(1, 8)}
    assert md.ApproximateLDP(0.7, 0.1).columns(md.Problem(n=80)).ray_count() > 1e18


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("name", ["MMSE", "ExpectedLoss", "KLDivergence", "MutualInformation"])
def test_optimum_is_the_brute_force(name, epsilon, rng):
    for n, delta in ((2, 0.3), (3, 0.1), (3, 0.6)):
        problem, given = question(n, rng)
        columns, cost = arrangement(n, math.exp(epsilon))
        best = optimum(columns, utilities(name, columns, problem, given), cost, delta)
        asked = objective(name, given)
        found = md.design(problem, md.ApproximateLDP(epsilon, delta), asked)
        signed = best if asked.sense == "maximise" else -best
        assert found.value == pytest.approx(signed, rel=1e-8)
        assert found.gap <= 1e-9
        assert level_by_loops(found.matrix, epsilon) <= delta + 1e-14


def test_losses_are_one_linear_program(rng):
    import cvxpy as cp

    for n, epsilon, delta in ((3, 0.4, 0.2), (6, 0.0, 0.15), (9, 1.0, 0.05)):
        problem, loss = md.Problem(prior=rng.dirichlet(np.ones(n))), rng.exponential(size=(n, n))
        Q = cp.Variable((n, n), nonneg=True)
        rules = [cp.sum(Q, axis=1) == 1]
        for s, t in permutations(range(n), 2):
            rules.append(cp.sum(cp.pos(Q[s] - math.exp(epsilon) * Q[t])) <= delta)
        best = cp.Problem(cp.Minimize(cp.sum(cp.multiply(problem.prior[:, None] * loss, Q))), rules)
        best.solve(solver="HIGHS")
        worst = cp.Problem(cp.Minimize(cp.max(cp.sum(cp.multiply(loss, Q), axis=1))), rules)
        worst.solve(solver="HIGHS")
        notion = md.ApproximateLDP(epsilon, delta)
        for asked, expected in ((md.ExpectedLoss(loss), best.value), (md.WorstCaseLoss(loss), worst.value)):
            found = md.design(problem, notion, asked)
            assert found.value == pytest.approx(expected, rel=1e-7)
            assert found.gap <= 1e-6
            assert level_by_loops(found.matrix, epsilon) <= delta + 1e-14


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_delta_zero_is_ldp(epsilon, rng):
    problem, given = question(3, rng)
    for name in ("MMSE", "ExpectedLoss", "KLDivergence", "MutualInformation"):
        ours = md.design(problem, md.ApproximateLDP(epsilon, 0.0), objective(name, given))
        theirs = md.design(problem, md.LDP(epsilon), objective(name, given))
        assert ours.value == pytest.approx(theirs.value, rel=1e-7)
        assert md.audit(ours.matrix, md.LDP(epsilon)).holds
        assert md.audit(theirs.matrix, md.ApproximateLDP(epsilon, 0.0)).holds
    silent = md.design(problem, md.ApproximateLDP(0.0, 0.0), md.MMSE())
    assert np.all(silent.matrix == silent.matrix[0])


@pytest.mark.parametrize("n", [3, 4, 5])
@pytest.mark.parametrize("delta", [0.2, 0.7])
def test_erasure_is_optimal_at_epsilon_zero(n, delta, rng):
    theta, direction = rng.dirichlet(np.ones(n)), rng.normal(size=n)
    direction -= direction.mean()
    first, second = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    ratio = first / second
    expected = {
        md.FisherInformation(theta, direction): delta * (direction**2 / theta).sum(),
        md.KLDivergence(first, second): delta * (first * np.log(ratio)).sum(),
        md.TotalVariation(first, second): delta * np.abs(first - second).sum() / 2,
        md.ChiSquare(first, second): delta * ((first - second) ** 2 / second).sum(),
        md.Hellinger(first, second): delta * (1 - np.sqrt(first * second).sum()),
        md.MutualInformation(): -delta * (theta * np.log(theta)).sum(),
    }
    erasure = np.hstack([delta * np.eye(n), np.full((n, 1), 1 - delta)])
    problem = md.Problem(prior=theta)
    for asked, value in expected.items():
        found = md.design(problem, md.ApproximateLDP(0.0, delta), asked)
        assert found.value == pytest.approx(value, rel=1e-9)
        assert found.bound == pytest.approx(value, rel=1e-9)
        assert asked.value(erasure, problem) == pytest.approx(value, rel=1e-9)


def test_three_inputs_have_two_candidates(rng):
    # The sign of the Hlawka sum selects: erasure, or pairs of inputs kept apart from the third.
    signs = set()
    for _ in range(40):
        gains, delta = rng.normal(size=(4, 3)), float(rng.uniform(0.05, 0.95))
        psi = {s: (gains @ [s >> x & 1 for x in range(3)]).max() for s in range(8)}
        hlawka = psi[1] + psi[2] + psi[4] + psi[7] - psi[3] - psi[5] - psi[6]
        alone = psi[1] + psi[2] + psi[4]
        best = delta * alone + (1 - delta) * psi[7] + max(0.0, -hlawka) * min(delta, 1 - delta)
        # A loss is minus a gain over the prior.
        problem = md.Problem(prior=[0.25, 0.25, 0.5])
        loss = -gains.T / problem.prior[:, None]
        found = md.design(problem, md.ApproximateLDP(0.0, delta), md.ExpectedLoss(loss))
        assert -found.value == pytest.approx(best, rel=1e-9, abs=1e-9)
        signs.add(bool(hlawka < -1e-6))
    assert signs == {True, False}


def test_hidden_secrets_are_enumerated(rng):
    given = rng.dirichlet(np.ones(3), size=2)
    hidden = md.Problem(n=3).hidden(data_given_secret=given, secret_prior=[0.4, 0.6])
    notion = md.ApproximateLDP(0.2, 0.05)
    # Two secrets: the planes are those of the orthant and of both ordered pairs.
    ratio = math.exp(0.2)
    planes = [*np.eye(3), given[0] - ratio * given[1], given[1] - ratio * given[0]]
    found = []
    for pair in combinations(planes, 2):
        ray = np.cross(*pair)
        found += [np.maximum(signed, 0) / signed.max() for signed in (ray, -ray) if signed.min() >= -1e-12]
    expected = np.unique(np.round(np.array(found), 9), axis=0)
    rays = np.unique(np.round(all_rays(notion, hidden).columns.T, 9), axis=0)
    assert rays.shape == expected.shape
    assert np.abs(rays - expected).max() < 1e-8


def test_it_is_written_and_read_with_both_parameters(tmp_path):
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    made = md.design(problem, md.ApproximateLDP(0.5, 0.1), md.MMSE())
    again = md.load(made.mechanism.save(tmp_path / "a.json"))
    assert again.question.notion == md.ApproximateLDP(0.5, 0.1)
    assert str(again.question.notion) == "ApproximateLDP(epsilon=0.5, delta=0.1)"


def test_a_gain_that_is_hidden_beside_the_span_is_warned_of_next_to_delta_0():
    """Delta 0 allows something where epsilon is positive, which is then LDP, and nothing where it is 0."""
    even = md.Problem(prior=[1 / 3] * 3)
    with pytest.warns(md.GapWarning, match="may be missed by a share"):
        made = md.design(even, md.ApproximateLDP(1.6e-9, 1e-300), md.MutualInformation())
    assert made.gap <= 1e-6 and made.gap_of_gain > 1e-3
    assert md.design(even, md.ApproximateLDP(1.6e-9, 0.0), md.MutualInformation()).gap_of_gain < 1e-3
    assert md.design(even, md.ApproximateLDP(0.0, 0.0), md.MutualInformation()).uninformative


@pytest.mark.parametrize("epsilon", [0.3, 1.7, 9.0])
def test_rays_say_by_what_share_rounding_may_move_their_entries(epsilon):
    rays = md.ApproximateLDP(epsilon, 0.1).columns(md.Problem(n=4)).rays()
    with mpmath.workdps(50):
        powers = [mpmath.exp(-mpmath.mpf(epsilon) * level) for level in range(4)]
        for column, share in zip(rays.columns.T, rays.share, strict=True):
            nearest = [min(powers, key=lambda power, entry=entry: abs(power - entry)) for entry in column if entry]
            away = [abs(entry - power) / power for entry, power in zip(column[column > 0], nearest, strict=True)]
            assert max(away) <= share < 1e-13


EDGES = ((0, 1), (1, 2))


def least_error_of_neighbours(epsilon, delta, edges, prior):
    """The least probability of a wrong guess, by a linear program with an excess for each edge and output."""
    n = len(prior)
    pairs = [*edges, *(edge[::-1] for edge in edges)]
    size = n * n + len(pairs) * n
    upper, limits = [], []
    for k, (s, t) in enumerate(pairs):
        total = np.zeros(size)
        for y in range(n):
            row = np.zeros(size)
            row[s * n + y], row[t * n + y], row[n * n + k * n + y] = 1.0, -math.exp(epsilon), -1.0
            total[n * n + k * n + y] = 1.0
            upper.append(row)
            limits.append(0.0)
        upper.append(total)
        limits.append(delta)
    cost = np.append(-np.diag(prior).ravel(), np.zeros(len(pairs) * n))
    sums = np.hstack([np.kron(np.eye(n), np.ones(n)), np.zeros((n, len(pairs) * n))])
    return 1.0 + linprog(cost, np.array(upper), limits, sums, np.ones(n), bounds=(0, None)).fun


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.2), (0.5, 0.1), (1.0, 0.3)])
@pytest.mark.parametrize("edges", [EDGES, ((0, 2),), ((0, 1), (1, 2), (2, 3))])
def test_neighbours_alone_are_compared(epsilon, delta, edges, rng):
    prior = rng.dirichlet(np.ones(4))
    made = md.design(md.Problem(prior=prior), md.ApproximateLDP(epsilon, delta, edges), md.ErrorProbability())
    assert made.value == pytest.approx(least_error_of_neighbours(epsilon, delta, edges, prior), abs=1e-7)
    everybody = md.design(md.Problem(prior=prior), md.ApproximateLDP(epsilon, delta), md.ErrorProbability())
    assert made.value <= everybody.value + 1e-9


def test_neighbours_are_compared_to_the_last_unit():
    unit = 2**40
    matrix = np.array([[unit, 0], [unit // 2, unit // 2], [0, unit]], dtype=object)
    line = md.ApproximateLDP(0.0, 0.5, EDGES)
    assert line.holds_exactly(matrix, md.Problem(n=3))
    assert not md.ApproximateLDP(0.0, 0.5).holds_exactly(matrix, md.Problem(n=3))
    matrix[1] = [unit // 2 - 1, unit // 2 + 1]
    assert not line.holds_exactly(matrix, md.Problem(n=3))
    assert line.level(matrix / unit, md.Problem(n=3)).inputs == (0, 1)
    # Those that are no neighbours count for nothing, at the least delta either.
    assert md.ApproximateLDP(0.0, 0.0, ((0, 1),)).holds_exactly(np.array([[1, 1], [1, 1], [2, 0]]), md.Problem(n=3))


def test_neighbours_under_other_names():
    survey = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    everybody = md.ApproximateLDP(0.5, 0.1, ((0, 1), (0, 2), (1, 2)))
    assert everybody.plain(survey) == md.ApproximateLDP(0.5, 0.1)
    far = [[0, 1, math.inf], [1, 0, 1], [math.inf, 1, 0]]
    assert md.ApproximateLDP(0.5, 0.0, EDGES).plain(survey) == md.MetricDP(0.5, far)
    assert md.ApproximateLDP(0.5, 0.1, [(1, 0), (2, 1), (0, 1)]) == md.ApproximateLDP(0.5, 0.1, EDGES)
    made = md.design(survey, md.ApproximateLDP(0.5, 0.1, EDGES), md.MMSE())
    assert made.mechanism.question.from_dict(made.mechanism.question.to_dict()) == made.mechanism.question
    with pytest.warns(md.ProofWarning, match="not covered yet"):
        md.design(survey, md.ApproximateLDP(0.5, 0.1, EDGES), md.ErrorProbability(), proof=True)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: md.ApproximateLDP(0.5, 0.1, []), "without an edge nothing is protected"),
        (lambda: md.ApproximateLDP(0.5, 0.1, [(1, 1)]), "joins two different secrets"),
        (
            lambda: md.design(md.Problem(n=3), md.ApproximateLDP(0.5, 0.1, [(0, 3)]), md.InformationDesign("A")),
            "secrets are numbered from 0 to 2",
        ),
        (
            lambda: md.design(md.Problem.from_interval(0, 1), md.ApproximateLDP(0.5, 0.1, [(0, 1)]), md.UnbiasedMean()),
            "need not be private",
        ),
    ],
)
def test_bad_edges_are_refused(asked, said):
    with pytest.raises(md.DomainError, match=said):
        asked()
