"""Problems from data: ``prior[x] = (counts[x] + smoothing) / sum``, from counts, records or a joint table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from mechdesign import domains
from mechdesign.columns import array, categories_of, index_of, refuse_missing, refuse_mixtures
from mechdesign.domains import Array
from mechdesign.errors import DomainError, nearest


class FromData:
    """The ways in which a `Problem` is made from data."""

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        *,
        values: Any = None,
        labels: Sequence[object] | None = None,
        smoothing: float = 0.0,
        prior_source: str | None = None,
    ) -> Self:
        """Return the problem whose prior is proportional to counts.

        Parameters
        ----------
        counts : mapping, Series, DataFrame of two columns or array_like
            Labels with their counts, of which none may be negative. A column of pandas is labelled by its index, a
            table by its first column.
        values : mapping, Series or array_like, optional
            The number that each input stands for: by label, or in the order of the labels.
        labels : sequence, optional
            The inputs and their order; those without a count have 0. Without it, the order of `counts`.
        smoothing : float
            Added to every count, at least 0; said in `prior_source`.
        prior_source : str, optional
            Where the counts come from.

        Returns
        -------
        Problem

        Raises
        ------
        DomainError
            Counts that are missing, negative or no numbers; counts of 0 without smoothing; labels that are there twice,
            or that counts, labels and values do not share.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Problem.from_counts({"no": 30, "yes": 10})
        Problem(n=2, prior=[0.75, 0.25], labels=['no', 'yes'])
        """
        found, named = _labelled("counts", counts)
        if named is None and labels is not None:
            given = domains.names("labels", labels)
            if len(given) != len(found):
                rule = f"there are {len(found)} counts"
                raise DomainError("labels", f"of length {len(given)}", rule, "name each count, or give a mapping")
            named = given
        elif named is not None and labels is not None:
            found, named = _ordered(found, named, domains.names("labels", labels))
        made: Self = _made(cls, found, named, values, smoothing, prior_source)
        return made

    @classmethod
    def from_records(
        cls,
        records: Any,
        *,
        values: Any = None,
        categories: Sequence[object] | None = None,
        smoothing: float = 0.0,
        prior_source: str | None = None,
    ) -> Self:
        """Return the problem whose prior is the shares of the answers in a column of data.

        Parameters
        ----------
        records : sequence, array or column
            One answer for each person; a label is its ``str``.
        values : mapping, Series or array_like, optional
            The number that each answer stands for: by label, or in the order of the categories.
        categories : sequence, optional
            All possible answers, in their order; those that nobody gave need `smoothing`. Without it those of a
            categorical column, or else the answers that occur, sorted.
        smoothing : float
            Added to the count of every answer, at least 0; said in `prior_source`.
        prior_source : str, optional
            Where the records come from.

        Returns
        -------
        Problem

        Raises
        ------
        DomainError
            Missing records, or none; answers beside the categories; categories that nobody gave, without smoothing.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Problem.from_records(["no", "yes", "no"], categories=["yes", "no", "unsure"], smoothing=1.0).prior
        array([0.33333333, 0.5       , 0.16666667])
        """
        given = array("records", records).reshape(-1)
        refuse_missing("records", given)
        if not given.size:
            raise DomainError("records", "empty", "a prior needs records", "give at least one")
        if given.dtype.kind == "O":
            refuse_mixtures("records", given)
        tally = Counter(given.tolist())
        known = categories if categories is not None else categories_of(records)
        named = tuple(str(answer) for answer in sorted(tally)) if known is None else domains.names("categories", known)
        counts = {str(answer): float(count) for answer, count in tally.items()}
        found, named = _ordered(np.array(list(counts.values())), tuple(counts), named)
        made: Self = _made(cls, found, named, values, smoothing, prior_source)
        return made

    @classmethod
    def from_joint(cls, table: Any, *, values: Any = None, prior_source: str | None = None) -> Self:
        """Return the problem of data that are correlated with a hidden secret, from their joint table.

        Parameters
        ----------
        table : DataFrame or array_like, shape (k, n)
            Counts or probabilities: row s is a value of the secret, column x one of the data. The columns of a
            DataFrame are the labels of the data.
        values : mapping, Series or array_like, optional
            The number that each datum stands for.
        prior_source : str, optional
            Where the table comes from.

        Returns
        -------
        Problem
            With ``data_given_secret[s, x]`` proportional to ``table[s, x]``; notions look at the secret.

        Raises
        ------
        DomainError
            Entries that are missing, negative or no numbers; a row or column of zeros.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Problem.from_joint([[3, 1], [1, 3]]).data_given_secret.tolist()
        [[0.75, 0.25], [0.25, 0.75]]
        """
        columns = getattr(table, "columns", None)
        rows = table.to_numpy() if columns is not None else table
        if columns is not None:
            refuse_missing("table", np.asarray(rows))
        joint = domains.matrix("table", rows)
        _refuse_negative("table", joint)
        mass = joint.sum(axis=0)
        if np.any(mass == 0):
            rule = "every datum has to be possible"
            raise DomainError(f"table[:, {int(np.argmin(mass))}]", "all zero", rule, "drop that column")
        labels = None if columns is None else domains.names("labels", list(columns))
        made: Self = _made(cls, mass, labels, values, 0.0, prior_source).hidden(secret_given_data=joint / mass)
        return made


def _made(
    cls: Any, counts: Array, labels: tuple[str, ...] | None, values: Any, smoothing: float, source: str | None
) -> Any:
    """Return ``cls`` with the prior of `counts`, smoothed, and the values in their order."""
    added = domains.real("smoothing", smoothing, 0.0)
    empty = np.flatnonzero(counts == 0)
    if len(empty) and not added:
        named = ", ".join(str(x) if labels is None else labels[x] for x in empty[:3])
        rule = f"every input has to have a positive prior ({len(empty)} of {len(counts)} counts are 0: {named})"
        remedy = "give smoothing=0.5, which is added to every count, or drop them"
        raise DomainError("counts", "0 in places", rule, remedy)
    total = counts + added
    if added:
        said = f"{added:g} added to each of {len(counts)} counts, of which {len(empty)} were 0"
        source = f"{source or 'unknown'} ({said})"
    found = None if values is None else _values(values, labels, len(counts))
    return cls(total / total.sum(), found, labels, prior_source=source)


def _labelled(argument: str, given: Any) -> tuple[Array, tuple[str, ...] | None]:
    """Return counts, or values, and the labels that they carry."""
    labels: Any = None
    if isinstance(given, Mapping):
        labels, given = list(given), list(given.values())
    elif getattr(given, "columns", None) is not None:
        labels, given = _two_columns(argument, given)
    else:
        labels = index_of(given)
    numbers = array(argument, given)
    if numbers.dtype.kind in "Of":
        refuse_missing(argument, numbers)
    found = domains.vector(argument, numbers.tolist())
    if labels is not None:
        refuse_missing("labels", array("labels", labels))
    if argument == "counts":
        _refuse_negative(argument, found)
    return found, None if labels is None else domains.names("labels", labels)


def _two_columns(argument: str, table: Any) -> tuple[Any, Any]:
    columns = list(table.columns)
    if len(columns) != 2:
        rule = "its first column holds the labels and its second the numbers"
        raise DomainError(argument, f"a table of {len(columns)} columns", rule, "select two of them, or give a mapping")
    return array("labels", table[columns[0]]).tolist(), table[columns[1]].to_numpy()


def _ordered(counts: Array, named: tuple[str, ...], order: tuple[str, ...]) -> tuple[Array, tuple[str, ...]]:
    """Return the counts in the order of the labels, 0 for those that have none."""
    strangers = [name for name in named if name not in set(order)]
    if strangers:
        rule = f"the labels do not have it ({len(strangers)} such)"
        raise DomainError("labels", f'without "{strangers[0]}"', rule, nearest(strangers[0], order))
    by_name = dict(zip(named, counts.tolist(), strict=True))
    return np.array([by_name.get(name, 0.0) for name in order]), order


def _values(given: Any, labels: tuple[str, ...] | None, count: int) -> Array:
    """Return the values in the order of the labels, by which they are aligned where they carry labels themselves."""
    found, named = _labelled("values", given)
    if named is None or labels is None:
        return domains.vector("values", found, count)
    if set(named) != set(labels):
        missing = sorted(set(labels) - set(named)) or sorted(set(named) - set(labels))
        whose = "values" if set(labels) - set(named) else "counts"
        rule = f"they have to carry the labels of the counts; {whose} lack it"
        remedy = "give them by the same labels, or as a list"
        raise DomainError("values", f'not aligned at "{missing[0]}"', rule, remedy)
    by_name = dict(zip(named, found.tolist(), strict=True))
    return np.array([by_name[label] for label in labels])


def _refuse_negative(argument: str, given: npt.NDArray[Any]) -> None:
    if (given < 0).any():
        place, entry = domains.first_of(argument, given, given < 0)
        raise DomainError(place, entry, "counts are not negative", "correct it")
