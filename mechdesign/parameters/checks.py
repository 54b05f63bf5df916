"""Domains of arguments: each check returns the value in the form that the package keeps, or raises."""

from __future__ import annotations

import math
import operator
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.calls import NamedArguments
from mechdesign.parameters.columns import has_labels
from mechdesign.tolerances import SUM_TO_ONE

Array = npt.NDArray[np.float64]


class EqualByContent(metaclass=NamedArguments):
    """Equality and hash of a frozen dataclass that holds arrays: two with equal fields are one (``eq=False``)."""

    def _key(self) -> tuple[Any, ...]:
        return tuple(_content(getattr(self, field.name)) for field in fields(self) if field.compare)  # type: ignore[arg-type] # beside dataclasses only

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Copies, and what comes from another process, are as read-only as the original.
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        self.__dict__.update(state)


def _content(value: Any) -> Any:
    """Return what two equal values share: of an array its shape, type and numbers, of a list what a tuple has."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    return tuple(map(_content, value)) if isinstance(value, tuple | list) else value


def frozen(array: npt.ArrayLike) -> Array:
    """Return a read-only float64 copy of `array`."""
    # In one order of memory: sums over a matrix then round alike before it is saved and after it is loaded.
    copy = np.array(array, dtype=np.float64, order="C")
    copy.setflags(write=False)
    return copy


def number(argument: str, value: Any) -> float:
    """Return `value`, which has to be one number, as a float: NaN and infinity are some too."""
    if type(value) is float:
        return value
    if is_truth(value):
        raise DomainError(argument, value, "it has to be a number, and true or false is none", "give a float")
    try:
        # Python makes a number of an array of one entry too.
        found = None if _holds(value, _loses_something) or np.ndim(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None:
        raise DomainError(argument, _quoted(value), "it has to be a number", "give a float")
    return found


def _quoted(value: Any) -> Any:
    """Return a text that reads as a number in quotes, which show that it is no number; other values as they are."""
    try:
        return repr(value) if isinstance(value, str) and math.isfinite(float(value)) else value
    except ValueError:
        return value


def real(argument: str, value: Any, low: float, high: float = math.inf) -> float:
    """Return `value` as a finite float in ``[low, high]``."""
    found = number(argument, value)
    if not math.isfinite(found) or found < low or found > high:
        upper = "finite" if math.isinf(high) else f"at most {high:g}"
        raise DomainError(argument, value, f"it has to be at least {low:g} and {upper}", "choose one in that range")
    return found


def relative_gap(value: Any, argument: str = "gap") -> float:
    """Return a relative gap that can be asked for: above 0, as rounding never counts as 0, and at most 1."""
    found = number(argument, value)
    if not 0 < found <= 1:
        rule = "it has to be above 0, as rounding never counts as 0, and at most 1"
        remedy = "give 1e-12 for as near as floats come, say" if argument == "gap" else "give 0.02 for 2 %, say"
        raise DomainError(argument, value, rule, remedy)
    return found


#: The largest whole number that a solver's option holds: 32 bits with a sign; and one of people, each a float.
LARGEST_WHOLE, MOST_PEOPLE = 2**31 - 1, 2**53


def whole(argument: str, value: Any, low: int, high: int = LARGEST_WHOLE) -> int:
    """Return `value` as a whole number from `low` to `high`."""
    if is_truth(value):
        raise DomainError(argument, value, "it has to be a whole number, and true or false is none", "give an int")
    try:
        found = operator.index(value)
    except TypeError:
        is_near = isinstance(value, float | np.floating) and float(value).is_integer()
        remedy = f"give the int {int(value)}" if is_near else "give an int"
        raise DomainError(argument, _quoted(value), "it has to be a whole number", remedy) from None
    if found < low:
        raise DomainError(argument, found, f"it has to be at least {low}", "choose one in that range")
    if found > high:
        raise DomainError(argument, found, f"it has to be at most {high}", "choose one in that range")
    return found


def truth(argument: str, value: Any) -> bool:
    """Return `value`, which has to be true or false: no text and no number stands for either."""
    if not isinstance(value, bool | np.bool_):
        raise DomainError(argument, value, "it has to be true or false", "give a bool")
    return bool(value)


def vector(argument: str, values: Any, length: int | None = None) -> Array:
    """Return `values` as a read-only vector of finite numbers, of `length` where that is given."""
    array = finite(argument, numbers(argument, values, 1))
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
    array = finite(argument, numbers(argument, values, 2))
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


def require_distributions(argument: str, array: Array) -> None:
    """Raise unless each row of a matrix is a distribution, kept as given."""
    if array.min() < 0:
        place, entry = first_of(argument, array, array < 0)
        raise DomainError(place, entry, "probabilities are not negative", "correct it")
    totals = array.sum(axis=1)
    if not np.all(np.abs(totals - 1) <= SUM_TO_ONE):
        row = int(np.argmax(~(np.abs(totals - 1) <= SUM_TO_ONE)))
        rule = f"it has to sum to 1 within {SUM_TO_ONE:g}"
        raise DomainError(f"{argument}[{row}]", f"a row that sums to {float(totals[row])!r}", rule, "correct it")


def stochastic_rows(argument: str, values: Any, columns: int | None = None) -> Array:
    """Return `values` as a matrix each of whose rows is a distribution, kept as given."""
    array = matrix(argument, values, columns=columns)
    for index, row in enumerate(array):
        distribution(f"{argument}[{index}]", row)
    return array


def beyond_floats(text: str) -> bool:
    """Return whether `text` is a number that the nearest float would turn into 0 or into infinity."""
    try:
        found = float(text)
    except ValueError:
        return False
    digits = {int(digit) for digit in text.lower().partition("e")[0] if digit.isdecimal()}
    return (found == 0 and bool(digits - {0})) or (math.isinf(found) and bool(digits))


def is_missing(entry: Any) -> bool:
    """Return whether an entry of a table stands for a missing one: None, NaN, NaT or pandas's NA."""
    # pandas has its own for numbers and for dates; it is not loaded for their sake.
    if entry is None or type(entry).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(entry, np.datetime64 | np.timedelta64):
        return bool(np.isnat(entry))
    return isinstance(entry, float | np.floating) and math.isnan(entry)


def names(argument: str, values: Sequence[object], length: int | None = None) -> tuple[str, ...]:
    """Return `values` as a tuple of distinct strings."""
    if isinstance(values, str):
        raise DomainError(argument, values, "it has to be a sequence of names", "give a list")
    if isinstance(values, set | frozenset):
        rule = "a set has no order, by which other entries would belong to its names"
        raise DomainError(argument, values, rule, "give a list, sorted(...) for one")
    # Of an array of texts the entries are numpy's own, and slow.
    plain_values = getattr(values, "tolist", lambda: values)() if _kind(values) == "U" else values
    values = entries(argument, plain_values, "it has to be a sequence of names", "give a list")
    # Texts, of which there may be millions, are neither missing nor in need of a text.
    plain = set(map(type, values)) <= {str}
    missing = [] if plain else [place for place, value in enumerate(values) if is_missing(value)]
    if missing:
        rule = f"no name may be missing ({len(missing)} of {len(values)})"
        raise DomainError(f"{argument}[{missing[0]}]", str(values[missing[0]]), rule, "give it a name")
    given = values if plain else texts(argument, values)
    if length is not None and len(given) != length:
        raise DomainError(
            argument,
            f"of length {len(given)}",
            f"it has to have one entry for each of the {length} inputs",
            "give vectors of one length",
        )
    forms = one_form_of_each(given)
    if len(set(forms)) < len(given):
        twice = given[forms.index(first_repeated(forms))]
        rule = "names have to be distinct" + ", in whichever Unicode form" * (len(set(given)) == len(given))
        raise DomainError(argument, twice, rule, "merge or rename the symbol")
    return given


def first_repeated(values: Iterable[Any]) -> Any:
    """Return the first of `values` that occurs again; one does.

    Examples
    --------
    >>> first_repeated(["a", "b", "c", "c", "b"])
    'b'
    """
    return next(value for value, count in Counter(values).items() if count > 1)


def one_form(name: str) -> str:
    """Return a name in the Unicode form in which names are compared, NFC: an accent is a part of its letter.

    Examples
    --------
    >>> one_form("e\u0301") == "\u00e9"
    True
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def one_form_of_each(names: Iterable[str]) -> list[str]:
    """Return `one_form` of each name."""
    given = list(names)
    return given if all(map(str.isascii, given)) else list(map(one_form, given))


def texts(argument: str, values: Iterable[object]) -> tuple[str, ...]:
    """Return `values` as texts."""
    return tuple(text(f"{argument}[{place}]", value) for place, value in enumerate(values))


def text(argument: str, value: object) -> str:
    """Return `value` as a text, which not every object has."""
    try:
        return str(value)
    except ValueError:
        raise DomainError(argument, value, "it has to be a name", "give a shorter one") from None


def entries(argument: str, values: Any, rule: str, remedy: str) -> tuple[Any, ...]:
    """Return the entries of any sequence but a text."""
    # An array without axes says that it can be iterated, and cannot.
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        raise DomainError(argument, values, rule, remedy)
    return tuple(values)


def numbers(argument: str, values: Any, dimensions: int) -> Array:
    """Return `values` as a read-only array of at least one number, NaN and infinity among them."""
    shape = {1: "a vector", 2: "a matrix"}[dimensions]
    _refuse_labels(argument, values)
    if _holds(values, is_truth):
        rule = f"it has to be {shape} of numbers, and true or false is none"
        raise DomainError(argument, values, rule, "give floats")
    try:
        array = None if _holds(values, _loses_something) else frozen(values)
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        _refuse_ragged(argument, values)
        raise DomainError(argument, values, f"it has to be {shape} of numbers", "give floats")
    if array.ndim != dimensions or array.size == 0:
        remedy = "give at least one entry" if array.size == 0 else "give one list of numbers"
        if array.size and dimensions == 2:
            remedy = "give a list of rows, each a list of numbers"
        raise DomainError(argument, f"of shape {array.shape}", f"it has to be {shape}", remedy)
    if np.isnan(array).any():
        _refuse_none(argument, values)
    return array


def _refuse_labels(argument: str, values: Any) -> None:
    """Raise if values that are read by position carry labels."""
    several = isinstance(values, list | tuple)
    if has_labels(values) or (several and any(has_labels(each) for each in values if not np.isscalar(each))):
        rule = "it is read by position, and the labels that it carries would be ignored"
        raise DomainError(argument, f"a labelled {type(values).__name__}", rule, "give a list in the right order")


def _refuse_ragged(argument: str, values: Any) -> None:
    """Raise where rows are of several lengths."""
    rows = [len(row) for row in values if isinstance(row, list | tuple)] if isinstance(values, list | tuple) else []
    other = next((x for x, length in enumerate(rows) if length != rows[0]), None)
    if other is not None and len(rows) == len(values):
        rule = f"rows have to be of one length, and {argument}[0] has {rows[0]}"
        raise DomainError(f"{argument}[{other}]", f"of length {rows[other]}", rule, "correct the shorter of the two")


def _refuse_none(argument: str, values: Any) -> None:
    """Raise where an entry is None: of that numpy makes a NaN."""
    given = np.asarray(values, dtype=object)
    missing = np.argwhere(np.frompyfunc(lambda entry: entry is None, 1, 1)(given).astype(bool))
    if len(missing):
        place = f"{argument}[{', '.join(map(str, missing[0]))}]"
        rule = f"no entry may be missing ({len(missing)} of {given.size})"
        raise DomainError(place, None, rule, "give a number, or leave the input out")


def finite(argument: str, array: Array) -> Array:
    """Return `array`, none of whose entries may be NaN or infinite."""
    wrong = ~np.isfinite(array)
    if wrong.any():
        place, entry = first_of(argument, array, wrong)
        raise DomainError(place, entry, "every entry has to be finite", "correct it")
    return array


def first_of(argument: str, array: Array, wrong: npt.NDArray[np.bool_]) -> tuple[str, float]:
    """Return the first place where `wrong` is true, as part of `argument`, and the entry there."""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{argument}[{', '.join(map(str, at))}]", float(array[at])


def is_truth(value: Any) -> bool:
    """Return whether `value` is true or false, or an array of those: Python and numpy take them for 1 and 0."""
    return isinstance(value, bool) or _kind(value) == "b"


def _loses_something(value: Any) -> bool:
    """Return whether a float of `value` would be read from text, or lose an imaginary part, a mask or a date."""
    # Masked arrays are recognised by their mask: to load `np.ma` is slow.
    masked = isinstance(value, np.ndarray) and hasattr(value, "mask")
    return masked or isinstance(value, str | bytes | bytearray) or _kind(value) not in "iufO"


def _kind(value: Any) -> str:
    """Return the letter that numpy has for the kind of an array's entries; of anything else, the letter of objects."""
    return str(getattr(getattr(value, "dtype", None), "kind", "O"))


def _holds(values: Any, strange: Callable[[Any], bool]) -> bool:
    """Return whether `values`, or an entry of theirs, is `strange`."""
    if strange(values):
        return True
    if hasattr(values, "__array__"):
        values = np.asarray(values).ravel().tolist() if _kind(values) == "O" else ()
    if not isinstance(values, list | tuple) or set(map(type, values)) <= {float, int}:
        return False
    return any(_holds(value, strange) for value in values)
