"""What the first release promises, as ratios in one run: import time, expected loss, MMSE at n = 100."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import mechdesign as md
from benchmarks.peers import all_pairs, auxiliary_minimum
from mechdesign.solve.certify import utility_bound
from mechdesign.solve.repair import repair


@dataclass(frozen=True)
class Measured:
    """One row of the report: what was compared, the number, and what it has to stay below."""

    what: str
    number: float
    at_most: float
    unit: str
    note: str = ""

    @property
    def reached(self) -> bool:
        """Whether the promise is kept."""
        return self.number <= self.at_most


def line_problem(n: int, seed: int = 0) -> md.Problem:
    """Return n values on a line with a skewed random prior."""
    return md.Problem(prior=np.random.default_rng(seed).dirichlet(np.ones(n)), values=np.arange(n))


def seconds(work: Callable[[], object], runs: int) -> float:
    """Return the median time of `runs` calls after one that is not counted."""
    work()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def import_time() -> Measured:
    """Compare ``import mechdesign`` with ``import numpy`` in fresh interpreters, the bare start taken off."""

    def run(statement: str) -> float:
        def once() -> None:
            subprocess.run([sys.executable, "-c", statement], check=True)

        return seconds(once, 7)

    bare = run("pass")
    ratio = (run("import mechdesign") - bare) / (run("import numpy") - bare)
    return Measured("import mechdesign / import numpy", ratio, 3.0, "x")


def expected_loss(n: int, at_most: float, runs: int) -> list[Measured]:
    """Compare the LDP design for absolute error with hand-written cvxpy, repair and certificate included."""
    problem, notion, objective = line_problem(n), md.LDP(1.0), md.AbsoluteError()
    cost = objective.cost(problem)
    made = md.design(problem, notion, objective)
    peers: dict[str, Callable[[], float]] = {
        "auxiliary minimum, CLARABEL": lambda: auxiliary_minimum(cost, 1.0, "CLARABEL")
    }
    if n <= 20:
        peers["all pairs, CLARABEL"] = lambda: all_pairs(cost, 1.0, "CLARABEL")
        peers["all pairs, HIGHS"] = lambda: all_pairs(cost, 1.0, "HIGHS")
    else:
        peers["auxiliary minimum, ECOS"] = lambda: auxiliary_minimum(cost, 1.0, "ECOS")
    ours = seconds(lambda: md.design(problem, notion, objective), runs)
    times = {name: seconds(peer, runs) for name, peer in peers.items()}
    for name, peer in peers.items():
        assert abs(peer() - made.value) <= 1e-5 * made.value, name
    best = min(times, key=lambda name: times[name])
    matrix, multipliers = made.matrix, made.mechanism.certificate.multipliers
    noisy = matrix * (1 + 1e-9 * np.random.default_rng(1).normal(size=matrix.shape))

    def finishing() -> None:
        repair(noisy, notion, problem, keep_outputs=True)
        utility_bound(notion, objective, problem, multipliers)

    solved = made.timings["build"] + made.timings["solve"]
    return [
        Measured(f"LDP absolute error n = {n} / best hand-written cvxpy", ours / times[best], at_most, "x", best),
        Measured(
            f"solve with repair and certificate / solve, n = {n}",
            (solved + seconds(finishing, runs)) / solved,
            1.5,
            "x",
        ),
    ]


def mmse(n: int) -> list[Measured]:
    """Time the columns route for MMSE at a certified 1e-6."""
    rows = []
    rng = np.random.default_rng(5)
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    for notion in (md.LDP(1.0), md.LIP(1.0), md.LIP(2.5)):
        started = time.perf_counter()
        made = md.design(problem, notion, md.MMSE(), route="columns")
        took = time.perf_counter() - started
        rows.append(Measured(f"{notion} MMSE n = {n} by columns", took, 20.0, "s", f"certified gap {made.gap:.1e}"))
        assert made.gap <= 1e-6, made
    return rows


def against_brute_force() -> Measured:
    """Compare values with a linear program over vertices found by trying every choice of tight rows, n up to 6."""
    from tests import brute_force as brute

    rng, worst = np.random.default_rng(7), 0.0
    for n in (3, 5, 6):
        prior, values = rng.dirichlet(np.ones(n)), rng.normal(size=n)
        theta, other = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        problem = md.Problem(prior=prior, values=values)
        direction = theta - other
        for epsilon in (0.2, 1.0, 2.5):
            for notion, columns in (
                (md.LDP(epsilon), brute.ldp_vectors(n, epsilon)),
                (md.LIP(epsilon), brute.vertices(brute.lip_rows(prior, epsilon), prior)),
            ):
                for objective, sign, utilities in (
                    (md.MMSE(), -1, brute.squared_error(columns, prior, values)),
                    (md.FisherInformation(theta, direction), 1, brute.fisher(columns, theta, direction)),
                    (md.KLDivergence(theta, other), 1, brute.divergence("KLDivergence", columns, theta, other)),
                    (md.TotalVariation(theta, other), 1, brute.divergence("TotalVariation", columns, theta, other)),
                    (md.MutualInformation(), 1, brute.information(columns, prior)),
                ):
                    best = sign * brute.optimum(columns, sign * utilities)
                    worst = max(worst, abs(md.design(problem, notion, objective).value - best) / abs(best))
    return Measured("largest relative error against brute force, LDP and LIP, n <= 6", worst, 2e-6, "")


def measure() -> list[Measured]:
    """Return every row."""
    return [import_time(), against_brute_force(), *expected_loss(20, 2.0, 15), *expected_loss(200, 1.0, 3), *mmse(100)]
