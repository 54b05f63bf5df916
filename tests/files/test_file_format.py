"""The mechanism file is what its JSON Schema says, and another language samples it as stated."""

import copy
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy import stats

import mechdesign as md
from mechdesign.cli import main
from mechdesign.testing.examples.questions import tasks

STATIC = Path(__file__).parents[2] / "docs" / "static"
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
    "another version": lambda data: data.__setitem__("schema_version", 6),
    "without question": lambda data: data.__setitem__("schema_version", 5),
}


@pytest.mark.parametrize("damage", WRONG.values(), ids=list(WRONG))
def test_the_schema_refuses_what_is_no_such_file(damage, saved):
    data = copy.deepcopy(json.loads(saved.read_text(encoding="utf-8")))
    damage(data)
    assert not VALIDATOR.is_valid(data)


#: Bytes that are the same each time, in the place of the operating system's.
SEEDED = """
const crypto = require("node:crypto");
let calls = 0;
crypto.randomBytes = (wanted) => crypto.createHash("sha256").update(`${calls++}`).digest().subarray(0, wanted);
"""


def node(script, *arguments):
    """Run the script with seeded randomness, and return its exit code, what it printed and what it complained of."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no Node on this machine")
    with tempfile.TemporaryDirectory() as folder:
        seeded = Path(folder) / "seeded.js"
        seeded.write_text(SEEDED, encoding="utf-8")
        command = [found, "--require", str(seeded), str(script), *map(str, arguments)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr


def unlikely(script, path, matrix):
    """Tell whether the script's reports of input b are too far from the matrix's row to be drawn from it."""
    code, out, err = node(script, path, *["b"] * DRAWS)
    assert (code, err) == (0, "")
    reports = np.array(out.split("\n")[2:-1], dtype=int)
    if np.any(matrix[1, reports] == 0):
        return True
    used = matrix[1] > 0
    counts = np.bincount(reports, minlength=matrix.shape[1])[used]
    return stats.chisquare(counts, DRAWS * matrix[1, used]).pvalue < IMPROBABLE


def test_javascript_samples_the_file(saved, tmp_path):
    matrix = md.load(saved).matrix
    script = STATIC / "sample.js"
    assert not unlikely(script, saved, matrix)
    # Planted: half of the random bits, and the row of another input.
    text = script.read_text(encoding="utf-8")
    for right, wrong in ((">> 11n", ">> 12n"), ("cumulative[x] ??", "cumulative[x - 1] ??")):
        assert right in text
        (tmp_path / "wrong.js").write_text(text.replace(right, wrong), encoding="utf-8")
        assert unlikely(tmp_path / "wrong.js", saved, matrix)


def test_the_command_counts_what_javascript_drew(tmp_path, capsys):
    design = md.design(SURVEY, md.LDP(2.0), md.InformationDesign("A"))
    path = design.mechanism.save(tmp_path / "survey.mechanism.json")
    code, out, _ = node(STATIC / "sample.js", path, *["a", "b", "c"] * 50)
    assert code == 0
    (tmp_path / "reports.csv").write_text(out, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["estimate", str(path), str(tmp_path / "reports.csv"), "--json"])
    assert ended.value.code == 0 and json.loads(capsys.readouterr().out)["reports"] == 150


def test_javascript_and_python_number_outputs_alike(tmp_path):
    # A file of before, with a column for every decision: b is the only one that is made.
    problem = md.Problem(prior=[0.1, 0.7, 0.2], labels=["a", "b", "c"])
    made = md.design(problem, md.LDP(0.1), md.HammingLoss()).mechanism
    assert made.outputs == ("b",)
    full = md.Mechanism([[0.0, 1.0, 0.0]] * 3, ["a", "b", "c"], made.question, made.certificate)
    path = full.save(tmp_path / "before.json")
    code, out, _ = node(STATIC / "sample.js", path, "a", "c")
    drawn = [int(report) for report in out.split("\n")[2:-1]]
    loaded = md.load(path)
    assert code == 0 and drawn == [1, 1] == loaded.sample(["a", "c"]).tolist()
    assert [loaded.outputs[report] for report in drawn] == ["b", "b"]


def numbered(folder):
    """Return a file without labels, so that inputs are numbers."""
    return md.design(md.Problem(prior=[0.3, 0.3, 0.4]), md.LDP(1.0), md.HammingLoss()).mechanism.save(folder / "n.json")


@pytest.mark.parametrize("given", ["", " ", "3", "-1", "0x1", "1e0", "1.0", "+1", "a"])
def test_javascript_takes_numbers_of_inputs_strictly(given, tmp_path):
    path = numbered(tmp_path)
    assert node(STATIC / "sample.js", path, "0", "2")[0] == 0
    code, out, err = node(STATIC / "sample.js", path, "0", given)
    assert (code, out) == (2, "") and f"there is no input {json.dumps(given)}; give a number from 0 to 2" in err


@pytest.mark.parametrize("given", ["", "0", "A", "length"])
def test_javascript_takes_labels_where_there_are_labels(given, saved):
    code, out, err = node(STATIC / "sample.js", saved, "a", given)
    assert (code, out) == (2, "") and "give one of a, b, c" in err


UNFIT = {
    "another version": (lambda data: data.__setitem__("schema_version", 5), "schema version 5"),
    "another kind": (lambda data: data.__setitem__("schema", "x"), "is no mechanism file"),
    "other denominators": (lambda data: data.__setitem__("denominator_bits", 52), "another number than"),
    "a row that sums to less": (lambda data: data["numerators"][2].__setitem__(0, 0), "row 2 .* does not sum to 2.53"),
    "a row that is negative": (lambda data: data["numerators"][1].__setitem__(0, -1), "row 1 .* no integer"),
    "a row that is short": (lambda data: data["numerators"][1].pop(), "row 1 .* each output"),
    "a label too few": (lambda data: data["question"]["problem"]["labels"].pop(), "one label for each row"),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_javascript_refuses_what_it_cannot_draw_from(kind, saved, tmp_path):
    damage, said = UNFIT[kind]
    data = json.loads(saved.read_text(encoding="utf-8"))
    damage(data)
    (tmp_path / "unfit.json").write_text(json.dumps(data), encoding="utf-8")
    code, out, err = node(STATIC / "sample.js", tmp_path / "unfit.json", "a")
    assert (code, out) == (2, "") and re.search(said, err), err
    (tmp_path / "unfit.json").write_text("{", encoding="utf-8")
    assert node(STATIC / "sample.js", tmp_path / "unfit.json", "a")[0] == 2
