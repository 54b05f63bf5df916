"""Manners of time and memory: limits are kept, Ctrl-C leaves the best so far, estimates are near what is taken."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.question import Question
from mechdesign.runtime.deadline import now
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.pricing import line_of_a_ratio, oracles
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.programs import column_weights
from mechdesign.solve.programs import over_leaf as leaf_program
from mechdesign.solve.programs import over_subsets as set_program
from mechdesign.solve.routes import columns, quantised, weights
from mechdesign.testing import manners
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import (
    LOOK,
    check_bound,
    check_interruption,
    check_punctual,
    check_time_limit,
    within,
)
from mechdesign.testing.sized import NOTIONS, some_pair

#: Distances on a grid of seven by seven.
PLACES = np.mgrid[:7, :7].reshape(2, -1).T
PLANE = np.sqrt(((PLACES[:, None] - PLACES) ** 2).sum(axis=2))


def some(n: int) -> md.Problem:
    rng = np.random.default_rng([7, n])
    return md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))


def even(n: int) -> md.Problem:
    return md.Problem(prior=np.full(n, 1 / n), values=np.arange(float(n)))


def line(n: int) -> np.ndarray:
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)


def plane(n: int) -> np.ndarray:
    side = int(np.ceil(np.sqrt(n)))
    at = np.array([divmod(x, side) for x in range(n)], dtype=float)
    return np.sqrt(((at[:, None] - at[None]) ** 2).sum(axis=2))


def loss(n: int) -> md.ExpectedLoss:
    return md.ExpectedLoss(np.random.default_rng([8, n]).exponential(size=(n, n)))


def pair(n: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.random.default_rng([9, n]).dirichlet(np.ones(n), size=2)
    return first, second


def laws(n: int, count: int) -> np.ndarray:
    return np.random.default_rng([10, n]).dirichlet(np.ones(n), size=count)


BITS = md.InformationDesign("A", queries=md.queries.marginals([2] * 8, 2))

#: Questions that a limit of 0.1 s ends early, each route in its way, or of which it says that they take longer.
LONG = {
    "rays": (some(15), md.LDP(1.0), md.MMSE(), {"route": "rays"}),
    "rays of any prior": (some(16), md.LDP(1.0), md.MutualInformation(), {"route": "rays"}),
    "columns of a band": (even(600), md.LDP(1.0), md.AbsoluteError(), {"route": "columns"}),
    "columns by Clarabel": (even(60), md.MetricDP(4.0, plane(60)), md.AbsoluteError(), {"route": "columns"}),
    "columns by HiGHS": (
        even(60),
        md.MetricDP(4.0, plane(60)),
        md.AbsoluteError(),
        {"route": "columns", "solver": "HIGHS"},
    ),
    "columns that cannot be stopped": (some(60), md.ApproximateLDP(1.0, 0.1), loss(60), {"route": "columns"}),
    "columns of a mass": (some(2000), md.LIP(3.0), md.MMSE(), {"route": "columns"}),
    "columns of balls": (some(150), md.StrongChiSquare(0.3), md.AbsoluteError(), {"route": "columns"}),
    "columns of deviations": (some(40), md.StrongL1(0.3), md.AbsoluteError(), {"route": "columns"}),
    "columns of a continuum": (even(25), md.MetricDP(4.0, plane(25)), md.MMSE(), {"route": "columns"}),
    "quantised": (some(5000), md.LDP(6.0), md.MMSE(), {"route": "quantised"}),
    "quantised of very many": (some(6000), md.LDP(1.0), md.MMSE(), {"route": "quantised"}),
    "subsets": (some(1000), md.LDP(1.0), md.MutualInformation(), {"route": "subsets"}),
    "subsets of two moments": (some(800), md.LDP(1.0), md.HistogramMMSE(), {"route": "subsets"}),
    "lifts": (some(60), md.LIP(1.0), md.MutualInformation(), {"route": "lifts"}),
    "near the prior": (some(200), md.StrongL1(0.5), md.MutualInformation(), {"route": "near_prior"}),
    "near the prior, on a ball": (some(100), md.StrongChiSquare(0.5), md.HistogramMMSE(), {"route": "near_prior"}),
    "likeliest": (some(300), md.MaximalLeakage(1.0), md.HistogramMMSE(), {"route": "likeliest"}),
    "labels": (some(300), md.LDP(1.0), md.LabelInformation(np.kron(np.eye(3), np.ones(100))), {"route": "labels"}),
    "directions": (some(300), md.MaximalLeakage(0.3), md.KLDivergence(*pair(300)), {"route": "directions"}),
    "directions of columns": (some(4), md.StrongChiSquare(0.5), md.MutualInformation(), {"route": "directions"}),
    "orders": (md.Problem(n=12), md.LDP(1.0), md.ChernoffExponent(*pair(12)), {"route": "orders"}),
    "weights": (even(12), md.LDP(1.0), md.InformationDesign("A"), {"route": "weights"}),
    "weights of many": (even(20), md.LDP(1.0), md.InformationDesign("A"), {"route": "weights"}),
    "maps": (even(49), md.MetricDP(1.0, PLANE), md.ExpectedLoss(PLANE), {"route": "maps", "gap": 1e-9}),
    "kernels": (even(49), md.MetricDP(1.0, PLANE), md.ExpectedLoss(PLANE), {"route": "kernels"}),
    "priors": (some(12), md.LDP(1.0), md.WorstCaseInformation(laws(12, 40)), {"route": "priors"}),
    "prior by prior": (some(100), md.LDP(1.0), md.WorstCaseInformation(laws(100, 3)), {"route": "prior_by_prior"}),
    "minimax": (even(49), md.MetricDP(1.0, PLANE), md.WorstCaseLoss(PLANE), {"route": "minimax"}),
    "mixture": (some(60), md.ApproximateLDP(0.5, 0.2), md.MMSE(), {"route": "mixture"}),
    "scores": (some(74), md.LDP(1.0), md.InformationDesign("c"), {"route": "scores"}),
    "drawn": (some(60), md.LIP(1.0), md.InformationDesign("A"), {"route": "drawn"}),
    "attributes": (even(256), md.LDP(1.0), BITS, {"route": "attributes"}),
    "blocks": (even(60), md.LDP(1.0), md.InformationDesign("A"), {"route": "blocks"}),
    "blocks of balls": (some(30), md.StrongChiSquare(0.5), md.InformationDesign("A"), {"route": "blocks"}),
    "convex by HiGHS": (even(30), md.LDP(1.0), md.MaxOffDiagonal(), {"route": "convex", "solver": "HIGHS"}),
    "convex by SCS": (even(30), md.LDP(1.0), md.MaxOffDiagonal(), {"route": "convex", "solver": "SCS"}),
    "convex by Clarabel": (some(12), md.ApproximateLDP(1.0, 0.1), loss(12), {"route": "convex"}),
    "closed form": (some(2500), md.LDP(1.0), md.MMSE(), {"route": "closed_form"}),
    "few outputs": (even(20), md.LDP(4.0), md.MMSE(), {"route": "few_outputs", "outputs": 6}),
    "known": (some(30), md.MutualInformationPrivacy(0.5), md.MMSE(), {"route": "known"}),
    "few of many": (even(30), md.LIP(1.0), md.AbsoluteError(), {"route": "few_outputs", "outputs": 3}),
}


def asked(problem, notion, objective, keywords) -> tuple[Question, dict]:
    others = {key: value for key, value in keywords.items() if key != "outputs"}
    return Question(problem, notion, objective, keywords.get("outputs")), others


@pytest.mark.thinned(200)
@pytest.mark.parametrize("limit", [0.1, 1.0])
@pytest.mark.parametrize("name", LONG)
def test_a_time_limit_is_kept_and_the_best_so_far_returned_with_its_gap(name, limit):
    question, keywords = asked(*LONG[name])
    clock = CountingClock(LOOK)
    found = check_time_limit(question, limit, clock, **keywords)
    assert isinstance(found, str) or limit == 1.0 or clock.seconds > limit, "the limit ended nothing"


def test_every_route_is_held_to_its_limit():
    assert {name.split(" ")[0] for name in LONG} == {name.split("_")[0] for name in ROUTES}


# Ctrl-C.

#: Questions, what is called again and again on the way to the answer, and after how many calls there is something.
STOPPED = {
    "columns": (some(40), md.LIP(2.0), md.MMSE(), {"gap": 1e-9}, columns, "solve_columns", 2),
    "columns from one decision": (some(30), md.StrongL1(0.3), md.AbsoluteError(), {}, columns, "solve_columns", 1),
    "quantised": (some(60), md.LDP(2.0), md.MMSE(), {"route": "quantised", "gap": 1e-9}, quantised, "solve_band", 0),
    "subsets": (some(20), md.LDP(1.0), md.MutualInformation(), {"gap": 1e-9}, set_program, "resume", 0),
    "subsets of two moments": (
        some(20),
        md.LDP(1.0),
        md.HistogramMMSE(),
        {"gap": 1e-9},
        oracles,
        "price_on_blocks",
        0,
    ),
    "subsets later": (some(20), md.LDP(1.0), md.MutualInformation(), {"gap": 1e-9}, set_program, "resume", 1),
    "lifts": (some(30), md.LIP(1.0), md.MutualInformation(), {}, column_weights, "solve_linear", 1),
    "near_prior": (some(30), md.StrongL1(0.5), md.MutualInformation(), {}, column_weights, "solve_linear", 1),
    "directions": (some(8), md.MutualInformationPrivacy(0.2), md.MMSE(), {"gap": 1e-12}, line_of_a_ratio, "price", 1),
    "directions of columns": (
        some(3),
        md.StrongChiSquare(0.5),
        md.MutualInformation(),
        {"gap": 1e-9},
        oracles,
        "column_excess",
        1,
    ),
    "orders": (md.Problem(n=6), md.LDP(1.0), md.ChernoffExponent(*pair(6)), {}, column_weights, "solve_linear", 3),
    "orders of a saddle": (
        md.Problem(n=6),
        md.LDP(1.0),
        md.HanKobayashiExponent(0.3, *pair(6)),
        {},
        column_weights,
        "solve_linear",
        4,
    ),
    "weights": (some(10), md.LDP(1.0), md.InformationDesign("A"), {"gap": 1e-12}, weights, "best_weights", 1),
    "few_outputs": (some(8), md.LIP(1.0), md.MMSE(), {"outputs": 3, "gap": 1e-9}, leaf_program, "solve_linear", 8),
}


@pytest.mark.thinned(32)
@pytest.mark.parametrize("name", STOPPED)
def test_an_interruption_leaves_the_best_so_far_with_its_gap(name):
    *question, module, function, after = STOPPED[name]
    asks, keywords = asked(*question)
    made = check_interruption(asks, module, function, after, **keywords)
    assert made.route == name.split(" ")[0] and made.gap > keywords.get("gap", 1e-6)


@pytest.mark.parametrize("name", ["columns", "directions", "orders", "weights", "few_outputs"])
def test_an_interruption_before_there_is_anything_goes_on(name):
    *question, module, function, _ = STOPPED[name]
    asks, keywords = asked(*question)
    with pytest.raises(KeyboardInterrupt):
        check_interruption(asks, module, function, 0, **keywords)


INTERRUPTED = """
[problem]
prior = {prior}
values = {values}
[notion]
name = "LIP"
epsilon = 3.0
[objective]
name = "MMSE"
[solve]
route = "columns"
verbose = true
"""


#: The command, whose solver waits for a signal in the call that is named.
WAITING = """
import sys, threading
from mechdesign.cli import main
from mechdesign.solve.routes import columns
solved, calls = columns.solve_columns, []
def waiting(*given):
    calls.append(given)
    if len(calls) > int(sys.argv[1]):
        print("waiting", file=sys.stderr, flush=True)
        # Without an end a signal that comes just before it would be missed.
        while True:
            threading.Event().wait(0.1)
    return solved(*given)
columns.solve_columns = waiting
main(["design", "asked.toml", "--json"])
"""


@pytest.mark.thinned(8)
@pytest.mark.parametrize("rounds", [0, 2])
def test_the_command_prints_the_best_so_far_at_a_signal_or_one_sentence(tmp_path, rounds):
    problem = some(40)
    told = INTERRUPTED.format(prior=problem.prior.tolist(), values=problem.values.tolist())
    (tmp_path / "asked.toml").write_text(told)
    command = [sys.executable, "-u", "-c", WAITING, str(rounds)]
    found = {**os.environ, "PYTHONPATH": str(Path(md.__file__).parents[1])}
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": found}
    with subprocess.Popen(command, cwd=tmp_path, **piped) as running:
        said = ""
        while "waiting" not in said:
            said += (line := running.stderr.readline())
            assert line, said
        running.send_signal(signal.SIGINT)
        out, rest = running.communicate()
    assert "Traceback" not in rest
    if rounds:
        assert running.returncode == 1 and "The certified gap is" in rest
        shown = json.loads(out)
        assert shown["gap"] > 1e-6 and md.load(tmp_path / "asked.mechanism.json").certificate.gap == shown["gap"]
    else:
        assert (running.returncode, out) == (130, "") and "Interrupted; nothing was written." in rest


# Memory, sizes and what is said of them.


@pytest.mark.parametrize("name", NOTIONS)
def test_sizes_are_said_for_thousands_of_inputs(name, rng):
    # Those of a table of all pairs or records have as many numbers.
    n = {"MetricDP": 300, "PairwiseLDP": 300, "CentralizedIP": 40, "ProfileDP": 40}.get(name, 5000)
    found = some_pair(name, "MMSE", n, rng)
    if found is None:
        return
    problem, notion, _ = found
    inputs = notion.inputs(problem)
    assert (notion.columns(inputs).ray_count() or 1.0) > 0 and notion.columns(inputs).cone_numbers > 0


#: One objective of each kind of program, and of each kind of bound.
KINDS = ("MMSE", "KLDivergence", "MutualInformation", "HistogramMMSE", "AbsoluteError", "ExpectedLoss", "WorstCaseLoss")


#: Their programs are of native solvers, which the clock of the tests does not end: minutes each at 60 inputs.
BALLS = {"StrongL1", "StrongChiSquare", "MutualInformationPrivacy"}
SIZED = [(name, n) for name in NOTIONS for n in (20, 60) if n == 20 or name not in BALLS]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n"), SIZED)
def test_whatever_is_asked_is_answered_or_refused_within_the_limit(name, n):
    # Those of a table of all records or profiles have as many inputs at a few.
    if name in {"CentralizedIP", "ProfileDP"}:
        n = 3
    for objective in KINDS:
        found = some_pair(name, objective, n, np.random.default_rng(n))
        if found is not None:
            check_punctual(Question(*found, None), 0.5, CountingClock(LOOK / 2))


# Planted defects.


def dawdling(*arguments, **keywords):
    for _ in range(round(1.5 / LOOK)):
        now()
    return md.design(*arguments, **keywords)


@pytest.mark.parametrize("check", [check_time_limit, check_punctual])
def test_an_answer_that_is_late_is_seen(check, monkeypatch):
    question = Question(even(3), md.LDP(1.0), md.MMSE(), None)
    check(question, 0.3)
    monkeypatch.setattr(manners, "design", dawdling)
    with pytest.raises(AssertionError, match="took"):
        check(question, 0.3)


def test_what_an_earlier_try_kept_is_not_found_again():
    problem, notion = even(6), md.LDP(1.0)
    assert all_rays(notion, problem) is all_rays(notion, problem)
    kept = all_rays(notion, problem)
    assert within(60.0, lambda: all_rays(notion, problem)) is not kept


def test_a_refusal_that_names_no_limit_is_seen(monkeypatch):
    def curt(*_, **__):
        raise md.SolverError("No.")

    monkeypatch.setattr(manners, "design", curt)
    with pytest.raises(AssertionError, match="does not name the limit"):
        check_time_limit(Question(even(3), md.LDP(1.0), md.MMSE(), None), 1.0)


@pytest.mark.parametrize("wrong", ["bound", "gap"])
def test_a_bound_that_is_cut_too_short_is_seen(wrong):
    made = md.design(even(5), md.LDP(1.0), md.MMSE())
    check_bound(made)
    # The least error is above every bound: one above the value claims too much, and so does a gap that is less.
    claims = {"bound": {"bound": made.value * (1 + 1e-3)}, "gap": {"bound": made.value * 0.9, "gap": 1e-9}}[wrong]
    with pytest.raises(AssertionError):
        check_bound(replace(made, **claims))
