"""How many threads solvers and BLAS may use: one number, set around a design, that each of them asks for.

A process has one number of BLAS threads, and one handler of Ctrl-C, whichever of its threads designs. Both are as they
were when the last design has ended, in whatever order designs end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

_ASKED: ContextVar[int] = ContextVar("mechdesign_threads", default=1)

#: The modules that bring a BLAS of their own along.
_WITH_BLAS = ("numpy", "scipy.linalg", "scs")
_HANDLER = Lock()


def thread_count() -> int:
    """Return how many threads a solver may use: one, unless more were asked for."""
    return _ASKED.get()


@contextmanager
def limited(threads: int | None) -> Iterator[None]:
    """Let every solver within use `threads` threads, and BLAS too; None is the number around it, one by default."""
    import_module("scipy.linalg")  # its BLAS has to be loaded before it can be limited
    before = _ASKED.get()
    within = before if threads is None else threads
    token = _ASKED.set(within)
    _restart_highs(before, within)
    try:
        with blas_limited(within):
            yield
    finally:
        _ASKED.reset(token)
        _restart_highs(within, before)


@contextmanager
def blas_limited(threads: int) -> Iterator[None]:
    """Let BLAS use `threads` threads within: the least number that any design asks for while several run.

    More than one wait for each other in thousands of small products: 10 to 30 times slower, on an idle machine too.
    """
    own = [(library, library.get_num_threads()) for library in _libraries() if _of_each_thread(library)]
    for library, _ in own:
        library.set_num_threads(threads)
    _BLAS.enter(threads)
    try:
        yield
    finally:
        _BLAS.leave(threads)
        for library, before in own:
            library.set_num_threads(before)


@contextmanager
def alone(handles_interrupts: bool) -> Iterator[None]:
    """Let no other thread run a solver within, where it puts a handler of Ctrl-C of its own into the process.

    Two that overlap would each put back what it found, and the handler of the first would stay for good.
    """
    with _HANDLER if handles_interrupts else nullcontext():
        yield


class _SharedLimit:
    """The number of BLAS threads while designs run, and the number before the first of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked: list[int] = []
        #: By library file: the number before the first design, and the one that was set.
        self._before: dict[str, tuple[int, int]] = {}

    def enter(self, threads: int) -> None:
        with self._lock:
            self._asked.append(threads)
            self._set(min(self._asked))

    def leave(self, threads: int) -> None:
        with self._lock:
            least = min(self._asked)
            self._asked.remove(threads)
            if not self._asked:
                self._restore()
            elif min(self._asked) != least:
                self._set(min(self._asked))

    def _set(self, threads: int) -> None:
        for library in filter(_of_the_process, _libraries()):
            found = library.get_num_threads()
            before, _ = self._before.get(library.filepath, (found, found))
            if found != threads:
                _change(library, threads)
            # What it took, which is less than asked where it was built for one thread.
            self._before[library.filepath] = before, library.get_num_threads()

    def _restore(self) -> None:
        for library in filter(_of_the_process, _libraries()):
            before, ours = self._before.get(library.filepath, (None, None))
            # Another number than ours is somebody else's by now.
            if before is not None and before != ours == library.get_num_threads():
                _change(library, before)
        self._before.clear()


_BLAS = _SharedLimit()


def _of_each_thread(library: Any) -> bool:
    # OpenBLAS on OpenMP has a number for each thread.
    return getattr(library, "threading_layer", None) == "openmp"


def _of_the_process(library: Any) -> bool:
    return not _of_each_thread(library)


def _change(library: Any, threads: int) -> None:
    library.set_num_threads(threads)
    # From 3.8 on threadpoolctl lets nobody but the thread that set a number change it, and another may leave last.
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release()


def _libraries() -> list[Any]:
    return _loaded(tuple(name in sys.modules for name in _WITH_BLAS))


@cache
def _loaded(_: tuple[bool, ...]) -> list[Any]:
    from threadpoolctl import ThreadpoolController

    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


def _restart_highs(before: int, after: int) -> None:
    """Let HiGHS start its scheduler anew: each thread has one, and it refuses another number of threads."""
    if before != after and "highspy" in sys.modules:
        sys.modules["highspy"].Highs.resetGlobalScheduler(True)
