"""Solvers on fixed instances of every kind of objective, at an accuracy that our certificate verifies."""

from __future__ import annotations

import math
import time
import warnings
from fractions import Fraction
from typing import Any

import cvxpy as cp
import numpy as np
import numpy.typing as npt

import mechdesign as md
from benchmarks.instances import Instance, instances
from benchmarks.measuring import Part, Row, apart
from benchmarks.peers import all_pairs, libqif_matrix, loss
from benchmarks.posed import Posed, posed
from mechdesign.exact import exp_below
from mechdesign.plotting.performance_profiles import shares_solved
from mechdesign.solve.certificate.proof import prove
from mechdesign.solve.repair.exactly_private import repair

Array = npt.NDArray[np.float64]

#: What is asked of each solver: as much as it can be asked for, and so many seconds.
ASKED, SECONDS = 1e-9, 10.0
SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "ECOS": ("ECOS", {"abstol": ASKED, "reltol": ASKED, "feastol": ASKED, "max_iters": 200}),
    "SCS": ("SCS", {"eps_abs": ASKED, "eps_rel": ASKED, "max_iters": 100_000, "time_limit_secs": SECONDS}),
    "Clarabel": ("CLARABEL", {"tol_gap_abs": ASKED, "tol_gap_rel": ASKED, "tol_feas": ASKED, "time_limit": SECONDS}),
    "HiGHS simplex": ("HIGHS", {"solver": "simplex", "time_limit": SECONDS}),
    "HiGHS interior point": ("HIGHS", {"solver": "ipx", "time_limit": SECONDS}),
    "OSQP": ("OSQP", {"eps_abs": ASKED, "eps_rel": ASKED, "max_iter": 200_000, "time_limit": SECONDS}),
}
#: What HiGHS is asked beside its method.
HIGHS = {"primal_feasibility_tolerance": ASKED, "dual_feasibility_tolerance": ASKED, "threads": 1}
OURS = "mechdesign"
#: The certified gap that counts as solved.
ACCURACY = 1e-6
#: Multiples of the quickest time at which profiles are told.
TOLD = (1.0, 2.0, 10.0)
#: What cvxpy and the bindings of solvers raise.
CRASHES = (cp.error.SolverError, RuntimeError, ValueError, ArithmeticError, TypeError, LookupError)


def one(instance: Instance, solver: str) -> dict[str, Any]:
    """Return seconds, the gap that the answer proves, and whether it was private as it came; or why there is none."""
    if solver == OURS:
        started = time.process_time()
        made = md.design(instance.question.problem, instance.question.notion, instance.question.objective)
        return {"seconds": time.process_time() - started, "gap": made.gap, "private": made.audit.holds}
    name, options = SOLVERS[solver]
    asked = {**options, **(HIGHS if name == "HIGHS" else {})}
    form = posed(instance.question)
    try:
        data, chain, inverse = form.program.get_problem_data(name, solver_opts=asked)
    except cp.error.SolverError:
        return {"refused": f"{name} takes no such cones"}
    try:
        started = time.process_time()
        # HiGHS's interface empties what it is given.
        found = chain.solve_via_data(form.program, data, solver_opts=dict(asked))
        took = time.process_time() - started
        form.program.unpack_results(found, chain, inverse)
        return {"seconds": took, "status": form.program.status, **_judged(instance.question, form)}
    except (*CRASHES, md.MechdesignError) as error:
        return {"failed": f"{type(error).__name__}: {error}"[:200]}


def _judged(question: md.Question, form: Posed) -> dict[str, Any]:
    """Repair the answer and prove what it is worth."""
    raw, problem, notion = form.matrix(), question.problem, question.notion
    keep = question.objective.outputs(problem) is not None
    repaired = repair(raw, notion, problem, keep_outputs=keep).matrix
    proved = prove(question, problem, repaired, form.multipliers(), "raw")
    return {"gap": proved.gap, "private": _private(raw, notion, problem)}


def _private(raw: Array, notion: md.notions.Notion, problem: md.Problem) -> bool:
    try:
        return md.audit(raw, notion, problem).holds
    except md.DomainError:
        # A negative entry, or a row that does not sum to one.
        return False


def all_of(solver: str, names: list[str]) -> dict[str, Any]:
    """Return what one solver does on the instances of these names, after one that is not counted."""
    warnings.simplefilter("ignore")
    asked = [each for each in instances() if each.name in names]
    one(asked[0], solver)
    return {each.name: one(each, solver) for each in asked}


def violations(matrix: Array, epsilon: float) -> tuple[int, int]:
    """Return how many of the ordered pairs of inputs break ``Q[x, y] <= e^epsilon Q[x', y]`` exactly, and negatives."""
    E = exp_below(epsilon)
    exact = [[Fraction(float(entry)) for entry in column] for column in matrix.T]
    broken = sum(first > E * second for column in exact for first in column for second in column)
    return broken, int((matrix < 0).sum())


def raw_answers(n: int, epsilon: float) -> dict[str, Any]:
    """Return the violations of each solver's answer, as it comes by default, and of ours."""
    warnings.simplefilter("ignore")
    prior = np.random.default_rng(n).dirichlet(np.ones(n)).tolist()
    cost, problem = loss(prior), md.Problem(prior=prior, values=np.arange(n))
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
        broken, negative = violations(matrix, epsilon)
        clipped = np.maximum(matrix, 0.0)
        mended = violations(clipped / clipped.sum(axis=1, keepdims=True), epsilon)[0]
        off = float((cost * matrix).sum()) / made.value - 1.0
        found[name] = {"broken": broken, "negative": negative, "mended": mended, "off": off}
    return found if "libqif" in found else {**found, "libqif": {"why": why}}


def measure(quick: bool) -> Part:
    """Return how many instances each solver solves, how quickly, and how many of its answers were private."""
    listed = instances()[:: 5 if quick else 1]
    found = {}
    for solver in (OURS, *SOLVERS):
        outcome = apart(
            "benchmarks.solvers:all_of",
            {"solver": solver, "names": [each.name for each in listed]},
            30 + 2 * len(listed),
        )
        found[solver] = outcome.value or {each.name: {"failed": outcome.why} for each in listed}
    rows = [row for solver in found for row in _rows(solver, found)]
    answers = apart("benchmarks.solvers:raw_answers", {"n": 10, "epsilon": 1.0}, 60.0)
    rows += [_violating(name, each) for name, each in answers.value.items()]
    return Part("solvers", rows, {"runs": found, "times": solved(found), "raw answers": answers.value})


def solved(found: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, float]]:
    """Return the seconds of each solver on the instances that it solved to the accuracy asked for."""
    return {
        solver: {name: run["seconds"] for name, run in runs.items() if run.get("gap", math.inf) <= ACCURACY}
        for solver, runs in found.items()
    }


def _rows(solver: str, found: dict[str, dict[str, dict[str, Any]]]) -> list[Row]:
    runs = found[solver].values()
    shares = shares_solved(solved(found), [*TOLD, math.inf])[solver]
    told = ", ".join(f"within {m:g}x {100 * share:.0f} %" for m, share in zip(TOLD, shares, strict=False))
    refused = sum("refused" in run for run in runs)
    failed = sum("failed" in run for run in runs)
    short = sum(run.get("gap", 0.0) > ACCURACY for run in runs)
    note = f"{told}; not offered {refused}, failed {failed}, short of 1e-6 {short}"
    answered = sum("private" in run for run in runs)
    leaks = sum(not run["private"] for run in runs if "private" in run)
    return [
        Row(f"{solver}: instances certified to 1e-6", 100 * shares[-1], f"% of {len(runs)}", note=note),
        Row(f"{solver}: raw answers that break the notion", leaks, f"of {answered}"),
    ]


def _violating(name: str, found: dict[str, Any]) -> Row:
    work = f"{name}: ordered pairs broken exactly, 10 x 10, LDP, eps = 1, absolute error"
    if "why" in found:
        return Row(work, None, "of 900", note=found["why"])
    said = f"{found['negative']} negative entries, {found['mended']} broken after clipping and scaling"
    note = f"{said}, value {100 * found['off']:+.2g} %"
    promised = 0.0 if name == OURS else None
    return Row(work, found["broken"], "of 900", promised, note=note)
