"""Disclosing all, where a notion allows it, and nothing, where a solver's matrix gains hardly anything."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.repair.all_or_nothing import NEAR_IDLE, full_disclosure, no_disclosure
from mechdesign.solve.task import Task

PROBLEM = md.Problem(prior=[0.5, 0.3, 0.2], values=[0.0, 1.0, 3.0])
FREE, WIDE = md.MaximalLeakage(2.0), md.ApproximateLDP(1.0, 1.0)
TABLE = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.4]])


@pytest.mark.parametrize("notion", [FREE, WIDE], ids=str)
def test_all_is_disclosed_where_that_is_private(notion):
    found = full_disclosure(Task(PROBLEM, notion, md.MMSE()))
    assert np.array_equal(found, np.eye(3)) and not found.flags.writeable


@pytest.mark.parametrize("notion", [md.LDP(5.0), md.MaximalLeakage(0.5), md.LIP(0.4)], ids=str)
def test_what_is_not_private_is_not_disclosed(notion):
    assert full_disclosure(Task(PROBLEM, notion, md.MMSE())) is None
    assert full_disclosure(Task(PROBLEM, notion, md.HammingLoss())) is None


def test_of_decisions_the_best_for_each_input_is_disclosed():
    found = full_disclosure(Task(PROBLEM, FREE, md.ExpectedLoss(TABLE)))
    assert found.tolist() == [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    # Inputs that two outputs do not separate are private where one alone would not be.
    alike = md.ExpectedLoss(np.array([[0.0, 1.0]] * 3))
    assert full_disclosure(Task(PROBLEM, md.LDP(0.1), alike)).tolist() == [[1.0, 0.0]] * 3


def test_what_is_disclosed_has_no_more_outputs_than_are_allowed():
    assert full_disclosure(Task(PROBLEM, FREE, md.MMSE(), outputs=2)) is None
    assert np.array_equal(full_disclosure(Task(PROBLEM, FREE, md.MMSE(), outputs=3)), np.eye(3))
    assert full_disclosure(Task(PROBLEM, FREE, md.ExpectedLoss(TABLE), outputs=2)) is not None
    assert full_disclosure(Task(PROBLEM, FREE, md.ExpectedLoss(TABLE), outputs=1)) is None


def test_rules_of_the_user_are_left_to_others():
    assert full_disclosure(Task(PROBLEM, FREE, md.MMSE(), subject_to=lambda Q: [])) is None
    assert no_disclosure(Task(PROBLEM, FREE, md.MMSE(), subject_to=lambda Q: []), 1.29) is None


@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation()], ids=lambda each: each.name)
def test_nothing_is_disclosed_where_a_matrix_is_no_better(objective):
    task, idle = Task(PROBLEM, md.LDP(0.5), objective), objective.uninformative(PROBLEM)
    made, multipliers = no_disclosure(task, idle)
    assert made.tolist() == [[1.0]] * 3 and not made.flags.writeable
    assert np.allclose(multipliers.rows, objective.supporting(np.ones((3, 1)), PROBLEM)[:, 0])
    assert no_disclosure(task, float("nan")) is None


@pytest.mark.parametrize(("share", "idle"), [(0.9 * NEAR_IDLE, True), (1.1 * NEAR_IDLE, False), (0.5, False)])
def test_what_is_gained_is_held_against_the_larger_value(share, idle):
    objective = md.MMSE()
    value = (1.0 - share) * objective.uninformative(PROBLEM)
    assert (no_disclosure(Task(PROBLEM, md.LDP(0.5), objective), value) is not None) == idle


def test_of_decisions_the_best_without_a_look_is_made():
    objective = md.ExpectedLoss(TABLE)
    made, _ = no_disclosure(Task(PROBLEM, md.LDP(0.5), objective), objective.uninformative(PROBLEM))
    # It costs 0.3 + 0.1 for the first, 0.5 + 0.08 for the second.
    assert made.tolist() == [[1.0, 0.0]] * 3
    assert no_disclosure(Task(PROBLEM, md.LDP(0.5), objective), 0.3) is None
