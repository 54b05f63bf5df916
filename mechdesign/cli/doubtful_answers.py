"""Answers in a column that may not be what they look like: numbers that stand for a missing answer, other capitals."""

from __future__ import annotations

import math
import shlex
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from mechdesign.cli.counts import rows_of
from mechdesign.cli.headers import column as place_of
from mechdesign.displays.visible import printable
from mechdesign.parameters.written_numbers import as_number, written
from mechdesign.problem.missing import MissingRule, looks_missing

#: What statistical files write for an answer that is missing, refused or not known: nines, eights and sevens.
CODES = frozenset(sign * int(digit * length) for digit in "789" for length in (1, 2, 3, 4) for sign in (-1, 1))
#: A positive one is so many times as large as every answer.
FAR = 2.0


def doubts(path: Path, column: str, rule: MissingRule) -> list[str]:
    """Return sentences on the answers of a column that may not be what they look like.

    Parameters
    ----------
    path : Path
        CSV with a header.
    column : str
        The column of the answers.
    rule : MissingRule
        What was declared missing already.
    """
    header, rows = rows_of(path, [column])
    at = place_of(f"{path.name} line 1", header, column)
    texts = {row[at] for _, row in rows}
    there = {text for text in texts if not rule.is_absent(text)}
    said = []
    if codes := missing_codes(there):
        # Once a code is given, blanks and the like have to be given too.
        blank = sorted(text for text in texts if looks_missing(text) or rule.is_absent(text))
        options = " ".join(f"--missing {shlex.quote(text)}" for text in [*codes, *blank])
        verb = "looks like a code" if len(codes) == 1 else "look like codes"
        said.append(f"{' and '.join(codes)} {verb} of a missing answer: {options} --drop-missing leaves it out.")
    for group in alike(there):
        shown = printable(" and ".join(f'"{text}"' for text in group))
        said.append(f"{shown} are different answers here: write them alike in the file if they are one.")
    return said


def missing_codes(texts: Collection[str]) -> list[str]:
    """Return the answers that look like codes of a missing one: -99 among ages, 9 among texts.

    Examples
    --------
    >>> missing_codes(["1", "2", "3", "-9"]), missing_codes(["7", "8", "9"]), missing_codes(["20", "64", "999"])
    (['-9'], [], ['999'])
    >>> missing_codes(["yes", "no", "99"]), missing_codes(["-9", "-3", "5"])
    (['99'], [])
    """
    numbers = {text: as_number(text) for text in texts}
    found = {text for text, number in numbers.items() if number in CODES}
    others = [number for text, number in numbers.items() if text not in found]
    if not others:
        return []
    if any(map(math.isnan, others)):
        # Numbers among texts are codes, if there are few of them.
        return sorted(found) if all(map(math.isnan, others)) else []
    least, most = min(others), max(others)
    outside = {text for text in found if numbers[text] < 0 <= least or numbers[text] > max(FAR * most, 10.0)}
    return sorted(outside, key=lambda text: written(numbers[text]))


def alike(texts: Collection[str]) -> list[list[str]]:
    """Return the answers that differ in capital letters only.

    Examples
    --------
    >>> alike(["Yes", "yes", "no"])
    [['Yes', 'yes']]
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for text in sorted(texts):
        groups[text.casefold()].append(text)
    return [group for group in groups.values() if len(group) > 1]
