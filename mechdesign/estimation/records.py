"""Records as rows of a matrix, reports as counts of its columns: everything is accounted for, or refused."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, nearest
from mechdesign.estimation.missing_records import refuse_absent, require_missing
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters.checks import is_truth
from mechdesign.parameters.columns import has_labels, is_table
from mechdesign.parameters.labels import Names, Places, aligned, carried
from mechdesign.parameters.written_numbers import as_number
from mechdesign.problem import Problem
from mechdesign.problem.bins import Bins, bins_of_labels
from mechdesign.problem.columns_of_data import array, is_number, refuse_missing, refuse_mixtures
from mechdesign.problem.given_counts import added_up
from mechdesign.problem.missing import MISSING, MissingRule, absences, looks_missing, missing_rule
from mechdesign.problem.present_answers import at_their_places

By = Literal["label", "index"]

#: Labels that are not known are listed up to this many.
SHOWN = 3
#: What else records of a problem with values can be.
OF_VALUES = ', or give by="index" where these are numbers of inputs, from 0'


def indices(records: Any, problem: Problem, by: By | None = None, missing: Any = None) -> Indices:
    """Return the input of each record, in the shape of `records`.

    Parameters
    ----------
    records : object, sequence or array of any shape
        Labels, each matched by its ``str``, numbers where the labels are bins of them, or indices of inputs.
    problem : Problem
        The inputs and their labels.
    by : {"label", "index"}, optional
        What the records are: by default labels where the problem has them, else values where it has them ("label" means
        these too), else indices.
    missing : str, number or sequence, optional
        Codes of a missing answer, beside None and NaN, where the problem has the answer ``"missing"``.

    Raises
    ------
    DomainError
        Missing records, labels or values that the problem does not have, a value of several inputs, indices out of
        range, texts among numbers, another `by`.

    Warns
    -----
    FutureWarning
        Integers that are values and could be indices, which they were taken for before; ``by="label"`` ends it.

    Examples
    --------
    >>> indices(["no", "yes", "no"], Problem(labels=["yes", "no"])).tolist()
    [1, 0, 1]
    """
    if by not in (None, "label", "index"):
        raise DomainError("by", by, 'it has to be "label" or "index"', "choose one of them")
    known = problem.labels is not None or problem.values is not None
    if by == "label" and not known:
        raise DomainError("by", by, "the problem has no labels and no values", "give indices, or Problem(labels=...)")
    rule = missing_rule(missing, drop_missing=False)
    if missing is not None:
        require_missing(problem.labels if by != "index" else None)
    if by == "index" or not known:
        return whole_below("records", records, problem.n, "the inputs")
    found = _by_label(records, problem.places, rule, of_values=problem.labels is None)
    if by is None and problem.labels is None:
        _warn_of_rows(records, found, problem.n)
    return found


def whole_below(argument: str, values: Any, limit: int, of_what: str) -> Indices:
    """Return `values` as integers from 0 to ``limit - 1``, each of which names one of `of_what`.

    Examples
    --------
    >>> whole_below("reports", [[0, 2]], 3, "the outputs")
    array([[0, 2]])
    """
    given = array(argument, values)
    if given.dtype.kind == "O" and given.size:
        refuse_missing(argument, given)
        refuse_mixtures(argument, given)
        # A column of pandas that could have held missing numbers holds its integers as objects.
        if not is_truth(given.flat[0]) and is_number(given.flat[0]):
            given = np.array(given.tolist()).reshape(given.shape)
    if given.dtype.kind == "f":
        refuse_missing(argument, given)
    if not given.size:
        return np.zeros(given.shape, dtype=np.int64)
    if given.dtype.kind not in "iu":
        entry = given.flat[0].item() if isinstance(given.flat[0], np.generic) else given.flat[0]
        rule = f"numbers of {of_what} are integers from 0 to {limit - 1}"
        raise DomainError(f"{argument}[0]", entry, rule, "give integers, of an integer type")
    wrong = (given < 0) | (given >= limit)
    if wrong.any():
        at = int(np.argmax(wrong.reshape(-1)))
        rule = f"numbers of {of_what} go from 0 to {limit - 1} ({wrong.sum()} of {given.size} do not)"
        raise DomainError(f"{argument}[{at}]", int(given.flat[at]), rule, "check which mechanism they belong to")
    return given.astype(np.int64)


def counted(reports: Any, outputs: int) -> Indices:
    """Return how many of `reports` each output has.

    Raises
    ------
    DomainError
        No reports; missing ones; others than integers from 0 to ``outputs - 1``.

    Examples
    --------
    >>> counted([0, 2, 2], 3).tolist()
    [1, 0, 2]
    """
    found = whole_below("reports", reports, outputs, "the outputs").reshape(-1)
    if not len(found):
        raise DomainError("reports", "empty", "an estimate needs reports", "give at least one")
    return np.bincount(found, minlength=outputs).astype(np.int64)


def whole_counts(counts: Any, outputs: int) -> Indices:
    """Return `counts` as `outputs` whole numbers of at least 0 with a positive sum.

    Raises
    ------
    DomainError
        Another length; a count that is negative, fractional, missing or no number; nothing but zeros.

    Examples
    --------
    >>> whole_counts([3.0, 1.0], 2).tolist()
    [3, 1]
    """
    given = array("counts", counts)
    if given.dtype.kind == "O":
        refuse_missing("counts", given)
        given = np.array(given.tolist()) if all(is_number(entry) for entry in given.flat) else given
    if given.dtype.kind not in "iuf":
        raise DomainError("counts", _shown(given), "they have to be whole numbers", "give integers")
    if given.shape != (outputs,):
        rule = f"it has to have one count for each of the {outputs} outputs"
        raise DomainError(
            "counts", f"of shape {given.shape}", rule, "numpy.bincount(reports, minlength=...) makes them"
        )
    refuse_missing("counts", given)
    for wrong, rule in ((given < 0, "counts are not negative"), (given != np.floor(given), "counts are whole numbers")):
        if wrong.any():
            at = int(np.argmax(wrong))
            raise DomainError(f"counts[{at}]", given[at].item(), rule, "count the reports of each output")
    total = math.fsum(given)
    if not 0 < total <= 1 << 53:
        raise DomainError(
            "counts", f"a sum of {total:g}", "there has to be a report, and at most 2**53", "correct them"
        )
    return given.astype(np.int64)


def in_order_of_outputs(counts: Any, outputs: Names) -> Any:
    """Return counts in the order of the outputs, by the labels that they carry; 0 for outputs without a count.

    The labels of outputs without names of their own are their numbers, as `value_counts` of reports has them.

    Raises
    ------
    DomainError
        Labels that no output has.

    Warns
    -----
    DataWarning
        A label is there more than once: its counts are added up.

    Examples
    --------
    >>> in_order_of_outputs({"yes": 2, "no": 3}, ("no", "yes")).tolist()
    [3.0, 2.0]
    """
    given = added_up(counts, stacklevel=3) if has_labels(counts) or is_table(counts) else counts
    found = carried("counts", given, 1)
    if found.rows is None:
        return found.plain
    refuse_missing("counts", array("counts", found.plain))
    counted = outputs == tuple(f"y{y}" for y in range(len(outputs))) and not set(found.rows) & set(outputs)
    return aligned("counts", given, None if counted else outputs, len(outputs), whose="mechanism", absent=0.0)


def _by_label(records: Any, places: Places, rule: MissingRule, *, of_values: bool) -> Indices:
    given = array("records", records)
    there = given.reshape(-1)
    absent = np.zeros(given.size, dtype=bool) if rule.codes is None else absences(there, rule)
    with at_their_places(np.flatnonzero(~absent)):
        found = np.full(given.size, places.table[MISSING] if absent.any() else 0, dtype=np.int64)
        found[~absent] = _of_labels(there[~absent], places, of_values=of_values)
    return found.reshape(given.shape)


def _of_labels(given: npt.NDArray[Any], places: Places, *, of_values: bool) -> Indices:
    labels = places.labels
    if given.dtype.kind in "OfMm":
        refuse_absent(given, labels)
    if given.dtype.kind == "O":
        refuse_mixtures("records", given)
    entries = given.tolist()
    texts = entries if set(map(type, entries)) <= {str} else list(map(str, entries))
    found = places.of(texts)
    if (found < 0).any():
        found = in_bins(texts, labels, found)
    if (found < 0).any():
        _refuse_unknown([text for text, index in zip(texts, found, strict=True) if index < 0], labels, of_values)
    return found


def _warn_of_rows(records: Any, found: Indices, limit: int) -> None:
    """Warn where numbers that were matched as values could be numbers of inputs, and would be other inputs then."""
    given = array("records", records)
    rows = given.dtype.kind in "iu" and given.size > 0 and given.min() >= 0 and given.max() < limit
    if rows and not np.array_equal(given, found):
        at = int(np.argmax(given != found))
        value, place = given.flat[at], found.flat[at]
        said = f"{value} is taken for the value of input {place}; before 0.2 it was the number of an input"
        ways = 'give by="label" where records are values, by="index" where they are numbers of inputs'
        warnings.warn(f"{said}; {ways}.", FutureWarning, stacklevel=4)


def in_bins(texts: Sequence[str], labels: tuple[str, ...], found: Indices) -> Indices:
    """Return the inputs, those that are no label (-1) by the bin that holds the number, where the labels are bins.

    Examples
    --------
    >>> in_bins(["20", "90"], ("[18, 25)", "[25, 65]"), np.array([-1, -1])).tolist()
    [0, -1]
    """
    bins = bins_of_labels(labels)
    if bins is None:
        return found
    numbers = np.array([as_number(text) for text in texts])
    inside = np.isfinite(numbers) & (found < 0)
    placed = found.copy()
    placed[inside] = bins.place(numbers[inside])
    return placed


def outside(bins: Bins) -> tuple[str, str]:
    """Return the rule and the remedy for what lies in no bin."""
    low, high = bins.ends
    return f"the bins go from {low} to {high}", "design with bins that hold all answers, the last one wide enough"


def _refuse_unknown(strangers: list[str], labels: tuple[str, ...], of_values: bool) -> None:
    tally = Counter(strangers)
    shown = ", ".join(f'"{label}" ({times(count)})' for label, count in tally.most_common(SHOWN))
    more = f" and {len(tally) - SHOWN} more" if len(tally) > SHOWN else ""
    word = "value" if of_values else "label"
    rule = f"the problem does not have {f'this {word}' if len(tally) == 1 else f'these {word}s'}"
    bins, code = bins_of_labels(labels), tally.most_common(1)[0][0]
    remedy = nearest(code, labels)
    if bins is not None:
        rule, remedy = outside(bins)
    if looks_missing(code):
        remedy = f'leave missing answers out, or give missing=["{code}"] to a mechanism with the answer "{MISSING}"'
    raise DomainError("records", f"with {shown}{more}", rule, f"{remedy}{OF_VALUES * of_values}")


def times(number: int) -> str:
    """Return how often something is there, in words.

    Examples
    --------
    >>> times(1), times(3)
    ('once', '3 times')
    """
    return "once" if number == 1 else f"{number} times"


def _shown(given: npt.NDArray[Any]) -> str:
    return str(given.tolist())
