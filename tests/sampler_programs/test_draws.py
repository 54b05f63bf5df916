"""The package, the Python sampler and the ECMAScript module draw the same reports from the same randomness."""

import json
import os
import runpy
import subprocess
from collections import Counter

import pytest

import mechdesign as md
from mechdesign.cli.sampled_answers import Answers
from mechdesign.problem.missing import NOTHING_DECLARED
from tests.helpers import sampler_programs as programs

SUFFIXES = (".py", ".mjs")


def written(name, suffix, folder):
    """Write the sampler of a mechanism into the folder, and the mechanism's file beside it."""
    mechanism = programs.made(name)
    mechanism.save(folder / "kept.json")
    return md.sampler(mechanism, folder / f"survey_sampler{suffix}")


@pytest.mark.parametrize("name", programs.MECHANISMS)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_programs_draw_what_the_package_draws(suffix, name, tmp_path):
    path = written(name, suffix, tmp_path)
    answers = "".join(f"{answer}\n" for answer, _ in programs.stream(name))
    code, out, err = programs.run(path, answers.encode(), [word for _, word in programs.stream(name)])
    checksum = json.loads((tmp_path / "kept.json").read_text(encoding="utf-8"))["checksum"]
    assert (code, err) == (0, "")
    assert out == f"# mechdesign reports {checksum}\nreport\n" + "".join(f"{y}\n" for y in programs.reports_of(name))


@pytest.mark.parametrize("name", programs.MECHANISMS)
def test_the_python_module_draws_what_the_package_draws(name, tmp_path, monkeypatch):
    module = runpy.run_path(str(written(name, ".py", tmp_path)))
    words = iter([word for _, word in programs.stream(name)])
    monkeypatch.setattr(os, "urandom", lambda wanted: next(words).to_bytes(wanted, "little"))
    assert [module["report"](answer) for answer, _ in programs.stream(name)] == programs.reports_of(name)
    assert module["OUTPUTS"] == list(programs.made(name).outputs)


#: Imports the module where there is no `process`, as in a browser, and prints its reports of the answers.
IMPORTING = """
{seeded}
const said = console.log;
delete globalThis.process;
const {{ mechanism, report }} = await import({path});
said(JSON.stringify([mechanism, {answers}.map((answer) => report(answer))]));
"""


@pytest.mark.parametrize("name", programs.MECHANISMS)
def test_the_ecmascript_module_draws_what_the_package_draws(name, tmp_path):
    pairs = programs.stream(name)
    path = written(name, ".mjs", tmp_path)
    code = IMPORTING.format(
        seeded=programs.seeded([word for _, word in pairs]),
        path=json.dumps(path.as_uri()),
        answers=json.dumps([answer for answer, _ in pairs]),
    )
    (tmp_path / "importing.mjs").write_text(code, encoding="utf-8")
    ran = subprocess.run([programs.node(), str(tmp_path / "importing.mjs")], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    described, reports = json.loads(ran.stdout)
    assert reports == programs.reports_of(name)
    mechanism = programs.made(name)
    known = mechanism.inputs
    answers = known.labels or (range(known.n) if known.values is None else [f"{value:g}" for value in known.values])
    checksum = json.loads((tmp_path / "kept.json").read_text(encoding="utf-8"))["checksum"]
    assert described == {"checksum": checksum, "answers": list(map(str, answers)), "outputs": list(mechanism.outputs)}


#: What is written wrongly, by language, and the mechanism whose draws tell.
WRONG = {
    ".py": (
        ("labels", "threshold <= drawn", "threshold < drawn"),
        ("labels", "_ROWS[place]", "_ROWS[place - 1]"),
        ("labels", '"little") >> 11', '"little") >> 12'),
        ("labels", '"little") >> 11', '"big") >> 11'),
        ("labels", "in _ROWS[place])", "in _ROWS[place][1:])"),
        ("bins", "edge <= number", "edge < number"),
        ("bins", "<= _EDGES[-1]", "< _EDGES[-1]"),
        ("bins", "_EDGES[1:-1]", "_EDGES[:-1]"),
        ("impossible outputs", "threshold <= drawn", "threshold < drawn"),
    ),
    ".mjs": (
        ("labels", "threshold <= bits", "threshold < bits"),
        ("labels", "of ROWS[place])", "of ROWS.at(place - 1))"),
        ("labels", "words[1] * 2 ** 21", "(words[1] >>> 1) * 2 ** 21"),
        ("labels", "words[0] >>> 11", "words[0] >>> 12"),
        ("labels", "words[0] >>> 11", "words[0] >> 11"),
        ("labels", "2 ** 21", "2 ** 20"),
        ("labels", "of ROWS[place])", "of ROWS[place].slice(1))"),
        ("bins", "Number(edge <= number)", "Number(edge < number)"),
        ("bins", "number <= EDGES", "number < EDGES"),
        ("bins", "EDGES.slice(1, -1)", "EDGES.slice(0, -1)"),
        ("impossible outputs", "threshold <= bits", "threshold < bits"),
    ),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("suffix", "name", "right", "wrong"), [(suffix, *each) for suffix, planted in WRONG.items() for each in planted]
)
def test_planted_errors_change_the_draws(suffix, name, right, wrong, tmp_path):
    path = written(name, suffix, tmp_path)
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    assert programs.drawn(path, name) != programs.reports_of(name)


@pytest.mark.parametrize("name", programs.MECHANISMS)
def test_answers_are_the_inputs_that_the_command_takes_them_for(name):
    inputs = programs.made(name).inputs
    answers = Answers(inputs.places, "answers line {}", NOTHING_DECLARED)
    found = answers.inputs([(1, text) for text in programs.ANSWERS[name]], 0, [])
    assert found.tolist() == list(programs.ANSWERS[name].values())


def test_the_stream_meets_every_output():
    for name in programs.MECHANISMS:
        met = Counter(programs.reports_of(name))
        assert set(met) == {y for y, column in enumerate(programs.made(name).matrix.T) if column.any()}, name
