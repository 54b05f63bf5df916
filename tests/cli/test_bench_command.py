"""The commands of the benchmark, from a run to a report, and their refusals."""

import json

import pytest
from click.testing import CliRunner

from mechdesign import bench
from mechdesign.cli.commands import main


def command(*arguments):
    """Return the exit code of the command as its users call it."""
    with pytest.raises(SystemExit) as ended:
        main([str(each) for each in arguments])
    return ended.value.code


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "results.jsonl"
    asked = (
        "--solvers",
        "HIGHS,mine=tests.bench.bad_solvers:liar",
        "--accuracies",
        "1e-9",
        "--every",
        "20",
        "--time-limit",
        "600",
    )
    assert command("bench", "run", *asked, "-o", path) == 0
    return path


def test_a_run_is_a_file_of_results(results, capsys):
    found = bench.Results.read(results)
    assert len(found.runs) == 6
    assert command("bench", "report", results) == 0
    printed = capsys.readouterr().out
    assert "mine" in printed
    assert "said something false of its answer" in printed


@pytest.mark.parametrize("suffix", ["html", "csv", "json"])
def test_the_report_is_written(results, tmp_path, suffix):
    path = tmp_path / f"report.{suffix}"
    assert command("bench", "report", results, "-o", path, "--earlier", results) == 0
    assert path.stat().st_size > 500
    if suffix == "json":
        assert len(json.loads(path.read_text())) == 6


def test_instances_are_exported_and_solutions_scored(tmp_path, capsys):
    assert command("bench", "export", "--format", "mps", "-o", tmp_path / "instances") == 0
    assert "left out" in capsys.readouterr().out
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "ldp-absolute-6-looped.txt").write_text("x0 0.5\n")
    assert command("bench", "score", answers) == 0
    assert "solver" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--solvers", "HIGSH"), "HIGHS"),
        (("run", "--accuracies", "fine"), "numbers with commas"),
        (("report", "missing.jsonl"), "cannot be read"),
        (("score", "missing"), "folder of solutions"),
        (("show", "map-random-20-pairs"), "add --set medium"),
        (("show", "map-random-7-pairs"), "map-random-8-pairs"),
    ],
)
def test_bad_input_is_a_sentence(arguments, said, capsys):
    assert command("bench", *arguments) == 2
    assert said in capsys.readouterr().err


def test_solvers_are_listed():
    from mechdesign.cli.commands import cli

    printed = CliRunner().invoke(cli, ["bench", "run", "--list"]).output
    assert "HIGHS-PDLP" in printed
    assert "MECHDESIGN" in printed
