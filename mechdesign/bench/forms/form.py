"""What a form of a question is: a program, the matrix of its point, and the multipliers of its duals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mechdesign.bench.program import ConicProgram
from mechdesign.mechanism import Multipliers
from mechdesign.parameters.checks import Array
from mechdesign.question import Question


@dataclass(frozen=True)
class PosedProgram:
    """The program of a question in one form, and the way back from its solution.

    Attributes
    ----------
    program : ConicProgram
        The program; its cost is in units of `scale`.
    scale : float
        The objective's utility is ``-scale * cost @ x``.
    matrix : callable
        From a point, shape (variables,), to the matrix Q as the solver leaves it, shape (inputs, outputs).
    multipliers : callable
        From duals of the rows, shape (rows,), to the multipliers of a bound on every private mechanism.
    """

    program: ConicProgram
    scale: float
    matrix: Callable[[Array], Array]
    multipliers: Callable[[Array], Multipliers]


class Form(ABC):
    """A way of writing a question as a conic program."""

    #: Its name, in the names of instances.
    name: ClassVar[str]
    #: The program in a formula.
    formula: ClassVar[str]
    #: What is particular about it, in a sentence.
    words: ClassVar[str]

    @abstractmethod
    def takes(self, question: Question) -> bool:
        """Return whether the question can be written in this form."""

    @abstractmethod
    def pose(self, question: Question) -> PosedProgram:
        """Return the program of a question that the form takes."""
