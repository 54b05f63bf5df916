"""Ctrl-C ends a solver's run, a frontier, a sweep and a comparison; what was finished is kept, and they say so."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.designing.answer import answered
from mechdesign.runtime import native_call
from mechdesign.runtime.learned import learning
from mechdesign.solve.routes import weights
from mechdesign.studies import comparison as comparing
from mechdesign.studies import frontier as frontiers
from mechdesign.studies.sweeps import sweeping

#: What the route weights works on in steps.
SURVEY = md.Problem(prior=np.random.default_rng(3).dirichlet(np.ones(10)), values=np.arange(10.0))
SMALL = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
IGNORE, SECONDS = 1, 600.0

pytestmark = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread alone"
)


def solver(release: threading.Event) -> None:
    """Be at work when Ctrl-C is pressed, and go on."""
    os.kill(os.getpid(), signal.SIGINT)
    release.wait(SECONDS)


def quiet_solver(release: threading.Event) -> None:
    """Keep Ctrl-C to oneself, as solvers written in C do; it is pressed when somebody listens to it again."""
    library, action = ctypes.CDLL(None), (ctypes.c_void_p * 64)()
    library.signal(signal.SIGINT, ctypes.c_void_p(IGNORE))
    action[0] = IGNORE
    while action[0] == IGNORE and not release.wait(0.01):
        # The handler is the first field of the structure.
        library.sigaction(signal.SIGINT, None, action)
    solver(release)


@pytest.mark.parametrize("work", [solver, quiet_solver])
def test_a_solver_is_left_at_once(work: Callable[[threading.Event], object]) -> None:
    release = threading.Event()
    try:
        with pytest.raises(KeyboardInterrupt):
            native_call.called("SCS", lambda: work(release))
        assert not release.is_set()
    finally:
        release.set()


def test_only_calls_that_may_take_long_get_a_thread() -> None:
    threads = []

    def call() -> None:
        native_call.called("SCS", lambda: threads.append(threading.current_thread()))

    with learning():
        for _ in range(3):
            call()
    with learning():
        call()
    own = [thread is not threading.main_thread() for thread in threads]
    assert own == [True, False, False, True]


def stopping_at(question: int, monkeypatch: pytest.MonkeyPatch, *modules: object) -> list[int]:
    """Press Ctrl-C in the second step of a search, in the question of that number; return the questions asked."""
    asked, steps, best_weights = [], [], weights.best_weights

    def step(*arguments: object, **keywords: object) -> object:
        steps.append(len(asked))
        if len(asked) == question and steps.count(question) == 2:
            raise KeyboardInterrupt
        return best_weights(*arguments, **keywords)

    def counted(*arguments: object, **keywords: object) -> md.Design:
        asked.append(len(asked))
        return answered(*arguments, **keywords)

    monkeypatch.setattr(weights, "best_weights", step)
    for module in modules:
        monkeypatch.setattr(module, "answered", counted)
    return asked


QUESTION = (SURVEY, md.LDP, md.InformationDesign("A"))
KEYWORDS = {"route": "weights", "gap": 1e-12}


def test_a_search_that_was_cut_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    stopping_at(0, monkeypatch)
    with pytest.warns(md.GapWarning):
        made = md.design(SURVEY, md.LDP(1.0), md.InformationDesign("A"), **KEYWORDS)
    assert made.interrupted and made.gap > KEYWORDS["gap"] and made.audit.holds


@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
def test_a_level_that_was_cut_off_is_no_level(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = stopping_at(2, monkeypatch, frontiers)
    found = md.frontier(*QUESTION, [0.5, 1.0, 1.5], **KEYWORDS)
    assert (found.levels.tolist(), found.complete, len(asked)) == ([0.5], False, 2)


@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
def test_a_row_that_was_cut_off_is_no_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked, file = stopping_at(2, monkeypatch, sweeping), tmp_path / "rows.jsonl"
    found = md.sweep(*QUESTION, [0.5, 1.0, 1.5], n_jobs=1, path=file, **KEYWORDS)
    assert (len(found), found.complete, len(asked)) == (1, False, 2)
    assert md.sweep(*QUESTION, [0.5, 1.0, 1.5], n_jobs=1, path=file, **KEYWORDS).complete


@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
def test_a_comparison_keeps_the_rows_that_were_done(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = md.compare(SMALL, md.LDP(1.0), md.MMSE())
    at, calls = len(whole) // 2, []

    def cut(*arguments: object, **keywords: object) -> md.Design:
        calls.append(None)
        made = answered(*arguments, **keywords)
        return replace(made, interrupted=len(calls) > at)

    monkeypatch.setattr(comparing, "answered", cut)
    found = md.compare(SMALL, md.LDP(1.0), md.MMSE())
    assert whole.complete and not found.complete
    assert [row.route for row in found] == [row.route for row in whole][: len(found)] and 0 < len(found) < len(whole)


def test_the_command_says_that_rows_are_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "asked.toml"
    file.write_text(
        '[problem]\nprior = [0.4, 0.6]\n[notion]\nname = "LDP"\nepsilon = 1.0\n[objective]\nname = "ErrorProbability"\n'
    )
    original, calls = frontiers.answered, []

    def cut(*arguments: object, **keywords: object) -> md.Design:
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(*arguments, **keywords)

    for module, command in (
        (frontiers, ["frontier", str(file), "--levels", "0.5,1,1.5"]),
        (comparing, ["compare", str(file)]),
    ):
        calls.clear()
        monkeypatch.setattr(module, "answered", cut)
        with pytest.raises(SystemExit) as left:
            commands.main(command)
        assert left.value.code == 130
        assert "Interrupted" in capsys.readouterr().err
