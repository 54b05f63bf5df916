"""The axes of a theorem's picture: variables that are numbers, and the first probability of distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError, UnsupportedError, nearest
from mechdesign.parameters.checks import Array


@dataclass(frozen=True)
class Across:
    """One axis: a variable of the family, the numbers along it, and the value that each stands for."""

    name: str
    label: str
    low: float
    high: float
    value: Callable[[float], Any]
    log: bool = False

    def numbers(self, points: int) -> Array:
        """Return evenly spaced numbers from end to end."""
        space = np.geomspace if self.log else np.linspace
        return np.asarray(space(self.low, self.high, points))


def axes_of(theorem: Any, fixed: Mapping[str, Any], x: str | None, y: str | None) -> tuple[Across, Across]:
    """Return the axes across and upwards: those asked for, or a distribution across and a number upwards.

    Raises
    ------
    DomainError
        A variable that there is none of (the nearest is named), or that is no axis; the same one twice.
    UnsupportedError
        Fewer than two variables that are numbers or distributions.
    """
    variables = theorem.family.variables
    possible = {name: found for name in variables if (found := _across(name, variables[name], fixed)) is not None}
    if len(possible) < 2:
        known = ", ".join(possible) or "none"
        raise UnsupportedError(
            f"{theorem.key} has fewer than two variables that are numbers or distributions ({known}), so there is no "
            "plane to draw its domain in; md.verify(key) gives its verdict."
        )
    for argument, name in (("x", x), ("y", y)):
        if name is not None and name not in possible:
            why = "it is no number and no distribution" if name in variables else "the theorem has no such variable"
            raise DomainError(argument, name, why, nearest(str(name), possible))
    # A distribution across and a number upwards, where there are both.
    order = sorted(possible, key=lambda name: not hasattr(variables[name], "least"))
    first = x or next(name for name in order if name != y)
    rest = [name for name in possible if name != first]
    second = y or next((name for name in rest if not hasattr(variables[name], "least")), rest[0])
    if first == second:
        raise DomainError("y", second, "it is the variable across already", f"use one of {', '.join(rest)}")
    return possible[first], possible[second]


def _across(name: str, variable: Any, fixed: Mapping[str, Any]) -> Across | None:
    """Return the axis of a variable; None where it is neither a number nor a distribution of two or more."""
    if hasattr(variable, "log"):
        unit = " (nats)" if name.startswith("epsilon") else ""
        return Across(name, f"{name}{unit}", variable.low, variable.high, float, variable.log)
    if not hasattr(variable, "least") or hasattr(variable, "rows"):
        return None
    size = len(fixed[name])
    if size < 2:
        return None

    def spread(first: float) -> Array:
        found = np.full(size, (1.0 - first) / (size - 1))
        found[0] = first
        return found

    label = f"{name}[0]" if size == 2 else f"{name}[0], the others alike"
    return Across(name, label, variable.least, 1.0 - (size - 1) * variable.least, spread)
