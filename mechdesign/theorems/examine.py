"""What a theorem's file is refused for when it is loaded: an empty domain, a formula without a value inside it."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.theorems.base import Theorem, met

#: Points of the domain at which the formula has to have a value, and draws in search of them.
POINTS, DRAWS = 2, 400


def examine(theorem: Theorem) -> None:
    """Refuse a theorem whose domain is empty, or whose formula is not a number inside it.

    Raises
    ------
    DomainError
        Naming the field.
    """
    rng = np.random.default_rng(0)
    family, seen = theorem.family, 0
    for point in chain((family.draw(rng) for _ in range(DRAWS)), family.corners()):
        subject = family.subject(point)
        if not met(theorem.claimed, subject):
            continue
        try:
            with np.errstate(all="ignore"):
                given = theorem.printed(subject)
        except ArithmeticError:
            # A print that divides by zero is the paper's, and fails before the referee.
            given = None
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise DomainError("printed", repr(error), f"it fails at {point.described()}", "correct it") from error
        if any(np.isnan(leaf).any() for leaf in leaves(given)):
            raise DomainError(
                "printed", "nan", f"it is not a number at {point.described()}", "correct it or its domain"
            )
        seen += 1
        if seen == POINTS:
            return
    if not seen:
        words = " and ".join(map(str, theorem.claimed))
        raise DomainError("claimed", words, "no point of the family satisfies it", "correct it or widen the family")


def leaves(given: Any) -> list[Any]:
    """Return the numbers and arrays of numbers in a formula's result, in order."""
    if isinstance(given, tuple):
        return [leaf for part in given for leaf in leaves(part)]
    array = np.asarray(given)
    if array.dtype.kind == "f":
        return [array]
    if array.dtype == object and array.ndim:
        return [array.astype(float)]
    return []
