"""The mechanism file is what its JSON Schema says."""

import copy
import json
import warnings
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import mechdesign as md
import mechdesign_check
from mechdesign.mechanism.plain_data import OF_PROOF
from tests.helpers.few_inputs import tasks

STATIC = Path(__file__).parents[2] / "docs" / "static"
SCHEMA = json.loads((STATIC / "mechanism.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SURVEY = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2], labels=["a", "b", "c"], prior_source="made up")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "survey.mechanism.json"
    return md.design(SURVEY, md.LIP(1.0), md.MMSE()).mechanism.save(path)


@pytest.mark.parametrize("name", sorted(tasks(np.random.default_rng(0)))[::6])
def test_saved_files_keep_the_schema_and_are_read(name, tmp_path):
    task = tasks(np.random.default_rng(0))[name]
    made = md.design(task.problem, task.notion, task.objective, gap=1.0)
    path = made.mechanism.save(tmp_path / "one.json")
    VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))
    assert md.load(path) == made.mechanism


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", sorted(tasks(np.random.default_rng(0))))
def test_files_with_a_proof_keep_the_schema_and_their_reader_proves_it(name, tmp_path):
    task = tasks(np.random.default_rng(0))[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ProofWarning)
        made = md.design(task.problem, task.notion, task.objective, gap=1.0, proof=True)
    path = made.mechanism.save(tmp_path / "one.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    VALIDATOR.validate(data)
    assert md.load(path) == made.mechanism
    assert ("proof" in data) == made.certificate.proved
    if made.certificate.proved:
        assert mechdesign_check.check(data)


def test_the_schema_has_every_part_of_a_proof():
    assert set(SCHEMA["properties"]["proof"]["properties"]) == {"version", *OF_PROOF}


def without(data, *keys):
    for key in keys[:-1]:
        data = data[key]
    del data[keys[-1]]


WRONG = {
    "a numerator below 0": lambda data: data["numerators"][0].__setitem__(0, -1),
    "a numerator that is no integer": lambda data: data["numerators"][0].__setitem__(0, 0.5),
    "no checksum": lambda data: without(data, "checksum"),
    "no prior of the multipliers": lambda data: without(data, "multipliers", "rows"),
    "a key of its own": lambda data: data.__setitem__("code", "import os"),
    "another version": lambda data: data.__setitem__("schema_version", 6),
    "without question": lambda data: data.__setitem__("schema_version", 5),
}


@pytest.mark.parametrize("damage", WRONG.values(), ids=list(WRONG))
def test_the_schema_refuses_what_is_no_such_file(damage, saved):
    data = copy.deepcopy(json.loads(saved.read_text(encoding="utf-8")))
    damage(data)
    assert not VALIDATOR.is_valid(data)
