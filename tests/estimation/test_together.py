"""What a report betrays, what several betray together, and what one may guess from them."""

import itertools
import math
import tracemalloc
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism.together import product_bytes
from mechdesign.testing.estimator_contract import response
from mechdesign.testing.sampler_contract import FALSE_ALARM, chi_square_chance, rows_over

PROBLEM = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])


@pytest.fixture(scope="module")
def lip():
    return md.design(PROBLEM, md.LIP(1.0), md.MMSE())


def mechanism_of(numerators, **given):
    return md.Mechanism(np.ldexp(numerators.astype(float), -53), [str(y) for y in range(numerators.shape[1])], **given)


def delta_by_definition(mechanism, epsilon):
    """The largest excess of a set of outputs, over all sets."""
    rows = [[Fraction(int(a), 2**53) for a in row] for row in mechanism.numerators]
    with localcontext() as context:
        context.prec = 50
        factor = Fraction(Decimal(epsilon).exp())
    outputs = range(len(rows[0]))
    sets = [s for size in range(len(outputs) + 1) for s in itertools.combinations(outputs, size)]
    return max(sum(a[y] for y in s) - factor * sum(b[y] for y in s) for a in rows for b in rows for s in sets)


def test_a_profile_is_the_largest_excess_of_any_set(rng):
    for n, m in ((2, 2), (3, 4), (4, 6)):
        mechanism = mechanism_of(rows_over(2**53, n, m, rng))
        levels = [0.0, 0.3, 1.0, 5.0]
        for epsilon, delta in zip(levels, mechanism.privacy_profile(levels), strict=True):
            truth = delta_by_definition(mechanism, epsilon)
            assert truth <= Fraction(delta) and delta - float(truth) <= 1e-15


def test_a_profile_ends_at_the_level_and_starts_at_total_variation():
    mechanism = response(5, 1.0)
    level = float(md.audit(mechanism, md.LDP(1.0)))
    first, inside, at, beyond = mechanism.privacy_profile([0.0, 0.5, level, 800.0])
    assert first == pytest.approx(mechanism.matrix[0, 0] - mechanism.matrix[1, 0], rel=1e-12)
    assert first > inside > 1e-3 and at <= 1e-15 and beyond == 0.0
    assert md.audit(mechanism, md.ApproximateLDP(0.5, float(inside))).holds
    assert not md.audit(mechanism, md.ApproximateLDP(0.5, float(inside) - 1e-12)).holds


def test_profiles_are_of_levels_at_least_0():
    for wrong in ([-0.1], [math.nan], [math.inf], "1", [[0.1]], []):
        with pytest.raises(md.DomainError, match="epsilons"):
            response(2, 1.0).privacy_profile(wrong)
    assert response(2, 1.0).privacy_profile(0.0).shape == (1,)


def test_two_reports_of_one_datum_leak_more_than_twice_the_level(lip):
    both = md.together([lip, lip])
    assert float(md.audit(lip.mechanism)) <= 1.0
    assert round(float(md.audit(both, md.LIP(1.0))), 3) == 2.677
    # Levels of LDP add up at most.
    single = float(md.audit(lip.mechanism, md.LDP(1.0)))
    assert float(md.audit(both, md.LDP(1.0))) <= 2 * single + 1e-12


def test_the_product_is_audited_exactly():
    # Of twice this level, and of nothing less: floats would round the products.
    numerators = np.array([[2**52 + 1, 2**52 - 1], [2**52 - 1, 2**52 + 1]])
    coin = mechanism_of(numerators)
    both = md.together([coin, coin])
    ratio = Fraction(2**52 + 1, 2**52 - 1) ** 2
    level = float(md.audit(both, md.LDP(1.0)))
    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
    assert Decimal(level) >= exact > Decimal(math.nextafter(level, 0.0))


def test_three_reports_and_their_law(rng):
    parts = [mechanism_of(rows_over(2**53, 3, m, rng)) for m in (2, 3, 2)]
    three = md.together(parts, PROBLEM)
    for x, (i, j, k) in itertools.product(range(3), itertools.product(range(2), range(3), range(2))):
        product = parts[0].matrix[x, i] * parts[1].matrix[x, j] * parts[2].matrix[x, k]
        assert three.matrix[x, 6 * i + 2 * j + k] == pytest.approx(product, rel=1e-14)
        assert three.outputs[6 * i + 2 * j + k] == f"{i}, {j}, {k}"
    drawn = np.bincount(three.sample(np.ones(400_000, dtype=int)), minlength=12)
    assert chi_square_chance(drawn, three.matrix[1]) > FALSE_ALARM
    assert three.estimate(three.simulate([1] * 1000, 1)).reports == 1000


def test_attributes_are_pairs_under_their_joint_prior(rng):
    first, second = mechanism_of(rows_over(2**53, 2, 3, rng)), mechanism_of(rows_over(2**53, 3, 2, rng))
    joint = md.Problem(prior=[0.3, 0.1, 0.1, 0.05, 0.05, 0.4])
    pair = md.together([first, second], joint, of="attributes")
    for u, v, y, z in itertools.product(range(2), range(3), range(3), range(2)):
        product = first.matrix[u, y] * second.matrix[v, z]
        assert pair.matrix[3 * u + v, 2 * y + z] == pytest.approx(product, rel=1e-14)
    drawn = np.bincount(pair.sample(np.full(400_000, 4)), minlength=6)
    assert chi_square_chance(drawn, pair.matrix[4]) > FALSE_ALARM
    # What one attribute betrays of the pair is not what it betrays of itself.
    assert float(md.audit(pair, md.LIP(1.0))) > 0


def test_what_does_not_belong_together_is_refused(lip):
    other = response(2, 1.0)
    for given, problem, of, told in (
        ([], None, "datum", "there has to be one"),
        (lip, None, "datum", "sequence of mechanisms"),
        ([lip, 3], None, "datum", r"mechanisms\[1\] is 3"),
        ([lip, other], None, "datum", 'of="attributes"'),
        ([lip, other], PROBLEM, "attributes", "take 6 inputs together"),
        ([lip], md.Problem(n=2), "datum", "take 3 inputs"),
        ([lip], None, "both", '"datum" or "attributes"'),
    ):
        with pytest.raises(md.DomainError, match=told):
            md.together(given, problem, of=of)


def test_posteriors_are_bayes_rule(lip, rng):
    mechanism = lip.mechanism
    reports = mechanism.simulate([0, 1, 2, 2, 1], rng)
    found = mechanism.posterior()
    for y, row in zip(reports, found.of(reports), strict=True):
        joint = [p * q for p, q in zip([0.1, 0.2, 0.7], mechanism.matrix[:, y], strict=True)]
        assert row == pytest.approx(np.array(joint) / sum(joint), rel=1e-12)
        assert found.guess([y])[0] == int(np.argmax(joint))
        assert found.mean([y])[0] == pytest.approx(sum(x * p for x, p in enumerate(joint)) / sum(joint))
    # The best estimates have the error that the design claims.
    law = np.array([0.1, 0.2, 0.7]) @ mechanism.matrix
    means = found.mean(np.arange(len(law)))
    assert 1.0 * 0.2 + 4.0 * 0.7 - law @ means**2 == pytest.approx(lip.value, rel=1e-9)


def test_posteriors_take_another_prior_and_other_values(lip):
    other = lip.mechanism.posterior([0.0, 0.0, 1.0])
    assert other.guess([0, 1]).tolist() == [2, 2] and other.mean([0], values=[5, 6, 7]).tolist() == [7.0]
    assert other.of([[0, 1]]).shape == (1, 2, 3)


def test_wrong_posteriors_are_refused(lip):
    bare = md.Mechanism([[1.0, 0.0], [1.0, 0.0]], ["a", "b"])
    for ask, told in (
        (bare.posterior, "prior"),
        (lambda: lip.mechanism.posterior([0.5, 0.5]), "one entry for each of the 3 inputs"),
        (lambda: lip.mechanism.posterior([0.5, 0.2, 0.2]), "sum to 1"),
        (lambda: bare.posterior([0.5, 0.5]).mean([0]), "values"),
        (lambda: bare.posterior([0.5, 0.5]).guess([1]), "never gives"),
        (lambda: bare.posterior([0.5, 0.5]).guess([2]), "from 0 to 1"),
    ):
        with pytest.raises(md.DomainError, match=told):
            ask()


@pytest.mark.parametrize(("count", "of"), [(40, "datum"), (2000, "datum"), (63, "attributes"), (64, "attributes")])
def test_a_product_that_memory_cannot_hold_is_refused_before_it_is_made(count, of):
    coin = response(2, 1.0)
    tracemalloc.start()
    try:
        with pytest.raises(
            md.DomainError, match=rf"mechanisms is {count} of them.* would take about .* GB.*take fewer"
        ):
            md.together([coin] * count, of=of)
        assert tracemalloc.get_traced_memory()[1] < 1e7
    finally:
        tracemalloc.stop()


def test_products_of_products_are_refused_too():
    several = md.together([response(2, 1.0)] * 10)
    with pytest.raises(md.DomainError, match=r"1\.27e\+30 outputs"):
        md.together([several] * 10)


@pytest.mark.parametrize(("count", "of", "rows"), [(13, "datum", 2), (6, "attributes", 64)])
def test_the_memory_of_a_product_is_estimated(count, of, rows):
    factors = [response(2, 1.0)] * count
    tracemalloc.start()
    try:
        made = md.together(factors, of=of)
        assert made.numerators.shape == (rows, 2**count)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.4 * peak <= product_bytes(factors, rows) <= 2.5 * peak
