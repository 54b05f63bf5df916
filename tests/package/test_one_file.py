"""A notion or an objective that is written into one file has all that members of the catalogue have."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.vocabulary import meant
from mechdesign.cli import main
from mechdesign.testing import check_member
from tests.adversary.from_cards import verdicts
from tests.helpers.own_files import NOTION, OBJECTIVE, written

ROOT = Path(__file__).parents[2]
QUESTION = """
[problem]
prior = [0.2, 0.3, 0.5]
values = [0, 1, 2]
[notion]
name = "{notion}"
epsilon = 0.5
[objective]
name = "{objective}"
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return what runs the command in a folder of its own, and returns its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def called(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, arguments)))
        return ended.value.code, " ".join("".join(capsys.readouterr()).split())

    return called


def pages():
    """Return the module that writes the pages of the site."""
    folder = str(ROOT / "docs" / "extensions")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("catalogue_pages")
    finally:
        sys.path.remove(folder)


def test_a_notion_in_one_file(run, tmp_path, rng):
    path, module = written(tmp_path, NOTION, "one_notion")
    own = module.UpperLift
    # It is listed, and found by its name in full, a word of its card, a term of the field and an author.
    assert "UpperLift(epsilon)" in run("notions", "--members", path)[1]
    for word in ("upper bound of the lift", "rising suspicion", "PRAM", "Zamani", "A. Author"):
        code, out = run("notions", "--search", word, "--members", path)
        assert code == 0 and "UpperLift" in out, word
    found = json.loads(run("notions", "--search", "rising", "--members", path, "--json")[1])["words"][0]
    assert (found["members"], found["means"]) == (["UpperLift"], "No output makes a secret much likelier.")
    assert meant("rising suspicion", {"UpperLift": own, "LDP": md.LDP}) == ("UpperLift",)
    # A design, its report page, and a comparison.
    (tmp_path / "asked.toml").write_text(QUESTION.format(notion="UpperLift", objective="MMSE"), encoding="utf-8")
    assert run("design", "asked.toml", "--members", path)[0] == 0
    assert run("report", "asked.mechanism.json", "-o", "page.html", "--members", path)[0] == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for said in (
        "An upper bound of the lift (UpperLift)",
        "No report makes an answer 1.65 times likelier.",
        "Somebody who thought two answers alike cannot be sure of either.",
    ):
        assert said in page
    code, out = run("compare", "asked.toml", "--members", path)
    assert code == 0 and "UpperLift" in out and "rays" in out
    # Rules, contracts, the site's page and the adversary.
    survey = md.Problem(prior=np.full(40, 1 / 40))
    assert md.implies(md.LDP(1.0), own(1.0), survey).reason == "the mass is a mean of the entries"
    check_member(own, rng)
    text = pages().notion(own, tmp_path / "site")
    assert (
        "rising suspicion" in text and "\\Pr(y \\mid s) \\le" in text and ".. autoclass:: one_notion.UpperLift" in text
    )
    assert "| `LDP(epsilon=1)` |" in text and (tmp_path / "site" / "UpperLift.svg").is_file()
    assert not any(one.failures for one in verdicts([own], 3, 1))


def test_an_objective_in_one_file(run, tmp_path, rng):
    path, module = written(tmp_path, OBJECTIVE, "one_objective")
    own = module.Overstatement
    assert "Overstatement()" in run("objectives", "--members", path)[1]
    for word in ("mean overstatement", "overreporting"):
        code, out = run("notions", "--search", word, "--members", path)
        assert code == 0 and "Overstatement" in out and "By how much reports are too large on average." in out
    (tmp_path / "asked.toml").write_text(QUESTION.format(notion="LDP", objective="Overstatement"), encoding="utf-8")
    assert run("design", "asked.toml", "--members", path)[0] == 0
    assert run("report", "asked.mechanism.json", "-o", "page.html", "--members", path)[0] == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "values, the mean overstatement of the value (smaller is better)." in page
    assert run("compare", "asked.toml", "--members", path)[0] == 0
    check_member(own, rng)
    text = pages().objective(own)
    assert "overreporting" in text and ".. autoclass:: one_objective.Overstatement" in text and "| 1.0 |" in text
    assert not any(one.failures for one in verdicts([own], 3, 1))


def test_without_the_file_nothing_is_found(run):
    assert "UpperLift" not in run("notions")[1]
    assert run("notions", "--search", "rising suspicion")[0] == 2


def test_a_card_that_cites_what_is_no_work_is_refused_with_its_line(run, tmp_path):
    wrong = NOTION.replace('"zamani"', '"zamany"')
    with pytest.raises(md.DomainError, match='"zamani"'):
        written(tmp_path, wrong, "one_wrong")
    code, out = run("notions", "--members", "one_wrong.py")
    line = wrong[: wrong.index("card = md.Card(")].count("\n") + 1
    # No file and no search is blamed for it later.
    assert code == 2 and "works is zamany" in out and f"correct its line {line}." in out


def test_a_class_that_is_no_dataclass_is_refused(run, tmp_path):
    text = NOTION.replace("@dataclass(frozen=True)\n", "")
    (tmp_path / "bare.py").write_text(text, encoding="utf-8")
    for arguments in (("notions",), ("notions", "--search", "rising"), ("objectives",)):
        code, out = run(*arguments, "--members", "bare.py")
        assert code == 2 and "the class UpperLift has to be a dataclass" in out


#: A card's function that raises, or returns what is no text.
WRONG = {
    "promise=lambda notion, problem, of: None": "it returned None; let it return a text",
    "promise=lambda notion, problem, of: notion.delta": "it raises AttributeError ('UpperLift' object has no attribute",
    "odds=lambda notion, problem, of: 3": "it returned 3; let it return a text",
    "protects=lambda notion: 'the answer'": "it returned 'the answer'; let it return a mechdesign.catalogue.subject",
}


@pytest.mark.parametrize("field", WRONG)
def test_a_wrong_sentence_stands_on_no_page(field, run, tmp_path):
    start, end = NOTION.index("        promise="), NOTION.index("        implied_by=")
    (tmp_path / "own.py").write_text(f"{NOTION[:start]}        {field},\n{NOTION[end:]}", encoding="utf-8")
    (tmp_path / "asked.toml").write_text(QUESTION.format(notion="UpperLift", objective="MMSE"), encoding="utf-8")
    # The mechanism is saved all the same.
    run("design", "asked.toml", "--members", "own.py")
    code, out = run("report", "asked.mechanism.json", "-o", "page.html", "--members", "own.py")
    name = field.partition("=")[0]
    assert code == 2 and f"UpperLift.card.{name} is a function, but {WRONG[field]}" in out
    assert not (tmp_path / "page.html").exists()


#: Beside the notion: a class without a docstring, with what it means on its card, and one that has neither.
WITHOUT_DOCSTRING = """

@dataclass(frozen=True)
class Silent(UpperLift):
    card = md.Card(means="No output makes a secret likelier.", search=("quietness",))


@dataclass(frozen=True)
class Mute(UpperLift):
    pass


class Heir(UpperLift):
    card = md.Card(search=("quietness",))
"""


def test_a_class_without_a_docstring_has_no_formula_of_another(run, tmp_path):
    (tmp_path / "own.py").write_text(NOTION + WITHOUT_DOCSTRING, encoding="utf-8")
    listed = {each["name"]: each["formula"] for each in json.loads(run("notions", "--members", "own.py", "--json")[1])}
    assert listed["UpperLift"].startswith("Pr(y | s)")
    assert listed["Silent"] == "No output makes a secret likelier." and listed["Mute"] == listed["Heir"] == ""
    (tmp_path / "asked.toml").write_text(QUESTION.format(notion="Mute", objective="MMSE"), encoding="utf-8")
    assert run("design", "asked.toml", "--members", "own.py")[0] == 0
    assert run("report", "asked.mechanism.json", "-o", "page.html", "--members", "own.py")[0] == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The mechanism satisfies Mute(epsilon=0.5)." in page
    # Of words that two classes have, each is suggested once.
    code, out = run("notions", "--search", "quietnes5", "--members", "own.py")
    assert code == 2 and 'did you mean "quietness"? (one of quietness)' in out


@pytest.mark.parametrize("sought", ["-", " - ", ""])
def test_a_search_for_no_letter_is_refused(sought, run):
    code, out = run("notions", "--search", sought)
    assert code == 2 and "it has to be a word to look for" in out
