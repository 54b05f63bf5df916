"""The file of results: what is written is read, a cut line is run again, another file is refused."""

import json
import math

import pytest

import mechdesign as md
from mechdesign import bench
from mechdesign.bench.running.results_file import FORMAT, ResultsFile, read_runs

#: Seconds that nobody needs.
ENOUGH = 600.0
SOLVERS = ["HIGHS", "mine=tests.bench.bad_solvers:raises"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "results.jsonl"
    return path, bench.run("small", SOLVERS, output=path, accuracies=[1e-9], every=30, time_limit=ENOUGH)


def test_what_is_written_is_read(results):
    path, found = results
    assert len(found.runs) == 4
    again = bench.Results.read(path)
    assert repr(again.runs) == repr(found.runs)
    assert {run.outcome for run in again.runs} == {"answered", "raised"}


def test_runs_that_the_file_holds_are_not_run_again(results, monkeypatch):
    path, found = results
    monkeypatch.setattr("mechdesign.bench.running.benchmark.run_isolated", lambda order: pytest.fail("run again"))
    again = bench.run("small", SOLVERS, output=path, accuracies=[1e-9], every=30, time_limit=ENOUGH)
    assert len(again.runs) == len(found.runs)


def test_a_line_that_was_cut_is_run_again(results, tmp_path):
    path, found = results
    copy = tmp_path / "cut.jsonl"
    copy.write_text(path.read_text()[:-40])
    again = bench.run("small", SOLVERS, output=copy, accuracies=[1e-9], every=30, time_limit=ENOUGH)
    assert {run.key for run in again.runs} == {run.key for run in found.runs}
    assert {run.key for run in read_runs(copy)} == {run.key for run in found.runs}


def test_infinite_numbers_are_kept(results):
    _, found = results
    raised = next(run for run in found.runs if run.outcome == "raised")
    assert math.isinf(raised.least_seconds)
    assert "NaN" not in raised.to_line()
    assert "Infinity" not in "".join(run.to_line() for run in found.runs)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("x,y\n1,2\n", md.errors.OtherFileError, "no file of results"),
        ("notes without the end of a line", md.errors.OtherFileError, "no file of results"),
        ('{"format": "mechdesign be', md.errors.OtherFileError, "no file of results"),
        (
            json.dumps({"format": "mechdesign bench results", "version": 99}) + "\n",
            md.errors.OtherFileError,
            "version 99",
        ),
        (
            json.dumps({"format": FORMAT, "version": 1}) + '\n{"record": "run"}\n',
            md.DomainError,
            "line 2",
        ),
    ],
)
def test_another_file_is_refused_and_kept(tmp_path, text, error, said):
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    with pytest.raises(error, match=said):
        ResultsFile(path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"set_name": "smal"}, 'did you mean "small"'),
        ({"solvers": ["HIGSH"]}, "HIGHS"),
        ({"solvers": ["HIGHS", "highs"]}, "name of its own"),
        ({"time_limit": -ENOUGH}, "positive"),
        ({"memory": math.nan}, "positive"),
        ({"accuracies": [-1.0]}, "positive"),
        ({"every": 0}, "every"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_arguments_are_refused_before_any_run(arguments, said):
    with pytest.raises(md.DomainError, match=said):
        bench.run(**{"solvers": ["HIGHS"], **arguments})
