"""Sweeps: a fixed order, failures as rows, a results file that survives what kills the process, dead workers."""

import json
import math
import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

import mechdesign as md
from mechdesign.errors import DomainError
from mechdesign.runtime import pooling
from mechdesign.runtime.deadline import reading
from mechdesign.studies.sweeps import sweeping
from mechdesign.studies.sweeps.table import COLUMNS
from mechdesign.testing.clock import CountingClock

ROOT = Path(__file__).parents[2]
PROBLEM = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
LEVELS = [0.5, 1.0, 2.0]


@dataclass(frozen=True)
class Deadly(md.MMSE):
    """Takes its process along at one prior."""

    def check(self, problem):
        if problem.prior[0] == 0.25:
            os._exit(3)
        super().check(problem)


@dataclass(frozen=True)
class Broken(md.MMSE):
    """Has an ordinary bug."""

    def check(self, problem):
        raise ZeroDivisionError("an ordinary bug")


def numbers(table):
    return [(row.index, row.value, row.bound, row.status) for row in table]


def test_rows_are_the_product_in_order_and_equal_single_designs():
    table = md.sweep({"few": PROBLEM}, [md.LDP, md.LIP(9.0)], [md.MMSE(), md.HammingLoss()], LEVELS, n_jobs=2)
    assert table.complete
    assert [row.index for row in table] == list(range(12))
    wanted = [(k, o, e) for k in (md.LDP, md.LIP) for o in (md.MMSE(), md.HammingLoss()) for e in LEVELS]
    for row, (kind, objective, level) in zip(table, wanted, strict=True):
        alone = md.design(PROBLEM, kind(level), objective)
        assert (row.problem, row.n, row.notion, row.objective) == ("few", 3, kind.__name__, str(objective))
        assert (row.level, row.status, row.reason, row.route) == (level, "certified", "", alone.route)
        assert row.value == pytest.approx(alone.value, rel=1e-9, abs=1e-12)


def test_notions_are_taken_as_they_are_without_levels():
    table = md.sweep(PROBLEM, [md.LDP(1.0), md.LIP(2.0)], md.MMSE(), n_jobs=1)
    assert [row.level for row in table] == [None, None]
    assert [row.value for row in table] == [
        md.design(PROBLEM, notion, md.MMSE()).value for notion in (md.LDP(1.0), md.LIP(2.0))
    ]


def test_failures_are_rows_with_their_reason():
    table = md.sweep(
        [PROBLEM, md.Problem(n=2)],
        [md.WeightedTV(0.5, weight=0.3), md.LDP],
        [md.MMSE(), Broken()],
        [0.1, -1.0],
        n_jobs=1,
    )
    said = {(r.problem, r.notion, r.objective, r.level): (r.status, r.reason) for r in table}
    assert len(said) == 16
    assert said["0", "LDP", str(md.MMSE()), 0.1] == ("certified", "")
    assert said["0", "LDP", str(md.MMSE()), -1.0][0] == "bad input"
    assert "epsilon is -1.0" in said["0", "LDP", str(md.MMSE()), -1.0][1]
    assert said["1", "LDP", str(md.MMSE()), 0.1][0] == "bad input"
    broken = next(row for row in table if row.objective == str(Broken()) and row.level == 0.1 and row.notion == "LDP")
    assert (broken.status, broken.reason) == ("failed", "ZeroDivisionError: an ordinary bug")
    assert math.isnan(broken.value)
    assert set(table.failures) == {row for row in table if row.status != "certified"}


@pytest.mark.parametrize(
    ("notion", "objective", "keywords", "status"),
    [
        (md.WeightedTV(0.5, weight=0.3), md.ErrorProbability(), {}, "infeasible"),
        (md.LDP(1.0), md.MMSE(), {"route": "convex"}, "unsupported"),
        (md.LIP(1.0), md.MMSE(), {"route": "columns", "time_limit": 0.0}, "gap wider than asked"),
    ],
)
def test_each_kind_of_failure_has_its_status(notion, objective, keywords, status):
    problem = (
        md.Problem(prior=[0.4, 0.6], values=[0, 1])
        if status == "infeasible"
        else md.Problem(prior=np.arange(1.0, 8.0) / 28, values=np.arange(7.0) ** 2)
    )
    levels = [0.1] if status == "infeasible" else None
    with reading(CountingClock()):
        (row,) = md.sweep(problem, notion, objective, levels, n_jobs=1, **keywords)
    assert row.status == status, row
    assert row.reason


def test_bad_arguments_are_refused_at_once():
    for bad in (
        lambda: md.sweep(PROBLEM, md.LDP, md.MMSE(), [1.0], subject_to=None),
        lambda: md.sweep(PROBLEM, "LDP", md.MMSE(), [1.0]),
        lambda: md.sweep([3], md.LDP, md.MMSE(), [1.0]),
        lambda: md.sweep(PROBLEM, md.LDP, md.MMSE(), ["one"]),
        lambda: md.sweep(PROBLEM, md.LDP, md.MMSE(), 1.0),
        lambda: md.sweep(PROBLEM, md.LDP, md.MMSE(), [1.0], path="no such folder/a.jsonl"),
    ):
        with pytest.raises(DomainError):
            bad()


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_own_row(tmp_path):
    deadly = md.Problem(prior=[0.25, 0.25, 0.5], values=[0, 1, 2])
    path = tmp_path / "a.jsonl"
    problems = {"a": PROBLEM, "deadly": deadly, "b": PROBLEM}
    table = md.sweep(problems, md.LDP, Deadly(), [0.5, 1.0], n_jobs=2, path=path)
    assert [row.status for row in table] == ["certified"] * 2 + ["worker died"] * 2 + ["certified"] * 2
    assert all("died" in row.reason for row in table.failures)
    assert sorted(json.loads(line)["index"] for line in path.read_text().splitlines()[1:]) == list(range(6))


def test_a_sweep_goes_on_where_it_was_cut(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    whole = md.sweep(PROBLEM, [md.LDP, md.LIP], md.MMSE(), LEVELS, n_jobs=1, path=path)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 7
    computed = []
    original = sweeping._row
    monkeypatch.setattr(sweeping, "_row", lambda asked: computed.append(asked.index) or original(asked))
    # At every place where a write can have ended: the rows whose line is whole are never computed again.
    for kept in range(7):
        for part in (b"", lines[kept][:1], lines[kept][:-1]):
            path.write_bytes(b"".join(lines[:kept]) + part)
            computed.clear()
            said = pytest.warns(md.FileWarning, match=f"line {kept + 1}: it was cut short")
            with said if part and kept else nullcontext():
                again = md.sweep(PROBLEM, [md.LDP, md.LIP], md.MMSE(), LEVELS, n_jobs=1, path=path)
            assert computed == list(range(max(kept - 1, 0), 6))
            assert numbers(again) == numbers(whole)
            assert len(path.read_bytes().splitlines()) == 7


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "something else\n" + text,
        lambda text: text.replace("sha256:", "sha256:0", 1),
        lambda text: text.replace(md.__version__, "0.0.0", 1),
        lambda text: text.replace('"rows": 3', '"rows": 4', 1),
        lambda text: "something else without an end",
    ],
)
def test_a_file_of_something_else_is_refused_and_left_alone(spoil, tmp_path):
    path = tmp_path / "a.jsonl"
    md.sweep(PROBLEM, md.LDP, md.MMSE(), LEVELS, n_jobs=1, path=path)
    path.write_text(spoil(path.read_text()))
    held = path.read_bytes()
    with pytest.raises(DomainError, match=r"a\.jsonl"):
        md.sweep(PROBLEM, md.LDP, md.MMSE(), LEVELS, n_jobs=1, path=path)
    assert path.read_bytes() == held


def test_every_part_of_the_question_is_in_the_hash(tmp_path):
    path = tmp_path / "a.jsonl"
    md.sweep(PROBLEM, md.LDP, md.MMSE(), [1.0], n_jobs=1, path=path)
    other = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2.5])
    for asked, keywords in (
        ((other, md.LDP, md.MMSE(), [1.0]), {}),
        (({"b": PROBLEM}, md.LDP, md.MMSE(), [1.0]), {}),
        ((PROBLEM, md.LIP, md.MMSE(), [1.0]), {}),
        ((PROBLEM, md.LDP(1.0), md.MMSE(), [1.0]), {}),
        ((PROBLEM, md.LDP, md.HammingLoss(), [1.0]), {}),
        ((PROBLEM, md.LDP, md.MMSE(), [1.1]), {}),
        ((PROBLEM, md.LDP, md.MMSE(), [1.0]), {"gap": 1e-3}),
    ):
        with pytest.raises(DomainError, match="another sweep"):
            md.sweep(*asked, n_jobs=1, path=path, **keywords)


def test_two_sweeps_on_one_file(tmp_path):
    path = tmp_path / "a.jsonl"
    with FileLock(f"{path}.lock"), pytest.raises(DomainError, match="another sweep is writing to this file"):
        md.sweep(PROBLEM, md.LDP, md.MMSE(), LEVELS, n_jobs=1, path=path)
    assert md.sweep(PROBLEM, md.LDP, md.MMSE(), LEVELS, n_jobs=1, path=path).complete


#: A sweep of 20 rows that says when some are in the file, and waits there for a line; "straight" waits for none.
SWEPT = """
import sys
import mechdesign as md, numpy as np
from mechdesign.files.appended_rows import AppendedRows
path, n_jobs, manner = sys.argv[1:]
append, rows = AppendedRows.append, []
def waiting(self, line):
    append(self, line)
    rows.append(line)
    if len(rows) == 6 and manner == "waiting":
        print("waiting", flush=True)
        sys.stdin.readline()
AppendedRows.append = waiting
problem = md.Problem(prior=np.full(20, 0.05), values=np.arange(20.0))
try:
    asked = problem, md.LIP, md.MMSE(), np.linspace(0.2, 3, 20).tolist()
    table = md.sweep(*asked, n_jobs=int(n_jobs), path=path, progress=False)
    print("complete" if table.complete else "short", len(table), flush=True)
except md.DomainError as error:
    print(error, flush=True)
"""


def swept(path, n_jobs=1, manner="waiting"):
    """Start that sweep in a process group of its own."""
    command = [sys.executable, "-c", SWEPT, str(path), str(n_jobs), manner]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True, **pipes)


def kill(running):
    """Kill it with its workers."""
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


@pytest.mark.slow
@pytest.mark.thinned(8)
@pytest.mark.parametrize("killed", [False, True])
def test_live_sweeps_race_for_one_file(killed, tmp_path):
    """Of three processes that start at once one writes; the others say why not, and nothing is lost or doubled."""
    path = tmp_path / "a.jsonl"
    racing = [swept(path) for _ in range(3)]
    said = [one.stdout.readline().strip() for one in racing]
    refused = [line for line in said if "another sweep is writing to this file" in line and "a.jsonl" in line]
    assert len(refused) == 2 and said.count("waiting") == 1
    before = path.read_bytes()
    assert before.count(b"\n") == 7
    winner = racing.pop(said.index("waiting"))
    if killed:
        # The lock goes with it, what is written stays.
        kill(winner)
    else:
        assert winner.communicate("\n")[0] == "complete 20\n"
    for one in racing:
        assert one.communicate()[0] == ""
    assert swept(path, manner="straight").communicate()[0] == "complete 20\n"
    lines = path.read_bytes().splitlines()
    assert sorted(json.loads(line)["index"] for line in lines[1:]) == list(range(20))
    assert path.read_bytes().startswith(before)


def test_levels_are_read_back_as_they_were_asked(tmp_path):
    asked = (PROBLEM, [md.AsymmetricLIP(0.5, 0.5), md.LDP(1.0)], md.MMSE(), [(0.5, math.inf), math.inf, 1.0])
    first, again = (md.sweep(*asked, n_jobs=1, path=tmp_path / "a.jsonl", progress=False) for _ in range(2))
    assert [row.level for row in first] == [(0.5, math.inf), math.inf, 1.0] * 2
    assert [row.level for row in again] == [row.level for row in first]
    assert again[0] == first[0] and first[0].status == "certified"


def test_an_interrupt_keeps_what_is_done(tmp_path, monkeypatch):
    path, original = tmp_path / "a.jsonl", sweeping._row

    def interrupted(asked):
        if asked.index == 2:
            raise KeyboardInterrupt
        return original(asked)

    monkeypatch.setattr(sweeping, "_row", interrupted)
    table = md.sweep(PROBLEM, [md.LDP, md.LIP], md.MMSE(), LEVELS, n_jobs=1, path=path)
    assert ([row.index for row in table], table.complete) == ([0, 1], False)
    monkeypatch.undo()
    assert md.sweep(PROBLEM, [md.LDP, md.LIP], md.MMSE(), LEVELS, n_jobs=1, path=path).complete


def test_a_killed_sweep_resumes(tmp_path):
    path = tmp_path / "a.jsonl"
    running = swept(path, n_jobs=2)
    assert running.stdout.readline() == "waiting\n"
    kill(running)
    before = path.read_bytes()
    assert before.count(b"\n") == 7
    assert swept(path, n_jobs=2, manner="straight").communicate()[0] == "complete 20\n"
    after = path.read_bytes()
    assert after.startswith(before)
    assert sorted(json.loads(line)["index"] for line in after.splitlines()[1:]) == list(range(20))


def test_tables_hold_the_rows(tmp_path):
    import pandas as pd
    import polars as pl

    table = md.sweep(PROBLEM, md.LDP, md.MMSE(), [0.5, -1.0], n_jobs=1)
    frame, other = table.to_pandas(), table.to_polars()
    assert list(frame.columns) == other.columns == list(COLUMNS)
    assert frame["value"][0] == other["value"][0] == table[0].value
    assert math.isnan(frame["value"][1])
    back = pd.read_csv(table.save(tmp_path / "a.csv"))
    assert back["bound"][0] == table[0].bound
    assert pl.read_csv(tmp_path / "a.csv")["status"].to_list() == ["certified", "bad input"]


def test_a_backend_that_returns_lists_only():
    from joblib import parallel_config

    with parallel_config(backend="multiprocessing", n_jobs=2):
        found = list(pooling.outcomes(abs, {k: -k for k in range(20)}, None))
    assert sorted(found) == [(k, k, None) for k in range(20)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_dask():
    from distributed import Client, LocalCluster
    from joblib import parallel_config

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config(backend="dask"),
    ):
        table = md.sweep(PROBLEM, [md.LDP, md.LIP], md.MMSE(), LEVELS, n_jobs=None)
    here = md.sweep(PROBLEM, [md.LDP, md.LIP], md.MMSE(), LEVELS, n_jobs=1)
    assert numbers(table) == numbers(here)
