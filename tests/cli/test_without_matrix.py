"""The commands of a mechanism without a matrix: design, sample, estimate, audit and report."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import mechdesign as md
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
    code, said = ran("estimate", "words.mechanism.json", "reports.csv", "--output", "table.csv")
    assert code == 0 and "3000 reports of 20000 inputs" in said and "most frequent inputs" in said
    assert len((folder / "table.csv").read_text().splitlines()) == 20001
    code, said = ran("estimate", "words.mechanism.json", "reports.csv", "--method", "nonnegative", "--json")
    shares = [row["estimate"] for row in json.loads(said)["frequencies"]]
    assert code == 0 and min(shares) >= 0.0 and sum(shares) == pytest.approx(1.0)
    assert "holds exactly" in ran("audit", "words.mechanism.json")[1]
    assert ran("report", "words.mechanism.json", "-o", "page.html")[0] == 0
    assert "subset selection" in (folder / "page.html").read_text()


def test_what_needs_a_matrix_is_refused(folder, ran):
    ran("design", "words.toml")
    ran("sample", "words.mechanism.json", "answers.csv", "--column", "word", "-o", "reports.csv")
    assert "with a matrix" in ran("estimate", "words.mechanism.json", "reports.csv", "--plot", "p.png")[1]
    assert "nonnegative" in ran("estimate", "words.mechanism.json", "reports.csv", "--method", "likelihood")[1]


def test_a_file_of_sets_is_counted_without_a_list_of_all_outputs(folder, ran):
    """Fourteen million outputs have no array of counts, and the estimate is the one of the same reports in Python."""
    sets = md.baselines.subset_selection(md.Problem(n=20_000), 5.0, 20_000 * 2 // 243)
    assert sets.family.outputs > 1 << 20
    sets.save("sets.json")
    assert ran("sample", "sets.json", "answers.csv", "--column", "word", "-o", "reports.csv")[0] == 0
    code, said = ran("estimate", "sets.json", "reports.csv", "--json")
    reports = [int(line) for line in (folder / "reports.csv").read_text().splitlines()[2:]]
    shares = [row["estimate"] for row in json.loads(said)["frequencies"]]
    assert code == 0 and shares == pytest.approx(sets.estimate(reports).frequencies.tolist(), abs=1e-12)


def test_rows_of_bits_have_no_file_of_reports(folder, ran):
    md.baselines.unary_encoding(md.Problem(n=20_000), 1.0).save("bits.json")
    assert "rows of bits" in ran("sample", "bits.json", "answers.csv", "--column", "word", "-o", "reports.csv")[1]
    assert not (folder / "reports.csv").exists()
    assert "holds exactly" in ran("audit", "bits.json")[1]


def test_routes_are_compared_without_a_matrix(folder, ran):
    (folder / "words.toml").write_text(f"{QUESTION}[solve]\ngap = 0.02\n")
    code, said = ran("compare", "words.toml")
    assert code == 0 and "family" in said and "subset selection" in said


def test_quickstart_names_what_takes_more_categories(folder, ran):
    (folder / "many.csv").write_text("word\n" + "".join(f"word {k}\n" for k in range(3000)))
    code, said = ran("quickstart", "many.csv", "--column", "word", "--epsilon", "1")
    call = re.search(r"md\.design\(.*\.save\(FILE\)", said)
    assert code != 0 and call is not None
    written = call[0].replace("labels=...", "labels=[f'word {k}' for k in range(3000)]")
    # The advice is run as it stands.
    eval(written, {"md": md, "FILE": "many.mechanism.json"})
    code, said = ran("sample", "many.mechanism.json", "many.csv", "--column", "word", "-o", "many.reports.csv")
    assert code == 0 and "3000 reports" in said
