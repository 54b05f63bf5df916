"""What every design must do with a time limit and with Ctrl-C: end soon, with a true gap or one clear sentence."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import numpy as np

from mechdesign.baselines.response_matrix import strongest_randomised_response
from mechdesign.designing.entry import design
from mechdesign.designing.result import Design
from mechdesign.errors import GapWarning, SolverError, UnsupportedError
from mechdesign.parameters.checks import Array
from mechdesign.question import Question
from mechdesign.rivals.rival import value_of
from mechdesign.runtime.deadline import reading
from mechdesign.solve.certificate.claims import derive, span
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.contract import require
from mechdesign.tolerances import SPAN_SHARE

Ran = TypeVar("Ran")

#: An answer may be late by this share of the limit, and by so many seconds besides.
SHARE, SECONDS = 0.1, 1.0
#: Seconds that a look at the clock takes.
LOOK: Final = 0.01
#: Two evaluations of one number agree this well.
AGREE: Final = 1e-9
#: Up to so many inputs the bound is worked out once more, in all the time that takes.
MOST_INPUTS: Final = 1000


def within(seconds: float, run: Callable[[], Ran], clock: CountingClock | None = None) -> Ran:
    """Return what `run` returns, which has to take no longer than `seconds` on a clock that counts looks at it.

    It finds nothing that an earlier call kept.

    Raises
    ------
    AssertionError
        It took longer.
    """
    forget()
    clock = clock or CountingClock(LOOK)
    with reading(clock):
        found = run()
    require(clock.seconds <= seconds, f"what may take {seconds:.3g} s took {clock.seconds:.2f} s")
    return found


def forget() -> None:
    """Clear what functions of the package keep of earlier calls."""
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] == "mechdesign":
            for kept in vars(module).values():
                if hasattr(kept, "cache_clear"):
                    kept.cache_clear()


def check_time_limit(
    question: Question, limit: float, clock: CountingClock | None = None, **keywords: Any
) -> Design | str:
    """Design within `limit` seconds; return the design, or the sentence that says why none was made.

    Raises
    ------
    AssertionError
        It took too long, its bound is none, or the sentence does not name the limit.
    """
    found = check_punctual(question, limit, clock, **keywords)
    if isinstance(found, str):
        require("time limit" in found, f"the sentence {found!r} does not name the limit")
        return found
    check_bound(found)
    return found


def check_punctual(
    question: Question, limit: float, clock: CountingClock | None = None, **keywords: Any
) -> Design | str:
    """Return the private design, or the sentence that says why none was made, both within `limit` and an allowance.

    The seconds are those of `mechdesign.testing.clock`; that real ones are kept is measured by ``benchmarks``.

    Raises
    ------
    AssertionError
        It took too long, or the design is not private.
    """
    found = within((1.0 + SHARE) * limit + SECONDS, lambda: _ended(question, time_limit=limit, **keywords), clock)
    require(isinstance(found, str) or found.audit.holds, "the matrix is not private")
    return found


def check_bound(made: Design) -> None:
    """Check that the design is private, and that its bound holds for what else is and follows from its multipliers."""
    question = made.mechanism.asked
    objective, inputs = question.objective, question.notion.inputs(question.problem)
    require(made.audit.holds, "the matrix is not private")
    reached, bound = (objective.to_utility(number, inputs) for number in (made.value, made.bound))
    room = AGREE * max(abs(reached), abs(bound), 1e-6)
    require(reached <= bound + room, f"the value {made.value!r} is better than the bound {made.bound!r}")
    # The denominator of a gap never falls below a share of what privacy can cost.
    size = max(abs(made.value), abs(made.bound), SPAN_SHARE * span(objective, inputs))
    require(made.gap >= abs(made.value - made.bound) / size - 1e-6 if size else True, "the gap is less than it is")
    if inputs.n > MOST_INPUTS:
        return
    for rival in _rivals(question):
        value = value_of(rival, objective, inputs)
        least = -np.inf if value is None else objective.to_utility(value, inputs)
        require(least <= bound + room, f"a private mechanism reaches {value!r}, beyond the bound {made.bound!r}")
    again = derive(question, inputs, made.by_decision, made.mechanism.claimed.multipliers, made.route)
    follows = objective.to_utility(again.bound, inputs)
    require(follows <= bound + room, "the bound is tighter than what its multipliers show in all time")


def _rivals(question: Question) -> list[Array]:
    inputs = question.notion.inputs(question.problem)
    if question.objective.outputs(inputs) not in (None, inputs.n):
        return []
    found = [strongest_randomised_response(question.notion, inputs)]
    return [rival for rival in found if question.outputs is None or rival.shape[1] <= question.outputs]


def _ended(question: Question, **keywords: Any) -> Design | str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GapWarning)
        try:
            return design(question.problem, question.notion, question.objective, outputs=question.outputs, **keywords)
        except (SolverError, UnsupportedError) as error:
            return str(error)


@contextmanager
def interrupted(module: Any, name: str, after: int) -> Iterator[None]:
    """Let the function `name` of `module` be stopped by Ctrl-C in its call after a number of calls."""
    own: Callable[..., Any] = getattr(module, name)
    calls = 0

    def stopped(*arguments: Any, **keywords: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == after + 1:
            raise KeyboardInterrupt
        return own(*arguments, **keywords)

    setattr(module, name, stopped)
    try:
        yield
    finally:
        setattr(module, name, own)


def check_interruption(question: Question, module: Any, name: str, after: int, **keywords: Any) -> Design:
    """Interrupt a design, and check that it is the best so far, says so, and that its bound holds."""
    with interrupted(module, name, after):
        found = _ended(question, **keywords)
    assert isinstance(found, Design), f"it ended with the sentence {found!r}"
    require("interrupted" in f"{found.note} {found.solver_stats.status}", f"{found.note!r} does not mention Ctrl-C")
    tried = [attempt for attempt in found.attempts if attempt.route == found.route]
    require(len(tried) == 1, "another solver was tried after Ctrl-C")
    check_bound(found)
    return found
