"""Values as plain data, for JSON: arrays as lists, generators by their names, infinities as texts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mechdesign.objectives import Generator
from mechdesign.question.members_by_name import parameters_of


def in_json(value: Any, *, missing: bool = False) -> Any:
    """Return plain data without infinite numbers, for which JSON has no word: each becomes the text that floats read.

    With `missing`, what is not a number becomes null.

    Examples
    --------
    >>> in_json({"lower": 0.5, "upper": float("inf")})
    {'lower': 0.5, 'upper': 'inf'}
    >>> in_json({"value": float("nan")}, missing=True)
    {'value': None}
    """
    if isinstance(value, dict):
        return {key: in_json(entry, missing=missing) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [in_json(entry, missing=missing) for entry in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    if math.isnan(value):
        return None if missing else value
    return str(value)


def plain_value(value: Any) -> Any:
    """Return a parameter of a member, or a part of a problem, as plain data."""
    if isinstance(value, np.ndarray):
        plain = value.tolist()
        return plain if value.dtype.kind in "iuf" and np.isfinite(value).all() else in_json(plain)
    if isinstance(value, tuple | list):
        # Of labels there may be millions.
        if set(map(type, value)) <= {str}:
            return list(value)
        return [plain_value(entry) for entry in value]
    if isinstance(value, float):
        return in_json(value)
    if isinstance(value, Generator):
        name, parameters = (
            type(value).__name__,
            {field.name: getattr(value, field.name) for field in parameters_of(value)},
        )
        return {"name": name, **parameters} if parameters else name
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value
