"""Centralized information privacy: the secret is one record, the data are the sum of independent records."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.extreme_rays import extreme_rays
from tests.helpers.brute_force import exponential_below, optimum


def by_counting(priors):
    """Return ``Pr(X = x | record i = j)``, the secrets' prior and ``Pr(X = x)`` as fractions, over all databases."""
    exact = [[Fraction(p) / sum(map(Fraction, row)) for p in row] for row in priors]
    sums = 1 + sum(len(row) - 1 for row in priors)
    secrets = [(i, j) for i, row in enumerate(priors) for j in range(len(row))]
    joint = {secret: [Fraction(0)] * sums for secret in secrets}
    total = [Fraction(0)] * sums
    for database in itertools.product(*(range(len(row)) for row in priors)):
        weight = math.prod((exact[i][j] for i, j in enumerate(database)), start=Fraction(1))
        total[sum(database)] += weight
        for i, j in enumerate(database):
            joint[i, j][sum(database)] += weight
    channel = [[entry / exact[i][j] for entry in joint[i, j]] for i, j in secrets]
    return channel, [exact[i][j] / len(priors) for i, j in secrets], total


def binary_optimum(count, p, epsilon, *, printed=False):
    """Return the least mean squared error for records that are 1 with probability p, from the bounds on E[S | y].

    The posterior mean of the sum lies between the larger of two lower bounds and the smaller of two upper ones; the
    extreme posteriors are single sums inside, and pairs of sums whose mean is exactly a bound.
    """
    E = math.exp(epsilon)
    low, high = count * p / E, count - count * (1 - p) / E
    if not printed:
        low, high = max(low, count - E * count * (1 - p)), min(high, E * count * p)
    prior = np.array([math.comb(count, s) * p**s * (1 - p) ** (count - s) for s in range(count + 1)])
    posteriors = [np.eye(count + 1)[s] for s in range(count + 1) if low <= s <= high]
    for mean in (low, high):
        for a, b in itertools.combinations(range(count + 1), 2):
            if a < mean < b:
                posterior = np.zeros(count + 1)
                posterior[[a, b]] = (b - mean) / (b - a), (mean - a) / (b - a)
                posteriors.append(posterior)
    columns = np.array(posteriors).T / prior[:, None]
    sums = np.arange(count + 1)
    return prior @ sums**2 - optimum(columns, (sums @ np.array(posteriors).T) ** 2)


@pytest.mark.parametrize("priors", [[[0.3, 0.7]] * 3, [[0.25, 0.75], [0.2, 0.5, 0.3], [0.6, 0.4]], [[0.1, 0.2, 0.7]]])
def test_channel_is_that_of_all_databases(priors):
    notion = md.CentralizedIP(1.0, priors)
    channel, secret, total = by_counting(priors)
    problem = notion.inputs(md.Problem(n=len(total)))
    assert problem.channel.tolist() == [[float(entry) for entry in row] for row in channel]
    assert problem.secret_prior.tolist() == [float(p) for p in secret]
    assert problem.prior == pytest.approx([float(p) for p in total], abs=1e-15)
    assert notion.inputs(problem) is problem


def test_exact_check_is_that_of_fractions(rng):
    decided = set()
    for _ in range(60):
        priors = [rng.dirichlet(3 * np.ones(d)).tolist() for d in rng.integers(2, 4, size=2)]
        channel, _, total = by_counting(priors)
        numerators = rng.integers(1, 100, size=(len(total), 2))
        numerators[:, 1] = 200 - numerators[:, 0]
        epsilon = float(rng.choice([0.1, 0.3, 0.6]))
        most, holds = exponential_below(epsilon), True
        for column in numerators.T.tolist():
            seen = [sum(w * e for w, e in zip(row, column, strict=True)) for row in channel]
            mass = sum(w * e for w, e in zip(total, column, strict=True))
            holds &= max(seen) <= most * mass and mass <= most * min(seen)
        notion = md.CentralizedIP(epsilon, priors)
        assert notion.holds_exactly(numerators, notion.inputs(md.Problem(n=len(total)))) == holds
        decided.add(holds)
    assert decided == {True, False}


def test_exact_check_does_not_see_the_rounding_of_the_channel():
    # Records whose decimals are no binary fractions: the level of the coin's edge, moved in the last place.
    priors = [[0.1, 0.9], [0.7, 0.3]]
    channel, _, total = by_counting(priors)
    assert any(Fraction(float(entry)) != entry for row in channel for entry in row)
    column = [5, 3, 2]
    seen = [sum(w * e for w, e in zip(row, column, strict=True)) for row in channel]
    mass = sum(w * e for w, e in zip(total, column, strict=True))
    level = max(abs(math.log(v / mass)) for v in seen)
    notion = md.CentralizedIP(level, priors)
    inputs = notion.inputs(md.Problem(n=3))
    numerators = np.array([column, [10 - e for e in column]]).T
    assert notion.at(level * (1 + 1e-13)).holds_exactly(numerators[:, :1], inputs)
    assert not notion.at(level * (1 - 1e-13)).holds_exactly(numerators[:, :1], inputs)


def test_level_is_the_largest_of_all_records(rng):
    for _ in range(30):
        priors = [rng.dirichlet(2 * np.ones(d)) + 0.02 for d in rng.integers(2, 5, size=int(rng.integers(1, 4)))]
        priors = [(row / row.sum()).tolist() for row in priors]
        channel, _, total = (np.array(part, dtype=float) for part in by_counting(priors))
        matrix = rng.dirichlet(np.ones(3), size=len(total))
        notion = md.CentralizedIP(1.0, priors)
        found = notion.level(matrix, notion.inputs(md.Problem(n=len(total))))
        worst = max(abs(math.log(v / m)) for row in channel @ matrix for v, m in zip(row, total @ matrix, strict=True))
        assert found.value == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize(("count", "p", "epsilon"), [(2, 0.5, 0.3), (4, 0.069, 0.5), (6, 0.4, 0.2), (12, 0.85, 0.7)])
def test_identical_binary_records_reach_the_optimum_of_the_bounds_on_the_mean(count, p, epsilon):
    problem = md.Problem(values=np.arange(count + 1.0))
    notion = md.CentralizedIP(epsilon, [[1 - p, p]] * count)
    best = binary_optimum(count, p, epsilon)
    for route in ("rays", "columns"):
        found = md.design(problem, notion, md.MMSE(), route=route)
        assert found.value == pytest.approx(best, rel=3e-6, abs=1e-9)
        assert found.gap <= 1e-6
        assert found.audit.holds


def test_the_printed_bounds_leave_out_two_of_four():
    # With a prior below 1 / (1 + e^epsilon) the upper bound e^epsilon N P is the smaller one.
    found = md.design(md.Problem(values=range(5)), md.CentralizedIP(0.5, [[0.931, 0.069]] * 4), md.MMSE())
    assert found.value == pytest.approx(binary_optimum(4, 0.069, 0.5), rel=1e-8)
    assert found.value > 0.23
    assert binary_optimum(4, 0.069, 0.5, printed=True) < 0.14


def test_alike_records_are_one_in_the_cone_and_all_in_the_secret():
    notion = md.CentralizedIP(0.5, [[0.3, 0.7]] * 4)
    inputs = notion.inputs(md.Problem(n=5))
    assert inputs.secrets == 8
    assert len(notion.columns(inputs).cone().on_column) == 2 * 2 + 2
    lip = md.LIP(0.5)
    whole, merged = extreme_rays(lip.columns(inputs).cone()).columns, all_rays(notion, inputs).columns
    assert whole.shape == merged.shape
    assert np.abs(whole[:, :, None] - merged[:, None, :]).max(axis=0).min(axis=0).max() <= 1e-9


def test_lip_of_the_sum_implies_it_and_not_back(rng):
    for _ in range(50):
        priors = [rng.dirichlet(2 * np.ones(d)) + 0.02 for d in rng.integers(2, 4, size=3)]
        notion = md.CentralizedIP(1.0, [row / row.sum() for row in priors])
        inputs = notion.inputs(md.Problem(n=1 + sum(len(row) - 1 for row in priors)))
        matrix = rng.dirichlet(np.ones(3), size=inputs.n)
        whole = md.LIP(1.0).level(matrix, md.Problem(prior=inputs.prior)).value
        assert notion.level(matrix, inputs).value <= whole + 1e-12
    coins = md.CentralizedIP(0.0, [[0.5, 0.5], [0.5, 0.5]])
    matrix = [[1, 0], [0, 1], [1, 0]]
    audit = md.audit(matrix, coins, md.Problem(n=3))
    assert audit.holds
    assert float(audit) == 0.0
    assert float(md.audit(matrix, md.LIP(1.0), md.Problem(prior=[0.25, 0.5, 0.25]))) == math.inf


def test_the_curator_beats_a_private_sum():
    problem, priors = md.Problem(values=np.arange(4.0)), [[0.5, 0.5]] * 3
    ours = md.design(problem, md.CentralizedIP(0.5, priors), md.MMSE()).value
    binomial = md.Problem(prior=[0.125, 0.375, 0.375, 0.125], values=np.arange(4.0))
    assert ours < md.design(binomial, md.LIP(0.5), md.MMSE()).value - 0.05


def test_one_record_is_lip():
    prior = [0.2, 0.3, 0.5]
    problem = md.Problem(prior=prior, values=[0, 1, 2])
    for objective in (md.MMSE(), md.AbsoluteError(), md.MutualInformation()):
        ours = md.design(problem, md.CentralizedIP(0.8, [prior]), objective).value
        assert ours == pytest.approx(md.design(problem, md.LIP(0.8), objective).value, rel=1e-8)


def test_saved_and_loaded(tmp_path):
    notion = md.CentralizedIP(0.5, [[0.4, 0.6], [0.1, 0.2, 0.7]])
    found = md.design(md.Problem(values=[0, 1, 2, 3]), notion, md.AbsoluteError())
    found.mechanism.save(tmp_path / "sum.json")
    loaded = md.load(tmp_path / "sum.json")
    assert loaded.question.notion == notion
    assert np.array_equal(loaded.matrix, found.matrix)


def test_a_problem_that_does_not_fit_the_records_is_refused():
    notion = md.CentralizedIP(1.0, [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(md.DomainError, match="add up to 3 different sums"):
        notion.inputs(md.Problem(n=4))
    with pytest.raises(md.DomainError, match=r"add up to 0 with probability 0\.25"):
        notion.inputs(md.Problem(prior=[0.3, 0.45, 0.25]))
    with pytest.raises(md.DomainError, match="the secret of CentralizedIP is one record"):
        notion.inputs(md.Problem(prior=[0.25, 0.5, 0.25]).hidden([[0.5] * 3, [0.5] * 3]))
    near = notion.inputs(md.Problem(prior=[0.25 + 4e-10, 0.5, 0.25 - 4e-10]))
    assert near.secrets == 4
