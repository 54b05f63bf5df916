"""What is tested at a point: equalities, inequalities, privacy, expansions; the referee decides them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question


@dataclass(frozen=True)
class Optimum:
    """The optimal value of a question, known as an interval: from a design and its certificate, never a closed form."""

    question: Question
    outputs: int | None = None


@dataclass(frozen=True)
class OnRays:
    """The largest of ``measure(columns)`` (one number for each column) over the extreme rays of a notion's cone."""

    notion: Notion
    problem: Problem
    measure: Callable[[Array], Array]


#: What a check compares: numbers, arrays of numbers, or what has to be computed by solving.
Operand = float | Fraction | Array | Optimum | OnRays


@dataclass(frozen=True)
class Equal:
    """Both sides are equal; `scale` is the size of the largest terms where they cancel."""

    left: Operand
    right: Operand
    what: str = ""
    scale: float = 0.0


@dataclass(frozen=True)
class AtMost:
    """The left side is at most the right; `strictly`, by more than rounding."""

    left: Operand
    right: Operand
    what: str = ""
    scale: float = 0.0
    strictly: bool = False


@dataclass(frozen=True)
class Private:
    """The matrix is stochastic and satisfies the notion."""

    matrix: Array
    problem: Problem
    notion: Notion
    what: str = ""


@dataclass(frozen=True)
class Holds:
    """A statement without numbers."""

    true: bool
    what: str


@dataclass(frozen=True)
class Remainder:
    """``sides(h)`` differ by ``O(h^order)``: tested by how the difference falls as h is halved from `start`."""

    sides: Callable[[float], tuple[Operand, Operand]]
    order: float
    start: float = 0.1
    what: str = ""


Check = Equal | AtMost | Private | Holds | Remainder


class Published(NamedTuple):
    """A mechanism that is claimed to be optimal, with the claimed value (None without one)."""

    matrix: Array
    value: float | None = None


def is_optimal(question: Question, given: Published, scale: float = 0.0) -> Iterable[Check]:
    """Return the checks of a published optimum: private, as good as the certified optimum, with the value it prints.

    Values are compared relative to their own size, or to `scale` where that is larger.
    """
    problem = question.problem
    yield Private(given.matrix, problem, question.notion, "the mechanism is private")
    best = Optimum(question)
    reached: Any = question.objective.value(given.matrix, problem)
    yield Equal(reached, best, "the mechanism is optimal", scale)
    if given.value is not None:
        yield Equal(given.value, best, "the value is the optimum", scale)
