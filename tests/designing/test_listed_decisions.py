"""A matrix lists only the decisions that are made; its value, its file and its claims go by their names."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli.question_file import read_question
from mechdesign.files.checksums import sealed
from mechdesign.mechanism import Mechanism
from mechdesign.solve.pricing.revealing_outputs import by_decision, columns_by_decision
from mechdesign.testing.sized import OBJECTIVES, sized_problem

EXAMPLES = Path(__file__).parents[2] / "examples"
LABELS = ("a", "b", "c", "d", "e")
SMALL = md.Problem([0.5, 0.2, 0.1, 0.1, 0.1], [0, 1, 2, 3, 4], LABELS)
STEPS = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
QUESTIONS = {
    "absolute error": (SMALL, md.LIP(0.3), md.AbsoluteError()),
    "expected loss": (SMALL, md.LDP(0.4), md.ExpectedLoss(STEPS[:, :4])),
    "one decision": (SMALL, md.LIP(0.3), md.HammingLoss()),
    "the worst input": (md.Problem(n=5), md.LDP(0.3), md.WorstCaseLoss(STEPS)),
    "inputs that are revealed": (
        SMALL,
        md.UtilityOptimizedLDP(0.5, sensitive=[0, 1, 2]),
        md.ExpectedLoss(STEPS),
    ),
}


def ages() -> md.Design:
    asked = read_question(EXAMPLES / "adult-age.toml").question
    return md.design(asked.problem, asked.notion, md.AbsoluteError())


def test_absolute_error_on_ages_lists_the_ages_that_are_reported() -> None:
    made = ages()
    assert made.matrix.shape == (74, len(made.mechanism.outputs)) and made.matrix.shape[1] < 10
    assert made.matrix.max(axis=0).min() > 0
    # Worked out from the definition: the expected distance between the age and the age that an output names.
    problem = made.mechanism.asked.problem
    named = np.array([float(name) for name in made.mechanism.outputs])
    distance = np.abs(np.array([float(label) for label in problem.labels])[:, None] - named)
    assert made.value == pytest.approx(float((problem.prior[:, None] * made.matrix * distance).sum()), rel=1e-9)
    reports = made.mechanism.simulate(["17"] * 1000, seed=1)
    assert reports.max() < made.matrix.shape[1]


@pytest.mark.parametrize("name", QUESTIONS)
def test_values_files_and_audits_go_by_name(name: str, tmp_path: Path) -> None:
    problem, notion, objective = QUESTIONS[name]
    made = md.design(problem, notion, objective)
    assert made.matrix.max(axis=0).min() > 0 and made.audit.holds and made.gap <= 1e-6
    full = made.by_decision
    assert (
        full.shape[1] >= objective.outputs(problem) and full[:, full.max(axis=0) > 0].tolist() == made.matrix.tolist()
    )
    if name != "inputs that are revealed":
        assert objective.value(full, problem) == pytest.approx(made.value, rel=1e-12)
    path = made.mechanism.save(tmp_path / "a.json")
    assert md.load(path) == made.mechanism
    assert json.loads(path.read_text())["outputs"] == list(made.mechanism.outputs)


def listing_every_decision(made: md.Design, path: Path) -> Path:
    """Save the mechanism as files of before do: with a column of zeros for each decision that is never made."""
    asked, given = made.mechanism.asked, made.mechanism
    inputs = asked.notion.inputs(asked.problem)
    full, names = by_decision(given.matrix, given.outputs, asked.objective, asked.notion, inputs)
    return Mechanism(full, names, asked, given.certificate).save(path)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("version", [3, 4])
def test_columns_are_numbered_as_the_file_lists_them(name: str, version: int, tmp_path: Path) -> None:
    made = md.design(*QUESTIONS[name])
    path = listing_every_decision(made, tmp_path / "before.json")
    data = sealed({**json.loads(path.read_text()), "schema_version": version})
    path.write_text(json.dumps(data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.FileWarning)
        loaded = md.load(path)
    assert list(loaded.outputs) == data["outputs"]
    assert (loaded.matrix * 2.0**53).astype(int).tolist() == data["numerators"]
    # The same mechanism with the same claims, whichever columns it has.
    assert loaded.claimed == made.mechanism.claimed
    assert columns_by_decision(loaded).tolist() == made.by_decision.tolist()
    counts = np.zeros(len(data["outputs"]), dtype=int)
    counts[data["outputs"].index(made.mechanism.outputs[-1])] = 7
    assert loaded.estimate(counts=counts).reports == 7
    reports = loaded.simulate(np.zeros(200, dtype=int), by="index", seed=1)
    assert set(reports.tolist()) <= set(np.flatnonzero(data["numerators"][0]).tolist())
    assert md.load(loaded.save(tmp_path / "again.json")) == loaded
    assert md.audit(loaded).holds


@pytest.mark.parametrize("first", ["f", None, "e"], ids=["no such decision", "one twice", "another decision"])
def test_a_file_whose_outputs_were_renamed_is_refused(first: str | None, tmp_path: Path) -> None:
    made = md.design(*QUESTIONS["absolute error"]).mechanism
    names = (first or made.outputs[1], *made.outputs[1:])
    assert len(made.outputs) == 2 and names != made.outputs
    with pytest.raises(md.DomainError if first is None else md.CertificateError):
        md.load(Mechanism(made.matrix, names, made.question, made.certificate).save(tmp_path / "a.json"))


def test_a_matrix_of_too_few_decisions_is_refused_with_what_has_them_all() -> None:
    made = md.design(*QUESTIONS["absolute error"])
    said = r"one column for each of the 5 decisions, .* give design.by_decision; in another matrix"
    with pytest.raises(md.DomainError, match=said):
        md.AbsoluteError().value(made.matrix, SMALL)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_columns_that_are_no_decisions_are_refused_by_every_objective(name: str, rng: np.random.Generator) -> None:
    problem = sized_problem(3, rng)
    objective = OBJECTIVES[name](problem, rng)
    decisions = objective.outputs(problem)
    for outputs in {2, 3, 4, 5, 7} - {decisions} if decisions else ():
        with pytest.raises(md.DomainError, match=f"one column for each of the {decisions} decisions"):
            objective.value(np.full((3, outputs), 1 / outputs), problem)
