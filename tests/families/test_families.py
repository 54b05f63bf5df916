"""Families without a matrix: their contract, and the planted defects that it catches."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.baselines import subset_selection
from mechdesign.errors import DomainError
from mechdesign.families import (
    Hadamard,
    KaryResponse,
    LocalHashing,
    OptimisedUnaryEncoding,
    ProjectiveGeometry,
    SubsetSelection,
    SymmetricUnaryEncoding,
    TwoGroups,
)
from mechdesign.families.best import best_geometry, best_subset_selection, families_for, geometry, ratio_below
from mechdesign.families.best_groups import best_two_groups
from mechdesign.families.finite_field import FiniteField, Vectors, prime_powers
from mechdesign.families.unary_encoding import square_below
from mechdesign.problem import Problem
from mechdesign.runtime.random_bits import byte_coins
from mechdesign.testing.contract import BrokenContractError
from mechdesign.testing.family_contract import check_family
from tests.planted.families import PLANTED

E = Fraction(27, 10)
GEOMETRIES = [(2, 4), (3, 3), (4, 3), (5, 2), (8, 2), (9, 3), (4, 4), (25, 2), (2, 2), (7, 3)]
SMALL = [
    KaryResponse(6, E),
    Hadamard(6, E),
    Hadamard(7, Fraction(9, 8)),
    *(ProjectiveGeometry((q**t - 1) // (q - 1), E, q, t) for q, t in GEOMETRIES),
    ProjectiveGeometry(9, E, 3, 3),
    LocalHashing(8, E, 2, 3),
    LocalHashing(7, E, 3, 2),
    LocalHashing(16, E, 4, 2),
    LocalHashing(5, E, 5, 1),
    LocalHashing(60, E, 9, 2),
    SubsetSelection(5, E, 5, 1, 2),
    SubsetSelection(8, E, 8, 1, 3),
    SubsetSelection(8, E, 2, 3, 1),
    SubsetSelection(7, E, 3, 2, 2),
    SubsetSelection(16, E, 4, 2, 3),
    SubsetSelection(20, E, 9, 2, 4),
    SubsetSelection(13, E, 16, 1, 5),
    OptimisedUnaryEncoding(3, E),
    OptimisedUnaryEncoding(10, E),
    SymmetricUnaryEncoding(8, Fraction(49, 25)),
    SymmetricUnaryEncoding(9, square_below(E)),
    TwoGroups(12, E, (0, 1, 2), alone=(4, 1), covered=(3, 2), beside=(2, 0), share=0.6),
    TwoGroups(9, E, (1, 2, 5, 7), alone=(5, 2), covered=(2, 1), beside=(3, 1), share=0.4),
    TwoGroups(7, E, (0, 3, 6), alone=(4, 3), covered=(3, 2), beside=(4, 1), share=0.5),
]


@pytest.mark.parametrize("family", SMALL, ids=lambda family: f"{family.name} {family.n} {family.outputs}")
def test_the_contract_holds(family):
    check_family(family, np.random.default_rng(5))


@pytest.mark.parametrize(("clause", "family"), PLANTED, ids=lambda given: type(given).__name__)
def test_a_planted_defect_is_caught(clause, family):
    with pytest.raises(BrokenContractError) as caught:
        check_family(family, np.random.default_rng(5))
    assert caught.value.clause == clause


@pytest.mark.parametrize("q", prime_powers(64))
def test_a_field_is_one(q):
    field, every = FiniteField.of(q), np.arange(q)
    a, b, c = np.meshgrid(every[:16], every, every[-16:], indexing="ij")
    times, plus = field.times, field.plus
    assert (times[a, times[b, c]] == times[times[a, b], c]).all() and (times == times.T).all()
    assert (plus[a, plus[b, c]] == plus[plus[a, b], c]).all() and (plus == plus.T).all()
    assert (times[a, plus[b, c]] == plus[times[a, b], times[a, c]]).all()
    assert (times[1] == every).all() and (plus[0] == every).all()
    assert (times[every[1:], field.inverse[1:]] == 1).all() and (plus[every, field.negative] == 0).all()


@pytest.mark.parametrize("q", [4, 8, 9, 16, 25, 27, 49])
def test_the_trace_is_additive_and_its_form_is_nondegenerate(q):
    field = FiniteField.of(q)
    p = field.p
    a, b = np.divmod(np.arange(q * q), q)
    assert (field.trace[field.plus[a, b]] == (field.trace[a] + field.trace[b]) % p).all()
    assert set(field.trace.tolist()) == set(range(p))
    digits = np.array([[value // p**i % p for i in range(field.m)] for value in range(q)])
    products = (digits[field.dual[a]] * digits[b]).sum(axis=1) % p
    assert (products == field.trace[field.times[a, b]]).all()


@pytest.mark.parametrize(("q", "t"), [(2, 5), (3, 3), (4, 2), (9, 2)])
def test_a_transform_is_a_sum_over_characters(q, t):
    vectors, rng = Vectors(q, t), np.random.default_rng(3)
    field, count = vectors.field, vectors.count
    values = rng.normal(size=count)
    x, a = (vectors.elements(each) for each in np.divmod(np.arange(count**2), count))
    turns = field.trace[field.dot(x, a)].reshape(count, count)
    wanted = np.exp(2j * np.pi * turns / field.p) @ values
    assert np.allclose(vectors.transform(values)[vectors.duals(np.arange(count))], wanted)


def test_numbers_of_points_are_those_of_their_multiples():
    space = ProjectiveGeometry(40, E, 3, 4)
    every = np.arange(space.outputs)
    elements = space.vectors.elements(space.codes(every))
    for factor in (1, 2):
        assert (space.numbers(space.vectors.field.times[factor][elements]) == every).all()


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.5, 3.0])
@pytest.mark.parametrize("n", [1_000, 50_000, 300_000])
def test_the_best_geometry_is_near_the_bound_of_ye_and_barg(n, epsilon):
    ratio = np.exp(epsilon)
    # The largest information of a set of any real size, n / (E + 1).
    least = (n - 1) ** 2 * 4 * ratio / (n * (ratio - 1) ** 2)
    variance = best_geometry(n, ratio_below(epsilon)).total_variance()
    assert least * (1 - 1e-9) <= variance <= 1.027 * least


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11])
@pytest.mark.parametrize("t", [1, 2])
def test_sets_have_the_covers_of_all_sets_of_their_size(q, t):
    """Ye and Barg's probabilities that a random set of this size holds the person's input, and another one."""
    for k in range(1, q):
        made, size, points = SubsetSelection(q**t, E, q, t, k), k * q ** (t - 1), q**t
        own = size * E / (size * E + points - size)
        assert made.own == own and made.other == (size - own) / (points - 1)


@pytest.mark.parametrize(("n", "k"), [(5, 2), (7, 2), (8, 3), (9, 2), (11, 2), (7, 6)])
def test_subset_selection_without_a_matrix_is_the_one_with_it(n, k):
    """Affine images of these sets are all sets of their size, equally often: the laws are one, entry by entry."""
    made, law = SubsetSelection(n, ratio_below(1.0), n, 1, k), {}
    for y, inside in enumerate(made.incidence().T):
        name = "{" + ", ".join(map(str, np.flatnonzero(inside))) + "}"
        law[name] = law.get(name, 0) + np.array([made.probability(x, y) for x in range(n)])
    known = subset_selection(Problem(n=n), 1.0, k)
    assert sorted(law) == sorted(known.outputs)
    for y, name in enumerate(known.outputs):
        assert max(abs(law[name][x] - Fraction(float(known.matrix[x, y]))) for x in range(n)) < Fraction(1, 2**45)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("n", [101, 5_000, 10**6])
def test_the_best_subset_selection_is_nearer_to_the_bound_than_geometries(n, epsilon):
    ratio = np.exp(epsilon)
    least = (n - 1) ** 2 * 4 * ratio / (n * (ratio - 1) ** 2)
    variance = best_subset_selection(n, ratio_below(epsilon)).total_variance()
    assert least * (1 - 1e-9) <= variance <= 1.0015 * least


def test_large_sets_are_exact_where_they_are_looked_at():
    made, rng = best_subset_selection(10**6, ratio_below(1.0)), np.random.default_rng(2)
    inputs = rng.integers(10**6, size=4000)
    for covering in (True, False):
        reports = made.drawn(inputs, np.full(len(inputs), covering), rng.bytes)
        assert (made.covers(inputs, reports) == covering).all() and reports.min() >= 0 and reports.max() < made.outputs
    seen = np.unique(rng.integers(made.outputs, size=50))
    covers = made.covers_of(seen, np.ones(len(seen)))
    for x in (0, 1, 77_777, 999_999):
        assert covers[x] == pytest.approx(made.covers(np.full(len(seen), x), seen).sum(), abs=1e-6)


def test_a_large_geometry_is_exact_where_it_is_looked_at():
    made, rng = best_geometry(10**6, ratio_below(1.0)), np.random.default_rng(2)
    inputs = rng.integers(10**6, size=4000)
    for covering in (True, False):
        reports = made.drawn(inputs, np.full(len(inputs), covering), rng.bytes)
        assert (made.covers(inputs, reports) == covering).all() and reports.min() >= 0 and reports.max() < made.outputs
    seen = np.unique(rng.integers(made.outputs, size=50))
    covers = made.covers_of(seen, np.ones(len(seen)))
    for x in (0, 1, 77_777, 999_999):
        assert covers[x] == made.covers(np.full(len(seen), x), seen).sum()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ProjectiveGeometry(14, E, 3, 3),
        lambda: ProjectiveGeometry(3, E, 6, 2),
        lambda: ProjectiveGeometry(3, E, 3, 1),
        lambda: ProjectiveGeometry(3, E, 257, 2),
        lambda: ProjectiveGeometry(3, E, 2, 40),
        lambda: LocalHashing(10, E, 3, 2),
        lambda: SubsetSelection(10, E, 3, 2, 1),
        lambda: SubsetSelection(9, E, 3, 2, 3),
        lambda: SubsetSelection(9, E, 3, 2, 0),
        lambda: SymmetricUnaryEncoding(3, E),
        lambda: KaryResponse(1, E),
        lambda: TwoGroups(9, E, (4,), (3, 1), (2, 1), (2, 0), 0.5),
        lambda: TwoGroups(9, E, (4, 4, 5), (3, 1), (2, 1), (2, 0), 0.5),
        lambda: TwoGroups(9, E, (4, 9), (3, 1), (2, 1), (2, 0), 0.5),
        lambda: TwoGroups(9, E, (4, 5), (3,), (2, 1), (2, 0), 0.5),
        lambda: TwoGroups(9, E, (4, 5), (3, 0), (2, 1), (2, 0), 0.5),
        lambda: TwoGroups(9, E, (4, 5), (3, 1), (6, 1), (2, 0), 0.5),
        lambda: TwoGroups(9, E, (4, 5), (3, 1), (3, 1), (2, 1), 0.5),
        lambda: TwoGroups(9, E, (4, 5), (3, 1), (2, 1), (2, 0), 1.0),
        lambda: KaryResponse(3, Fraction(1, 2)),
        lambda: KaryResponse(3, 2.7),
    ],
)
def test_what_is_no_family_is_refused(make):
    """Formulas of a geometry with too few points, or over what is no field, would be claims of nothing."""
    with pytest.raises(DomainError):
        make()


def test_families_of_one_number_of_inputs():
    assert {one.n for one in families_for(500, E)} == {500}
    assert geometry(13, E, 3).outputs == 13 and geometry(14, E, 3).outputs == 40
    assert families_for(2, E)[-1].name == "k-ary response"


@pytest.mark.parametrize("share", [Fraction(1, 512), Fraction(1, 3), Fraction(599, 600)])
def test_coins_of_a_byte_have_their_share_beyond_the_first_byte(share):
    count = 1 << 20
    heads = byte_coins(share, count, np.random.default_rng(6).bytes).sum()
    assert abs(heads - count * share) < 5 * float(count * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1)])
def test_certain_coins_are_certain(share):
    assert set(byte_coins(share, 5000, np.random.default_rng(6).bytes).tolist()) == {share == 1}


@pytest.mark.parametrize(("n", "epsilon"), [(300, 1.0), (300, 3.0), (5_000, 0.5), (5_000, 1.0), (5_000, 3.0)])
def test_two_groups_need_fewer_people_than_subsets_of_all(n, epsilon):
    theta = 1.0 / np.arange(1.0, n + 1.0)
    theta /= theta.sum()
    ratio = ratio_below(epsilon)
    apart = best_two_groups(theta, ratio)
    least = min(one.variances(theta).sum() for one in families_for(n, ratio))
    assert apart.variances(theta).sum() < least
    order = np.random.default_rng(1).permutation(n)
    shuffled = best_two_groups(theta[order], ratio)
    assert sorted(order[list(shuffled.frequent)].tolist()) == list(apart.frequent)
    assert np.isclose(shuffled.variances(theta[order]).sum(), apart.variances(theta).sum(), rtol=1e-12)


def test_no_two_groups_without_reason():
    assert best_two_groups(np.full(50, 0.02), E) is None
    assert best_two_groups(np.array([0.5, 0.3, 0.2]), E) is None
    assert best_two_groups(np.arange(1.0, 51.0) / 1275.0, Fraction(1)) is None
