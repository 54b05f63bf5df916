"""Domains of single values: numbers, truths, names, objects of a class."""

from __future__ import annotations

import math
import operator
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError, nearest, written
from mechdesign.parameters import checks as domains
from mechdesign.parameters.base import Cases, Domain

#: Values that are not numbers, each with a description.
NO_NUMBERS: tuple[tuple[str, Any], ...] = (
    ("None", None),
    ("text", "0.5"),
    ("bytes", b"1"),
    ("true", True),
    ("numpy's true", np.True_),
    ("an array of truth", np.array(True)),
    ("a list", [0.5]),
    ("an array", np.array([0.5])),
    ("complex", 0.5 + 0.5j),
    ("complex of numpy", np.complex128(0.5 + 0.5j)),
    ("too large for a float", 10**400),
)


@dataclass(frozen=True)
class Real(Domain):
    """Numbers in ``[low, high]``, finite unless infinity is let in.

    Parameters
    ----------
    low, high : float
        The ends.
    open_low, open_high : bool
        Whether the end itself lies outside.
    infinite : bool
        Whether infinity lies inside, where `high` is infinite.
    without : tuple of two floats, optional
        A closed interval that lies outside.
    rule, remedy : str
        What an error says; by default the ends.
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    infinite: bool = False
    without: tuple[float, float] | None = None
    rule: str = ""
    remedy: str = "choose one in that range"

    def check(self, argument: str, value: Any) -> float:
        """Return `value` as a float."""
        number = domains.number(argument, value)
        if self.outside(number):
            raise self.error(argument, value)
        # Minus zero becomes zero.
        return number + 0.0

    def error(self, argument: str, value: Any) -> DomainError:
        """Return the error that refuses a number outside the domain."""
        return DomainError(argument, value, self.rule or self._ends_in_words(), self.remedy)

    def outside(self, number: Any) -> Any:
        """Return whether a number, or each number of an array, lies outside."""
        below, above = (operator.le if self.open_low else operator.lt), (operator.ge if self.open_high else operator.gt)
        wrong = (number != number) | below(number, self.low) | above(number, self.high)  # noqa: PLR0124 # only NaN
        if not self.infinite:
            wrong = wrong | (abs(number) == math.inf)
        if self.without is not None:
            wrong = wrong | ((number >= self.without[0]) & (number <= self.without[1]))
        return wrong

    @property
    def example(self) -> float:
        """A number inside: where there are two ends, the middle."""
        if math.isinf(self.low) or math.isinf(self.high):
            start = 0.0 if math.isinf(self.low) else self.low
            return next(start + step for step in (0.5, 1.5) if not self.outside(start + step))
        return (self.low + self.high) / 2

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no number, then numbers outside."""
        yield from NO_NUMBERS
        # Not among them: `np.ma` is loaded where it is used.
        yield "masked", np.ma.masked
        yield from self.outer()

    def outer(self) -> Cases:
        """Yield numbers that lie outside."""
        yield "NaN", math.nan
        yield "minus infinity", -math.inf
        if not self.infinite:
            yield "infinity", math.inf
        for name, end, is_open, outwards in (
            ("low", self.low, self.open_low, -math.inf),
            ("high", self.high, self.open_high, math.inf),
        ):
            if math.isfinite(end):
                yield f"beyond the {name} end", math.nextafter(end, outwards)
                yield f"far beyond the {name} end", end + math.copysign(1.0, outwards)
                if is_open:
                    yield f"the {name} end, which is open", end
        if self.without is not None:
            low, high = self.without
            for number in dict.fromkeys((low, low + (high - low) / 2, high)):
                yield "left out", number

    def ends(self, near: Any = None) -> Cases:
        """Yield the ends, and numbers of other types."""
        yield from self.inner()
        example = self.example
        yield "of numpy", np.float64(example)
        yield "an array without axes", np.array(example)

    def inner(self) -> Cases:
        """Yield the outermost numbers inside."""
        most = sys.float_info.max
        yield "the low end", math.nextafter(self.low, math.inf) if self.open_low or math.isinf(self.low) else self.low
        yield "the high end", min(math.nextafter(self.high, -math.inf) if self.open_high else self.high, most)
        if self.infinite:
            yield "infinity", math.inf
        if self.without is not None:
            low, high = self.without
            for number in (math.nextafter(low, -math.inf), math.nextafter(high, math.inf)):
                if number != self.low or not self.open_low:
                    yield "beside what is left out", number

    def _ends_in_words(self) -> str:
        low = "" if math.isinf(self.low) else f"{'above' if self.open_low else 'at least'} {self.low:g}"
        high = "" if math.isinf(self.high) else f"{'below' if self.open_high else 'at most'} {self.high:g}"
        finite = "" if self.infinite or high else "finite"
        return "it has to be " + (" and ".join(part for part in (low, high, finite) if part) or "a number")


@dataclass(frozen=True)
class Truth(Domain):
    """True or false, in Python's type or numpy's."""

    example = True

    def check(self, argument: str, value: Any) -> bool:
        """Return `value` as a bool."""
        return domains.truth(argument, value)

    def invalid(self, near: Any = None) -> Cases:
        """Yield what Python would take for true or false too."""
        unlike: tuple[Any, ...] = (None, 0, 1, 1.0, math.nan, "", "no", [True], np.array([True]), np.float64(1.0))
        for value in unlike:
            yield f"{type(value).__name__} {value!r}", value

    def ends(self, near: Any = None) -> Cases:
        """Yield both, of either type."""
        for value in (True, False, np.True_, np.False_):
            yield f"{type(value).__name__} {value!r}", value


@dataclass(frozen=True)
class Choice(Domain):
    """One of several names; `rule` says what they are."""

    names: tuple[str, ...]
    rule: str

    def check(self, argument: str, value: Any) -> str:
        """Return `value`, which has to be one of the names."""
        if not isinstance(value, str) or value not in self.names:
            raise DomainError(
                argument, value, self.rule, nearest(value if isinstance(value, str) else written(value), self.names)
            )
        return value

    @property
    def example(self) -> str:
        """The first of the names."""
        return self.names[0]

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is no text, and texts that are no name."""
        unlike: tuple[Any, ...] = (None, 0, True, math.nan, [self.example], self.example.encode())
        for value in unlike:
            yield f"{type(value).__name__}, no text", value
        for name in ("", *(f"{name} " for name in self.names), *(name.swapcase() for name in self.names)):
            if name not in self.names:
                yield "another text", name

    def ends(self, near: Any = None) -> Cases:
        """Yield every name."""
        for name in self.names:
            yield "a name", name


@dataclass(frozen=True)
class Instance(Domain):
    """Objects of a class, such as `sample`."""

    kind: type
    rule: str
    sample: Any

    def check(self, argument: str, value: Any) -> Any:
        """Return `value`, which has to be of the class."""
        if not isinstance(value, self.kind):
            hint = f"call it: {value.__name__}(...)" if isinstance(value, type) else f"give one, such as {self.sample}"
            raise DomainError(argument, value, self.rule, hint)
        return value

    @property
    def example(self) -> Any:
        """The sample."""
        return self.sample

    def invalid(self, near: Any = None) -> Cases:
        """Yield objects of other classes, and the class itself."""
        yield from (("None", None), ("a number", 1.0), ("NaN", math.nan), ("true", True), ("another object", object()))
        yield "text", type(self.sample).__name__
        yield "a class", type(self.sample)
        yield "a list of one", [self.sample]

    def ends(self, near: Any = None) -> Cases:
        """Yield the sample."""
        yield "the sample", self.sample
