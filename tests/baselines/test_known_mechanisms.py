"""Known mechanisms against their published formulas and variances, exactly private by definition; wrong ones caught."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines.subset_selection import best_size
from tests.helpers import brute_force

#: e^epsilon as a fraction, so that formulas are too.
E, EPSILON = Fraction(3), math.log(3)
NEAR = 2.0**-45


# The published formulas, written again in fractions: E is e^epsilon, and its square root where one is needed ------


def response(n, E, root):
    return [[(E if x == y else 1) / (E + n - 1) for y in range(n)] for x in range(n)]


def encoding(n, p, q):
    def bit(x, i, y):
        one = p if i == x else q
        return one if y[i] else 1 - one

    reports = sorted(product((0, 1), repeat=n), key=lambda bits: bits[::-1])
    return [[math.prod(bit(x, i, y) for i in range(n)) for y in reports] for x in range(n)]


def optimised(n, E, root):
    return encoding(n, Fraction(1, 2), 1 / (E + 1))


def symmetric(n, E, root):
    return encoding(n, root / (root + 1), 1 / (root + 1))


def subsets(n, E, root, size=2):
    total = math.comb(n - 1, size - 1) * E + math.comb(n - 1, size)
    return [[(E if x in S else 1) / total for S in combinations(range(n), size)] for x in range(n)]


def hadamard(n, E, root):
    order = next(2**k for k in range(12) if 2**k > n)
    signs = [[(-1) ** (r & y).bit_count() for y in range(order)] for r in range(1, n + 1)]
    return [[2 * (E if sign > 0 else 1) / (order * (E + 1)) for sign in row] for row in signs]


def line(n):
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)


def exponential(n, E, root):
    rows = [[root ** -abs(x - y) for y in range(n)] for x in range(n)]
    return [[entry / sum(row) for entry in row] for row in rows]


def geometric(n, E, root):
    a = 1 / E

    def end(y):
        return 1 if y in (0, n - 1) else 1 - a

    return [[a ** abs(x - y) * end(y) / (1 + a) for y in range(n)] for x in range(n)]


def rounding(n, E, root):
    spread = (E - 1) / (E + 1)
    highs = [(1 + spread * (2 * Fraction(x, n - 1) - 1)) / 2 for x in range(n)]
    return [[1 - high, high] for high in highs]


MADE = {
    "randomised_response": (md.baselines.randomised_response, response),
    "unary_encoding, optimised": (md.baselines.unary_encoding, optimised),
    "unary_encoding, symmetric": (lambda p, e: md.baselines.unary_encoding(p, e, optimised=False), symmetric),
    "subset_selection": (lambda p, e: md.baselines.subset_selection(p, e, size=2), subsets),
    "hadamard_response": (md.baselines.hadamard_response, hadamard),
}
#: Those whose reports give one figure, not every frequency.
OF_FIGURE = {
    "stochastic_rounding": (lambda p, e: md.baselines.stochastic_rounding(p, e, np.arange(float(p.n))), rounding),
}
METRIC = {
    "exponential": (lambda p, e: md.baselines.exponential(p, e, line(p.n)), exponential),
    "geometric": (md.baselines.geometric, geometric),
}


def deviation(matrix, formula):
    """Return the largest difference of an entry, exactly."""
    assert matrix.shape == (len(formula), len(formula[0]))
    return max(abs(Fraction(float(a)) - b) for row, wanted in zip(matrix, formula, strict=True)
               for a, b in zip(row, wanted, strict=True))  # fmt: skip


def is_metric(matrix, epsilon, distance):
    """Tell whether ``Q[x, y] <= e^(epsilon d(x, z)) Q[z, y]``, in fractions."""
    rows = brute_force.exact(matrix)
    return all(
        a <= brute_force.exponential_below(Fraction(epsilon) * Fraction(float(distance[x, z])), 120) * b
        for x, row in enumerate(rows)
        for z, other in enumerate(rows)
        if math.isfinite(distance[x, z])
        for a, b in zip(row, other, strict=True)
    )


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("name", [*MADE, *METRIC, *OF_FIGURE])
def test_it_is_the_published_formula(name, n):
    make, formula = {**MADE, **METRIC, **OF_FIGURE}[name]
    for root in (Fraction(2), Fraction(5, 4)):
        made = make(md.Problem(n=n), 2 * math.log(root))
        assert deviation(made.matrix, formula(n, root * root, root)) <= NEAR
        assert made.question is None and len(set(made.outputs)) == made.matrix.shape[1]


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 5.0])
@pytest.mark.parametrize("name", [*MADE, *OF_FIGURE])
def test_it_is_exactly_private_and_not_at_less(name, epsilon):
    for n in (3, 4):
        made = {**MADE, **OF_FIGURE}[name][0](md.Problem(n=n), epsilon)
        assert brute_force.is_ldp(made.matrix, epsilon)
        assert md.LDP(epsilon).holds_exactly(made.numerators, md.Problem(n=n))
        assert epsilon == 0 or not brute_force.is_ldp(made.matrix, epsilon * (1 - 1e-9))


@pytest.mark.thinned(24)
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 20.0])
@pytest.mark.parametrize("name", METRIC)
def test_it_is_exactly_private_in_its_metric(name, epsilon):
    for n in (1, 2, 6):
        made = METRIC[name][0](md.Problem(n=n), epsilon)
        assert is_metric(made.matrix, epsilon, line(n))
        assert md.MetricDP(epsilon, line(n)).holds_exactly(made.numerators, md.Problem(n=n))
    assert name == "exponential" or epsilon == 0 or not is_metric(made.matrix, epsilon * (1 - 1e-6), line(n))


def test_the_exponential_mechanism_keeps_far_apart_and_alike_what_the_metric_does():
    distance = np.array(
        [[0.0, 0.0, np.inf, 9.0], [0.0, 0.0, np.inf, 1.0], [np.inf, np.inf, 0, np.inf], [9, 1, np.inf, 0]]
    )
    made = md.baselines.exponential(md.Problem(n=4), 1.0, distance)
    assert is_metric(made.matrix, 1.0, distance)
    assert np.array_equal(made.matrix[0], made.matrix[1]) and made.matrix[2].tolist() == [0, 0, 1, 0]
    # The way around is shorter than the distance that was given.
    assert made.matrix[0, 3] == pytest.approx(made.matrix[1, 3], rel=1e-12)


def test_entries_below_the_grid_do_not_break_privacy():
    made = md.baselines.geometric(md.Problem(n=60), 2.0)
    assert made.matrix.min() > 0 and is_metric(made.matrix[[0, 1, 59]], 2.0, line(60)[np.ix_([0, 1, 59], [0, 1, 59])])
    made = md.baselines.unary_encoding(md.Problem(n=10), 8.0)
    assert brute_force.is_ldp(made.matrix, 8.0)


# The variance of estimated frequencies ------------------------------------------------------------------------------


def support(name, n):
    """Return for each input which outputs speak for it, as the papers' estimators count them."""
    if name.startswith("unary"):
        return [[y >> x & 1 for y in range(2**n)] for x in range(n)]
    if name == "hadamard_response":
        order = next(2**k for k in range(12) if 2**k > n)
        return [[1 - (x + 1 & y).bit_count() % 2 for y in range(order)] for x in range(n)]
    size = 2 if name == "subset_selection" else 1
    return [[int(x in S) for S in combinations(range(n), size)] for x in range(n)]


def symmetric_variance(n, f):
    root = math.sqrt(E)
    return root / (root - 1) ** 2 + f - f * f


#: Variance times reports of the estimate of a frequency f among n values: of the noise, and of who was asked.
PUBLISHED = {
    "randomised_response": lambda n, f: (n - 2 + E) / (E - 1) ** 2 + f * (n - 2) / (E - 1) + f - f * f,
    "unary_encoding, optimised": lambda n, f: 4 * E / (E - 1) ** 2 + f + f - f * f,
    "unary_encoding, symmetric": symmetric_variance,
    "hadamard_response": lambda n, f: ((E + 1) / (E - 1)) ** 2 - f * f,
}


def variance(matrix, of, f):
    """Return ``r (1 - r) / (p - q)^2`` for every input, p, q and the share r of its reports from the matrix."""
    for x, row in enumerate(of):
        told = matrix @ np.array(row, dtype=float)
        p, others = told[x], np.delete(told, x)
        assert np.ptp(others) < 1e-12
        r = others[0] + f * (p - others[0])
        yield r * (1 - r) / (p - others[0]) ** 2


@pytest.mark.parametrize("f", [0.0, 0.3])
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_variance_is_the_published_one(name, f):
    for n in (3, 6):
        matrix = MADE[name][0](md.Problem(n=n), EPSILON).matrix
        wanted = float(PUBLISHED[name](n, f))
        assert list(variance(matrix, support(name, n), f)) == pytest.approx([wanted] * n, rel=1e-9)


@pytest.mark.parametrize(("n", "epsilon"), [(4, 0.3), (7, 1.0), (9, 2.0), (5, 6.0), (2, 1.0)])
def test_the_default_size_of_sets_has_the_least_variance(n, epsilon):
    def at(size):
        matrix = md.baselines.subset_selection(md.Problem(n=n), epsilon, size).matrix
        return sum(variance(matrix, [[int(x in S) for S in combinations(range(n), size)] for x in range(n)], 1 / n))

    assert best_size(n, epsilon) == min(range(1, n), key=at)


# What one does with each of them --------------------------------------------------------------------------------------

EVERY = {**MADE, **METRIC}


def asked(name, n, epsilon):
    return md.LDP(epsilon) if name in MADE else md.MetricDP(epsilon, line(n))


def test_every_mechanism_of_the_module_is_among_them():
    made = {name.partition(",")[0] for name in (*EVERY, *OF_FIGURE)}
    found = {name for name in md.baselines.__all__ if isinstance(made_by(name), md.Mechanism)}
    # Those without a matrix have tests of their own.
    assert found == made | {"local_hashing", "projective_response"}


def made_by(name):
    try:
        return getattr(md.baselines, name)(
            md.Problem(values=[0, 1, 2]), *([1.0, line(3)] if name == "exponential" else [1.0])
        )
    except (TypeError, AttributeError, md.MechdesignError):
        return None


@pytest.mark.parametrize("method", ["likelihood", "unbiased"])
@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("name", EVERY)
def test_expected_counts_give_the_population_back(name, n, method):
    problem = md.Problem(n=n, values=np.arange(n) ** 2)
    # Of two values there are no sets of two but all.
    made = (
        md.baselines.subset_selection(problem, 1.0, 1)
        if (name, n) == ("subset_selection", 2)
        else EVERY[name][0](problem, 1.0)
    )
    assert asked(name, n, 1.0).holds_exactly(made.numerators, md.Problem(n=n))
    for theta in (np.full(n, 1 / n), np.arange(1.0, n + 1) / np.arange(1.0, n + 1).sum(), np.eye(n)[0]):
        law = theta @ made.matrix
        counts = np.round(1e13 * law / law.sum()).astype(np.int64)
        found = made.estimate(counts=counts, method=method)
        assert found.identifiable.all()
        # At a corner of the simplex the likelihood falls to both sides in squares: 1e-12 nats are some 1e-6 of a share.
        near = 1e-5 if theta.min() == 0 and method == "likelihood" else 1e-6
        assert found.frequencies == pytest.approx(theta, abs=near)
        assert found.mean().value == pytest.approx(theta @ np.arange(n) ** 2, abs=20 * near)


@pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")
@pytest.mark.parametrize("name", EVERY)
def test_the_wrong_mechanism_gives_another_population(name):
    made, other = (EVERY[name][0](md.Problem(n=4), epsilon) for epsilon in (1.0, 1.1))
    theta = np.array([0.4, 0.3, 0.2, 0.1])
    counts = np.round(1e13 * theta @ other.matrix).astype(np.int64)
    assert np.abs(made.estimate(counts=counts).frequencies - theta).max() > 1e-3


@pytest.mark.parametrize("name", EVERY)
def test_a_claim_is_judged_of_each_of_them(name):
    problem, notion, objective = md.Problem(prior=np.full(4, 0.25)), asked(name, 4, 1.0), md.MutualInformation()
    row = md.check_claim([problem], notion, objective, lambda p, *_: EVERY[name][0](p, 1.0))
    reached = objective.value(EVERY[name][0](problem, 1.0).matrix, problem)
    best = md.design(problem, notion, objective)
    assert row.points == 1
    assert row.verdict == ("holds" if reached >= best.value * (1 - 1e-6) else "false")


# Wrong variants, each of which a check above has to catch -----------------------------------------------------------

WRONG = {
    "bits set by mistake with 1/e^epsilon": ("unary_encoding, optimised", lambda n: encoding(n, Fraction(1, 2), 1 / E)),
    "symmetric with all of epsilon": ("unary_encoding, symmetric", lambda n: symmetric(n, E, E)),
    "the exponential without the half": ("exponential", lambda n: exponential(n, E, E)),
    "geometric noise cut off, not gathered at the ends": ("geometric", lambda n: [
        [entry / sum(row) for entry in row] for row in [[E ** -abs(x - y) for y in range(n)] for x in range(n)]
    ]),
    "Hadamard rows that share a place": ("hadamard_response", lambda n: hadamard(n + 1, E, E)[1:]),
    "rounding that discloses the ends": ("stochastic_rounding", lambda n: [
        [1 - Fraction(x, n - 1), Fraction(x, n - 1)] for x in range(n)
    ]),
    "sets of another size": ("subset_selection", lambda n: subsets(n, E, E, size=1)),
}  # fmt: skip


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_formula_is_seen(fault):
    name, formula = WRONG[fault]
    n = 5
    made = {**MADE, **METRIC, **OF_FIGURE}[name][0](md.Problem(n=n), EPSILON).matrix
    wrong = np.array([[float(entry) for entry in row] for row in formula(n)])
    assert wrong.shape != made.shape or np.abs(wrong - made).max() > 1e-3


def test_rounding_to_the_nearest_would_not_be_private():
    private = []
    for epsilon in (0.3, 0.5, 1.0, 1.7):
        rows = np.array(optimised(4, math.exp(epsilon), None), dtype=float)
        nearest = np.round(np.ldexp(rows, 53)).astype(np.int64)
        nearest[:, 0] += 2**53 - nearest.sum(axis=1)
        private.append(md.LDP(epsilon).holds_exactly(nearest, md.Problem(n=4)))
    assert not any(private)


# Bad input, names, and what one does with them ------------------------------------------------------------------------


def test_outputs_are_named_by_labels():
    problem = md.Problem(prior=[0.2, 0.3, 0.5], labels=["no", "yes", "maybe"])
    known = md.baselines
    assert known.randomised_response(problem, 1.0).outputs == ("no", "yes", "maybe")
    assert known.subset_selection(problem, 1.0, 2).outputs == ("{no, yes}", "{no, maybe}", "{yes, maybe}")
    assert known.unary_encoding(problem, 1.0).outputs[:3] == ("000", "100", "010")
    assert known.geometric(problem, 1.0).inputs == problem


@pytest.mark.parametrize("name", [*MADE, *METRIC])
def test_what_is_out_of_range_is_refused(name):
    make = {**MADE, **METRIC}[name][0]
    for epsilon in (-1.0, math.nan, math.inf, "1", None):
        with pytest.raises(md.DomainError, match=r"^epsilon is"):
            make(md.Problem(n=3), epsilon)
    if name != "exponential":
        with pytest.raises(md.DomainError, match=r"^problem is"):
            make([0.5, 0.5], 1.0)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda p: md.baselines.unary_encoding(p(30), 0.0), "epsilon is 0.0, but at 0 reports say nothing"),
        (lambda p: md.baselines.geometric(p(20_000), 1.0), r"geometric mechanism then .* takes about 32 GB"),
        (lambda p: md.baselines.subset_selection(p(74), 0.0), "epsilon is 0.0, but at 0 reports say nothing"),
        (lambda p: md.baselines.subset_selection(p(2000), 1.0, 3), "size is 3, but .* hold 1 of 256 .* about 8"),
        (lambda p: md.baselines.subset_selection(p(2**27 + 1), 1.0), "sets without a matrix are of at most"),
        (lambda p: md.baselines.subset_selection(p(3), 1.0, 4), "size is 4, but a set of all inputs reveals nothing"),
        (lambda p: md.baselines.subset_selection(p(3), 1.0, 0), "size is 0"),
        (lambda p: md.baselines.unary_encoding(p(3), 1.0, optimised=1), "optimised is 1"),
        (lambda p: md.baselines.unary_encoding(p(3), 40.0), "epsilon is 40.0, but .* lost by rounding"),
        (lambda p: md.baselines.geometric(p(9), 1e-12), "epsilon is 1e-12, but times the least distance"),
        (lambda p: md.baselines.exponential(p(3), 1.0, line(4)), "distance is of shape"),
        (lambda p: md.baselines.exponential(p(2), 1.0, [[0, 1], [2, 0]]), "distance"),
    ],
)
def test_what_cannot_be_made_is_said(ask, said):
    with pytest.raises(md.DomainError, match=said):
        ask(lambda n: md.Problem(n=n))


def test_known_mechanisms_stop_at_the_size_at_which_designs_do(monkeypatch):
    problem = md.Problem(prior=np.full(1500, 1 / 1500))
    assert md.baselines.randomised_response(problem, 1.0).matrix.shape == (1500, 1500)
    monkeypatch.setattr("mechdesign.runtime.memory.MEMORY", 32e6)
    refused = "the limit where no memory_limit is given"
    with pytest.raises(md.UnsupportedError, match=refused):
        np.asarray(md.baselines.randomised_response(problem, 1.0).matrix)
    with pytest.raises(md.UnsupportedError, match=refused):
        md.design(problem, md.LDP(1.0), md.MutualInformation())


def test_a_claim_may_be_a_known_mechanism():
    def claimed(problem, notion, objective):
        return md.baselines.randomised_response(problem, notion.epsilon)

    # At epsilon 4 and four values k-ary response is optimal, subsets of two are not.
    asked = [md.Problem(prior=np.full(4, 0.25))], md.LDP(4.0), md.MutualInformation()
    row = md.check_claim(*asked, claimed)
    assert row.verdict == "holds" and row.points == 1
    wrong = md.check_claim(*asked, lambda p, notion, o: md.baselines.subset_selection(p, notion.epsilon, 2))
    assert wrong.verdict == "false"


def test_the_exponential_mechanism_at_level_0_tells_only_what_an_infinite_distance_tells():
    apart = [[0.0, 1.0, np.inf], [1.0, 0.0, np.inf], [np.inf, np.inf, 0.0]]
    made = md.baselines.exponential(md.Problem(n=3), 0.0, apart)
    assert made.matrix.tolist() == [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
