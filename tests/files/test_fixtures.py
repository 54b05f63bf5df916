"""Files that version 0.3.0 wrote, one of each schema: every later version reads them."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
import mechdesign_check as reader
from mechdesign.bench.results import Results
from mechdesign.mechanism.plain_data import WRITTEN

FOLDER = Path(__file__).parent / "fixtures"
NAMES = ("design", "known", "proved", "matrix", "family")
PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 3], labels=["low", "middle", "high"], prior_source="made up")


def loaded(name):
    return md.load(FOLDER / f"{name}.mechanism.json")


def test_there_is_a_file_of_each_schema_that_is_written():
    versions = [json.loads((FOLDER / f"{name}.mechanism.json").read_text())["schema_version"] for name in NAMES]
    assert sorted(versions) == sorted(WRITTEN)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_and_written_as_it_stands(name, tmp_path):
    mechanism = loaded(name)
    mechanism.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (FOLDER / f"{name}.mechanism.json").read_bytes()


def test_matrices_are_what_they_were():
    e = np.e
    assert np.allclose(loaded("known").matrix, (np.ones((3, 3)) + (e - 1) * np.eye(3)) / (e + 2), atol=2**-50)
    assert loaded("matrix").matrix.tolist() == [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    family = loaded("family")
    assert family.problem.n == 20 and md.audit(family, md.LDP(1.0)).holds and not md.audit(family, md.LDP(0.99)).holds


def test_claims_are_what_they_were():
    for name, notion, objective in (
        ("design", md.LIP(1.0), md.MMSE()),
        ("proved", md.LDP(1.0), md.InformationDesign("A")),
    ):
        held, made = loaded(name), md.design(PROBLEM, notion, objective)
        assert held.claimed.value == pytest.approx(made.value, rel=1e-6)
        assert held.claimed.value == pytest.approx(objective.value(held.matrix, PROBLEM), rel=1e-9)
        assert held.claimed.bound <= made.value * (1 + 1e-12) and md.audit(held, notion).holds


def test_a_proof_is_still_one(capsys):
    assert reader.main([str(FOLDER / "proved.mechanism.json")]) == 0
    assert "PROVED" in capsys.readouterr().out


def test_a_sweep_goes_on_from_its_file(tmp_path):
    path = tmp_path / "sweep.jsonl"
    shutil.copy(FOLDER / "sweep.jsonl", path)
    held = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    questions = [md.LDP, md.LIP], md.MMSE()
    found = md.sweep({"survey": PROBLEM}, *questions, levels=[0.5, 1.0], n_jobs=1, path=path, progress=False)
    assert [row.value for row in found] == [row["value"] for row in sorted(held, key=lambda row: row["index"])]
    # Nothing was computed again.
    assert path.read_bytes() == (FOLDER / "sweep.jsonl").read_bytes()


def test_results_of_solvers_are_read():
    results = Results.read(FOLDER / "bench.jsonl")
    assert {run.solver for run in results.runs} == {"HIGHS", "SCS"}
    assert all(run.outcome == "answered" for run in results.runs) and len(results.runs) == 6
