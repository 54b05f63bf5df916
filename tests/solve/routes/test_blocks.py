"""Frequencies of more categories than rays can be listed for: private, as good as promised, never refused."""

import math
import warnings

import numpy as np
import pytest
from scipy.linalg import null_space

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.certificate.reference_frequencies import least_by_reference, of_reference
from mechdesign.solve.routes import blocks
from mechdesign.solve.search import shifted_sets
from mechdesign.solve.search.cyclic_blocks import flat_blocks, shifts
from mechdesign.solve.search.reference_frequencies import best_reference
from mechdesign.solve.task import Task
from mechdesign.testing.clock import CountingClock


def quietly(*asked, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(*asked, **more)


def variance(matrix, theta):
    """Return the sum of the variances by its definition: the inverse of the information on vectors of sum zero."""
    basis = null_space(np.ones((1, len(theta))))
    return float(np.trace(np.linalg.inv(basis.T @ (matrix / (theta @ matrix)) @ matrix.T @ basis)))


def least_at_equal(n, epsilon):
    """Return the optimum at equal frequencies, as Ye and Barg print it: subset selection of the best size."""
    E = math.exp(epsilon)
    return min((n - 1) ** 2 * (k * E + n - k) ** 2 / (n * k * (n - k) * (E - 1) ** 2) for k in range(1, n))


@pytest.mark.thinned(5)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("n", [24, 50, 100, 300])
def test_equal_frequencies_are_within_half_a_percent_of_the_optimum(n, epsilon):
    made = quietly(md.Problem(prior=np.full(n, 1 / n)), md.LDP(epsilon), md.InformationDesign("A"))
    assert made.route == "blocks" and made.audit.holds and made.gap <= 5e-3
    assert made.value == pytest.approx(variance(made.matrix, np.full(n, 1 / n)), rel=1e-9)
    assert made.bound == pytest.approx(least_at_equal(n, epsilon), rel=1e-9)
    assert made.bound <= least_at_equal(n, epsilon) <= made.value


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_a_thousand_categories_are_within_half_a_percent_of_the_optimum(epsilon):
    made = quietly(md.Problem(n=1000), md.LDP(epsilon), md.InformationDesign("A"))
    assert made.audit.holds and made.gap <= 5e-3 and made.matrix.shape[1] <= 12_000


@pytest.mark.thinned(40)
@pytest.mark.parametrize("criterion", ["A", "D", "E"])
@pytest.mark.parametrize(
    "notion",
    [
        md.LDP(1.0),
        md.LIP(1.0),
        md.MaxLift(0.5),
        md.LDP(1.5) & md.LIP(0.8),
        md.BoundedPriorLIP(1.0, [0.0] * 30, [1.0] * 30),
    ],
    ids=lambda notion: type(notion).__name__,
)
def test_other_notions_and_criteria_have_a_private_mechanism_and_a_true_bound(notion, criterion):
    theta = np.random.default_rng(3).dirichlet(np.full(30, 2.0))
    objective = md.InformationDesign(criterion)
    made = quietly(md.Problem(prior=theta), notion, objective)
    assert made.audit.holds and made.bound <= made.value < math.inf
    # No worse than randomised response and subset selection at the level of LDP that each of these notions allows.
    level = min(getattr(part, "epsilon", math.inf) for part in notion.parts())
    for known in (md.baselines.hadamard_response, md.baselines.randomised_response):
        Q = known(md.Problem(n=30), level).matrix
        if notion.level(Q, notion.inputs(md.Problem(prior=theta))).excess(notion) <= 0:
            assert made.value <= objective.value(Q, md.Problem(prior=theta)) * (1 + 1e-9)


def test_sets_of_a_ratio_beyond_e_to_the_epsilon_are_found_under_lip():
    theta = np.full(60, 1 / 60)
    lip = quietly(md.Problem(prior=theta), md.LIP(1.0), md.InformationDesign("A"))
    ldp = quietly(md.Problem(prior=theta), md.LDP(1.0), md.InformationDesign("A"))
    assert lip.value < 0.3 * ldp.value and lip.gap < 0.02


@pytest.mark.slow
def test_unequal_frequencies_have_a_bound_that_holds_for_them():
    theta = 1.0 / np.arange(1, 41)
    made = quietly(md.Problem(prior=theta / theta.sum()), md.LDP(0.5), md.InformationDesign("A"))
    assert made.value == pytest.approx(variance(made.matrix, theta / theta.sum()), rel=1e-9)
    assert made.bound <= made.value and made.gap < 0.04


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("n", [12, 13, 16])
def test_equal_frequencies_are_subset_selection_where_its_sets_are_few(n, epsilon):
    least = least_at_equal(n, epsilon)
    values = {"A": least, "D": (n - 1) * math.log(least / (n - 1)), "E": least / (n - 1)}
    for criterion, value in values.items():
        made = md.design(md.Problem(n=n), md.LDP(epsilon), md.InformationDesign(criterion))
        assert made.route == "blocks" and "all sets of" in made.note and made.audit.holds
        assert made.value == pytest.approx(value, rel=1e-9) and made.gap <= 1e-8
        counts = np.unique((made.matrix > made.matrix.min() * 1.01).sum(axis=0))
        assert len(counts) == 1 and made.matrix.shape[1] == math.comb(n, int(counts[0]))
    program = md.design(md.Problem(n=12), md.LDP(epsilon), md.InformationDesign("A"), route="weights")
    assert program.value == pytest.approx(least_at_equal(12, epsilon), rel=1e-6)


@pytest.mark.parametrize(
    ("problem", "notion", "objective", "keywords"),
    [
        (md.Problem(n=11), md.LDP(1.0), md.InformationDesign("A"), {}),
        (md.Problem(prior=[0.2, *[0.8 / 12] * 12]), md.LDP(1.0), md.InformationDesign("A"), {}),
        (md.Problem(n=13), md.LDP(1.0), md.InformationDesign("A", weights=range(1, 14)), {}),
        (md.Problem(n=13), md.LDP(1.0) & md.MaxLift(0.5), md.InformationDesign("A"), {}),
        (md.Problem(n=13), md.LDP(1.0), md.InformationDesign("A"), {"outputs": 714}),
        (md.Problem(n=24), md.LDP(1.0), md.InformationDesign("A"), {}),
        (md.Problem(n=13), md.LDP(1.0), md.MutualInformation(), {}),
    ],
)
def test_other_questions_are_not_those_of_subset_selection(problem, notion, objective, keywords):
    if problem.prior is None and not isinstance(notion, md.LDP):
        problem = md.Problem(prior=[1 / problem.n] * problem.n)
    task = Task(problem, notion, objective, keywords.get("outputs"))
    assert not blocks.has_all_sets(task) and blocks.first_of_all(task) is None


def test_what_is_returned_instead_of_the_route_s_own_is_named():
    made = quietly(md.Problem(n=30), md.LDP(2.0), md.InformationDesign("A"))
    assert made.matrix.shape[1] == math.comb(30, 4) > shifted_sets.MOST_OF_ALL
    assert "subset selection of 4, which is better than 12 sets of 4 inputs" in str(made.why)
    own = quietly(md.Problem(n=100), md.LDP(2.0), md.InformationDesign("A"))
    assert "better than" not in str(own.why) and "12 sets of 12 inputs" in str(own.why)


def test_without_a_prior_frequencies_are_taken_as_equal_and_that_is_said():
    free = quietly(md.Problem(n=26), md.LDP(1.0), md.InformationDesign("A"))
    given = quietly(md.Problem(prior=np.full(26, 1 / 26)), md.LDP(1.0), md.InformationDesign("A"))
    assert free.value == given.value and "Frequencies: taken as equal" in str(free)
    assert "taken as equal" not in str(given)
    small = md.design(md.Problem(n=5), md.LDP(1.0), md.InformationDesign("D"))
    assert small.value == md.design(md.Problem(prior=[0.2] * 5), md.LDP(1.0), md.InformationDesign("D")).value


@pytest.mark.slow
def test_a_hidden_secret_is_kept_by_the_sets_that_are_returned():
    rng = np.random.default_rng(2)
    problem = md.Problem(n=24, prior=None).hidden(
        data_given_secret=rng.dirichlet(np.ones(24), size=3), secret_prior=[0.2, 0.3, 0.5]
    )
    asked = Task(problem, md.LDP(0.5), md.InformationDesign("A"))
    found = blocks.ROUTE.solve(asked)
    assert md.LDP(0.5).level(found.matrix, problem).value <= 0.5 * (1 + 1e-9)
    # More may be told of the data than of the secret behind them.
    plain = quietly(md.Problem(n=24), md.LDP(0.5), md.InformationDesign("A"))
    assert quietly(problem, md.LDP(0.5), md.InformationDesign("A", theta=np.full(24, 1 / 24))).value < plain.value


def test_so_many_outputs_as_are_allowed():
    made = quietly(md.Problem(n=25), md.LDP(1.0), md.InformationDesign("A"), outputs=80)
    assert made.matrix.shape[1] <= 80 and made.gap < 0.1
    with pytest.raises(md.UnsupportedError, match="with fewer outputs than the 25 inputs"):
        md.design(md.Problem(n=25), md.LDP(1.0), md.InformationDesign("A"), outputs=20)


def test_a_file_is_derived_again(tmp_path):
    made = quietly(md.Problem(n=30, labels=map(str, range(30))), md.LDP(1.0), md.InformationDesign("A"))
    again = md.load(made.mechanism.save(tmp_path / "made.mechanism.json"))
    assert again.claimed.bound == made.bound and np.array_equal(again.matrix, made.matrix)


@pytest.mark.parametrize("size", [2, 9, 21])
def test_the_ratio_under_lifts_is_the_largest_that_is_private(size):
    prior = np.random.default_rng(0).dirichlet(np.full(30, 3.0))
    problem, notion = md.Problem(prior=prior), md.LIP(0.8)
    chosen = np.random.default_rng(1).permutation(30)[None, :] < size
    ratio = shifted_sets.largest_ratio(Task(problem, notion, md.InformationDesign("A")), chosen)
    made = (shifted_sets.matrix_of(shifts(chosen), r) for r in (ratio, ratio * 1.001))
    inside, beyond = (notion.level(matrix, problem).value for matrix in made)
    assert inside <= 0.8 * (1 + 1e-9) < beyond


@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_sets_that_were_not_tried_are_not_called_indistinguishable(limit):
    """Found by the slow tests: without time the design was refused, as if no frequencies could be estimated."""
    notion = md.PairwiseLDP([[0, 1, 1, 1], [0.5, 0, 1, 1], [0.5, 0.5, 0, 1], [0.5, 0.5, 0.5, 0]])
    with warnings.catch_warnings(), reading(CountingClock()):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(md.Problem(n=4), notion, md.InformationDesign("A"), time_limit=limit)
    assert made.audit.holds and np.isfinite(made.value)


def test_inputs_that_nobody_may_distinguish_are_named():
    """Found by the adversary: it once ended as a failed solver, which another solver would not have mended."""
    apart = [[0.0, 2.0, 0.0, 0.0], [2.0, 0.0, 2.0, 2.0], [0.0, 2.0, 0.0, 0.5], [0.0, 2.0, 0.5, 0.0]]
    notion = md.MetricDP(0.5, apart) & md.SibsonLeakage(0.4, 1.5)
    with pytest.raises(md.UnsupportedError, match="that nobody may distinguish have no frequencies"):
        md.design(md.Problem(prior=[0.3, 0.15, 0.075, 0.475]), notion, md.InformationDesign("D"))


@pytest.mark.parametrize(("n", "epsilon", "gap"), [(260, 0.5, 1e-3), (300, 2.0, 2e-2), (1000, 1.0, 1e-2)])
def test_unequal_frequencies_of_hundreds_are_near_their_bound(n, epsilon, gap):
    theta = 1.0 / np.arange(1.0, n + 1.0)
    made = md.design(md.Problem(prior=theta / theta.sum()), md.LDP(epsilon), md.InformationDesign("A"), gap=gap)
    assert made.route == "blocks" and made.gap <= gap and made.audit.holds


@pytest.mark.parametrize("route", ["blocks", "drawn"])
def test_an_input_with_more_than_the_share_of_a_set_is_bounded_by_its_own_form(route):
    """Found by a reviewer: bounds by frequent inputs themselves were thrown away where time was short."""
    theta = np.maximum(np.random.default_rng(30).dirichlet(np.full(30, 0.4)), 1e-5)
    problem, objective = md.Problem(prior=theta / theta.sum()), md.InformationDesign("A")
    found = of_reference(best_reference(objective, problem, 4.0).nu, 4.0)
    alone = least_by_reference(md.LDP(4.0), objective, problem, found.packed())
    made = quietly(problem, md.LDP(4.0), objective, gap=0.3, route=route)
    assert made.bound > 1.2 * alone[0]


@pytest.mark.parametrize(("first", "last"), [(3, 30), (7, 7), (5, 40)])
def test_sets_beside_others_have_a_small_trace(first, last, rng):
    """Against the Gram matrix of all shifts of both."""
    count, loads = 6, rng.random(6) + 0.5
    lengths = (first, first * max(1, last // first))
    later = flat_blocks(lengths[1], np.full(count, lengths[1] // 3), loads)
    earlier = flat_blocks(lengths[0], np.full(count, lengths[0] // 2), loads, beside=[later])

    def trace(sets):
        turned = [(np.arange(n)[:, None] - np.arange(lengths[1])) % n for n in lengths]
        columns = np.hstack([np.vstack([a[turned[0]], b[turned[1]]]) for a, b in zip(*sets, strict=True)])
        centred = [
            null_space(np.ones((1, n))).T @ columns[i : i + n] for i, n in ((0, lengths[0]), (lengths[0], lengths[1]))
        ]
        seen = np.vstack(centred) * np.repeat(np.sqrt(loads), lengths[1])
        return float(np.trace(np.linalg.pinv(seen @ seen.T)))

    alone = flat_blocks(lengths[0], np.full(count, lengths[0] // 2), loads)
    assert trace((earlier, later)) <= trace((alone, later)) * (1 + 1e-6)
