"""An instance of the benchmark: a question, the form it is written in, and its certified optimum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mechdesign.bench.forms import FORMS, PosedProgram
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.question import Question


@dataclass(frozen=True)
class Optimum:
    """The certified optimum of a question: a mechanism's value and a bound that none passes.

    Attributes
    ----------
    value : float
        The objective of an exactly private mechanism.
    bound : float
        No private mechanism does better.
    proved : bool
        Whether the bound is proved in integers; otherwise it is certified in floating point.
    """

    value: float
    bound: float
    proved: bool = False


@dataclass(frozen=True)
class Vertex:
    """The optimal vertex of a linear program at which the simplex method of HiGHS ends.

    Attributes
    ----------
    basic_at_bound : int
        Basic variables, those of rows among them, that lie at a bound: primal degeneracy.
    zero_reduced_costs : int
        Nonbasic variables that may move, whose reduced cost is zero: dual degeneracy, other optima next to this one.
    condition : float
        The condition number of the basis in the 1-norm, in floating point: from 1e16 on it says no more than that.
    """

    basic_at_bound: int
    zero_reduced_costs: int
    condition: float


@dataclass(frozen=True)
class Instance(Displayed):
    """A question, the form it is written in, and its certified optimum.

    Attributes
    ----------
    name : str
        Its name, which is unique in all sets.
    question : Question
        Problem, notion and objective.
    form : str
        A name of `FORMS`.
    optimum : Optimum
        The certified optimum of the question.
    why : str
        What makes it hard, where it was found by a search.
    vertex : Vertex or None
        Degeneracy and conditioning at an optimal vertex; None for programs with cones, and for large ones.
    """

    name: str
    question: Question
    form: str
    optimum: Optimum
    why: str = ""
    vertex: Vertex | None = None

    @cached_property
    def posed(self) -> PosedProgram:
        """The program, and the way back from its solution."""
        return FORMS[self.form].pose(self.question)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the program: a process makes it anew."""
        return {name: value for name, value in vars(self).items() if name != "posed"}

    @property
    def kind(self) -> str:
        """The kind of the objective: linear, convex, sublinear or design."""
        return str(self.question.objective.kind)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the question in words, the form in mathematics, and the program's numbers."""
        form, optimum = FORMS[self.form], self.optimum
        sense = self.question.objective.sense
        how = "proved in integers" if optimum.proved else "certified in floating point"
        said = [f"value {optimum.value!r} ({sense}d)", f"nothing private is better than {optimum.bound!r}: {how}"]
        rows = tuple((name, f"{value:.6g}") for name, value in self.sizes().items())
        return (
            Lines(self.name, self.question.sentences()),
            Lines(f"Form: {form.name}", (form.formula, form.words, *([self.why] if self.why else []))),
            Lines("Certified optimum", tuple(said)),
            Table("Program", ("of the program", "number"), rows, ("of the program",)),
        )

    def sizes(self) -> dict[str, Any]:
        """Return the numbers of the program: variables, rows, nonzeros, their range, cones, and an optimal vertex."""
        program = self.posed.program
        low, high = program.coefficient_range
        return {
            "inputs": self.question.problem.n,
            "variables": len(program.cost),
            "rows": int(program.rows.shape[0]),
            "cones": len(program.cones),
            "nonzeros": program.nonzeros,
            "density": program.density,
            "least coefficient": low,
            "largest coefficient": high,
            **({} if self.vertex is None else _numbers(self.vertex)),
        }

    def error(self, value: float) -> float:
        """Return by how much `value` is worse than the optimum, over the larger of the two and 1e-6 of the span."""
        from mechdesign.solve.certificate.claims import span
        from mechdesign.tolerances import SPAN_SHARE

        question = self.question
        worse = value - self.optimum.bound
        if question.objective.sense == "maximise":
            worse = -worse
        least = SPAN_SHARE * span(question.objective, question.problem)
        return float(max(worse, 0.0) / np.max([abs(value), abs(self.optimum.value), least]))


def _numbers(vertex: Vertex) -> dict[str, Any]:
    return {
        "basic variables at a bound": vertex.basic_at_bound,
        "reduced costs of zero": vertex.zero_reduced_costs,
        "condition of the basis": vertex.condition,
    }
