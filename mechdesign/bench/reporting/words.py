"""What the results come to, in sentences."""

from __future__ import annotations

from mechdesign.bench.results import Results

#: Accuracies that are spoken of.
SPOKEN = (1e-3, 1e-6, 1e-9)


def sentences(results: Results) -> list[str]:
    """Return what the results come to: who solves most, who is quickest, whose matrices are private, what failed."""
    total = len(results.instances)
    if not results.runs:
        return ["There are no runs."]
    found = [_most(results, accuracy, total) for accuracy in SPOKEN]
    found.append(_quickest(results))
    found.append(_private(results))
    found += _failures(results)
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
    return (
        f"By the shifted geometric mean of the seconds to 1e-6 on the {len(results.common)} instances that all solvers "
        f"take, {ranked[0]} is the quickest, {ratio:.2g} times as quick as {ranked[1]}; what is not solved counts as "
        f"ten seconds."
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


def _failures(results: Results) -> list[str]:
    found = []
    for solver in results.solvers:
        outcomes: dict[str, int] = {}
        reasons: list[str] = []
        for run in results.of(solver):
            if run.outcome not in ("answered", "refused"):
                outcomes[run.outcome] = outcomes.get(run.outcome, 0) + 1
                reasons.append(f"{run.instance}: {run.why}")
        false = sum(
            any(fault.startswith("it says") for fault in run.score.faults) for run in results.of(solver) if run.score
        )
        if false:
            outcomes["said something false of its answer"] = false
        if outcomes:
            counts = ", ".join(f"{count} {what}" for what, count in outcomes.items())
            found.append(f"{solver}: {counts}." + (f" The first of them, {reasons[0].rstrip('.')}." if reasons else ""))
    return found


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _solve(names: list[str]) -> str:
    return "solves" if len(names) == 1 else "solve"
