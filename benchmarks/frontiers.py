"""100 levels as a frontier and as designs apart, in processor time of one thread: `python -m benchmarks.frontiers`."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import mechdesign as md

LEVELS = np.geomspace(0.1, 3.0, 100)


def cases() -> Iterator[tuple[str, md.Problem, type[Any], Any]]:
    """Yield the name, the problem, the notion's class and the objective of each case."""
    for n, kind in ((30, md.LDP), (60, md.LDP), (150, md.LDP), (60, md.LIP), (100, md.LIP)):
        problem = drawn(n)
        values = np.asarray(problem.values)
        distance = np.abs(np.subtract.outer(values, values))
        yield f"{kind.__name__} absolute loss n={n}", problem, kind, md.ExpectedLoss(distance)
    yield "LDP Hamming n=100", drawn(100), md.LDP, md.HammingLoss()
    yield "LDP MMSE n=60", drawn(60), md.LDP, md.MMSE()
    yield "LIP MMSE n=30", drawn(30), md.LIP, md.MMSE()
    yield "LDP mutual information n=8", drawn(8), md.LDP, md.MutualInformation()


def drawn(n: int) -> md.Problem:
    rng = np.random.default_rng(1)
    return md.Problem(prior=rng.dirichlet(np.full(n, 2.0)), values=np.sort(rng.normal(size=n)))


def main(wanted: Sequence[str]) -> None:
    warnings.simplefilter("ignore", md.GapWarning)
    print(f"{'case':32} {'apart':>9} {'frontier':>9} {'ratio':>6}")
    for name, problem, kind, objective in cases():
        if wanted and not any(word in name for word in wanted):
            continue
        md.design(problem, kind(1.0), objective, threads=1)
        started = time.process_time()
        for level in LEVELS:
            md.design(problem, kind(level), objective, threads=1)
        apart = time.process_time() - started
        started = time.process_time()
        md.frontier(problem, kind, objective, LEVELS.tolist(), threads=1)
        together = time.process_time() - started
        print(f"{name:32} {apart:8.2f}s {together:8.2f}s {together / apart:6.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
