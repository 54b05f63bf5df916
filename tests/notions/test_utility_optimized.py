"""Utility-optimised LDP against brute force over its union of cones, and what tells it from a convex notion."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.solve.pricing.revealing_outputs import decided, reveals
from mechdesign.solve.repair.exactly_private import repair
from tests.helpers import brute_force as brute

PRIOR, VALUES = [0.1, 0.2, 0.3, 0.4], [0.0, 1.0, 3.0, 7.0]
SENSITIVE = [(), (0,), (3,), (0, 1), (1, 3), (0, 2, 3), (0, 1, 2, 3)]
ROUTES = ("rays", "columns", "convex")


def asked(n: int) -> md.Problem:
    prior = np.array(PRIOR[:n]) / sum(PRIOR[:n])
    return md.Problem(prior=prior, values=VALUES[:n])


def vectors(n: int, epsilon: float, sensitive: tuple[int, ...]) -> np.ndarray:
    """Return the subset vectors of LDP and the unit vectors of what is not sensitive."""
    return np.hstack([brute.ldp_vectors(n, epsilon), np.eye(n)[:, [x for x in range(n) if x not in sensitive]]])


def answers(problem: md.Problem, notion: md.Notion, objective: md.Objective) -> dict[str, md.Design]:
    """Return the design of every route that accepts."""
    made = {}
    for route in ROUTES:
        try:
            made[route] = md.design(problem, notion, objective, route=route)
        except md.UnsupportedError:
            continue
    return made


def check(made: md.Design, truth: float, epsilon: float, sensitive: tuple[int, ...]) -> None:
    """Hold a design against the optimum and the definition of the notion, in fractions."""
    assert made.gap <= 1e-6
    assert made.value == pytest.approx(truth, rel=2e-6, abs=1e-9)
    most = brute.exponential_below(epsilon)
    for column in made.matrix.T:
        entries = [Fraction(float(entry)) for entry in column]
        positive = [x for x, entry in enumerate(entries) if entry > 0]
        reveals_one = len(positive) == 1 and positive[0] not in sensitive
        assert reveals_one or max(entries) <= most * min(entries)
    assert all(sum(map(Fraction, map(float, row))) == 1 for row in made.matrix)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("sensitive", SENSITIVE)
@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_sums_over_columns_by_brute_force(sensitive: tuple[int, ...], epsilon: float) -> None:
    n = max(3, len(sensitive), max(sensitive, default=0) + 1)
    problem, notion = asked(n), md.UtilityOptimizedLDP(epsilon, sensitive)
    assert problem.prior is not None
    columns = vectors(n, epsilon, sensitive)
    first, second = np.arange(1.0, n + 1), np.arange(n, 0.0, -1)
    pair = {"first": first / first.sum(), "second": second / second.sum()}
    loss = np.abs(np.subtract.outer(VALUES[:n], [0.5, 2.0, 6.0])) ** 1.5
    truths = {
        md.MMSE(): -brute.optimum(columns, -brute.squared_error(columns, problem.prior, problem.values)),
        md.MutualInformation(): brute.optimum(columns, brute.information(columns, problem.prior)),
        md.TotalVariation(**pair): brute.optimum(columns, brute.divergence("TotalVariation", columns, **pair)),
        md.ExpectedLoss(loss): -brute.optimum(columns, -brute.least_loss(columns, problem.prior, loss)),
    }
    for objective, truth in truths.items():
        made = answers(problem, notion, objective)
        assert len(made) >= (3 if isinstance(objective, md.ExpectedLoss) else 1)
        for design in made.values():
            if truth > 1e-6:
                check(design, truth, epsilon, sensitive)
            else:
                assert abs(design.value) <= 1e-9


def worst_loss(loss: np.ndarray, epsilon: float, sensitive: tuple[int, ...]) -> float:
    """Return the least worst loss: every input that is not sensitive may be revealed under any decision."""
    n, m = loss.shape
    free = [x for x in range(n) if x not in sensitive]
    size = n * m + len(free) * m + 1
    upper, sums = [], np.zeros((n, size))
    for x in range(n):
        row = np.zeros(size)
        row[x * m : (x + 1) * m] = loss[x]
        sums[x, x * m : (x + 1) * m] = 1.0
        if x in free:
            own = slice(n * m + free.index(x) * m, n * m + (free.index(x) + 1) * m)
            row[own], sums[x, own] = loss[x], 1.0
        row[-1] = -1.0
        upper.append(row)
        for other in set(range(n)) - {x}:
            for y in range(m):
                rule = np.zeros(size)
                rule[x * m + y], rule[other * m + y] = 1.0, -math.exp(epsilon)
                upper.append(rule)
    bounds = [(0, None)] * (size - 1) + [(None, None)]
    found = linprog(np.eye(size)[-1], A_ub=upper, b_ub=np.zeros(len(upper)), A_eq=sums, b_eq=np.ones(n), bounds=bounds)
    assert found.status == 0
    return float(found.fun)


def largest_lie(epsilon: float, sensitive: tuple[int, ...]) -> float:
    """Return the least largest entry off the diagonal for three inputs: whoever is revealed is told right."""
    at = {(x, y): 3 * x + y for x in range(3) for y in range(3)}
    upper, sums = [], np.zeros((3, 13))
    for (x, y), place in at.items():
        sums[x, place] = 1.0
        for other in set(range(3)) - {x}:
            rule = np.zeros(13)
            rule[place], rule[at[other, y]] = 1.0, -math.exp(epsilon)
            upper.append(rule)
        if x != y:
            rule = np.zeros(13)
            rule[place], rule[-1] = 1.0, -1.0
            upper.append(rule)
    for x in set(range(3)) - set(sensitive):
        sums[x, 9 + x] = 1.0
    found = linprog(np.eye(13)[-1], A_ub=upper, b_ub=np.zeros(len(upper)), A_eq=sums, b_eq=np.ones(3))
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize("sensitive", [(0,), (1, 2), (0, 1, 2)])
def test_worst_cases_by_a_program_of_their_own(sensitive: tuple[int, ...], rng: np.random.Generator) -> None:
    for _ in range(4):
        # Losses of both signs, and another number of decisions than inputs.
        loss, epsilon = rng.normal(size=(3, 4)), float(rng.uniform(0.2, 2.0))
        notion = md.UtilityOptimizedLDP(epsilon, sensitive)
        made = md.design(md.Problem(n=3), notion, md.WorstCaseLoss(loss))
        check(made, worst_loss(loss, epsilon, sensitive), epsilon, sensitive)
        off = md.design(md.Problem(n=3), notion, md.MaxOffDiagonal())
        check(off, largest_lie(epsilon, sensitive), epsilon, sensitive)


def test_all_sensitive_is_ldp() -> None:
    problem = asked(4)
    for objective in (md.MMSE(), md.HammingLoss(), md.MaxOffDiagonal(), md.MutualInformation()):
        ours = md.design(problem, md.UtilityOptimizedLDP(0.8, range(4)), objective)
        theirs = md.design(problem, md.LDP(0.8), objective)
        assert ours.value == pytest.approx(theirs.value, rel=1e-9)


def test_none_sensitive_tells_everything() -> None:
    problem = asked(3)
    notion = md.UtilityOptimizedLDP(0.0, ())
    for objective in (md.MMSE(), md.HammingLoss(), md.WorstCaseLoss(1 - np.eye(3))):
        made = md.design(problem, notion, objective)
        assert abs(made.value) <= 1e-9
        assert float(made.audit) == 0.0
    assert md.audit(np.eye(3), notion).holds
    assert not md.audit(np.eye(3), md.UtilityOptimizedLDP(50.0, (1,))).holds


def test_fewer_sensitive_inputs_never_cost_utility() -> None:
    problem = asked(4)
    values = [md.design(problem, md.UtilityOptimizedLDP(1.0, range(k)), md.MMSE()).value for k in range(5)]
    assert all(fewer < more for fewer, more in pairwise(values))


def test_outputs_are_named_and_saved(tmp_path) -> None:
    problem = md.Problem(prior=[0.2, 0.3, 0.5], labels=["HIV", "flu", "none"])
    made = md.design(problem, md.UtilityOptimizedLDP(1.0, [0]), md.HammingLoss())
    assert made.mechanism.outputs == ("HIV", "flu (flu revealed)", "none (none revealed)")
    assert md.load(made.mechanism.save(tmp_path / "made.json")) == made.mechanism
    folded = decided(made.by_decision, md.HammingLoss(), problem)
    assert folded.shape == (3, 3)
    assert md.HammingLoss().value(folded, problem) == pytest.approx(made.value, rel=1e-12)


def test_rules_of_the_users_own_reach_the_revealing_outputs() -> None:
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    notion, objective = md.UtilityOptimizedLDP(1.0, [0]), md.ExpectedLoss(np.abs(np.subtract.outer(range(3), range(3))))
    silent = md.design(problem, notion, objective, subject_to=lambda Q: [Q[:, 3:] == 0])
    assert silent.value == pytest.approx(md.design(problem, md.LDP(1.0), objective).value, rel=1e-6)
    half = md.design(problem, notion, objective, subject_to=lambda Q: [Q[1, 3] + Q[2, 4] <= 0.5])
    assert half.gap <= 1e-6
    free = md.design(problem, notion, objective)
    assert free.value < half.value < silent.value
    assert half.audit.holds


def test_every_route_and_solver_agrees() -> None:
    table = md.compare(asked(4), md.UtilityOptimizedLDP(0.7, [1, 2]), md.AbsoluteError())
    assert table.consistent
    assert {row.route for row in table if row.outcome == "certified"} == {"rays", "columns", "convex"}
    assert table.spread <= 1e-6


# Neither convex nor closed under post-processing ----------------------------------------------------------------


def revealing_matrix(notion: md.UtilityOptimizedLDP, rng: np.random.Generator) -> np.ndarray:
    """Return a matrix on the edge of the notion over 4 inputs, not sensitive ones half revealed."""
    low, told = math.exp(-notion.epsilon), np.array([0.0 if x in notion.sensitive else 0.5 for x in range(4)])
    # Rows of the protected part have different sums: columns are subsets weighed so that each row has its own.
    columns = np.hstack([low + (1 - low) * np.eye(4), np.ones((4, 1))])
    need = 1.0 - told
    weights = linprog(rng.normal(size=5), A_eq=columns, b_eq=need, method="highs").x
    return np.hstack([columns * weights, np.diag(told)[:, [x for x in range(4) if x not in notion.sensitive]]])


def test_repair_keeps_the_support_and_mixes_on_the_protected_outputs(rng: np.random.Generator) -> None:
    notion, problem = md.UtilityOptimizedLDP(2.0, (0, 2)), md.Problem(n=4)
    for _ in range(10):
        matrix = revealing_matrix(notion, rng)
        noisy = matrix.copy()
        noisy[:, :5] *= 1 + 1e-9 * rng.normal(size=(4, 5))
        fixed = repair(noisy, notion, problem, keep_outputs=True)
        assert np.abs(fixed.matrix - matrix).max() <= 1e-7
        zeros = matrix[:, 5:] == 0
        assert np.all(fixed.matrix[:, 5:][zeros] == 0)
        assert reveals(fixed.matrix[:, 5:], (1, 3)).all()
        # To mix on every output would put the sensitive inputs on outputs that are not protected.
        mixed = 0.999 * matrix + 0.001 * matrix.mean(axis=0)
        assert notion.level(mixed, problem).value > 6.0


def test_level_counts_only_single_inputs_that_are_not_sensitive() -> None:
    notion, problem = md.UtilityOptimizedLDP(1.0, (0,)), md.Problem(n=3)
    matrix = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.25, 0.75, 0.0]])
    found = notion.level(matrix, problem)
    assert found.value == pytest.approx(math.log(3), rel=1e-15)
    assert (found.inputs, found.output) == ((2, 1), 1)
    # The same output, possible for two inputs, protects neither of them.
    matrix[2] = [0.25, 0.70, 0.05]
    assert notion.level(matrix, problem).value == math.inf
    assert not md.audit(matrix, notion).holds


@pytest.mark.parametrize(
    ("sensitive", "argument", "text"),
    [
        ([0, 7], "sensitive", "from 0 to 3"),
    ],
)
def test_wrong_sensitive_inputs_are_named(sensitive, argument: str, text: str) -> None:
    with pytest.raises(md.DomainError) as caught:
        md.design(asked(4), md.UtilityOptimizedLDP(1.0, sensitive), md.MMSE())
    assert caught.value.argument == argument
    assert text in str(caught.value)


def test_a_hidden_secret_is_refused() -> None:
    hidden = md.Problem(prior=[0.5, 0.5]).hidden([[0.9, 0.2], [0.1, 0.8]])
    with pytest.raises(md.DomainError, match="names the sensitive inputs themselves"):
        md.UtilityOptimizedLDP(1.0, [0]).inputs(hidden)
