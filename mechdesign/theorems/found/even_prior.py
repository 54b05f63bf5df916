"""What statements about n equally likely values 0, ..., n - 1 share: their questions and what they claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Real

#: A formula of n and E.
Formula = Callable[[int, float], float]
LEVELS = Real(0.02, 4.5)


def even(n: int) -> Problem:
    """Return the problem of n equally likely values 0, ..., n - 1."""
    return Problem(prior=np.full(n, 1.0 / n), values=np.arange(float(n)))


def of(formula: Formula) -> Callable[[Question], float]:
    """Return a formula of n and E as one of a question."""
    return lambda question: formula(question.problem.n, float(np.exp(question.notion.parameter)))


def at_least(words: str, formula: Formula) -> Condition:
    """Return the condition that E is at least a formula."""
    return Condition("E", words, lambda question: (np.exp(question.notion.parameter), of(formula)(question)))


def at_most(words: str, formula: Formula) -> Condition:
    """Return the condition that E is at most a formula."""
    return Condition(words, "E", lambda question: (of(formula)(question), np.exp(question.notion.parameter)))


def _is_optimum(question: Question, given: float) -> list[Equal]:
    return [Equal(given, Optimum(question), "the value is the optimum")]


def found(
    name: str,
    notion: Callable[[float], Notion],
    objective: Objective,
    sizes: Sequence[int],
    text: str,
    formula: Formula,
    *where: Condition,
    latex: str,
    origin: str,
) -> Theorem:
    """Return the statement that a formula of n and E, its `text`, is the optimum where all conditions hold."""

    def asked(point: Point) -> Question:
        return Question(even(point.n), notion(point.epsilon), objective)

    parity = {size % 2 for size in sizes}
    odd = " odd" if parity == {1} else " even" if parity == {0} else ""
    ends = " where " * bool(where) + " and ".join(f"{each.left} >= {each.right}" for each in where)
    return Theorem(
        key=f"found/{name}",
        place=f"{objective.name} of even priors under {notion(1.0).name}",
        kind="exact optimum",
        words=f"For{odd} n and equally likely values 0, ..., n - 1 the optimum is {text}{ends}, E = e^epsilon.",
        latex=latex,
        origin=origin,
        family=Family({"n": Choice(tuple(sizes)), "epsilon": LEVELS}, subject=asked),
        claimed=where,
        printed=of(formula),
        test=_is_optimum,
    )
