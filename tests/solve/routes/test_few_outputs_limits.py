"""At most m outputs: what is refused, what stops a search early, and where the number does not bind."""

from itertools import pairwise

import numpy as np
import pytest

import mechdesign as md
from mechdesign.question import Question
from mechdesign.rivals.rival import rivals
from mechdesign.runtime.deadline import reading
from mechdesign.solve.programs import over_leaf as leaf_program
from mechdesign.solve.search import branch_and_bound as leaf_search
from mechdesign.testing.clock import CountingClock

PROBLEM = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])


@pytest.mark.parametrize(
    ("notion", "objective", "outputs", "said"),
    [
        (md.LIP(1.2), md.MutualInformation(), 2, "neither finitely many nor one number.*leave outputs out"),
        (md.LIP(1.2), md.HistogramMMSE(), 2, "neither finitely many nor one number"),
        (md.LIP(1.2), md.InformationDesign("A"), 2, "fewer outputs than the 3 inputs"),
        (md.LIP(1.2), md.ChernoffExponent([0.2, 0.3, 0.5], [0.5, 0.3, 0.2]), 2, "few_outputs refuses"),
        (md.StrongChiSquare(0.5), md.ErrorProbability(), 1, "curved side"),
        (md.UtilityOptimizedLDP(1.0, (0,)), md.MMSE(), 2, "reveal an input"),
    ],
)
def test_refusals_say_what_to_do(notion, objective, outputs, said):
    with pytest.raises(md.UnsupportedError, match=said):
        md.design(PROBLEM, notion, objective, outputs=outputs)


def test_one_output_is_the_constant_mechanism_where_no_route_searches():
    made = md.design(PROBLEM, md.MutualInformationPrivacy(0.2), md.ErrorProbability(), outputs=1, gap=1.0)
    assert made.route == "known" and made.value == pytest.approx(0.6)
    assert "curved side" in made.refusals["few_outputs"]


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
    with pytest.warns(md.GapWarning), reading(CountingClock(0.001)):
        made = md.design(problem, md.LDP(4.0), md.MMSE(), route="few_outputs", outputs=6, time_limit=0.2)
    assert made.audit.holds and made.matrix.shape[1] <= 6 and made.bound <= made.value
    assert made.solver_stats.status == "time limit" or "stopped early" in made.solver_stats.status


def test_limit_of_leaves_is_said(monkeypatch):
    monkeypatch.setattr(leaf_search, "MOST_LEAVES", 2)
    with pytest.warns(md.GapWarning, match="limit of 2 leaves"):
        made = md.design(PROBLEM, md.LIP(0.6), md.MMSE(), outputs=2, route="few_outputs")
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
