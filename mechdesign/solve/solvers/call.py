"""A call of a solver's binding: whatever it raises or returns is an answer or a SolverError, no later than allowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from mechdesign.errors import MechdesignError, SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import now, or_leave
from mechdesign.runtime.learned import learned
from mechdesign.tolerances import LARGEST_MULTIPLIER

Answer = TypeVar("Answer")

#: Seconds past the deadline after which a solver that goes on is left: most stop by themselves with what they have.
PATIENCE = 0.25
#: Seconds that Ctrl-C may wait for a solver: what took less the last time is called without a thread.
BRIEF = 0.02


def called(
    name: str, run: Callable[[], Answer], failed: str = "crashed", status: str = "crashed", *, small: bool = False
) -> Answer:
    """Return what ``run()`` returns, which calls the solver `name`.

    It runs in a thread of its own, which is left where the solver does not stop at the time limit or at Ctrl-C: without
    a time limit only where the last such call was not over soon, or there was none and the program is not `small`.

    Raises
    ------
    SolverError
        Of status `status`, with the words "`name` `failed`", whatever was raised (MemoryError, TypeError, ...); of
        status "time limit" where the solver was left.
    """
    started, site = now(), getattr(getattr(run, "func", run), "__code__", None)
    # The seconds that the last call from each place took, in the present design.
    seconds = learned("seconds of solver calls", dict[Any, float])
    brief = seconds.get(site, 0.0 if small else math.inf) < BRIEF
    try:
        return or_leave(run, PATIENCE, f"{name} was at work", brief=brief)
    except MechdesignError:
        raise
    except Exception as error:
        # A binding may raise anything; none of it is the user's doing.
        raise SolverError(f"{name} {failed} ({first_sentence(error)}).", status=status, log=str(error)) from error
    finally:
        seconds[site] = now() - started


def first_sentence(error: Exception) -> str:
    """Return the first sentence of an error's text without its full stop, or the error's name."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].split(". ")[0].rstrip(".")


def real_numbers(claimed: object, shape: tuple[int, ...] | None = None) -> Array | None:
    """Return what a solver gave as an array of floats, or None where it is none: no real numbers, or misshapen.

    Parameters
    ----------
    shape : tuple of int, optional
        Without it any shape will do.
    """
    if claimed is None:
        return None
    try:
        given = np.asarray(claimed)
    except Exception:  # noqa: BLE001 - a sequence of anything may raise anything
        return None
    if given.dtype.kind not in "fiu" or (shape is not None and given.shape != shape):
        return None
    return np.asarray(given, dtype=float)


def reshaped(claimed: object, shape: tuple[int, ...]) -> Array | None:
    """Return `claimed` in `shape` where it has as many real numbers that no product overflows with, otherwise None."""
    numbers = real_numbers(claimed)
    if numbers is None or numbers.size != math.prod(shape) or not usable(numbers):
        return None
    return numbers.reshape(shape)


def usable(numbers: Any) -> bool:
    """Tell whether all are finite numbers that no product overflows with."""
    # A NaN compares as false.
    return bool(np.all(np.abs(numbers) <= LARGEST_MULTIPLIER))
