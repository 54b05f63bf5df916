"""Each form of each instance has the certified optimum, and its duals prove it."""

import math
import warnings

import numpy as np
import pytest

from mechdesign import bench
from mechdesign.bench.judging import judged
from mechdesign.bench.solvers import solver_named
from mechdesign.bench.solvers.highs import Highs
from mechdesign.bench.solvers.through_cvxpy import ThroughCvxpy

SMALL = {each.name: each for each in bench.instances("small")}


def answered(instance, accuracy=1e-10):
    solver = Highs("HIGHS", "simplex") if instance.posed.program.is_linear else ThroughCvxpy("CLARABEL")
    call = solver.prepare(instance, accuracy, 30.0)
    with warnings.catch_warnings():
        # Clarabel is asked for more than it can do.
        warnings.simplefilter("ignore", UserWarning)
        return solver.finish(call())


@pytest.mark.thinned(21)
@pytest.mark.parametrize("name", SMALL)
def test_the_program_has_the_certified_optimum_and_its_duals_prove_it(name):
    instance = SMALL[name]
    answer = answered(instance)
    score = judged(instance, answer)
    most = 1e-9 if instance.posed.program.is_linear else 1e-6
    assert score.error <= most
    assert score.bound_error <= most
    # The cost of the program itself, before any repair.
    question, posed = instance.question, instance.posed
    utility = -posed.scale * posed.program.value(answer.x)
    value = question.objective.from_utility(utility, question.problem)
    assert value == pytest.approx(instance.optimum.value, rel=max(most, 1e-7), abs=1e-9)


def test_a_program_without_the_pairs_of_an_input_is_another_one():
    """Planted: rows of 'all pairs' forgotten; the optimum is then better than the certified one."""
    from dataclasses import replace

    instance = SMALL["ldp-absolute-6-pairs"]
    program = instance.posed.program
    first = (program.rows[:, np.arange(6) * 6].toarray() == 1.0).any(axis=1) & (program.row_upper == 0.0)
    loose = replace(program, row_upper=np.where(first, np.inf, program.row_upper))
    other = bench.Instance("loose", instance.question, instance.form, instance.optimum)
    vars(other)["posed"] = replace(instance.posed, program=loose)
    assert loose.value(answered(other).x) < program.value(answered(instance).x) - 1e-6


def test_looped_is_all_pairs_row_by_row():
    looped, pairs = (SMALL[f"ldp-absolute-6-{form}"].posed for form in ("looped", "pairs"))
    rng = np.random.default_rng(1)
    point = rng.random(36)
    below = pairs.program.rows @ point - pairs.program.row_upper
    among = looped.program.rows @ point - looped.program.row_upper
    assert sorted(np.round(below[6:], 12)) == sorted(np.round(among[42:], 12))


def test_neighbouring_pairs_imply_the_others():
    """On streets a pair at a distance is implied by the pairs along a way: the factors multiply."""
    instance = SMALL["map-streets-9-neighbours"]
    assert instance.posed.program.rows.shape[0] == 9 + 9 * 24
    assert judged(instance, answered(instance)).privacy.amount < 1e-12


def test_violation_sees_every_kind_of_constraint():
    for name in ("ldp-absolute-6-pairs", "ball-absolute-6-soc", "mip-absolute-4-exp"):
        instance = SMALL[name]
        program, answer = instance.posed.program, answered(instance)
        assert program.violation(answer.x) < 1e-6
        assert program.violation(answer.x + 0.1) > 1e-3
        assert program.violation(-answer.x) > 1e-3


def test_the_solvers_named_are_those_installed():
    for name in bench.known_solvers():
        assert solver_named(name.lower()).name == name


@pytest.mark.parametrize("name", ["ldp-absolute-6-pairs", "lip-absolute-10-rays", "mip-absolute-4-exp"])
@pytest.mark.parametrize("entry", [0.0, -1.0, 1e-320, 1e99, 1e200, 1e308, math.nan])
def test_any_point_and_any_multipliers_have_a_score(name, entry):
    instance = SMALL[name]
    variables, rows = len(instance.posed.program.cost), instance.posed.program.rows.shape[0]
    for duals in (None, np.zeros(rows), np.full(rows, 1e300), np.full(rows, math.nan)):
        score = judged(instance, bench.Answer(np.full(variables, entry), duals, "optimal"))
        assert not score.error < 1e-3
        assert not score.bound_error < 1e-3
        assert score.faults
