"""Whether limits of real seconds are kept, and what has to be there at once: no test of the package measures either."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import mechdesign as md
from benchmarks.measuring import Part, Row, promised, quickest

#: Seconds that a design is given, and by what share and how many seconds besides it may be late.
LIMIT, SHARE, LATE = 1.0, 0.1, 1.0
#: Seconds after which a measurement is stopped.
STOPPED = 120.0

Question = tuple[md.Problem, md.Notion, md.Objective, dict[str, Any]]


def some(n: int) -> md.Problem:
    """Return n inputs with a skewed prior and values."""
    rng = np.random.default_rng([7, n])
    return md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))


def even(n: int) -> md.Problem:
    """Return n inputs that are equally likely."""
    return md.Problem(prior=np.full(n, 1.0 / n), values=np.arange(float(n)))


def divergence(n: int, kind: type[md.Objective] = md.KLDivergence) -> md.Objective:
    """Return a divergence of two distributions over n inputs."""
    return kind(*np.random.default_rng([9, n]).dirichlet(np.ones(n), size=2))


def plane(n: int) -> md.MetricDP:
    """Return metric privacy over the first n places of a square grid."""
    at = np.stack(np.divmod(np.arange(n), int(np.ceil(np.sqrt(n)))), axis=1).astype(float)
    return md.MetricDP(4.0, np.sqrt(((at[:, None] - at) ** 2).sum(axis=2)))


def laws(n: int) -> Any:
    """Return ten priors over n inputs."""
    return np.random.default_rng(1).dirichlet(np.ones(n), size=10)


def marginals_of_bits(count: int) -> md.InformationDesign:
    """Return the sum of the variances of all one- and two-way marginals of binary attributes."""
    return md.InformationDesign("A", queries=md.queries.marginals([2] * count, 2))


#: A question of each route that takes longer than it is given.
QUESTIONS: dict[str, Callable[[], Question]] = {
    "rays": lambda: (some(15), md.LDP(1.0), md.MMSE(), {"route": "rays"}),
    "columns of a band": lambda: (even(600), md.LDP(1.0), md.AbsoluteError(), {"route": "columns"}),
    "columns of a mass": lambda: (some(2000), md.LIP(3.0), md.MMSE(), {"route": "columns"}),
    "columns by HiGHS": lambda: (even(60), plane(60), md.AbsoluteError(), {"route": "columns", "solver": "HIGHS"}),
    "columns by Clarabel": lambda: (even(60), plane(60), md.AbsoluteError(), {"route": "columns"}),
    "columns of deviations": lambda: (some(200), md.StrongL1(0.3), md.AbsoluteError(), {"route": "columns"}),
    "quantised": lambda: (some(5000), md.LDP(6.0), md.MMSE(), {"route": "quantised"}),
    "subsets": lambda: (some(1000), md.LDP(1.0), md.MutualInformation(), {"route": "subsets"}),
    "closed form": lambda: (some(2500), md.LDP(1.0), md.MMSE(), {"route": "closed_form"}),
    "directions": lambda: (some(300), md.MaximalLeakage(0.3), divergence(300), {"route": "directions"}),
    "orders": lambda: (md.Problem(n=12), md.LDP(1.0), divergence(12, md.ChernoffExponent), {"route": "orders"}),
    "lifts": lambda: (some(600), md.LIP(1.0), md.MutualInformation(), {"route": "lifts"}),
    "near the prior": lambda: (some(300), md.StrongL1(0.5), md.MutualInformation(), {"route": "near_prior"}),
    "labels": lambda: (
        some(2000),
        md.LDP(1.0),
        md.LabelInformation(np.kron(np.eye(2), np.ones(1000))),
        {"route": "labels"},
    ),
    "likeliest": lambda: (some(2000), md.MaximalLeakage(1.0), md.HistogramMMSE(), {"route": "likeliest"}),
    "weights": lambda: (even(20), md.LDP(1.0), md.InformationDesign("A"), {"route": "weights"}),
    "maps": lambda: (even(100), plane(100), md.ExpectedLoss(plane(100).distance), {"route": "maps"}),
    "minimax": lambda: (even(100), plane(100), md.WorstCaseLoss(plane(100).distance), {"route": "minimax"}),
    "priors": lambda: (md.Problem(n=16), md.LDP(1.0), md.WorstCaseInformation(laws(16)), {"route": "priors"}),
    "prior by prior": lambda: (some(300), md.LDP(1.0), md.WorstCaseInformation(laws(300)), {"route": "prior_by_prior"}),
    "kernels": lambda: (even(400), plane(400), md.ExpectedLoss(plane(400).distance), {"route": "kernels"}),
    "mixture": lambda: (some(120), md.ApproximateLDP(0.5, 0.2), md.MMSE(), {"route": "mixture"}),
    "scores": lambda: (some(300), md.LDP(1.0), md.InformationDesign("c"), {"route": "scores"}),
    "attributes": lambda: (md.Problem(n=1024), md.LDP(1.0), marginals_of_bits(10), {"route": "attributes"}),
    "drawn": lambda: (some(200), md.LIP(1.0), md.InformationDesign("A"), {"route": "drawn"}),
    "blocks": lambda: (even(1000), md.LDP(1.0), md.InformationDesign("A"), {"route": "blocks"}),
    "blocks of unequal frequencies": lambda: (some(300), md.LDP(1.0), md.InformationDesign("A"), {"route": "blocks"}),
    "convex": lambda: (even(120), md.LDP(1.0), md.MaxOffDiagonal(), {"route": "convex", "solver": "HIGHS"}),
    "few outputs": lambda: (even(20), md.LDP(4.0), md.MMSE(), {"route": "few_outputs", "outputs": 6}),
    "known": lambda: (some(60), md.MutualInformationPrivacy(0.5), md.MMSE(), {"route": "known"}),
}


def limited(name: str) -> dict[str, Any]:
    """Return how many times its limit a design takes, once everything is loaded."""
    problem, notion, objective, keywords = QUESTIONS[name]()
    with warnings.catch_warnings():
        # The gap is reported beside the number.
        warnings.simplefilter("ignore", md.GapWarning)
        md.design(md.Problem(prior=[0.25, 0.75], values=[0, 1]), md.LDP(1.0), md.MMSE())
        started = time.perf_counter()
        try:
            found = md.design(problem, notion, objective, time_limit=LIMIT, **keywords)
            note, kept = f"gap {found.gap:.1e}, {found.solver_stats.status}", found.audit.holds
        except (md.SolverError, md.UnsupportedError) as error:
            note, kept = str(error)[:100], "time limit" in str(error)
        took = time.perf_counter() - started
    return {"number": took / LIMIT, "kept": kept, "note": note}


def shown() -> dict[str, Any]:
    """Measure the display of a design of a thousand inputs and outputs."""
    n = 1000
    made = md.design(even(n), md.LDP(1.0), md.AbsoluteError(), route="known", gap=1.0)
    started = time.process_time()
    size = len(made._repr_html_().encode())
    return {"number": time.process_time() - started, "kept": size < 200_000, "note": f"{size} bytes"}


def refused() -> dict[str, Any]:
    """Measure the refusal of a question whose program would take tens of gigabytes."""
    started = time.process_time()
    try:
        md.design(even(400), plane(400), md.AbsoluteError(), memory_limit=4.0, route="columns")
    except md.UnsupportedError as error:
        return {"number": time.process_time() - started, "kept": "GB" in str(error), "note": str(error)[:60]}
    return {"number": time.process_time() - started, "kept": False, "note": "answered"}


def after_the_solver(notion: str, n: int) -> dict[str, Any]:
    """Compare repair, certificate and exact check with the program: each stage the least of several."""
    kind = {"LDP": md.LDP, "LIP": md.LIP}[notion](1.0)
    rng = np.random.default_rng(0)
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=np.arange(n))
    stages = [md.design(problem, kind, md.AbsoluteError()).timings for _ in range(5)]
    least = {stage: min(timings[stage] for timings in stages) for stage in stages[0]}
    after = least["repair"] + least["certify"] + least["audit"]
    return {"number": after / (least["build"] + least["solve"]), "kept": True, "note": f"{after:.2g} s"}


def of_certain_rows() -> dict[str, Any]:
    """Compare the sampling of a row that is certain of its first output with one that is certain of its last."""
    from mechdesign.estimation.sampling import sample

    certain = np.zeros((2, 16), dtype=np.int64)
    certain[0, 0] = certain[1, -1] = 2**53
    first, last = np.zeros(400_000, dtype=np.int64), np.ones(400_000, dtype=np.int64)
    # mypy infers no type of a lambda with a default.
    times = [quickest(lambda rows=rows: sample(certain, rows)) for rows in (first, last)]  # type: ignore[misc] # see above
    return {"number": max(times) / min(times), "kept": True, "note": ""}


def row(work: str, at_most: float, unit: str, function: str, **arguments: Any) -> Row:
    """Measure one of these promises."""
    return promised(work, at_most, unit, f"benchmarks.limits:{function}", arguments, STOPPED)


def measure(quick: bool) -> Part:
    """Return a row for each route that is given less time than it needs, and for what has to be there at once."""
    names = list(QUESTIONS)[:: 4 if quick else 1]
    most = ((1.0 + SHARE) * LIMIT + LATE) / LIMIT
    rows = [row(f"time_limit={LIMIT:g}, {name}", most, "x", "limited", name=name) for name in names]
    rows.append(row("display of a design of 1000 inputs", 1.0, "s", "shown"))
    rows.append(row("refusal of a program of 79 GB", 5.0, "s", "refused"))
    for notion in ("LDP", "LIP"):
        work = f"{notion}, expected loss, n = 100: repair, certificate and check / program"
        rows.append(row(work, 1.0, "x", "after_the_solver", notion=notion, n=100))
    rows.append(row("exact sampling, a certain last output / a certain first one", 2.0, "x", "of_certain_rows"))
    return Part("limits", rows)
