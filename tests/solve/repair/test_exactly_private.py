"""What is mixed in is the least of the ladder that makes a matrix private, and lifts are what columns lack."""

import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact import dyadic, round_rows
from mechdesign.runtime.deadline import until
from mechdesign.solve.repair import exactly_private as module
from mechdesign.solve.repair.exactly_private import SHARES, TRIFLE, repair

PROBLEM = md.Problem(prior=[0.5, 0.3, 0.2])
LAST = len(SHARES) - 1


def is_private(matrix, notion, problem=PROBLEM):
    numerators = dyadic(matrix)
    return numerators is not None and notion.holds_exactly(numerators, problem)


def response(n, epsilon):
    """Return randomised response in floats."""
    truth = math.exp(epsilon)
    return (np.ones((n, n)) + (truth - 1.0) * np.eye(n)) / (truth + n - 1)


# The ladder -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hurry", [None, 0.4, 0.6])
@pytest.mark.parametrize("first", range(LAST + 1))
def test_the_first_step_that_passes_is_found(first, hurry, monkeypatch):
    asked = []
    monkeypatch.setattr(module, "time_left", lambda: hurry)
    monkeypatch.setattr(module, "is_late", lambda: False)

    def passes(step):
        asked.append(step)
        return step >= first

    found = module._least_step(passes)
    if hurry == 0.4:
        # In a hurry no step below 8 is tried, and none whose share is too small to matter.
        assert min(asked) >= module.FROM and found == (first if SHARES[first] > 2e-9 else found) >= first
        assert SHARES[found] <= max(2e-9, 2.0 * SHARES[first])
    else:
        assert found == first and asked[0] == 0
    assert len(set(asked)) == len(asked) <= 13


def test_where_no_step_passes_none_is_found():
    asked = []
    assert module._least_step(asked.append) is None
    assert asked == [0, 1, 2, 4, 8, 16, 32, LAST]


def test_late_the_first_step_that_was_found_is_taken(monkeypatch):
    monkeypatch.setattr(module, "is_late", lambda: True)
    assert module._least_step(lambda step: step >= 17) == 32


# What is mixed in -------------------------------------------------------------------------------------------------


def test_a_private_matrix_stays_but_for_the_signs_of_zeros():
    notion = md.MaximalLeakage(2.0)
    found = repair(np.array([[1.0, -0.0], [0.5, 0.5], [0.0, 1.0]]), notion, PROBLEM)
    assert found.mixed == 0.0 and found.matrix.tolist() == [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    assert not np.signbit(found.matrix).any()


@pytest.mark.parametrize(("n", "share"), [(3, 2.0**-44), (7, 2.0**-44), (12, 144 * 2.0**-51), (20, 400 * 2.0**-51)])
def test_what_lacks_rounding_alone_is_mixed_with_a_trifle(n, share):
    notion, matrix, problem = md.LDP(1.0), response(n, 1.0 + 1e-15), md.Problem(n=n)
    found = repair(matrix, notion, problem)
    assert found.mixed == share and is_private(found.matrix, notion, problem)
    assert np.abs(found.matrix - matrix).max() <= 2 * share


def test_beside_small_entries_a_trifle_is_none():
    small = 2.0**-17
    matrix = np.array([[1.0 - small, small], [1.0 - 2.0 * small, 2.0 * small], [1.0 - small, small]])
    assert module._barely_mixed(matrix, md.LDP(math.log(2.0)), PROBLEM) is None
    assert module._barely_mixed(matrix + np.array([-1e-4, 1e-4]), md.LDP(math.log(2.0)), PROBLEM).mixed == TRIFLE


NOTIONS = [
    md.LDP(1.0),
    md.LIP(0.5),
    md.MaximalLeakage(0.2),
    md.ApproximateLDP(0.5, 0.05),
    md.MutualInformationPrivacy(0.02),
    md.LDP(1.0) & md.MaximalLeakage(0.2),
]


def outside(notion, share):
    """Return the mixture of the identity with the uniform mechanism that is on the boundary, and that much outside."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        numerators = round_rows(middle * np.eye(3) + (1.0 - middle) / 3)
        low, high = (middle, high) if notion.holds_exactly(numerators, PROBLEM) else (low, middle)
    weight = low * (1.0 + share)
    return weight * np.eye(3) + (1.0 - weight) / 3


@pytest.mark.parametrize("share", [1e-14, 1e-9, 1e-4, 3e-2])
@pytest.mark.parametrize("notion", NOTIONS, ids=str)
def test_it_moves_about_as_far_as_it_is_outside(notion, share):
    matrix = outside(notion, share)
    assert not is_private(matrix, notion)
    found = repair(matrix, notion, PROBLEM)
    assert is_private(found.matrix, notion) and found.mixed <= max(1e-13, 4.0 * share)
    assert np.abs(found.matrix - matrix).max() <= 4.0 * share + 1e-13


@pytest.mark.parametrize("share", [1e-4, 3e-2])
@pytest.mark.parametrize("notion", [each for each in NOTIONS if len(each.columns(PROBLEM).budget())], ids=str)
def test_under_a_budget_hardly_more_is_mixed_in_than_is_needed(notion, share):
    matrix, normal = outside(notion, share), notion.columns(PROBLEM).normal
    found = repair(matrix, notion, PROBLEM)
    if len(notion.members()) == 1:
        assert np.allclose(found.matrix, (1.0 - found.mixed) * matrix + found.mixed * (normal @ matrix), atol=1e-15)
        less = 0.97 * found.mixed
        assert not notion.holds_exactly(round_rows((1.0 - less) * matrix + less * (normal @ matrix)), PROBLEM)
    assert found.mixed not in SHARES


@pytest.mark.parametrize(("mixed", "halved"), [(2.0**-41, False), (2.0**-40, False), (2.0**-39, True)])
def test_a_share_that_does_not_matter_is_not_halved(mixed, halved):
    notion, matrix = md.MaximalLeakage(0.2), np.full((3, 2), 0.5)
    found = module._with_least(matrix, np.full(2, 0.5), module.Repaired(matrix, mixed), 0.0, notion, PROBLEM)
    assert found.mixed == (mixed / 2.0**6 if halved else mixed)


def test_late_the_share_of_the_ladder_is_taken():
    notion = md.MaximalLeakage(0.2)
    with until(0.0):
        found = repair(outside(notion, 1e-3), notion, PROBLEM)
    assert found.mixed in SHARES and is_private(found.matrix, notion)


def test_where_no_share_passes_the_given_constant_is_returned():
    notion, matrix = md.LDP(0.0), np.array([[0.5, 0.4, 0.1], [0.2, 0.3, 0.5], [0.1, 0.3, 0.6]])
    found = repair(matrix, notion, PROBLEM)
    assert found.mixed == 1.0 and is_private(found.matrix, notion)
    # Without a prior in the notion all inputs count alike.
    assert np.allclose(found.matrix, [notion.columns(PROBLEM).normal @ matrix] * 3, rtol=0, atol=1e-15)
    found = repair(matrix, notion, PROBLEM, constant=np.array([0.0, 1.0]))
    assert found.matrix.tolist() == [[0.0, 1.0, 0.0]] * 3 and found.mixed == 1.0


# Lifts ------------------------------------------------------------------------------------------------------------


def test_a_column_is_lifted_by_the_least_power_of_two_of_its_mass():
    notion = md.LDP(1.0)
    matrix = np.array([[0.5, 0.45, 0.05], [0.5, 0.45, 0.05], [0.5, 0.49, 0.01]])
    found = module._lifted(matrix, np.ones((3, 3)), notion, PROBLEM)
    mass = float(notion.columns(PROBLEM).normal @ matrix[:, 2])
    lifts = [mass * 2.0**k for k in range(-52, 9)]
    lift = next(each for each in lifts if 0.05 + each <= math.e * (0.01 + each))
    raised = matrix + np.array([0.0, 0.0, lift])
    assert np.allclose(found, raised / raised.sum(axis=1, keepdims=True), rtol=0, atol=1e-15)


def test_what_is_not_kept_is_not_lifted():
    matrix, kept = np.array([[0.5, 0.5, 0.0], [0.5, 0.45, 0.05], [0.5, 0.49, 0.01]]), np.ones((3, 3))
    kept[0, 2] = kept[1, 0] = 0.0
    found = module._lifted(matrix, kept, md.MaxLift(0.7), PROBLEM)
    free = module._lifted(matrix, np.ones((3, 3)), md.MaxLift(0.7), PROBLEM)
    assert found[0].tolist() == [0.5, 0.5, 0.0] and np.array_equal(found[2], free[2]) and free[0, 2] > 0.0
    assert found[2, 2] > 0.011 and np.allclose(found[1, :2] / found[1, 0], [1.0, 0.9], rtol=1e-15)


def test_lifts_that_would_replace_the_matrix_are_not_taken():
    matrix = np.eye(3)
    assert module._lifted(matrix, np.ones((3, 3)), md.LDP(0.1), PROBLEM) is matrix
    assert module._lifted(matrix, np.ones((3, 3)), md.LDP(0.0), PROBLEM) is matrix


# Small outputs, and those that reveal an input --------------------------------------------------------------------


@pytest.mark.parametrize("keep", [True, False])
def test_outputs_of_negligible_mass_go_to_the_heaviest(keep):
    matrix = np.array([[0.4, 5e-10, 0.6], [0.5, 0.0, 0.5], [0.5, 2e-10, 0.5]])
    found = module._without_negligible(matrix, md.LIP(1.0), PROBLEM, keep)
    # The prior makes the last output the heaviest.
    expected = np.array([[0.4, 0.6 + 5e-10], [0.5, 0.5], [0.5, 0.5 + 2e-10]])
    assert np.array_equal(found[:, [0, 2]] if keep else found, expected)
    assert not keep or not found[:, 1].any()
    assert matrix[0, 1] == 5e-10
    matrix[0, 1] = module.NEGLIGIBLE_MASS
    assert module._without_negligible(matrix, md.LIP(1.0), PROBLEM, keep) is matrix
    larger = matrix + np.array([0.0, 1e-9, -1e-9])
    assert module._without_negligible(larger, md.LIP(1.0), PROBLEM, keep) is larger


def test_outputs_that_reveal_an_input_stay_and_get_nothing():
    notion = md.UtilityOptimizedLDP(1.0, sensitive=[0])
    assert list(notion.columns(PROBLEM).revealed) == [1, 2]
    matrix = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.05, 0.95, 0.0], [0.5 - 1e-10, 0.5, 0.0, 1e-10]])
    assert module._without_negligible(matrix, notion, PROBLEM, False) is matrix
    small = np.array([[0.5, 0.5 - 1e-10, 0.0, 1e-10], [0.0, 0.05, 0.95, 0.0], [0.5, 0.5, 0.0, 0.0]])
    found = module._without_negligible(small, notion, PROBLEM, False)
    assert np.allclose(found, [[0.5, 0.5, 0.0], [0.0, 0.05, 0.95], [0.5, 0.5, 0.0]], rtol=0, atol=1e-15)
    assert found[0, 1] == 0.5 and found[0, 2] == 0.0
    row = module._constant(matrix, notion, PROBLEM)
    masses = notion.columns(PROBLEM).normal @ matrix
    assert row[2:].tolist() == [0.0, 0.0] and row[:2] == pytest.approx(masses[:2] / masses[:2].sum(), rel=1e-15)
    found = repair(matrix, notion, PROBLEM)
    assert is_private(found.matrix, notion) and found.matrix[0, 2] == found.matrix[2, 2] == 0.0


def test_zeros_stay_where_they_can():
    """At infinite distances an output may have probability 0 for some inputs; an addition there breaks privacy."""
    nonzero = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.2, 0.4, 0.4]])
    everywhere = np.ones((3, 3))
    patterns = module._patterns(nonzero, md.MaximalLeakage(1.0), PROBLEM)
    assert len(patterns) == 2 and np.array_equal(patterns[0], nonzero > 0) and np.array_equal(patterns[1], everywhere)
    for notion, matrix in ((md.LDP(1.0), nonzero), (md.MaximalLeakage(1.0), nonzero + 0.1)):
        patterns = module._patterns(matrix, notion, PROBLEM)
        assert len(patterns) == 1 and np.array_equal(patterns[0], everywhere)
    # An input that is only ever revealed has no share in a constant mechanism.
    alone = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.5, 0.5, 0.0, 0.0]])
    assert len(module._patterns(alone, md.UtilityOptimizedLDP(1.0, sensitive=[0]), PROBLEM)) == 1
    found = module._on(np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), np.array([0.2, 0.3, 0.6]))
    assert np.allclose(found, [[0.25, 0.0, 0.75], [0.0, 0.0, 0.0]], rtol=0, atol=1e-15)


def test_the_nearest_of_the_mended_is_taken(monkeypatch):
    made = {1.0: 0.3, 0.0: 0.1}
    asked = []

    def mended(stochastic, kept, notion, problem):
        asked.append(kept)
        return module.Repaired(stochastic + made[kept], made[kept])

    monkeypatch.setattr(module, "_patterns", lambda *_: [1.0, 0.0])
    monkeypatch.setattr(module, "_mended", mended)
    matrix = np.full((3, 2), 0.5)
    assert module._nearest(matrix, md.LDP(1.0), PROBLEM).mixed == 0.1 and asked == [1.0, 0.0]
    made[1.0] = 0.05
    assert module._nearest(matrix, md.LDP(1.0), PROBLEM).mixed == 0.05
    asked.clear()
    made[1.0] = 2.0**-46
    assert module._nearest(matrix, md.LDP(1.0), PROBLEM).mixed == 2.0**-46 and asked == [1.0]
    monkeypatch.setattr(module, "_mended", lambda *_: None)
    assert module._nearest(matrix, md.LDP(1.0), PROBLEM) is None
