"""Tasks through a pool: as they come or some at a time, and one by one once a worker died."""

from __future__ import annotations

import joblib
import pytest

from mechdesign.runtime.pooling import outcomes, processes

TASKS = {index: -index for index in range(20)}


def pool(monkeypatch, *, killers=(), lists=False):
    """Replace joblib's pool by this process, and return the numbers of tasks and of jobs of each call."""
    calls, made = [], []

    class Pool:
        def __init__(self, n_jobs, *, return_as="list", **_):
            made.append(n_jobs)
            assert len(made) < 4 * len(TASKS), "the same tasks are sent over and over"
            if lists and return_as != "list":
                raise ValueError("it returns lists only")
            self.jobs, self.as_they_come = n_jobs, return_as != "list"

        def __call__(self, some):
            todo = list(some)
            calls.append((len(todo), self.jobs))
            found = self.run(todo)
            return found if self.as_they_come else list(found)

        @staticmethod
        def run(todo):
            for function, given, keywords in todo:
                if given[1] in killers:
                    raise BrokenPipeError("a worker died")
                yield function(*given, **keywords)

    monkeypatch.setattr(joblib, "Parallel", Pool)
    return calls


@pytest.mark.parametrize(("jobs", "some"), [(1, [4] * 5), (2, [8, 8, 4]), (5, [20])])
def test_where_a_backend_returns_lists_some_tasks_are_sent_at_a_time(monkeypatch, jobs, some):
    calls = pool(monkeypatch, lists=True)
    assert list(outcomes(abs, TASKS, jobs)) == [(index, index, None) for index in TASKS]
    assert calls == [(count, jobs) for count in some]


def test_all_tasks_are_sent_at_once_where_results_come_as_they_finish(monkeypatch):
    calls = pool(monkeypatch)
    assert list(outcomes(abs, TASKS, 2)) == [(index, index, None) for index in TASKS]
    assert calls == [(20, 2)]


def test_the_task_that_kills_its_worker_fails_and_no_other_does(monkeypatch):
    calls = pool(monkeypatch, killers={7})
    found = sorted(outcomes(abs, TASKS, 1))
    died = "the worker died (BrokenPipeError)"
    assert found == [(index, None, died) if index == 7 else (index, index, None) for index in TASKS]
    # Three that may have been running are tried alone, in a worker of their own; then the rest together.
    assert calls == [(20, 1), (1, 2), (1, 2), (1, 2), (10, 1)]


def test_one_job_is_one_process():
    assert [processes(jobs) for jobs in (None, 1, 3)] == [1, 1, 3]
