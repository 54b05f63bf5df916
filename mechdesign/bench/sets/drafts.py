"""Instances before their optima are known: a question with a name, and the forms it is written in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mechdesign.bench.sets.drawing import skewed_prior, values_of
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.question import Question

#: Short names of forms in the names of instances.
SHORT = {
    "looped": "looped",
    "all pairs": "pairs",
    "neighbouring pairs": "neighbours",
    "auxiliary variables": "auxiliary",
    "decisions": "decisions",
    "extreme rays": "rays",
    "second-order cones": "soc",
    "exponential cones": "exp",
    "rotated cones": "rotated",
}


@dataclass(frozen=True)
class Draft:
    """A question with a name, and the forms it is written in: an instance for each.

    Attributes
    ----------
    label : str
        What the names of its instances begin with.
    question : Question
        The question.
    forms : tuple of str
        Names of forms.
    why : str
        What makes it hard, where it was found by a search.
    """

    label: str
    question: Question
    forms: tuple[str, ...]
    why: str = ""

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield the name and the form of each instance."""
        for form in self.forms:
            yield f"{self.label}-{SHORT[form]}", form


def on_a_line(n: int, seed: int) -> Problem:
    """Return n values between 0 and 10 with a skewed prior."""
    return Problem(prior=skewed_prior(n, seed), values=values_of(n, seed))


def on_integers(n: int, seed: int) -> Problem:
    """Return the values 0 to n - 1 with a skewed prior."""
    return Problem(prior=skewed_prior(n, seed), values=np.arange(n))


def draft(label: str, problem: Problem, notion: Notion, objective: Objective, *forms: str, why: str = "") -> Draft:
    """Return a question and its forms."""
    return Draft(label, Question(problem, notion, objective, None), forms, why)
