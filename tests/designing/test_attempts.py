"""A design says truly which solvers were tried, in which order, and which of them answered."""

import clarabel
import highspy
import pytest

import mechdesign as md

PROBLEM = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])
LOSS = md.ExpectedLoss([[0, 1, 2], [1, 0, 1], [2, 1, 0]])


@pytest.fixture
def ran(monkeypatch):
    """Return the engines that ran, in order."""
    found, run, solver = [], highspy.Highs.run, clarabel.DefaultSolver
    monkeypatch.setattr(highspy.Highs, "run", lambda *a: found.append("HIGHS") or run(*a))
    monkeypatch.setattr(clarabel, "DefaultSolver", lambda *a: found.append("CLARABEL") or solver(*a))
    return found


def test_a_try_that_ended_in_too_many_outputs_is_told(ran):
    made = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=2)
    first, second = made.attempts
    assert (first.route, second.route) == ("rays", "few_outputs") == ("rays", made.route)
    assert "3 outputs, more than the 2 allowed" in first.outcome and second.outcome.startswith("gap ")
    assert first.solver == second.solver == made.solver_stats.name == "HIGHS" and set(ran) == {"HIGHS"}


@pytest.mark.parametrize(
    ("objective", "keywords", "engines"),
    [
        (md.MMSE(), {}, {"HIGHS"}),
        (md.MMSE(), {"route": "columns", "solver": "CLARABEL"}, {"CLARABEL"}),
        (LOSS, {"route": "convex", "solver": "CLARABEL"}, {"CLARABEL"}),
        (LOSS, {"route": "convex", "solver": "HIGHS"}, {"HIGHS"}),
        (LOSS, {"subject_to": lambda Q: [Q[0, 0] <= 0.5], "solver": ["CLARABEL", "HIGHS"]}, {"CLARABEL"}),
    ],
)
def test_the_solver_that_is_named_is_the_one_that_ran(objective, keywords, engines, ran):
    made = md.design(PROBLEM, md.LDP(1.0), objective, **keywords)
    assert {made.solver_stats.name} == {attempt.solver for attempt in made.attempts} == set(ran) == engines


def test_a_formula_is_no_solver(ran):
    made = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE(), route="closed_form")
    assert [attempt.solver for attempt in made.attempts] == ["FORMULA"] and made.solver_stats.name == "closed form"
