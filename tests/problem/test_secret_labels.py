"""Secrets have names: of tables' rows, in the witness of an audit, in files of mechanisms and of questions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli.question_file import read_question

pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")

JOINT = np.array([[10.0, 20.0, 30.0], [60.0, 50.0, 30.0]])
ILL, DATA = ("ill", "well"), ("none", "cough", "fever")
COLUMNS = {name: JOINT[:, x] for x, name in enumerate(DATA)}
KNOWN = md.Problem.from_joint(JOINT, values=[0, 1, 2], labels=DATA, secret_labels=ILL)


@pytest.mark.parametrize(
    "table",
    [
        pandas.DataFrame(COLUMNS, index=ILL),
        pandas.DataFrame({"illness": ILL, **COLUMNS}),
        pandas.DataFrame({"illness": ILL, **COLUMNS}).set_index("illness"),
        polars.DataFrame({"illness": ILL, **COLUMNS}),
        pandas.crosstab(
            pandas.Series(np.repeat(ILL, [60, 140]), name="illness"),
            pandas.Categorical(np.repeat([*DATA, *DATA], JOINT.ravel().astype(int)), DATA, ordered=True),
        ),
    ],
    ids=["index", "texts", "named index", "polars", "crosstab"],
)
def test_rows_of_a_table_name_the_secrets(table: object) -> None:
    assert md.Problem.from_joint(table, values=[0, 1, 2]) == KNOWN
    assert KNOWN.secret_labels == ILL and KNOWN.labels == DATA


def test_rows_that_are_only_counted_name_nothing() -> None:
    for table in (pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS), JOINT, pandas.DataFrame(JOINT)):
        assert md.Problem.from_joint(table).secret_labels is None
    assert md.Problem.from_joint(pandas.DataFrame(JOINT)).labels is None


def test_a_table_behind_hidden_is_aligned_with_the_data() -> None:
    survey = md.Problem([0.25, 0.25, 0.5], labels=DATA)
    given = pandas.DataFrame([[0.5, 0.2, 0.1], [0.5, 0.8, 0.9]], index=ILL, columns=DATA)
    expected = survey.hidden(given.to_numpy(), secret_labels=ILL)
    assert survey.hidden(given) == survey.hidden(given[["fever", "none", "cough"]]) == expected
    forward = pandas.DataFrame([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]], index=ILL, columns=DATA)
    plain = md.Problem(labels=DATA)
    found = plain.hidden(data_given_secret=forward[["cough", "fever", "none"]], secret_prior=[0.5, 0.5])
    assert found == plain.hidden(data_given_secret=forward.to_numpy(), secret_prior=[0.5, 0.5], secret_labels=ILL)
    with pytest.raises(md.DomainError, match=r"labelled none, cough, fevre, but the problem has none, cough, fever"):
        survey.hidden(given.rename(columns={"fever": "fevre"}))


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(1.0), md.MaxLift(1.0)], ids=str)
def test_the_witness_names_the_secret_by_its_label(notion: md.Notion) -> None:
    matrix = np.array([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3]])
    report = md.audit(matrix, notion, KNOWN)
    assert report.inputs and all(f"s={ILL[s]}" in report.sentence for s in report.inputs)
    numbered = md.Problem.from_joint(JOINT, labels=DATA)
    assert not any(name in md.audit(matrix, notion, numbered).sentence for name in ILL)
    seen = (JOINT / JOINT.sum(axis=1, keepdims=True)) @ matrix
    if isinstance(notion, md.LDP):
        assert report.sentence == f"Pr(output 0 | s=ill) is {seen[0, 0] / seen[1, 0]:.3g} times Pr(output 0 | s=well)."


def test_labels_of_secrets_are_in_the_question_in_words() -> None:
    made = md.design(KNOWN, md.LIP(0.5), md.MMSE())
    assert "a secret of 2 values (ill, well)" in "\n".join(made.mechanism.asked.sentences())
    assert "s=ill" in made.audit.sentence or "s=well" in made.audit.sentence


def test_files_keep_them_and_files_without_are_what_they_were(tmp_path: Path) -> None:
    made = md.design(KNOWN, md.LIP(0.5), md.MMSE()).mechanism
    again = md.load(made.save(tmp_path / "labelled.json"))
    assert again == made and again.asked.problem.secret_labels == ILL
    held = json.loads((tmp_path / "labelled.json").read_text())
    assert held["schema_version"] == 4 and held["question"]["problem"]["secret_labels"] == list(ILL)
    bare = md.design(md.Problem.from_joint(JOINT, values=[0, 1, 2]), md.LIP(0.5), md.MMSE()).mechanism
    bare.save(tmp_path / "bare.json")
    # What an older reader of this version takes: no key that it does not know.
    assert set(json.loads((tmp_path / "bare.json").read_text())["question"]["problem"]) == {
        "prior",
        "values",
        "n",
        "secret_given_data",
    }
    assert md.load(tmp_path / "bare.json").asked.problem.secret_labels is None


def test_question_files_name_them(tmp_path: Path) -> None:
    rest = '[notion]\nname = "LIP"\nepsilon = 1.0\n[objective]\nname = "MMSE"\n'
    (tmp_path / "joint.csv").write_text("illness,none,cough,fever\nill,10,20,30\nwell,60,50,30\n")
    file = tmp_path / "asked.toml"
    file.write_text(f'[problem]\njoint = "joint.csv"\nvalues = [0, 1, 2]\n{rest}')
    assert read_question(file).question.problem == KNOWN
    inline = "prior = [0.5, 0.5]\nvalues = [0, 1]\nsecret_given_data = [[0.5, 0.2], [0.5, 0.8]]\n"
    file.write_text(f'[problem]\n{inline}secret_labels = ["ill", "well"]\n{rest}')
    assert read_question(file).question.problem.secret_labels == ILL
    file.write_text(f'[problem]\n{inline}secret_labels = ["ill"]\n{rest}')
    with pytest.raises(md.DomainError, match=r"asked.toml line 5, \[problem\] secret_labels is of length 1"):
        read_question(file)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: md.Problem([0.5, 0.5], secret_labels=["a", "b"]), "secret_labels is .* no hidden secret"),
        (lambda: md.Problem.from_joint(JOINT, secret_labels=["a"]), "secret_labels is of length 1.*2 secrets"),
        (
            lambda: md.Problem.from_joint(JOINT, secret_labels=["a", "a"]),
            "secret_labels is a, but names have to be dis",
        ),
        (lambda: md.Problem.from_joint(JOINT, secret_labels="ab"), "secret_labels is ab, but .* sequence"),
        (lambda: md.Problem.from_joint(pandas.DataFrame(COLUMNS, index=["a", None])), r"table .labels.\[1\].*missing"),
        (lambda: md.Problem.from_joint(polars.DataFrame({"s": ["a", None], **COLUMNS})), r"missing"),
        (lambda: md.Problem.from_joint(polars.DataFrame({"s": ILL})), "has to be a matrix of numbers"),
    ],
)
def test_labels_that_do_not_fit_are_refused(make: object, told: str) -> None:
    with pytest.raises(md.DomainError, match=told):
        make()  # type: ignore[operator]
