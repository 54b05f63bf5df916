"""A closed form that exact optima of small questions have in common, on the interval where they have it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from flint import fmpq, fmpq_poly, fmpz_poly

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.errors import DomainError
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.studies.conjecturing.reconstruction import Polynomial, ratio
from mechdesign.studies.exact_frontier.rational_functions import Root, as_float, base_of, real_roots
from mechdesign.studies.exact_frontier.written import PYTHON, quotient
from mechdesign.theorems import Condition, Family, Point, Theorem
from mechdesign.theorems.checks import Equal, Optimum
from mechdesign.theorems.variables import Real, Variable, Whole

#: By how much larger than the sizes that were looked at the referee's may be.
BEYOND = 3
#: Levels at which the referee tries a conjecture.
LEVELS = (0.02, 4.5)

Problems = Callable[[int], Problem]


@dataclass(frozen=True)
class End:
    """An end of an interval of E: a real root of a polynomial, by its place from the largest."""

    polynomial: Polynomial
    place: int

    def at(self, parameter: fmpq) -> Root:
        """Return the end at a parameter.

        Raises
        ------
        ArithmeticError
            The polynomial has no such root there.
        """
        found: list[Root] = []
        for factor, _ in fmpz_poly(self.polynomial.at(parameter).numer()).factor()[1]:
            found += [Root(factor, place) for place in range(_count(factor))]
        if len(found) < self.place:
            raise ArithmeticError(f"there is no root {self.place} from the largest at {parameter}")
        return sorted(found)[-self.place]

    def level(self, parameter: fmpq) -> float | None:
        """Return the level in nats of the end at a parameter, or None where no level is one."""
        try:
            found = self.at(parameter)
        except ArithmeticError:
            return None
        return found.epsilon if found.first[0] > 0 else None

    def written(self, letter: str) -> str:
        """Return the end as a formula where it is one, and otherwise the polynomial whose root it is."""
        if len(self.polynomial.coefficients) == 2:
            minus = self.polynomial.coefficients[0].times(fmpq_poly([-1]))
            return quotient(minus.numerator, minus.denominator, replace(PYTHON, letter=letter))
        named = {1: "the largest root", 2: "the second largest root"}.get(self.place, f"root {self.place} from above")
        return f"{named} of {self.polynomial.factored()[1].written(letter)}"


def _count(factor: fmpz_poly) -> int:
    return 1 if factor.degree() == 1 else len(real_roots(factor))


@dataclass(frozen=True)
class Conjecture(Displayed):
    """A closed form of the optimum in E = e^epsilon and one parameter, found from exact optima.

    Attributes
    ----------
    family : callable
        Takes the parameter to a problem.
    notion : Notion
        The notion, at any level.
    objective : Objective
        What has to stay useful.
    letter : str
        The parameter's name.
    numerator, denominator : Polynomial
        The optimum is their quotient: polynomials in E whose coefficients are functions of the parameter.
    ends : tuple of End or None
        Between which E it holds; None where there is no end.
    parameters : tuple of int
        Where the exact optima have this form; it is determined by fewer of them.
    """

    family: Problems
    notion: Notion
    objective: Objective
    letter: str
    numerator: Polynomial
    denominator: Polynomial
    ends: tuple[End | None, End | None]
    parameters: tuple[int, ...]

    @property
    def value(self) -> str:
        """The formula of the optimum."""
        return ratio(self.numerator, self.denominator, self.letter)

    @property
    def low(self) -> str:
        """From which E on it holds; empty where from 1 on."""
        return "" if self.ends[0] is None else self.ends[0].written(self.letter)

    @property
    def high(self) -> str:
        """Up to which E it holds; empty where there is no end."""
        return "" if self.ends[1] is None else self.ends[1].written(self.letter)

    def at(self, parameter: float | Fraction, epsilon: float) -> float:
        """Return the value of the formula at a parameter and a level in nats, whether or not it holds there.

        Raises
        ------
        DomainError
            The formula has a pole there.
        """
        given, base = fmpq(*Fraction(parameter).as_integer_ratio()), base_of(epsilon)
        try:
            return as_float(self.numerator.at(given)(base) / self.denominator.at(given)(base))
        except ZeroDivisionError:
            rule = f"{self.value} has no value there at the level {epsilon!r}"
            raise DomainError("parameter", parameter, rule, "choose another one") from None

    def holds_at(self, parameter: float | Fraction, epsilon: float) -> bool:
        """Return whether a level is between the ends at a parameter; nowhere where an end is no real number there."""
        given = fmpq(*Fraction(parameter).as_integer_ratio())
        sides = [_sides(end, given, epsilon, k == 0) for k, end in enumerate(self.ends) if end is not None]
        return all(left >= right for left, right in sides)

    def theorem(self, key: str, sizes: Variable | None = None) -> Theorem:
        """Return the conjecture as a theorem for the referee, `md.verify(theorems=[...])`.

        Parameters
        ----------
        key : str
            A folder and a name, ``"mine/absolute-error"``.
        sizes : Variable, optional
            The parameters at which it is tried; by default whole numbers to three above those that were looked at.
        """
        letter = self.letter
        drawn = sizes or Whole(min(self.parameters), max(self.parameters) + BEYOND)

        def test(point: Point, given: float) -> list[Equal]:
            question = Question(self.family(point[letter]), self.notion.at(point.epsilon), self.objective)
            return [Equal(given, Optimum(question), "the value is the optimum")]

        return Theorem(
            key=key,
            place="a closed form found by computation",
            kind="exact optimum",
            words=self.words,
            origin=self.origin,
            family=Family({letter: drawn, "epsilon": Real(*LEVELS)}),
            claimed=tuple(self._conditions()),
            printed=lambda point: self.at(point[letter], point.epsilon),
            test=test,
        )

    def _conditions(self) -> Iterator[Condition]:
        """Yield the condition of each end."""
        for place, (end, text) in enumerate(zip(self.ends, (self.low, self.high), strict=True)):
            if end is not None:
                is_low = place == 0
                named = ("E", text) if is_low else (text, "E")
                yield Condition(*named, partial(self._at_point, end, is_low))

    def _at_point(self, end: End, is_low: bool, point: Point) -> tuple[float, float]:
        return _sides(end, fmpq(point[self.letter]), point.epsilon, is_low)

    @property
    def words(self) -> str:
        """The statement."""
        ends = [f"E >= {self.low}"] * bool(self.low) + [f"E <= {self.high}"] * bool(self.high)
        where = f" where {' and '.join(ends)}" if ends else ""
        return f"The optimum of {self.objective} under {self.notion.name} is {self.value}{where}, E = e^epsilon."

    @property
    def origin(self) -> str:
        """How it was found."""
        shown = ", ".join(map(str, self.parameters))
        return f"conjecture, found by md.conjecture from the exact optima at {self.letter} = {shown}"

    def display(self) -> tuple[Block, ...]:
        """Return the statement and how it was found."""
        return (
            Lines(
                "Conjecture",
                (self.words, f"It is the exact optimum at {self.letter} = {', '.join(map(str, self.parameters))}."),
            ),
        )

    def __str__(self) -> str:
        return self._printed()


def _sides(end: End, parameter: fmpq, epsilon: float, is_low: bool) -> tuple[float, float]:
    """Return the two sides of ``E >= end`` or of ``end >= E``; an end that is no level there is missed by all."""
    level = end.level(parameter)
    if level is None:
        return 0.0, 1.0
    sides = (math.exp(epsilon), math.exp(level))
    return sides if is_low else sides[::-1]
