"""The hot path: no modelling layer, exact checks in bulk, merged inputs, ceilings on memory and time."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.columns.metric_pairs import ExactPairs, needed
from mechdesign.exact import dyadic, exp_below, integer_rows, product, scaled_rows
from mechdesign.notions.exact_check import columns_hold, exact_check
from mechdesign.solve.programs.merged_inputs import alike
from mechdesign.solve.repair.exactly_private import _least_step, repair, round_rows
from mechdesign.solve.routes import columns
from mechdesign.solve.routes.columns import decision_program
from mechdesign.solve.solvers import rule as solver_rule
from mechdesign.solve.solvers.linear import solve_costs, solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram
from mechdesign.solve.task.refusals import Refusals


def line_problem(n: int, seed: int = 0) -> md.Problem:
    rng = np.random.default_rng(seed)
    return md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))


def plane(n: int, seed: int = 0) -> np.ndarray:
    places = np.random.default_rng(seed).random((n, 2))
    return np.hypot(*(places[:, None] - places).transpose(2, 0, 1))


def near(n: int, m: int, rng: np.random.Generator, spread: float = 0.4) -> np.ndarray:
    """Return a random matrix of moderate ratios, as integers over 2**53."""
    raw = rng.dirichlet(np.ones(m)) * np.exp(rng.uniform(-spread, spread, (n, m)))
    return round_rows(raw / raw.sum(axis=1, keepdims=True))


def several(n: int) -> list[md.Notion]:
    problem = line_problem(n)
    line = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / 3.0
    return [
        md.LDP(0.5),
        md.LIP(0.3),
        md.MaxLift(0.3),
        md.AsymmetricLIP(0.3, math.inf),
        md.WorstCaseLIP(0.5),
        md.BoundedPriorLIP(0.4, problem.prior / 2, np.minimum(1.0, 2 * problem.prior)),
        md.MetricDP(0.5, line),
        md.MetricDP(1.0, plane(n)),
        md.BlockLDP(0.4, [(0, 1), (2, 3)]),
        md.StrongL1(0.15),
        md.StrongChiSquare(0.15),
        md.UtilityOptimizedLDP(0.5, [0, 1]),
    ]


# Exact arithmetic in bulk.


def test_products_of_large_integers_are_exact():
    rng = np.random.default_rng(0)
    for _ in range(20):
        left = np.array(
            [[int(x) << int(s) for x, s in zip(rng.integers(0, 2**62, 7), rng.integers(0, 90, 7), strict=True)]]
        )
        right = rng.integers(0, 2**53, (7, 4))
        assert np.all(product(left, right) == left.astype(object) @ right.astype(object))
        assert np.all(product(left[0], right) == (left.astype(object) @ right.astype(object))[0])


def test_rows_are_normalised_at_once_as_one_by_one():
    rng = np.random.default_rng(1)
    for _ in range(20):
        matrix = rng.dirichlet(np.ones(4), size=3)
        matrix[0, 1] = 0.0
        matrix /= matrix.sum(axis=1, keepdims=True)
        quick, slow = scaled_rows(matrix), integer_rows(matrix)
        assert quick is not None
        total = int(quick[0].sum()), int(slow[0].sum())
        assert np.all(quick * total[1] == slow * total[0])
    assert scaled_rows(np.array([[0.5, 0.6], [0.5, 0.5]])) is None
    assert scaled_rows(np.array([[-0.5, 1.5]])) is None


@pytest.mark.parametrize("missed", [1e-3, 1e-6, 2e-9, -1e-6, -2e-9])
def test_an_array_has_to_sum_to_one_as_closely_as_lists(missed):
    """What is quick is no laxer: rows that miss one by more than 1e-9 are refused in either form, others in neither."""
    matrix = np.array([[0.5, 0.5 + missed], [0.25, 0.75]])
    for given in (matrix, matrix.tolist()):
        with pytest.raises(md.DomainError, match=r"matrix\[0\].*sum to 1 within 1e-9"):
            md.audit(given, md.LDP(1.0))
    near = np.array([[0.5, 0.5 + 1e-3 * np.sign(missed) * 1e-7], [0.25, 0.75]])
    assert float(md.audit(near, md.LDP(1.0))) == float(md.audit(near.tolist(), md.LDP(1.0)))


def test_rows_without_a_short_common_multiple_are_rounded_by_next_to_nothing():
    matrix = np.random.default_rng(2).dirichlet(np.ones(80), size=100)
    found = scaled_rows(matrix)
    assert found is not None and len(set(found.sum(axis=1))) == 1
    total = int(found[0].sum())
    for x, y in ((0, 0), (50, 3), (99, 79)):
        exact = Fraction(matrix[x, y]) / sum(map(Fraction, matrix[x]))
        assert abs(Fraction(int(found[x, y]), total) / exact - 1) <= Fraction(1, 2**120)


@pytest.mark.parametrize("notion", several(6), ids=str)
def test_columns_are_checked_as_they_are_one_by_one(notion):
    problem, rng, seen = notion.inputs(line_problem(6)), np.random.default_rng(3), set()
    for spread in (0.05, 0.15, 0.3, 0.6):
        numerators = near(6, 5, rng, spread)
        found = columns_hold(notion, numerators, problem)
        one_by_one = [notion.holds_exactly(numerators[:, [y]], problem) for y in range(5)]
        assert found.tolist() == one_by_one
        assert notion.holds_exactly(numerators, problem) == all(one_by_one)
        seen |= set(one_by_one)
        at = exact_check(notion, numerators, problem)
        for level in (0.1, 0.25, 0.5, 1.0):
            assert at(level) == notion.at(level).holds_exactly(numerators, problem)
    assert seen == {True, False}


def brute_force_metric(epsilon: float, distance: np.ndarray, seen: np.ndarray) -> bool:
    """Compare every ordered pair in fractions."""
    for s, t in np.argwhere(np.isfinite(distance) & ~np.eye(len(distance), dtype=bool)):
        ratio = exp_below(Context(prec=1600).multiply(Decimal(epsilon), Decimal(float(distance[s, t]))))
        if any(int(a) * ratio.denominator > int(b) * ratio.numerator for a, b in zip(seen[s], seen[t], strict=True)):
            return False
    return True


def test_pairs_of_a_metric_are_checked_as_by_brute_force():
    rng, verdicts = np.random.default_rng(4), []
    for trial in range(200):
        n = int(rng.integers(2, 7))
        distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) * 0.1 if trial % 2 else plane(n, trial)
        if trial % 5 == 0 and n > 3:
            distance[0, 1:] = distance[1:, 0] = math.inf
        epsilon = float(rng.choice([0.05, 0.5, 2.0]))
        seen = near(n, 3, rng, float(rng.choice([0.0, 0.02, 0.1, 0.5])))
        if trial % 7 == 0:
            seen[0, 0] = 0
        if trial % 3 == 0:
            # Just at the limit of one pair, or just beyond it.
            ratio = exp_below(Context(prec=1600).multiply(Decimal(epsilon), Decimal(float(distance[-2, -1]))))
            seen = seen.astype(object)
            seen[:] = ratio.denominator
            seen[-1, 0] = ratio.numerator + trial % 2
        pairs = ExactPairs(distance, needed(distance), seen)
        verdicts.append(brute_force_metric(epsilon, distance, seen))
        assert pairs.hold(epsilon) == verdicts[-1] == bool(pairs.columns_hold(epsilon).all()), trial
    assert 20 < sum(verdicts) < 180


def test_only_pairs_that_are_no_longer_than_a_chain_in_exact_arithmetic_are_left_out():
    assert len(needed(np.abs(np.subtract.outer(range(50), range(50))) * 1.0)[0]) == 49
    # As floats 0.1 + 0.2 is more than 0.3: the chain does not imply the pair.
    short = np.array([[0.0, 0.1, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]])
    assert Fraction(0.1) + Fraction(0.2) > Fraction(0.3)
    assert len(needed(short)[0]) == 3


def test_a_matrix_of_many_inputs_is_checked():
    n = 300
    problem, numerators = line_problem(n), near(n, n, np.random.default_rng(5))
    matrix = np.ldexp(numerators.astype(float), -53)
    line = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / n
    for notion in (md.LDP(1.0), md.LIP(1.0), md.MaxLift(1.0), md.AsymmetricLIP(1.0, 1.0), md.MetricDP(1.0, line)):
        report = md.audit(matrix, notion, problem)
        assert report.holds == (not isinstance(notion, md.MetricDP))
    # One entry too many is found.
    moved = matrix[0, 0]
    matrix[0, 0] = 0.0
    matrix[0, 1] += moved
    assert not md.audit(matrix, md.LDP(1.0), problem).holds


# What was not asked is not paid for.

FIRST_CALL = """
import sys
import mechdesign as md
problem = md.Problem(prior=[0.1] * 10, values=range(10))
for notion, objective in ((md.LDP(1.0), md.AbsoluteError()), (md.LIP(1.0), md.MMSE()), (md.LDP(1.0), md.MMSE())):
    made = md.design(problem, notion, objective)
assert "cvxpy" not in sys.modules, "cvxpy"
crawled = [name for name in sys.modules if name.startswith("mechdesign.theorems.") and name.count(".") > 2]
print(len(crawled))
made.refusals["closed_form"]
print(len([name for name in sys.modules if name.startswith("mechdesign.theorems.") and name.count(".") > 2]))
"""


def test_a_first_design_loads_no_modelling_layer_and_crawls_no_theorems():
    told = subprocess.run([sys.executable, "-c", FIRST_CALL], check=True, capture_output=True, text=True).stdout.split()
    assert int(told[0]) < 10 < int(told[1]), told


def test_sentences_of_other_routes_are_worked_out_when_read():
    asked = []

    def why() -> str:
        asked.append(1)
        return "slow"

    refusals = Refusals({"rays": "known"}, {"convex": why, "columns": why})
    assert list(refusals) == ["rays", "convex", "columns"] and len(refusals) == 3 and not asked
    assert refusals["convex"] == refusals["convex"] == "slow" and len(asked) == 1
    assert dict(refusals.but({"rays": "later"}, "columns")) == {"rays": "later", "convex": "slow"}
    assert dict(pickle.loads(pickle.dumps(md.design(line_problem(4), md.LDP(1.0), md.MMSE()).refusals)))


# Structure.


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(1.0), md.MaxLift(0.7)], ids=str)
def test_alike_inputs_are_merged_and_split_back(notion, monkeypatch):
    for seed, (n, kinds) in enumerate(((7, 3), (12, 5), (40, 6))):
        rng = np.random.default_rng(seed)
        kind = np.concatenate([np.arange(kinds), rng.integers(0, kinds, n - kinds)])
        loss, problem = rng.random((kinds, 4))[kind], md.Problem(prior=rng.dirichlet(np.ones(n)))
        objective = md.ExpectedLoss(loss)
        groups = alike(notion.columns(problem).cone(), objective.gains(problem))
        assert groups is not None and groups.group.max() + 1 == kinds
        assert groups.merged(objective.gains(problem)).sum() == pytest.approx(objective.gains(problem).sum())
        made = md.design(problem, notion, objective)
        with monkeypatch.context() as patched:
            patched.setattr(columns, "alike", lambda cone, gains: None)
            plain = md.design(problem, notion, objective)
        assert made.gap <= 1e-7 and made.value == pytest.approx(plain.value, rel=1e-7)
        for group in range(kinds):
            same = made.matrix[groups.group == group]
            assert np.abs(same - same[0]).max() <= 2**-50
    assert alike(notion.columns(problem).cone(), rng.random((4, n))) is None


def test_inputs_of_one_loss_but_not_one_share_of_the_prior_stay_apart_under_a_mass():
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    gains = np.array([[0.2, 0.2, 0.7], [0.4, 0.4, 0.1]])
    assert alike(md.LDP(1.0).cone(problem), gains) is not None
    assert alike(md.LIP(1.0).cone(problem), gains) is None


def test_programs_of_one_region_are_solved_as_one_by_one():
    rng = np.random.default_rng(6)
    problem = line_problem(8)
    program, _ = decision_program(md.MetricDP(1.0, plane(8)).cone(problem), md.AbsoluteError().gains(problem))
    costs = rng.normal(size=(5, len(program.cost)))
    for cost, found in zip(costs, solve_costs(program, costs), strict=True):
        alone = solve_linear(LinearProgram(cost, program.rows, program.row_low, program.row_high))
        assert cost @ found.point == pytest.approx(cost @ alone.point, abs=1e-8)


def test_the_solver_is_the_one_that_was_measured_to_be_quickest():
    problem = line_problem(60)
    block = md.BlockLDP(1.0, [tuple(range(30)), tuple(range(30, 60))])
    for notion, shape, solver in (
        (md.LDP(1.0), "band", "STRUCTURED"),
        (block, "levels", "HIGHS"),
        (md.StrongL1(0.5), "rows", "CLARABEL"),
        (md.MetricDP(1.0, plane(60)), "rows", "CLARABEL"),
        (md.LIP(1.0) & md.LDP(1.0), "rows", "CLARABEL"),
        (md.ProfileDP(1.0, np.random.default_rng(1).dirichlet(np.ones(60), size=2), ((0, 1),)), "few rows", "HIGHS"),
    ):
        cone = notion.cone(md.Problem(values=problem.values) if isinstance(notion, md.ProfileDP) else problem)
        assert solver_rule.shape_of(cone) == shape
        assert solver_rule.chosen(cone, 3600) == solver and solver_rule.chosen(cone, 900) == "HIGHS"
        assert solver_rule.by_vertex(cone, 900)


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.7), md.MaxLift(0.5)])
def test_rounding_costs_a_trifle_and_a_violation_what_it_is(notion):
    problem, rng = line_problem(30), np.random.default_rng(2)
    made = md.design(problem, notion, md.AbsoluteError()).matrix
    rounded = made * (1.0 + 2e-16 * rng.normal(size=made.shape))
    found = repair(rounded, notion, problem, keep_outputs=True)
    assert notion.holds_exactly(dyadic(found.matrix), problem)
    assert found.mixed == 2.0**-44 and np.abs(found.matrix - made).max() <= 2.0**-43
    off = made * (1.0 + 1e-9 * rng.random(size=made.shape))
    found = repair(off, notion, problem, keep_outputs=True)
    assert notion.holds_exactly(dyadic(found.matrix), problem) and np.abs(found.matrix - made).max() <= 1e-7


def test_zeros_stay_zeros_where_they_are_private():
    problem, notion = line_problem(6), md.ApproximateLDP(0.0, 1.0)
    told = np.eye(6) * 0.9 + 0.1 / 3 * (np.arange(6) < 3)
    assert np.array_equal(repair(told, notion, problem).matrix == 0, told == 0)


@pytest.mark.parametrize("last", [None, *range(53)])
def test_the_least_share_that_passes_is_found_in_few_tries(last):
    tried = []

    def passes(step: int) -> bool:
        tried.append(step)
        return last is not None and step >= last

    assert _least_step(passes) == last
    assert len(tried) <= 13 and len(set(tried)) == len(tried)


# Manners of memory and time.


def test_what_would_take_too_much_memory_is_refused_before_it_is_built():
    problem = line_problem(250)
    notion = md.MetricDP(1.0, plane(250))
    with pytest.raises(md.UnsupportedError, match=r"about 19.2 GB, more than the memory_limit of 4 GB") as told:
        md.design(problem, notion, md.AbsoluteError(), memory_limit=4.0, route="columns")
    assert "a larger memory_limit=" in str(told.value)
    small, places = line_problem(100), md.MetricDP(1.0, plane(100))
    with pytest.warns(md.GapWarning, match="kernels"):
        made = md.design(small, places, md.AbsoluteError(), memory_limit=0.01)
    assert made.route == "kernels" and made.refusals["columns"] == made.refusals["convex"]
    with pytest.raises(
        md.UnsupportedError, match=r"rays refuses: .* 0\.0413 GB, more than the memory_limit of 0\.01 GB"
    ):
        md.design(line_problem(14), md.LDP(1.0), md.MMSE(), route="rays", memory_limit=0.01)
    assert md.design(line_problem(5), md.LDP(1.0), md.MMSE(), route="rays", memory_limit=0.01).gap <= 1e-6
    with pytest.raises(md.DomainError, match="memory_limit"):
        md.design(problem, notion, md.AbsoluteError(), memory_limit=-1.0)
