"""Solvers on the set `small` of `mechdesign.bench`, and the violations of their raw answers beside libqif and ours."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

import mechdesign as md
from benchmarks.measuring import Part, Row, apart
from benchmarks.peers import all_pairs, libqif_matrix, loss
from mechdesign import bench
from mechdesign.bench.judging import privacy_of
from mechdesign.plotting.performance_profiles import shares_solved

Array = npt.NDArray[np.float64]

OURS = "MECHDESIGN"
SOLVERS = (OURS, "HIGHS", "HIGHS-IPM", "CLARABEL", "ECOS", "SCS", "OSQP")
#: The accuracies that solvers are asked for, and the error up to which an instance counts as solved.
ASKED, ACCURACY = (1e-7, 1e-9), 1e-6
#: Of which instances a quick run takes each.
QUICK = 12
#: Multiples of the quickest time at which profiles are told.
TOLD = (1.0, 2.0, 10.0)


def raw_answers(n: int, epsilon: float) -> dict[str, Any]:
    """Return the violations of each solver's answer, as it comes by default, and of ours."""
    warnings.simplefilter("ignore")
    prior = np.random.default_rng(n).dirichlet(np.ones(n)).tolist()
    cost, problem = loss(prior), md.Problem(prior=prior, values=np.arange(n))
    question = md.Question(problem, md.LDP(epsilon), md.AbsoluteError(), None)
    made = md.design(problem, md.LDP(epsilon), md.AbsoluteError())
    answers = {OURS: made.by_decision}
    for name in ("ECOS", "SCS", "CLARABEL", "HIGHS", "OSQP"):
        answers[name] = all_pairs(cost, epsilon, name)
    try:
        answers["libqif"] = libqif_matrix(prior, epsilon)
    except ImportError as error:
        why = str(error)
    found = {}
    for name, matrix in answers.items():
        score = privacy_of(matrix, question)
        clipped = np.maximum(matrix, 0.0)
        mended = privacy_of(clipped / clipped.sum(axis=1, keepdims=True), question).violated
        off = float((cost * matrix).sum()) / made.value - 1.0
        found[name] = {"broken": score.violated, "negative": score.negative, "mended": mended, "off": off}
    return found if "libqif" in found else {**found, "libqif": {"why": why}}


def measure(quick: bool) -> Part:
    """Return how many instances each solver solves, how quickly, and how many of its answers were private."""
    results = bench.run("small", SOLVERS, accuracies=ASKED, every=QUICK if quick else 1)
    times = results.times(ACCURACY)
    rows = [row for solver in results.solvers for row in _rows(solver, results, times)]
    answers = apart("benchmarks.solvers:raw_answers", {"n": 10, "epsilon": 1.0}, 60.0)
    rows += [_violating(name, each) for name, each in answers.value.items()]
    return Part("solvers", rows, {"times": times, "raw answers": answers.value})


def _rows(solver: str, results: bench.Results, times: dict[str, dict[str, float]]) -> list[Row]:
    of = len(results.instances)
    every = {name: {each: found.get(each, math.inf) for each in results.instances} for name, found in times.items()}
    shares = shares_solved(every, [*TOLD, math.inf])[solver]
    told = ", ".join(f"within {m:g}x {100 * share:.0f} %" for m, share in zip(TOLD, shares, strict=False))
    runs = list(results.of(solver))
    outcomes = {run.outcome: sum(each.outcome == run.outcome for each in runs) for run in runs}
    said = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    leaks = {run.instance for run in runs if run.score and run.score.privacy and run.score.privacy.violated}
    answered = {run.instance for run in runs if run.score}
    return [
        Row(f"{solver}: instances solved to 1e-6", 100 * len(times[solver]) / of, f"% of {of}", note=f"{told}; {said}"),
        Row(f"{solver}: raw answers that break the notion", len(leaks), f"of {len(answered)}"),
    ]


def _violating(name: str, found: dict[str, Any]) -> Row:
    work = f"{name}: ordered pairs broken exactly, 10 x 10, LDP, eps = 1, absolute error"
    if "why" in found:
        return Row(work, None, "of 900", note=found["why"])
    said = f"{found['negative']} negative entries, {found['mended']} broken after clipping and scaling"
    note = f"{said}, value {100 * found['off']:+.2g} %"
    promised = 0.0 if name == OURS else None
    return Row(work, found["broken"], "of 900", promised, note=note)
