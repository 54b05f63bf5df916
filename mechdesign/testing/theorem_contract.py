"""What every theorem that gives a mechanism must satisfy inside the domain in which it may be used."""

from __future__ import annotations

from typing import Never

import numpy as np

from mechdesign.domains import Array
from mechdesign.exact import Integers
from mechdesign.notions import Notion
from mechdesign.objectives import Objective, PiecewiseLinear
from mechdesign.objectives.base import is_separable
from mechdesign.problem import Problem
from mechdesign.solve.task import Task
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.programs import optimum
from mechdesign.theorems import Theorem

#: Problem over the mechanism's inputs, notion and objective.
Question = tuple[Problem, Notion, Objective]

#: A formula in floats against a program, relative to the value, or to LEAST where that is larger.
AGREE, LEAST = 1e-8, 0.1


def check_theorem(theorem: Theorem, question: Question) -> None:
    """Check every clause of the contract of theorems on one question of the theorem's form.

    Outside the confirmed domain, only the sentence that says so is checked.

    Parameters
    ----------
    theorem : Theorem
        The member; claims that give no mechanism have nothing to check here.
    question : tuple
        Problem over the mechanism's inputs, notion, objective: few inputs.

    Raises
    ------
    BrokenContractError
        With the theorem, the clause and what was found.
    """
    member = f"{theorem.key} for {question[2]} under {question[1]}"
    if theorem.gives_mechanism:
        run(THEOREM_CLAUSES, member, theorem, question)


def form_is_told(theorem: Theorem, question: Question) -> None:
    """The question is of the theorem's form, one about another notion is not, and a condition that fails is told."""
    require(theorem.applies(*question) is None, f"its own question is refused: {theorem.applies(*question)}")
    other = theorem.applies(question[0], _Other(), question[2])
    require(other is not None and len(other.split()) >= 4, f"a question about another notion gets the answer {other!r}")
    missed = [c for c in theorem.confirmed if c.margin(*question) < -1e-6]
    said = theorem.domain(*question)
    if missed:
        told = said is not None and missed[0].left in said and any(c.isdigit() for c in said)
        require(told, f"outside the domain it says {said!r}")


def mechanism_is_private(theorem: Theorem, question: Question) -> None:
    """Inside the domain, the mechanism is stochastic and satisfies the notion."""
    if theorem.domain(*question) is not None:
        return
    problem, notion, _ = question
    matrix = theorem.matrix(*question)
    require(matrix.min() >= 0, f"the mechanism has the entry {matrix.min()!r}")
    far = float(np.abs(matrix.sum(axis=1) - 1).max())
    require(far <= 1e-12, f"a row of the mechanism misses the sum 1 by {far:.2g}")
    masses = notion.normal(problem) @ matrix
    level = notion.level(matrix, problem).value
    room = 1e-12 / float(masses[masses > 0].min())
    require(level <= notion.parameter + room, f"the mechanism has level {level!r}, above {notion.parameter!r}")


def mechanism_is_optimal(theorem: Theorem, question: Question) -> None:
    """Inside the domain, the mechanism reaches the optimum of a program that owes the theorem nothing."""
    if theorem.domain(*question) is not None:
        return
    problem, notion, objective = question
    found = utility(objective, theorem.matrix(*question), problem)
    best = optimum(Task(problem, notion, objective), np.ones(problem.n))
    far = abs(found - best) / max(abs(objective.from_utility(best, problem)), LEAST)
    require(far <= AGREE, f"the mechanism reaches the utility {found!r}, the optimum is {best!r}")


def value_is_reached(theorem: Theorem, question: Question) -> None:
    """Inside the domain, the value in closed form is the value of the mechanism."""
    if theorem.domain(*question) is not None:
        return
    problem, _, objective = question
    printed = theorem.value(*question)
    if printed is None:
        return
    reached = objective.from_utility(utility(objective, theorem.matrix(*question), problem), problem)
    far = abs(printed - reached) / max(abs(reached), LEAST)
    require(far <= AGREE, f"the formula gives the value {printed!r}, its mechanism {reached!r}")


def utility(objective: Objective, matrix: Array, problem: Problem) -> float:
    """Return the utility of the matrix, each output put to its best use where that is free."""
    if is_separable(objective):
        return float(objective.column_utility(matrix, problem).sum())
    require(isinstance(objective, PiecewiseLinear), f"no theorem is about {objective.name}")
    return objective.to_utility(objective.value(matrix, problem), problem)


class _Other(Notion):
    """A notion that no theorem is about."""

    epsilon = 1.0

    def cone(self, problem: Problem) -> Never:
        raise AssertionError("a theorem reads the cone of a notion that it is not about")

    def level(self, matrix: Array, problem: Problem) -> Never:
        raise AssertionError("a theorem reads the level of a notion that it is not about")

    def holds_exactly(self, numerators: Integers, problem: Problem) -> Never:
        raise AssertionError("a theorem asks a notion that it is not about")


#: The contract of theorems, by name.
THEOREM_CLAUSES: dict[str, Clause] = {
    "form": form_is_told,
    "private": mechanism_is_private,
    "optimal": mechanism_is_optimal,
    "value": value_is_reached,
}
