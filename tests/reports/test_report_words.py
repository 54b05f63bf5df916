"""What a report says in words is true: of whom it speaks, what it leaves open, and nothing where nothing holds."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.promises import OPEN, factor
from mechdesign.displays.html import joined
from mechdesign.reports import page, sections
from mechdesign.reports import promises as words
from mechdesign.reports.limits import for_whom
from mechdesign.reports.promises import promises
from mechdesign.testing.examples import NOTIONS
from tests.reports.test_reports import HIDDEN, SURVEY, Words

#: What is said only where the answer itself is protected, whatever else is known.
OF_ANSWERS = ("any two answers", "whatever they know besides", "depends on no prior", "any two values.")
#: What a hidden secret is called.
OF_SECRETS = ("the secret", "profile", "record")
TWO_TO_ONE = md.Problem(n=4).hidden(data_given_secret=[[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5]], secret_prior=[0.5, 0.5])


def text_of(made):
    return Words(page(made)).text


def asked(matrix, notion, problem=SURVEY):
    """Return a mechanism of a question that may not hold."""
    return md.Mechanism(matrix, [f"r{y}" for y in range(len(matrix[0]))], md.Question(problem, notion, md.MMSE()))


def check_subject(notion, problem):
    """The guarantee of a hidden secret does not speak of the answer."""
    said = " ".join((*promises(notion, problem), *for_whom(notion, problem)))
    if problem.is_hidden:
        wrong = [phrase for phrase in OF_ANSWERS if phrase in said]
        assert not wrong, f"of a hidden secret it says {wrong}"
        assert any(word in promises(notion, problem)[0] for word in OF_SECRETS), said
    else:
        assert "values of the secret" not in said and "the secret" not in said, said


def members():
    rng = np.random.default_rng(7)
    for name, makers in NOTIONS.items():
        for number, make in enumerate(makers):
            notion, problem = make(rng)
            yield pytest.param(notion, notion.inputs(problem), id=f"{name}-{number}")


@pytest.mark.parametrize(("notion", "problem"), list(members()))
def test_the_words_are_of_what_is_protected(notion, problem):
    check_subject(notion, problem)
    said = " ".join(promises(notion, problem))
    assert "inf" not in said and "betray" not in said and "md." not in said
    for part in notion.parts():
        if math.isfinite(part.parameter) and part.name != "WeightedTV":
            assert repr(part.parameter).removesuffix(".0") in said


def test_planted_a_promise_of_the_answer_for_a_secret_is_caught(monkeypatch):
    sound = md.LDP.card.promise
    planted = replace(
        md.LDP.card, promise=lambda notion, problem, of: sound(notion, SURVEY, words.subject(notion, SURVEY))
    )
    monkeypatch.setattr(md.LDP, "card", planted)
    with pytest.raises(AssertionError, match="of a hidden secret it says"):
        check_subject(md.LDP(1.0), HIDDEN)


def test_a_report_that_reveals_the_answer_does_not_promise_it():
    certain = md.Mechanism([[1, 0], [0, 1], [0, 1], [1, 0]], ["a", "b"], problem=TWO_TO_ONE)
    text = text_of(certain)
    assert "Local differential privacy (LDP) of the secret" in text and "The answer itself is not protected." in text
    assert not any(phrase in text for phrase in OF_ANSWERS)
    assert "others know more of a person's answer than it says" in text


def test_sums_and_profiles_say_what_they_are_relative_to():
    sums = md.CentralizedIP(1.0, priors=[[0.5, 0.5], [0.5, 0.5]])
    made = md.design(md.Problem(values=[0.0, 1, 2]), sums, md.MMSE()).mechanism
    text = text_of(made)
    assert "The sum over all records is replaced" in text and "Each person's answer is replaced" not in text
    assert (
        "relative to the priors of the records" in text
        and "Each person's answer" not in text.split("How it is used")[0]
    )
    profiles = md.ProfileDP(1.0, profiles=[[0.5, 0.5], [0.25, 0.75]], edges=[(0, 1)], profile_prior=[0.5, 0.5])
    text = text_of(md.design(md.Problem(n=2), profiles, md.ErrorProbability()).mechanism)
    assert "Each person's profile and answer are replaced" in text and "relative to the profiles that it states" in text


NOT = "THE GUARANTEE DOES NOT HOLD"


def check_broken(text):
    assert NOT in text and "This mechanism does not keep its promise" in text
    assert "For whom it holds" not in text, "it says for whom a broken guarantee holds"
    assert "times as likely for one" not in text, "it promises what is broken"


def test_a_broken_guarantee_is_not_promised():
    open_ = asked([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], md.LDP(1.0))
    check_broken(text_of(open_))


def test_planted_a_broken_guarantee_that_is_promised_is_caught(monkeypatch):
    open_ = asked([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], md.LDP(1.0))
    sound, held = sections.guarantee, md.audit([[0.5, 0.5]] * 3, md.LDP(1.0))

    def promised(made, found):
        return joined([sections.strong(f"{NOT} {found}"), sound(made, held)])

    monkeypatch.setattr(sections, "guarantee", promised)
    with pytest.raises(AssertionError, match="for whom a broken guarantee"):
        check_broken(text_of(open_))


#: For each notion whose words leave something open: a matrix which satisfies it, and what is left open is so.
EIGHTH = [[0.125, 0.875, 0.0], [0.0, 0.875, 0.125]]
RULED_OUT = [[0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]]
JOINED = [[0.0, 1.0, math.inf], [1.0, 0.0, math.inf], [math.inf, math.inf, 0.0]]
FAIR = md.Problem(prior=[0.5, 0.5])
THIRDS = md.Problem(prior=[1 / 3] * 3)
OPENED = [
    (md.MaximalLeakage(0.5), FAIR, EIGHTH, "single reports may reveal the answer entirely"),
    (md.MutualInformationPrivacy(0.5), FAIR, EIGHTH, "single reports may reveal the answer entirely"),
    (md.ApproximateLDP(0.5, 0.125), FAIR, EIGHTH, "up to delta a report may reveal the answer entirely"),
    (md.MaxLift(0.5), THIRDS, RULED_OUT, "may rule some out"),
    (md.AsymmetricLIP(math.inf, 0.5), THIRDS, RULED_OUT, "may rule some out"),
    (
        md.BlockLDP(0.5, [(0, 1)]),
        THIRDS,
        [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
        "may reveal which block the answer is in",
    ),
    (md.MetricDP(0.5, JOINED), THIRDS, [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], "may be distinguished entirely"),
    (md.UtilityOptimizedLDP(1.0, [0, 1]), THIRDS, [[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]], "may be revealed entirely"),
]


@pytest.mark.parametrize(("notion", "problem", "matrix", "said"), OPENED, ids=lambda each: getattr(each, "name", ""))
def test_what_is_left_open_is_open(notion, problem, matrix, said):
    assert f"{OPEN}" in promises(notion, problem)[0] and said in promises(notion, problem)[0]
    assert md.audit(matrix, notion, problem).holds
    # Some report is impossible for one answer and possible for another.
    columns = np.array(matrix).T
    assert any(column.min() == 0 < column.max() for column in columns)


def test_nothing_is_left_open_where_nothing_can_be_told():
    for notion in (
        md.MaximalLeakage(0.0),
        md.MutualInformationPrivacy(0.0),
        md.ApproximateLDP(0.5, 0.0),
        md.MaxLift(0.0),
    ):
        assert OPEN not in promises(notion, FAIR)[0]
    chain = [[0.0, 1.0, math.inf], [1.0, 0.0, 1.0], [math.inf, 1.0, 0.0]]
    said = promises(md.MetricDP(0.5, chain), THIRDS)[0]
    # The path through the middle protects the pair at an infinite distance.
    assert OPEN not in said and "the largest is 2 (a factor of at most 2.719)" in said


def test_a_single_distance_is_said_once():
    assert "the only one is 1 (a factor of at most 1.649)" in promises(md.MetricDP(0.5, JOINED), THIRDS)[0]


def test_one_side_and_both():
    both = promises(md.AsymmetricLIP(0.5, 0.25), FAIR)
    assert len(both) == 1 and "more probable by more than a factor of e^0.25" in both[0] and "nor less" in both[0]
    (upper,) = promises(md.AsymmetricLIP(math.inf, 0.25), FAIR)
    (lower,) = promises(md.AsymmetricLIP(0.5, math.inf), FAIR)
    assert "more probable by more than a factor of e^0.25" in upper and "more probable by more than" not in lower


def test_each_of_two_notions_says_what_it_is_relative_to():
    two = md.LDP(2.0) & md.BoundedPriorLIP(1.0, [0.3, 0.3], [0.7, 0.7])
    said = for_whom(two, FAIR)
    assert "LDP(epsilon=2) depends on no prior: what others know of a person already does not weaken it." in said
    assert any(line.startswith("BoundedPriorLIP") and line.endswith("says nothing for others.") for line in said)
    assert not any(line.startswith("It") and "nothing for others" in line for line in said)


def test_factors_are_not_less_than_they_are():
    for level in (1.0, 0.1, math.log(3.0), 1e-9, 3.0000001):
        shown = float(re.search(r"at most ([\d.]+)\)", factor(level))[1])
        assert shown >= math.exp(level) and f"e^{level!r}".removesuffix(".0") in factor(level)


STRONG = "no other answer and report reveal more"


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("notion", "problem"), list(members()))
def test_only_ldp_says_that_no_other_report_tells_more(notion, problem):
    rng = np.random.default_rng(3)
    made = md.rounded(rng.dirichlet(np.ones(3), size=problem.n), notion, problem)
    text = Words(str(sections.audited(made, md.audit(made, notion, problem)))).text
    strong = "reports reveal the most" in text
    assert strong == (notion.name == "LDP"), text
    for part in notion.parts():
        assert f"the smallest {part.level_name} at which {part.name} holds" in text


def test_words_for_people_who_read_no_code():
    named = md.Problem(prior=[0.5, 0.25, 0.25], values=[0, 1, 2], labels=["ill", "well", "away"])
    revealing = md.UtilityOptimizedLDP(1.0, sensitive=[0])
    text = text_of(md.design(named, revealing, md.ErrorProbability()).mechanism)
    assert 'No report reveals the sensitive answers: "ill".' in text
    assert "md." not in text.partition("How good it is")[0] and "This page needs no network" in text
    line = md.MetricDP(0.5, np.abs(np.subtract.outer(range(3), range(3))))
    text = text_of(md.design(named, line, md.ErrorProbability()).mechanism)
    assert "the smallest is 1 (a factor of at most 1.649) and the largest is 2 (a factor of at most 2.719)" in text
    assert re.search(r"distance ?ill ?well ?away ?ill ?0 ?1 ?2", text)
    text = text_of(md.design(named, md.ApproximateLDP(0.5, 0.1), md.ErrorProbability()).mechanism)
    assert "The level is the smallest delta at which ApproximateLDP holds with epsilon = 0.5." in text
    text = text_of(md.design(named, md.SibsonLeakage(0.1, 2.0), md.ErrorProbability()).mechanism)
    assert "The level is the smallest epsilon at which SibsonLeakage holds with alpha = 2." in text
    silent = text_of(md.design(named, md.LDP(0.0), md.MMSE()).mechanism)
    assert silent.count("All people give the same report with the same probabilities; nothing can be learnt.") == 2
    assert silent.strip().startswith("What this mechanism promises")


def test_one_column_without_privacy_is_one():
    unnumbered = md.Problem(prior=[0.5, 0.25, 0.25])
    text = text_of(md.design(unnumbered, md.LDP(1.0), md.HammingLoss()).mechanism)
    assert "The column without privacy is what" in text
    text = text_of(md.design(SURVEY, md.LDP(1.0), md.InformationDesign("A")).mechanism)
    assert "The columns without privacy are what" in text
