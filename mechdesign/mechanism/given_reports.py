"""Reports of a mechanism without a matrix, as they are given: numbers, counts of these, or rows of bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation.given_reports import warn_of_missing
from mechdesign.estimation.records import whole_below
from mechdesign.families import Family, UnaryEncoding
from mechdesign.families.family import Reports
from mechdesign.parameters.checks import Array
from mechdesign.problem.columns_of_data import array
from mechdesign.problem.missing import absences, missing_rule
from mechdesign.runtime.random_bits import Integers as Whole


def reports_seen(
    family: Family, reports: Any = None, counts: Any = None, missing: Any = None, drop_missing: bool = False
) -> tuple[Reports, Array]:
    """Return the reports of a family, and how often each was made.

    Raises
    ------
    DomainError
        Neither or both of reports and counts, no reports at all, or what are no reports of the family.
    UnsupportedError
        Counts or missing reports of a unary encoding.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from mechdesign.families import KaryResponse
    >>> [found.tolist() for found in reports_seen(KaryResponse(4, Fraction(3)), [3, 0, 3])]
    [[0, 3], [1.0, 2.0]]
    """
    if isinstance(reports, Mapping) and counts is None:
        reports, counts = None, reports
    if (reports is None) == (counts is None):
        given = "neither of them" if reports is None else "both of them"
        rule = "an estimate takes one"
        raise DomainError("reports and counts", given, rule, "give reports, or the counts of each output")
    seen: Reports
    if isinstance(family, UnaryEncoding):
        if counts is not None or missing is not None or drop_missing:
            raise UnsupportedError("Reports of a unary encoding are rows of bits; leave missing ones out of the array.")
        seen = packed_rows(reports, family.n)
        times = np.ones(len(seen), dtype=np.int64)
    elif counts is not None:
        seen, times = counted_outputs(counts, family.outputs)
    else:
        numbers = numbered_reports(reports, family.outputs, missing, drop_missing)
        seen, times = np.unique(numbers, return_counts=True)
    if not len(seen):
        raise DomainError("reports", "empty", "an estimate needs reports", "give at least one")
    return seen, times.astype(float)


def packed_rows(reports: Any, n: int) -> npt.NDArray[np.uint8]:
    """Return reports as rows of packed bits, shape (people, ceil(n / 8)), from such rows or from zeros and ones.

    Parameters
    ----------
    reports : array_like, shape (people, ceil(n / 8)) or (people, n)
        Bytes, of which bit ``x % 8`` of byte ``x // 8`` is the one of input x; or zeros and ones.
    n : int
        Inputs.

    Raises
    ------
    DomainError
        Another shape, other numbers, or a bit of no input.

    Examples
    --------
    >>> packed_rows([[1, 0, 0, 0, 0, 0, 0, 0, 0, 1]], 10).tolist()
    [[1, 2]]
    """
    given, width = array("reports", reports), -(-n // 8)
    if given.ndim != 2 or given.shape[1] not in (width, n):
        rule = f"it has to be a row of {width} bytes, or of {n} zeros and ones, for each person"
        raise DomainError("reports", f"of shape {given.shape}", rule, "give the array that sample returned")
    if given.shape[1] == n:
        # Lists and tables may hold their numbers as objects; a text is none.
        if given.dtype.kind not in "Obiuf" or not np.asarray((given == 0) | (given == 1)).all():
            raise DomainError("reports", "not of bits", "n columns hold zeros and ones", "leave missing reports out")
        return np.packbits(given.astype(bool), axis=1, bitorder="little")
    if given.dtype != np.uint8:
        rule = "packed bits are bytes"
        raise DomainError("reports", f"of type {given.dtype}", rule, "give an array of uint8")
    if n % 8 and (given[:, -1] >> (n % 8)).any():
        raise DomainError("reports", "with other bits", f"bits from {n} on are of no input", "give reports of this one")
    return given


def numbered_reports(reports: Any, outputs: int, missing: Any = None, drop_missing: bool = False) -> Whole:
    """Return reports as numbers of outputs, shape (people,); texts are numbers in digits.

    Raises
    ------
    DomainError
        Missing reports without `drop_missing`; what are no whole numbers below `outputs`.

    Warns
    -----
    DataWarning
        Missing reports were left out.

    Examples
    --------
    >>> numbered_reports(["3", "0"], 4).tolist()
    [3, 0]
    """
    given = array("reports", reports).reshape(-1)
    if drop_missing:
        absent = absences(given, missing_rule(missing, drop_missing))
        if absent.any():
            warn_of_missing(int(absent.sum()), len(given), stacklevel=4)
        given = given[~absent]
    elif missing is not None:
        said = "a missing report has no probability under the mechanism"
        raise DomainError("missing", missing, said, "add drop_missing=True, which leaves these reports out")
    given = _read(given)
    if given.dtype.kind == "f" and np.all(given == np.floor(given)):
        # Beside missing numbers tables hold floats.
        given = given.astype(np.int64)
    return whole_below("reports", given, outputs, "the outputs")


def _read(given: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return texts in digits as integers, anything else as it is."""
    if given.dtype.kind in "UOT" and all(isinstance(entry, str) and entry.isdecimal() for entry in given.tolist()):
        return np.array([int(entry) for entry in given.tolist()])
    return given


def counted_outputs(counts: Any, outputs: int) -> tuple[Whole, npt.NDArray[np.int64]]:
    """Return the outputs that were reported, with how often, from a mapping, a column of counts or an array.

    Raises
    ------
    DomainError
        Numbers that are no outputs, counts that are negative or fractional.

    Examples
    --------
    >>> [found.tolist() for found in counted_outputs({3: 2, 0: 1}, 4)]
    [[0, 3], [1, 2]]
    """
    if isinstance(counts, Mapping) or (hasattr(counts, "index") and hasattr(counts, "to_numpy")):
        pairs = dict(counts.items())
        seen = whole_below("counts", _read(array("counts", list(pairs))), outputs, "the outputs")
        numbers = np.array(list(pairs.values()), dtype=float)
    else:
        numbers = np.asarray(counts, dtype=float)
        if numbers.shape != (outputs,):
            rule = f"it has to have one count for each of the {outputs} outputs"
            raise DomainError("counts", f"of shape {numbers.shape}", rule, "give a mapping from outputs to counts")
        seen = np.arange(outputs)
    wrong = ~((numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise DomainError(f"counts[{seen[at]}]", float(numbers[at]), "counts are whole numbers from 0", "correct it")
    order = np.argsort(seen[numbers > 0], kind="stable")
    return seen[numbers > 0][order], numbers[numbers > 0][order].astype(np.int64)
