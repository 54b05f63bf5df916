"""From a target to a level: known answers, a proof from below, honest ends, and refusals."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign import cli
from mechdesign.runtime.deadline import reading
from mechdesign.studies import least_level
from mechdesign.testing import sized
from mechdesign.testing.clock import CountingClock

TWO = md.Problem(prior=[0.5, 0.5], values=[0, 1])
FOUR = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0, 1, 2, 3])


@pytest.mark.parametrize("tolerance", [0.3, 1e-3, 1e-6])
def test_a_level_that_is_known_lies_in_the_bracket(tolerance):
    """Two equally likely inputs: the least error is 1/(1 + e^epsilon), so that 1/4 asks for ln 3."""
    found = md.calibrate(TWO, md.LDP, md.ErrorProbability(), 0.25, tolerance=tolerance)
    assert found.impossible_below <= math.log(3) <= found.level
    assert found.closed and found.level - found.impossible_below <= tolerance * found.level
    assert found.design.value <= 0.25 and found.design.mechanism.asked.notion == md.LDP(found.level)


#: Notions of one level, at any level.
NOTIONS = ("LDP", "LIP", "MaxLift", "StrongL1", "MaximalLeakage", "BlockLDP", "MetricDP", "WorstCaseLIP")


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", [*NOTIONS, "ApproximateLDP"])
@pytest.mark.parametrize("objective", [md.MMSE(), md.TotalVariation([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1])])
def test_designs_on_both_sides_say_the_same(name, objective):
    """Half way between what two levels reach; minimised and maximised."""
    notion = sized.NOTIONS[name](FOUR, np.random.default_rng(3))
    strict, weak = (0.1, 0.5) if name == "ApproximateLDP" else (0.2, min(notion.most_level, 5.0))
    ends = (md.design(FOUR, notion.at(level), objective).value for level in (strict, weak))
    target = 0.5 * sum(ends)
    found = md.calibrate(FOUR, notion, objective, target, tolerance=1e-2)
    sign = 1.0 if objective.sense == "minimise" else -1.0
    # Solved anew, from nothing: at the level it is reached, and a little below the other end it is not.
    at, below = (
        md.design(FOUR, notion.at(level), objective) for level in (found.level, 0.999 * found.impossible_below)
    )
    assert found.closed and sign * at.value <= sign * target + 1e-6 and sign * below.bound > sign * target
    levels = [made.mechanism.asked.notion.parameter for made in found.tried]
    assert levels == sorted(levels) and found.level in levels and found.impossible_below in levels


def test_what_needs_no_information_is_had_at_the_least_level():
    found = md.calibrate(FOUR, md.LDP, md.MMSE(), 1.0)
    assert (found.level, found.impossible_below, found.closed) == (0.0, 0.0, True)
    found = md.calibrate(TWO, md.WeightedTV(0.9, 0.3), md.ErrorProbability(), 0.5)
    assert found.level == found.impossible_below == pytest.approx(abs(1 - 2 * 0.3), abs=1e-12)


def test_frequencies_of_a_survey():
    """At the least level no mechanism lets them be estimated: that is no reason to refuse the question."""
    found = md.calibrate(FOUR, md.LDP, md.InformationDesign("A"), 3.0)
    assert found.closed and 0.0 < found.impossible_below < found.level and found.design.value <= 3.0
    below = md.design(FOUR, md.LDP(0.99 * found.impossible_below), md.InformationDesign("A"))
    assert below.bound > 3.0
    with pytest.raises(md.InfeasibleError, match=r"target -3\.0 of InformationDesign"):
        md.calibrate(FOUR, md.LDP, md.InformationDesign("A"), -3.0)


def test_a_target_that_no_level_reaches_names_the_best_value():
    with pytest.raises(md.InfeasibleError, match=r"target -1.0 of MMSE: the best value is .* under LDP"):
        md.calibrate(FOUR, md.LDP, md.MMSE(), -1.0)
    with pytest.raises(md.InfeasibleError, match=r"target 0\.0 of MMSE"):
        md.calibrate(FOUR, md.LDP, md.MMSE(), 0.0)


def test_few_outputs_ask_for_more():
    whole, few = (md.calibrate(FOUR, md.LDP, md.MMSE(), 0.35, outputs=m, tolerance=1e-2) for m in (None, 2))
    assert few.level >= whole.impossible_below
    assert few.design.matrix.shape[1] <= 2


@pytest.mark.parametrize(
    ("notion", "target", "keywords", "said"),
    [
        (md.AsymmetricLIP(1.0, 2.0), 0.25, {}, "it has 2 levels"),
        (md.LDP(1.0) & md.LIP(1.0), 0.25, {}, "it has 2 levels"),
        (md.LDP, math.nan, {}, "target"),
        (md.LDP, math.inf, {}, "target"),
        (md.LDP, 0.25, {"tolerance": 0.0}, "tolerance"),
        (md.LDP, 0.25, {"tolerance": 1.0}, "tolerance"),
        (md.LDP, 0.25, {"levels": [1.0]}, "no such keyword"),
        (md.BlockLDP, 0.25, {}, "it needs more than its level"),
        ("LDP", 0.25, {}, "has to be a Notion"),
    ],
)
def test_what_is_no_question_is_refused(notion, target, keywords, said):
    with pytest.raises(md.DomainError, match=said):
        md.calibrate(TWO, notion, md.ErrorProbability(), target, **keywords)


def test_a_bracket_that_gaps_keep_open_is_returned_with_a_warning():
    """The gap that is asked for hides where the target is reached: both ends are true, and the width is said."""
    with pytest.warns(md.GapWarning, match="wider than asked for: the certified gaps"):
        found = md.calibrate(FOUR, md.LDP, md.MMSE(), 1e-9)
    assert not found.closed and found.impossible_below < found.level
    assert found.design.value <= 1e-9
    assert "WIDER than asked" in str(found)


def test_the_limit_is_of_the_whole_search():
    with reading(CountingClock(0.01)), pytest.warns(md.GapWarning, match="the time limit passed"):
        found = md.calibrate(FOUR, md.LDP, md.MMSE(), 0.5, tolerance=1e-9, time_limit=2.0)
    assert found.impossible_below < found.level and not found.closed
    assert found.design.value <= 0.5


def test_a_level_by_the_value_alone_is_caught(monkeypatch):
    """Planted: what is not reached counts as impossible, though the bound allows it."""
    monkeypatch.setattr(least_level, "misses", lambda made, target: not least_level.reaches(made, target))
    with pytest.raises(pytest.fail.Exception, match="DID NOT WARN"):
        test_a_bracket_that_gaps_keep_open_is_returned_with_a_warning()


def test_the_picture_has_the_bracket():
    found = md.calibrate(TWO, md.LDP, md.ErrorProbability(), 0.25)
    axes = found.plot().axes[0]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert {"target", "least level in here"} <= set(labels)
    assert axes.get_xlim()[1] < 10.0


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    return ended.value.code


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = '[problem]\nprior = [0.5, 0.5]\n[notion]\nname = "LDP"\nepsilon = 7.0\n'
    Path("q.toml").write_text(asked + '[objective]\nname = "ErrorProbability"\n', encoding="utf-8")
    assert run("calibrate", "q.toml", "--target", "0.25", "--output", "found.mechanism.json") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "The level of LDP(epsilon=7) is not looked at" in out and "impossible below epsilon = 1.09" in out
    found = md.load("found.mechanism.json")
    assert found.certificate.value <= 0.25 and found.asked.notion.epsilon == pytest.approx(math.log(3), rel=1e-3)
    assert run("calibrate", "q.toml", "--target", "0.25", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["impossible_below"] < math.log(3) < told["level"] and told["closed"]
    assert run("calibrate", "q.toml", "--target", "-1") == 2
    assert "No level of LDP was found to reach the target -1.0" in capsys.readouterr().err


@pytest.mark.parametrize("objective", sized.OBJECTIVES)
def test_what_a_constant_mechanism_has_up_to_rounding_is_had_for_nothing(objective):
    """Decimals that are typed and those that are added up differ in the last digit."""
    problem = md.Problem(prior=[0.4, 0.3, 0.2, 0.1], values=[0, 1, 2, 3])
    asked = sized.OBJECTIVES[objective](FOUR, np.random.default_rng(1))
    idle = asked.uninformative(problem)
    if not math.isfinite(idle) or asked.measures_leakage:
        pytest.skip("a constant mechanism has no value that has to be reached")
    # Next to 0 there is no rounding.
    for target in (idle, float(np.nextafter(idle, 9.0)), float(np.nextafter(idle, -9.0))) if idle else (idle,):
        found = md.calibrate(problem, md.LDP, asked, target)
        assert (found.level, found.impossible_below, found.closed) == (0.0, 0.0, True)


def test_a_target_of_decimals_is_not_missed_by_the_last_digit():
    problem = md.Problem(prior=[0.4, 0.3, 0.2, 0.1])
    found = md.calibrate(problem, md.LDP, md.HammingLoss(), 0.6)
    assert found.design.value > 0.6 and (found.level, found.closed) == (0.0, True) and "reached" in str(found)
    assert 0.28 < md.calibrate(problem, md.LDP, md.HammingLoss(), 0.599999).level < 0.29
    # More than rounding is no value that is had.
    assert md.calibrate(problem, md.LDP, md.HammingLoss(), 0.6 - 1e-12).level > 0.0
