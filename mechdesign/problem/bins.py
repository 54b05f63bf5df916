"""Bins of a column of numbers: half-open intervals with labels from which they can be read again."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem.missing import MISSING

By = Literal["quantiles", "widths"]
#: Edges that are found from data are rounded to this many digits of a bin's width.
DIGITS = 2
#: Bins at most: each is an input of the mechanism.
MOST = 100_000
_LABEL = re.compile(r"\[([^,\s]+), ([^,\s]+)([)\]])")


@dataclass(frozen=True)
class Bins:
    """Intervals ``[edges[i], edges[i + 1])``, the last one with its upper end.

    Attributes
    ----------
    edges : tuple of float
        Strictly rising.
    """

    edges: tuple[float, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """A name of each bin: ``"[18, 25)"``.

        Examples
        --------
        >>> Bins((18.0, 25.0, 65.0)).labels
        ('[18, 25)', '[25, 65]')
        """
        ends = [_plain(edge) for edge in self.edges]
        last = len(ends) - 2
        return tuple(f"[{ends[i]}, {ends[i + 1]}{']' if i == last else ')'}" for i in range(last + 1))

    @property
    def ends(self) -> tuple[str, str]:
        """The least and the largest edge, as they are written."""
        return _plain(self.edges[0]), _plain(self.edges[-1])

    @property
    def middles(self) -> Array:
        """The middle of each bin: the number that it stands for."""
        return np.array([0.5 * low + 0.5 * high for low, high in zip(self.edges[:-1], self.edges[1:], strict=True)])

    def place(self, numbers: Array) -> npt.NDArray[np.int64]:
        """Return the bin of each number, -1 for those outside of all.

        Examples
        --------
        >>> Bins((18.0, 25.0, 65.0)).place(np.array([18.0, 25.0, 65.0, 66.0])).tolist()
        [0, 1, 1, -1]
        """
        edges = np.asarray(self.edges)
        found = np.searchsorted(edges, numbers, side="right") - 1
        found = np.where(numbers == edges[-1], len(edges) - 2, found)
        outside = (numbers < edges[0]) | (numbers > edges[-1])
        return np.where(outside, -1, found).astype(np.int64)


def bins_of_labels(labels: Sequence[str]) -> Bins | None:
    """Return the bins that have these labels, None where they are no bins; missing answers may be the last label.

    Examples
    --------
    >>> bins_of_labels(("[18, 25)", "[25, 65]"))
    Bins(edges=(18.0, 25.0, 65.0))
    >>> bins_of_labels(("yes", "no")) is None
    True
    """
    labels = labels[:-1] if labels and labels[-1] == MISSING else labels
    # Of millions of labels that are no bins the first one says so.
    found = list(itertools.takewhile(bool, map(_LABEL.fullmatch, labels)))
    try:
        ends = [(float(each[1]), float(each[2])) for each in found if each is not None]
    except ValueError:
        return None
    if len(ends) != len(labels) or any(first[1] != then[0] for first, then in itertools.pairwise(ends)):
        return None
    if not ends or not all(low < high for low, high in ends):
        return None
    made = Bins((*(low for low, _ in ends), ends[-1][1]))
    return made if made.labels == tuple(labels) else None


def bins_of(records: Array, bins: Any, by: Any) -> Bins:
    """Return the bins that are asked for of a column of finite numbers.

    Parameters
    ----------
    records : ndarray, shape (m,)
        The numbers.
    bins : int or sequence of float
        How many, or their edges.
    by : {"quantiles", "widths"}
        Whether so many bins hold about as many records each, or are as wide as each other.

    Raises
    ------
    DomainError
        Less than one bin, edges that do not rise or leave a record out, another `by`.
    """
    if by not in get_args(By):
        raise DomainError("by", by, 'it has to be "quantiles" or "widths"', "choose one of them")
    if isinstance(bins, Iterable) and not isinstance(bins, str | bytes):
        made = Bins(_edges(bins))
        outside = np.flatnonzero(made.place(records) < 0)
        if len(outside):
            at = int(outside[0])
            rule = f"the bins go from {_plain(made.edges[0])} to {_plain(made.edges[-1])}"
            remedy = f"give bins that hold all records ({len(outside)} are left out)"
            raise DomainError(f"records[{at}]", float(records[at]), rule, remedy)
        return made
    count = domains.whole("bins", bins, 1)
    if count > MOST:
        raise DomainError("bins", count, f"each is an input, and at most {MOST} are made", "give fewer")
    low, high = float(records.min()), float(records.max())
    if low == high:
        rule = f"all records are {_plain(low)}, which is one bin of no width"
        raise DomainError("bins", count, rule, "give the edges that you know to be possible")
    if by == "widths":
        edges = np.linspace(low, high, count + 1)
    else:
        edges = np.quantile(records, np.linspace(0.0, 1.0, count + 1))
    return Bins(_rounded(edges, (high - low) / count))


def _edges(given: Iterable[Any]) -> tuple[float, ...]:
    edges = domains.vector("bins", list(given)).tolist()
    if len(edges) < 2:
        raise DomainError("bins", edges, "a bin has two edges", "give at least two numbers, or how many bins")
    for i, (low, high) in enumerate(itertools.pairwise(edges)):
        if not low < high:
            raise DomainError(f"bins[{i + 1}]", high, f"edges rise, and {_plain(low)} comes before it", "sort them")
    return tuple(edges)


def _rounded(edges: Array, width: float) -> tuple[float, ...]:
    """Return the edges rounded to some digits of a bin's width, outward at both ends, equal ones once."""
    unit = 10.0 ** (math.floor(math.log10(width)) - DIGITS + 1)

    def at(number: float) -> float:
        # By decimals, so that 0.1 is 0.1.
        return float(f"{number * unit:.15g}")

    inner = [at(round(edge / unit)) for edge in edges[1:-1]]
    low, high = at(math.floor(edges[0] / unit)), at(math.ceil(edges[-1] / unit))
    low, high = min(low, float(edges[0])), max(high, float(edges[-1]))
    return tuple(sorted({low, high, *(edge for edge in inner if low < edge < high)}))


def _plain(number: float) -> str:
    """Return the shortest text of a number that is read as the same: 18, and 0.1.

    Examples
    --------
    >>> _plain(18.0), _plain(0.1), _plain(math.inf)
    ('18', '0.1', 'inf')
    """
    return str(int(number)) if abs(number) < 1e15 and number == int(number) else repr(float(number))
