"""Estimates are proved, refuse what reports do not tell, and their intervals hold the truth as often as they say."""

from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.estimation.identifiability import rank_of
from mechdesign.estimation.likelihood import certified_gap, expectation_maximisation, likeliest
from mechdesign.testing.estimator_contract import log_likelihood, populations, response
from mechdesign.testing.sampler_contract import rows_over

#: Of reports that are drawn at random, or of no population.
ANY_REPORTS = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

SURVEY = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0.0, 1.0, 2.0, 5.0], labels=["a", "b", "c", "d"])


def mechanism_of(matrix, problem=None):
    return md.Mechanism(matrix, [str(y) for y in range(np.shape(matrix)[1])], problem=problem)


@pytest.fixture(scope="module")
def design():
    return md.design(SURVEY, md.LDP(1.0), md.InformationDesign("A")).mechanism


def test_answers_come_back_near_the_truth(design, rng):
    theta = np.array([0.4, 0.3, 0.2, 0.1])
    reports = design.simulate(rng.choice(SURVEY.labels, 200_000, p=theta), rng)
    for method in ("likelihood", "unbiased"):
        answer = design.estimate(reports, method=method)
        away = (answer.frequencies - theta) / np.sqrt(np.diag(answer.covariance))
        assert np.abs(away).max() < 4.5 and abs(answer.frequencies.sum() - 1) < 1e-12
        mean = answer.mean()
        assert abs(mean.value - theta @ SURVEY.values) < 4.5 * mean.standard_error
        assert answer.reports == 200_000 and answer.gap * 200_000 <= 1e-5


@ANY_REPORTS
@pytest.mark.slow
def test_the_covariance_is_that_of_estimates(design, rng):
    theta = np.array([0.25, 0.35, 0.25, 0.15])
    law = theta @ design.matrix
    found = [
        design.estimate(counts=counts, method="unbiased")
        for counts in rng.multinomial(20_000, law / law.sum(), size=2000)
    ]
    spread = np.cov(np.array([answer.frequencies for answer in found]).T)
    assert np.abs(spread / found[0].covariance - 1).max() < 0.2
    direction = md.InformationDesign("A", theta=theta).value(design.matrix, SURVEY)
    assert np.trace(found[0].covariance) * 20_000 == pytest.approx(direction, rel=0.05)


@ANY_REPORTS
def test_reports_counts_and_shapes_are_one(design, rng):
    reports = rng.integers(design.matrix.shape[1], size=(50, 4))
    counts = np.bincount(reports.reshape(-1), minlength=design.matrix.shape[1])
    first, second = design.estimate(reports), design.estimate(counts=counts.astype(float))
    assert np.array_equal(first.frequencies, second.frequencies)
    assert np.array_equal(first.interval(), second.interval())


def test_the_gap_is_of_newton_where_em_is_far_away(rng):
    n = 50
    matrix = np.exp(np.eye(n))
    matrix /= matrix.sum(axis=1, keepdims=True)
    shares = rng.multinomial(20_000, rng.dirichlet(np.full(n, 0.3)) @ matrix) / 20_000
    slow = expectation_maximisation(matrix, shares, 100)
    found = likeliest(matrix, shares, 1e-11)
    assert certified_gap(matrix, shares, slow) > 1e-5
    assert found.gap <= 1e-11
    long = expectation_maximisation(matrix, shares, 20_000)
    assert log_likelihood(matrix, shares, long) <= log_likelihood(matrix, shares, found.theta) + found.gap
    assert log_likelihood(matrix, shares, slow) < log_likelihood(matrix, shares, found.theta)


@ANY_REPORTS
@pytest.mark.parametrize("reports", [3, 200, 10**6])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_likeliest_population_under_randomised_response_has_a_closed_form(epsilon, reports, rng):
    for n in (2, 3, 10, 60):
        answer = md.baselines.randomised_response(md.Problem(n=n), epsilon)
        counts = rng.multinomial(reports, rng.dirichlet(np.full(n, 0.3)))
        # Stationary where theta_x > 0: the share of x is proportional to theta_x + 1 / (e^epsilon - 1).
        shares, base = counts / reports, 1.0 / np.expm1(epsilon)
        falling = np.sort(shares)[::-1]
        scales = (1.0 + base * np.arange(1, n + 1)) / np.cumsum(falling)
        kept = np.flatnonzero(falling * scales > base).max()
        theta = np.maximum(shares * scales[kept] - base, 0.0)
        assert theta.sum() == pytest.approx(1.0, abs=1e-12)
        found = answer.estimate(counts=counts, method="likelihood").frequencies
        assert np.abs(found - theta).max() <= 1e-5, "that of Pinzon et al. 2026, derived anew"
        assert certified_gap(answer.matrix, shares, theta) <= 1e-9


@pytest.mark.parametrize("reports", [1, 20, 10**6, 10**12])
def test_the_likelihood_is_reached_on_every_kind_of_matrix(reports, rng):
    for _ in range(30):
        n, m = (int(k) for k in rng.integers(2, 25, size=2))
        matrix = rows_over(2**53, n, m, rng) / 2.0**53
        shares = rng.multinomial(reports, rng.dirichlet(np.full(n, 0.2)) @ matrix) / reports
        assert likeliest(matrix, shares, 1e-12).gap <= 1e-11


def test_the_identity_has_wilsons_intervals():
    n, counts = 4, np.array([700, 250, 50, 0])
    answer = mechanism_of(np.eye(n)).estimate(counts=counts)
    assert answer.frequencies == pytest.approx(counts / 1000, abs=1e-12)
    z, total, share = 1.959963984540054, 1000, counts / 1000
    half = z / (1 + z**2 / total) * np.sqrt(share * (1 - share) / total + z**2 / (4 * total**2))
    centre = (share + z**2 / (2 * total)) / (1 + z**2 / total)
    # Half a report of each input, in the law at which variances are taken, moves nothing here.
    assert answer.interval(0.95) == pytest.approx(np.column_stack([centre - half, centre + half]), abs=1e-9)


def test_two_outputs_have_exact_intervals():
    answer = response(2, 1.0).estimate(counts=[1300, 700])
    low, high = clopper_pearson(700, 2000, 0.05)
    matrix = response(2, 1.0).matrix
    ends = [(p - matrix[0, 1]) / (matrix[1, 1] - matrix[0, 1]) for p in (low, high)]
    assert answer.interval(0.95)[1] == pytest.approx(ends, abs=1e-9)
    assert answer.interval(0.95)[0] == pytest.approx([1 - ends[1], 1 - ends[0]], abs=1e-9)
    assert np.array_equal(answer.interval(0.95, simultaneous=True), answer.interval(0.95))
    with pytest.raises(md.UnsupportedError, match="two outputs"):
        mechanism_of(np.eye(3)).estimate(counts=[1, 2, 3]).interval(how="exact")


def clopper_pearson(found, total, level):
    """Solve the tails of the binomial distribution by bisection."""
    from scipy.stats import binom

    def root(tail):
        low, high = 0.0, 1.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle) else (low, middle)
        return low

    return (
        root(lambda p: binom.sf(found - 1, total, p) < level / 2),
        root(lambda p: binom.cdf(found, total, p) > level / 2),
    )


def test_methods_agree_where_there_are_many_reports(design, rng):
    counts = rng.multinomial(10**7, np.array([0.4, 0.3, 0.2, 0.1]) @ design.matrix)
    answer = design.estimate(counts=counts)
    normal = answer.interval(how="delta")
    width = (normal[:, 1] - normal[:, 0]).mean()
    for how in ("score", "profile"):
        assert np.abs(answer.interval(how=how) - normal).max() < 0.01 * width
    wider = answer.interval(simultaneous=True)
    assert np.all(wider[:, 0] < normal[:, 0]) and np.all(wider[:, 1] > normal[:, 1])


def test_a_profile_ends_where_the_likelihood_has_dropped():
    counts = np.array([60, 30, 10])
    answer = mechanism_of(np.eye(3)).estimate(counts=counts)
    for x, ends in enumerate(answer.interval(how="profile")):
        for end in ends:
            # With one share given, the others keep their proportions.
            rest = np.delete(counts, x)
            law = np.insert((1 - end) * rest / rest.sum(), x, end)
            drop = counts @ (np.log(counts / 100) - np.log(law))
            assert 2 * drop == pytest.approx(1.959963984540054**2, rel=1e-4)


@ANY_REPORTS
def test_intervals_stay_within_populations_and_hold_the_estimate(rng):
    mechanism = response(6, 1.0)
    for theta in populations(6, 40, rng):
        law = theta @ mechanism.matrix
        answer = mechanism.estimate(counts=rng.multinomial(500, law / law.sum()))
        for how in ("score", "delta", "profile"):
            low, high = answer.interval(how=how).T
            assert low.min() >= 0 and high.max() <= 1
            assert np.all((low <= answer.frequencies + 1e-12) & (answer.frequencies <= high + 1e-12))
            assert (high - low).min() > 0.01


COVERED = {
    "response": lambda: response(8, 1.0),
    "frequencies": lambda: md.design(rising(8), md.LDP(1.0), md.InformationDesign("A")).mechanism,
    "lenient": lambda: md.design(rising(8), md.LDP(3.0), md.InformationDesign("A")).mechanism,
    "relative": lambda: md.design(rising(8), md.LIP(1.0), md.InformationDesign("A")).mechanism,
    "two outputs": lambda: response(2, 1.0),
}


def rising(n):
    return md.Problem(prior=np.arange(1.0, n + 1) / np.arange(1.0, n + 1).sum(), values=np.arange(n))


KINDS = ("skewed", "sparse", "the prior", "far")


def coverage(mechanism, how, rng, repetitions=30):
    """Return the shares of intervals at 0.95 that hold the truth, by what is estimated and by kind of population.

    Of shares more than two standard errors from 0 and from 1, of all shares, of the mean, and of all shares at once. At
    0 and 1 an interval that ends there can miss to one side alone, and at 0.95 holds the truth 39 times in 40.
    """
    inputs = len(mechanism.matrix)
    weights = np.arange(inputs)
    found = {what: {kind: [] for kind in KINDS} for what in ("far", "shares", "mean", "all at once")}
    for index, theta in enumerate(populations(inputs, 200, rng)):
        law, kind = theta @ mechanism.matrix, KINDS[index % 4]
        seen = np.zeros((repetitions, inputs))
        for k in range(repetitions):
            answer = mechanism.estimate(counts=rng.multinomial(2000, law / law.sum()))
            low, high = answer.interval(0.95, how=how).T
            seen[k] = (low <= theta) & (theta <= high)
            ends = answer.mean(weights).interval(0.95, how=how)
            found["mean"][kind].append(ends[0] <= theta @ weights <= ends[1])
            low, high = answer.interval(0.95, simultaneous=True, how=how).T
            found["all at once"][kind].append(np.all((low <= theta) & (theta <= high)))
        found["shares"][kind].extend(seen.ravel())
        # By the standard error at the truth, which is that of many reports.
        error = np.sqrt(np.diag(mechanism.estimate(counts=expected(law, 10**9)).covariance) * (10**9 / 2000))
        found["far"][kind].extend(seen[:, (theta > 2 * error) & (theta < 1 - 2 * error)].ravel())
    return {what: {kind: np.mean(hits) for kind, hits in of.items() if hits} for what, of in found.items()}


def expected(law, reports):
    return np.round(reports * law / law.sum()).astype(np.int64)


@ANY_REPORTS
@pytest.mark.slow
@pytest.mark.parametrize("how", [None, "delta"])
@pytest.mark.parametrize("name", COVERED)
def test_intervals_hold_the_truth_over_two_hundred_populations(name, how, rng):
    found = coverage(COVERED[name](), how, rng)
    for what, of in found.items():
        assert set(of) <= set(KINDS) and len(of) >= 3, what
        for kind, share in of.items():
            assert share >= 0.93, (what, kind, share)
            assert what != "far" or share <= 0.97, (what, kind, share)


@ANY_REPORTS
@pytest.mark.slow
def test_profiles_hold_the_truth(rng):
    mechanism = response(4, 2.0)
    hits, far = [], []
    for theta in populations(4, 200, rng):
        law = theta @ mechanism.matrix
        for _ in range(3):
            answer = mechanism.estimate(counts=rng.multinomial(2000, law / law.sum()))
            low, high = answer.interval(how="profile").T
            hits.append((low <= theta) & (theta <= high))
            far.extend(hits[-1][theta > 2 * np.sqrt(np.diag(answer.covariance))])
    assert np.mean(hits) >= 0.93 and 0.93 <= np.mean(far) <= 0.97


def test_a_survey_that_cannot_be_answered_says_so_and_what_to_ask():
    problem = md.Problem(prior=np.full(16, 1 / 16), values=np.arange(16.0), labels=[f"age {k}" for k in range(16)])
    mechanism = md.design(problem, md.LDP(1.0), md.MMSE()).mechanism
    answer = mechanism.estimate(mechanism.simulate(["age 3"] * 5000, 1))
    for ask in (lambda: answer.frequencies, answer.interval, answer.mean, lambda: answer.total(10**6)):
        with pytest.raises(md.UnsupportedError, match=r"rank 2 for 16 inputs.*InformationDesign\(\"A\"\)"):
            ask()
    assert "No frequency is identified" in str(answer) and not answer.identifiable.any()
    told = answer.functional(mechanism.matrix[:, 0])
    assert abs(told.value - mechanism.matrix[3, 0]) < 5 * told.standard_error


def test_what_is_told_is_estimated_beside_what_is_not():
    # The first two inputs are treated alike, the third is not.
    matrix = np.array([[0.75, 0.25], [0.75, 0.25], [0.25, 0.75]])
    mechanism = mechanism_of(matrix, md.Problem(labels=["x", "y", "z"], values=[1, 1, 3]))
    answer = mechanism.estimate(counts=[600, 400])
    assert answer.identifiable.tolist() == [False, False, True]
    assert answer.functional([0, 0, 1]).value == pytest.approx(0.3)
    assert answer.functional([1, 1, 0]).value == pytest.approx(0.7)
    assert answer.mean().value == pytest.approx(1.6)
    with pytest.raises(md.UnsupportedError, match=r'"y" gives the reports of "x"|"x" gives the reports of "y"'):
        _ = answer.frequencies
    assert "The reports identify only the frequencies of z" in str(answer)
    blind = mechanism_of(np.full((3, 2), 0.5)).estimate(counts=[5, 5])
    with pytest.raises(md.UnsupportedError, match="all 3 inputs give reports of one law"):
        _ = blind.frequencies
    assert blind.functional([2.0, 2.0, 2.0]).interval() == (2.0, 2.0)


def test_ranks_are_exact(rng):
    for _ in range(40):
        n, m, r = (int(k) for k in rng.integers(1, 7, size=3))
        left, right = rng.integers(0, 9, size=(n, r)), rng.integers(0, 9, size=(r, m))
        assert rank_of((left @ right).astype(object) * 10**20 + 0) == rank_by_fractions(left @ right)
    # Full rank by the last bit alone, which floats do not see; it tells nothing that reports would show.
    numerators = np.array([[2**52 + 1, 2**52 - 1], [2**52, 2**52]])
    mechanism = mechanism_of(np.ldexp(numerators.astype(float), -53))
    assert rank_of(numerators) == mechanism.identifiability.exact_rank == 2 and mechanism.identifiability.rank == 1


def rank_by_fractions(matrix):
    rows, rank = [[Fraction(int(entry)) for entry in row] for row in matrix], 0
    for column in range(len(rows[0])):
        pivot = next((row for row in rows[rank:] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(rank, pivot)
        for at in range(rank + 1, len(rows)):
            factor = rows[at][column] / pivot[column]
            rows[at] = [a - factor * b for a, b in zip(rows[at], pivot, strict=True)]
        rank += 1
    return rank


@ANY_REPORTS
def test_negative_shares_are_kept_and_said(design):
    counts = np.zeros(design.matrix.shape[1], dtype=int)
    counts[design.matrix[0].argmax()] = 1000
    answer = design.estimate(counts=counts, method="unbiased")
    assert answer.frequencies.min() < 0 and abs(answer.frequencies.sum() - 1) < 1e-9
    assert "Negative frequencies" in str(answer) and answer.interval()[:, 0].min() < 0
    assert design.estimate(counts=counts).frequencies.min() >= 0


@ANY_REPORTS
def test_few_reports_are_said(design):
    assert "fewer than 5 reports" in str(design.estimate([0, 1, 1]))
    assert "fewer than 5" not in str(response(3, 1.0).estimate(counts=[100, 100, 100]))


@ANY_REPORTS
def test_totals_are_of_the_whole_population(design, rng):
    answer = design.estimate(rng.integers(design.matrix.shape[1], size=1000))
    mean, total = answer.mean(), answer.total(50_000)
    assert total.value == pytest.approx(50_000 * mean.value)
    assert total.standard_error == pytest.approx(50_000 * mean.standard_error)
    assert total.interval() == pytest.approx(50_000 * np.array(mean.interval()))
    likeliest = answer.total(50_000, values=[0, 0, 0, 1], method="likelihood")
    assert likeliest.value == pytest.approx(50_000 * answer.frequencies[3])
    assert answer.total(1000).value == pytest.approx(1000 * mean.value)
    assert float(mean) == mean.value and "95 % interval" in str(mean)


@ANY_REPORTS
def test_a_constant_far_from_zero_moves_nothing_but_the_estimate(design, rng):
    answer = design.estimate(rng.integers(design.matrix.shape[1], size=1000))
    near, far = answer.mean(), answer.mean(SURVEY.values + 1e9)
    assert far.standard_error == pytest.approx(near.standard_error, rel=1e-6)
    assert np.array(far.interval()) - 1e9 == pytest.approx(near.interval(), abs=1e-6)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "neither of them"),
        ({"reports": [0], "counts": [1, 0, 0]}, "both of them"),
        ({"reports": []}, "reports is empty"),
        ({"reports": [0, 3]}, r"reports\[1\] is 3.*from 0 to 2 \(1 of 2 do not\).*which mechanism"),
        ({"reports": [-1]}, "from 0 to 2"),
        ({"reports": [0.0, 1.0]}, "integer type"),
        ({"reports": [0, None]}, "missing"),
        ({"reports": [0, float("nan")]}, "missing"),
        ({"reports": ["0", "seldom"]}, "no output|outputs of this mechanism are"),
        ({"reports": [0, "1"]}, "numbers and texts"),
        ({"reports": [[0], [1, 2]]}, "reports"),
        ({"counts": [1, 2]}, r"of shape \(2,\).*each of the 3 outputs"),
        ({"counts": [1, -2, 3]}, r"counts\[1\] is -2.*not negative"),
        ({"counts": [1, 2.5, 3]}, r"counts\[1\] is 2.5.*whole"),
        ({"counts": [1, float("nan"), 3]}, "missing"),
        ({"counts": [0, 0, 0]}, "there has to be a report"),
        ({"counts": ["1", "2", "3"]}, "whole numbers"),
        ({"counts": [1, float("inf"), 3]}, "2\\*\\*53"),
        ({"counts": [5, 5, 5]}, "5 of output 2.*never gives"),
        ({"counts": [5, 5, 0], "method": "em"}, '"likelihood" or "unbiased"'),
    ],
)
def test_wrong_reports_are_refused_in_words(given, told):
    mechanism = mechanism_of([[0.75, 0.25, 0.0], [0.25, 0.75, 0.0]])
    with pytest.raises(md.DomainError, match=told):
        mechanism.estimate(**given)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda e: e.interval(95), "level"),
        (lambda e: e.interval(0.0), "level"),
        (lambda e: e.interval(1.0), "level"),
        (lambda e: e.interval(float("nan")), "level"),
        (lambda e: e.interval(0.9, "yes"), "simultaneous"),
        (lambda e: e.interval(how="wald"), "score, delta, profile, exact"),
        (lambda e: e.functional([1, 2, 3]), "one entry for each of the 2 inputs"),
        (lambda e: e.functional([1, float("nan")]), "finite"),
        (lambda e: e.mean(), "the problem has none"),
        (lambda e: e.mean([1, 2, 3]), "one entry for each"),
        (lambda e: e.total(9, [0, 1]), "at least the 10 reports"),
        (lambda e: e.total(10.5, [0, 1]), "whole number"),
    ],
)
def test_wrong_questions_are_refused_in_words(ask, told):
    answer = mechanism_of([[0.75, 0.25], [0.25, 0.75]]).estimate(counts=[6, 4])
    with pytest.raises(md.DomainError, match=told):
        ask(answer)


@ANY_REPORTS
def test_arrays_are_read_only(design):
    answer = design.estimate(counts=np.arange(design.matrix.shape[1]) + 1)
    for array in (answer.frequencies, answer.covariance, answer.interval(), answer.counts, answer.theta):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_answers_are_named_in_place_of_weights():
    survey = md.Problem(labels=["never", "rarely", "often"])
    found = md.baselines.randomised_response(survey, 2.0).estimate(counts=[300, 400, 300])
    for names, line in (("often", [0, 0, 1]), (["often", "rarely"], [0, 1, 1]), (("never",), [1, 0, 0])):
        assert float(found.functional(names)) == float(found.functional(line))
    assert found.ratio("often", ["rarely", "often"]).value == found.ratio([0, 0, 1], [0, 1, 1]).value
    with pytest.raises(md.DomainError, match=r"numerator is labelled oftn, but the problem has never, rarely, often"):
        found.ratio("oftn", "rarely")
    numbered = md.baselines.randomised_response(md.Problem(n=2), 2.0).estimate(counts=[300, 400])
    assert float(numbered.functional("1")) == float(numbered.functional([0, 1]))


def test_the_mean_of_intervals_says_what_it_may_miss():
    """Everybody at the lower ends, or at the upper ends, has the same reports: no interval of the mean knows which."""
    incomes = md.Problem.from_counts({"[0, 10)": 5, "[10, 20)": 3, "[20, 100]": 2}, values=[5, 15, 60])
    found = md.Mechanism(np.eye(3), problem=incomes).estimate(counts=[500, 300, 200])
    (said,) = [note for note in found.notes if "middles" in note]
    assert "anywhere from 7 to 31 instead of 19." in said and "middles of intervals" in str(found)
    own = md.Problem.from_counts({"[0, 10)": 5, "[10, 20)": 3, "[20, 100]": 2}, values=[5, 15, 30])
    assert not any("middles" in note for note in md.Mechanism(np.eye(3), problem=own).estimate(counts=[5, 3, 2]).notes)
