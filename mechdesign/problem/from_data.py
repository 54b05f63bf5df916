"""Problems from data: ``prior[x] = (counts[x] + smoothing) / sum``, from counts, records or a joint table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.parameters.labels import aligned
from mechdesign.problem.bins import By
from mechdesign.problem.given_counts import added_up, refuse_records
from mechdesign.problem.labelled import labelled, ordered, refuse_negative
from mechdesign.problem.labelled import table as labelled_table
from mechdesign.problem.missing import missing_rule
from mechdesign.problem.records import tally


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
            table by its first column; counts of one label in several of its rows are added up.
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
            Counts that are missing, negative or no numbers; counts of 0 without smoothing; labels that counts, labels
            and values do not share.

        Warns
        -----
        DataWarning
            Several rows of one label.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Problem.from_counts({"no": 30, "yes": 10})
        Problem(n=2, prior=[0.75, 0.25], labels=['no', 'yes'])
        """
        # An iterator can be read once, and counts are looked at twice.
        counts = list(counts) if isinstance(counts, Iterator) else counts
        refuse_records(counts)
        found, named = labelled("counts", added_up(counts, stacklevel=2))
        refuse_negative("counts", found)
        if named is None and labels is not None:
            given = domains.names("labels", labels)
            if len(given) != len(found):
                rule = f"there are {len(found)} counts"
                raise DomainError("labels", f"of length {len(given)}", rule, "name each count, or give a mapping")
            named = given
        elif named is not None and labels is not None:
            order = domains.names("labels", labels)
            found, named = ordered(found, named, order), order
        made: Self = _made(cls, found, named, values, smoothing, prior_source)
        return made

    @classmethod
    def from_records(
        cls,
        records: Any,
        *,
        values: Any = None,
        categories: Sequence[object] | None = None,
        bins: int | Sequence[float] | None = None,
        by: By = "quantiles",
        missing: Any = None,
        drop_missing: bool = False,
        smoothing: float = 0.0,
        prior_source: str | None = None,
    ) -> Self:
        """Return the problem whose prior is the shares of the answers in a column of data.

        Parameters
        ----------
        records : sequence, array or column
            One answer for each person; a label is its ``str``.
        values : mapping, Series or array_like, optional
            The number that each answer stands for: by label, or in the order of the categories. Without it that of
            whole numbers, and the middle of bins.
        categories : sequence, optional
            All possible answers, in their order; those that nobody gave need `smoothing`. Without it those of a
            categorical column, or else the answers that occur, sorted.
        bins : int or sequence of float, optional
            Intervals of a column of numbers: their edges, or how many. A bin holds its lower end, the last one both.
            Edges that are computed from the records disclose something of them, such as the smallest and the largest,
            and are rounded to two digits of a bin's width: where records are private, give edges.
        by : {"quantiles", "widths"}
            Whether so many bins hold about as many records each, or are equally wide. Where many records are equal
            there are fewer bins by quantiles.
        missing : str, number or sequence, optional
            Codes of a missing answer, such as ``["NA", ""]`` or ``-9``; None and NaN are missing without being named.
            Missing answers are counted as the answer ``"missing"``, which stands for no number. Without codes, missing
            answers among numbers and empty ones are refused, and texts such as "NA" are warned of.
        drop_missing : bool
            Whether missing answers are left out instead. Without `missing` the usual codes are: "", NA, NaN, null, n/a,
            #N/A and <NA>, in any case.
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
            Missing records that are not declared, or none; several columns; real numbers without bins; answers beside
            the categories or outside of the bins; categories that nobody gave, without smoothing.

        Warns
        -----
        DataWarning
            More than a thousand distinct texts: names or sentences, which labels would give away. Texts that look like
            missing answers.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Problem.from_records(["no", "yes", "no"], categories=["yes", "no", "unsure"], smoothing=1.0).prior
        array([0.33333333, 0.5       , 0.16666667])
        >>> md.Problem.from_records([18.5, 21.0, 40.2, 70.9], bins=[18, 30, 75])
        Problem(n=2, prior=[0.5, 0.5], values=[24, 52.5], labels=['[18, 30)', '[30, 75]'])
        >>> md.Problem.from_records([20, None, 20, 30], drop_missing=True).labels
        ('20', '30')
        >>> md.Problem.from_records([20, -9, 20, 30], missing=-9).labels
        ('20', '30', 'missing')
        """
        found = tally(records, categories, bins, by, stacklevel=2, missing=missing_rule(missing, drop_missing))
        given = found.values if values is None else values
        return cls.from_counts(
            found.counts, labels=found.labels, values=given, smoothing=smoothing, prior_source=prior_source
        )

    @classmethod
    def from_joint(
        cls,
        table: Any,
        *,
        values: Any = None,
        labels: Sequence[object] | None = None,
        secret_labels: Sequence[object] | None = None,
        prior_source: str | None = None,
    ) -> Self:
        """Return the problem of data that are correlated with a hidden secret, from their joint table.

        Parameters
        ----------
        table : DataFrame or array_like, shape (k, n)
            Counts or probabilities: row s is a value of the secret, column x one of the data. The columns of a
            DataFrame are the labels of the data; its index, or a first column of texts, those of the secret.
        values : mapping, Series or array_like, optional
            The number that each datum stands for.
        labels, secret_labels : sequence, optional
            The data and the values of the secret, where the table does not name them.
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
        joint, rows, columns = labelled_table("table", table)
        refuse_negative("table", joint)
        for axis, shown, what in ((0, "[:, {}]", "column"), (1, "[{}, :]", "row")):
            empty = np.flatnonzero(joint.max(axis=axis) == 0)
            if len(empty):
                rule = f"every {'secret' if axis else 'datum'} has to be possible"
                raise DomainError(f"table{shown.format(empty[0])}", "all zero", rule, f"drop that {what}")
        given = labels if labels is not None else columns
        named = None if given is None else domains.names("labels", list(given), joint.shape[1])
        mass = np.array([_sum(column) for column in joint.T])
        bare = _made(cls, mass, named, values, 0.0, prior_source)
        secrets = rows if secret_labels is None else secret_labels
        made: Self = bare.hidden(secret_given_data=joint / mass, secret_labels=secrets)
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
    size = _sum(total)
    if not math.isfinite(size):
        raise DomainError("counts", "too large", "their sum has to be finite", "scale them")
    if added:
        said = f"{added:g} added to each of {len(counts)} counts, of which {len(empty)} were 0"
        source = f"{source or 'unknown'} ({said})"
    found = None if values is None else aligned("values", values, labels, len(counts))
    return cls(total / size, found, labels, prior_source=source)


def _sum(counts: Array) -> float:
    try:
        return math.fsum(counts)
    except OverflowError:
        return math.inf
