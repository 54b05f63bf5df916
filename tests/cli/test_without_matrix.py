"""The commands of a mechanism without a matrix: design, sample, estimate, audit and report."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mechdesign.cli import commands

QUESTION = """
[problem]
n = 20000
[notion]
name = "LDP"
epsilon = 2.0
[objective]
name = "InformationDesign"
criterion = "A"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.toml").write_text(QUESTION)
    people = np.random.default_rng(3).zipf(1.5, size=3000) % 20000
    (tmp_path / "answers.csv").write_text("word\n" + "".join(f"{x}\n" for x in people))
    return tmp_path


@pytest.fixture
def ran(capsys):
    def run(*given):
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            commands.main(list(given))
        out, err = capsys.readouterr()
        return left.value.code, out + err

    return run


def test_from_a_question_to_an_estimate(folder, ran):
    _, said = ran("design", "words.toml")
    assert "Reports identify the population's frequencies." in said and "local hashing" in said
    assert (folder / "words.mechanism.json").stat().st_size < 2000
    assert ran("sample", "words.mechanism.json", "answers.csv", "--column", "word", "-o", "reports.csv")[0] == 0
    code, said = ran("estimate", "words.mechanism.json", "reports.csv", "--csv", "table.csv")
    assert code == 0 and "3000 reports of 20000 inputs" in said and "most frequent inputs" in said
    assert len((folder / "table.csv").read_text().splitlines()) == 20001
    code, said = ran("estimate", "words.mechanism.json", "reports.csv", "--method", "nonnegative", "--json")
    shares = [row["estimate"] for row in json.loads(said)["frequencies"]]
    assert code == 0 and min(shares) >= 0.0 and sum(shares) == pytest.approx(1.0)
    assert "holds exactly" in ran("audit", "words.mechanism.json")[1]
    assert ran("report", "words.mechanism.json", "-o", "page.html")[0] == 0
    assert "projective geometry" in (folder / "page.html").read_text()


def test_what_needs_a_matrix_is_refused(folder, ran):
    ran("design", "words.toml")
    ran("sample", "words.mechanism.json", "answers.csv", "--column", "word", "-o", "reports.csv")
    assert "with a matrix" in ran("estimate", "words.mechanism.json", "reports.csv", "--plot", "p.png")[1]
    assert "nonnegative" in ran("estimate", "words.mechanism.json", "reports.csv", "--method", "likelihood")[1]
