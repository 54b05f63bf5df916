"""Designs have the outputs that carry them: none of negligible mass, none that could be merged at no cost."""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli.question_file import read_question
from mechdesign.designing import finish as finishing
from mechdesign.solve.repair.merged_outputs import merge_alike
from mechdesign.testing import BrokenContractError, check_lean

EXAMPLES = Path(__file__).parents[2] / "examples"


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


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_output_is_negligible(name: str) -> None:
    made = md.design(*QUESTIONS[name])
    assert made.gap <= 1e-6 and made.audit.holds
    check_lean(made)


@pytest.mark.slow
@pytest.mark.parametrize("size", [6, 9, 14])
@pytest.mark.parametrize("seed", range(3))
def test_no_output_of_many_inputs_is_negligible(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = md.Problem(rng.dirichlet(np.ones(size)), np.sort(rng.normal(size=size)))
    pair = rng.dirichlet(np.ones(size), 2)
    notions = (md.LDP(1.0), md.LIP(0.05), md.MaxLift(0.7), md.MaximalLeakage(0.3), md.MutualInformationPrivacy(0.05))
    objectives = (
        md.MMSE(),
        md.AbsoluteError(),
        md.HistogramMMSE(),
        md.InformationDesign("A"),
        md.TotalVariation(*pair),
    )
    for notion, objective in product(notions, objectives):
        with contextlib.suppress(md.UnsupportedError), warnings.catch_warnings():
            # Where a route has no near bound, its outputs are not negligible all the same.
            warnings.simplefilter("ignore", md.GapWarning)
            check_lean(md.design(problem, notion, objective))


def planted(made: md.Design, place: int, share: float) -> md.Design:
    """Return the design with an output split in two, of which one gets that share of it."""
    column = made.matrix[:, [place]]
    matrix = np.hstack([made.matrix, share * column])
    matrix[:, [place]] -= share * column
    names = (*made.mechanism.outputs, "another")
    return replace(made, mechanism=replace(made.mechanism, matrix=matrix, outputs=names))


@pytest.mark.parametrize(
    ("share", "clause"), [(0.0, "occur"), (0.5, "differ"), (2.0**-30, "differ")], ids=["never", "half", "negligible"]
)
def test_an_output_too_many_is_caught(share: float, clause: str) -> None:
    made = md.design(*QUESTIONS["MMSE under LIP"])
    check_lean(made)
    with pytest.raises(BrokenContractError) as raised:
        check_lean(planted(made, 0, share))
    assert raised.value.clause == clause


def test_dust_that_says_something_of_its_own_is_caught() -> None:
    made = md.design(*QUESTIONS["MMSE under LIP"])
    tilted = planted(made, 0, 2.0**-30)
    matrix = tilted.matrix.copy()
    matrix[0, -1], matrix[0, 0] = matrix[0, -1] / 2, matrix[0, 0] + matrix[0, -1] / 2
    with pytest.raises(BrokenContractError, match=r"occurs with a probability of at most .* and is not needed"):
        check_lean(replace(tilted, mechanism=replace(tilted.mechanism, matrix=matrix)))


def test_dust_is_caught_where_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "lean", lambda matrix, task: matrix)
    monkeypatch.setattr(finishing, "without_negligible_outputs", lambda question, task, matrix, proof: (matrix, proof))
    age = read_question(EXAMPLES / "adult-age.toml").question
    for asked in (QUESTIONS["MMSE under LIP"], (age.problem, age.notion, age.objective)):
        with pytest.raises(BrokenContractError):
            check_lean(md.design(*asked))


def test_dust_that_the_first_look_leaves_is_merged_at_last() -> None:
    rng = np.random.default_rng(2)
    problem = md.Problem(rng.dirichlet(np.ones(6)), np.sort(rng.normal(size=6)))
    made = md.design(problem, md.MutualInformationPrivacy(0.05), md.AbsoluteError())
    assert made.gap <= 1e-6 and made.audit.holds and made.matrix.max(axis=0).min() > 1e-6


def test_the_example_of_the_readme_has_the_outputs_that_carry_it() -> None:
    asked = read_question(EXAMPLES / "adult-education.toml")
    made = md.design(asked.question.problem, asked.question.notion, asked.question.objective, **asked.solve)
    assert made.matrix.max(axis=0).min() > 1e-3
    assert made.matrix.shape[1] < 21
    assert f"merged into {made.matrix.shape[1]}" in made.note


def test_merging_that_would_miss_the_gap_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "lean", lambda matrix, task: matrix.sum(axis=1, keepdims=True))
    made = md.design(*QUESTIONS["MMSE under LIP"])
    assert made.gap <= 1e-6 and made.matrix.shape[1] > 1
    assert "merged into 1," not in made.note


def test_equal_posteriors_are_one_output() -> None:
    made = md.design(md.Problem(prior=[0.25] * 4, values=[0, 0, 1, 1]), md.LDP(1.0), md.MMSE())
    columns = made.matrix
    posteriors = columns / columns.sum(axis=0)
    gaps = [np.abs(posteriors[:, i] - posteriors[:, j]).max() for i, j in combinations(range(columns.shape[1]), 2)]
    assert min(gaps) > 1e-6


def one_by_one(columns, ratio, share):
    """Return neighbours along the ratio merged as `merge_alike` does, the cheapest pair first, one at a time."""
    order = np.argsort(ratio.at(columns), kind="stable")
    kept = [columns[:, [x]] for x in order]

    def worth(column):
        return float(ratio.utility(*ratio.parts(column))[0])

    left = share * sum(abs(worth(column)) for column in kept)
    while len(kept) > 1:
        losses = [max(worth(a) + worth(b) - worth(a + b), 0.0) for a, b in pairwise(kept)]
        at = int(np.argmin(losses))
        left -= losses[at]
        if left < 0:
            break
        kept[at : at + 2] = [kept[at] + kept[at + 1]]
    return np.hstack(kept)


@pytest.mark.parametrize("seed", range(40))
def test_merging_many_at_once_comes_to_the_same_as_one_by_one(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(2, 25))
    columns = rng.dirichlet(np.ones(n), size=m).T * rng.dirichlet(np.full(m, 0.3))
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    objective = md.MMSE() if seed % 2 else md.KLDivergence(*rng.dirichlet(np.ones(n), size=2))
    share = 10.0 ** rng.uniform(-8, -1)
    expected = one_by_one(columns, objective.ratio(problem), share)
    found = merge_alike(columns, objective, problem, share)
    assert found.shape == expected.shape and np.allclose(found, expected, rtol=1e-12)
