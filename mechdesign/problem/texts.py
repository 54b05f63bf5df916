"""Answers in words: a column of texts, none of which is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import is_missing, one_form_of_each
from mechdesign.problem.columns_of_data import array


def answers_in_words(argument: str, given: Any) -> tuple[list[str], tuple[int, ...]]:
    """Return texts in the Unicode form in which names are compared, and the shape that they were given in.

    Raises
    ------
    DomainError
        An answer that is missing, blank or no text.

    Examples
    --------
    >>> answers_in_words("texts", ["mate", "tea"])
    (['mate', 'tea'], (2,))
    """
    found = array(argument, given)
    entries = found.reshape(-1).tolist()
    wrong = _wrong(entries)
    if wrong.any():
        at = int(np.argmax(wrong))
        entry = entries[at]
        if is_missing(entry) or isinstance(entry, str):
            rule = f"nothing may be missing ({wrong.sum()} of {len(entries)})"
            raise DomainError(f"{argument}[{at}]", str(entry).strip() or "blank", rule, "leave those answers out")
        raise DomainError(f"{argument}[{at}]", entry, "answers in words are texts", "give str(answer)")
    return one_form_of_each(entries), found.shape


def _wrong(entries: list[Any]) -> npt.NDArray[np.bool_]:
    """Return which entries are no text, or a blank one; each distinct text is looked at once."""
    if set(map(type, entries)) <= {str} and all(map(str.strip, set(entries))):
        return np.zeros(len(entries), dtype=bool)
    return np.array([not (isinstance(entry, str) and entry.strip()) for entry in entries], dtype=bool)
