"""Every certified optimum against brute force: all vertices of the cone, utilities from their definitions."""

import numpy as np
import pytest

import mechdesign as md
from tests.helpers import brute_force as brute

EPSILONS = (0.2, 1.0, 2.5)
OBJECTIVES = ("MMSE", "FisherInformation", "KLDivergence", "TotalVariation", "MutualInformation", "ExpectedLoss")


def skewed(n, rng, skew):
    """Return a prior; with skew 3 the largest probability is a thousand times the smallest and more."""
    prior = rng.dirichlet(np.ones(n)) ** skew + 1e-4
    return prior / prior.sum()


def zero_sum(n, rng):
    """Return a direction that sums to zero."""
    direction = rng.normal(size=n)
    return direction - direction.mean()


def questions(name, n, rng, skew):
    """Return problem, objective, its utility by brute force (larger is better), and the value at utility 0."""
    prior, values = skewed(n, rng, skew), rng.normal(size=n)
    first, second = rng.dirichlet(np.ones(n)), skewed(n, rng, skew)
    direction, loss = zero_sum(n, rng), rng.exponential(size=(n, 3))
    problem = md.Problem(prior=prior, values=values)
    objective, utility = {
        "MMSE": lambda: (md.MMSE(), lambda q: -brute.squared_error(q, prior, values)),
        "FisherInformation": lambda: (
            md.FisherInformation(theta=second, direction=direction),
            lambda q: brute.fisher(q, second, direction),
        ),
        "KLDivergence": lambda: (
            md.KLDivergence(first=first, second=second),
            lambda q: brute.divergence("KLDivergence", q, first, second),
        ),
        "TotalVariation": lambda: (
            md.TotalVariation(first=first, second=second),
            lambda q: brute.divergence("TotalVariation", q, first, second),
        ),
        "MutualInformation": lambda: (md.MutualInformation(), lambda q: brute.information(q, prior)),
        "ExpectedLoss": lambda: (md.ExpectedLoss(loss), lambda q: -brute.least_loss(q, prior, loss)),
    }[name]()
    return objective, utility, problem


def columns_of(notion, problem):
    """Return the vertices of the notion's cone by brute force."""
    n, epsilon = problem.n, notion.epsilon
    if isinstance(notion, md.LDP) and not problem.is_hidden:
        return brute.ldp_vectors(n, epsilon)
    if isinstance(notion, md.LDP):
        rows = brute.ldp_rows(problem.secrets, epsilon) @ problem.channel
        return brute.vertices(rows, np.full(n, 1 / n))
    channel = problem.channel if problem.is_hidden else None
    prior = problem.secret_prior if problem.is_hidden else problem.prior
    return brute.vertices(brute.lip_rows(prior, epsilon, channel), np.full(n, 1 / n))


def compared(design, columns, utility, objective):
    """Assert that value and bound bracket the brute force's optimum, within the gap that is reported."""
    n = len(columns)
    sign = 1.0 if objective.sense == "maximise" else -1.0
    best = sign * brute.optimum(columns, utility(columns))
    # An optimum of 0 has no relative distance: then a millionth of what information can change at all.
    span = abs(utility(np.ones((n, 1))).sum() - utility(np.eye(n)).sum())
    scale = max(abs(best), 1e-6 * span)
    assert abs(design.value - best) <= 2e-6 * scale, f"value {design.value!r}, brute force {best!r}"
    # The brute force's own linear program is exact to about 1e-9.
    assert sign * (design.bound - best) >= -1e-8 * scale, f"bound {design.bound!r} is passed by {best!r}"
    assert sign * (best - design.value) >= -1e-8 * scale, f"value {design.value!r} is better than {best!r}"
    assert design.gap <= 1e-6
    width = abs(design.value - design.bound)
    largest = max(abs(design.value), abs(design.bound), 1e-6 * span)
    if design.gap == 0:
        # A difference below the certificate's own rounding counts as none, where that rounding is small.
        assert width <= 2e-7 * largest
    else:
        assert design.gap >= width / largest * (1 - 1e-9)


def private(design, notion, prior, channel=None):
    """Assert that the matrix satisfies the notion in fractions, from its definition."""
    if isinstance(notion, md.LDP):
        assert brute.is_ldp(design.matrix, notion.epsilon, channel)
    else:
        assert brute.is_lip(design.matrix, prior, notion.epsilon, channel)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("notion", [md.LDP, md.LIP])
def test_auto_reaches_the_brute_force(notion, name, epsilon, rng):
    for n, skew in ((2, 1.0), (3, 3.0), (4, 1.0), (5, 3.0), (7, 1.5)):
        objective, utility, problem = questions(name, n, rng, skew)
        columns = columns_of(notion(epsilon), problem)
        design = md.design(problem, notion(epsilon), objective)
        compared(design, columns, utility, objective)
        private(design, notion(epsilon), problem.prior)
        assert abs(value_by_hand(design.matrix, utility, objective) - design.value) <= 1e-9 * abs(design.value) + 1e-12


def value_by_hand(matrix, utility, objective):
    """Return the value of a matrix by the brute force's definition."""
    used = matrix[:, matrix.max(axis=0) > 0]
    sign = 1.0 if objective.sense == "maximise" else -1.0
    return sign * float(utility(used).sum())


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", ["MMSE", "FisherInformation", "KLDivergence", "TotalVariation", "ExpectedLoss"])
@pytest.mark.parametrize("notion", [md.LDP, md.LIP])
def test_columns_reach_the_brute_force(notion, name, epsilon, rng):
    objective, utility, problem = questions(name, 6, rng, 2.0)
    columns = columns_of(notion(epsilon), problem)
    design = md.design(problem, notion(epsilon), objective, route="columns")
    compared(design, columns, utility, objective)
    private(design, notion(epsilon), problem.prior)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("notion", [md.LDP, md.LIP])
def test_hidden_secret_reaches_the_brute_force(notion, name, epsilon, rng):
    for n, secrets in ((3, 2), (4, 3)):
        objective, utility, problem = questions(name, n, rng, 1.0)
        given = rng.dirichlet(np.ones(secrets), size=n).T
        hidden = problem.hidden(secret_given_data=given)
        columns = columns_of(notion(epsilon), hidden)
        design = md.design(hidden, notion(epsilon), objective)
        compared(design, columns, utility, objective)
        channel, marginal = brute.reversed_channel(given, problem.prior)
        private(design, notion(epsilon), marginal, channel)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.05, *EPSILONS, 5.0])
@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("notion", [md.LDP, md.LIP])
def test_sweep_reaches_the_brute_force(notion, name, epsilon, rng):
    for n in (2, 3, 4, 5, 6, 7):
        for skew in (0.5, 1.0, 2.0, 4.0):
            objective, utility, problem = questions(name, n, rng, skew)
            columns = columns_of(notion(epsilon), problem)
            design = md.design(problem, notion(epsilon), objective)
            compared(design, columns, utility, objective)
            private(design, notion(epsilon), problem.prior)


def test_brute_forces_agree_with_each_other(rng):
    # LDP's vectors by subsets and by active sets of all pairs.
    for n in (2, 3, 4):
        normal = np.full(n, 1 / n)
        by_sets = brute.ldp_vectors(n, 1.0)[:, 1:]
        by_sets = by_sets / (normal @ by_sets)
        found = brute.vertices(brute.ldp_rows(n, 1.0), normal)
        assert found.shape == by_sets.shape == (n, 2**n - 2)
        assert np.abs(found[:, :, None] - by_sets[:, None, :]).max(axis=0).min(axis=0).max() < 1e-9


def test_brute_force_knows_published_optima():
    # Binary randomised response: uniform prior, distance 1, e^eps = 3.
    columns = brute.ldp_vectors(2, np.log(3.0))
    assert brute.optimum(columns, -brute.squared_error(columns, [0.5, 0.5], [0, 1])) == pytest.approx(
        -0.1875, rel=1e-12
    )
    # k-ary randomised response is optimal for mutual information at large epsilon; here k = 3, e^eps = 20.
    columns = brute.ldp_vectors(3, np.log(20.0))
    joint = (np.full((3, 3), 1.0) + 19 * np.eye(3)) / 22
    expected = float(np.sum(joint / 3 * np.log(joint * 3)))
    found = brute.optimum(columns, brute.information(columns, np.full(3, 1 / 3)))
    assert found == pytest.approx(expected, rel=1e-10)


def test_exact_definitions_refuse_one_unit_too_much():
    # Ratio 3 exactly is no more than e^ln 3 only where the float logarithm lies above ln 3.
    matrix = np.array([[0.75, 0.25], [0.25, 0.75]])
    assert brute.is_ldp(matrix, np.log(3.0) + 1e-12) and not brute.is_ldp(matrix, np.log(3.0) - 1e-12)
    assert brute.is_lip(matrix, [0.5, 0.5], np.log(2.0) + 1e-12)
    assert not brute.is_lip(matrix, [0.5, 0.5], np.log(2.0) - 1e-12)
    with pytest.raises(AssertionError, match="sum to exactly one"):
        brute.is_ldp(np.array([[0.75, 0.25 + 2**-50], [0.25, 0.75]]), 5.0)
