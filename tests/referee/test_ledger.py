"""The ledger: selection, the record, its pages, interruption, and the command."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli import commands, refereeing
from mechdesign.errors import DomainError
from mechdesign.referee import ledger, verifying
from mechdesign.referee.ledger_page import formula_of, page
from mechdesign.theorems import all_theorems, recorded, statements
from mechdesign.theorems.record import FILE

SOME = ["jiang_lip/T2", "ours/M4", "yoshida/T2"]


@pytest.fixture(scope="module")
def some():
    return md.verify(SOME)


def test_a_paper_or_keys_select_their_rows(some):
    assert [row.key for row in some] == SOME
    assert {row.paper for row in md.verify("ours/M4")} == {"ours"}
    assert verifying.selected("yoshida") == [key for key in statements() if key.startswith("yoshida/")]
    assert verifying.selected(None) == list(statements())


@pytest.mark.parametrize(("name", "near"), [("yosida", "yoshida"), ("jiang-lip/T3", "jiang_lip/T3")])
def test_an_unknown_name_is_told_the_nearest(name, near):
    with pytest.raises(DomainError, match=f'did you mean "{near}"') as error:
        md.verify(name)
    assert len(str(error.value)) < 400


def test_a_row_says_where_it_holds_and_why_not_everywhere(some):
    row = some[0]
    assert (row.paper, row.place, row.kind) == ("jiang_lip", "Theorem 2", "exact optimum")
    assert row.condition == "min prior >= 1/(1 + e^epsilon)"
    told = re.fullmatch(
        r"epsilon = (\S+), prior = \((\S+), (\S+)\), values = .*: its epsilon is (\S+), asked (\S+)",
        row.counterexample.replace("the mechanism is private: ", ""),
    )
    epsilon, p, q, level, asked = map(float, told.groups())
    # The counterexample is one: the level of the printed matrix, from its definition.
    low = np.exp(-epsilon)
    matrix = np.array([[1 - q * low, q * low], [p * low, 1 - p * low]])
    real = np.abs(np.log(matrix / (np.array([p, q]) @ matrix))).max()
    assert real == pytest.approx(level, rel=1e-5) and real > epsilon == asked


def test_every_row_is_recorded_as_it_is_found(some):
    assert some.differences() == []
    wrong = replace(some, rows=(replace(some[0], verdict="holds"), *some.rows[1:]))
    assert wrong.differences() == ["jiang_lip/T2 was recorded as 'holds under a narrower condition' and is now 'holds'"]


def test_the_record_is_made_of_what_verify_finds(some):
    made = json.loads(some.record())["rows"]
    kept = json.loads(FILE.read_text(encoding="utf-8"))["rows"]
    assert made == {key: kept[key] for key in SOME}
    assert list(recorded()) == list(statements())


def test_the_same_seed_gives_the_same_ledger_in_one_process_or_two(monkeypatch):
    monkeypatch.setattr(verifying, "WORTH_PROCESSES", 2)
    many = md.verify(SOME[:2], rng=3)
    monkeypatch.setattr(verifying, "WORTH_PROCESSES", 100)
    assert many == md.verify(SOME[:2], rng=3) != md.verify(SOME[:2], rng=4)
    generator = md.verify("ours/M4", rng=np.random.default_rng(0))
    assert generator.seed != 0 and generator[0].verdict == "holds"


def test_what_is_done_is_kept_when_interrupted():
    seen = []

    def stop(row, total):
        seen.append((row.key, total))
        raise KeyboardInterrupt

    found = md.verify(SOME, on_row=stop)
    assert not found.complete and [row.key for row in found] == SOME[:1] and seen == [("jiang_lip/T2", 3)]
    assert "Interrupted" in str(found)


def test_it_prints_and_is_saved(some, tmp_path):
    assert "jiang_lip/T2" in str(some) and "holds under a" in str(some)
    data = json.loads(some.save(tmp_path / "a.json").read_text())
    assert [row["key"] for row in data["rows"]] == SOME and data["complete"]
    page = some.save(tmp_path / "a.html").read_text()
    assert page.count("<math") == 3 and "min prior &gt;= 1/(1 + e^epsilon)" in page
    # Nothing is fetched: no scripts, no style sheets, no images, no links.
    assert not re.search(r"<script|<link|<img|@import|url\(|src=|href=", page)
    with pytest.raises(DomainError, match=r"end in \.json, \.csv, \.html or \.tex"):
        some.save(tmp_path / "a.txt")


def run(*arguments):
    """Return the exit code and what the command prints."""
    result = CliRunner().invoke(commands.cli, ["verify", *arguments], standalone_mode=False)
    return result.return_value, result.output


def test_the_command_compares_with_the_record(monkeypatch, tmp_path):
    assert run("ours/M4")[0] == 0
    code, text = run("ours/M4", "--json")
    assert code == 0 and json.loads(text)["rows"][0]["verdict"] == "holds"
    code, _ = run("ours/M4", "--record", str(tmp_path / "v.json"), "--output", str(tmp_path / "l.html"))
    assert code == 0 and json.loads((tmp_path / "v.json").read_text())["rows"]["ours/M4"]["answers"]
    assert (tmp_path / "l.html").read_text().startswith("<!DOCTYPE html>")
    known = {**recorded(), "ours/M4": replace(recorded()["ours/M4"], verdict="false")}
    monkeypatch.setattr(ledger, "recorded", lambda: known)
    code, text = run("ours/M4")
    assert code == 1 and "ours/M4 was recorded as 'false' and is now 'holds'" in text


def test_a_record_of_more_statements_is_not_overwritten(tmp_path):
    path = tmp_path / "v.json"
    assert run("ours/M4", "--record", str(path))[0] == 0
    assert run("ours/M4", "--record", str(path))[0] == 0  # the same statement again
    before = path.read_text()
    asked = ["verify", "ours/M9", "--record", str(path)]
    refused = CliRunner().invoke(commands.cli, asked)
    assert isinstance(refused.exception, md.DomainError) and "ours/M4" in str(refused.exception)
    assert path.read_text() == before
    path.write_text("a shopping list")
    refused = CliRunner().invoke(commands.cli, asked)
    assert isinstance(refused.exception, md.DomainError) and "something else" in str(refused.exception)


def test_an_interrupted_run_leaves_the_record_alone(monkeypatch, tmp_path):
    def stopped(*_, **__):
        return replace(md.verify("ours/M4"), complete=False)

    monkeypatch.setattr(refereeing, "verified", stopped)
    code, text = run("ours/M4", "--record", str(tmp_path / "v.json"), "--output", str(tmp_path / "l.json"))
    assert code == 130 and "Interrupted" in text
    assert not (tmp_path / "v.json").exists() and not json.loads((tmp_path / "l.json").read_text())["complete"]


@pytest.mark.parametrize("arguments", [("--output", "l.txt"), ("--output", "no/l.html"), ("--record", "no/v.json")])
def test_a_place_that_cannot_be_written_is_told_before_the_run(monkeypatch, tmp_path, arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(refereeing, "verified", None)
    result = CliRunner().invoke(commands.cli, ["verify", *arguments], standalone_mode=False)
    assert isinstance(result.exception, DomainError) and re.search(
        "no such folder|has to end in", str(result.exception)
    )


@pytest.mark.parametrize("rng", [-1, "1", 1.5, True])
def test_a_seed_that_is_none_is_refused(rng):
    with pytest.raises(DomainError, match="rng is"):
        md.verify("ours/M4", rng=rng)


def test_a_number_is_no_paper():
    with pytest.raises(DomainError, match="which is 5"):
        md.verify(5)


def test_the_page_is_well_formed(some):
    open_tags, wrong = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, _):
            if tag != "meta":
                open_tags.append(tag)

        def handle_endtag(self, tag):
            if not open_tags or open_tags.pop() != tag:
                wrong.append((tag, self.getpos()))

    text = page(some.rows, some.summary())
    Reader().feed(text)
    assert not open_tags and not wrong
    for known in all_theorems().values():
        if known.latex:
            # What the converter does not know it leaves with its backslash.
            assert "\\" not in "".join(ET.fromstring(formula_of(known.latex)).itertext()), known.key


def test_without_a_record_no_closed_form_is_handed_out(monkeypatch):
    from mechdesign.solve.routes import closed_form

    problem = md.Problem(prior=[0.4, 0.6], values=[0, 1])
    assert md.design(problem, md.LIP(1.0), md.MMSE(), route="closed_form").note.startswith("jiang_lip Theorem 2")
    monkeypatch.setattr(closed_form, "published", dict)
    with pytest.raises(md.UnsupportedError, match="no theorem speaks of"):
        md.design(problem, md.LIP(1.0), md.MMSE(), route="closed_form")
