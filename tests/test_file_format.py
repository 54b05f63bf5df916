"""The mechanism file is what its JSON Schema says, and another language samples it as stated."""

import copy
import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy import stats

import mechdesign as md
from mechdesign.testing.examples.questions import tasks

STATIC = Path(__file__).parents[1] / "docs" / "static"
SCHEMA = json.loads((STATIC / "mechanism.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SURVEY = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2], labels=["a", "b", "c"], prior_source="made up")
#: Reports of each kind, and how improbable a deviation of their counts has to be.
DRAWS, IMPROBABLE = 4000, 1e-6


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "survey.mechanism.json"
    return md.design(SURVEY, md.LIP(1.0), md.MMSE()).mechanism.save(path)


@pytest.mark.parametrize("name", sorted(tasks(np.random.default_rng(0)))[::6])
def test_saved_files_keep_the_schema(name, tmp_path):
    task = tasks(np.random.default_rng(0))[name]
    made = md.design(task.problem, task.notion, task.objective, gap=1.0)
    VALIDATOR.validate(json.loads(made.mechanism.save(tmp_path / "one.json").read_text(encoding="utf-8")))


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
    "another version": lambda data: data.__setitem__("schema_version", 5),
}


@pytest.mark.parametrize("damage", WRONG.values(), ids=list(WRONG))
def test_the_schema_refuses_what_is_no_such_file(damage, saved):
    data = copy.deepcopy(json.loads(saved.read_text(encoding="utf-8")))
    damage(data)
    assert not VALIDATOR.is_valid(data)


def unlikely(script, path, matrix):
    """Tell whether the script's reports of input 1 are too far from the matrix's row to be drawn from it."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node on this machine")
    call = [node, str(script), str(path), *["1"] * DRAWS]
    reports = subprocess.run(call, capture_output=True, text=True, check=True).stdout.split()
    counts = np.bincount(np.array(reports, dtype=int), minlength=matrix.shape[1])
    return stats.chisquare(counts, DRAWS * matrix[1]).pvalue < IMPROBABLE


def test_javascript_samples_the_file(saved, tmp_path):
    matrix = md.load(saved).matrix
    script = STATIC / "sample.js"
    assert not unlikely(script, saved, matrix)
    # Planted: half of the random bits, and the row of another input.
    text = script.read_text(encoding="utf-8")
    for right, wrong in ((">> 11n", ">> 12n"), ("cumulative[Number(input)]", "cumulative[Number(input) - 1]")):
        assert right in text
        (tmp_path / "wrong.js").write_text(text.replace(right, wrong), encoding="utf-8")
        assert unlikely(tmp_path / "wrong.js", saved, matrix)
