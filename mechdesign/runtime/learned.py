"""What a design learns while it works, and which ends with it: no other design, in any thread, finds it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Kept = TypeVar("Kept")

_LEARNED: ContextVar[dict[Hashable, Any] | None] = ContextVar("learned", default=None)


@contextmanager
def learning() -> Iterator[None]:
    """Let what is within keep what it learns until its end, apart from all that was learned before it."""
    token = _LEARNED.set({})
    try:
        yield
    finally:
        _LEARNED.reset(token)


def learned(key: Hashable, make: Callable[[], Kept]) -> Kept:
    """Return what was kept under `key` in the present design, or what `make` returns, which is kept there.

    Outside of a design nothing is kept.

    Examples
    --------
    >>> with learning():
    ...     learned("calls", list).append(1)
    ...     learned("calls", list)
    [1]
    >>> learned("calls", list)
    []
    """
    kept = _LEARNED.get()
    if kept is None:
        return make()
    if key not in kept:
        kept[key] = make()
    found: Kept = kept[key]
    return found
