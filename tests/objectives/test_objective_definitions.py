"""Objectives: value, expression, column utility and support are one function, of the kind it says."""

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives import PiecewiseLinear
from tests.helpers.made_objectives import (
    DECIDING,
    ELSEWHERE,
    MAKERS,
    SEPARABLE,
    SIZES,
    SUBLINEAR,
    WORST,
    by_definition,
    close,
    expression_value,
    posed,
    random_columns,
)


def test_every_objective_of_the_catalogue_is_here():
    """Fail where an objective was added without a line above."""
    room = {name: getattr(md.objectives, name) for name in md.objectives.__all__}
    concrete = {
        name
        for name, member in room.items()
        if issubclass(member, md.Objective) and not getattr(member, "__abstractmethods__", None)
    }
    assert concrete == set(MAKERS) | ELSEWHERE


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", MAKERS)
def test_value_and_expression_are_the_definition(name, n, rng):
    for _ in range(5):
        objective, problem, Q = posed(name, n, rng)
        wanted = by_definition(objective, problem, Q)
        assert objective.value(Q, problem) == close(wanted)
        assert expression_value(objective, problem, Q) == close(wanted)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SUBLINEAR)
def test_column_utilities_add_up_to_the_value(name, n, rng):
    for _ in range(5):
        objective, problem, Q = posed(name, n, rng)
        total = float(objective.column_utility(Q, problem).sum())
        wanted = by_definition(objective, problem, Q)
        assert objective.from_utility(total, problem) == close(wanted)
        assert objective.to_utility(wanted, problem) == pytest.approx(total, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", DECIDING)
def test_column_utility_of_a_loss_takes_the_best_decision(name, n, rng):
    for _ in range(5):
        objective, problem, _ = posed(name, n, rng)
        Q = rng.dirichlet(np.ones(3), size=n)
        units = np.eye(objective.outputs(problem))
        best = 0.0
        for y in range(3):
            named = [np.outer(Q[:, y], units[d]) for d in range(len(units))]
            best += min(by_definition(objective, problem, one) for one in named)
        total = float(objective.column_utility(Q, problem).sum())
        assert objective.from_utility(total, problem) == close(best)
        assert by_definition(objective, problem, objective.by_decision(Q, problem)) == close(best)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", WORST)
def test_the_largest_piece_is_the_value(name, n, rng):
    for _ in range(5):
        objective, problem, Q = posed(name, n, rng)
        pieces = objective.pieces(problem)
        assert isinstance(objective, PiecewiseLinear)
        assert pieces.shape[1] == Q.size
        assert float((pieces @ Q.ravel()).max()) == close(by_definition(objective, problem, Q))


@pytest.mark.parametrize("name", MAKERS)
def test_curvature_is_what_the_kind_says(name, rng):
    objective, problem, matrix = posed(name, 3, rng)
    expression = objective.expression(cp.Variable(matrix.shape), problem)
    asked = cp.Minimize if objective.sense == "minimise" else cp.Maximize
    assert expression.is_affine() == (objective.kind == "linear")
    # The sublinear kind is the one that no convex program states as it is meant.
    assert asked(expression).is_dcp() == (objective.kind != "sublinear")
    assert expression.is_concave() if name == "MMSE" else expression.is_convex()


@pytest.mark.parametrize("name", MAKERS)
def test_words_and_unit_are_there(name):
    member = getattr(md, name)
    assert member.card.full_name
    assert member.unit or name == "FDivergence"
    assert member.__doc__.lstrip("`").startswith(("sum_", "max_", "E[", "(1/2) sum_", "1 - sum_"))


@pytest.mark.parametrize("name", MAKERS)
def test_no_information_and_no_privacy(name, rng):
    objective, problem, _ = posed(name, 4, rng)
    constant, identity = objective.uninformative(problem), objective.no_privacy(problem)
    better = constant - identity if objective.sense == "minimise" else identity - constant
    assert better > 0
    wanted = {"MMSE": 0.0, "HammingLoss": 0.0, "AbsoluteError": 0.0, "MaxOffDiagonal": 0.0}
    if name in wanted:
        assert identity == pytest.approx(wanted[name], abs=1e-15)
    elif name in SUBLINEAR:
        assert constant == pytest.approx(0.0, abs=1e-15)
        assert identity == close(objective.value(np.eye(4), problem))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SEPARABLE)
def test_column_utility_is_homogeneous_and_convex(name, n, rng):
    objective, problem, _ = posed(name, n, rng)
    u, v = random_columns(n, 200, rng), random_columns(n, 200, rng)
    scale = 10.0 ** rng.uniform(-3, 3, size=200)
    at_u, at_v = objective.column_utility(u, problem), objective.column_utility(v, problem)
    size = np.abs(objective.supporting(u, problem)).max() * (u + v).sum(axis=0)
    assert objective.column_utility(u * scale, problem) == pytest.approx(at_u * scale, rel=1e-9, abs=1e-11)
    assert np.all(objective.column_utility((u + v) / 2, problem) <= (at_u + at_v) / 2 + 1e-13 * size)
    zero = np.zeros((n, 1))
    assert objective.column_utility(zero, problem)[0] == 0
    assert np.all(np.isfinite(objective.supporting(zero, problem)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SEPARABLE)
def test_supporting_functionals_support(name, n, rng):
    """At columns with zeros too."""
    objective, problem, _ = posed(name, n, rng)
    columns, others = random_columns(n, 60, rng), random_columns(n, 300, rng)
    columns[:, 0] = 0.0
    functionals = objective.supporting(columns, problem)
    assert np.all(np.isfinite(functionals))
    # Where the two hypotheses are alike, a slope is a small difference of numbers of order one.
    slack = 1e-13 * np.abs(functionals).T @ others + 1e-15 * others.sum(axis=0)
    assert np.all(functionals.T @ others <= objective.column_utility(others, problem) + slack)
    reached = np.einsum("xm,xm->m", functionals, columns)
    slack = 1e-12 * np.einsum("xm,xm->m", np.abs(functionals), columns) + 1e-15 * columns.sum(axis=0)
    assert np.all(np.abs(reached - objective.column_utility(columns, problem)) <= slack)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", SUBLINEAR)
def test_postprocessing_never_increases_the_utility(name, n, rng):
    for _ in range(10):
        objective, problem, Q = posed(name, n, rng)
        R = rng.dirichlet(np.full(3, 0.3), size=Q.shape[1])
        before = objective.to_utility(by_definition(objective, problem, Q), problem)
        after = objective.to_utility(by_definition(objective, problem, Q @ R), problem)
        assert after <= before + 1e-13
        assert float(objective.column_utility(Q @ R, problem).sum()) == pytest.approx(after, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("name", SEPARABLE)
def test_columns_in_proportion_may_be_merged(name, rng):
    objective, problem, _ = posed(name, 4, rng)
    v = random_columns(4, 50, rng)
    share = rng.random(50)
    parts = objective.column_utility(v * share, problem) + objective.column_utility(v * (1 - share), problem)
    assert parts == pytest.approx(objective.column_utility(v, problem), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", SEPARABLE)
def test_a_continuum_of_decisions_is_refused_with_a_sentence(name, rng):
    objective, problem, Q = posed(name, 4, rng)
    if objective.gains(problem) is None:
        for asked in (objective.best_decision, objective.by_decision):
            with pytest.raises(md.UnsupportedError, match=f"^{objective.name} has no finite list of decisions"):
                asked(Q, problem)
    else:
        matrix = objective.by_decision(Q, problem)
        assert matrix.sum(axis=1) == pytest.approx(np.ones(4))
        assert float((objective.gains(problem).T * matrix).sum()) == pytest.approx(
            float(objective.column_utility(Q, problem).sum())
        )
