"""What the results come to, in sentences."""

from __future__ import annotations

import statistics

from mechdesign.bench.judging.score import OPPOSITE, UNRELATED
from mechdesign.bench.results import Results
from mechdesign.version import VERSION

#: Accuracies that are spoken of.
SPOKEN = (1e-3, 1e-6, 1e-9)
#: A ratio of times below this is no lead.
CLOSE = 1.1
#: Reasons of failures that are said of a solver.
SHOWN = 3


def citation() -> str:
    """Return an entry of BibTeX for the benchmark, of the version that is installed."""
    title = "{mechdesign}: provably optimal local-privacy mechanisms, and a benchmark of solvers"
    fields = {"title": title, "author": "{The mechdesign developers}", "version": VERSION}
    return "@software{mechdesign, " + ", ".join(f"{name} = {{{text}}}" for name, text in fields.items()) + "}"


def sentences(results: Results) -> list[str]:
    """Return the results in sentences: who solves most, who is quickest, whose matrices are private, what failed."""
    total = len(results.instances)
    if not results.runs:
        return ["There are no runs."]
    found = [_most(results, accuracy, total) for accuracy in SPOKEN]
    found.append(_quickest(results))
    found.append(_private(results))
    found.append(_spread(results))
    found += _failures(results)
    found += _multipliers(results)
    found += _besides(results)
    found += _shared(results)
    return [each for each in found if each]


def _most(results: Results, accuracy: float, total: int) -> str:
    solved = results.solved(accuracy)
    most = max(solved.values())
    best = [solver for solver, count in solved.items() if count == most]
    rest = sorted(((count, solver) for solver, count in solved.items() if solver not in best), reverse=True)
    said = f"To {accuracy:.0e}: {_listed(best)} {_solve(best)} {most} of {total} instances"
    return said + ("." if not rest else "; " + ", ".join(f"{solver} {count}" for count, solver in rest) + ".")


def _quickest(results: Results) -> str:
    times = results.times(1e-6)
    by_solver = {solver: results.mean_time(solver, 1e-6) for solver in times if times[solver]}
    if len(by_solver) < 2 or not results.common:
        return ""
    ranked = sorted(by_solver, key=by_solver.__getitem__)
    ratio = by_solver[ranked[1]] / by_solver[ranked[0]]
    ahead = f"{ratio:.2g} times as quick as {ranked[1]}" if ratio >= CLOSE else f"with {ranked[1]} close behind"
    return (
        f"By the shifted geometric mean of the seconds to 1e-6 on the {len(results.common)} instances that all solvers "
        f"take, {ranked[0]} is the quickest, {ahead}; what is not solved counts as the "
        f"time limit, {results.time_limit:g} s."
    )


def _private(results: Results) -> str:
    answered = {
        solver: {run.instance for run in results.of(solver) if run.score is not None} for solver in results.solvers
    }
    said = []
    for solver, names in answered.items():
        broken = {
            run.instance for run in results.of(solver) if run.score and run.score.privacy and run.score.privacy.violated
        }
        if names:
            said.append(f"{solver} {len(broken)} of {len(names)}")
    return f"Instances on which a matrix, as it came, was not private: {', '.join(said)}." if said else ""


def _spread(results: Results) -> str:
    """Return how far apart the repetitions of one run are: the median of the slowest over the quickest."""
    said = []
    for solver in results.solvers:
        repeated = (run.seconds for run in results.of(solver) if len(run.seconds) > 1)
        ratios = [max(seconds) / min(seconds) for seconds in repeated if min(seconds) > 0]
        if ratios:
            said.append(f"{solver} {statistics.median(ratios):.2f}")
    return f"The slowest repetition of a run over its quickest, in the median: {', '.join(said)}." if said else ""


def _shared(results: Results) -> list[str]:
    jobs = {run.conditions.jobs for run in results.runs if run.conditions is not None}
    if max(jobs, default=1) == 1:
        return []
    return [f"Times are those of a machine that was shared: {max(jobs)} runs went on beside each other."]


def _failures(results: Results) -> list[str]:
    found = []
    for solver in results.solvers:
        outcomes: dict[str, int] = {}
        reasons: dict[str, str] = {}
        for run in results.of(solver):
            if run.outcome not in ("answered", "refused"):
                outcomes[run.outcome] = outcomes.get(run.outcome, 0) + 1
                reasons.setdefault(run.why, f"{run.instance}: {run.why.rstrip('.')}")
        false = sum(
            any(fault.startswith("it says") for fault in run.score.faults) for run in results.of(solver) if run.score
        )
        if false:
            outcomes["said something false of its answer"] = false
        if outcomes:
            counts = ", ".join(f"{count} {what}" for what, count in outcomes.items())
            runs = sum(1 for _ in results.of(solver))
            found.append(f"{solver}, of {runs} run{'s' * (runs != 1)}: {counts}.{_reasons(list(reasons.values()))}")
    return found


def _multipliers(results: Results) -> list[str]:
    """Return on how many instances good points came with multipliers that prove nothing, and why."""
    found = []
    for solver in results.solvers:
        counts = {why: len(results.with_fault(solver, f"its multipliers {why}")) for why in (OPPOSITE, UNRELATED)}
        said = ", ".join(f"{why} on {_instances(count)}" for why, count in counts.items() if count)
        if said:
            found.append(f"{solver}: its points are good, and its multipliers {said}: they prove no bound.")
    return found


def _reasons(reasons: list[str]) -> str:
    """Return the first of each reason, up to the length of a paragraph."""
    if not reasons:
        return ""
    more = f"; and {len(reasons) - SHOWN} other reasons" if len(reasons) > SHOWN else ""
    return f" The first of them, {'; '.join(reasons[:SHOWN])}{more}."


def _besides(results: Results) -> list[str]:
    """Return on how many instances each solver did something besides solving."""
    found: dict[tuple[str, str], set[str]] = {}
    for run in results.runs:
        for note in run.notes:
            found.setdefault((run.solver, note), set()).add(run.instance)
    return [f"{solver}: {note}, on {_instances(len(names))}." for (solver, note), names in found.items()]


def _instances(count: int) -> str:
    return "1 instance" if count == 1 else f"{count} instances"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _solve(names: list[str]) -> str:
    return "solves" if len(names) == 1 else "solve"
