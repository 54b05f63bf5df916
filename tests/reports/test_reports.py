"""The report for people: everything is on the page, nothing runs, what it says of notions is true by computation."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.displays.visible import printable
from mechdesign.notions import Notion
from mechdesign.question.members_by_name import members
from mechdesign.reports import page, sections
from mechdesign.reports.limits import not_promised
from mechdesign.reports.precision import precision
from mechdesign.reports.promises import promises
from mechdesign.reports.style import STYLE
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.examples import NOTIONS, OBJECTIVES
from mechdesign.version import VERSION
from tests.displays.test_displays import large
from tests.helpers.hostile import TEXTS, OwnError, OwnLDP, mechanism

SURVEY = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 5], labels=["no", "rarely", "often"], prior_source="census")
HIDDEN = SURVEY.hidden(secret_given_data=[[0.9, 0.5, 0.1], [0.1, 0.5, 0.9]])
ASKED = {
    "frequencies": (SURVEY, md.LDP(1.0), md.InformationDesign("A")),
    "a number": (SURVEY, md.LIP(1.0), md.MMSE()),
    "a hidden secret": (HIDDEN, md.LDP(0.5), md.ErrorProbability()),
    "two notions": (SURVEY, md.LDP(1.0) & md.LIP(0.5), md.MMSE()),
    "a budget": (SURVEY, md.ApproximateLDP(0.5, 0.1), md.ErrorProbability()),
    "nothing": (SURVEY, md.LDP(0.0), md.MMSE()),
}


@pytest.fixture(scope="module")
def designs():
    return {name: md.design(*asked) for name, asked in ASKED.items()}


class Words(HTMLParser):
    """The visible words of a page, its tags and attributes."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.attributes, self.words, self.inside = [], set(), [], ""
        self.links, self.styles = [], []
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name == "href"]
        self.styles += [value for name, value in attrs if name == "style"]
        self.inside = tag

    def handle_data(self, data):
        if self.inside != "style":
            self.words.append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words))


def check_whole(markup, made):
    """What a page has to say of a mechanism with a question: each of it is there."""
    text, question, proof = Words(markup).text, made.asked, made.claimed
    audit = md.audit(made)
    wanted = {
        "the notion": str(question.notion),
        "the question": question.sentences()[0],
        "the promise": promises(question.notion, made.inputs)[0],
        "what is not promised": not_promised(question.notion, made.inputs)[0],
        "the witness": audit.sentence,
        "the level": repr(audit.levels[0]),
        "the value": repr(proof.value),
        "the bound": repr(proof.bound),
        "known mechanisms": "uninformative",
        "how reports are drawn": "mechdesign sample survey.mechanism.json answers.csv --column answer -o reports.csv",
        "how reports are read": "mechdesign estimate survey.mechanism.json reports.csv",
        "the version": f"mechdesign {VERSION}",
        "what can be estimated": "Reports identify" if made.identifiability.rank == made.inputs.n else "Reports do not",
    }
    for what, words in wanted.items():
        assert re.sub(r"\s+", " ", printable(words)) in text, f"the page lacks {what}: {words}"


def check_harmless(markup):
    """A page loads nothing and runs nothing."""
    found = Words(markup)
    assert not {"script", "img", "iframe", "object", "embed", "form", "image", "use", "a"} & set(found.tags)
    assert found.attributes <= {
        *("lang", "charset", "name", "content", "http-equiv", "rel", "href", "class", "style", "scope"),
        *("role", "aria-label", "tabindex", "aria-labelledby", "id"),
        *("viewbox", "x", "y", "width", "height", "fill", "d", "transform"),
    }
    assert found.links == ["data:,"] and "src" not in found.attributes
    assert not re.search(r"url\(|@import|expression|https?:", STYLE + "".join(found.styles))
    assert all(line.isprintable() for line in markup.split("\n"))
    levels = [int(tag[1]) for tag in found.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("name", ASKED)
def test_everything_is_on_the_page(designs, name, tmp_path):
    made = designs[name]
    markup = made.report(tmp_path / "page.html").read_text(encoding="utf-8")
    check_whole(markup, made.mechanism)
    check_harmless(markup)
    held = json.loads(made.mechanism.save(tmp_path / "a.json").read_text())["checksum"]
    assert held in markup


def test_planted_a_report_without_its_witness_is_caught(designs, monkeypatch):
    sound = sections.audited
    monkeypatch.setattr(sections, "audited", lambda made, found: sound(made, md.audit([[1.0]], md.LDP(1.0))))
    for name in ("frequencies", "a number", "two notions"):
        with pytest.raises(AssertionError, match="the page lacks the witness"):
            check_whole(page(designs[name].mechanism), designs[name].mechanism)


@pytest.mark.parametrize("kind", TEXTS)
def test_no_text_runs_on_a_page(kind):
    markup = page(mechanism(TEXTS[kind]))
    check_harmless(markup)
    assert printable(TEXTS[kind])[:16] in Words(markup).text.replace("\n", " ")
    assert len(markup.encode()) < 200_000
    # However long a name is, what is said of it stays.
    assert re.search(r"is [\d.]+ times Pr\(", Words(markup).text) and "and reports a randomised output." in markup


def test_a_notion_of_ones_own_is_shown_by_its_formula():
    made = md.design(SURVEY, OwnLDP(1.0, "<b>"), OwnError("<i>")).mechanism
    markup = page(made)
    check_harmless(markup)
    assert "Pr(y | x) &lt;= e^epsilon Pr(y | x&#x27;)" in markup and "&lt;b&gt;" in markup


def test_a_mechanism_without_a_question_has_what_is_known(tmp_path):
    coin = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"])
    text = Words(md.report(coin, tmp_path / "a.html").read_text()).text
    assert "not designed for a question" in text and "epsilon = 1.09862" in text and "3 times" in text
    assert "Checksum" in text and "mechdesign sample" in text
    certain = md.Mechanism([[1.0, 0.0], [0.5, 0.5]], ["no", "yes"])
    text = Words(page(certain)).text
    assert "possible for one answer and impossible for another" in text and "epsilon = inf" in text
    for other in (md.together([coin, coin]), md.rounded([[0.7, 0.3], [0.2, 0.8]], md.LDP(1.0))):
        check_harmless(page(other))


def test_a_large_mechanism_is_summarised():
    made = large(600).mechanism
    markup = page(made)
    check_harmless(markup)
    assert "576 of 600 inputs are not shown. 590 of 600 outputs are not shown." in markup
    assert len(markup.encode()) < 100_000


def test_nothing_is_written_over_unless_that_is_asked(designs, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("somebody's work")
    with pytest.raises(md.DomainError, match=r"something else, which would be lost\); .*overwrite=True"):
        designs["a number"].report(path)
    assert path.read_text() == "somebody's work"
    assert designs["a number"].report(path, overwrite=True) == path and path.read_text().startswith("<!DOCTYPE html>")
    with pytest.raises(md.WriteError, match="folder"):
        designs["a number"].report(tmp_path)
    with pytest.raises(md.WriteError, match="make the folder first"):
        designs["a number"].report(tmp_path / "none" / "page.html")
    with pytest.raises(md.DomainError, match="pathlib"):
        designs["a number"].report(None)
    with pytest.raises(md.DomainError, match="a Mechanism or a Design"):
        md.report([[0.5, 0.5]], path)
    with pytest.raises(md.DomainError, match="overwrite"):
        designs["a number"].report(path, overwrite="yes")


def run(*arguments):
    with pytest.raises(SystemExit) as left:
        commands.main([str(argument) for argument in arguments])
    return left.value.code


def test_the_command_writes_the_page_and_only_over_its_own(designs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    designs["a number"].mechanism.save("own survey.json")
    assert run("report", "own survey.json", "-o", "page.html") == 0
    first = (tmp_path / "page.html").read_text()
    assert "mechdesign sample &#x27;own survey.json&#x27; answers.csv" in first
    assert json.loads((tmp_path / "own survey.json").read_text())["checksum"] in first
    assert run("report", "own survey.json", "-o", "page.html", "-q") == 0
    (tmp_path / "other.html").write_text("<!DOCTYPE html><title>mine</title>")
    assert run("report", "own survey.json", "-o", "other.html") == 2
    assert run("report", "own survey.json", "-o", "own survey.json") == 2
    assert run("report", "none.json", "-o", "new.html") == 2 and not (tmp_path / "new.html").exists()
    said = capsys.readouterr().err
    assert "would be lost" in said and "there is no such file" in said
    edited = (tmp_path / "own survey.json").read_text().replace('"route": "', '"route": "x')
    (tmp_path / "own survey.json").write_text(edited)
    assert run("report", "own survey.json", "-o", "new.html") == 1 and not (tmp_path / "new.html").exists()


@pytest.mark.parametrize("name", members(Notion))
def test_every_notion_has_its_promise(name):
    assert members(Notion)[name].card.promise or name == "Intersection", f"the card of {name} has no promise"
    for make in NOTIONS[name]:
        notion, problem = make(np.random.default_rng(3))
        said = promises(notion, notion.inputs(problem))
        assert said and all(len(line.split()) > 8 and line.endswith(".") for line in said)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NOTIONS, *OBJECTIVES])
def test_every_member_has_its_display_and_its_page(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    made = 0
    for make in (NOTIONS | OBJECTIVES)[name]:
        asked, problem = make(np.random.default_rng(1))
        if name in OBJECTIVES:
            question = (problem, md.LDP(1.0), asked)
        else:
            wrong = 1.0 - np.eye(asked.inputs(problem).n) if problem.data_of_input is None else None
            question = (problem, asked, md.ErrorProbability() if problem.prior is not None else md.WorstCaseLoss(wrong))
        try:
            with reading(CountingClock()):
                design = md.design(*question, time_limit=20)
        except md.DomainError:
            # An objective that needs a prior of the inputs, which the notion widens without one.
            continue
        made += 1
        assert design.audit.sentence in str(design.why) and str(design.mechanism) and design._repr_html_()
        check_harmless(page(design.mechanism))
        check_whole(page(design.mechanism), design.mechanism)
    assert made


def twice(notion, problem, rng):
    """Return the levels of a mechanism of the notion, and of two reports of it."""
    inputs = notion.inputs(problem)
    matrix = rng.dirichlet(np.ones(3), size=inputs.n)
    made = md.rounded(matrix, notion, problem)
    one = md.audit(made, notion, problem).levels
    return one, md.audit(md.together([made, made], inputs), notion, problem).levels


@pytest.mark.parametrize("name", [name for name, member in members(Notion).items() if member.card.adds_up == "level"])
def test_levels_that_are_said_to_add_up_do(name, rng):
    tried = 0
    for make in NOTIONS[name]:
        notion, problem = make(rng)
        if not notion.inputs(problem).is_hidden:
            one, two = twice(notion, problem, rng)
            assert two[0] <= 2 * one[0] + 1e-12
            tried += 1
    assert tried


def test_levels_that_are_said_not_to_add_up_do_not():
    # Of a hidden secret one report may tell nothing, and two of them something.
    blind = md.Problem(n=3).hidden(data_given_secret=[[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    ramp = md.Mechanism([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]], ["a", "b"], problem=blind)
    both = md.together([ramp, ramp], blind)
    assert float(md.audit(ramp, md.LDP(1.0))) == 0.0 and float(md.audit(both, md.LDP(1.0))) > 0.1
    assert "does not compose" in not_promised(md.LDP(1.0), blind)[0]
    assert "does not compose" in not_promised(md.LIP(1.0), SURVEY)[0]
    assert "add up" in not_promised(md.LDP(1.0), SURVEY)[0]
    assert "epsilon and delta" in not_promised(md.ApproximateLDP(1.0, 0.1) & md.LDP(2.0), SURVEY)[0]


@pytest.mark.parametrize("population", [[0.5, 0.3, 0.2], None])
def test_errors_that_are_planned_are_those_of_estimates(population, rng):
    problem = md.Problem(prior=population, values=[0, 1, 5], n=3)
    coin = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    made = md.Mechanism(coin, ["a", "b", "c"], problem=problem)
    planned = precision(made, 2000)
    shares = population or [1 / 3] * 3
    drawn = [made.simulate(rng.choice(3, 2000, p=shares), rng, by="index") for _ in range(400)]
    found = [made.estimate(reports, method="unbiased") for reports in drawn]
    each = np.std([one.frequencies for one in found], axis=0)
    # The standard deviation of 400 draws is known to within a share of 1 / sqrt(800) of it.
    assert planned.largest == pytest.approx(each.max(), rel=0.15)
    assert planned.mean == pytest.approx(np.std([one.mean().value for one in found]), rel=0.15)
    truth = [rng.multinomial(2000, shares) / 2000 for _ in range(400)]
    assert planned.plain == pytest.approx(np.std(truth, axis=0).max(), rel=0.15)
    assert planned.plain_mean == pytest.approx(np.std([one @ [0, 1, 5] for one in truth]), rel=0.15)
