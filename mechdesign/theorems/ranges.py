"""In words, from where the points of a family are drawn."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from mechdesign.theorems.distinct_values import Increasing
from mechdesign.theorems.family import Family
from mechdesign.theorems.variables import Channel, Choice, Distribution, Real, Seed, Variable, Vector, Whole


def ranges(family: Family) -> str:
    """Return each variable with its range, in a sentence without its stop.

    Examples
    --------
    >>> ranges(Family({"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n")}))
    'n from 2 to 4; epsilon from 0.05 to 5; prior a distribution with no mass below 0.001'
    """
    return "; ".join(f"{name} {range_of(variable)}" for name, variable in family.variables.items())


@singledispatch
def range_of(variable: Any) -> str:
    """Return the range of a variable in words."""
    assert isinstance(variable, Variable), f"{variable!r} is no variable"
    return "drawn"


@range_of.register
def _(variable: Real) -> str:
    return f"from {variable.low:g} to {variable.high:g}"


@range_of.register
def _(variable: Whole) -> str:
    return f"from {variable.low} to {variable.high}" if variable.low < variable.high else f"= {variable.low}"


@range_of.register
def _(variable: Choice) -> str:
    return f"one of {', '.join(map(str, variable.options))}"


@range_of.register
def _(variable: Seed) -> str:
    return "drawn at random"


@range_of.register
def _(variable: Distribution) -> str:
    return f"a distribution with no mass below {variable.least:g}"


@range_of.register
def _(variable: Vector) -> str:
    if variable.balanced:
        return "numbers that sum to zero"
    return f"numbers from {variable.low:g} to {variable.high:g}"


@range_of.register
def _(variable: Increasing) -> str:
    return f"increasing numbers from {variable.low:g} to {variable.high:g}"


@range_of.register
def _(variable: Channel) -> str:
    return f"a stochastic matrix{f' with no entry below {variable.least:g}' if variable.least else ''}"
