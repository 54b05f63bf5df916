"""Members in one file get a place in the adversary's draw from their cards, and wrong answers are found."""

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.testing.catalogue import all_notions, all_objectives
from tests.adversary.draw_notion import NOTIONS
from tests.adversary.draw_objective import OBJECTIVES
from tests.adversary.from_cards import faults, listing, question, verdicts, without_arithmetic
from tests.helpers.own_files import NOTION, OBJECTIVE, written


def hold(found):
    wrong = [one for one in found if one.failures]
    assert not wrong, wrong


def test_every_member_is_drawn_by_a_table_or_by_its_card():
    by_card = {member.__name__ for member in without_arithmetic()}
    assert {*NOTIONS, *OBJECTIVES, "Intersection"} | by_card == {*all_notions(), *all_objectives()}
    hold(verdicts(without_arithmetic(), 3, 1))


@pytest.mark.parametrize(
    ("text", "name"), [(NOTION, "UpperLift"), (OBJECTIVE, "Overstatement")], ids=["notion", "objective"]
)
def test_a_member_in_one_file_withstands_the_adversary(text, name, tmp_path):
    own = getattr(written(tmp_path, text, f"drawn_{name.lower()}")[1], name)
    assert question(own, "1-1")[0] == question(own, "1-1")[0]
    found = verdicts([own], 12, 1)
    assert sum(not one.refused for one in found) >= 10
    hold(found)


def test_members_of_the_catalogue_withstand_it_too():
    hold(verdicts([md.MaxLift, md.StrongL1, md.MMSE, md.ExpectedLoss], 3, 2))


@pytest.mark.slow
def test_all_members_of_the_catalogue_withstand_it():
    hold(verdicts([*all_notions().values(), *all_objectives().values()], 6, 3))


def test_a_member_with_nothing_to_draw_is_named(tmp_path, monkeypatch):
    own = written(tmp_path, NOTION, "drawn_bare")[1].UpperLift
    monkeypatch.setattr(own, "card", md.Card(sized=lambda problem, rng: None))
    first, second = listing(verdicts([own], 2, 1)).splitlines()
    assert first == "UpperLift: 2 questions, 2 refused, 0 failed"
    assert "nothing can be drawn; give UpperLift's card examples=" in second


def test_rounding_of_a_value_of_zero_is_no_fault():
    problem = md.Problem(prior=[0.0015706737, 0.9972548463, 0.00117448])
    made = md.design(problem, md.MaxLift(0.0), md.KLDivergence(first=problem.prior, second=[0.1, 0.2, 0.7]))
    assert faults(made, np.random.default_rng(0)) == []


def planted(**fields):
    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 3]), md.MaxLift(0.5), md.MMSE())
    assert faults(made, np.random.default_rng(0)) == []
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return faults(made, np.random.default_rng(0))


def test_planted_a_bound_beyond_the_optimum_and_a_wrong_value_are_found():
    assert "own bound passed" in planted(bound=0.9502896)
    assert planted(value=0.5) == ["value wrong"]


def test_planted_a_cone_that_is_too_narrow_is_found(tmp_path, monkeypatch):
    own = written(tmp_path, NOTION, "drawn_narrow")[1].UpperLift
    monkeypatch.setattr(own, "cone", lambda self, problem: md.MaxLift(0.7 * self.epsilon).cone(problem))
    monkeypatch.setattr(own, "card", replace(own.card, stronger=None))
    assert any("bound beaten" in one.failures for one in verdicts([own], 12, 1))
