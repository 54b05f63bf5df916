"""Which solver is the quickest for the program over finitely many decisions: ``python -m benchmarks.solver_rule``.

Prints seconds, and the certified gap after the repair, of each engine on each kind of cone and size; what wins is
written into ``mechdesign.solve.solvers.rule`` by hand, with the size at which the winner changes. ``--results FILE``
reads a file of ``mechdesign bench run`` instead, and says by shape and size whether the rule's solver is the quickest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

import mechdesign as md
from benchmarks.measuring import quickest
from mechdesign import bench
from mechdesign.errors import MechdesignError
from mechdesign.notions import Notion
from mechdesign.objectives import Linear
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import now, until
from mechdesign.solve.interior_point.primal_dual import solve_band
from mechdesign.solve.programs.over_curved_cone import solve_curved
from mechdesign.solve.programs.over_decisions import decision_program
from mechdesign.solve.routes import columns
from mechdesign.solve.solvers import rule as solver_rule
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.rule import is_grown
from mechdesign.solve.task import Task, WarmStart

LEVELS = (0.1, 0.3, 1.0, 2.0, 4.0, 6.0)
#: The forms of programs over the matrix, and the solvers that the rule chooses among, by their names in results.
OVER_MATRICES = ("auxiliary variables", "all pairs", "neighbouring pairs", "decisions")
RULED = ("HIGHS", "HIGHS-IPM", "CLARABEL", "MECHDESIGN")
ENGINES = ("STRUCTURED", "simplex", "interior", "CLARABEL", "grown")


def notions(n: int, rng: np.random.Generator, problem: md.Problem) -> dict[str, tuple[Notion, md.Problem]]:
    """Return one notion of each kind of cone, and what its mechanism takes."""
    places = 4.0 * rng.random((n, 2))
    line = 4.0 * np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / n
    prior = problem.prior
    assert prior is not None
    profiles = md.ProfileDP(1.0, rng.dirichlet(np.ones(n), size=2), ((0, 1),), profile_prior=[0.5, 0.5])
    own: dict[str, Notion] = {
        "band LDP": md.LDP(1.0),
        "band LIP": md.LIP(1.0),
        "blocks": md.BlockLDP(1.0, [tuple(range(n // 2)), tuple(range(n // 2, n))]),
        "line metric": md.MetricDP(1.0, line),
        "plane metric": md.MetricDP(1.0, np.hypot(*(places[:, None] - places).transpose(2, 0, 1))),
        "bounded prior": md.BoundedPriorLIP(1.0, prior / 2, np.minimum(1.0, 2 * prior)),
        "L1": md.StrongL1(0.3),
        "ball": md.StrongChiSquare(0.3),
        "both": md.LIP(1.0) & md.LDP(1.0),
    }
    few = {"few rows": (profiles, profiles.inputs(md.Problem(values=problem.values)))}
    return {name: (notion, problem) for name, notion in own.items()} | few


def one(engine: str, notion: Notion, problem: md.Problem, limit: float) -> str:
    """Return the seconds of one engine on one program, or why there are none."""
    objective = md.AbsoluteError()
    gains = objective.gains(problem)
    scale = float(np.abs(gains).max())
    cone = notion.columns(problem).cone()
    started = time.process_time()
    try:
        if not _offered(engine, notion, problem):
            return "-"
        if engine == "grown":
            rows, status = grown(notion, problem, objective, limit)
        elif not notion.polyhedral:
            with until(now() + limit):
                curved = solve_curved(_task(notion, problem, objective), gains / scale, engine)
            rows, status = curved.rows, curved.stats.status
        elif engine == "STRUCTURED":
            assert cone.band_of_inputs is not None
            with until(now() + limit):
                solved = solve_band(cone.band_of_inputs, gains / scale)
            rows, status = solved.rows, solved.status
        else:
            program, _ = decision_program(cone, gains / scale)
            name = "CLARABEL" if engine == "CLARABEL" else "HIGHS"
            found = solve_linear(program, name, interior=engine == "interior", time_limit=limit)
            rows, status = -found.multipliers[: problem.n], found.stats.status
    except MechdesignError as error:
        return f"failed ({str(error)[:30]})"
    took = time.process_time() - started
    return f"{took:8.3f}s sum {rows.sum():.9f} {status}"


def _offered(engine: str, notion: Notion, problem: md.Problem) -> bool:
    if engine == "grown":
        return is_grown(notion, problem) or notion.columns(problem).cone().band_of_inputs is not None
    if engine == "STRUCTURED":
        return notion.columns(problem).cone().band_of_inputs is not None
    return notion.polyhedral or engine == "CLARABEL"


def _task(notion: Notion, problem: md.Problem, objective: Linear) -> Task:
    solver = "HIGHS" if notion.polyhedral else "CLARABEL"
    return Task(problem, notion, objective, solver=solver)


def grown(notion: Notion, problem: md.Problem, objective: Linear, limit: float) -> tuple[Array, str]:
    """Solve the program from one decision, whatever the rule says, and return its multipliers."""
    gains = objective.gains(problem)
    first = WarmStart(chosen=np.array([gains.sum(axis=1).argmax()]), whole=True)
    with until(now() + limit):
        candidate = columns.ROUTE.solve(replace(_task(notion, problem, objective), warm_start=first))
    return candidate.multipliers.rows / np.abs(gains).max(), candidate.note


def over_levels(n: int, limit: float) -> Iterator[str]:
    """Yield lines of ratios of the program from one decision to our interior point over all, over bands."""
    rng = np.random.default_rng(n)
    problem = md.Problem(prior=rng.dirichlet(np.full(n, 2.0)), values=np.sort(rng.normal(size=n)))
    losses = (md.AbsoluteError(), md.HammingLoss(), md.ExpectedLoss(rng.exponential(size=(n, n))))
    for kind in (md.LDP, md.LIP):
        for objective in losses:
            gains = objective.gains(problem)
            found = []
            for epsilon in LEVELS:
                notion = kind(epsilon)
                band = notion.columns(problem).cone().band_of_inputs
                assert band is not None, "both are bands"
                whole = quickest(partial(solve_band, band, gains / np.abs(gains).max()))
                found.append(quickest(partial(grown, notion, problem, objective, limit)) / whole)
            ratios = "  ".join(f"{e:g}: {ratio:.2f}" for e, ratio in zip(LEVELS, found, strict=True))
            yield f"n = {n:4d}  {kind.__name__} {objective.name:14s} grown / STRUCTURED by epsilon  {ratios}"


def from_results(path: str) -> Iterator[str]:
    """Yield by shape of the cone and size which solver is the quickest to 1e-6, and how the rule's one compares."""
    results = bench.Results.read(path)
    listed = {each.name: each for name in {run.set_name for run in results.runs} for each in bench.instances(name)}
    grouped: dict[tuple[solver_rule.Shape, bool], list[str]] = {}
    for name in results.instances:
        question = listed[name].question
        if listed[name].form in OVER_MATRICES and question.notion.polyhedral:
            shape = solver_rule.shape_of(question.notion.columns(question.problem).cone())
            large = question.problem.n**2 > solver_rule.SOLVER_RULE[shape].vertex
            grouped.setdefault((shape, large), []).append(name)
    for (shape, large), names in sorted(grouped.items()):
        kept = bench.Results(tuple(run for run in results.runs if run.instance in names))
        means = {solver: kept.mean_time(solver, 1e-6) for solver in kept.solvers if solver in RULED}
        chosen = solver_rule.SOLVER_RULE[shape].solver if large else "HIGHS"
        if not means:
            yield f"{shape:10s}: none of the solvers that the rule chooses among ran"
            continue
        best = min(means, key=means.__getitem__)
        said = ", ".join(f"{solver} {mean / means[best]:.2f}" for solver, mean in means.items())
        size = "large" if large else "small"
        yield f"{shape:10s} {size} ({len(names)} instances): the rule says {chosen}; times of the quickest: {said}"


def main() -> None:
    """Print one line for each kind, size and engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[20, 40, 80])
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--results", metavar="FILE", help="a file of results of mechdesign bench run")
    parser.add_argument("--levels", action="store_true", help="ratios over a band, by loss and level")
    asked = parser.parse_args()
    if asked.results:
        print(*from_results(asked.results), sep="\n")
        return
    for n in asked.sizes:
        if asked.levels:
            print(*over_levels(n, asked.limit), sep="\n", flush=True)
            continue
        rng = np.random.default_rng(n)
        problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=np.arange(n))
        for kind, (notion, inputs) in notions(n, rng, problem).items():
            for engine in ENGINES:
                print(f"n = {n:4d}  {kind:14s} {engine:10s} {one(engine, notion, inputs, asked.limit)}", flush=True)


if __name__ == "__main__":
    main()
