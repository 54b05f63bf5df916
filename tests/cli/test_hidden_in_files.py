"""Question files with a secret behind the data: inline, or as a joint table of counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli.question_file import read_question

REST = '[notion]\nname = "LIP"\nepsilon = 1.0\n[objective]\nname = "MMSE"\n'
JOINT = "illness,none,cough,fever\nyes,10,20,30\nno,60,50,30\n"
COUNTS = np.array([[10.0, 20.0, 30.0], [60.0, 50.0, 30.0]])


def asked(folder: Path, problem: str, joint: str = JOINT) -> md.Problem:
    (folder / "joint.csv").write_text(joint)
    (folder / "asked.toml").write_text(f"[problem]\n{problem}\n{REST}")
    return read_question(folder / "asked.toml").question.problem


def test_a_joint_table_is_a_hidden_secret(tmp_path: Path) -> None:
    found = asked(tmp_path, 'joint = "joint.csv"\nvalues = [0, 1, 2]\nprior_source = "made up"')
    assert found.labels == ("none", "cough", "fever") and found.prior_source == "made up"
    np.testing.assert_allclose(found.prior, COUNTS.sum(axis=0) / 200, rtol=1e-15)
    np.testing.assert_allclose(found.data_given_secret, COUNTS / COUNTS.sum(axis=1, keepdims=True), rtol=1e-14)
    np.testing.assert_allclose(found.secret_prior, [0.3, 0.7], rtol=1e-14)


def test_a_secret_is_given_inline(tmp_path: Path) -> None:
    given = "prior = [0.35, 0.35, 0.3]\nvalues = [0, 1, 2]\nsecret_given_data = [[0.5, 0.2, 0.1], [0.5, 0.8, 0.9]]"
    expected = md.Problem(prior=[0.35, 0.35, 0.3], values=[0, 1, 2]).hidden([[0.5, 0.2, 0.1], [0.5, 0.8, 0.9]])
    assert asked(tmp_path, given) == expected
    forward = "data_given_secret = [[0.5, 0.5], [0.25, 0.75]]\nsecret_prior = [0.5, 0.5]\nvalues = [0, 1]"
    assert asked(tmp_path, forward).prior.tolist() == [0.375, 0.625]


@pytest.mark.parametrize(
    ("problem", "joint", "words"),
    [
        (
            'joint = "joint.csv"\nprior = [0.5, 0.5]',
            JOINT,
            "line 3, [problem] prior is [0.5, 0.5], but the joint",
        ),
        ('joint = "other.csv"', JOINT, "line 2, [problem] joint is other.csv, but there is no such file"),
        ('joint = "joint.csv"\nvalues = [0, 1]', JOINT, "[problem] values is of length 2"),
        (
            'joint = "joint.csv"',
            JOINT.replace("20", "-20"),
            "joint.csv line 2, cough is -20, but counts are not",
        ),
        ('joint = "joint.csv"', JOINT.replace("20", ""), "joint.csv line 2, cough is empty, but it has to be a finite"),
        ('joint = "joint.csv"', "a,x,y\ns,0,1\nt,0,2\n", "joint.csv line 1, x is all zero"),
        ('joint = "joint.csv"', "a,x,y\ns,0,0\nt,1,2\n", "joint.csv line 2 is all zero"),
        ("prior = [0.5, 0.5]\nsecret_given_data = [[1, 0]]", JOINT, "secret_given_data"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(problem: str, joint: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(md.DomainError) as raised:
        asked(tmp_path, problem, joint)
    assert words in str(raised.value)


def test_a_file_and_a_table_of_one_content_are_one_problem(tmp_path: Path) -> None:
    read = asked(tmp_path, 'joint = "joint.csv"\nvalues = [0, 1, 2]')
    named = {"labels": ["none", "cough", "fever"], "secret_labels": ["yes", "no"]}
    assert read == md.Problem.from_joint(COUNTS, values=[0, 1, 2], **named)


def test_counts_whose_sum_no_float_holds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(md.DomainError, match=r"^joint\.csv is too large, but their sum has to be finite"):
        asked(tmp_path, 'joint = "joint.csv"', "illness,none,cough\nyes,1e308,1e308\nno,1e308,1e308\n")
    with pytest.raises(md.DomainError, match=r"^counts is too large, but their sum has to be finite"):
        md.Problem.from_counts([1e308, 1e308])
