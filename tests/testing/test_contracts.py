"""The shipped contracts, run over everything that crawling finds."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign import notions, objectives
from mechdesign.catalogue.edge import exponential
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.solve.task import Task
from mechdesign.testing import check_bound, check_lean, check_notion, check_objective, check_repair, check_route
from mechdesign.testing.catalogue import (
    all_notions,
    all_objectives,
    defined,
    exported,
    forgotten_exports,
    forgotten_on_cards,
)
from mechdesign.testing.examples import ANCHORS, EDGES, NOTIONS, OBJECTIVES
from mechdesign.testing.notion_contract import edge_is_exact
from mechdesign.testing.objective_contract import keeps_unit
from tests.helpers.few_inputs import tasks, tasks_of_few

NOTION_CASES = [(name, index) for name, examples in NOTIONS.items() for index in range(len(examples))]
OBJECTIVE_CASES = [(name, index) for name, examples in OBJECTIVES.items() for index in range(len(examples))]
TASKS = list(tasks(np.random.default_rng(0)))
FEW = list(tasks_of_few(np.random.default_rng(0)))


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("name", "index"), NOTION_CASES)
def test_notion_keeps_its_contract(name, index, rng):
    notion, problem = NOTIONS[name][index](rng)
    check_notion(notion, problem, rng)


@pytest.mark.parametrize("name", EDGES)
def test_exact_check_is_exact_at_the_edge(name):
    edge_is_exact(EDGES[name]())


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("name", "index"), OBJECTIVE_CASES)
def test_objective_keeps_its_contract(name, index, rng):
    objective, problem = OBJECTIVES[name][index](rng)
    check_objective(objective, problem, rng)


@pytest.mark.parametrize("name", ANCHORS)
def test_objective_keeps_its_unit(name):
    keeps_unit(ANCHORS[name])


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", TASKS)
def test_every_route_keeps_its_contract(name, rng):
    task, broken = tasks(rng)[name], {}
    for route in ROUTES:
        try:
            check_route(ROUTES[route], task, rng)
        except AssertionError as error:
            broken[route] = str(error)
    assert not broken


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", FEW)
def test_route_of_few_outputs_keeps_its_contract(name, rng):
    asked = tasks_of_few(rng)[name]
    assert ROUTES["few_outputs"].refusal(asked) is None
    check_route(ROUTES["few_outputs"], asked, rng)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("name", TASKS)
def test_bound_is_sound_for_any_multipliers(name, rng):
    check_bound(utility_bound, tasks(rng)[name], rng)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("name", "index"), NOTION_CASES)
def test_repair_keeps_its_contract(name, index, rng):
    notion, problem = NOTIONS[name][index](rng)
    check_repair(repair, notion, problem, rng)


@pytest.mark.parametrize("name", TASKS)
def test_some_route_answers(name, rng):
    task = tasks(rng)[name]
    refusals = {route: ROUTES[route].refusal(task) for route in ROUTES}
    assert None in refusals.values(), refusals


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("name", "index"), NOTION_CASES)
def test_designs_under_a_notion_have_no_output_too_many(name, index, rng):
    notion, problem = NOTIONS[name][index](rng)
    for objective in (md.MMSE(), md.MutualInformation(), md.AbsoluteError()):
        with contextlib.suppress(md.DomainError, md.UnsupportedError):
            check_lean(md.design(problem, notion, objective))


@pytest.mark.parametrize(("name", "index"), OBJECTIVE_CASES)
def test_designs_for_an_objective_have_no_output_too_many(name, index, rng):
    objective, problem = OBJECTIVES[name][index](rng)
    for notion in (md.LDP(1.0), md.LIP(0.5)):
        with contextlib.suppress(md.DomainError, md.UnsupportedError):
            check_lean(md.design(problem, notion, objective))


@pytest.mark.parametrize("route", ROUTES)
def test_route_answers_something(route, rng):
    # A route whose gap need not close leaves few inputs to those that are exact.
    even = md.Problem(prior=np.full(24, 1 / 24))
    many = [Task(even, notion, md.MutualInformation()) for notion in (md.LIP(1.0), md.StrongL1(0.5))]
    leaked = Task(even, md.MaximalLeakage(0.5), md.HistogramMMSE())
    of_bits = md.InformationDesign("A", queries=md.queries.marginals([2] * 4, 2))
    marginals = Task(md.Problem(n=16), md.LDP(1.0), of_bits)
    halves = Task(even, md.LDP(1.0), md.LabelInformation(np.kron(np.eye(2), np.ones(12))))
    apart = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    of_places = Task(md.Problem(n=3), md.MetricDP(1.0, apart), md.WorstCaseLoss(apart))
    of_laws = Task(even, md.LDP(1.0), md.WorstCaseInformation(rng.dirichlet(np.ones(24), size=2)))
    asked = [*tasks(rng).values(), *tasks_of_few(rng).values(), *many, leaked, marginals, halves, of_places, of_laws]
    assert any(ROUTES[route].refusal(task) is None for task in asked)


def test_hamming_loss_with_free_decisions_is_the_bayes_error(rng):
    for _ in range(20):
        n, m = rng.integers(2, 6, size=2)
        prior, matrix = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m), size=n)
        problem, objective = md.Problem(prior=prior), md.HammingLoss()
        utility = objective.column_utility(matrix, problem).sum()
        error = 1 - (prior[:, None] * matrix).max(axis=0).sum()
        assert objective.from_utility(float(utility), problem) == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize(("package", "base"), [(notions, md.Notion), (objectives, md.Objective)])
def test_every_member_is_exported(package, base):
    assert forgotten_exports(package, base) == []


@pytest.mark.parametrize(
    ("package", "base", "field"),
    [
        (notions, md.Notion, "examples"),
        (notions, md.Notion, "edge"),
        (objectives, md.Objective, "examples"),
        (objectives, md.Objective, "anchor"),
    ],
)
def test_every_card_gives_what_contracts_need(package, base, field):
    assert forgotten_on_cards(package, base, field) == []


def test_no_example_is_of_another_member(rng):
    for table, known in ((NOTIONS, all_notions()), (OBJECTIVES, all_objectives())):
        for name, examples in table.items():
            assert all(type(example(rng)[0]) is known[name] for example in examples)


def test_a_forgotten_line_is_named(monkeypatch):
    monkeypatch.setattr(notions, "__all__", [name for name in notions.__all__ if name != "LIP"])
    (line,) = forgotten_exports(notions, md.Notion)
    assert line.startswith("add `from mechdesign.notions.lip import LIP`")
    assert line.endswith("mechdesign/notions/__init__.py") or "notions/__init__.py" in line
    monkeypatch.undo()
    monkeypatch.setattr(md.MMSE, "card", replace(md.MMSE.card, examples=()))
    (line,) = forgotten_on_cards(objectives, md.Objective, "examples")
    assert line.startswith("give MMSE's card examples=..., in the file where it is defined")
    assert "mechdesign/objectives/mmse.py" in line


def test_crawling_finds_what_is_there():
    assert {"LDP", "LIP", "ProfileDP", "WeightedTV"} <= set(defined(notions, md.Notion))
    assert "Notion" not in defined(notions, md.Notion)
    assert "Linear" not in exported(objectives, md.Objective)


def test_exponential_is_exact():
    # ln 2 to 60 digits, squared through its own exponential: e^(a) e^(b) = e^(a + b).
    one, half = exponential(1.0), exponential(0.5)
    assert abs(half * half / one - 1) < 1e-90
    assert float(exponential(2.0)) == pytest.approx(7.38905609893065, rel=1e-15)
