"""Files of mechanisms without a question: what they keep private is in them, and is checked exactly."""

import json
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli.commands import cli
from mechdesign.files.checksums import sealed
from mechdesign.testing.examples import NOTIONS

SURVEY = md.Problem.from_counts({"never": 620, "rarely": 250, "often": 130}, values=[0, 1, 5], prior_source="made up")


SCHEMA = Path(__file__).parents[2] / "docs/static/mechanism.schema.json"


def run(*words):
    found = CliRunner().invoke(cli, [str(word) for word in words])
    return found.exit_code, found.output


@dataclass(frozen=True)
class Coin(md.LDP):
    """LDP under a name of one's own."""


CASES = [(name, number) for name, made in NOTIONS.items() for number in range(len(made))]


@pytest.mark.parametrize(("name", "number"), CASES, ids=[f"{name}-{number}" for name, number in CASES])
def test_every_notion_comes_back(name, number, tmp_path):
    notion, problem = NOTIONS[name][number](np.random.default_rng(7))
    inputs = notion.inputs(problem)
    made = md.Mechanism(np.ones((inputs.n, 1)), ["-"], problem=problem, notion=notion)
    path = made.save(tmp_path / "a.json")
    found = md.load(path)
    assert found == made and found.guarantee == notion and found.inputs == inputs
    assert found.save(tmp_path / "b.json").read_bytes() == path.read_bytes()
    assert md.audit(found).holds


@pytest.mark.parametrize(
    "made",
    [
        md.baselines.randomised_response(SURVEY, 1.0),
        md.baselines.subset_selection(SURVEY, 1.0, 2),
        md.baselines.hadamard_response(SURVEY, 1.0),
        md.baselines.unary_encoding(SURVEY, 1.0),
        md.baselines.geometric(SURVEY, 0.5),
        md.baselines.exponential(SURVEY, 0.5, [[0, 1, 2], [1, 0, 1], [2, 1, 0]]),
    ],
    ids=lambda made: f"{made.guarantee}, {made.matrix.shape[1]}",
)
def test_known_mechanisms_are_saved_with_what_they_keep_private(made, tmp_path):
    path = made.save(tmp_path / "a.json")
    assert md.load(path) == made
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(json.loads(path.read_text()))


def test_the_commands_take_it(tmp_path):
    file, answers, reports = (tmp_path / name for name in ("a.json", "answers.csv", "reports.csv"))
    md.baselines.randomised_response(SURVEY, 1.0).save(file)
    answers.write_text("answer\n" + "never\nrarely\noften\n" * 50)
    code, said = run("audit", file)
    assert code == 0 and "LDP(epsilon=1) holds exactly." in said and "Certificate" not in said
    code, said = run("sample", file, answers, "--column", "answer", "-o", reports)
    assert code == 0 and "150 reports" in said
    code, said = run("estimate", file, reports)
    assert code == 0 and "LDP(epsilon=1)" in said and "mean" in said
    assert run("report", file, "-o", tmp_path / "page.html")[0] == 0
    page = (tmp_path / "page.html").read_text()
    checksum = json.loads(file.read_text())["checksum"]
    for words in ("Local differential privacy (LDP), epsilon = 1", "holds exactly", "mechdesign sample", checksum):
        assert words in page, words
    assert run("sampler", file, "-o", tmp_path / "drawn.py")[0] == 0
    assert "The guarantee is LDP(epsilon=1)." in (tmp_path / "drawn.py").read_text()


def test_a_matrix_that_does_not_keep_it_is_refused(tmp_path):
    with pytest.raises(
        md.DomainError, match=r"notion is LDP\(epsilon=1\), but the matrix does not satisfy it.*rounded"
    ):
        md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["a", "b"], notion=md.LDP(1.0))
    path = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["a", "b"], notion=md.LDP(1.2)).save(tmp_path / "a.json")
    data = json.loads(path.read_text())
    data["notion"]["epsilon"] = 1.0
    path.write_text(json.dumps(sealed(data)))
    with pytest.raises(md.CertificateError, match="does not satisfy it"):
        md.load(path)


def test_what_was_not_certified_is_not_saved(tmp_path):
    made = md.design(SURVEY, md.LDP(1.0), md.MMSE()).mechanism
    with pytest.raises(md.UnsupportedError, match="which this one lacks"):
        md.Mechanism(made.matrix, made.outputs, made.question).save(tmp_path / "a.json")
    assert not (tmp_path / "a.json").exists()


def test_a_question_has_its_own_notion():
    made = md.design(SURVEY, md.LDP(1.0), md.MMSE()).mechanism
    with pytest.raises(md.DomainError, match="the question has one"):
        md.Mechanism(made.matrix, made.outputs, made.question, notion=md.LDP(2.0))


def test_a_design_without_its_question_is_refused(tmp_path):
    """Its claims would be left out in silence."""
    path = md.design(SURVEY, md.LDP(1.0), md.MMSE()).mechanism.save(tmp_path / "a.json")
    held = json.loads(path.read_text())
    asked = held.pop("question")
    bare = {**held, "problem": asked["problem"], "notion": asked["notion"]}
    short = {name: part for name, part in bare.items() if name not in ("claims", "multipliers")}
    for data in (bare, {**bare, "schema_version": 5}, short, {**short, "schema_version": 3}):
        path.write_text(json.dumps(sealed(data)))
        with pytest.raises(md.CertificateError, match="lacks a part or holds a wrong one"):
            md.load(path)
    path.write_text(json.dumps(sealed({**short, "schema_version": 5})))
    assert md.load(path).certificate is None


def test_notions_of_ones_own_are_given_by_class(tmp_path):
    path = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["a", "b"], notion=Coin(1.2)).save(tmp_path / "a.json")
    assert md.load(path, members=[Coin]).notion == Coin(1.2)
    with pytest.raises(md.CertificateError, match=r"members=\[Coin\]"):
        md.load(path)
