"""The optimum of at most m outputs: published formulas, brute force over columns, subsets and partitions."""

import math
from itertools import combinations, pairwise

import brute_force as brute
import numpy as np
import pytest
from scipy.optimize import LinearConstraint, linprog, milp

import mechdesign as md
from mechdesign.baselines.interval_partition import best_partition
from mechdesign.comparing import rivals
from mechdesign.question import Question
from mechdesign.solve.programs import leaf_program, leaf_search

# Published formulas -----------------------------------------------------------------------------------------------


def two_outputs(delta, weight, theta):
    """Return the optimum of yoshida, Theorem 1 (i) and (ii): of two outputs, at the mixture (1 - theta, theta)."""
    a = (1 - delta) / 2
    if theta <= (weight - a) / delta:
        return (weight - a) / (theta * (weight * (1 - theta) + a * theta))
    return (1 - weight - a) / ((1 - theta) * (a * (1 - theta) + (1 - weight) * theta))


def three_outputs(delta, weight, theta):
    """Return the optimum of yoshida, Theorem 1 (iii)."""
    a = (1 - delta) / 2
    return (1 - a / (weight * (1 - theta) + (1 - weight) * theta)) / (theta * (1 - theta))


def fisher(delta, weight, theta, outputs, **keywords):
    """Return the design for Fisher information of the mixture's share."""
    objective = md.FisherInformation([1 - theta, theta], [-1.0, 1.0])
    return md.design(md.Problem(n=2), md.WeightedTV(delta, weight), objective, outputs=outputs, **keywords)


def instance(rng):
    """Return delta, a weight strictly inside the domain, and theta."""
    delta = float(rng.uniform(0.05, 0.95))
    a = (1 - delta) / 2
    return delta, float(a + rng.uniform(0.05, 0.95) * delta), float(rng.uniform(0.03, 0.97))


@pytest.mark.parametrize("index", range(40))
def test_two_outputs_under_weighted_variation(index):
    delta, weight, theta = instance(np.random.default_rng(index))
    made = fisher(delta, weight, theta, 2)
    best = two_outputs(delta, weight, theta)
    assert made.value == pytest.approx(best, rel=1e-6) and made.bound == pytest.approx(best, rel=1e-6)
    assert made.value <= best * (1 + 1e-9) and made.bound >= best * (1 - 1e-9)
    assert made.gap <= 1e-6 and made.audit.holds and made.matrix.shape == (2, 2)
    # Strictly less than three outputs tell, by more than both certificates leave open.
    most = fisher(delta, weight, theta, 3)
    assert most.value == pytest.approx(three_outputs(delta, weight, theta), rel=1e-6)
    assert made.bound < most.value


@pytest.mark.parametrize(("delta", "weight"), [(0.5, 0.5), (0.6, 0.35), (0.2, 0.55)])
def test_where_the_two_cases_meet(delta, weight):
    theta = (weight - (1 - delta) / 2) / delta
    made = fisher(delta, weight, theta, 2)
    a = (1 - delta) / 2
    other = (1 - weight - a) / ((1 - theta) * (a * (1 - theta) + (1 - weight) * theta))
    assert two_outputs(delta, weight, theta) == pytest.approx(other, rel=1e-12)
    assert made.value == pytest.approx(other, rel=1e-6) and made.gap <= 1e-6


@pytest.mark.parametrize("weight", [0.25, 0.75])
@pytest.mark.parametrize("theta", [0.1, 0.5, 0.8])
def test_two_outputs_suffice_at_the_ends_of_the_domain(weight, theta):
    made = fisher(0.5, weight, theta, 2)
    assert made.value == pytest.approx(three_outputs(0.5, weight, theta), rel=1e-6) and made.gap <= 1e-6


@pytest.mark.parametrize(
    ("prior", "epsilon", "values", "outputs", "value", "digits"),
    [
        ((0.05, 0.05, 0.9), 1.0, (0, 1, 2), 2, 0.2030613714, 5e-11),
        ((0.05, 0.05, 0.9), 1.0, (0, 1, 2), 3, 0.2030613714, 5e-11),
        ((0.3, 0.3, 0.4), 1.2, (0, 1, 2), 2, 0.42630, 5e-6),
        ((0.3, 0.3, 0.4), 1.2, (0, 1, 2), 3, 0.35305, 5e-6),
    ],
)
def test_how_many_outputs_a_number_needs(prior, epsilon, values, outputs, value, digits):
    made = md.design(md.Problem(prior=prior, values=values), md.LIP(epsilon), md.MMSE(), outputs=outputs)
    assert made.value == pytest.approx(value, abs=digits) and made.bound == pytest.approx(value, abs=2 * digits)
    assert made.matrix.shape[1] <= outputs and made.audit.holds


@pytest.mark.parametrize("epsilon", [0.5, 1.2, 3.0])
def test_ties_need_no_more_outputs_than_there_are_values(epsilon):
    problem = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 0, 1])
    free = md.design(problem, md.LIP(epsilon), md.MMSE())
    made = md.design(problem, md.LIP(epsilon), md.MMSE(), outputs=2)
    assert made.matrix.shape[1] == 2
    assert made.value == pytest.approx(free.value, rel=1e-6) and made.gap <= 1e-6


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
    assert made.matrix.shape == (4, 5)


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


# Refusals, limits, and where the number does not bind --------------------------------------------------------------

PROBLEM = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])


@pytest.mark.parametrize(
    ("notion", "objective", "outputs", "said"),
    [
        (md.LIP(1.2), md.MutualInformation(), 2, "neither finitely many nor one number.*leave outputs out"),
        (md.LIP(1.2), md.HistogramMMSE(), 2, "neither finitely many nor one number"),
        (md.LIP(1.2), md.InformationDesign("A"), 2, "3 outputs.*few_outputs refuses"),
        (md.LIP(1.2), md.ChernoffExponent([0.2, 0.3, 0.5], [0.5, 0.3, 0.2]), 2, "few_outputs refuses"),
        (md.StrongChiSquare(0.5), md.ErrorProbability(), 1, "curved side"),
        (md.MutualInformationPrivacy(0.2), md.ErrorProbability(), 1, "curved side"),
        (md.UtilityOptimizedLDP(1.0, (0,)), md.MMSE(), 2, "reveal an input"),
    ],
)
def test_refusals_say_what_to_do(notion, objective, outputs, said):
    with pytest.raises(md.UnsupportedError, match=said):
        md.design(PROBLEM, notion, objective, outputs=outputs)


def test_named_route_refuses_what_it_cannot_search():
    with pytest.raises(md.UnsupportedError, match="give outputs=m"):
        md.design(PROBLEM, md.LIP(1.2), md.MMSE(), route="few_outputs")
    with pytest.raises(md.UnsupportedError, match="at most 6 outputs; allow no more than 6"):
        md.design(PROBLEM, md.LIP(1.2), md.MMSE(), route="few_outputs", outputs=7)
    with pytest.raises(md.UnsupportedError, match="convex route"):
        md.design(
            PROBLEM, md.LIP(1.2), md.ErrorProbability(), route="few_outputs", outputs=2, subject_to=lambda Q: [Q <= 1]
        )
    with pytest.raises(md.UnsupportedError, match="take the route few_outputs"):
        md.design(PROBLEM, md.LIP(1.2), md.MMSE(), route="rays", outputs=2)


def test_ordinary_routes_answer_where_the_number_does_not_bind():
    free = md.design(PROBLEM, md.LIP(1.2), md.MMSE())
    made = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=3)
    assert made.route == free.route and made.value == free.value and made.bound == free.bound
    assert made.mechanism.certificate.multipliers.tree is None and made.mechanism.question.outputs == 3


def test_search_says_why_it_was_needed():
    made = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=2)
    assert made.route == "few_outputs"
    assert made.reason == "rays: the optimum over all mechanisms has 3 outputs, more than the 2 allowed"
    assert "few_outputs" not in made.refusals and "3 outputs" in made.refusals["rays"]


def test_one_output_tells_nothing():
    made = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=1)
    assert made.value == pytest.approx(0.69, rel=1e-12) and made.bound == pytest.approx(0.69, rel=1e-9)


def test_more_outputs_are_never_worse(rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(5)), values=np.arange(5))
    values = [md.design(problem, md.LIP(3.0), md.MMSE(), outputs=m).value for m in range(1, 6)]
    assert all(after <= before * (1 + 1e-6) for before, after in pairwise(values))
    assert values[-1] == pytest.approx(md.design(problem, md.LIP(3.0), md.MMSE()).value, rel=1e-6)


def test_time_limit_returns_the_best_so_far(rng):
    n = 20
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=np.arange(n))
    with pytest.warns(md.GapWarning):
        made = md.design(problem, md.LDP(4.0), md.MMSE(), route="few_outputs", outputs=6, time_limit=0.2)
    assert made.audit.holds and made.matrix.shape[1] <= 6 and made.bound <= made.value
    assert made.solver_stats.status == "time limit" or "stopped early" in made.solver_stats.status


def test_limit_of_leaves_is_said(monkeypatch):
    monkeypatch.setattr(leaf_search, "MOST_LEAVES", 2)
    with pytest.warns(md.GapWarning, match="limit of 2 leaves"):
        made = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=3, route="few_outputs")
    assert made.bound < made.value


def test_compare_takes_the_number_of_outputs():
    table = md.compare(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=2)
    assert {row.route for row in table if row.outcome == "certified"} == {"few_outputs"}
    assert table.consistent and table.question.outputs == 2


def test_rivals_have_no_more_outputs_than_are_allowed():
    names = [rival.name for rival in rivals(Question(PROBLEM, md.LIP(1.2), md.MMSE()))]
    few = [rival.name for rival in rivals(Question(PROBLEM, md.LIP(1.2), md.MMSE(), 2))]
    assert "k-ary randomised response" in names and any("Theorem 3" in name for name in names)
    assert few == ["no privacy", "uninformative"]


@pytest.mark.parametrize("objective", [md.TotalVariation([0.2, 0.3, 0.5], [0.5, 0.3, 0.2]), md.HammingLoss()])
def test_one_output_is_certified_where_telling_nothing_is_worth_nothing(objective):
    made = md.design(PROBLEM, md.StrongL1(0.5), objective, outputs=1)
    assert made.value == pytest.approx(objective.uninformative(PROBLEM), abs=1e-12) and made.gap <= 1e-6


def failing(monkeypatch, fails):
    """Let a solver give up on the calls that `fails` tells, by number and name."""
    solve, calls = leaf_program.solve_linear, []

    def sometimes(program, solver, **keywords):
        calls.append(solver)
        if fails(len(calls), solver):
            raise md.SolverError(f"{solver} gave up.", status="gave up")
        return solve(program, solver, **keywords)

    monkeypatch.setattr(leaf_program, "solve_linear", sometimes)
    return calls


def test_where_a_solver_gives_up_the_other_takes_over(monkeypatch):
    sound = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=2)
    calls = failing(monkeypatch, lambda number, solver: solver == "HIGHS" and number % 3 == 0)
    made = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=2)
    assert "CLARABEL" in calls
    assert made.value == pytest.approx(sound.value, rel=1e-6) and made.gap <= 1e-6


def test_where_all_solvers_give_up_the_best_so_far_is_returned(monkeypatch):
    failing(monkeypatch, lambda number, _: number > 3)
    with pytest.warns(md.GapWarning, match=r"stopped early \(gave up\)"):
        made = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=2)
    assert made.audit.holds and made.matrix.shape[1] <= 2 and made.bound <= 0.42630 <= made.value + 1e-5
