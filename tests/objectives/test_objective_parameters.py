"""Objectives: inputs that carry data, names of outputs, parameters in files, and problems that lack something."""

import json
import math
import re

import numpy as np
import pytest

import mechdesign as md
from mechdesign.question.question import member_to_dict, objective_from_dict
from tests.helpers.made_objectives import (
    GENERATORS,
    MAKERS,
    SUBLINEAR,
    LeCam,
    by_definition,
    close,
    expression_value,
    posed,
)

CARRIED = (0, 0, 1, 2, 2, 1)


def widened(rng):
    """Return two inputs for each of three data, with the matrix of the data that belongs to a matrix of the inputs."""
    prior = rng.dirichlet(np.ones(6))
    data = np.array(CARRIED)
    values = np.array([4.0, -1.0, 2.0])
    problem = md.Problem(prior=prior, values=values[data], labels=[f"{i}" for i in "abcdef"], data_of_input=data)
    Q = rng.dirichlet(np.ones(3), size=6)
    P = np.array([sum(prior[i] for i in range(6) if CARRIED[i] == x) for x in range(3)])
    joint = [sum(prior[i] * Q[i] for i in range(6) if CARRIED[i] == x) for x in range(3)]
    seen = np.array(joint) / P[:, None]
    return problem, Q, md.Problem(prior=P, values=values), seen


@pytest.mark.parametrize("name", ["MMSE", "ExpectedLoss", "HammingLoss", "AbsoluteError", "MutualInformation"])
def test_objectives_look_at_the_data(name, rng):
    problem, Q, plain, seen = widened(rng)
    objective = MAKERS[name](3, rng)
    if name == "ExpectedLoss":
        objective = md.ExpectedLoss(objective.loss[:, :3])
    objective.check(problem)
    wanted = by_definition(objective, plain, seen)
    assert objective.value(Q, problem) == close(wanted)
    assert expression_value(objective, problem, Q) == close(wanted)
    if name in SUBLINEAR:
        assert objective.from_utility(objective.column_utility(Q, problem).sum(), problem) == close(wanted)
        functionals = objective.supporting(Q, problem)
        excess = functionals.T @ Q - objective.column_utility(Q, problem)
        assert excess.max() <= 1e-13
        assert np.diag(excess) == pytest.approx(0.0, abs=1e-13)
    else:
        assert objective.outputs(problem) == 3
        assert len(objective.output_names(Q, problem)) == 3


def test_worst_cases_look_at_every_input(rng):
    problem, Q, _, _ = widened(rng)
    loss = rng.random((3, 3))
    worst = max(math.fsum(Q[i, d] * loss[CARRIED[i], d] for d in range(3)) for i in range(6))
    off = max(Q[i, y] for i in range(6) for y in range(3) if y != CARRIED[i])
    for objective, wanted in ((md.WorstCaseLoss(loss), worst), (md.MaxOffDiagonal(), off)):
        objective.check(problem)
        assert objective.value(Q, problem) == close(wanted)
        assert expression_value(objective, problem, Q) == close(wanted)
        assert float((objective.pieces(problem) @ Q.ravel()).max()) == close(wanted)
        assert objective.outputs(problem) == 3


def test_a_datum_that_never_occurs_carries_no_information(rng):
    """A profile may exclude a datum: its inputs have prior 0."""
    prior = np.array([0.2, 0.0, 0.5, 0.3])
    problem = md.Problem(prior=prior, data_of_input=np.array([0, 1, 2, 0]))
    Q = rng.dirichlet(np.ones(3), size=4)
    seen = np.array([(0.2 * Q[0] + 0.3 * Q[3]) / 0.5, Q[2]])
    wanted = by_definition(md.MutualInformation(), md.Problem(prior=[0.5, 0.5], values=[0, 0]), seen)
    objective = md.MutualInformation()
    assert objective.value(Q, problem) == close(wanted)
    assert objective.column_utility(Q, problem).sum() == close(wanted)
    assert expression_value(objective, problem, Q) == close(wanted)
    assert np.all(objective.supporting(Q, problem)[1] == 0)


def test_output_names():
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[1, 2.5, 0.1], labels=["lo", "mid", "hi"])
    assert md.HammingLoss().decisions(problem) == ("lo", "mid", "hi")
    assert md.AbsoluteError().decisions(problem) == ("1", "2.5", "0.1")
    assert md.MaxOffDiagonal().output_names(np.eye(3), problem) == ("lo", "mid", "hi")
    assert md.WorstCaseLoss(np.eye(3)).output_names(np.eye(3), problem) == ("lo", "mid", "hi")
    assert md.WorstCaseLoss(np.ones((3, 2))).output_names(np.ones((3, 2)), problem) == ("0", "1")
    twins = md.Problem(prior=[0.2, 0.3, 0.5], values=[1, 1, 1 + 1e-12])
    assert md.AbsoluteError().decisions(twins) == ("1 (0)", "1 (1)", "1.000000000001")


@pytest.mark.parametrize("name", MAKERS)
def test_parameters_survive_json(name, rng):
    objective, _, _ = posed(name, 3, rng)
    data = json.loads(json.dumps(member_to_dict(objective)))
    if name == "FDivergence":
        with pytest.raises(md.DomainError, match=r"objective\.f is LeCam.*KLGenerator"):
            objective_from_dict(data)
        return
    again = objective_from_dict(data)
    assert again == objective
    assert hash(again) == hash(objective)
    assert str(objective).startswith(name)


@pytest.mark.parametrize("f", [f for f in GENERATORS if not isinstance(f, LeCam)], ids=lambda f: f.name)
def test_built_in_generators_survive_json(f):
    objective = md.FDivergence(f, [0.25, 0.75], [0.5, 0.5])
    data = json.loads(json.dumps(member_to_dict(objective)))
    assert data["f"] == f.name
    assert objective_from_dict(data) == objective


def test_equality_is_by_content():
    assert md.KLDivergence([0.5, 0.5], [0.25, 0.75]) == md.KLDivergence([0.5, 0.5], [0.25, 0.75])
    assert md.KLDivergence([0.5, 0.5], [0.25, 0.75]) != md.KLDivergence([0.25, 0.75], [0.5, 0.5])
    assert md.KLDivergence([0.5, 0.5], [0.25, 0.75]) != md.ChiSquare([0.5, 0.5], [0.25, 0.75])
    with pytest.raises(ValueError, match="read-only"):
        md.KLDivergence([0.5, 0.5], [0.25, 0.75]).first[0] = 1.0


def two(**given):
    return {"theta": [0.5, 0.5], "direction": [1.0, -1.0], **given}


BAD = {
    "theta length": (
        lambda: md.FisherInformation(**two()).check(md.Problem(n=3)),
        ("theta", "of length 2", "each of the 3 inputs", "vectors of one length"),
    ),
    "first length": (
        lambda: md.KLDivergence([0.5, 0.5], [0.5, 0.5]).check(md.Problem(n=4)),
        ("first", "of length 2", "each of the 4 inputs", "vectors of one length"),
    ),
    "loss rows": (
        lambda: md.WorstCaseLoss(np.zeros((2, 3))).check(md.Problem(n=3)),
        ("loss", "of shape (2, 3)", "one row for each of the 3 inputs", "transposed"),
    ),
    "one datum": (
        lambda: md.MaxOffDiagonal().check(md.Problem(n=1)),
        ("n", "1", "compares a datum with others", "at least two"),
    ),
    "values missing": (
        lambda: md.AbsoluteError().check(md.Problem(prior=[0.5, 0.5])),
        ("values", "None", "AbsoluteError needs it", "give Problem(values=...)"),
    ),
    **{
        f"prior missing, {name}": (
            lambda name=name: getattr(md, name)().check(md.Problem(values=[0.0, 1.0])),
            ("prior", "None", f"{name} needs it", "give Problem(prior=...)"),
        )
        for name in ("MMSE", "HammingLoss", "AbsoluteError", "MutualInformation")
    },
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_argument_value_rule_and_remedy(case):
    made, (argument, value, rule, remedy) = BAD[case]
    with pytest.raises(md.DomainError) as caught:
        made()
    assert caught.value.argument == argument
    parts = [re.escape(part) for part in (argument, value, rule, remedy)]
    pattern = "^{} is .*{}.*, but .*{}.*; .*{}.*\\.$".format(*parts)
    assert re.match(pattern, str(caught.value)), str(caught.value)


@pytest.mark.parametrize("name", ["WorstCaseLoss", "MaxOffDiagonal", "KLDivergence", "FisherInformation"])
def test_no_prior_is_asked_where_none_is_used(name, rng):
    MAKERS[name](3, rng).check(md.Problem(n=3))
