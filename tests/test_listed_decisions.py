"""A matrix lists only the decisions that are made; its value, its file and its claims go by their names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Mechanism
from mechdesign.question_file import read_question

EXAMPLES = Path(__file__).parent.parent / "examples"
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


@pytest.mark.parametrize("name", QUESTIONS)
def test_files_that_list_every_decision_are_read_as_those_that_do_not(name: str, tmp_path: Path) -> None:
    made = md.design(*QUESTIONS[name])
    from mechdesign.solve.bounds.revealing import by_decision

    asked, given = made.mechanism.asked, made.mechanism
    inputs = asked.notion.inputs(asked.problem)
    full, names = by_decision(given.matrix, given.outputs, asked.objective, asked.notion, inputs)
    before = Mechanism(full, names, asked, given.certificate).save(tmp_path / "before.json")
    assert md.load(before) == made.mechanism


@pytest.mark.parametrize("first", ["f", None, "e"], ids=["no such decision", "one twice", "another decision"])
def test_a_file_whose_outputs_were_renamed_is_refused(first: str | None, tmp_path: Path) -> None:
    made = md.design(*QUESTIONS["absolute error"]).mechanism
    names = (first or made.outputs[1], *made.outputs[1:])
    assert len(made.outputs) == 2 and names != made.outputs
    with pytest.raises(md.CertificateError):
        md.load(Mechanism(made.matrix, names, made.question, made.certificate).save(tmp_path / "a.json"))


def test_a_matrix_of_too_few_decisions_is_refused_with_what_has_them_all() -> None:
    made = md.design(*QUESTIONS["absolute error"])
    with pytest.raises(md.DomainError, match=r"one column for each of the 5 decisions; give design.by_decision"):
        md.AbsoluteError().value(made.matrix, SMALL)
