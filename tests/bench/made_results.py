"""Results with known numbers, made without any run."""

import math

from mechdesign.bench import PrivacyScore, Results, Run, Score


def score(error=0.0, violated=0, faults=()):
    privacy = PrivacyScore(10, violated, 1e-9 * violated, 1.0, 0.0, 0.0, 0, 0.0)
    return Score(privacy, 0.0, error, 0.0, error, tuple(faults))


def run(solver, instance, seconds, error=0.0, accuracy=1e-9, outcome="answered", **more):
    scored = score(error, more.pop("violated", 0), more.pop("faults", ())) if outcome == "answered" else None
    times = () if math.isinf(seconds) else (seconds,)
    kind = {"form": "all pairs", "kind": "linear", "version": "1.0", "status": "optimal", **more}
    return Run(
        "small", instance, solver=solver, accuracy=accuracy, outcome=outcome, seconds=times, score=scored, **kind
    )


def results(*runs):
    return Results(tuple(runs))
