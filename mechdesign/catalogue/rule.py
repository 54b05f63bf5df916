"""When one notion implies another for every problem: the best constant between their levels, and its source."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from mechdesign.catalogue.asked import asked, wrong
from mechdesign.errors import DomainError, written

#: More than what a constant misses by rounding.
OUTWARD = 1.0 + 2.0**-50


@dataclass(frozen=True)
class Rule:
    """A notion called `first` implies the one whose card has the rule, at ``constant(first, second)`` and above.

    Parameters
    ----------
    first : str
        The class of the notion that implies.
    constant : callable
        The least level of the second notion at which it is implied, of both notions with their levels: `same_level`,
        `twice_the_level`, `of_level` of a function, or one of your own, which has to round upward.
    reference : str
        Where it is proved, or why it holds.

    Raises
    ------
    DomainError
        A name or a reference that is no text, or empty; a constant that cannot be called.

    Examples
    --------
    >>> import mechdesign as md
    >>> [rule.first for rule in md.LIP.card.implied_by]
    ['LDP', 'WorstCaseLIP', 'NearPriorLIP']
    """

    first: str
    constant: Callable[[Any, Any], float]
    reference: str

    def __post_init__(self) -> None:
        for name in ("first", "reference"):
            given = getattr(self, name)
            if not isinstance(given, str) or not given.strip():
                remedy = "write the name of the class" if name == "first" else "say where it is proved"
                raise DomainError(name, given, "it has to be a text", remedy)
        constant: Any = self.constant
        if not callable(constant):
            rule = "it has to be a function of both notions"
            raise DomainError("constant", constant, rule, "give mechdesign.catalogue.same_level")


def required_level(rule: Rule, first: Any, second: Any) -> float:
    """Return the least level of the second notion at which a rule of its card says that the first implies it.

    Raises
    ------
    DomainError
        The constant raises, or is no number of at least 0.

    Examples
    --------
    >>> import mechdesign as md
    >>> required_level(md.LIP.card.implied_by[0], md.LDP(1.0), md.LIP(1.0))
    1.0
    """
    member, field = type(second), f'implied_by ("{rule.first}")'
    found = asked(member, field, rule.constant, first, second)
    if isinstance(found, bool) or not isinstance(found, Real) or not float(found) >= 0.0:
        said = f"its constant is {written(found)} for {first}"
        raise wrong(member, field, said, "let it return the least level, a number of at least 0")
    return float(found)


def same_level(first: Any, second: Any) -> float:
    """Return the level of the first notion: the second is implied at the same."""
    return float(first.parameter)


def twice_the_level(first: Any, second: Any) -> float:
    """Return twice the level of the first notion."""
    return 2.0 * float(first.parameter)


def of_level(constant: Callable[[float], float]) -> Callable[[Any, Any], float]:
    """Return a constant that is a function of the first notion's level, rounded upward.

    It is above 0 where the level is: products in it may underflow.

    Examples
    --------
    >>> import mechdesign as md
    >>> of_level(lambda level: level / 2)(md.LDP(1.0), md.LIP(1.0)) >= 0.5
    True
    """
    return lambda first, second: _outward(lambda: constant(first.parameter), first.parameter)


def of_level_and_order(constant: Callable[[float, float], float]) -> Callable[[Any, Any], float]:
    """Return a constant that is a function of the first notion's level and the second's order, rounded upward."""
    return lambda first, second: _outward(lambda: constant(first.parameter, second.alpha), first.parameter)


def _outward(constant: Callable[[], float], level: float) -> float:
    try:
        return math.nextafter(constant() * OUTWARD, math.inf) if level > 0.0 else 0.0
    except OverflowError:
        # More than any float: the rule says nothing.
        return math.inf
