"""Missing answers: which entries of a column stand for one, and what is declared about them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import is_missing
from mechdesign.parameters.written_numbers import as_number
from mechdesign.problem.columns_of_data import is_number

#: The answer that missing answers are counted as.
MISSING = "missing"
#: What tables write for a missing answer, in any case; these are the usual ones of R, pandas, SQL and spreadsheets.
CODES = ("", "NA", "NaN", "null", "n/a", "#N/A", "<NA>")
_FOLDED = frozenset(code.casefold() for code in CODES)
#: Places and codes that a message lists.
SHOWN = 3


@dataclass(frozen=True)
class Ways:
    """How a message writes the two remedies for missing answers: to drop them, or to count them.

    Attributes
    ----------
    drop, declare : str
        What leaves the rows out; what counts one code as an answer, with ``{}`` for the code.
    between : str
        What separates several codes.
    """

    drop: str = "drop_missing=True"
    declare: str = "missing=[{}]"
    code: str = '"{}"'
    between: str = ", "

    def remedy(self, codes: Iterable[str]) -> str:
        """Return both ways out as a remedy.

        Examples
        --------
        >>> Ways().remedy(["NA"])
        'give drop_missing=True to leave them out, or missing=["NA"] to count them as the answer "missing"'
        """
        shown = self.between.join(self.code.format(code) for code in list(codes)[:SHOWN])
        return (
            f"give {self.drop} to leave them out, or {self.declare.format(shown)} to count them as the answer "
            f'"{MISSING}"'
        )


@dataclass(frozen=True)
class MissingRule:
    """What is done about missing answers.

    Attributes
    ----------
    codes : tuple or None
        The entries that stand for a missing answer, beside None and NaN. None: nothing was declared; then `CODES` are
        dropped with `drop`, and pointed out without.
    drop : bool
        Whether missing answers are dropped, rather than counted as `MISSING`.
    """

    codes: tuple[Any, ...] | None = None
    drop: bool = False

    def is_absent(self, entry: Any) -> bool:
        """Return whether an entry was declared to be a missing answer.

        Examples
        --------
        >>> rule = MissingRule(("-9", "NA"))
        >>> [rule.is_absent(entry) for entry in ("NA", -9.0, "n/a", None, "9")]
        [True, True, False, True, False]
        """
        if self.codes is None:
            return self.drop and looks_missing(entry)
        if is_missing(entry):
            return True
        return any(_same(code, entry) for code in self.codes)


IN_PYTHON = Ways()
NOTHING_DECLARED = MissingRule()


def missing_rule(missing: Any, drop_missing: Any) -> MissingRule:
    """Return the rule that the two keywords state.

    Raises
    ------
    DomainError
        Codes that are neither texts nor numbers; a `drop_missing` that is not true or false.
    """
    if not isinstance(drop_missing, bool | np.bool_):
        raise DomainError("drop_missing", drop_missing, "it has to be True or False", "give one of them")
    if missing is None:
        return MissingRule(None, bool(drop_missing))
    codes = [missing] if isinstance(missing, str) or not isinstance(missing, Iterable) else list(missing)
    for code in codes:
        if not (isinstance(code, str) or is_number(code) or is_missing(code)):
            rule = "a code for a missing answer is a text or a number"
            raise DomainError("missing", missing, rule, 'give missing=["NA", ""], say')
    if not codes:
        raise DomainError("missing", missing, "it names the codes of missing answers", "leave it out, or give one")
    return MissingRule(tuple(code.strip() if isinstance(code, str) else code for code in codes), bool(drop_missing))


def looks_missing(entry: Any) -> bool:
    """Return whether an entry is None, NaN or what tables usually write for a missing answer.

    Examples
    --------
    >>> [looks_missing(entry) for entry in ("NA", " ", "n/a", None, "none", 0)]
    [True, True, True, True, False, False]
    """
    return entry.strip().casefold() in _FOLDED if isinstance(entry, str) else is_missing(entry)


def absences(given: npt.NDArray[Any], rule: MissingRule) -> npt.NDArray[np.bool_]:
    """Return which entries of a column were declared to be missing answers."""
    if rule.codes is None:
        return suspects(given) if rule.drop else np.zeros(given.size, dtype=bool)
    return where(given, rule.is_absent)


def suspects(given: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which entries of a column look like missing answers.

    Examples
    --------
    >>> suspects(np.array(["a", "NA"])).tolist(), suspects(np.array([1.0, np.nan])).tolist()
    ([False, True], [False, True])
    """
    if given.dtype.kind in "iub":
        return np.zeros(given.size, dtype=bool)
    return np.isnan(given) if given.dtype.kind == "f" else where(given, looks_missing)


def where(given: npt.NDArray[Any], test: Callable[[Any], bool]) -> npt.NDArray[np.bool_]:
    """Return where a test holds; each distinct text is tested once."""
    if given.dtype.kind in "Mm":
        return np.fromiter(map(test, given), dtype=bool, count=given.size)
    entries = given.tolist()
    marked = set(filter(test, {entry for entry in entries if isinstance(entry, str)}))
    held: Iterable[bool]
    if set(map(type, entries)) <= {str}:
        # Of millions of texts hardly any is missing.
        held = map(marked.__contains__, entries) if marked else itertools.repeat(False)
    else:
        held = (entry in marked if isinstance(entry, str) else test(entry) for entry in entries)
    return np.fromiter(held, dtype=bool, count=given.size)


def _same(code: Any, entry: Any) -> bool:
    """Return whether an entry is a code: the same text, or the same number."""
    if isinstance(entry, str) and isinstance(code, str) and entry.strip() == code:
        return True
    numbers = [as_number(each) if isinstance(each, str) else each for each in (code, entry)]
    if not all(is_number(each) and math.isfinite(each) for each in numbers):
        return False
    return bool(numbers[0] == numbers[1])
