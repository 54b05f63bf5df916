"""Families of points: the variables of a claim together, drawn, joined by segments, and made simpler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.theorems.variables import Variable, Whole

#: At most so many corners are tried: further ones find no further failures.
MOST_CORNERS = 12


class Point:
    """Values of the variables by name, also as attributes."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"The point has no variable {name}; it has {', '.join(self.__dict__)}.")

    def changed(self, **values: Any) -> Point:
        """Return the point with some values changed."""
        return Point({**self.__dict__, **values})

    def described(self) -> str:
        """Return the point in words: ``epsilon = 0.5, prior = (0.1, 0.9)``."""
        return ", ".join(f"{name} = {_written(value)}" for name, value in self.__dict__.items())


def _written(value: Any) -> str:
    """Return a value as text: numbers with ten digits, sequences in brackets."""
    if isinstance(value, np.ndarray | tuple | list):
        return f"({', '.join(_written(part) for part in value)})"
    # Zero has no sign for a reader.
    return f"{float(value) + 0.0:.10g}" if isinstance(value, float | np.floating) else str(value)


def _plain(value: Any) -> Any:
    """Return fractions as floats, which round."""
    exact = isinstance(value, np.ndarray) and value.dtype == object
    return value.astype(float) if exact else float(value) if isinstance(value, Fraction) else value


def as_point(point: Point) -> Any:
    """Return the point itself: the subject of claims about numbers."""
    return point


@dataclass(frozen=True)
class Family:
    """The points that a claim speaks of.

    Parameters
    ----------
    variables : mapping of str to Variable
        By name, sizes before what has that size.
    subject : callable
        Takes a point to what the formulas and conditions read: itself, or a `Question`.
    exact : bool
        Numbers are drawn as fractions, and equalities are then tested exactly.
    """

    variables: Mapping[str, Variable]
    subject: Callable[[Point], Any] = field(default=as_point)
    exact: bool = False

    def __post_init__(self) -> None:
        if not self.variables:
            raise DomainError("family", {}, "it has to have a variable", "name what the claim speaks of")

    def in_words(self) -> str:
        """Return each variable with its range, in a sentence without its stop.

        Examples
        --------
        >>> from mechdesign.theorems.variables import Distribution, Real
        >>> Family({"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n")}).in_words()
        'n from 2 to 4; epsilon from 0.05 to 5; prior a distribution with no mass below 0.001'
        """
        return "; ".join(f"{name} {variable.in_words()}" for name, variable in self.variables.items())

    def draw(self, rng: np.random.Generator) -> Point:
        """Return a point at random."""
        return self._built(lambda name, known: self.variables[name].draw(rng, known))

    def corners(self) -> tuple[Point, ...]:
        """Return points at the variables' extreme values: all first, all last, and each in turn among the first."""

        def at(places: Mapping[str, int], otherwise: int) -> Point:
            def corner(name: str, known: Mapping[str, Any]) -> Any:
                found = self.variables[name].corners(known)
                return found[min(places.get(name, otherwise), len(found) - 1)]

            return self._built(corner)

        first, last = at({}, 0), at({}, MOST_CORNERS)
        turned = [
            at({name: index}, 0)
            for name, variable in self.variables.items()
            for index in range(1, len(variable.corners(first)))
        ]
        return tuple([first, last, *turned][:MOST_CORNERS])

    def segment(self, start: Point, end: Point) -> Callable[[float], Point] | None:
        """Return the points on the way from start to end by its share, or None where the two are of different sizes."""
        if any(start[name] != end[name] for name, v in self.variables.items() if isinstance(v, Whole)):
            return None

        def at(share: float) -> Point:
            return self._built(lambda name, known: self.variables[name].between(start[name], end[name], share))

        return at

    def simpler(self, point: Point) -> Iterator[Point]:
        """Yield points that are easier to read: smaller sizes first, then shorter decimals."""
        for name, variable in self.variables.items():
            for value in variable.simpler(_plain(point[name])):
                changed = self._with(point, name, value)
                if changed is not None:
                    yield changed

    def sizes(self, point: Point) -> int:
        """Return the sum of the point's sizes."""
        return sum(point[name] for name, variable in self.variables.items() if isinstance(variable, Whole))

    def smaller(self, point: Point) -> Iterator[Point]:
        """Yield the points with one size less by one."""
        for name, variable in self.variables.items():
            if isinstance(variable, Whole) and point[name] > variable.low:
                changed = self._with(point, name, point[name] - 1)
                if changed is not None:
                    yield changed

    def _with(self, point: Point, name: str, value: Any) -> Point | None:
        known: dict[str, Any] = {}
        for other, variable in self.variables.items():
            found = value if other == name else variable.resized(point[other], known)
            if found is None:
                return None
            known[other] = variable.exactly(found) if self.exact else found
        return Point(known)

    def _built(self, part: Callable[[str, Mapping[str, Any]], Any]) -> Point:
        known: dict[str, Any] = {}
        for name, variable in self.variables.items():
            value = part(name, known)
            known[name] = variable.exactly(value) if self.exact else value
        return Point(known)
