"""A call of a solver's binding: whatever it raises is a SolverError, and it returns no later than allowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from mechdesign.errors import MechdesignError, SolverError
from mechdesign.runtime.deadline import is_limited, now, or_leave
from mechdesign.runtime.learned import learned

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
    site = getattr(getattr(run, "func", run), "__code__", None)
    # The seconds that the last call from each place took, in the present design: what counts only without a limit.
    started = None if is_limited() else now()
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
        if started is not None:
            seconds[site] = now() - started


def first_sentence(error: Exception) -> str:
    """Return the first sentence of an error's text without its full stop, or the error's name."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].split(". ")[0].rstrip(".")
