"""How many threads solvers and BLAS may use: one number, set around a design, that each of them asks for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ASKED: ContextVar[int] = ContextVar("mechdesign_threads", default=1)


def thread_count() -> int:
    """Return how many threads a solver may use: one, unless more were asked for."""
    return _ASKED.get()


@contextmanager
def limited(threads: int | None) -> Iterator[None]:
    """Let every solver within use `threads` threads, and BLAS too; None leaves both as they are."""
    if threads is None:
        yield
        return
    from threadpoolctl import threadpool_limits

    before = _ASKED.get()
    token = _ASKED.set(threads)
    _restart_highs(before, threads)
    try:
        with threadpool_limits(limits=threads, user_api="blas"):
            yield
    finally:
        _ASKED.reset(token)
        _restart_highs(threads, before)


def _restart_highs(before: int, after: int) -> None:
    """Let HiGHS start its scheduler anew: there is one in a process, and it refuses another number of threads."""
    if before != after and "highspy" in sys.modules:
        sys.modules["highspy"].Highs.resetGlobalScheduler(True)
