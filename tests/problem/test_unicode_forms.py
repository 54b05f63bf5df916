"""A label is one in whichever Unicode form it is written: e with an accent, or e and then its accent."""

import json
import unicodedata

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import commands

ONE, TWO = "caf\u00e9", "cafe\u0301"
FORMS = [(ONE, TWO), (TWO, ONE)]


def test_the_two_are_two_texts_of_one_form():
    assert ONE != TWO and unicodedata.normalize("NFC", TWO) == ONE


@pytest.mark.parametrize("written", [lambda a, b: [a, b], lambda a, b: {a: 1, b: 2}], ids=["labels", "counts"])
def test_the_same_label_twice_is_refused(written):
    given = written(ONE, TWO)
    with pytest.raises(md.DomainError, match=r"distinct, in whichever Unicode form; merge"):
        md.Problem.from_counts(given) if isinstance(given, dict) else md.Problem(labels=given)


@pytest.mark.parametrize(("stored", "asked"), FORMS)
def test_it_is_stored_as_given_and_found_in_either_form(stored, asked):
    pandas = pytest.importorskip("pandas")
    problem = md.Problem(labels=["tea", stored], values=[0, 1])
    assert problem.labels == ("tea", stored)
    response = md.baselines.randomised_response(problem, 1.0)
    assert np.array_equal(response.sample([asked, "tea"]) >= 0, [True, True])
    counted = md.Problem.from_counts({asked: 3, "tea": 1}, labels=["tea", stored], values={asked: 7.0, "tea": 2.0})
    assert counted.labels == ("tea", stored) and counted.prior.tolist() == [0.25, 0.75]
    assert counted.values.tolist() == [2.0, 7.0]
    table = pandas.DataFrame([[0.0, 1.0], [1.0, 0.0]], index=[asked, "tea"])
    assert md.audit(table, md.LDP(1.0), problem=problem).matrix.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(("stored", "asked"), FORMS)
def test_records_of_both_forms_are_of_one_category(stored, asked):
    problem = md.Problem.from_records([stored, asked, "tea", stored])
    assert problem.n == 2 and sorted(problem.prior) == [0.25, 0.75]
    known = md.Problem.from_records([stored, asked, "tea"], categories=["tea", stored])
    assert known.labels == ("tea", stored) and known.prior.tolist() == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize(("stored", "asked"), FORMS)
def test_files_of_counts_and_records_are_matched(stored, asked, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            commands.main(list(arguments))
        return int(left.value.code or 0), capsys.readouterr().err

    made = md.baselines.randomised_response(md.Problem(labels=["tea", stored]), 1.0)
    made.save("m.json")
    (tmp_path / "people.csv").write_text(f"drink\n{asked}\ntea\n{stored}\n", encoding="utf-8")
    assert run("sample", "m.json", "people.csv", "--column", "drink", "-o", "r.csv") == (0, "")
    question = '[problem]\ndata = "c.csv"\ncount = "n"\nlabel = "drink"\n[notion]\nname = "LDP"\nepsilon = 1.0\n'
    (tmp_path / "q.toml").write_text(question + '[objective]\nname = "HammingLoss"\n')
    (tmp_path / "c.csv").write_text(f"drink,n\n{asked},1\ntea,1\n{stored},1\n", encoding="utf-8")
    code, said = run("design", "q.toml", "-q", "--output", "d.json")
    assert code == 0 and "counts are added up" in said
    assert json.loads((tmp_path / "m.json").read_text())["schema"]


@pytest.mark.parametrize(("stored", "asked"), FORMS)
def test_a_sampler_takes_either_form(stored, asked, tmp_path):
    made = md.baselines.randomised_response(md.Problem(labels=["tea", stored]), 1.0)
    path = md.sampler(made, tmp_path / "s.py")
    drawn = {"__name__": "sampler"}
    exec(path.read_text(encoding="utf-8"), drawn)
    assert drawn["report"](asked) in (0, 1) and drawn["report"](stored) in (0, 1)
    assert 'text.normalize("NFC")' in md.sampler(made, tmp_path / "s.mjs").read_text(encoding="utf-8")
