"""The strongest two outputs that separate a part of the inputs: private by definition, and not with a unit more."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact import dyadic
from mechdesign.solve.repair import two_outputs as module
from mechdesign.solve.repair.two_outputs import HALF, two_outputs
from mechdesign.solve.task import Task

PROBLEM = md.Problem(prior=[0.1, 0.4, 0.2, 0.3], values=[3.0, 0.0, 1.0, 2.0])


@pytest.mark.parametrize("notion", [md.LDP(1e-9), md.LIP(0.3), md.MaxLift(1e-6)], ids=str)
@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation()], ids=lambda each: each.name)
def test_they_are_private_and_would_not_be_with_one_unit_more(notion, objective):
    made = list(two_outputs(Task(PROBLEM, notion, objective)))
    assert len(made) >= 3
    for matrix in made:
        numerators = dyadic(matrix)
        assert notion.holds_exactly(numerators, PROBLEM) and not matrix.flags.writeable
        assert np.array_equal(matrix.sum(axis=1), np.ones(4))
        k = int(np.abs(numerators[:, 0] - HALF).max())
        side = (numerators[:, 0] - HALF) / k
        # Of sides of -1 and 1 all units are known: one more is refused.
        if set(side) == {-1.0, 1.0}:
            moved = np.round(side * (k + 1)).astype(np.int64)
            assert not notion.holds_exactly(np.column_stack([HALF + moved, HALF - moved]), PROBLEM)


def test_the_inputs_are_separated_at_every_place_of_their_order():
    made = list(two_outputs(Task(PROBLEM, md.LDP(0.5), md.MutualInformation())))
    # By the prior, from the least likely on.
    assert [tuple(np.flatnonzero(m[:, 0] > 0.5)) for m in made] == [(1, 2, 3), (1, 3), (1,)]
    made = list(two_outputs(Task(PROBLEM, md.LDP(0.5), md.MMSE())))
    # By the values, beside the two best for the ratio.
    assert [tuple(np.flatnonzero(m[:, 0] > 0.5)) for m in made[2:]] == [(0, 2, 3), (0, 3), (0,)]
    assert all(np.allclose(m, 0.5 + np.sign(m - 0.5) * np.tanh(0.25) / 2) for m in made[2:])


def test_inputs_are_ordered_by_their_values_not_their_masses():
    skew = md.Problem(prior=[0.1, 0.1, 0.1, 0.7], values=[0.0, 1.0, 2.0, 3.0])
    made = list(two_outputs(Task(skew, md.LDP(0.5), md.MMSE())))
    assert [tuple(np.flatnonzero(m[:, 0] > 0.5)) for m in made[2:]] == [(1, 2, 3), (2, 3), (3,)]


def test_there_are_at_most_so_many_sides_and_inputs():
    many = md.Problem(prior=np.arange(1, 65) / (32 * 65))
    sides = module._sides(Task(many, md.LDP(0.5), md.MutualInformation()))
    assert len(sides) == 16 and {int((side > 0).sum()) for side in sides} >= {1, 63}
    assert all(set(side) == {-1.0, 1.0} for side in sides)
    assert len(list(two_outputs(Task(many, md.LDP(0.5), md.MutualInformation())))) == 16
    more = md.Problem(prior=np.arange(1, 66) / (33 * 65))
    assert not list(two_outputs(Task(more, md.LDP(0.5), md.MutualInformation())))


def test_decisions_hidden_secrets_and_rules_of_the_user_have_none():
    assert not list(two_outputs(Task(PROBLEM, md.LDP(0.5), md.HammingLoss())))
    hidden = PROBLEM.hidden(np.full((2, 4), 0.5))
    assert not list(two_outputs(Task(hidden, md.LDP(0.5), md.MMSE())))
    assert not list(two_outputs(Task(PROBLEM, md.LDP(0.5), md.MMSE(), subject_to=lambda Q: [])))


def test_where_nothing_may_be_learnt_there_are_none():
    assert not list(two_outputs(Task(PROBLEM, md.LDP(0.0), md.MutualInformation())))
    assert all((made == 0.5).all() for made in two_outputs(Task(PROBLEM, md.LDP(0.0), md.MMSE())))


def test_a_column_is_centred_at_its_mass_and_scaled():
    task = Task(PROBLEM, md.LIP(0.5), md.MMSE())
    side = module._centred(np.array([2.0, 1.0, 3.0, 1.0]), task)
    off = np.array([2.0, 1.0, 3.0, 1.0]) - (0.1 * 2 + 0.4 + 0.2 * 3 + 0.3)
    assert np.allclose(side, off / np.abs(off).max(), rtol=0, atol=1e-15)
    assert module._centred(np.full(4, 0.7), task).tolist() == [0.0] * 4
