"""`md.more_informative` against brute force over processings, exactly in fractions, and whatever a solver says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact.linear_systems import solution_of
from mechdesign.solve.solvers.linear_program import LinearSolution, SolverStats
from tests.helpers.changed_solvers import taking

F = Fraction


def distance(a, b, r):
    """Return the largest total variation between the rows of A R and B."""
    return 0.5 * np.abs(np.asarray(a) @ r - b).sum(axis=1).max()


def earned(matrix, gains):
    """Return what the best use of the outputs earns where all inputs are equally likely."""
    entries = [[F(entry) for entry in row] for row in np.asarray(matrix).tolist()]
    wins = [[F(entry) for entry in row] for row in np.asarray(gains).tolist()]
    pairs = list(zip(entries, wins, strict=True))
    by_output = [
        max(sum(row[z] * win[y] for row, win in pairs) for y in range(len(wins[0]))) for z in range(len(entries[0]))
    ]
    return sum(by_output) / len(pairs)


@pytest.mark.parametrize("seed", range(4))
def test_the_deficiency_is_that_of_all_processings(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.dirichlet([1, 1], size=2), rng.dirichlet([1, 1], size=2)
    grid = np.linspace(0, 1, 401)
    least = min(distance(a, b, np.array([[u, 1 - u], [v, 1 - v]])) for u in grid for v in grid)
    found = md.more_informative(a, b)
    assert found.least_deficiency <= least + 1e-12 and least <= found.deficiency + 1 / 400
    assert found.deficiency - found.least_deficiency < 1e-9


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_processed_mechanism_is_never_more_informative(n, rng):
    a, r = rng.dirichlet(np.ones(n), size=n), rng.dirichlet(np.ones(n + 1), size=n)
    shown = md.more_informative(a, a @ r)
    assert shown and distance(a, a @ r, shown.processing) < 1e-12
    back = md.more_informative(a @ r, a)
    assert back.answer == "no" and not back and 0 < back.least_deficiency <= back.deficiency
    assert earned(a, back.gains) - earned(a @ r, back.gains) >= back.least_deficiency * (1 - 1e-12)
    assert float(np.max(back.gains, axis=1).mean()) == pytest.approx(1, abs=1e-12)


def test_fractions_are_decided_exactly():
    strong = [[F(2, 3), F(1, 3)], [F(1, 3), F(2, 3)]]
    edge = [[F(2, 3), F(1, 3)], [F(1, 3), F(2, 3)]]
    assert md.more_informative(strong, edge).answer == "yes"
    # Planted: one part in a million beyond what any processing reaches.
    beyond = [[F(2, 3) + F(1, 10**6), F(1, 3) - F(1, 10**6)], [F(1, 3), F(2, 3)]]
    shown = md.more_informative(strong, beyond)
    assert shown.answer == "no" and 0 < shown.least_deficiency <= 1e-6


def test_outputs_that_are_merged_split_or_renamed():
    problem = md.Problem(prior=[0.1, 0.2, 0.3, 0.4])
    made = md.design(problem, md.LDP(1.0), md.HammingLoss())
    matrix = np.asarray(made.matrix)
    split = np.column_stack([matrix / 2, matrix / 2])
    assert md.more_informative(split, made).answer == md.more_informative(made, split).answer == "yes"
    assert md.more_informative(made.mechanism, matrix[:, ::-1]).answer == "yes"
    merged = np.column_stack([matrix[:, :2].sum(axis=1), matrix[:, 2:]])
    assert md.more_informative(made, merged).answer == "yes" and not md.more_informative(merged, made)


def test_the_identity_is_above_everything_and_a_constant_below(rng):
    some = rng.dirichlet(np.ones(3), size=4)
    assert md.more_informative(np.eye(4), some).answer == "yes"
    assert md.more_informative(some, np.full((4, 1), 1.0)).answer == "yes"
    assert md.more_informative(np.full((4, 2), 0.5), some).answer == "no"


def test_randomised_response_at_a_lower_level_is_degraded():
    problem = md.Problem(n=3)
    high, low = (md.baselines.randomised_response(problem, level) for level in (2.0, 1.0))
    assert md.more_informative(high, low) and not md.more_informative(low, high)


def test_some_mechanisms_have_no_order():
    # One names the first input, the other the last.
    first, last = [[0.9, 0.1], [0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5], [0.1, 0.9]]
    assert md.more_informative(first, last).answer == md.more_informative(last, first).answer == "no"


def test_what_is_too_long_for_fractions_holds_up_to_rounding(rng):
    a = rng.dirichlet(np.ones(12), size=12)
    shown = md.more_informative(a, a @ rng.dirichlet(np.ones(12), size=12))
    assert shown and shown.answer == "up to rounding" and shown.deficiency < 1e-12


@pytest.mark.parametrize("scale", [0.0, 1.0, -1e6])
def test_a_solver_that_lies_proves_nothing(scale, monkeypatch, rng):
    def lying(program, **options):
        noise = scale * rng.normal(size=len(program.cost))
        return LinearSolution(
            noise, scale * rng.normal(size=program.rows.shape[0]), SolverStats("HIGHS", "Optimal", 0.0, 1)
        )

    a, r = rng.dirichlet(np.ones(3), size=3), rng.dirichlet(np.ones(3), size=3)
    honest = md.more_informative(a @ r, a)
    monkeypatch.setitem(*taking("HIGHS", lying))
    assert md.more_informative(a, a @ r).least_deficiency == 0.0
    shown = md.more_informative(a @ r, a)
    assert shown.answer != "yes" and shown.least_deficiency <= honest.deficiency <= shown.deficiency + 1e-12


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([[0.5, 0.6]], [[1.0]], "first"),
        ([[0.5, 0.5]], [[-1.0, 2.0]], "second"),
        (np.eye(2), np.eye(3), "second is of 3 inputs"),
        ("a.json", np.eye(3), "first"),
        (None, np.eye(3), "first"),
    ],
)
def test_what_is_no_pair_of_mechanisms_is_refused(first, second, said):
    with pytest.raises(md.DomainError, match=said):
        md.more_informative(first, second)


def test_too_large_a_program_is_refused():
    large = np.full((300, 200), 1 / 200)
    with pytest.raises(md.UnsupportedError, match="merge outputs"):
        md.more_informative(large, large)


def test_equations_without_a_solution_have_none():
    assert solution_of([{0: F(1)}, {0: F(2)}], [F(1), F(3)]) is None
    assert solution_of([{0: F(1), 1: F(1)}, {0: F(2), 1: F(2)}], [F(1), F(2)]) == {0: F(1), 1: F(0)}


@pytest.mark.parametrize("seed", range(3))
def test_equations_in_fractions_hold_exactly(seed):
    rng = np.random.default_rng(seed)
    matrix = [[F(int(entry), 7) for entry in row] for row in rng.integers(-9, 9, size=(5, 5))]
    wanted = [F(int(entry), 3) for entry in rng.integers(-9, 9, size=5)]
    right = [sum(a * x for a, x in zip(row, wanted, strict=True)) for row in matrix]
    found = solution_of([dict(enumerate(row)) for row in matrix], right)
    assert [sum(a * found[i] for i, a in enumerate(row)) for row in matrix] == right
