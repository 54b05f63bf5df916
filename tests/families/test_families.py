"""Families without a matrix: their contract, and the planted defects that it catches."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.errors import DomainError
from mechdesign.families import Hadamard, KaryResponse, LocalHashing, ProjectiveGeometry
from mechdesign.families.best import best_geometry, families_for, geometry, ratio_below
from mechdesign.families.finite_field import FiniteField, Vectors, prime_powers
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
        lambda: KaryResponse(1, E),
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
