"""Processor time of a design where nobody says how many threads, over that with ``threads=1``: ratios in one run.

Threads of BLAS that wait for each other spend processor time, and more of it beside other processes.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

import mechdesign as md
from benchmarks.measuring import Part, Row, promised

#: The largest ratio that is promised, and wall seconds after which a measurement is stopped.
MOST, STOPPED = 1.3, 300.0
#: Places on a side of the map, and designs of each kind, of which the quickest counts.
SIDE, RUNS = 10, 3
BUSY = "while True: pass"


@contextmanager
def beside(count: int) -> Iterator[None]:
    """Keep `count` other processes busy within."""
    with ExitStack() as stack:
        for _ in range(count):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY]))
            stack.callback(process.kill)
        yield


def map_by_default(busy: int) -> dict[str, Any]:
    """Return the processor time of a map's design without ``threads`` over the time with ``threads=1``."""
    at = np.stack(np.divmod(np.arange(SIDE**2), SIDE), axis=1).astype(float)
    notion = md.MetricDP.from_points(1.0, at)
    problem = md.Problem(prior=np.random.default_rng(SIDE).dirichlet(np.ones(SIDE**2)))
    loss = md.ExpectedLoss(notion.distance)
    least = {None: math.inf, 1: math.inf}
    gap = 0.0
    with beside(busy):
        # In turn: what else the machine does adds to both.
        for threads in (None, 1) * RUNS:
            started = time.process_time()
            gap = max(gap, md.design(problem, notion, loss, threads=threads).gap)
            least[threads] = min(least[threads], time.process_time() - started)
    note = f"{least[None]:.3g} s against {least[1]:.3g} s, gap {gap:.1e}"
    return {"number": least[None] / least[1], "kept": gap <= 1e-6, "note": note}


def measure(_: bool) -> Part:
    """Return a row for a machine that does nothing else, and one for a busy machine."""
    rows = []
    for busy, words in ((0, "alone"), (3, "beside three busy processes")):
        work = f"map of {SIDE} x {SIDE} places, default / threads=1, {words}"
        rows.append(_row(work, busy))
    return Part("threads", rows)


def _row(work: str, busy: int) -> Row:
    function, arguments = "benchmarks.threads:map_by_default", {"busy": busy}
    return promised(work, MOST, "x", function, arguments, STOPPED, one_thread=False)
