"""Texts of users in pictures: shown as they are, never as formulas; shortened where long, with an ellipsis."""

from __future__ import annotations

import textwrap
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any

#: What a matplotlib text is given so that a dollar sign is one.
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}

#: Stands for what has no picture of its own: control characters, halves of characters, switches of direction.
UNSHOWN = "\ufffd"
ELLIPSIS = "\u2026"
#: Marks above and below one letter, at most: more would cover the lines around it.
MOST_MARKS = 6
#: What takes effect beyond the text that it stands in: embeddings, overrides and isolates of direction.
DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def shown(text: str, most: int = 24) -> str:
    r"""Return `text` in at most a number of characters, each with its marks: an ellipsis replaces the middle.

    Line breaks and tabs become blanks; control characters, halves of surrogate pairs and switches of direction become
    the replacement character, since they would act on the text around them.

    Examples
    --------
    >>> shown("a" * 10_000, 9), shown("costs $5 or $6"), shown("two\nlines")
    ('aaaaa…aaa', 'costs $5 or $6', 'two lines')
    """
    # Of a text of millions of characters no more than both ends is looked at.
    reach = most * (MOST_MARKS + 2)
    head, tail = (text, "") if len(text) <= 2 * reach else (text[:reach], text[-reach:])
    parts, rest = _letters(head), _letters(tail)
    if not rest and len(parts) <= most:
        return "".join(parts)
    last = (most - 1) * 3 // 8
    return "".join([*parts[: most - 1 - last], ELLIPSIS, *((rest or parts)[-last:] if last else [])])


def distinct(names: Sequence[str], most: int = 24) -> list[str]:
    """Return each name as it is shown; those that are alike when shortened are numbered by their place.

    Examples
    --------
    >>> distinct(["a" * 50, "b", "a" * 51], 7)
    ['aaaa…aa (0)', 'b', 'aaaa…aa (2)']
    """
    found = [shown(name, most) for name in names]
    often = Counter(found)
    return [f"{name} ({place})" if often[name] > 1 else name for place, name in enumerate(found)]


def wrapped(lines: Sequence[str], width: int) -> str:
    """Return the lines of a title, each broken at blanks to at most `width` characters."""
    return "\n".join(part for line in lines for part in textwrap.wrap(line, max(width, 20)))


def _letters(text: str) -> list[str]:
    """Return the characters with the marks that belong to them; marks beyond `MOST_MARKS` are an ellipsis."""
    found: list[str] = []
    for character in text:
        marks = bool(found) and (unicodedata.category(character) in {"Mn", "Me"} or character == "\u200d")
        if not marks:
            found.append(_drawn(character))
        elif len(found[-1]) <= MOST_MARKS:
            found[-1] += character
        elif not found[-1].endswith(ELLIPSIS):
            found[-1] += ELLIPSIS
    return found


def _drawn(character: str) -> str:
    if character in "\t\n\r\u2028\u2029":
        return " "
    hidden = unicodedata.category(character) in {"Cc", "Cs"} or character in DIRECTIONS
    return UNSHOWN if hidden else character
