"""Workloads of linear queries: exact optima of few inputs, certified designs of many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mechdesign as md


def total_variance(matrix, queries):
    """The sum of the queries' variances at equal frequencies, from the definition."""
    n = len(matrix)
    theta = np.full(n, 1.0 / n)
    information = (matrix / (theta @ matrix)) @ matrix.T
    basis = np.linalg.svd(np.eye(n) - 1.0 / n)[0][:, : n - 1]
    covariance = basis @ np.linalg.inv(basis.T @ information @ basis) @ basis.T
    return float(np.trace(queries @ covariance @ queries.T))


def all_columns(n, epsilon):
    sets = np.array(list(itertools.product([0.0, 1.0], repeat=n)))[1:-1]
    return 1.0 + np.expm1(epsilon) * sets.T


def optimum_by_descent(queries, epsilon):
    """The least total variance over all subset columns, by multiplicative steps: a route of its own."""
    n = queries.shape[1]
    columns = all_columns(n, epsilon)
    mass = columns.mean(axis=0)
    weights = np.full(columns.shape[1], 1.0 / columns.sum(axis=1).mean())
    basis = np.linalg.svd(np.eye(n) - 1.0 / n)[0][:, : n - 1]
    scaled = basis.T @ columns / np.sqrt(mass)
    loading = basis.T @ queries.T @ queries @ basis
    for _ in range(20000):
        inverse = np.linalg.inv((scaled * weights) @ scaled.T)
        gain = np.einsum("ir,ir->r", scaled, inverse @ loading @ inverse @ scaled)
        # Uniform rows by symmetry of the queries used here: only the total mass is kept.
        weights *= np.sqrt(gain / mass)
        weights /= weights @ mass
    return float(np.trace(loading @ np.linalg.inv((scaled * weights) @ scaled.T)))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_histogram_is_the_block_design(epsilon):
    n, ratio = 10, np.exp(epsilon)
    k = np.arange(1, n)
    most = (n * (ratio - 1) ** 2 * k * (n - k) / (k * ratio + n - k) ** 2).max()
    made = md.design(md.Problem(n=n), md.LDP(epsilon), md.InformationDesign("A", queries=np.eye(n)))
    assert made.value == pytest.approx((n - 1) ** 2 / most, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_a_circle_of_queries_is_solved_by_another_route(epsilon):
    n = 6
    # Every half of a circle: all rotations leave the workload as it is, so that rows sum to one by symmetry.
    queries = np.array([np.roll([1.0] * (n // 2) + [0.0] * (n - n // 2), k) for k in range(n)]) + 0.1 * np.eye(n)
    made = md.design(md.Problem(n=n), md.LDP(epsilon), md.InformationDesign("A", queries=queries))
    assert made.value == pytest.approx(optimum_by_descent(queries, epsilon), rel=1e-4)
    assert made.value == pytest.approx(total_variance(made.matrix, queries), rel=1e-9)


@pytest.mark.parametrize("n", [5, 9])
def test_few_inputs_are_exact_and_better_than_all_frequencies(n):
    queries = md.queries.prefix(n)
    made = md.design(md.Problem(n=n), md.LDP(1.0), md.InformationDesign("A", queries=queries))
    assert made.gap <= 1e-6 and made.audit.holds
    of_all = md.design(md.Problem(n=n), md.LDP(1.0), md.InformationDesign("A"))
    assert made.value < total_variance(of_all.matrix, queries)


@pytest.mark.parametrize(("epsilon", "gap"), [(0.5, 5e-3), (1.0, 5e-3)])
def test_prefix_sums_of_many_inputs_are_certified(epsilon, gap):
    queries = md.queries.prefix(32)
    made = md.design(md.Problem(n=32), md.LDP(epsilon), md.InformationDesign("A", queries=queries), gap=gap)
    assert made.gap <= gap and made.route == "drawn"
    assert made.value == pytest.approx(total_variance(made.matrix, queries), rel=1e-8)


def test_marginals_of_binary_questions():
    """At eps = 1 two families of sets are within 1e-3 of the bound, and z is the same for everybody."""
    queries = md.queries.marginals([2] * 4, 2)
    made = md.design(md.Problem(n=16), md.LDP(1.0), md.InformationDesign("A", queries=queries), gap=1e-3)
    assert made.gap <= 1e-3
    of_all = md.design(md.Problem(n=16), md.LDP(1.0), md.InformationDesign("A"), gap=1e-2)
    assert total_variance(of_all.matrix, queries) > 1.5 * made.value


def test_queries_are_labelled_saved_and_loaded(tmp_path):
    import pandas as pd

    table = pd.DataFrame([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], columns=["c", "a", "b"], index=["first", "second"])
    problem = md.Problem(labels=["a", "b", "c"])
    made = md.design(problem, md.LDP(1.0), md.InformationDesign("A", queries=table))
    plain = md.design(problem, md.LDP(1.0), md.InformationDesign("A", queries=[[0, 0, 1], [1, 0, 1]]))
    assert made.value == pytest.approx(plain.value, rel=1e-9)
    assert md.load(made.mechanism.save(tmp_path / "w.json")) == made.mechanism


@pytest.mark.parametrize("word", ["prefix", "ranges"])
def test_a_word_is_its_workload(word, tmp_path):
    problem = md.Problem(prior=[0.3, 0.1, 0.2, 0.4])
    objective = md.InformationDesign("A", queries=word)
    made = md.design(problem, md.LDP(1.0), objective)
    written = md.InformationDesign("A", queries=getattr(md.queries, word)(4))
    assert made.value == md.design(problem, md.LDP(1.0), written).value
    assert md.load(made.mechanism.save(tmp_path / "m.json")).asked.objective == objective
    assert objective.check(md.Problem(n=9)) is None


@pytest.mark.parametrize("n", [4, 30])
def test_one_query_is_a_figure(n):
    """The same question under another name: queries of which one is not constant, and the criterion c."""
    problem, figure = md.Problem(n=n), np.arange(n) ** 1.5
    of_query = md.design(problem, md.LDP(1.0), md.InformationDesign("A", queries=[figure, np.ones(n)]))
    of_figure = md.design(problem, md.LDP(1.0), md.InformationDesign("c", direction=figure))
    assert (of_query.value, of_query.bound) == (of_figure.value, of_figure.bound)
    assert of_query.route == of_figure.route == "scores"


def largest_of_queries(matrix, queries):
    """The largest variance of a query at equal frequencies, from the definition."""
    return max(total_variance(matrix, query[None, :]) for query in queries)


@pytest.mark.parametrize(("n", "word"), [(4, "prefix"), (6, "ranges")])
def test_the_largest_variance_of_a_query(n, word):
    queries = getattr(md.queries, word)(n)
    problem, worst = md.Problem(n=n), md.InformationDesign("worst", queries=word)
    made = md.design(problem, md.LDP(1.0), worst, gap=1e-5)
    assert made.gap <= 1e-5 and made.value == pytest.approx(largest_of_queries(made.matrix, queries), rel=1e-8)
    of_sum = md.design(problem, md.LDP(1.0), md.InformationDesign("A", queries=word))
    assert made.value < largest_of_queries(of_sum.matrix, queries)
    # No mean of the variances is above their largest one, whatever its weights are.
    for shares in (np.ones(len(queries)), np.arange(1.0, len(queries) + 1)):
        rows = queries * np.sqrt(shares / shares.sum())[:, None]
        mean = md.design(problem, md.LDP(1.0), md.InformationDesign("A", queries=rows))
        assert mean.bound <= made.value


def test_two_queries_of_two_inputs_are_the_response_of_warner():
    made = md.design(md.Problem(n=2), md.LDP(1.0), md.InformationDesign("worst", queries=[[0.0, 1.0], [3.0, 0.0]]))
    sure = np.e / (1.0 + np.e)
    assert made.value == pytest.approx(9.0 / 4.0 / (2.0 * sure - 1.0) ** 2, rel=1e-8)


@pytest.mark.parametrize("criterion", ["E", "worst"])
def test_the_largest_variance_is_certified_by_drawn_columns(criterion):
    n, queries = 12, md.queries.ranges(12)
    asked = md.InformationDesign(criterion, queries=queries)
    exact = md.design(md.Problem(n=n), md.LDP(1.0), asked, route="weights", gap=1e-4)
    drawn = md.design(md.Problem(n=n), md.LDP(1.0), asked, route="drawn", gap=0.06)
    assert exact.gap <= 1e-4 and drawn.bound <= exact.value and exact.bound <= drawn.value
    assert drawn.value <= 1.03 * exact.value


def test_the_largest_variance_of_a_frequency_is_that_of_each_if_all_are_alike():
    for n in (6, 20, 5_000):
        found = {
            name: md.design(md.Problem(n=n), md.LDP(1.0), md.InformationDesign(name), gap=0.01)
            for name in ("A", "worst")
        }
        assert found["worst"].value == pytest.approx(found["A"].value / n, rel=1e-6)
        assert found["worst"].bound == pytest.approx(found["A"].bound / n, rel=1e-6)


def test_the_largest_variance_of_a_frequency_of_a_skewed_population():
    problem = md.Problem(prior=[0.6, 0.2, 0.1, 0.06, 0.04])
    made = md.design(problem, md.LDP(1.0), md.InformationDesign("worst"))
    of_sum = md.design(problem, md.LDP(1.0), md.InformationDesign("A"))
    worst = md.InformationDesign("worst")
    assert made.gap <= 1e-6 and made.value < worst.value(of_sum.matrix, problem)
    variances = [md.InformationDesign("c", direction=row).value(made.matrix, problem) for row in np.eye(5)]
    assert made.value == pytest.approx(max(variances), rel=1e-9)


def largest_combination(matrix, queries):
    """The largest variance of a combination of queries of length one, at equal frequencies, from the definition."""
    n = len(matrix)
    theta = np.full(n, 1.0 / n)
    information = (matrix / (theta @ matrix)) @ matrix.T
    basis = np.linalg.svd(np.eye(n) - 1.0 / n)[0][:, : n - 1]
    covariance = basis @ np.linalg.inv(basis.T @ information @ basis) @ basis.T
    return float(np.linalg.eigvalsh(queries @ covariance @ queries.T)[-1])


@pytest.mark.parametrize("n", [4, 7])
def test_the_largest_variance_of_combinations_of_queries(n):
    queries = md.queries.prefix(n)
    problem, worst = md.Problem(n=n), md.InformationDesign("E", queries=queries)
    made = md.design(problem, md.LDP(1.0), worst)
    assert made.gap <= 1e-6 and made.value == pytest.approx(largest_combination(made.matrix, queries), rel=1e-8)
    of_sum = md.design(problem, md.LDP(1.0), md.InformationDesign("A", queries=queries))
    assert made.value < largest_combination(of_sum.matrix, queries)
    assert of_sum.value < total_variance(made.matrix, queries)


def test_the_largest_variance_of_all_frequencies_is_a_workload_too():
    problem = md.Problem(prior=[0.5, 0.2, 0.2, 0.1])
    plain = md.design(problem, md.LDP(1.0), md.InformationDesign("E"))
    asked = md.design(problem, md.LDP(1.0), md.InformationDesign("E", queries=np.eye(4)))
    assert asked.value == pytest.approx(plain.value, rel=2e-6)
    assert asked.bound == pytest.approx(plain.bound, rel=2e-6)


def test_queries_are_estimable_though_some_frequency_is_not():
    matrix = np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
    of_queries = md.InformationDesign("A", queries=[[0.0, 1.0, 0.5], [2.0, 0.0, 1.0]])
    # Each report estimates the share of "y1" without bias: (y - 1/4) / (1/2), with variance 1 at equal frequencies.
    assert of_queries.value(matrix, md.Problem(n=3)) == pytest.approx(1.0 + 4.0)
    assert md.InformationDesign("A", queries=np.eye(3)).value(matrix, md.Problem(n=3)) == np.inf


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: md.InformationDesign("A", queries=[[1.0, 1.0], [2.0, 2.0]]), "constant rows alone"),
        (lambda: md.InformationDesign("D", queries=[[1.0, 0.0]]), "the criterion D has none"),
        (lambda: md.InformationDesign("A", weights=[1, 1], queries=[[1.0, 0.0]]), "given beside queries"),
        (lambda: md.InformationDesign("A", queries=[[1.0, float("nan")]]), "nan"),
        (
            lambda: md.design(md.Problem(n=3), md.LDP(1.0), md.InformationDesign("A", queries=[[1.0, 0.0]])),
            "a column for each of 3 inputs",
        ),
        (lambda: md.InformationDesign("A", queries="prefixes"), 'did you mean "prefix"'),
        (lambda: md.queries.prefix(1), "n is 1"),
        (lambda: md.queries.marginals([2, 1], 1), r"sizes\[1\] is 1"),
        (lambda: md.queries.marginals([2, 2], 3), "there are 2 attributes"),
        (lambda: md.queries.marginals([], 1), "there has to be an attribute"),
        (lambda: md.queries.bands([1, 2], [1, 1]), "they have to increase"),
        (lambda: md.queries.bands([1, 5], [1, 2, 3, 6]), r"edges\[1\] is 2\.0"),
    ],
)
def test_bad_workloads_are_refused(asked, said):
    with pytest.raises(md.DomainError, match=said):
        asked()


def test_workloads_are_what_they_are_called():
    frequencies = np.random.default_rng(3).dirichlet(np.ones(12))
    assert np.allclose(md.queries.prefix(12) @ frequencies, np.cumsum(frequencies))
    found = md.queries.ranges(4) @ frequencies[:4]
    each = [frequencies[a : b + 1].sum() for a in range(4) for b in range(a, 4)]
    assert np.allclose(found, each)
    table = frequencies.reshape(2, 3, 2)
    both = md.queries.marginals([2, 3, 2], 2) @ frequencies
    singles = [table.sum(axis=(1, 2)), table.sum(axis=(0, 2)), table.sum(axis=(0, 1))]
    pairs = [table.sum(axis=2).ravel(), table.sum(axis=1).ravel(), table.sum(axis=0).ravel()]
    assert np.allclose(both, np.concatenate([*singles, *pairs]))
    assert md.queries.bands([1, 2, 3, 4], [1, 3, 4]).tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]
