"""LIP, MaxLift and AsymmetricLIP bound the lift; WorstCaseLIP bounds it for every prior."""

import math
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.question.question import notion_from_dict
from mechdesign.solve.pricing.extreme_rays import extreme_rays
from tests.helpers import brute_force as bf

PRIOR = [0.15, 0.25, 0.6]
SURVEY = md.Problem(prior=PRIOR, values=[0.0, 1.0, 3.0])
INFINITE = math.inf


def lifts(matrix, prior, channel=None):
    """Return Pr(y | s) / Pr(y) as lists, by loops."""
    channel = np.eye(len(prior)) if channel is None else channel
    found = []
    for y in range(matrix.shape[1]):
        seen = [sum(channel[s][x] * matrix[x, y] for x in range(len(matrix))) for s in range(len(channel))]
        mass = sum(p * v for p, v in zip(prior, seen, strict=True))
        found.append([v / mass for v in seen])
    return found


def band_rows(prior, lower, upper, channel=None):
    """Return ``v_s - e^-lower m >= 0`` and ``e^upper m - v_s >= 0``, without those of an infinite end."""
    channel = np.eye(len(prior)) if channel is None else np.asarray(channel)
    mass = np.asarray(prior) @ channel
    below = channel if math.isinf(lower) else channel - math.exp(-lower) * mass
    above = np.zeros((0, len(mass))) if math.isinf(upper) else math.exp(upper) * mass - channel
    return np.vstack([below, above])


def utilities(problem, columns, n):
    """Return what each column adds to four objectives, from the definitions, and the objectives."""
    rng = np.random.default_rng(n)
    first, second = rng.dirichlet(np.ones(n), size=2)
    loss = rng.exponential(size=(n, 3))
    return {
        "MMSE": (md.MMSE(), -bf.squared_error(columns, problem.prior, problem.values)),
        "loss": (md.ExpectedLoss(loss), -bf.least_loss(columns, problem.prior, loss)),
        "KL": (md.KLDivergence(first, second), bf.divergence("KLDivergence", columns, first, second)),
        "information": (md.MutualInformation(), bf.information(columns, problem.prior)),
    }


def agrees(problem, notion, rows):
    """Compare the designs of four objectives with the best vertices of the cone of `rows`."""
    n = problem.n
    columns = bf.vertices(rows, np.full(n, 1 / n))
    for name, (objective, worth) in utilities(problem, columns, n).items():
        best = bf.optimum(columns, worth)
        design = md.design(problem, notion, objective)
        expected = -best if objective.sense == "minimise" else best
        assert design.value == pytest.approx(expected, rel=2e-7, abs=1e-9), (name, notion)
        assert design.audit.holds and design.gap <= 1e-6
        assert float(design.audit) <= max(notion.parameters)


def test_levels_are_the_largest_logarithms(rng):
    for _ in range(20):
        matrix = rng.dirichlet(np.ones(4), size=3)
        logs = [math.log(lift) for output in lifts(matrix, PRIOR) for lift in output]
        lower, upper = -min(logs), max(logs)
        assert md.MaxLift(1.0).level(matrix, SURVEY).value == pytest.approx(upper, rel=1e-12)
        assert md.AsymmetricLIP(1.0, 2.0).level(matrix, SURVEY).components == pytest.approx((lower, upper), rel=1e-12)
        assert md.AsymmetricLIP(1.0, 2.0).level(matrix, SURVEY).value == pytest.approx(max(lower, upper), rel=1e-12)
        assert md.AsymmetricLIP(1.0, INFINITE).level(matrix, SURVEY).value == pytest.approx(lower, rel=1e-12)
        assert md.LIP(1.0).level(matrix, SURVEY).value == pytest.approx(max(lower, upper), rel=1e-12)


def test_levels_of_a_hidden_secret(rng):
    channel = rng.dirichlet(np.ones(3), size=2)
    hidden = md.Problem(n=3).hidden(data_given_secret=channel, secret_prior=[0.3, 0.7])
    matrix = rng.dirichlet(np.ones(4), size=3)
    logs = [math.log(lift) for output in lifts(matrix, [0.3, 0.7], channel) for lift in output]
    assert md.MaxLift(1.0).level(matrix, hidden).value == pytest.approx(max(logs), rel=1e-12)
    assert md.AsymmetricLIP(1.0, INFINITE).level(matrix, hidden).value == pytest.approx(-min(logs), rel=1e-12)
    seen = channel @ matrix
    ratios = [seen[i, y] / seen[j, y] for y in range(4) for i in range(2) for j in range(2)]
    assert md.WorstCaseLIP(1.0).level(matrix, hidden).value == pytest.approx(math.log(max(ratios)), rel=1e-12)


def test_an_output_that_rules_a_secret_out_has_a_finite_lift():
    matrix = [[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]]
    assert md.MaxLift(1.0).level(matrix, SURVEY).value == pytest.approx(math.log(1 / (0.75 / 2 + 0.25)), rel=1e-12)
    assert md.AsymmetricLIP(1.0, 1.0).level(matrix, SURVEY).components[0] == INFINITE
    report = md.audit(matrix, md.AsymmetricLIP(1.0, 0.5), SURVEY)
    assert report.level[0] == INFINITE and float(report) == INFINITE and not report.holds
    assert md.audit(matrix, md.AsymmetricLIP(INFINITE, 0.5), SURVEY).holds


def test_the_pair_of_levels_is_exact(rng):
    numerators = rng.multinomial(10**6, [0.3, 0.3, 0.4], size=3)
    matrix = [[Fraction(int(k), 10**6) for k in row] for row in numerators]
    notion = md.AsymmetricLIP(5.0, 5.0)
    report = md.audit(matrix, notion, SURVEY)
    assert isinstance(report.level, tuple) and report.holds and float(report) == max(report.level)
    for side, level in enumerate(report.level):
        for other, holds in ((level, True), (math.nextafter(level, 0), False)):
            ends = [5.0, 5.0]
            ends[side] = other
            assert md.audit(matrix, notion.at(tuple(ends)), SURVEY).holds is holds
    assert " and " in str(report)
    # With one side alone there is one number, the same one.
    assert md.audit(matrix, md.AsymmetricLIP(INFINITE, 5.0), SURVEY).level == report.level[1]
    assert md.audit(matrix, md.MaxLift(5.0), SURVEY).level == report.level[1]
    assert md.audit(matrix, md.AsymmetricLIP(5.0, INFINITE), SURVEY).level == report.level[0]


def test_one_number_is_a_level_for_every_bounded_side():
    assert md.AsymmetricLIP(1.0, 2.0).at(0.5) == md.AsymmetricLIP(0.5, 0.5)
    assert md.AsymmetricLIP(1.0, INFINITE).at(0.5) == md.AsymmetricLIP(0.5, INFINITE)
    assert md.AsymmetricLIP(1.0, 2.0).at((0.1, INFINITE)) == md.AsymmetricLIP(0.1, INFINITE)
    assert md.AsymmetricLIP(1.0, 2.0).parameters == (1.0, 2.0)
    assert [p.level_name for p in md.AsymmetricLIP(1.0, 2.0).parts()] == ["lower", "upper"]
    assert md.LDP(1.0).parts() == (md.LDP(1.0),)


@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.3, math.log(2), 1.0, 3.0, 40.0, 800.0])
def test_equal_ends_are_lip(epsilon, rng):
    pair, one = md.AsymmetricLIP(epsilon, epsilon), md.LIP(epsilon)
    assert np.array_equal(pair.columns(SURVEY).rays().columns, one.columns(SURVEY).rays().columns)
    for objective in (md.MMSE(), md.HammingLoss()):
        expected = md.design(SURVEY, one, objective)
        assert md.design(SURVEY, pair, objective).value == pytest.approx(expected.value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, -math.log(0.25), 2.5, 800.0])
def test_an_infinite_lower_end_is_max_lift(epsilon):
    pair, one = md.AsymmetricLIP(INFINITE, epsilon), md.MaxLift(epsilon)
    assert np.array_equal(pair.columns(SURVEY).rays().columns, one.columns(SURVEY).rays().columns)
    expected = md.design(SURVEY, one, md.MMSE()).value
    assert md.design(SURVEY, pair, md.MMSE()).value == pytest.approx(expected, rel=1e-9, abs=1e-12)
    # Beyond ln(1 / min prior) the lift asks nothing.
    if epsilon >= -math.log(min(PRIOR)):
        assert expected == pytest.approx(0.0, abs=1e-9)


def test_no_end_is_no_end_rather_than_a_far_one():
    assert md.MaxLift(0.3).columns(SURVEY).rays().columns.min() == 0.0
    assert md.AsymmetricLIP(INFINITE, 0.3).columns(SURVEY).rays().columns.min() == 0.0


def test_sets_that_fill_the_knapsack_are_met_once():
    """Twice the mass at most: sets of half the mass, those whose sum rounds to something else than a half too."""
    assert md.MaxLift(math.log(2)).columns(md.Problem(prior=[0.25] * 4)).rays().columns.shape == (4, 6)
    found = md.MaxLift(math.log(2)).columns(md.Problem(prior=[0.1, 0.2, 0.3, 0.4])).rays().columns
    expected = bf.vertices(band_rows([0.1, 0.2, 0.3, 0.4], INFINITE, math.log(2)), [0.1, 0.2, 0.3, 0.4])
    assert found.shape == expected.shape
    found = md.MaxLift(math.log(5)).columns(md.Problem(prior=[0.2] * 5)).rays().columns
    assert np.array_equal(np.unique(found, axis=1), np.unique(np.eye(5), axis=1))


def test_the_witness_of_a_pair_is_that_of_the_side_in_need(rng):
    for _ in range(10):
        matrix = rng.dirichlet(np.ones(3), size=3)
        below, above = (md.AsymmetricLIP(*e).level(matrix, SURVEY) for e in ((1.0, INFINITE), (INFINITE, 1.0)))
        for ends, witness in (((0.01, 50.0), below), ((50.0, 0.01), above)):
            found = md.AsymmetricLIP(*ends).level(matrix, SURVEY)
            assert (found.inputs, found.output) == (witness.inputs, witness.output)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (1.0, 0.0), (0.0, INFINITE), (INFINITE, 0.0)])
def test_an_end_at_zero_leaves_constants(ends):
    notion = md.AsymmetricLIP(*ends)
    assert np.array_equal(notion.columns(SURVEY).rays().columns, np.ones((3, 1)))
    values = notion.columns(SURVEY).support(np.eye(3), np.zeros(0)).values
    assert np.all(values >= 1.0) and values == pytest.approx(np.ones(3), rel=1e-14)
    for route in ("rays", "columns"):
        design = md.design(SURVEY, notion, md.MMSE(), route=route)
        assert design.value == pytest.approx(np.dot(PRIOR, np.square(SURVEY.values - np.dot(PRIOR, SURVEY.values))))
        assert np.array_equal(design.matrix, np.tile(design.matrix[0], (3, 1)))


@pytest.mark.parametrize("ends", [(0.5, 0.5), (0.3, 2.0), (2.0, 0.3), (0.5, INFINITE), (INFINITE, 0.5), (40.0, 90.0)])
@pytest.mark.parametrize("prior", [PRIOR, [0.25] * 4, [0.1, 0.2, 0.3, 0.4]])
def test_rays_are_the_vertices(ends, prior):
    """The knapsack's vertices are those of the tight constraints, on the slice of mass one."""
    found = md.AsymmetricLIP(*ends).columns(md.Problem(prior=prior)).rays().columns
    expected = bf.vertices(band_rows(prior, *ends), prior)
    given = found / (np.asarray(prior) @ found)
    distance = np.abs(given[:, :, None] - expected[:, None, :]).max(axis=0)
    assert distance.min(axis=0).max() <= 1e-8 and distance.min(axis=1).max() <= 1e-8
    assert given.shape[1] == expected.shape[1]


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("ends", [(0.4, 0.9), (1.2, 0.3), (0.5, INFINITE), (INFINITE, 0.6)])
def test_designs_are_those_of_brute_force(n, ends, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(n, 3.0)), values=rng.normal(size=n))
    agrees(problem, md.AsymmetricLIP(*ends), band_rows(problem.prior, *ends))
    if math.isinf(ends[0]):
        agrees(problem, md.MaxLift(ends[1]), band_rows(problem.prior, *ends))


@pytest.mark.parametrize("ends", [(0.2, 0.4), (0.3, INFINITE), (INFINITE, 0.2)])
def test_designs_with_a_hidden_secret_are_those_of_brute_force(ends, rng):
    told = rng.dirichlet(np.ones(2), size=4).T
    problem = md.Problem(prior=rng.dirichlet(np.full(4, 3.0)), values=rng.normal(size=4)).hidden(told)
    rows = band_rows(problem.prior_of_secret, *ends, channel=problem.channel)
    agrees(problem, md.AsymmetricLIP(*ends), rows)


@pytest.mark.parametrize("ends", [(0.5, INFINITE), (INFINITE, 0.7), (0.3, 1.1)])
def test_the_structured_interior_point_takes_any_band(ends, rng):
    """Forty inputs: an interior point with a shortcut for bands, against one that knows only rows."""
    n = 40
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    loss = md.ExpectedLoss(rng.exponential(size=(n, n)))
    both = [
        md.design(problem, md.AsymmetricLIP(*ends), loss, route="columns", solver=s) for s in ("STRUCTURED", "CLARABEL")
    ]
    assert both[0].value == pytest.approx(both[1].value, rel=1e-7)
    assert all(design.gap <= 1e-6 and design.audit.holds for design in both)


def test_lip_implies_max_lift_but_not_back(rng):
    for _ in range(20):
        matrix = rng.dirichlet(np.ones(3), size=3)
        level = md.audit(matrix, md.LIP(1.0), SURVEY).level
        assert md.audit(matrix, md.MaxLift(level), SURVEY).holds
    matrix = [[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]]
    assert md.audit(matrix, md.MaxLift(0.5), SURVEY).holds
    assert not md.audit(matrix, md.LIP(100.0), SURVEY).holds
    # Where the best mechanism rules something out, the weaker notion is worth more.
    values = [md.design(SURVEY, notion, md.MMSE()).value for notion in (md.LIP(0.5), md.MaxLift(0.5))]
    assert values[1] < values[0] - 0.01


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 2.0])
def test_worst_case_lip_is_ldp(epsilon, rng):
    notion, ldp = md.WorstCaseLIP(epsilon), md.LDP(epsilon)
    problem = md.Problem(prior=rng.dirichlet(np.ones(4)), values=rng.normal(size=4))
    assert notion.columns(problem).cone().on_column.shape == (12, 4)
    for objective in (md.MMSE(), md.MutualInformation(), md.HammingLoss(), md.WorstCaseLoss(1 - np.eye(4))):
        one, other = md.design(problem, notion, objective), md.design(problem, ldp, objective)
        assert one.value == pytest.approx(other.value, rel=1e-7, abs=1e-10) and one.audit.holds
    for _ in range(20):
        matrix = rng.dirichlet(np.ones(3), size=4)
        assert md.audit(matrix, notion, problem).level == md.audit(matrix, ldp, problem).level


def test_worst_case_lip_is_lip_under_every_prior(rng):
    """No prior shows more than its level, and one that is all but on one input shows next to all of it."""
    for _ in range(20):
        matrix = rng.dirichlet(np.ones(3), size=3)
        level = md.WorstCaseLIP(1.0).level(matrix, SURVEY).value
        priors = [*rng.dirichlet(np.ones(3), size=20), *(0.999999 * np.eye(3) + 1e-6 / 3)]
        shown = [md.LIP(1.0).level(matrix, md.Problem(prior=p / p.sum())).value for p in priors]
        assert max(shown) <= level + 1e-12 and max(shown) >= level - 1e-4


def test_worst_case_rays_are_ldp_vectors():
    rows = md.WorstCaseLIP(1.3).cone(md.Problem(n=4))
    found, expected = extreme_rays(rows).columns, bf.ldp_vectors(4, 1.3)
    expected = expected[:, 1:] / math.exp(1.3)
    distance = np.abs(found[:, :, None] - expected[:, None, :]).max(axis=0)
    assert found.shape == (4, 14) and distance.min(axis=0).max() <= 1e-9


BAD = {
    "lift without a prior": (lambda: md.audit(np.eye(2), md.MaxLift(1.0)), "prior"),
    "pair without a prior": (lambda: md.audit(np.eye(2), md.AsymmetricLIP(1.0, 1.0)), "prior"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters_are_named(name):
    make, argument = BAD[name]
    with pytest.raises(md.DomainError) as caught:
        make()
    assert caught.value.argument == argument and caught.value.remedy


@pytest.mark.parametrize("notion", [md.MaxLift(0.5), md.AsymmetricLIP(0.5, INFINITE), md.WorstCaseLIP(1.0)])
def test_saved_mechanisms_come_back(notion, tmp_path):
    design = md.design(SURVEY, notion, md.MMSE())
    loaded = md.load(design.mechanism.save(tmp_path / "m.json"))
    assert loaded.question.notion == notion and md.audit(loaded).holds
    with pytest.raises(md.DomainError, match="has no such parameter"):
        notion_from_dict({"name": notion.name, "rho": 1})
