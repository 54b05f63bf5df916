"""The file of results: what is written is read, a cut line is run again, another file is refused."""

import json
import math

import pytest
from filelock import FileLock

import mechdesign as md
from mechdesign import bench
from mechdesign.bench.reporting.words import sentences
from mechdesign.bench.running import benchmark, one_run
from mechdesign.bench.running.child import Returned
from mechdesign.bench.running.record import RUNS, Run, read_runs
from mechdesign.bench.solvers.own import GROUP
from mechdesign.cli import commands

#: Seconds that nobody needs.
ENOUGH = 600.0
SOLVERS = ["HIGHS", "mine=tests.bench.bad_solvers:raises"]


def asked(path, **changed):
    """Return the results of two instances and two solvers."""
    arguments = {"solvers": SOLVERS, "accuracies": [1e-9], "every": 30, "time_limit": ENOUGH, **changed}
    return bench.run("small", output=path, **arguments)


def outcomes(results):
    """Return how each run ended."""
    return {(run.key, run.outcome, run.status, run.why) for run in results.runs}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench") / "results.jsonl"
    return path, asked(path)


def test_what_is_written_is_read(results):
    path, found = results
    assert len(found.runs) == 4
    again = bench.Results.read(path)
    assert repr(again.runs) == repr(found.runs)
    assert {run.outcome for run in again.runs} == {"answered", "raised"}


def test_runs_that_the_file_holds_are_not_run_again(results, monkeypatch):
    path, found = results
    monkeypatch.setattr("mechdesign.bench.running.one_run.run_isolated", lambda order: pytest.fail("run again"))
    again = asked(path)
    assert len(again.runs) == len(found.runs)


def test_a_line_that_was_cut_is_run_again(results, tmp_path):
    path, found = results
    copy = tmp_path / "cut.jsonl"
    copy.write_text(path.read_text()[:-40])
    with pytest.warns(md.FileWarning, match="it was cut short"):
        again = asked(copy)
    assert {run.key for run in again.runs} == {run.key for run in found.runs}
    assert {run.key for run in read_runs(copy)} == {run.key for run in found.runs}


def test_infinite_numbers_are_kept(results):
    _, found = results
    raised = next(run for run in found.runs if run.outcome == "raised")
    assert math.isinf(raised.least_seconds)
    assert all(Run.from_row(json.loads(json.dumps(run.to_row(), allow_nan=False))).key == run.key for run in found.runs)


OTHER_FILES = [
    "x,y\n1,2\n",
    "notes without the end of a line",
    json.dumps({"schema": "mechdesign sweep", "schema_version": 2}) + "\n",
    json.dumps({"schema": RUNS.schema, "schema_version": 99}) + "\n",
]


@pytest.mark.parametrize("text", OTHER_FILES)
def test_another_file_is_refused_and_kept(text, tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    with pytest.raises(md.DomainError, match=r"it holds (something else|another benchmark)"):
        asked(path)
    with pytest.raises(md.errors.OtherFileError, match=r"no file of a benchmark|version 99"):
        read_runs(path)
    assert path.read_text() == text


def test_a_line_that_was_edited_is_named_and_its_run_made_again(results, tmp_path):
    path, found = results
    lines = path.read_text().splitlines(keepends=True)
    copy = tmp_path / "edited.jsonl"
    copy.write_text("".join([lines[0], lines[1].replace('"outcome": "answered"', '"outcome": "raised"'), *lines[2:]]))
    with pytest.raises(md.DomainError, match="line 2: it was edited"):
        bench.Results.read(copy)
    with pytest.warns(md.FileWarning, match="line 2: it was edited"):
        again = asked(copy)
    assert outcomes(again) == outcomes(found) and outcomes(bench.Results.read(copy)) == outcomes(found)


@pytest.fixture
def made(monkeypatch):
    """Return a list of the orders from now on, none of which is run: each takes too long."""
    orders = []

    def late(order):
        orders.append(order)
        return Returned("timed out", "it did not return")

    monkeypatch.setattr(one_run, "run_isolated", late)
    return orders


def test_runs_of_another_version_or_a_shorter_limit_are_made_again(made, tmp_path, monkeypatch):
    path, module = tmp_path / "results.jsonl", tmp_path / "solver_that_changes.py"
    module.write_text("def solve(program, accuracy, time_limit):\n    return None\nother = solve\n")
    monkeypatch.syspath_prepend(tmp_path)
    ours = {"solvers": ["mine=solver_that_changes:solve"]}
    for change, count in (
        (lambda: None, 2),
        (lambda: None, 0),
        (
            lambda: module.write_text("def solve(program, accuracy, time_limit):\n    return program\nother = solve\n"),
            2,
        ),
        # Another function of that module: its rows were taken for those of the first.
        (lambda: ours.update(solvers=["mine=solver_that_changes:other"]), 2),
        (lambda: monkeypatch.setattr(benchmark, "SETS_VERSION", 99), 2),
        (lambda: ours.update(time_limit=ENOUGH / 2), 0),
        (lambda: ours.update(time_limit=ENOUGH * 2), 2),
    ):
        change()
        made.clear()
        found = asked(path, **ours)
        assert len(made) == count and len(found.runs) == 2
        assert len(read_runs(path)) == 2


@pytest.mark.parametrize(
    ("asked_for", "rule"),
    [
        ("tests.bench.bad_solvers:god", 'did you mean "good"'),
        ("nowhere_at_all:solve", "no module"),
        ("good", "module:"),
    ],
)
def test_a_solver_that_is_nowhere_is_refused_before_any_run(asked_for, rule, made):
    with pytest.raises(md.DomainError, match=rule):
        asked(None, solvers=["HIGHS", f"mine={asked_for}"])
    assert not made


def test_a_package_that_does_not_load_is_a_row(tmp_path, monkeypatch):
    """Its version was asked for by importing the package, which ended the benchmark."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_package").mkdir()
    (tmp_path / "broken_package" / "__init__.py").write_text("raise RuntimeError('no license')\n")
    (tmp_path / "broken_package" / "inner.py").write_text(
        "def solve(program, accuracy, time_limit):\n    return None\n"
    )
    found = asked(None, solvers=["mine=broken_package.inner:solve", "other=broken_package.missing:solve"])
    assert {run.outcome for run in found.runs} == {"malformed"}
    assert all("no license" in run.why for run in found.runs)
    assert all(run.version.startswith("broken_package.inner:solve, source ") for run in found.of("mine"))
    assert {run.version for run in found.of("other")} == {"broken_package.missing:solve"}


def test_a_system_without_forked_processes_is_refused_before_anything_runs(made, monkeypatch):
    monkeypatch.setattr(benchmark, "get_all_start_methods", lambda: ["spawn"])
    with pytest.raises(md.UnsupportedError, match="needs Linux or macOS"):
        asked(None)
    assert made == []


def test_another_benchmark_on_the_same_file_is_refused(made, tmp_path):
    path = tmp_path / "results.jsonl"
    with FileLock(f"{path}.lock"), pytest.raises(md.DomainError, match="another benchmark is writing to this file"):
        asked(path)
    assert made == []


def test_an_interrupt_keeps_the_runs_that_ended(tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
    told = iter([Returned("refused", "one"), Returned("refused", "two"), None])

    def interrupted(order):
        returned = next(told)
        if returned is None:
            raise KeyboardInterrupt
        return returned

    monkeypatch.setattr(one_run, "run_isolated", interrupted)
    found = asked(path)
    assert found.interrupted and [run.why for run in found.runs] == ["one", "two"]
    assert [run.why for run in read_runs(path)] == ["one", "two"]
    told = iter([Returned("refused", "three"), Returned("refused", "four")])
    assert not asked(path).interrupted


def test_the_command_shows_what_an_interrupt_leaves(monkeypatch, tmp_path, capsys):
    def interrupted(order):
        raise KeyboardInterrupt

    monkeypatch.setattr(one_run, "run_isolated", interrupted)
    with pytest.raises(SystemExit) as ended:
        commands.main(["bench", "run", "--every", "30", "--solvers", "HIGHS", "-o", str(tmp_path / "a.jsonl")])
    assert ended.value.code == 130 and "There are no runs" in capsys.readouterr().out


def test_runs_beside_each_other_are_the_same_and_say_so(results, tmp_path):
    found = results[1]
    beside = asked(tmp_path / "beside.jsonl", n_jobs=2)
    assert outcomes(beside) == outcomes(found)
    assert {run.conditions.jobs for run in beside.runs} == {2}
    assert "2 runs went on beside each other" in " ".join(sentences(beside))
    assert "shared" not in " ".join(sentences(found))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_dask(results):
    import dask
    from distributed import Client, LocalCluster
    from joblib import parallel_config

    with (
        dask.config.set({"distributed.worker.daemon": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        assert outcomes(asked(None, n_jobs=None)) == outcomes(results[1])


def test_a_solver_of_an_installed_package_is_found_by_its_name(tmp_path, monkeypatch):
    folder = tmp_path / "fast_cones-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: fast-cones\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[{GROUP}]\nFASTCONES = fast_cones:solve\n")
    (tmp_path / "fast_cones.py").write_text("def solve(program, accuracy, time_limit):\n    raise ValueError('slow')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "FASTCONES" in bench.known_solvers()
    found = asked(None, solvers=["FASTCONES"])
    assert {(run.solver, run.outcome, run.why) for run in found.runs} == {("FASTCONES", "raised", "ValueError: slow")}


def test_planted_a_version_that_does_not_count_leaves_old_runs(made, tmp_path, monkeypatch):
    """Planted: runs of another version of the sets taken for those that are asked for."""
    path = tmp_path / "results.jsonl"
    asked(path)
    monkeypatch.setattr(benchmark, "SETS_VERSION", 99)
    monkeypatch.setattr(Run, "stands", lambda run, version, conditions: True)
    made.clear()
    assert {run.conditions.sets_version for run in asked(path).runs} != {99} and made == []


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
