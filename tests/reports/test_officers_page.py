"""What a privacy officer files: one precision, where the whole matrix is, what is told, who asks and why, paper."""

import math
import re
from dataclasses import replace

import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.displays.numbers import digits
from mechdesign.reports import page, uses
from mechdesign.reports.about import FIELDS
from mechdesign.reports.figures import level_of, value_and_bound
from mechdesign.reports.style import STYLE
from tests.displays.test_displays import large
from tests.helpers.hostile import TEXTS
from tests.reports.test_reports import ASKED, Words, check_harmless

#: A number of a page.
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


@pytest.fixture(scope="module")
def designs():
    return {name: md.design(*asked).mechanism for name, asked in ASKED.items()}


def text_of(made, **given):
    return Words(page(made, **given)).text


# One precision.


def shown_numbers(text, made):
    """Return what a page shows of the levels, the value and the bound, each with the places where they stand."""
    words = re.escape(made.asked.objective.in_words)
    top, rest = text.split("The question", 1)
    known = rest.partition("Beside known mechanisms")[2]
    value = [
        re.search(rf"(?i){words} ?({NUMBER})", top)[1],
        re.search(rf"Value: ({NUMBER})", rest)[1],
        re.search(rf"this mechanism: route \w+ ?({NUMBER})", known)[1],
    ]
    bound = [re.search(rf"Best possible ?({NUMBER})", top)[1], re.search(rf"Bound: ({NUMBER})", rest)[1]]
    measured = re.search(rf"Level measured ?((?:\w+ = {NUMBER}(?: and )?)+)", top)[1]
    return value, bound, re.findall(rf"= ({NUMBER})", measured)


class Cells(Words):
    """A page whose cells and paragraphs are apart."""

    def handle_endtag(self, tag):
        if tag in ("td", "th", "p", "li", "dt", "dd", "small", "h1", "h2", "h3", "title", "desc", "text"):
            self.words.append(" \n ")

    def handle_starttag(self, tag, attrs):
        super().handle_starttag(tag, attrs)
        if tag == "small":
            self.words.append(" \n ")


def check_precision(markup, made):
    """Wherever a level, the value or the bound stands, it has the same digits; and all of them in one table."""
    text = Cells(markup).text
    audit, proof = md.audit(made), made.claimed
    wanted = value_and_bound(made)
    value, bound, levels = shown_numbers(text, made)
    assert set(value) == {wanted[0]}, f"the value is {value}"
    assert set(bound) == {wanted[1]}, f"the bound is {bound}"
    assert levels == [level_of(each) for each in audit.levels], f"the levels are {levels}"
    exact, apart = text.partition("All digits")[2].partition("How good it is")[0], []
    outside = text.replace(exact, "")
    for number in {proof.value, proof.bound, *audit.levels}:
        assert repr(number) in exact, f"{number!r} does not stand in full"
        # Every other text of the number that has more digits than the page's six.
        apart += [each for each in re.findall(NUMBER, outside) if is_of(each, number)]
    assert not apart, f"a number stands with other digits as {apart}"


def is_of(shown, number):
    """Tell whether a text is a number with more than six digits, which rounding it to six does not leave."""
    significant = shown.partition("e")[0].replace(".", "").lstrip("-0")
    return len(significant) > 6 and math.isclose(float(shown), number, rel_tol=1e-6) and shown != f"{number:.6g}"


@pytest.mark.parametrize("name", [name for name in ASKED if name != "nothing"])
def test_a_number_has_the_same_digits_everywhere(name, designs):
    check_precision(page(designs[name]), designs[name])


def test_planted_another_precision_is_caught(designs, monkeypatch):
    made = designs["frequencies"]
    for name, planted, complaint in (
        (
            "value_and_bound",
            lambda made: tuple(digits(x, 9) for x in (made.claimed.value, made.claimed.bound)),
            "value",
        ),
        ("value_of", lambda number, sense: digits(number, 8), "the value is"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(uses, name, planted)
            with pytest.raises(AssertionError, match=complaint):
                check_precision(page(made), made)
    markup = page(made).replace("<h2>The guarantee</h2>", f"<h2>The guarantee</h2>{made.claimed.value!r}")
    with pytest.raises(AssertionError, match="with other digits"):
        check_precision(markup, made)


def test_a_page_without_a_question_has_one_level():
    text = text_of(md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"]))
    assert text.count("1.0986122886681098") == 1 and "e^1.09862 (" in text


# The whole matrix.


def test_a_cut_matrix_says_where_the_whole_is():
    made = large(600).mechanism
    assert "The mechanism's file survey.json has all rows and columns." in text_of(made, file="survey.json")
    assert "which mechanism.save writes, has all rows and columns." in text_of(made)
    designed = replace(made, certificate=None)
    assert "mechanism.matrix has all rows and columns." in text_of(designed)
    small = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"])
    assert "has all rows and columns" not in text_of(small)


def test_columns_named_by_numbers_say_of_what(designs):
    assert r"answer \ estimate of the value" in text_of(designs["a number"])
    assert r"answer \ report " in Cells(page(designs["frequencies"])).text
    unnumbered = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"])
    assert r"answer \ the report's number" in text_of(unnumbered)


# What can be estimated.

ESTIMATE = "Estimate the population's frequencies"


def check_consistent(text):
    """What is not identified is not promised."""
    told = "Reports identify the population's frequencies" in text
    assert (ESTIMATE in text) == told, "it says how frequencies are estimated that reports do not tell"


#: Mechanisms that tell nothing, the mean alone, one share alone.
BLIND = {
    "nothing": [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]],
    "the mean": [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]],
    "one share": [[0.75, 0.25], [0.25, 0.75], [0.25, 0.75]],
}


@pytest.mark.parametrize(("told", "matrix"), list(BLIND.items()), ids=list(BLIND))
def test_no_frequencies_are_promised_that_reports_do_not_tell(told, matrix, designs):
    problem = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2], labels=["no", "rarely", "often"])
    made = md.design(problem, md.LDP(2.0), md.MMSE()).mechanism
    made = md.Mechanism(matrix, ["a", "b"], made.question, made.certificate)
    text = text_of(made)
    check_consistent(text)
    said = {"nothing": "neither frequencies nor a mean", "the mean": "the mean of the population"}
    assert said.get(told, 'the share of "no"') in text
    check_consistent(text_of(designs["frequencies"]))


def test_planted_a_contradiction_is_caught(monkeypatch):
    problem = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2])
    made = md.design(problem, md.LDP(0.0), md.MMSE()).mechanism
    check_consistent(text_of(made))
    monkeypatch.setattr(uses, "_estimated", lambda made: f"{ESTIMATE} from the reports")
    with pytest.raises(AssertionError, match="reports do not tell"):
        check_consistent(text_of(made))


# Who asks and why.


def test_what_is_said_of_a_survey_stands_in_its_order(designs, tmp_path):
    made = designs["a number"]
    given = {"date": "1 March 2027", "purpose": "health\nof workers", "controller": "", "data": "answers"}
    markup = md.report(made, tmp_path / "a.html", about=given).read_text(encoding="utf-8")
    check_harmless(markup)
    text = Cells(markup).text.partition("About this survey")[2]
    places = [
        text.index(word) for word in ("Data answers", "Purpose health of workers", "Controller", "Contact", "Date 1")
    ]
    assert places == sorted(places)
    # A line to fill by hand for each that is missing.
    assert markup.count('<dd class="blank">') == 2
    assert page(made, about={}).count('<dd class="blank">') == len(FIELDS)
    assert "About this survey" not in page(made)
    design = md.design(*ASKED["a number"])
    assert design.report(tmp_path / "b.html", about=given).read_text(encoding="utf-8") == markup


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", TEXTS)
def test_no_text_runs_in_what_is_said_of_a_survey(kind, designs):
    text = TEXTS[kind][:2000]
    markup = page(designs["a number"], about=dict.fromkeys(FIELDS, text))
    check_harmless(markup)
    assert "<script>alert" not in markup and "onerror='" not in markup


@pytest.mark.parametrize(
    ("about", "complaint"),
    [
        ({"purpos": "x"}, 'did you mean "purpose"'),
        ({"purpose": 1}, "it has to be a text"),
        ({"purpose": None}, "it has to be a text"),
        ({"purpose": "x" * 2001}, "room for 2000"),
        ({1: "x"}, "no such field"),
        ("purpose", "a dictionary of texts"),
    ],
)
def test_only_known_fields_and_texts(about, complaint, designs, tmp_path):
    with pytest.raises(md.DomainError, match=complaint):
        md.report(designs["a number"], tmp_path / "a.html", about=about)
    assert not (tmp_path / "a.html").exists()


def run(*arguments):
    with pytest.raises(SystemExit) as left:
        commands.main([str(argument) for argument in arguments])
    return left.value.code


def test_the_command_takes_what_is_said_of_a_survey(designs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    designs["a number"].save("a.json")
    assert run("report", "a.json", "-o", "a.html", "--about", "purpose=a=b", "--about", "controller=City") == 0
    text = Cells((tmp_path / "a.html").read_text(encoding="utf-8")).text
    assert "Purpose a=b" in text and "Controller City" in text
    for wrong in (("purpose",), ("purpos=x",), ("date=1", "--about", "date=2")):
        assert run("report", "a.json", "-o", "b.html", "--about", *wrong) == 2
    said = re.sub(r"\s+", " ", capsys.readouterr().err)
    assert "a name and a text" in said and 'did you mean "purpose"' in said and "given twice" in said
    assert not (tmp_path / "b.html").exists()


# Paper.


def test_the_page_is_made_for_paper():
    printed = STYLE.partition("@page")[2]
    for rule in (
        "size: A4",
        "h2, h3 { break-after: avoid",
        "footer { break-before: avoid",
        "tr, .facts",
        "break-inside: avoid",
    ):
        assert rule in printed
