"""The largest level of one report at which many keep a level together."""

from __future__ import annotations

import pytest

import mechdesign as md

COIN = md.Problem(prior=[0.5, 0.5], values=[0, 1])
FOUR = md.Problem(labels=["a", "b", "c", "d"])


@pytest.mark.parametrize(("verb", "count", "epsilon"), [("composed", 30, 2.0), ("shuffled", 2_000, 0.3)])
def test_the_level_is_between_one_that_keeps_and_one_that_does_not(verb, count, epsilon):
    found = md.calibrate(FOUR, md.LDP, md.InformationDesign("A"), tolerance=0.02, **{verb: (count, epsilon, 1e-6)})
    together = getattr(found.design.mechanism, verb)(count)
    assert together.epsilon(1e-6) == found.together <= epsilon
    assert found.design.mechanism.asked.notion.epsilon == found.level < found.impossible_above
    beyond = md.design(FOUR, md.LDP(found.level * 1.03), md.InformationDesign("A"))
    assert getattr(beyond.mechanism, verb)(count).epsilon(1e-6) > epsilon
    assert f"{found.together:.6g}" in str(found) and len(found.tried.designs) > 3


def test_a_composition_is_closed_and_finer_than_the_sum_of_levels():
    found = md.calibrate(COIN, md.LDP, md.ErrorProbability(), composed=(50, 1.0, 1e-4), tolerance=0.01)
    assert found.closed and found.level > 1.5 * 1.0 / 50
    proved = md.design(COIN, md.LDP(found.impossible_above), md.ErrorProbability())
    assert proved.mechanism.composed(50).epsilon_below(1e-4) > 1.0


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"target": 0.3, "composed": (30, 1.0, 1e-6)},
        {"composed": (30, 1.0)},
        {"composed": 30},
        {"composed": (1, 1.0, 1e-6)},
        {"shuffled": (100, 0.0, 1e-6)},
        {"shuffled": (100, 1.0, 0.0)},
        {"shuffled": (100, 1.0, 1.0)},
        {"shuffled": (100.5, 1.0, 0.1)},
    ],
)
def test_what_cannot_be_accounted_for_is_refused(asked):
    with pytest.raises(md.DomainError):
        md.calibrate(COIN, md.LDP, md.ErrorProbability(), **asked)


class TestCentral:
    """Designs under a central guarantee, in `md.design`."""

    GUARANTEE = md.Central(people=2_000, epsilon=0.3, delta=1e-6)

    def test_the_design_keeps_it_and_the_next_level_does_not(self):
        made = md.design(FOUR, md.LDP(8.0), md.InformationDesign("A"), central=self.GUARANTEE)
        level = made.mechanism.asked.notion.epsilon
        together = made.mechanism.shuffled(2_000)
        assert together.delta(0.3) <= 1e-6 and together.epsilon(1e-6) == made.central[1] <= 0.3
        beyond = md.design(FOUR, md.LDP(level * 1.01), md.InformationDesign("A"))
        assert beyond.mechanism.shuffled(2_000).delta(0.3) > 1e-6
        assert made.value == md.design(FOUR, md.LDP(level), md.InformationDesign("A")).value
        assert "Shuffled reports of 2000 people" in str(made) and "not searched" in made.note

    def test_a_level_that_keeps_it_is_the_design_without_it(self):
        made = md.design(FOUR, md.LDP(0.2), md.InformationDesign("A"), central=self.GUARANTEE)
        assert made.mechanism.asked.notion.epsilon == 0.2
        assert made.value == md.design(FOUR, md.LDP(0.2), md.InformationDesign("A")).value

    @pytest.mark.parametrize(
        "numbers", [(1, 1.0, 0.1), (10, 0.0, 0.1), (10, 1.0, 0.0), (10, 1.0, 1.0), (2.5, 1.0, 0.1)]
    )
    def test_numbers_that_are_no_guarantee_are_refused(self, numbers):
        with pytest.raises(md.DomainError):
            md.Central(*numbers)

    @pytest.mark.parametrize(
        ("notion", "asked"),
        [
            (md.LDP(1.0), {"central": (10, 1.0, 0.1)}),
            (md.LDP(1.0), {"central": md.Central(10, 1.0, 0.1), "within": 0.1}),
            (md.LDP(1.0) & md.LIP(0.5), {"central": md.Central(10, 1.0, 0.1)}),
        ],
    )
    def test_questions_without_one_level_are_refused(self, notion, asked):
        with pytest.raises(md.DomainError):
            md.design(COIN, notion, md.ErrorProbability(), **asked)
