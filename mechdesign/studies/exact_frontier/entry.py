"""From a question to its exact frontier: parts that one mechanism is optimal on become one piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flint import fmpq, fmpq_poly

from mechdesign.notions import Notion
from mechdesign.objectives import Linear, Objective
from mechdesign.problem import Problem
from mechdesign.studies.exact_frontier.covering import Part, parts
from mechdesign.studies.exact_frontier.curve import ExactFrontier, Multiplied, Piece
from mechdesign.studies.exact_frontier.pieces import Formulas, total
from mechdesign.studies.exact_frontier.questions import program_of
from mechdesign.studies.exact_frontier.rational_functions import RationalFunction, base_of
from mechdesign.studies.exact_frontier.simplex import Program

#: What e^epsilon is raised by, as a share, to be above it.
ABOVE = fmpq(1, 2**100)


def exact_frontier(problem: Problem, notion: Notion, objective: Objective, low: float, high: float) -> ExactFrontier:
    """Return the pieces from one level of a notion to another, which is larger.

    Raises
    ------
    UnsupportedError
        No frontier of formulas is known for such a notion, problem or objective.
    """
    inputs = notion.inputs(problem)
    program = program_of(inputs, notion, objective)
    assert isinstance(objective, Linear), "program_of() refuses others"
    first = fmpq(1) if low == 0 else base_of(low)
    found = list(_pieces(program, objective.decisions(inputs), first, base_of(high) * (1 + ABOVE)))
    # The ends as they were given, to the last bit.
    found[0], found[-1] = replace(found[0], low=low), replace(found[-1], high=high)
    return ExactFrontier(problem, notion.at(low), objective, tuple(found))


def _pieces(program: Program, names: tuple[str, ...], first: fmpq, last: fmpq) -> Iterator[Piece]:
    """Yield the pieces in order; one goes on for as long as its value is optimal and its weights are not negative."""
    open_parts: list[Part] = []
    for part in parts(program, first, last):
        if open_parts and not _goes_on(open_parts[0].formulas, part):
            yield _piece(program, open_parts, names)
            open_parts = []
        open_parts.append(part)
    yield _piece(program, open_parts, names)


def _goes_on(formulas: Formulas, part: Part) -> bool:
    return formulas.value == part.formulas.value and formulas.is_mechanism_on(part.low, part.high)


def _piece(program: Program, of: list[Part], names: tuple[str, ...]) -> Piece:
    formulas, ends = of[0].formulas, (of[0].low, of[-1].high)
    minus = fmpq_poly([-1])
    proofs = (
        Multiplied(part.low, part.high, tuple(each.times(minus) for each in part.formulas.multipliers)) for part in of
    )
    made = sorted({each.decision for each, weight in zip(formulas.basis, formulas.weights, strict=True) if weight})
    entries = tuple(tuple(_entry(formulas, x, decision) for decision in made) for x in range(program.inputs))
    value = formulas.value.times(minus)
    outputs = tuple(names[decision] for decision in made)
    return Piece(ends[0].epsilon, ends[1].epsilon, ends, value, outputs, entries, tuple(proofs))


def _entry(formulas: Formulas, x: int, decision: int) -> RationalFunction:
    """Return ``Q[x, d]``: the weighted entries of the columns that are taken as that decision."""
    columns = formulas.program.columns
    terms = [
        weight.times(columns.column(each.name)[x])
        for each, weight in zip(formulas.basis, formulas.weights, strict=True)
        if each.decision == decision and weight
    ]
    return total(terms)
