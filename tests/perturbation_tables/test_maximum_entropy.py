"""Noise of the most entropy: exact constraints, a conic solver's optimum, random noise beside it, printed tables."""

from __future__ import annotations

from fractions import Fraction
from math import log

import cvxpy as cp
import mpmath
import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.perturbation_tables.maximum_entropy import entropy_enclosed, most_entropy
from mechdesign.perturbation_tables.noise import Constraints, first_alike, moment, noise_of

F = Fraction
#: Largest noise, variance, threshold, probability to stay, order.
ASKED = (
    (1, 0.5, 0, None, False),
    (2, 1.0, 0, None, False),
    (2, 1.08, 1, None, False),
    (5, 3, 2, None, False),
    (5, 3, 2, 0.5, False),
    (5, 3, 2, None, True),
    (4, 1, 0, 0.5, False),
    (4, 1.0, 0, 0.5, True),
    (8, 2.5, 0, None, True),
    (10, F(20, 3), 3, 0.3, False),
)


def order(noise):
    """Return rows whose product with monotone noise is at least 0."""
    steps = np.diff(np.eye(len(noise)), axis=0)
    return np.array([step if w <= 0 else -step for step, w in zip(steps, noise[1:], strict=True)])


def solved(row, table, monotone=None, at_most=False):
    """Return the noise that a conic solver finds for the count of a row, apart from the program's own formulas."""
    v, p = np.array(row.noise), cp.Variable(len(row.noise))
    spread = (v**2) @ p
    rules = [
        cp.sum(p) == 1,
        v @ p == 0,
        spread <= float(table.variance) if at_most else spread == float(table.variance),
    ]
    if row.count > table.threshold and table.stay is not None:
        rules.append(p[row.noise.index(0)] == float(table.stay))
    if row.count > table.threshold and table.monotone:
        rules.append(order(row.noise) @ p >= 0)
    if monotone is not None:
        rules.append(monotone(p))
    cp.Problem(cp.Maximize(cp.sum(cp.entr(p))), rules).solve(solver="CLARABEL")
    return p.value


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_every_row_satisfies_the_constraints_exactly_and_has_the_entropy_of_its_bound(asked):
    most, variance, threshold, stay, monotone = asked
    table = md.cell_key_table(most, variance, threshold=threshold, stay=stay, monotone=monotone)
    assert table.gap <= 1e-12 and table.variance == (variance if isinstance(variance, F) else F(str(variance)))
    for row in table.rows[1:]:
        v, p = row.noise, row.probabilities
        assert min(p) >= 0 and sum(p) == 1
        assert sum(x * y for x, y in zip(v, p, strict=True)) == 0
        assert sum(x * x * y for x, y in zip(v, p, strict=True)) == table.variance == row.variance
        assert all(abs(x) <= most and (row.count + x == 0 or row.count + x > threshold) for x in v)
        if row.count > threshold:
            assert stay is None or row.stay == F(str(stay))
            assert not monotone or (order(v) @ np.array(p)).min() >= 0
        exact = -sum(float(y) * log(y) for y in p if y)
        assert row.entropy <= row.bound and exact == pytest.approx(row.entropy, abs=1e-12)


@pytest.mark.parametrize("asked", ASKED[::3], ids=str)
def test_a_conic_solver_finds_the_same_noise(asked):
    most, variance, threshold, stay, monotone = asked
    table = md.cell_key_table(most, variance, threshold=threshold, stay=stay, monotone=monotone)
    for row in table.rows[1::2]:
        found = solved(row, table)
        assert found == pytest.approx([float(p) for p in row.probabilities], abs=2e-5)
        assert -np.sum(found * np.log(np.maximum(found, 1e-300))) <= row.bound + 1e-6


@pytest.mark.parametrize("asked", [ASKED[3], ASKED[4], ASKED[5], ASKED[7]], ids=str)
def test_no_noise_beside_it_has_more_entropy(asked):
    """Moves along the null space of the constraints, as far as the noise stays feasible."""
    most, variance, threshold, stay, monotone = asked
    table, rng = (
        md.cell_key_table(most, variance, threshold=threshold, stay=stay, monotone=monotone),
        np.random.default_rng(5),
    )
    tried = 0
    for row in table.rows[1:]:
        v, p = np.array(row.noise, dtype=float), np.array(row.probabilities, dtype=float)
        rows = [np.ones_like(v), v, v**2]
        if stay is not None and row.count > threshold:
            rows.append(v == 0)
        moves = null_space(np.array(rows, dtype=float))
        for scale in (0.3, 0.01):
            for _ in range(40 if moves.size else 0):
                other = p + moves @ rng.normal(scale=scale, size=moves.shape[1])
                inside = other.min() > 0 and (not monotone or row.count <= threshold or (order(v) @ other).min() >= 0)
                tried += inside
                assert not inside or -np.sum(other * np.log(other)) <= row.bound + 1e-12
    assert tried > 50


def test_bounds_are_above_and_the_entropy_of_another_family_is_below():
    """Planted: noise of the right moments that is uniform on the outer values, not of the most entropy."""
    asked = Constraints((-2, -1, 0, 1, 2), F(1))
    row, bound = most_entropy(asked)
    other = (F(1, 8), F(0), F(3, 4), F(0), F(1, 8))
    assert asked.fault(other) is None
    assert entropy_enclosed(other)[1] < entropy_enclosed(row)[0] <= bound < entropy_enclosed(row)[0] + F(1, 10**12)


def test_probabilities_are_those_of_a_solution_with_forty_digits():
    """Of the two equations for the multipliers, by mpmath."""
    for row in md.cell_key_table(5, 3, threshold=2).rows[1:4]:
        with mpmath.workdps(40):

            def weights(a, b, noise=row.noise):
                return [mpmath.exp(a * v + b * v * v) for v in noise]

            def moments(a, b, noise=row.noise):
                w = weights(a, b)
                return [sum(x * v**k for x, v in zip(w, noise, strict=True)) / sum(w) - (0, 3)[k - 1] for k in (1, 2)]

            found = weights(*mpmath.findroot(moments, (-0.3, 0.0)))
            expected = [float(w / sum(found)) for w in found]
        assert [float(p) for p in row.probabilities] == pytest.approx(expected, rel=0, abs=2e-15)


def test_the_published_tables_to_their_digits():
    """Of the vignette of the R package ptable 1.0.0 on CRAN, "Introduction to the ptable-Package".

    ``create_cnt_ptable(D = 2, V = 1)``: row i = 2 begins with 0.0638 and has the diagonal 0.383;
    ``create_cnt_ptable(D = 2, V = 1.08, js = 1)``: the count 1 becomes 0, 2 and 3 with 0.5133, 0.46 and 0.0267.
    """
    alike = [float(p) for p in md.cell_key_table(2, 1).rows[2].probabilities]
    assert [round(p, 4) for p in alike[:1]] == [0.0638] and round(alike[2], 3) == 0.383
    small = md.cell_key_table(2, 1.08, threshold=1).rows[1]
    assert small.noise == (-1, 1, 2) and [round(float(p), 4) for p in small.probabilities] == [0.5133, 0.46, 0.0267]


#: What the tests of the R package ptable (version 1.0.0.9000, tests/testthat/test-examples.R) expect of
#: ``pt_ex_cnts()``, which is ``create_cnt_ptable(D = 2, V = 1.05, mono = c(TRUE, TRUE, FALSE, TRUE), js = 1)``.
EXPECTED_OF_PTABLE = (
    (1.00000000,),
    (0.50833333, 0.47500000, 0.01666667),
    (0.16155827, 0.55565037, 0.24246618, 0.04032518),
    (0.41231301, 0.28806097, 0.18693903, 0.11268699),
    (0.07012498, 0.24450007, 0.37074990, 0.24450007, 0.07012498),
)


def test_the_table_that_the_package_ptable_tests_to_eight_digits():
    table = md.cell_key_table(2, 1.05, threshold=1)
    for row, expected in zip(table.rows, EXPECTED_OF_PTABLE, strict=True):
        assert [float(p) for p in row.probabilities] == pytest.approx(expected, rel=0, abs=3e-8)


def test_the_digest_by_which_the_package_cellkey_tests_a_table():
    """Of its tests/testthat/test_countvars.R: 66 lines up to count 8, and means of columns to three digits."""
    table = md.cell_key_table(5, 3, threshold=2, stay=0.5)
    upper = [float(p) for row in table.rows for p in row.cumulative]
    p = [float(p) for row in table.rows for p in row.probabilities]
    assert len(p) == 66 and table.rows[-1].count == 8
    assert round(np.mean(p), 3) == 0.136 and round(np.mean([v for row in table.rows for v in row.noise]), 3) == 1.045
    assert round(np.mean(upper), 3) == 0.698 and round(np.mean(upper) - np.mean(p), 3) == 0.562


def test_the_published_row_that_misses_its_variance_is_of_another_program():
    """The vignette prints 0.3665, 0.3665, 0.1676, 0.0995 with the variance 0.932 for i = 1 of D = 2, V = 1.

    It is the noise of the most entropy with a variance of at most 1, negative values in order; ours has the variance 1.
    """
    table = md.cell_key_table(2, 1)
    printed = solved(table.rows[1], table, monotone=lambda p: p[0] <= p[1], at_most=True)
    assert printed == pytest.approx([0.3665, 0.3665, 0.1676, 0.0995], abs=6e-5)
    assert printed @ np.array(table.rows[1].noise) ** 2 == pytest.approx(0.932, abs=6e-4)
    assert table.rows[1].variance == 1
    # In order on both sides the variance 1 is the largest, and has one distribution.
    assert md.cell_key_table(2, 1, monotone=True).rows[1].probabilities == (F(3, 8), F(3, 8), F(1, 8), F(1, 8))


def test_counts_are_alike_from_where_on_the_package_ptable_has_no_more_rows():
    assert [first_alike(most, threshold) for most, threshold in ((2, 0), (5, 0), (5, 2), (2, 1))] == [2, 5, 8, 4]
    for most, threshold in ((2, 0), (5, 2)):
        last = first_alike(most, threshold)
        assert noise_of(last, most, threshold) == noise_of(last + 9, most, threshold) == tuple(range(-most, most + 1))
        assert noise_of(last - 1, most, threshold) != noise_of(last, most, threshold)


@pytest.mark.parametrize("stay", [None, F(2, 5)])
@pytest.mark.parametrize("monotone", [False, True])
def test_the_range_of_variances_is_the_optimum_of_a_linear_program(stay, monotone):
    """In the probabilities themselves, not in the mixtures that the ranges are derived from."""
    for count, most, threshold in ((1, 3, 0), (2, 3, 0), (3, 4, 2), (4, 5, 2), (1, 4, 2), (9, 4, 2)):
        asked = Constraints.of_count(count, most, F(1), threshold, stay, monotone)
        v = np.array(asked.noise, dtype=float)
        rows, right = [np.ones_like(v), v], [1.0, 0.0]
        if asked.stay is not None:
            rows, right = [*rows, 1.0 * (v == 0)], [*right, float(asked.stay)]
        kept = {"A_ub": -order(v), "b_ub": np.zeros(len(v) - 1)} if asked.monotone else {}
        ends = [linprog(sign * v**2, A_eq=rows, b_eq=right, **kept) for sign in (1, -1)]
        assert ends[0].fun == pytest.approx(float(asked.variances[0]), abs=1e-9)
        assert -ends[1].fun == pytest.approx(float(asked.variances[1]), abs=1e-9)
        assert all(moment(asked.noise, row, 1) == 0 for row in asked.extremes)


def test_variances_at_and_near_the_ends_of_their_range():
    noise = (-1, 0, 1, 2, 3)
    only, bound = most_entropy(Constraints(noise, F(3)))
    assert only == (F(3, 4), 0, 0, 0, F(1, 4)) and bound - entropy_enclosed(only)[0] < F(1, 10**60)
    for near in (F(3) - F(1, 10**9), F(3) - F(1, 10**18), F(1, 10**12), F(1, 10**30)):
        asked = Constraints(noise, near)
        row, above = most_entropy(asked)
        assert asked.fault(row) is None and 0 <= above - entropy_enclosed(row)[0] < F(1, 10**9)
    ordered = Constraints(noise, F(4, 3), monotone=True)
    row, above = most_entropy(ordered)
    assert ordered.fault(row) is None and above - entropy_enclosed(row)[0] < F(1, 10**6)


def test_what_violates_a_constraint_is_named():
    asked = Constraints((-1, 0, 1, 2), F(1, 2), stay=F(6, 10), monotone=True)
    fine = (F(13, 60), F(6, 10), F(3, 20), F(1, 30))
    assert asked.fault(fine) is None
    faults = {
        (F(1, 4), F(1, 2), F(1, 4)): "3 probabilities for 4 values",
        (F(13, 60), F(6, 10), F(4, 20), F(-1, 60)): "of 2 is negative",
        (F(13, 60), F(6, 10), F(3, 20), F(2, 60) + F(1, 10**20)): "its sum",
        (F(14, 60), F(6, 10), F(2, 20), F(4, 60)): "its mean",
        (F(2, 10), F(6, 10), F(2, 10), F(0)): "its variance is 2/5",
        (F(1, 4), F(1, 2), F(1, 4), F(0)): "probability of 0 is 1/2",
        (F(7, 30), F(6, 10), F(1, 10), F(1, 15)): "its variance",
    }
    for row, said in faults.items():
        assert said in asked.fault(row)
    unordered = Constraints((-2, -1, 0, 1, 2), F(1), monotone=True)
    assert unordered.fault((F(1, 8), F(0), F(3, 4), F(0), F(1, 8))) == "of -2 and -1 the one farther from 0 is likelier"


@pytest.mark.parametrize(
    ("most", "threshold", "stay", "needed"), [(6, 0, F(1, 2), 12), (12, 0, F(1, 4), 16), (5, 1, F(3, 5), 8)]
)
def test_the_largest_noise_that_a_refusal_recommends_is_the_least_that_does(most, threshold, stay, needed):
    variance = F(most + (threshold > 0))
    with pytest.raises(md.InfeasibleError, match=f"or maximum_noise={needed}"):
        md.cell_key_table(most, variance, threshold=threshold, stay=stay)
    with pytest.raises(md.InfeasibleError):
        md.cell_key_table(needed - 1, variance, threshold=threshold, stay=stay)
    assert md.cell_key_table(needed, variance, threshold=threshold, stay=stay).gap <= 1e-9
