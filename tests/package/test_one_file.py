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
    """Return what runs the command in a folder of its own, and returns its exit code and output."""
    monkeypatch.chdir(tmp_path)

    def called(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, arguments)))
        return ended.value.code, " ".join(capsys.readouterr().out.split())

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
    with pytest.raises(AssertionError):
        assert "UpperLift" in run("notions")[1]
    assert run("notions", "--search", "rising suspicion")[0] == 2


def test_a_card_that_cites_what_is_no_work_is_refused(tmp_path):
    wrong = NOTION.replace('"zamani"', '"zamany"')
    own = written(tmp_path, wrong, "one_wrong")[1].UpperLift
    with pytest.raises(md.DomainError, match='"zamani"'):
        meant("something", {"UpperLift": own})
