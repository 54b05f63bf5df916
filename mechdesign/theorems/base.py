"""What a theorem is: where it stands, what it claims, of which questions, on which domain, and its formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from mechdesign.domains import Array
from mechdesign.errors import DomainError, UnsupportedError, nearest
from mechdesign.notions import Notion
from mechdesign.objectives import Objective, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.problem import Problem
from mechdesign.tolerances import BOUNDARY

Kind = Literal["exact optimum", "upper bound", "lower bound", "identity", "implication", "privacy claim"]
KINDS: tuple[str, ...] = get_args(Kind)

#: Formulas take the problem over the mechanism's inputs, the notion and the objective.
MatrixFormula = Callable[[Problem, Notion, Objective], Array]
ValueFormula = Callable[[Problem, Notion, Objective], float | None]
Sides = Callable[[Problem, Notion, Objective], tuple[float, float]]
Remark = Callable[[Problem, Notion, Objective], str | None]


@dataclass(frozen=True)
class Condition:
    """One inequality ``left >= right`` of a domain, in words and in numbers."""

    left: str
    right: str
    sides: Sides

    def margin(self, problem: Problem, notion: Notion, objective: Objective) -> float:
        """Return ``left - right``: positive inside, 0 on the boundary, negative outside."""
        left, right = self.sides(problem, notion, objective)
        return left - right

    def met(self, problem: Problem, notion: Notion, objective: Objective) -> bool:
        """Tell whether the inequality holds, up to the rounding of its two sides."""
        left, right = self.sides(problem, notion, objective)
        return left - right >= -BOUNDARY * max(abs(left), abs(right))

    def told(self, problem: Problem, notion: Notion, objective: Objective) -> str:
        """Return the inequality with its numbers."""
        left, right = self.sides(problem, notion, objective)
        return f"{self.left} {left:.6g} >= {self.right} = {right:.6g}"


def no_remark(problem: Problem, notion: Notion, objective: Objective) -> str | None:
    """Return None: nothing more is asked of a question."""
    return None


@dataclass(frozen=True)
class Form:
    """The questions that a theorem speaks of, before its domain narrows them."""

    notion: type[Notion]
    objective: type
    #: The objectives in words ("any utility that is a sum over columns").
    objectives: str
    #: Number of the mechanism's inputs, or None where any will do.
    inputs: int | None = None
    #: Whether the secret is something else than the input.
    hidden: bool = False
    #: What else is asked: a sentence where the question misses it.
    further: Remark = no_remark

    def refusal(self, problem: Problem, notion: Notion, objective: Objective) -> str | None:
        """Return why the question is not of this form, or None."""
        if type(notion) is not self.notion:
            return f"it is about {self.notion.__name__}, not {notion.name}"
        minimised = issubclass(self.objective, Separable) and not is_separable(objective)
        if minimised or not isinstance(objective, self.objective):
            return f"it is about {self.objectives}, not {objective.name}"
        if self.inputs is not None and problem.n != self.inputs:
            return f"it is about {self.inputs} inputs, not {problem.n}"
        if problem.is_hidden and not self.hidden:
            return "it is about a secret that is the input itself, not a hidden one"
        return self.further(problem, notion, objective)


def no_matrix(problem: Problem, notion: Notion, objective: Objective) -> Array:
    """Refuse: the claim is not about one mechanism."""
    raise UnsupportedError("This claim gives no mechanism; ask a theorem that is an exact optimum.")


def no_value(problem: Problem, notion: Notion, objective: Objective) -> float | None:
    """Return None: no value in closed form is given."""
    return None


@dataclass(frozen=True)
class Theorem:
    """A published claim, with the domain it claims and the domain in which it was confirmed.

    Parameters
    ----------
    key : str
        Paper and number, ``"jiang_lip/T3"``; the first part is the folder.
    place : str
        Where it stands in the paper.
    kind : {"exact optimum", "upper bound", "lower bound", "identity", "implication", "privacy claim"}
        What is claimed.
    words : str
        The statement.
    form : Form
        The questions that it speaks of.
    claimed : tuple of Condition
        The domain as printed; empty for every question of the form.
    confirmed : tuple of Condition
        The domain in which it may be used.
    printed : callable
        The mechanism as printed, wherever its formula has a meaning: private or not.
    matrix : callable
        The mechanism to use inside the confirmed domain.
    value : callable
        The objective's value in closed form where one is given for this objective, otherwise None.

    Raises
    ------
    DomainError
        An empty key, place or statement, a key that is not of two parts, a kind that is none.
    """

    key: str
    place: str
    kind: Kind
    words: str
    form: Form
    claimed: tuple[Condition, ...] = ()
    confirmed: tuple[Condition, ...] = ()
    printed: MatrixFormula = no_matrix
    matrix: MatrixFormula = no_matrix
    value: ValueFormula = no_value

    def __post_init__(self) -> None:
        for name in ("key", "place", "words"):
            given = getattr(self, name)
            if not isinstance(given, str) or not given.strip():
                raise DomainError(name, given, "it has to be a text that is not empty", "write it")
        if len(self.key.split("/")) != 2 or not all(self.key.split("/")):
            raise DomainError("key", self.key, "it has to be paper/number", 'write it as "jiang_lip/T3"')
        if self.kind not in KINDS:
            raise DomainError("kind", self.kind, "it has to be a kind of claim", nearest(str(self.kind), KINDS))
        for name in ("printed", "matrix", "value"):
            if not callable(getattr(self, name)):
                remedy = "give a function of problem, notion and objective"
                raise DomainError(name, getattr(self, name), "it has to be a formula", remedy)

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.key.split("/")[0]

    @property
    def name(self) -> str:
        """Paper and place, as a sentence cites them."""
        return f"{self.paper} {self.place}"

    @property
    def gives_mechanism(self) -> bool:
        """Whether the claim is an exact optimum with its mechanism."""
        return self.kind == "exact optimum" and self.matrix is not no_matrix

    def applies(self, problem: Problem, notion: Notion, objective: Objective) -> str | None:
        """Return why the question is not of the theorem's form, or None."""
        return self.form.refusal(problem, notion, objective)

    def domain(self, problem: Problem, notion: Notion, objective: Objective) -> str | None:
        """Return which condition of the confirmed domain fails, with its numbers, or None inside."""
        for condition in self.confirmed:
            if not condition.met(problem, notion, objective):
                return f"{condition.told(problem, notion, objective)} fails"
        return None

    def told(self, problem: Problem, notion: Notion, objective: Objective) -> str:
        """Return the theorem's name and its conditions with their numbers."""
        conditions = [condition.told(problem, notion, objective) for condition in self.confirmed]
        return ", ".join([self.name, *conditions])
