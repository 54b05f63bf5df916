"""A contract that no planted defect can trip is decoration: each defect is caught by the clause that names it."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.referee import referee
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.testing import BrokenContractError, check_notion, check_objective
from mechdesign.testing.certificate_contract import BOUND_CLAUSES, REPAIR_CLAUSES
from mechdesign.testing.label_contract import LABEL_CLAUSES
from mechdesign.testing.notion_contract import NOTION_CLAUSES, edge_is_exact
from mechdesign.testing.objective_contract import OBJECTIVE_CLAUSES, keeps_unit
from mechdesign.testing.parameter_contract import PARAMETER_CLAUSES
from mechdesign.testing.route_contract import ROUTE_CLAUSES
from mechdesign.testing.theorem_contract import THEOREM_CLAUSES
from tests.helpers.few_inputs import task
from tests.planted import notions as wrong_notions
from tests.planted import objectives as wrong_objectives
from tests.planted import parameters as wrong_parameters
from tests.planted import routes as wrong_routes
from tests.planted import theorems as wrong_theorems

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[1.0, 2.0, 4.0])
TASK = task(md.LDP(1.0), PROBLEM, md.MMSE())


def named(part):
    """Return what a test's name says of one part of a defect."""
    return str(getattr(part, "__name__", part))


def caught(clause, sound, broken, rng):
    """Assert that `clause` holds for what is sound and raises, in words, for what is broken."""
    clause(*sound, np.random.default_rng(rng))
    with pytest.raises(AssertionError) as found:
        clause(*broken, np.random.default_rng(rng))
    assert len(str(found.value).split()) >= 5


@pytest.mark.parametrize(
    ("clause", "sound", "broken", "problem"),
    wrong_notions.NOTIONS,
    ids=[f"{clause}-{type(broken).__name__}" for clause, _, broken, _ in wrong_notions.NOTIONS],
)
def test_wrong_notion_is_caught(clause, sound, broken, problem):
    caught(NOTION_CLAUSES[clause], (sound, problem), (broken, problem), 1)


@pytest.mark.parametrize(
    ("clause", "sound", "broken"),
    [*wrong_parameters.NOTIONS, *wrong_parameters.OBJECTIVES],
    ids=[
        f"{clause}-{type(broken).__name__}"
        for clause, _, broken in (*wrong_parameters.NOTIONS, *wrong_parameters.OBJECTIVES)
    ],
)
def test_wrong_parameter_is_caught(clause, sound, broken):
    clauses, problem = {**PARAMETER_CLAUSES, **LABEL_CLAUSES}, md.Problem(n=3)
    caught(clauses[clause], (sound, problem), (broken, problem), 6)


@pytest.mark.parametrize(
    ("sound", "broken"), wrong_notions.EDGES, ids=[type(edge.notion).__name__ for _, edge in wrong_notions.EDGES]
)
def test_wrong_exact_check_is_caught_at_the_edge(sound, broken):
    edge_is_exact(sound)
    with pytest.raises(AssertionError, match="exact check"):
        edge_is_exact(broken)


@pytest.mark.parametrize(
    ("clause", "sound", "broken"),
    wrong_objectives.OBJECTIVES,
    ids=[f"{clause}-{type(broken).__name__}" for clause, _, broken in wrong_objectives.OBJECTIVES],
)
def test_wrong_objective_is_caught(clause, sound, broken):
    caught(OBJECTIVE_CLAUSES[clause], (sound, PROBLEM), (broken, PROBLEM), 2)


@pytest.mark.parametrize(
    ("sound", "broken"),
    wrong_objectives.ANCHORED,
    ids=[type(anchor.objective).__name__ for _, anchor in wrong_objectives.ANCHORED],
)
def test_wrong_unit_is_caught(sound, broken):
    keeps_unit(sound)
    with pytest.raises(AssertionError, match="by hand"):
        keeps_unit(broken)


@pytest.mark.parametrize(
    ("clause", "route"),
    [(clause, route) for clause, _, route in wrong_routes.ROUTE_DEFECTS],
    ids=[f"{clause}-{name}" for clause, name, _ in wrong_routes.ROUTE_DEFECTS],
)
def test_wrong_route_is_caught(clause, route):
    caught(ROUTE_CLAUSES[clause], (wrong_routes.RAYS, TASK), (route, TASK), 3)


@pytest.mark.parametrize(("clause", "bound"), wrong_routes.BOUND_DEFECTS, ids=named)
def test_wrong_bound_is_caught(clause, bound):
    caught(BOUND_CLAUSES[clause], (utility_bound, TASK), (bound, TASK), 4)


@pytest.mark.parametrize(("clause", "wrong"), wrong_routes.REPAIR_DEFECTS, ids=named)
def test_wrong_repair_is_caught(clause, wrong):
    # At 0.3, so that rounding alone leaves many columns outside; at 2 a random matrix is private already.
    notion = md.LDP(2.0 if clause == "untouched" else 0.3)
    caught(REPAIR_CLAUSES[clause], (repair, notion, PROBLEM), (wrong, notion, PROBLEM), 5)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("clause", "sound", "broken"),
    wrong_theorems.THEOREMS,
    ids=[f"{clause}-{index}" for index, (clause, *_) in enumerate(wrong_theorems.THEOREMS)],
)
def test_wrong_theorem_is_caught(clause, sound, broken):
    THEOREM_CLAUSES[clause](sound, referee(sound).verdict)
    with pytest.raises(AssertionError):
        THEOREM_CLAUSES[clause](broken, referee(broken).verdict)


def test_every_clause_has_a_defect_that_trips_it():
    planted = {
        "notion": {clause for clause, *_ in (*wrong_notions.NOTIONS, *wrong_parameters.NOTIONS)},
        "objective": {clause for clause, *_ in (*wrong_objectives.OBJECTIVES, *wrong_parameters.OBJECTIVES)},
        "route": {clause for clause, *_ in wrong_routes.ROUTE_DEFECTS},
        "bound": {clause for clause, *_ in wrong_routes.BOUND_DEFECTS},
        "repair": {clause for clause, *_ in wrong_routes.REPAIR_DEFECTS},
        "theorem": {clause for clause, *_ in wrong_theorems.THEOREMS},
    }
    clauses = {
        "notion": set(NOTION_CLAUSES),
        "objective": set(OBJECTIVE_CLAUSES),
        "route": set(ROUTE_CLAUSES),
        "bound": set(BOUND_CLAUSES),
        "repair": set(REPAIR_CLAUSES),
        "theorem": set(THEOREM_CLAUSES),
    }
    assert planted == clauses
    assert wrong_notions.EDGES
    assert wrong_objectives.ANCHORED


def test_a_whole_contract_names_member_and_clause(rng):
    with pytest.raises(BrokenContractError, match="breaks the clause 'program refuses'") as found:
        check_notion(wrong_notions.DoubleCone(1.0), PROBLEM, rng)
    assert found.value.clause == "program refuses"
    assert "DoubleCone" in str(found.value)
    with pytest.raises(BrokenContractError, match="breaks the clause 'expression'"):
        check_objective(wrong_objectives.OtherConstant(), PROBLEM, rng)
