"""Infinite numbers in files: JSON has no word for them, so they are texts, and come back as numbers."""

import json
import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.files.checksums import sealed
from mechdesign.question import Question
from mechdesign.question.plain_values import in_json
from mechdesign.question.question import member_to_dict, notion_from_dict

DISTANCE = [[0.0, 1.0, math.inf], [1.0, 0.0, math.inf], [math.inf, math.inf, 0.0]]
PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 3])
MEMBERS = [
    md.AsymmetricLIP(math.inf, 0.5),
    md.AsymmetricLIP(0.5, math.inf),
    md.MetricDP(1.0, DISTANCE),
    md.LDP(2.0) & md.AsymmetricLIP(0.5, math.inf),
]


def strict(text):
    def refuse(token):
        raise ValueError(token)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("notion", MEMBERS, ids=str)
def test_an_infinite_parameter_survives_json(notion):
    told = json.dumps(member_to_dict(notion), allow_nan=False)
    assert '"inf"' in told
    assert notion_from_dict(strict(told)) == notion


@pytest.mark.parametrize("notion", MEMBERS, ids=str)
def test_a_saved_mechanism_is_strict_json(notion, tmp_path):
    made = md.design(PROBLEM, notion, md.MMSE()).mechanism
    path = made.save(tmp_path / "a.json")
    strict(path.read_text())
    assert md.load(path) == made


def test_a_file_with_the_token_of_earlier_versions_is_read(tmp_path):
    made = md.design(PROBLEM, MEMBERS[0], md.MMSE()).mechanism
    data = made.to_dict()
    data["schema_version"] = 3
    data["question"]["notion"]["lower"] = math.inf
    path = tmp_path / "old.json"
    path.write_text(json.dumps(sealed(data)))
    assert "Infinity" in path.read_text()
    with pytest.warns(md.FileWarning, match="schema version 3.*Save the mechanism with overwrite=True"):
        assert md.load(path) == made
    path.write_text(json.dumps(sealed({**data, "schema_version": 4})))
    with pytest.raises(md.CertificateError, match="infinite number"):
        md.load(path)


def test_every_infinite_number_becomes_a_text():
    assert in_json({"a": [1.5, -math.inf], "b": (np.inf,), "c": None, "d": 10**400}) == {
        "a": [1.5, "-inf"],
        "b": ["inf"],
        "c": None,
        "d": 10**400,
    }


def test_a_question_with_an_infinite_end_comes_back():
    question = Question(PROBLEM, MEMBERS[1], md.MMSE())
    assert Question.from_dict(strict(json.dumps(question.to_dict()))) == question
