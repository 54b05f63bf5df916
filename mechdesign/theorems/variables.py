"""The variables of a claim: what each may be, how it is drawn, its corners, and what is simpler to read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from mechdesign.parameters.checks import Array


class Sizes(Protocol):
    """The variables before one, by name."""

    def __getitem__(self, name: str, /) -> Any: ...


#: Digits of a number that is drawn to be exact.
EXACT_DIGITS = 3


def fraction(value: Any) -> Fraction:
    """Return the number as a fraction of few digits; a fraction stays."""
    if isinstance(value, Fraction):
        return value
    return Fraction(round(float(value) * 10**EXACT_DIGITS), 10**EXACT_DIGITS)


class Variable(ABC):
    """One variable of a family; `known` holds the variables before it, sizes among them."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, known: Sizes) -> Any:
        """Return a value at random."""

    @abstractmethod
    def corners(self, known: Sizes) -> tuple[Any, ...]:
        """Return the extreme values, the plainest first."""

    def in_words(self) -> str:
        """Return from where it is drawn, as it follows the variable's name: ``from 2 to 4``."""
        return "drawn at random"

    def simpler(self, value: Any) -> Iterator[Any]:
        """Yield values that are easier to read, the easiest first."""
        return iter(())

    def resized(self, value: Any, known: Sizes) -> Any:
        """Return `value` at the sizes that are now known, or None where it has to be drawn again."""
        return value

    def between(self, start: Any, end: Any, share: float) -> Any:
        """Return the value `share` of the way from start to end."""
        return start if share < 1 else end

    def exactly(self, value: Any) -> Any:
        """Return the value with its numbers as short fractions."""
        return value


@dataclass(frozen=True)
class Real(Variable):
    """A number of ``[low, high]``, drawn evenly, or evenly in its logarithm."""

    low: float
    high: float
    log: bool = False

    def draw(self, rng: np.random.Generator, known: Sizes) -> float:
        """Return a number of the range."""
        if self.log:
            return float(np.exp(rng.uniform(np.log(self.low), np.log(self.high))))
        return float(rng.uniform(self.low, self.high))

    def in_words(self) -> str:
        """Return its range."""
        return f"from {self.low:g} to {self.high:g}"

    def corners(self, known: Sizes) -> tuple[float, ...]:
        """Return both ends."""
        return (self.low, self.high)

    def simpler(self, value: float) -> Iterator[float]:
        """Yield the number with one, two, three digits."""
        for digits in (0, 1, 2, 3):
            short = round(value, digits)
            if self.low <= short <= self.high and short != value:
                yield short

    def between(self, start: float, end: float, share: float) -> float:
        """Return the number on the segment."""
        return start + share * (end - start)

    def exactly(self, value: Any) -> Fraction:
        """Return a short fraction."""
        return fraction(value)


@dataclass(frozen=True)
class Whole(Variable):
    """A whole number of ``{low, ..., high}``."""

    low: int
    high: int

    def draw(self, rng: np.random.Generator, known: Sizes) -> int:
        """Return a number of the range."""
        return int(rng.integers(self.low, self.high + 1))

    def in_words(self) -> str:
        """Return its range."""
        return f"from {self.low} to {self.high}" if self.low < self.high else f"= {self.low}"

    def corners(self, known: Sizes) -> tuple[int, ...]:
        """Return both ends."""
        return (self.low, self.high) if self.low < self.high else (self.low,)

    def simpler(self, value: int) -> Iterator[int]:
        """Yield the smaller numbers."""
        return iter(range(self.low, value))


@dataclass(frozen=True)
class Choice(Variable):
    """One of a few things."""

    options: tuple[Any, ...]

    def draw(self, rng: np.random.Generator, known: Sizes) -> Any:
        """Return one of the options."""
        return self.options[int(rng.integers(len(self.options)))]

    def in_words(self) -> str:
        """Return its range."""
        return f"one of {', '.join(map(str, self.options))}"

    def corners(self, known: Sizes) -> tuple[Any, ...]:
        """Return all options."""
        return self.options


@dataclass(frozen=True)
class Seed(Variable):
    """A whole number from which a claim draws what has no simple form: a mechanism, a graph."""

    def draw(self, rng: np.random.Generator, known: Sizes) -> int:
        """Return a seed."""
        return int(rng.integers(1 << 31))

    def corners(self, known: Sizes) -> tuple[int, ...]:
        """Return the seed 0."""
        return (0,)

    def simpler(self, value: int) -> Iterator[int]:
        """Yield the first few seeds."""
        return iter(range(min(value, 5)))


def size_of(size: int | str, known: Sizes) -> int:
    """Return a size that is given as a number or by a variable's name."""
    return int(known[size]) if isinstance(size, str) else size


@dataclass(frozen=True)
class Distribution(Variable):
    """A distribution over `size` things, no probability below `least`; a name stands for that variable's value.

    Drawn from a Dirichlet distribution whose concentration is itself drawn, so that skewed ones come up.
    """

    size: int | str
    least: float = 1e-3

    def draw(self, rng: np.random.Generator, known: Sizes) -> Array:
        """Return a distribution."""
        n = size_of(self.size, known)
        drawn = rng.dirichlet(np.full(n, rng.choice([0.5, 1.0, 5.0])))
        return np.asarray(self.least + (1.0 - n * self.least) * drawn)

    def in_words(self) -> str:
        """Return its range."""
        return f"a distribution with no mass below {self.least:g}"

    def corners(self, known: Sizes) -> tuple[Array, ...]:
        """Return the uniform one, one with a heavy atom and one with a rare one."""
        n = size_of(self.size, known)
        if n == 1:
            return (np.ones(1),)
        heavy = np.full(n, max(0.1 / (n - 1), self.least))
        heavy[-1] = 1.0 - heavy[:-1].sum()
        rare = np.full(n, (1.0 - max(0.02, self.least)) / (n - 1))
        rare[0] = 1.0 - rare[1:].sum()
        return np.full(n, 1.0 / n), heavy, rare

    def simpler(self, value: Array) -> Iterator[Array]:
        """Yield it with short decimals."""
        for digits in (1, 2, 3):
            short = np.round(value, digits)
            largest = int(short.argmax())
            short[largest] = round(1.0 - float(np.delete(short, largest).sum()), digits)
            if short.min() >= self.least and not np.array_equal(short, value):
                yield short

    def resized(self, value: Array, known: Sizes) -> Array:
        """Return the first entries of the distribution, scaled to sum to one."""
        head = value[: size_of(self.size, known)]
        return np.asarray(head / head.sum())

    def between(self, start: Array, end: Array, share: float) -> Array:
        """Return the mixture."""
        return np.asarray((1.0 - share) * start + share * end)

    def exactly(self, value: Array) -> Array:
        """Return short fractions, the largest making the sum one."""
        return _summing_to(1, value)


@dataclass(frozen=True)
class Vector(Variable):
    """Numbers of ``[low, high]``; with `balanced` less their mean, so that they sum to zero."""

    size: int | str
    low: float = 0.0
    high: float = 1.0
    balanced: bool = False

    def draw(self, rng: np.random.Generator, known: Sizes) -> Array:
        """Return numbers of the range, with sum zero where `balanced`."""
        drawn = rng.uniform(self.low, self.high, size_of(self.size, known))
        return np.asarray(drawn - drawn.mean() if self.balanced else drawn)

    def in_words(self) -> str:
        """Return its range."""
        return "numbers that sum to zero" if self.balanced else f"numbers from {self.low:g} to {self.high:g}"

    def corners(self, known: Sizes) -> tuple[Array, ...]:
        """Return evenly spread numbers, and all but one at the lower end."""
        n = size_of(self.size, known)
        even = np.linspace(self.low, self.high, n)
        last = np.where(np.arange(n) == n - 1, self.high, self.low)
        found = (even, last) if n > 1 else (even,)
        return tuple(v - v.mean() for v in found) if self.balanced else found

    def simpler(self, value: Array) -> Iterator[Array]:
        """Yield the numbers with short decimals."""
        if not self.balanced:
            for digits in (0, 1, 2):
                short = np.clip(np.round(value, digits), self.low, self.high)
                if not np.array_equal(short, value):
                    yield short

    def resized(self, value: Array, known: Sizes) -> Array:
        """Return the first numbers."""
        head = value[: size_of(self.size, known)]
        return np.asarray(head - head.mean() if self.balanced else head)

    def between(self, start: Array, end: Array, share: float) -> Array:
        """Return the numbers on the segment."""
        return np.asarray((1.0 - share) * start + share * end)

    def exactly(self, value: Array) -> Array:
        """Return short fractions, with sum zero where `balanced`."""
        if self.balanced:
            return _summing_to(0, value)
        return np.array([fraction(part) for part in value], dtype=object)


def _summing_to(total: int, value: Array) -> Array:
    short = [fraction(part) for part in value]
    largest = max(range(len(short)), key=short.__getitem__)
    short[largest] += total - sum(short)
    return np.array(short, dtype=object)


@dataclass(frozen=True)
class Channel(Variable):
    """A stochastic matrix, each row drawn as a `Distribution`: a transition matrix, profiles, or data given secret."""

    rows: int | str
    columns: int | str
    least: float = 0.0

    def _row(self) -> Distribution:
        return Distribution(self.columns, self.least)

    def draw(self, rng: np.random.Generator, known: Sizes) -> Array:
        """Return a matrix."""
        return np.stack([self._row().draw(rng, known) for _ in range(size_of(self.rows, known))])

    def in_words(self) -> str:
        """Return its range."""
        return f"a stochastic matrix{f' with no entry below {self.least:g}' if self.least else ''}"

    def corners(self, known: Sizes) -> tuple[Array, ...]:
        """Return a matrix near the identity, wrapped around where it is not square."""
        n, m = size_of(self.rows, known), size_of(self.columns, known)
        if m == 1:
            return (np.ones((n, 1)),)
        eye = np.eye(m)[np.arange(n) % m]
        return (0.75 * eye + 0.25 / m,)

    def simpler(self, value: Array) -> Iterator[Array]:
        """Yield it with short decimals in each row."""
        for short in zip(*(list(self._row().simpler(row)) for row in value), strict=False):
            yield np.stack(short)

    def resized(self, value: Array, known: Sizes) -> Array | None:
        """Return the first rows and columns of the matrix, each row scaled to sum to one."""
        head = value[: size_of(self.rows, known), : size_of(self.columns, known)]
        sums = head.sum(axis=1, keepdims=True)
        return np.asarray(head / sums) if (sums > 0).all() else None

    def between(self, start: Array, end: Array, share: float) -> Array:
        """Return the mixture."""
        return np.asarray((1.0 - share) * start + share * end)

    def exactly(self, value: Array) -> Array:
        """Return short fractions, the largest of each row making its sum one."""
        return np.array([_summing_to(1, row) for row in value], dtype=object)
