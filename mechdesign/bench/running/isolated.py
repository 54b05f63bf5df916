"""Each run in a process of its own: what hangs, crashes or runs out of memory is an outcome and ends nothing else."""

from __future__ import annotations

import os
import signal
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from mechdesign.bench.running.child import PREPARING, READY, Order, Returned, run_order

#: Before numpy is loaded, or its BLAS starts a thread for each core.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)
#: Loaded once, by the process from which those of the runs are forked.
LOADED = ["mechdesign.bench.running.child", "mechdesign.designing.entry", "cvxpy", "highspy", "scipy.sparse"]
#: Seconds for loading and writing the program, and what a limit may be passed by, in seconds and as a share.
TO_START, LATE, LATE_SHARE = 120.0, 2.0, 0.2


def run_isolated(order: Order) -> Returned:
    """Return the result of `order`, run in a process of its own."""
    os.environ.update({name: os.environ.get(name, one) for name, one in ONE_THREAD.items()})
    context: Any = get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=run_order, args=(there, order), daemon=True)
    process.start()
    there.close()
    try:
        return _received(here, order) or _ended(process)
    finally:
        if process.is_alive():
            process.kill()
        process.join()
        here.close()


def _received(here: Connection, order: Order) -> Returned | None:
    """Return the result that the process sends, or a time-out; None where it ended without sending one."""
    patience = TO_START
    while True:
        if not here.poll(patience):
            started = patience != TO_START
            limit = (
                f"it did not return within {order.time_limit:g} s" if started else f"not ready within {TO_START:g} s"
            )
            return Returned("timed out", limit)
        try:
            message = here.recv()
        except EOFError:
            return None
        if message not in (READY, PREPARING):
            assert isinstance(message, Returned), "a process sends nothing else"
            return message
        patience = TO_START if message == PREPARING else order.time_limit * (1.0 + LATE_SHARE) + LATE


def _ended(process: Any) -> Returned:
    """Return the result of a process that ended without sending one: a crash, with its signal or code."""
    process.join(10.0)
    code = process.exitcode
    if code is not None and code < 0:
        return Returned("crashed", f"its process was ended by {signal.Signals(-code).name}")
    return Returned("crashed", f"its process ended with code {code}")
