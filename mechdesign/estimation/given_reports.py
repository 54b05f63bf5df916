"""Reports as people have them, numbers or names of outputs, as numbers of outputs; missing ones refused or left out."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DataWarning, DomainError, nearest
from mechdesign.estimation.records import SHOWN, By, times, whole_below
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.columns import require_several
from mechdesign.parameters.columns import has_labels, require_one_order
from mechdesign.parameters.labels import Names, listed, places_of
from mechdesign.parameters.written_numbers import as_number
from mechdesign.problem.columns_of_data import array, categories_of, is_number, refuse_missing, refuse_mixtures
from mechdesign.problem.missing import CODES, MissingRule, absences, missing_rule, suspects

#: What names of outputs, as numbers of outputs and before they are read, may stand for in a column of a file.
TRUTHS = {"true": "True", "false": "False"}
#: Two outputs in the order in which their numbers, 0 and 1, are not what tables mean by 0 and 1.
YES_FIRST = {("yes", "no"), ("true", "false")}


@dataclass(frozen=True)
class GivenReports:
    """The numbers of the outputs that were reported, and which of the reports were there.

    Attributes
    ----------
    outputs : ndarray of int
        In the shape of what was given; flat if some are missing.
    present : ndarray of bool, or None
        Whether each of the reports was there; None if all were.
    """

    outputs: Indices
    present: npt.NDArray[np.bool_] | None = None

    @property
    def left_out(self) -> int:
        """How many reports are missing."""
        return 0 if self.present is None else int((~self.present).sum())

    def beside(self, argument: str, column: Any, reports: Any) -> Any:
        """Return the entries of a column, or the rows of a table, beside the reports that were there."""
        if self.present is None or column is None:
            return column
        require_one_order(argument, reports, column)
        entries = array(argument, column)
        require_several(argument, entries)
        if len(entries) != len(self.present):
            rule = f"there are {len(self.present)} reports, missing ones among them, and one belongs to each"
            raise DomainError(argument, f"of length {len(entries)}", rule, "give one for each, in their order")
        return entries[self.present]


def given_reports(
    reports: Any,
    outputs: Names,
    by: By | None = None,
    missing: Any = None,
    drop_missing: bool = False,
    *,
    droppable: bool = True,
    stacklevel: int = 3,
) -> GivenReports:
    """Return reports as numbers of outputs.

    Parameters
    ----------
    reports : array_like or Series
        Integers are numbers of outputs, from 0. Texts, true and false, and categories are their names.
    outputs : tuple of str
        The names of the outputs; ``y0, y1, ...`` are those of outputs without names.
    by : {"label", "index"}, optional
        What the reports are, if it is not as above.
    missing : str, number or sequence, optional
        Codes of a missing report, beside None and NaN; with `drop_missing` alone.
    drop_missing : bool
        Whether missing reports are left out; without it they are refused.
    droppable : bool
        Whether the caller has a `drop_missing` that a refusal can name.
    stacklevel : int
        Of the warnings: the caller's caller.

    Raises
    ------
    DomainError
        Missing reports, names that no output has, numbers out of range, another `by`.

    Warns
    -----
    DataWarning
        Integers that were taken for numbers of outputs and are names of other ones; missing reports were left out.

    Examples
    --------
    >>> given_reports(["yes", "no", "yes"], ("no", "yes")).outputs.tolist()
    [1, 0, 1]
    """
    if by not in (None, *get_args(By)):
        raise DomainError("by", by, 'it has to be "label" or "index"', "choose one of them")
    rule = missing_rule(missing, drop_missing)
    if missing is not None and not drop_missing:
        said = "a missing report has no probability under the mechanism"
        raise DomainError("missing", missing, said, "add drop_missing=True, which leaves these reports out")
    _refuse_counts(reports, outputs)
    given = array("reports", reports)
    _require_single(given)
    if droppable and not drop_missing:
        _refuse_missing(given)
    present = None
    if drop_missing:
        if rule.codes is not None:
            numbered = by != "label" and categories_of(reports) is None and _of_numbers(given)
            require_other_codes("missing", rule, outputs, numbered=numbered or not has_own_names(outputs))
        flat = given.reshape(-1)
        absent = absences(flat, rule) & ~_named(flat, outputs)
        if absent.any():
            present, given = ~absent, _whole(flat[~absent])
    named = by == "label" or (by is None and (categories_of(reports) is not None or not _of_numbers(given)))
    if not named:
        _refuse_from_one(given, outputs)
    found = _by_name(given, outputs) if named else whole_below("reports", given, len(outputs), "the outputs")
    if by is None and not named:
        _warn_of_names(given, found, outputs, stacklevel + 1)
        _warn_of_yes(reports, found, outputs, stacklevel + 1)
    made = GivenReports(found, present)
    if made.left_out:
        warn_of_missing(made.left_out, made.left_out + int(made.outputs.size), stacklevel + 1)
    return made


def require_other_codes(argument: str, rule: MissingRule, outputs: Names, *, numbered: bool) -> None:
    """Raise if a code that was declared to stand for a missing report is the name of an output, or its number."""
    taken = [name for name in outputs if rule.is_absent(name)]
    taken += [str(y) for y in range(len(outputs)) if numbered and rule.is_absent(y)]
    if taken:
        said = "it is an output of this mechanism, whose reports are not missing"
        raise DomainError(argument, taken[0], said, "leave that code out, or recode the missing reports")


def has_own_names(outputs: Names) -> bool:
    """Return whether outputs are called otherwise than by their numbers.

    Examples
    --------
    >>> has_own_names(("y0", "y1")), has_own_names(("no", "yes"))
    (False, True)
    """
    return outputs != tuple(f"y{y}" for y in range(len(outputs)))


def places_among(texts: list[str], outputs: Names) -> Indices:
    """Return the output that each text names, or numbers if outputs have no names of their own; -1 for none.

    Examples
    --------
    >>> places_among(["TRUE", "maybe"], ("False", "True")).tolist(), places_among(["1"], ("y0", "y1")).tolist()
    ([1, -1], [1])
    """
    found = places_of(texts, outputs)
    if not has_own_names(outputs) and (found < 0).any():
        found = np.where(found < 0, places_of(texts, tuple(map(str, range(len(outputs))))), found)
    if (found < 0).any():
        truths = tuple(TRUTHS.get(name.casefold(), name) for name in outputs)
        written = [TRUTHS.get(text.casefold(), text) for text in texts]
        if len(set(truths)) == len(truths):
            found = np.where(found < 0, places_of(written, truths), found)
    return found


def unknown(strangers: list[str], outputs: Names) -> tuple[str, str, str]:
    """Return what was reported that is no output, the rule, and the remedy."""
    tally = Counter(strangers)
    shown = ", ".join(f'"{name}" ({times(count)})' for name, count in tally.most_common(SHOWN))
    more = f" and {len(tally) - SHOWN} more" if len(tally) > SHOWN else ""
    if not has_own_names(outputs):
        rule = f"the outputs of this mechanism have no names, and numbers from 0 to {len(outputs) - 1}"
        return f"{shown}{more}", rule, "make it with outputs=[...], the names that reports have"
    remedy = nearest(tally.most_common(1)[0][0], outputs)
    if all(map(_is_code, tally)) and not any(map(_is_code, outputs)):
        # The likest name may be the wrong one: what a code stands for, only its author knows.
        remedy = "write these names in place of codes, or make it with outputs=[...], the codes in the order of outputs"
    if any(suspects(np.array(list(tally), dtype=object))):
        remedy = "give drop_missing=True to leave missing reports out"
    return f"{shown}{more}", f"the outputs of this mechanism are {listed(outputs)}", remedy


def _is_code(text: str) -> bool:
    """Return whether a text is a number, or true or false."""
    return text.casefold() in TRUTHS or math.isfinite(as_number(text))


def _refuse_counts(reports: Any, outputs: Names) -> None:
    """Raise if it is a column of counts by the names of outputs."""
    if not has_labels(reports) or not hasattr(reports, "index"):
        return
    names = [str(name) for name in list(reports.index)]
    if len(names) <= len(outputs) and len(set(names)) == len(names) and (places_of(names, outputs) >= 0).all():
        rule = "its index has the names of outputs, as counts have"
        raise DomainError("reports", "a column of counts", rule, "give counts=..., or reports.to_numpy() for reports")


def _refuse_missing(given: npt.NDArray[Any]) -> None:
    """Raise where a report is None or NaN, with what leaves it out."""
    try:
        refuse_missing("reports", given)
    except DomainError as error:
        remedy = "give drop_missing=True to leave missing reports out"
        raise DomainError(error.argument, error.value, error.rule, remedy) from None


def _require_single(given: npt.NDArray[Any]) -> None:
    if given.dtype.kind == "O" and any(isinstance(entry, list | tuple | dict | set) for entry in given.flat):
        rule = "a report is a number or a name"
        raise DomainError("reports", "of sequences", rule, "give one report for each person, in a flat sequence")


def _of_numbers(given: npt.NDArray[Any]) -> bool:
    if given.dtype.kind != "O":
        return given.dtype.kind not in "UTbM"
    return not given.size or all(is_number(entry) for entry in given.flat)


def _whole(given: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return numbers as integers if they are whole: beside missing ones tables hold floats."""
    if given.dtype.kind == "O" and given.size and all(is_number(entry) for entry in given):
        given = np.array(given.tolist())
    whole = given.dtype.kind == "f" and bool(np.all(given == np.floor(given))) and bool(np.all(np.abs(given) < 2**53))
    return given.astype(np.int64) if whole else given


def _named(given: npt.NDArray[Any], outputs: Names) -> npt.NDArray[np.bool_]:
    """Return which entries are names of outputs, whatever they look like: "NA" may be one."""
    coded = [code for code in outputs if code.strip().casefold() in {each.casefold() for each in CODES}]
    if not coded:
        return np.zeros(given.size, dtype=bool)
    return np.fromiter((isinstance(entry, str) and entry in coded for entry in given.tolist()), bool, given.size)


def _by_name(given: npt.NDArray[Any], outputs: Names) -> Indices:
    refuse_missing("reports", given)
    refuse_mixtures("reports", given.astype(object) if given.dtype.kind == "O" else given)
    entries = given.reshape(-1).tolist()
    # Each distinct name is looked up once.
    distinct = list(dict.fromkeys(entries))
    place = dict(zip(distinct, places_among(list(map(str, distinct)), outputs).tolist(), strict=True))
    found = np.fromiter((place[entry] for entry in entries), dtype=np.int64, count=len(entries))
    if (found < 0).any():
        raise DomainError("reports", *unknown([str(entry) for entry in entries if place[entry] < 0], outputs))
    return found.reshape(given.shape)


def _refuse_from_one(given: npt.NDArray[Any], outputs: Names) -> None:
    """Raise if numbers of outputs begin at 1, as in R."""
    last = len(outputs)
    if given.dtype.kind not in "iu" or not given.size or given.min() != 1 or given.max() != last:
        return
    names = tuple(map(str, range(1, last + 1)))
    remedy = f'give reports - 1 if 1 is "{outputs[0]}" and {last} is "{outputs[-1]}", or the names of outputs'
    if set(names) == set(outputs):
        remedy = 'give by="label", as these are names of outputs'
    raise DomainError("reports", f"of numbers from 1 to {last}", "numbers of outputs begin at 0", remedy)


def _warn_of_yes(given: Any, found: Indices, outputs: Names, stacklevel: int) -> None:
    """Warn if 1 is taken for "no": in tables of people's own it is a yes; `sample` returns an array of numpy."""
    if isinstance(given, np.ndarray) or not found.size or tuple(map(str.casefold, outputs)) not in YES_FIRST:
        return
    said = f'1 is taken for the number of an output, from 0, and that is "{outputs[1]}"; 0 is "{outputs[0]}"'
    ways = f'give by="index" if that is right, or the names: "{outputs[0]}" and "{outputs[1]}"'
    warnings.warn(f"reports: {said}; {ways}.", DataWarning, stacklevel=stacklevel)


def _warn_of_names(given: npt.NDArray[Any], found: Indices, outputs: Names, stacklevel: int) -> None:
    """Warn if numbers of outputs are also names, of other outputs than they number."""
    distinct = np.unique(found)
    others = places_of(list(map(str, distinct.tolist())), outputs)
    if distinct.size and (others >= 0).all() and not np.array_equal(distinct, others):
        at = int(np.argmax(others != distinct))
        said = f'{distinct[at]} is taken for the number of an output, from 0, and that is "{outputs[distinct[at]]}"'
        ways = 'give by="label" if reports are names of outputs, by="index" if they are numbers'
        warnings.warn(f"reports: {said}; {ways}.", DataWarning, stacklevel=stacklevel)


def warn_of_missing(left_out: int, reports: int, stacklevel: int) -> None:
    """Warn that some of the reports are missing and were left out."""
    said = f"{left_out} of {reports} reports are missing and were left out"
    why = "the estimate is of the people who reported, which is right only if refusing does not depend on the answer"
    warnings.warn(f"{said}: {why}.", DataWarning, stacklevel=stacklevel)
