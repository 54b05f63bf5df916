"""Domains of arguments: each check returns the value in the form that the package keeps, or raises."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.tolerances import SUM_TO_ONE

Array = npt.NDArray[np.float64]


class EqualByContent:
    """Equality and hash of a frozen dataclass that holds arrays: two with equal fields are one (``eq=False``)."""

    def _key(self) -> tuple[Any, ...]:
        parts = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type] # beside dataclasses only
        return tuple((p.shape, p.tobytes()) if isinstance(p, np.ndarray) else p for p in parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))


def frozen(array: npt.ArrayLike) -> Array:
    """Return a read-only float64 copy of `array`."""
    # In one order of memory: sums over a matrix then round alike before it is saved and after it is loaded.
    copy = np.array(array, dtype=np.float64, order="C")
    copy.setflags(write=False)
    return copy


def real(argument: str, value: Any, low: float, high: float = math.inf) -> float:
    """Return `value` as a float in ``[low, high]``, infinite only where `high` is given as such and finite else."""
    try:
        # True and "1.0" turn into floats too, but nobody means them as numbers.
        number = None if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None:
        raise DomainError(argument, value, "it has to be a number", "give a float")
    if not math.isfinite(number) or number < low or number > high:
        upper = "finite" if math.isinf(high) else f"at most {high:g}"
        raise DomainError(argument, value, f"it has to be at least {low:g} and {upper}", "choose one in that range")
    return number


def whole(argument: str, value: Any, low: int) -> int:
    """Return `value` as a whole number of at least `low`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise DomainError(argument, value, "it has to be a whole number", "give an int") from None
    if number < low:
        raise DomainError(argument, number, f"it has to be at least {low}", "choose one in that range")
    return number


def truth(argument: str, value: Any) -> bool:
    """Return `value`, which has to be true or false: no text and no number stands for either."""
    if not isinstance(value, bool | np.bool_):
        raise DomainError(argument, value, "it has to be true or false", "give a bool")
    return bool(value)


def vector(argument: str, values: Any, length: int | None = None) -> Array:
    """Return `values` as a read-only vector of finite numbers, of `length` where that is given."""
    array = _array(argument, values, 1)
    if length is not None and len(array) != length:
        raise DomainError(
            argument,
            f"of length {len(array)}",
            f"it has to have one entry for each of the {length} inputs",
            "give vectors of one length",
        )
    return array


def matrix(argument: str, values: Any, rows: int | None = None, columns: int | None = None) -> Array:
    """Return `values` as a read-only matrix of finite numbers, of that many rows and columns."""
    array = _array(argument, values, 2)
    for axis, (wanted, name) in enumerate(((rows, "rows"), (columns, "columns"))):
        if wanted is not None and array.shape[axis] != wanted:
            raise DomainError(
                argument,
                f"of shape {array.shape}",
                f"it has to have {wanted} {name}",
                "check whether it is transposed",
            )
    return array


def distribution(argument: str, values: Any, length: int | None = None) -> Array:
    """Return `values` as a distribution, kept as given: no negative entry, a sum of one within 1e-9."""
    array = vector(argument, values, length)
    if np.any(array < 0):
        at = int(np.argmax(array < 0))
        raise DomainError(f"{argument}[{at}]", float(array[at]), "probabilities are not negative", "correct it")
    total = math.fsum(array)
    if abs(total - 1) > SUM_TO_ONE:
        raise DomainError(
            argument,
            f"a vector that sums to {total!r}",
            f"it has to sum to 1 within {SUM_TO_ONE:g}",
            "divide it by its sum if it is a vector of counts",
        )
    return array


def positive_distribution(argument: str, values: Any, length: int | None = None) -> Array:
    """Return `values` as a distribution without zeros."""
    array = distribution(argument, values, length)
    if np.any(array == 0):
        at = int(np.argmax(array == 0))
        raise DomainError(
            f"{argument}[{at}]",
            0.0,
            "every symbol has to have a positive probability",
            "drop the symbol from the problem",
        )
    return array


def stochastic_rows(argument: str, values: Any, rows: int | None = None, columns: int | None = None) -> Array:
    """Return `values` as a matrix each of whose rows is a distribution, kept as given."""
    array = matrix(argument, values, rows, columns)
    for index, row in enumerate(array):
        distribution(f"{argument}[{index}]", row)
    return array


def names(argument: str, values: Sequence[object], length: int | None = None) -> tuple[str, ...]:
    """Return `values` as a tuple of distinct strings."""
    if isinstance(values, str):
        raise DomainError(argument, values, "it has to be a sequence of names", "give a list")
    given = tuple(str(value) for value in values)
    if length is not None and len(given) != length:
        raise DomainError(
            argument,
            f"of length {len(given)}",
            f"it has to have one entry for each of the {length} inputs",
            "give vectors of one length",
        )
    if len(set(given)) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        raise DomainError(argument, twice, "names have to be distinct", "merge or rename the symbol")
    return given


def _array(argument: str, values: Any, dimensions: int) -> Array:
    shape = {1: "a vector", 2: "a matrix"}[dimensions]
    try:
        # An imaginary part or a mask would be lost.
        lossy = np.iscomplexobj(values) or np.ma.isMaskedArray(values)
        array = frozen([] if lossy else values)
    except (TypeError, ValueError, OverflowError):
        lossy = True
    if lossy:
        raise DomainError(argument, values, f"it has to be {shape} of numbers", "give floats")
    if array.ndim != dimensions or array.size == 0:
        raise DomainError(argument, f"of shape {array.shape}", f"it has to be {shape}", "give at least one entry")
    if not np.all(np.isfinite(array)):
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        index = ", ".join(map(str, at))
        raise DomainError(f"{argument}[{index}]", float(array[at]), "every entry has to be finite", "correct it")
    return array
