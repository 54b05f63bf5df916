"""Intersections of notions against vertices and programs written by hand, their levels, and their plain data."""

from __future__ import annotations

import math
from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.cli.question_file import read_question
from mechdesign.question import Question
from mechdesign.question.question import member_to_dict, notion_from_dict
from mechdesign.solve.pricing.support import support
from tests.helpers import brute_force as brute

VALUES = np.array([0.0, 1.0, 3.0, 7.0, 12.0])


def asked(n: int) -> md.Problem:
    prior = np.arange(1.0, n + 1) ** 1.5
    return md.Problem(prior=prior / prior.sum(), values=VALUES[:n])


def answers(problem: md.Problem, notion: md.Notion, objective: md.Objective) -> dict[str, md.Design]:
    """Return the design of every route that accepts."""
    made = {}
    for route in ("rays", "columns", "convex"):
        try:
            made[route] = md.design(problem, notion, objective, route=route)
        except md.UnsupportedError:
            continue
    return made


@pytest.mark.thinned(4)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize(("ldp", "lip"), [(1.0, 0.5), (0.6, 0.45), (2.0, 1.0)])
def test_every_route_finds_the_vertex_optimum(n: int, ldp: float, lip: float) -> None:
    problem = asked(n)
    prior = problem.prior
    assert prior is not None
    columns = brute.vertices(np.vstack([brute.ldp_rows(n, ldp), brute.lip_rows(prior, lip)]), prior)
    first, second = prior, prior[::-1] / prior.sum()
    loss = np.abs(np.subtract.outer(VALUES[:n], [0.5, 2.0, 6.0])) ** 1.5
    truths = {
        md.MMSE(): -brute.optimum(columns, -brute.squared_error(columns, prior, VALUES[:n])),
        md.ExpectedLoss(loss): -brute.optimum(columns, -brute.least_loss(columns, prior, loss)),
        md.KLDivergence(first, second): brute.optimum(
            columns, brute.divergence("KLDivergence", columns, first, second)
        ),
    }
    for both in (md.LDP(ldp) & md.LIP(lip), md.LIP(lip) & md.LDP(ldp)):
        for objective, truth in truths.items():
            made = answers(problem, both, objective)
            assert len(made) == (3 if isinstance(objective, md.ExpectedLoss) else 2)
            for design in made.values():
                assert design.gap <= 1e-6
                assert design.value == pytest.approx(truth, rel=2e-6)
                assert brute.is_ldp(design.matrix, ldp)
                assert brute.is_lip(design.matrix, prior, lip)


def test_two_of_a_kind_are_the_stronger_one() -> None:
    problem = asked(4)
    for objective in (md.MMSE(), md.HammingLoss(), md.MaxOffDiagonal(), md.MutualInformation()):
        both = md.design(problem, md.LDP(1.2) & md.LDP(0.7), objective)
        assert both.value == pytest.approx(md.design(problem, md.LDP(0.7), objective).value, rel=1e-9)


def test_the_value_lies_between_those_of_its_parts_and_of_what_implies_both() -> None:
    problem = asked(4)
    for objective in (md.MMSE(), md.AbsoluteError()):
        both, ldp, lip, implies = (
            md.design(problem, notion, objective).value
            for notion in (md.LDP(0.8) & md.LIP(0.5), md.LDP(0.8), md.LIP(0.5), md.LDP(0.5))
        )
        assert max(ldp, lip) + 1e-4 < both < implies - 1e-4


def test_budgets_are_joined() -> None:
    problem = md.Problem(prior=[0.3, 0.7], values=[0.0, 1.0])
    # On the cells between these directions both norms are linear.
    columns = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.4, 0.6]]).T
    utility = -brute.squared_error(columns, problem.prior, problem.values)
    costs = [np.abs((1 - w) * columns[0] - w * columns[1]) for w in (0.5, 0.4)]
    found = linprog(-utility, A_ub=costs, b_ub=[0.5, 0.45], A_eq=columns, b_eq=np.ones(2))
    made = md.design(problem, md.WeightedTV(0.5) & md.WeightedTV(0.45, 0.4), md.MMSE())
    assert made.value == pytest.approx(found.fun, rel=1e-6)
    assert made.audit.level == pytest.approx((0.5, 0.45), abs=1e-6)
    # A cone beside a budget: the edges of LDP, and the direction in which the norm has its kink.
    edge = math.exp(0.8)
    columns = np.array([[edge, 1.0], [1.0, edge], [1.0, 1.0]]).T
    utility = -brute.squared_error(columns, problem.prior, problem.values)
    cost = [np.abs(columns[0] - columns[1]) / 2]
    found = linprog(-utility, A_ub=cost, b_ub=[0.3], A_eq=columns, b_eq=np.ones(2))
    for both in (md.LDP(0.8) & md.WeightedTV(0.3), md.WeightedTV(0.3) & md.LDP(0.8)):
        made = md.design(problem, both, md.MMSE())
        assert made.value == pytest.approx(found.fun, rel=1e-6)
        assert made.gap <= 1e-6
        assert made.audit.holds


def test_more_inputs_than_can_be_enumerated() -> None:
    rng = np.random.default_rng(5)
    n = 24
    prior = rng.dirichlet(np.ones(n)) + 0.01
    problem = md.Problem(prior=prior / prior.sum())
    both = md.LIP(1.0) & md.LDP(1.8)
    loss = np.abs(np.subtract.outer(np.arange(n), np.arange(0, n, 5)))
    made = md.design(problem, both, md.ExpectedLoss(loss))
    assert made.gap <= 1e-6
    assert made.audit.holds
    # Neither part implies the other here.
    assert made.value > 1.01 * max(md.design(problem, part, md.ExpectedLoss(loss)).value for part in both.parts())


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["StrongChiSquare", "MutualInformationPrivacy"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_cone_beside_a_notion_that_is_no_polyhedron(name: str, order: int) -> None:
    problem, epsilon = asked(4), 0.5
    prior = problem.prior
    assert prior is not None
    level = {"StrongChiSquare": 0.22, "MutualInformationPrivacy": 0.02}[name]
    both = md.Intersection([md.LDP(epsilon), getattr(md, name)(level)][::order])
    # All pairs, and the curved notion from its definition.
    Q = cp.Variable((4, 4), nonneg=True)
    rules = [cp.sum(Q, axis=1) == 1]
    rules += [Q[x] <= math.exp(epsilon) * Q[other] for x in range(4) for other in range(4) if x != other]
    mass = prior @ Q
    if name == "StrongChiSquare":
        deviations = [cp.norm(cp.multiply(np.sqrt(prior), Q[:, y] - mass[y])) for y in range(4)]
        rules += [deviations[y] <= level * mass[y] for y in range(4)]
    else:
        rules.append(sum(prior[x] * cp.sum(cp.rel_entr(Q[x], mass)) for x in range(4)) <= level)
    cp.Problem(cp.Maximize(prior @ cp.diag(Q)), rules).solve(solver="CLARABEL")
    made = md.design(problem, both, md.HammingLoss())
    assert made.gap <= 1e-6
    assert made.value == pytest.approx(1 - float(prior @ np.diag(Q.value)), rel=1e-6)
    assert brute.is_ldp(made.matrix, epsilon)
    # Both are tight: neither alone has this optimum.
    assert made.audit.levels[0 if order == 1 else 1] == pytest.approx(epsilon, abs=1e-4)
    assert made.audit.levels[1 if order == 1 else 0] == pytest.approx(level, abs=1e-4)


def test_two_that_are_no_polyhedron_are_refused() -> None:
    curved, budget = md.StrongChiSquare(0.3), md.MutualInformationPrivacy(0.1)
    for both in (curved & budget, budget & md.WeightedTV(0.5), budget & curved & md.LDP(1.0)):
        with pytest.raises(md.UnsupportedError, match="columns are no polyhedron, with another"):
            md.design(asked(2), both, md.HammingLoss())
    with pytest.raises(md.UnsupportedError, match="reveals inputs under MutualInformationPrivacy"):
        md.design(asked(3), md.UtilityOptimizedLDP(1.0, [0]) & budget, md.HammingLoss())


@pytest.mark.parametrize("order", [1, -1])
def test_support_is_that_of_all_rows(order: int) -> None:
    # The multipliers of auxiliary variables are charged on the slice of the first notion, whatever the second's is.
    problem = md.Problem(prior=[0.002, 0.018, 0.08, 0.2, 0.7])
    prior = problem.prior
    assert prior is not None
    both = md.Intersection([md.LDP(0.9), md.LIP(0.6)][::order])
    normal = both.columns(problem).normal
    rows = np.vstack([brute.ldp_rows(5, 0.9), brute.lip_rows(prior, 0.6)])
    rng = np.random.default_rng(0)
    functionals = rng.normal(size=(20, 5)) * 10.0 ** rng.uniform(-2, 2, size=(20, 1))
    found = support(both, problem, functionals)
    for functional, value in zip(functionals, found.values, strict=True):
        truth = linprog(-functional, A_ub=-rows, b_ub=np.zeros(len(rows)), A_eq=normal[None, :], b_eq=[1.0])
        assert value == pytest.approx(-truth.fun, rel=1e-7, abs=1e-9)


def test_levels_are_a_tuple_by_part() -> None:
    problem = md.Problem(prior=[0.5, 0.5])
    both = md.LDP(1.0) & md.LIP(0.25) & md.WeightedTV(0.1)
    report = md.audit([["3/5", "2/5"], ["2/5", "3/5"]], both, problem)
    by_hand = (math.log(1.5), math.log(1.25), 0.2)
    assert report.level == pytest.approx(by_hand, rel=1e-14)
    assert not report.holds
    for level, part in zip(report.levels, both.parts(), strict=True):
        assert level == float(md.audit([["3/5", "2/5"], ["2/5", "3/5"]], part, problem))
    assert md.audit([["3/5", "2/5"], ["2/5", "3/5"]], both.at((0.5, 0.25, 0.25)), problem).holds
    assert both.at((0.5, 0.25, 0.2)).parameters == (0.5, 0.25, 0.2)


def test_joining_is_flat_and_equal_by_content() -> None:
    a, b, c = md.LDP(1.0), md.LIP(0.5), md.LDP(2.0)
    assert (a & b) & c == a & (b & c) == md.Intersection([a, b, c])
    assert hash((a & b) & c) == hash(a & (b & c))
    assert a & b != b & a
    assert str(a & b) == "LDP(epsilon=1) & LIP(epsilon=0.5)"
    assert (a & b).needs_prior
    assert not (a & c).needs_prior
    union = a & md.UtilityOptimizedLDP(1.0, (0,))
    assert not union.convex
    assert not union.closed_under_postprocessing
    with pytest.raises(TypeError):
        a & 1.0  # type: ignore[operator]


def test_an_input_is_revealed_where_all_parts_allow_it() -> None:
    problem = asked(4)
    first, second = md.UtilityOptimizedLDP(1.0, (0, 1)), md.UtilityOptimizedLDP(0.6, (1, 2))
    made = md.design(problem, first & second, md.MMSE())
    assert (first & second).columns(problem).revealed == (3,)
    union = md.UtilityOptimizedLDP(0.6, (0, 1, 2))
    assert made.value == pytest.approx(md.design(problem, union, md.MMSE()).value, rel=1e-6)
    # LDP reveals nobody.
    alone = md.design(problem, first & md.LDP(2.0), md.HammingLoss())
    assert alone.value == pytest.approx(md.design(problem, md.LDP(1.0), md.HammingLoss()).value, rel=1e-9)


def test_questions_keep_their_parts(tmp_path) -> None:
    both = md.LDP(1.0) & md.LIP(0.5)
    plain = member_to_dict(both)
    assert plain == {
        "name": "Intersection",
        "parts": [{"name": "LDP", "epsilon": 1.0}, {"name": "LIP", "epsilon": 0.5}],
    }
    assert notion_from_dict(plain) == both
    made = md.design(asked(3), both, md.MMSE())
    assert md.load(made.mechanism.save(tmp_path / "both.json")) == made.mechanism
    assert Question.from_dict(made.mechanism.question.to_dict()) == made.mechanism.question


TOML = """
[problem]
prior = [0.4, 0.6]
values = [0, 1]
[objective]
name = "MMSE"
[notion]
name = "Intersection"
[[notion.parts]]
name = "LDP"
epsilon = 1.0
[[notion.parts]]
name = "LIP"
epsilon = 0.5
"""


def test_question_files_have_a_table_for_each_part(tmp_path) -> None:
    file = tmp_path / "both.toml"
    file.write_text(TOML)
    assert read_question(file).question.notion == md.LDP(1.0) & md.LIP(0.5)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("epsilon = 0.5", "epsilon = -0.5", r"both.toml line 14, \[notion\] parts\[1\].epsilon is -0.5"),
        ('"LIP"', '"LPI"', r"both.toml line 13, \[notion\] parts\[1\].name is LPI.*LIP"),
        ("epsilon = 1.0", "epsilom = 1.0", r"both.toml line 11, \[notion\] parts\[0\].epsilom"),
        ("[[notion.parts]]", "[[notion.prats]]", "has no such key|has parts only"),
    ],
)
def test_a_wrong_part_is_named_with_its_line(tmp_path, old: str, new: str, text: str) -> None:
    file = tmp_path / "both.toml"
    file.write_text(TOML.replace(old, new))
    with pytest.raises(md.DomainError, match=text):
        read_question(file)


def test_what_cannot_be_joined_is_refused() -> None:
    profiles = md.ProfileDP(1.0, [[0.5, 0.5], [0.2, 0.8]], [(0, 1)])
    with pytest.raises(md.DomainError, match="ProfileDP and LDP speak of different inputs"):
        md.design(md.Problem(n=2), profiles & md.LDP(1.0), md.MaxOffDiagonal())
    with pytest.raises(md.DomainError, match="prior"):
        md.design(md.Problem(n=2), md.LDP(1.0) & md.LIP(1.0), md.MaxOffDiagonal())


def test_profiles_that_agree_can_be_joined() -> None:
    rows = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]
    joined = md.ProfileDP(0.5, rows, [(0, 1)], False) & md.ProfileDP(0.2, rows, [(1, 2)], False)
    made = md.design(md.Problem(n=3), joined, md.MaxOffDiagonal())
    seen = np.array(rows) @ made.matrix
    for (i, j), epsilon in (((0, 1), 0.5), ((1, 2), 0.2)):
        assert np.abs(np.log(seen[i] / seen[j])).max() <= epsilon + 1e-9
    assert made.gap <= 1e-6


def test_order_of_parts_changes_no_optimum() -> None:
    parts, problem = [md.LDP(1.0), md.LIP(0.5), md.LDP(0.9)], asked(4)
    values = [md.design(problem, a & b, md.MMSE()).value for a, b in combinations(parts, 2)]
    swapped = [md.design(problem, b & a, md.MMSE()).value for a, b in combinations(parts, 2)]
    assert values == pytest.approx(swapped, rel=1e-7)
