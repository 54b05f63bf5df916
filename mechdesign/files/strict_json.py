"""JSON read without leniency: what a lax reader passes over in silence is refused, with the place."""

from __future__ import annotations

import json
from typing import Any

#: What the package writes is nested less deeply than this; readers and printers recurse.
MOST_DEPTH = 50


class NotStrictError(ValueError):
    """The text is JSON to a lax reader only; the message is half a sentence that says why."""


def parsed(text: str) -> Any:
    """Return the data of a JSON text; infinite numbers, which JSON has no word for, are left to the caller.

    Raises
    ------
    NotStrictError
        A key that stands twice in one object, NaN, an integer of thousands of digits, or too deep a nesting.
    json.JSONDecodeError
        The text is no JSON at all.

    Examples
    --------
    >>> parsed('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    mechdesign.files.strict_json.NotStrictError: it has the key 'a' twice
    """
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_constant)
    except (json.JSONDecodeError, NotStrictError):
        raise
    except RecursionError:
        raise NotStrictError("it is nested too deeply") from None
    except ValueError:
        # Python reads no integer of more than some thousand digits.
        raise NotStrictError("it has an integer of thousands of digits") from None
    if is_deep(data):
        raise NotStrictError("it is nested too deeply")
    return data


def is_deep(data: Any) -> bool:
    """Return whether lists and objects are nested more than `MOST_DEPTH` deep."""
    level = [data]
    for _ in range(MOST_DEPTH):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [entry for entries in inner for entry in entries]
        if not level:
            return False
    return True


def difference(found: Any, wanted: Any, *, lax: bool = False, place: str = "") -> str | None:
    """Say where two pieces of plain data first differ, None where they don't: 1, 1.0 and true are three things.

    Parameters
    ----------
    lax : bool
        Whether a whole number may stand for a float: 1 and 1.0 are then one.

    Examples
    --------
    >>> difference({"rows": [1.0, 2]}, {"rows": [1.0, 2.0]})
    'rows[1] is 2, not 2.0'
    """
    at = place.removeprefix(".") or "it"
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in [*wanted, *found]:
            if (key in wanted) != (key in found):
                return f"{at} has no {key!r}" if key in wanted else f"{at} has {_shown(key)}, which is no part of it"
        inner = (difference(found[key], wanted[key], lax=lax, place=f"{place}.{key}") for key in wanted)
    elif isinstance(found, list) and isinstance(wanted, list):
        if len(found) != len(wanted):
            return f"{at} has {len(found)} entries, not {len(wanted)}"
        kinds = {*map(type, found), *map(type, wanted)}
        # Long rows of numbers are of one type.
        if found == wanted and len(kinds) == 1 and kinds <= {int, float, str}:
            return None
        inner = (
            difference(one, other, lax=lax, place=f"{place}[{index}]")
            for index, (one, other) in enumerate(zip(found, wanted, strict=True))
        )
    else:
        same = type(found) is type(wanted) or (lax and {type(found), type(wanted)} == {int, float})
        return None if same and found == wanted else f"{at} is {_shown(found)}, not {_shown(wanted)}"
    return next((said for said in inner if said is not None), None)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise NotStrictError(f"it has the key {_shown(key)} twice")
        made[key] = value
    return made


def _constant(word: str) -> float:
    if word == "NaN":
        raise NotStrictError("it has NaN for a number")
    return float(word)
