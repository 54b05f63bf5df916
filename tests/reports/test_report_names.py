"""Names of notions in full, technical words with their meaning, and the odds, which are true by computation."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.notions import Notion
from mechdesign.question.members_by_name import members
from mechdesign.reports import names, page
from mechdesign.reports.names import MEANINGS, in_words
from mechdesign.reports.promises import odds
from mechdesign.testing.examples import NOTIONS
from tests.helpers.hostile import OwnLDP
from tests.reports.test_reports import ASKED, Words


@pytest.fixture(scope="module")
def designs():
    return {name: md.design(*asked).mechanism for name, asked in ASKED.items()}


def text_of(made, **given):
    return Words(page(made, **given)).text


def examples():
    """Return a mechanism of each notion in each of its examples, drawn by chance and made private."""
    for name, makers in NOTIONS.items():
        for number, make in enumerate(makers):
            yield pytest.param(name, make, id=f"{name}-{number}")


def private(make):
    """Return a mechanism of a notion that ignores half of what it is told, with its question."""
    rng = np.random.default_rng(5)
    notion, problem = make(rng)
    inputs = notion.inputs(problem)
    made = md.rounded(rng.dirichlet(np.ones(3), size=inputs.n), notion, problem)
    question = md.Question(problem, notion, md.MutualInformation() if problem.prior is not None else md.MMSE())
    return md.Mechanism(made.matrix, ["a", "b", "c"], question)


# Names in full, and technical words.


@dataclass(frozen=True)
class Whispered(md.LDP):
    """Pr(y | s) <= e^epsilon Pr(y | s'), under a name of one's own."""

    card = md.Card(
        "whispered privacy",
        promise=lambda notion, problem, of: f"No report whispers more than {notion.epsilon:g} nats of {of.it}.",
        odds=lambda notion, problem, of: "Nobody thinks anything else after a whisper than before it.",
        relative_to="holds for those who hear well, and says nothing for others.",
        adds_up="level",
    )


def check_named(text, notion):
    """The name in full stands at the top and at the guarantee, with the short one in brackets."""
    said = in_words(notion)
    assert said.casefold() in text.partition("The question")[0].casefold(), f"the top does not say {said}"
    assert f"The notion is {said}." in text, f"the guarantee does not say {said}"


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "make"), list(examples()))
def test_every_page_has_the_name_in_full(name, make):
    made = private(make)
    text = text_of(made)
    check_named(text, made.question.notion)
    for part in made.question.notion.parts():
        assert f"{part.card.full_name} ({part.name})" in text
    check_explained(text)


def test_every_notion_has_a_name_of_its_own():
    names = [member.card.full_name for member in members(Notion).values()]
    assert all(names) and len(set(names)) == len(names)
    assert in_words(OwnLDP(1.0, "x")) == "OwnLDP of x"


def test_a_notion_of_ones_own_has_the_name_of_its_card(tmp_path):
    made = md.design(md.Problem(n=2), Whispered(1.0), md.InformationDesign("A"))
    text = text_of(made.mechanism)
    assert "The notion is whispered privacy (Whispered)." in text
    assert "Whispered privacy (Whispered), epsilon = 1" in text
    assert "No report whispers more than 1 nats of the answer." in text
    assert "Nobody thinks anything else after a whisper than before it." in text
    assert "It holds for those who hear well" in text and "up to twice the level" in text
    assert "whispers more than 1 nats" in " ".join(str(made).split())


def test_a_card_is_of_texts():
    with pytest.raises(md.DomainError, match="latex is 3, but it has to be a text"):
        md.Card("whispered privacy", 3)
    with pytest.raises(md.DomainError, match="promise is never, but it has to be a function"):
        md.Card(promise="never")
    with pytest.raises(md.DomainError, match="card is whispered, but it has to be a Card"):
        type("Shouted", (md.LDP,), {"card": "whispered"})


def test_planted_a_page_without_the_name_is_caught(designs):
    text = text_of(designs["a number"])
    check_named(text, md.LIP(1.0))
    for planted in (text.replace("(LIP)", ""), text.replace("The notion is local information privacy (LIP).", "")):
        with pytest.raises(AssertionError, match="does not say"):
            check_named(planted, md.LIP(1.0))


def check_explained(text):
    """A technical word that stands on a page is explained there once, and no other is."""
    for word, meaning in MEANINGS.items():
        rest = text.replace(meaning, "")
        stands = re.search(rf"(?i)\b{word}s?\b", rest) is not None
        assert text.count(meaning) == stands, f"{word} stands there: {stands}, explained {text.count(meaning)} times"


def test_technical_words_are_explained_where_they_first_stand(designs):
    for made in designs.values():
        text = text_of(made)
        check_explained(text)
        # Within the section of its first use.
        for meaning in MEANINGS.values():
            assert text.find(meaning) < text.index("The guarantee")
    coin = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"])
    check_explained(text_of(coin))
    assert MEANINGS["nats"] not in text_of(coin)


def test_planted_a_word_without_its_meaning_is_caught(designs, monkeypatch):
    monkeypatch.setattr(names, "MEANINGS", {"prior": MEANINGS["prior"]})
    with pytest.raises(AssertionError, match="nats stands there: True, explained 0"):
        check_explained(text_of(designs["a number"]))


# The odds.

ODDS = r'(?:\(50 %\)|thinks "(?P<who>.*?)" [\d.]+ % likely before,).*at most (?P<most>[\d.]+) % likely'


def most_believed(matrix, prior):
    """Return the largest probability of each input after a report."""
    joint = np.asarray(prior)[:, None] * matrix
    mass = joint.sum(axis=0)
    return (joint[:, mass > 0] / mass[mass > 0]).max(axis=1)


def check_odds(said, notion, problem, matrix):
    """No report raises the probability further than the sentence says, by computation."""
    found = re.search(ODDS, said)
    assert found, said
    most = float(found["most"]) / 100
    if found["who"] is not None:
        s = next(s for s in range(problem.n) if problem.named_secret(s) == found["who"])
        reached = most_believed(matrix, problem.prior)[s]
    else:
        # One half for one input, and one half for another: no other prior of the rest is worse.
        pairs = permutations(range(len(matrix)), 2)
        reached = max(most_believed(matrix[list(pair)], [0.5, 0.5])[0] for pair in pairs)
    assert reached <= most + 1e-12, f"a report raises it to {reached}, and the page says {most}"


THIRDS = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2])
LINE = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
BOUNDING = [md.LDP(1.0), md.WorstCaseLIP(0.7), md.MetricDP(0.5, LINE), md.LIP(0.4), md.MaxLift(0.5)]
BOUNDING += [md.AsymmetricLIP(0.5, 0.3), md.ApproximateLDP(0.8, 0.0), md.LDP(math.log(3.0))]


@pytest.mark.parametrize("notion", BOUNDING, ids=str)
def test_odds_are_not_less_than_they_are(notion):
    (said,) = odds(notion, THIRDS)
    for objective in (md.ErrorProbability(), md.MutualInformation()):
        check_odds(said, notion, THIRDS, md.design(THIRDS, notion, objective).matrix)


def test_the_odds_of_ldp_are_the_published_ones():
    (said,) = odds(md.LDP(1.0), md.Problem(n=4))
    start = "Somebody who thought an answer as likely as not (50 %) thinks it"
    assert said == f"{start} at most 73.2 % likely after seeing the report."
    shown = Fraction(re.search(r"most ([\d.]+) %", said)[1]) / 100
    assert math.exp(1) / (1 + math.exp(1)) <= shown < math.exp(1) / (1 + math.exp(1)) + 0.001
    assert "at most 50 % likely" in odds(md.LDP(0.0), md.Problem(n=4))[0]
    assert "all but certain" in odds(md.LDP(900.0), md.Problem(n=4))[0]
    assert len(odds(md.LDP(1.0) & md.LIP(0.4), THIRDS)) == 2


def test_planted_odds_that_are_too_small_are_caught():
    (said,) = odds(md.LDP(1.0), THIRDS)
    number = re.search(r"most ([\d.]+)", said)[1]
    made = md.design(THIRDS, md.LDP(1.0), md.MutualInformation())
    with pytest.raises(AssertionError, match="a report raises it"):
        check_odds(said.replace(number, "73.0"), md.LDP(1.0), THIRDS, made.matrix)


@pytest.mark.parametrize(
    "notion",
    [
        md.ApproximateLDP(0.5, 0.1),
        md.MaximalLeakage(0.5),
        md.MutualInformationPrivacy(0.5),
        md.StrongL1(0.5),
        md.MetricDP(0.5, [[0, 1, math.inf], [1, 0, math.inf], [math.inf, math.inf, 0]]),
    ],
    ids=str,
)
def test_no_odds_are_said_where_none_are_bounded(notion):
    assert odds(notion, THIRDS) == ()
