"""Designs have the outputs that carry them: none of next to no mass, none that could be merged at no cost."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign import finishing
from mechdesign.question_file import read_question

EXAMPLES = Path(__file__).parent.parent / "examples"
#: Outputs that no input makes more often are dust.
DUST = 1e-6


def survey(n: int, seed: int = 0) -> md.Problem:
    rng = np.random.default_rng(seed)
    return md.Problem(prior=rng.dirichlet(np.ones(n)), values=np.sort(rng.normal(size=n)))


QUESTIONS = {
    "MMSE under LIP": (survey(16), md.LIP(1.0), md.MMSE()),
    "MMSE under LIP, small level": (survey(12, 1), md.LIP(0.01), md.MMSE()),
    "MMSE under LDP": (survey(16), md.LDP(1.0), md.MMSE()),
    "absolute error under LIP": (survey(20, 2), md.LIP(1.0), md.AbsoluteError()),
    "absolute error under LDP": (survey(20, 2), md.LDP(1.0), md.AbsoluteError()),
    "error probability": (survey(9), md.MaxLift(0.7), md.ErrorProbability()),
    "information": (survey(8), md.LDP(1.0), md.MutualInformation()),
    "information under LIP": (survey(6), md.LIP(1.0), md.MutualInformation()),
    "histogram": (survey(6), md.LIP(1.0), md.HistogramMMSE()),
    "a design of information": (survey(8), md.LDP(1.0), md.InformationDesign("A")),
    "a divergence": (survey(7), md.LDP(1.0), md.TotalVariation(survey(7).prior, survey(7).prior[::-1])),
    "a hidden secret": (
        survey(6).hidden(np.array([[0.9, 0.6, 0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.6, 0.7, 0.8, 0.9]])),
        md.LIP(0.5),
        md.MMSE(),
    ),
}


def used(made: md.Design) -> np.ndarray:
    return made.matrix[:, made.matrix.max(axis=0) > 0]


def mergeable(made: md.Design) -> list[tuple[int, int]]:
    """Return the pairs of outputs, one of them dust, that can be merged within the gap: found by brute force."""
    question, columns = made.mechanism.question, used(made)
    objective, problem = question.objective, question.notion.inputs(question.problem)
    if objective.outputs(problem) is not None:
        return [(y, y) for y in np.flatnonzero(columns.max(axis=0) < DUST)]
    found = []
    for i, j in combinations(range(columns.shape[1]), 2):
        if min(columns[:, i].max(), columns[:, j].max()) < DUST:
            merged = np.delete(columns, j, axis=1)
            merged[:, i] += columns[:, j]
            if abs(objective.value(merged, problem) - made.value) <= 1e-6 * abs(made.value):
                found.append((i, j))
    return found


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_output_is_dust(name: str) -> None:
    made = md.design(*QUESTIONS[name])
    assert made.gap <= 1e-6 and made.audit.holds
    assert not mergeable(made)


def test_dust_is_caught_where_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "lean", lambda matrix, task: matrix)
    assert mergeable(md.design(*QUESTIONS["MMSE under LIP"]))
    age = read_question(EXAMPLES / "adult-age.toml").question
    assert mergeable(md.design(age.problem, age.notion, age.objective))


def test_the_example_of_the_readme_has_the_outputs_that_carry_it() -> None:
    asked = read_question(EXAMPLES / "adult-education.toml")
    made = md.design(asked.question.problem, asked.question.notion, asked.question.objective, **asked.solve)
    assert used(made).max(axis=0).min() > 1e-3
    assert made.matrix.shape[1] < 21
    assert f"merged into {made.matrix.shape[1]}" in made.note


def test_merging_that_would_miss_the_gap_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "lean", lambda matrix, task: matrix.sum(axis=1, keepdims=True))
    made = md.design(*QUESTIONS["MMSE under LIP"])
    assert made.gap <= 1e-6 and used(made).shape[1] > 1
    assert "merged" not in made.note


def test_equal_posteriors_are_one_output() -> None:
    made = md.design(md.Problem(prior=[0.25] * 4, values=[0, 0, 1, 1]), md.LDP(1.0), md.MMSE())
    columns = used(made)
    posteriors = columns / columns.sum(axis=0)
    gaps = [np.abs(posteriors[:, i] - posteriors[:, j]).max() for i, j in combinations(range(columns.shape[1]), 2)]
    assert min(gaps) > 1e-6
