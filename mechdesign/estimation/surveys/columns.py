"""Columns that say of each report what its sender is drawn from: numbered labels, in the order of the reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, is_missing
from mechdesign.parameters.columns import require_one_order
from mechdesign.problem.columns_of_data import array, categories_of, refuse_missing, refuse_mixtures

#: Weights whose largest is between these neither overflow nor vanish when they are added up.
MODERATE = (1e-100, 1e100)


@dataclass(frozen=True, eq=False)
class Labelled:
    """A label of each report: the distinct ones in ascending order, and the number of each report's.

    Parameters
    ----------
    labels : tuple
        The distinct labels.
    codes : ndarray of int, shape (N,)
        The place of each report's label among them.
    """

    labels: tuple[Any, ...]
    codes: Indices

    def among(self, members: npt.NDArray[np.bool_]) -> Labelled:
        """Return the labels of some of the reports; labels that none of them has are left out."""
        kept, codes = np.unique(self.codes[members], return_inverse=True)
        return Labelled(tuple(self.labels[at] for at in kept.tolist()), codes.astype(np.int64))

    @property
    def names(self) -> tuple[str, ...]:
        """The labels as texts."""
        return tuple(map(str, self.labels))


def labelled(argument: str, given: Any, reports: Any, count: int) -> Labelled:
    """Return the labels of a column that has one for each of `count` reports.

    Parameters
    ----------
    argument : str
        What the column is called.
    given : sequence, array or column
        Texts or numbers.
    reports : object
        The reports as they were given, whose index a column of pandas has to share.
    count : int
        How many reports there are.

    Raises
    ------
    DomainError
        Another length or index; missing labels; texts among numbers; fractions; a category without reports.

    Examples
    --------
    >>> found = labelled("strata", ["urban", "rural", "urban"], [0, 1, 1], 3)
    >>> found.labels, found.codes.tolist()
    (('rural', 'urban'), [1, 0, 1])
    """
    require_one_order(argument, reports, given)
    column = array(argument, given)
    require_length(argument, column, count)
    if column.dtype.kind in "iub":
        found, codes = np.unique(column, return_inverse=True)
        labels = tuple(found.tolist())
    else:
        labels, codes = _of_objects(argument, column)
    declared = categories_of(given)
    if declared is not None and (unused := [each for each in declared if each not in set(labels)]):
        rule = f"the category {unused[0]!r} has no report"
        raise DomainError(argument, f"of {len(declared)} categories", rule, "drop categories that nobody has")
    return Labelled(labels, codes.astype(np.int64))


def weights_of(argument: str, given: Any, reports: Any, count: int) -> Array:
    """Return the weight of each of `count` reports, as a share of the largest one.

    Raises
    ------
    DomainError
        Another length or index; weights that are missing, negative or not finite, or all zero.
    """
    require_one_order(argument, reports, given)
    column = array(argument, given)
    require_several(argument, column)
    found = domains.numbers(argument, column, 1)
    require_length(argument, found, count)
    _require_weights(argument, found)
    # Relative to the largest, so that squares neither overflow nor vanish.
    return np.asarray(found / found.max(), dtype=float)


def replicate_weights_of(given: Any, reports: Any, count: int) -> Array:
    """Return the weight of each of `count` reports in each replicate, shape (count, R).

    Raises
    ------
    DomainError
        No table of at least two columns with a row for each report; weights that are missing, negative or not finite.
    """
    require_one_order("replicate_weights", reports, given)
    table = given.to_numpy() if hasattr(given, "to_numpy") else given
    found = domains.numbers("replicate_weights", table, 2)
    require_length("replicate_weights", found, count)
    if found.shape[1] < 2:
        rule = "one replicate shows no variance"
        remedy = "give a column for each replicate"
        raise DomainError("replicate_weights", f"of shape {found.shape}", rule, remedy)
    _require_weights("replicate_weights", found)
    largest = found.max()
    return found if MODERATE[0] < largest < MODERATE[1] else np.asarray(found / largest, dtype=float)


def require_length(argument: str, column: npt.NDArray[Any], count: int) -> None:
    """Raise where a column has another number of entries than there are reports."""
    require_several(argument, column)
    if column.ndim == 0 or len(column) != count or (column.ndim > 1 and argument != "replicate_weights"):
        rule = f"there are {count} reports, and an entry belongs to each"
        shown = f"of length {len(column)}" if column.ndim == 1 else f"of shape {column.shape}"
        raise DomainError(argument, shown, rule, "give one for each report, in their order")


def require_several(argument: str, column: npt.NDArray[Any]) -> None:
    """Raise where a column is one entry, such as its name in a table."""
    if column.ndim == 0:
        rule = "it has an entry for each report"
        remedy = f"give the column itself, such as table[{column.item()!r}]"
        raise DomainError(argument, column.item(), rule, remedy if column.dtype.kind == "U" else "give all of them")


def require_one_order_of_all(reports: Any, columns: Mapping[str, Any]) -> None:
    """Raise if two of the reports and the columns beside them are of pandas, and each has an index of its own."""
    seen: tuple[str, Any] = ("reports", reports)
    for argument, given in columns.items():
        if given is None or not hasattr(given, "iloc"):
            continue
        if not hasattr(seen[1], "iloc"):
            seen = (argument, given)
        require_one_order(argument, seen[1], given, seen[0])


def _of_objects(argument: str, column: npt.NDArray[Any]) -> tuple[tuple[Any, ...], Indices]:
    """Return the distinct labels of a column of texts or numbers, sorted, and the number of each entry's."""
    # Texts that differ in their Unicode form alone are one label, as names are everywhere.
    entries = [domains.one_form(each) if isinstance(each, str) else each for each in column.tolist()]
    try:
        distinct = set(entries)
    except TypeError:
        raise DomainError(argument, "of sequences", "a label is a text or a number", "give one label each") from None
    if any(map(is_missing, distinct)):
        refuse_missing(argument, column)
    if any(isinstance(each, float) and not each.is_integer() for each in distinct):
        rule, remedy = "a fraction names no group of people", "give labels, such as pandas.cut makes of numbers"
        raise DomainError(argument, "of fractions", rule, remedy)
    refuse_mixtures(argument, np.array([*distinct, None], dtype=object)[:-1])
    try:
        labels = tuple(sorted(distinct))
    except TypeError:
        labels = tuple(sorted(distinct, key=str))
    places = dict(zip(labels, range(len(labels)), strict=True))
    return labels, np.fromiter(map(places.__getitem__, entries), dtype=np.int64, count=len(entries))


def _require_weights(argument: str, found: Array) -> None:
    wrong = ~(np.isfinite(found) & (found >= 0.0))
    if wrong.any():
        place = np.unravel_index(int(np.argmax(wrong)), found.shape)
        rule, remedy = "a weight has to be a finite number of at least 0", "leave out who has none"
        raise DomainError(f"{argument}[{', '.join(map(str, place))}]", float(found[place]), rule, remedy)
    if not found.any():
        raise DomainError(argument, "all zero", "nobody stands for anybody", "give a positive weight")
