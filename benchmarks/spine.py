"""What the first release promises, as ratios in one run: import time, expected loss, MMSE at n = 100."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import mechdesign as md
from benchmarks.measuring import ROOT, Part, Row, seconds
from benchmarks.peers import Array, all_pairs, auxiliary_minimum
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.repair.exactly_private import repair


def line_problem(n: int, seed: int = 0) -> md.Problem:
    """Return n values on a line with a skewed random prior."""
    return md.Problem(prior=np.random.default_rng(seed).dirichlet(np.ones(n)), values=np.arange(n))


def import_time() -> Row:
    """Compare ``import mechdesign`` with ``import numpy``, each in a fresh interpreter that measures itself."""
    clock = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"

    def once(package: str) -> float:
        command = [sys.executable, "-c", clock.format(package)]
        return float(subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout)

    # The least of interleaved runs: another process on the machine only ever adds time.
    times = [(once("mechdesign"), once("numpy")) for _ in range(10)]
    ours, numpy = (min(each) for each in zip(*times, strict=True))
    return Row("import mechdesign / import numpy", ours / numpy, "x", 3.0)


def _worth(cost: Array, matrix: Array) -> float:
    return float((cost * matrix).sum())


def expected_loss(n: int, at_most: float, runs: int) -> list[Row]:
    """Compare the LDP design for absolute error with hand-written cvxpy, repair and certificate included."""
    problem, notion, objective = line_problem(n), md.LDP(1.0), md.AbsoluteError()
    cost = objective.cost(problem)
    made = md.design(problem, notion, objective)
    peers: dict[str, Callable[[], float]] = {
        "auxiliary minimum, CLARABEL": lambda: _worth(cost, auxiliary_minimum(cost, 1.0, "CLARABEL"))
    }
    if n <= 20:
        peers["all pairs, CLARABEL"] = lambda: _worth(cost, all_pairs(cost, 1.0, "CLARABEL"))
        peers["all pairs, HIGHS"] = lambda: _worth(cost, all_pairs(cost, 1.0, "HIGHS"))
    else:
        peers["auxiliary minimum, ECOS"] = lambda: _worth(cost, auxiliary_minimum(cost, 1.0, "ECOS"))
    for name, peer in peers.items():
        assert abs(peer() - made.value) <= 1e-5 * made.value, name
    ours = seconds(lambda: md.design(problem, notion, objective), runs)
    times = {name: seconds(peer, runs) for name, peer in peers.items()}
    best = min(times, key=lambda name: times[name])
    matrix, multipliers = made.by_decision, made.mechanism.claimed.multipliers
    noisy = matrix * (1 + 1e-9 * np.random.default_rng(1).normal(size=matrix.shape))

    def finishing() -> None:
        repair(noisy, notion, problem, keep_outputs=True)
        utility_bound(notion, objective, problem, multipliers)

    solved = made.timings["build"] + made.timings["solve"]
    finished = seconds(finishing, runs)
    return [
        Row(f"LDP absolute error n = {n} / best hand-written cvxpy", ours / times[best], "x", at_most, note=best),
        Row(f"solve with repair and certificate / solve, n = {n}", (solved + finished) / solved, "x", 1.5),
    ]


def mmse(n: int) -> list[Row]:
    """Time the columns route for MMSE at a certified 1e-6."""
    rows = []
    rng = np.random.default_rng(5)
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    for notion in (md.LDP(1.0), md.LIP(1.0), md.LIP(2.5)):
        started = time.process_time()
        made = md.design(problem, notion, md.MMSE(), route="columns")
        took = time.process_time() - started
        rows.append(Row(f"{notion} MMSE n = {n} by columns", took, "s", 20.0, note=f"certified gap {made.gap:.1e}"))
        assert made.gap <= 1e-6, made
    return rows


def against_brute_force() -> Row:
    """Compare values with a linear program over vertices found by trying every choice of tight rows, n up to 6."""
    from tests.helpers import brute_force as brute

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
    return Row("largest relative error against brute force, LDP and LIP, n <= 6", worst, "", 2e-6)


def measure(quick: bool) -> Part:
    """Return every row."""
    rows = [import_time(), against_brute_force(), *expected_loss(20, 2.0, 15)]
    return Part("spine", rows if quick else [*rows, *expected_loss(200, 1.0, 3), *mmse(100)])
