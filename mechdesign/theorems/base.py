"""What a theorem is: where it stands, what it claims, of which points, on which domain, and its formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

from mechdesign.errors import DomainError, nearest
from mechdesign.notions import Notion
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.question import Question
from mechdesign.theorems.checks import Check, Published
from mechdesign.theorems.family import Family
from mechdesign.theorems.record import recorded
from mechdesign.tolerances import BOUNDARY

Kind = Literal[
    "exact optimum",
    "upper bound",
    "lower bound",
    "identity",
    "implication",
    "privacy claim",
    "comparison",
    "definition",
]
KINDS: tuple[str, ...] = get_args(Kind)

#: Formulas and conditions take a family's subject: a point, or the question made of it.
Formula = Callable[[Any], Any]
Sides = Callable[[Any], tuple[float, float]]
Test = Callable[[Any, Any], Iterable[Check]]
Remark = Callable[[Question], str | None]


@dataclass(frozen=True)
class Condition:
    """One inequality ``left >= right`` of a domain, in words and in numbers."""

    left: str
    right: str
    sides: Sides

    def margin(self, subject: Any) -> float:
        """Return ``left - right``: positive inside, 0 on the boundary, negative outside."""
        left, right = self._both(subject)
        return float(left - right)

    def met(self, subject: Any) -> bool:
        """Return whether the inequality holds, up to the rounding of its two sides."""
        left, right = self._both(subject)
        return bool(left - right >= -BOUNDARY * max(abs(left), abs(right)))

    def described(self, subject: Any) -> str:
        """Return the inequality with its numbers."""
        left, right = self._both(subject)
        return f"{self.left} {float(left):.6g} >= {self.right} = {float(right):.6g}"

    def _both(self, subject: Any) -> tuple[float, float]:
        """Return the numbers of the two sides.

        Raises
        ------
        DomainError
            The function raises, or returns no two numbers.
        """
        remedy = "give a function of the question that returns the numbers of both sides, left and right"
        try:
            found: Any = self.sides(subject)
        except Exception as error:
            said = f"a function that raises {type(error).__name__} ({error})"
            raise DomainError(f"the condition {self}", said, "its sides are needed", remedy) from error
        numbers = found if isinstance(found, tuple | list) and len(found) == 2 else ()
        if not numbers or not all(isinstance(each, Real) for each in numbers):
            raise DomainError(f"the condition {self}", found, "its sides have to be two numbers", remedy)
        return numbers[0], numbers[1]

    def __str__(self) -> str:
        """Return the inequality in words."""
        return f"{self.left} >= {self.right}"


def met(conditions: Iterable[Condition], subject: Any) -> bool:
    """Return whether every condition holds."""
    return all(condition.met(subject) for condition in conditions)


def no_remark(question: Question) -> str | None:
    """Return None: nothing more is asked of a question."""
    return None


@dataclass(frozen=True)
class Form:
    """The questions that a published mechanism answers, before its domain narrows them."""

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

    def refusal(self, question: Question) -> str | None:
        """Return why the question is not of this form, or None."""
        problem, notion, objective = question.problem, question.notion, question.objective
        if type(notion) is not self.notion:
            return f"it is about {self.notion.__name__}, not {notion.name}"
        minimised = issubclass(self.objective, Separable) and not is_separable(objective)
        if minimised or not isinstance(objective, self.objective):
            return f"it is about {self.objectives}, not {objective.name}"
        if self.inputs is not None and problem.n != self.inputs:
            return f"it is about {self.inputs} inputs, not {problem.n}"
        if problem.is_hidden and not self.hidden:
            return "it is about a secret that is the input itself, not a hidden one"
        return self.further(question)


@dataclass(frozen=True)
class Theorem:
    """A claim of a paper, with what it claims, where it holds, and, where the print fails, its correction.

    Parameters
    ----------
    key : str
        Paper and number, ``"jiang_lip/T3"``; the first part is the folder.
    place : str
        Where it stands in the paper.
    kind : {"exact optimum", "upper bound", "lower bound", "identity", "implication", ...}
        What is claimed.
    words : str
        The statement.
    family : Family
        The points that it speaks of; its subject is what every formula here takes.
    test : callable
        ``test(subject, formula's result)`` yields the checks that the claim comes to.
    printed : callable
        The formula as printed: a number, an array, a `Published` mechanism, a tuple of those; None without one.
    latex : str
        The formula as it is displayed.
    origin : str
        Where it was published, or that it is not, as far as is known; empty for a statement of a paper.
    claimed : tuple of Condition
        The domain as printed; empty for every point of the family.
    narrower : tuple of Condition
        The part of it where the print holds, where that is less.
    corrected : callable, optional
        The same expression as it should read, where the print is wrong.
    correction : str
        What was corrected, in words.
    is_another : bool
        Whether the correction is another formula that holds instead: the claim is then false, not misprinted.
    corrected_domain : tuple of Condition
        Where the correction holds, besides the claimed domain.
    form : Form, optional
        The questions that `design` may answer with this formula, whose subjects they are and which gives a `Published`.
    loose : str
        Why an error of one percent in the formula goes unnoticed, where it does (a bound that is not sharp).
    wider : str
        Why the claim holds outside its domain too, where it does.

    Raises
    ------
    DomainError
        An empty key, place or statement, a key that is not of two parts, a kind that is none, a formula that is none.
    """

    key: str
    place: str
    kind: Kind
    words: str
    family: Family
    test: Test
    printed: Formula = lambda subject: None
    latex: str = ""
    origin: str = ""
    claimed: tuple[Condition, ...] = ()
    narrower: tuple[Condition, ...] = ()
    corrected: Formula | None = None
    correction: str = ""
    is_another: bool = False
    corrected_domain: tuple[Condition, ...] = ()
    form: Form | None = None
    loose: str = ""
    wider: str = ""

    def __post_init__(self) -> None:
        stated(self.key, self.place, self.words)
        if self.kind not in KINDS:
            raise DomainError("kind", self.kind, "it has to be a kind of claim", nearest(str(self.kind), KINDS))
        for name in ("test", "printed", *(["corrected"] if self.corrected is not None else [])):
            if not callable(getattr(self, name)):
                raise DomainError(name, getattr(self, name), "it has to be a formula", "give a function of the subject")
        if (self.corrected is None) != (not self.correction):
            rule = "a corrected formula and its words come together"
            raise DomainError("correction", self.correction, rule, "give both or neither")

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.key.split("/")[0]

    @property
    def name(self) -> str:
        """Paper and place, as a sentence cites them."""
        return f"{self.paper} {self.place}"

    @property
    def confirmed(self) -> tuple[Condition, ...]:
        """The conditions under which the formula of `mechanism` may be used."""
        return (*self.claimed, *(self.narrower if self.corrected is None else self.corrected_domain))

    @property
    def verdict(self) -> str:
        """The referee's verdict as it was last recorded; "not recorded" for a theorem that is not in the record."""
        found = recorded().get(self.key)
        return "not recorded" if found is None else found.verdict

    def mechanism(self, question: Question) -> Published:
        """Return the mechanism to use inside the confirmed domain."""
        found: Published = (self.corrected or self.printed)(question)
        return found

    def domain(self, subject: Any) -> str | None:
        """Return which condition of the confirmed domain fails, with its numbers, or None inside."""
        for condition in self.confirmed:
            if not condition.met(subject):
                return f"{condition.described(subject)} fails"
        return None

    def described(self, subject: Any) -> str:
        """Return the theorem's name and its conditions with their numbers."""
        return ", ".join([self.name, *(condition.described(subject) for condition in self.confirmed)])


@dataclass(frozen=True)
class NotCheckable:
    """A line of a paper that no computation can check: a definition, a matter of words, a citation."""

    key: str
    place: str
    words: str
    #: Why not, in a sentence.
    reason: str

    def __post_init__(self) -> None:
        stated(self.key, self.place, self.words)
        if not self.reason.strip():
            raise DomainError("reason", self.reason, "it has to say why no computation can check it", "write it")

    @property
    def paper(self) -> str:
        """The paper's key."""
        return self.key.split("/")[0]


def stated(key: str, place: str, words: str) -> None:
    """Check what every line of the ledger says."""
    for name, given in {"key": key, "place": place, "words": words}.items():
        if not isinstance(given, str) or not given.strip():
            raise DomainError(name, given, "it has to be a text that is not empty", "write it")
    if len(key.split("/")) != 2 or not all(key.split("/")):
        raise DomainError("key", key, "it has to be paper/number", 'write it as "jiang_lip/T3"')
