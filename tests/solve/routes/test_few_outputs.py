"""The optimum of at most m outputs: brute force over columns, subsets and partitions."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, linprog, milp

import mechdesign as md
from mechdesign.baselines.interval_partition import best_partition
from mechdesign.solve.search import branch_and_bound as leaf_search
from tests.helpers import brute_force as brute

# Brute force over single columns ----------------------------------------------------------------------------------


def lift_rows(prior, epsilon):
    """Return ``e^epsilon P . q - q_x >= 0``."""
    return math.exp(epsilon) * np.tile(prior, (len(prior), 1)) - np.eye(len(prior))


LINE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
NOTIONS = {
    "LDP": lambda n, prior, e: (md.LDP(e), brute.ldp_rows(n, e)),
    "LIP": lambda n, prior, e: (md.LIP(e), brute.lip_rows(prior, e)),
    "MaxLift": lambda n, prior, e: (md.MaxLift(e), lift_rows(prior, e)),
    "MetricDP": lambda n, prior, e: (md.MetricDP(e, LINE[:n, :n]), brute.metric_rows(LINE[:n, :n], e)),
    "LDP and LIP": lambda n, prior, e: (
        md.LDP(e) & md.LIP(e / 2),
        np.vstack([brute.ldp_rows(n, e), brute.lip_rows(prior, e / 2)]),
    ),
}


def line_questions(n, prior, values, rng):
    """Return objectives whose decisions are a continuum, each with its utility by brute force."""
    first, second = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    direction = rng.normal(size=n)
    direction -= direction.mean()
    return {
        "MMSE": (md.MMSE(), lambda q: -brute.squared_error(q, prior, values)),
        "Fisher": (md.FisherInformation(second, direction), lambda q: brute.fisher(q, second, direction)),
        "KL": (md.KLDivergence(first, second), lambda q: brute.divergence("KLDivergence", q, first, second)),
        "TV": (md.TotalVariation(first, second), lambda q: brute.divergence("TotalVariation", q, first, second)),
    }


@pytest.mark.thinned(16)
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("objective", ["MMSE", "Fisher", "KL", "TV"])
@pytest.mark.parametrize(("n", "epsilon"), [(3, 2.0), (4, 1.0), (4, 3.0)])
def test_two_outputs_by_all_vertices(notion, objective, n, epsilon, rng):
    prior, values = rng.dirichlet(np.ones(n)) * 0.8 + 0.2 / n, rng.normal(size=n)
    asked, rows = NOTIONS[notion](n, prior, epsilon)
    wanted, utility = line_questions(n, prior, values, rng)[objective]
    corners = brute.column_vertices(rows)
    inner = corners[:, (corners.max(axis=0) > 1e-9) & (corners.min(axis=0) < 1 - 1e-9)]
    best = float((utility(inner) + utility(1 - inner)).max(initial=-np.inf))
    best = max(best, float(utility(np.ones((n, 1)))[0]))
    sign = 1.0 if wanted.sense == "maximise" else -1.0
    made = md.design(md.Problem(prior=prior, values=values), asked, wanted, outputs=2)
    scale = max(abs(best), 1e-6)
    assert sign * made.value == pytest.approx(best, abs=2e-6 * scale)
    assert sign * made.value <= best + 1e-8 * scale and sign * made.bound >= best - 1e-8 * scale
    assert made.gap <= 1e-6 and made.matrix.shape[1] <= 2 and made.audit.holds


@pytest.mark.thinned(24)
@pytest.mark.parametrize("index", range(6))
def test_three_outputs_against_many_local_searches(index):
    # From 40 random starts: the best columns for three estimates, then the best estimates, in turn.
    rng = np.random.default_rng(index)
    prior, values = rng.dirichlet(np.ones(4)) * 0.8 + 0.05, rng.normal(size=4)
    rows = brute.lip_rows(prior, 2.0)
    made = md.design(md.Problem(prior=prior, values=values), md.LIP(2.0), md.MMSE(), outputs=3)
    found = []
    for _ in range(40):
        estimates = rng.uniform(values.min(), values.max(), size=3)
        for _ in range(12):
            loss = prior[:, None] * (values[:, None] - estimates) ** 2
            columns, error = best_of_subset(rows, loss, 3)
            mass = prior @ columns
            estimates = np.where(mass > 1e-12, (prior * values) @ columns / np.maximum(mass, 1e-12), estimates)
        found.append(error)
    assert min(found) >= made.bound - 1e-8
    assert min(found) == pytest.approx(made.value, rel=1e-6)


# Brute force over subsets of decisions ----------------------------------------------------------------------------


def best_of_subset(rows, loss, decisions):
    """Return the columns of least ``sum loss * Q`` with each column in the cone, and that sum."""
    n = len(loss)
    found = linprog(
        loss.T.ravel(),
        A_ub=-np.kron(np.eye(decisions), rows),
        b_ub=np.zeros(decisions * len(rows)),
        A_eq=np.kron(np.ones((1, decisions)), np.eye(n)),
        b_eq=np.ones(n),
        method="highs",
    )
    return found.x.reshape(decisions, n).T, float(found.fun)


def best_of_all_subsets(rows, loss, outputs):
    """Return the least loss over every subset of that many decisions."""
    subsets = combinations(range(loss.shape[1]), outputs)
    return min(best_of_subset(rows, loss[:, list(kept)], outputs)[1] for kept in subsets)


def by_integer_program(rows, loss, outputs):
    """Return the least loss with one binary variable for each decision, at most `outputs` of them one."""
    n, decisions = loss.shape
    size = n * decisions
    cone = np.hstack([np.kron(np.eye(decisions), rows), np.zeros((decisions * len(rows), decisions))])
    total = np.hstack([np.kron(np.ones((1, decisions)), np.eye(n)), np.zeros((n, decisions))])
    opened = np.hstack([-np.eye(size), np.kron(np.eye(decisions), np.ones((n, 1)))])
    count = np.concatenate([np.zeros(size), np.ones(decisions)])[None, :]
    rules = [
        LinearConstraint(cone, 0.0, np.inf),
        LinearConstraint(total, 1.0, 1.0),
        LinearConstraint(opened, 0.0, np.inf),
        LinearConstraint(count, 0.0, outputs),
    ]
    integral = np.concatenate([np.zeros(size), np.ones(decisions)])
    cost = np.concatenate([loss.T.ravel(), np.zeros(decisions)])
    options = {"mip_rel_gap": 1e-9}
    return float(milp(cost, constraints=rules, integrality=integral, bounds=(0, 1), options=options).fun)


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_few_decisions_by_all_subsets(notion, outputs, rng):
    prior = rng.dirichlet(np.ones(4)) * 0.8 + 0.05
    asked, rows = NOTIONS[notion](4, prior, 2.0)
    # Two inputs nearly alike, and decisions good for one input each, so that few of them are worth little.
    loss = rng.uniform(0.5, 1.0, size=(4, 5)) * (1 - np.eye(4, 5))
    made = md.design(md.Problem(prior=prior), asked, md.ExpectedLoss(loss), outputs=outputs)
    best = best_of_all_subsets(rows, prior[:, None] * loss, outputs)
    assert made.value == pytest.approx(best, rel=1e-6) and made.bound <= best * (1 + 1e-9)
    assert best == pytest.approx(by_integer_program(rows, prior[:, None] * loss, outputs), rel=1e-7)
    assert made.gap <= 1e-6 and np.count_nonzero(made.matrix.max(axis=0)) <= outputs and made.audit.holds
    assert made.by_decision.shape == (4, 5)


def test_columns_need_not_be_extreme_rays():
    # No two rays add up to the ones vector, so a choice of two among the rays would find no mechanism at all.
    prior = np.array([0.3, 0.3, 0.4])
    rows, loss = brute.lip_rows(prior, 1.2), prior[:, None] * (1 - np.eye(3))
    rays = brute.vertices(rows, prior)
    for pair in combinations(range(rays.shape[1]), 2):
        _, residual, rank, _ = np.linalg.lstsq(rays[:, list(pair)], np.ones(3), rcond=None)
        assert rank == 2 and residual[0] > 1e-4
    made = md.design(md.Problem(prior=prior), md.LIP(1.2), md.ErrorProbability(), outputs=2)
    assert made.value == pytest.approx(best_of_all_subsets(rows, loss, 2), rel=1e-6)
    assert made.value < 1 - prior.max() - 0.05


@pytest.mark.parametrize("index", range(5))
def test_worst_loss_of_few_decisions(index):
    rng = np.random.default_rng(index)
    loss, rows, outputs = rng.exponential(size=(3, 5)), brute.ldp_rows(3, 1.5), 2
    made = md.design(md.Problem(n=3), md.LDP(1.5), md.WorstCaseLoss(loss), outputs=outputs)
    best = math.inf
    for kept in combinations(range(5), outputs):
        # The epigraph's variable comes last.
        each = np.zeros((3, 3 * outputs + 1))
        for x in range(3):
            each[x, x:-1:3], each[x, -1] = loss[x, list(kept)], -1.0
        cone = np.hstack([-np.kron(np.eye(outputs), rows), np.zeros((outputs * len(rows), 1))])
        found = linprog(
            np.eye(3 * outputs + 1)[-1],
            A_ub=np.vstack([cone, each]),
            b_ub=np.zeros(len(cone) + 3),
            A_eq=np.hstack([np.kron(np.ones((1, outputs)), np.eye(3)), np.zeros((3, 1))]),
            b_eq=np.ones(3),
        )
        best = min(best, float(found.fun))
    assert made.value == pytest.approx(best, rel=1e-6) and made.gap <= 1e-6
    assert made.mechanism.certificate.multipliers.tree is not None


# Randomised response on intervals ---------------------------------------------------------------------------------


def partitions(n, cells):
    """Yield every assignment of n inputs to exactly that many cells, of any shape."""
    for code in range(cells**n):
        of = np.array([code // cells**x % cells for x in range(n)])
        if len(set(of.tolist())) == cells:
            yield of


@pytest.mark.parametrize("objective", ["MMSE", "Fisher", "KL", "TV"])
@pytest.mark.parametrize("outputs", [2, 3])
def test_search_and_intervals_agree_under_local_privacy(objective, outputs, monkeypatch, rng):
    n, epsilon = 5, 2.5
    prior, values = rng.dirichlet(np.ones(n)), rng.normal(size=n)
    wanted, utility = line_questions(n, prior, values, rng)[objective]
    problem, notion = md.Problem(prior=prior, values=values), md.LDP(epsilon)
    best = float(utility(np.ones((n, 1)))[0])
    for k in range(2, outputs + 1):
        for of in partitions(n, k):
            response = np.where(of[:, None] == np.arange(k), math.exp(epsilon), 1.0) / (k + math.exp(epsilon) - 1)
            best = max(best, float(utility(response).sum()))
    intervals = best_partition(notion, wanted, problem, outputs)
    assert np.allclose(intervals.sum(axis=1), 1.0, rtol=0, atol=1e-14)
    assert float(utility(intervals).sum()) == pytest.approx(best, rel=1e-9, abs=1e-12)
    # The search is not to know of them.
    monkeypatch.setattr(leaf_search, "best_partition", lambda *_: np.ones((n, 1)))
    made = md.design(problem, notion, wanted, route="few_outputs", outputs=outputs)
    sign = 1.0 if wanted.sense == "maximise" else -1.0
    assert sign * made.value == pytest.approx(best, rel=2e-6, abs=1e-9)
    assert made.gap <= 1e-6 and made.matrix.shape[1] <= outputs


def test_many_inputs_are_quick_under_local_privacy(rng):
    n = 60
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=np.arange(n))
    made = md.design(problem, md.LDP(4.0), md.MMSE(), outputs=2)
    intervals = best_partition(md.LDP(4.0), md.MMSE(), problem, 2)
    assert made.value == pytest.approx(md.MMSE().value(intervals, problem), rel=1e-6) and made.gap <= 1e-6
