"""Missing records where reports are drawn: a mechanism takes them for its answer "missing", or they are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.problem.missing import MISSING, MissingRule, absences


def require_missing(labels: tuple[str, ...] | None, remedy: str = "leave those records out") -> None:
    """Raise where missing answers are declared, and none of the labels is for them."""
    if labels is None or MISSING not in labels:
        rule = f'the mechanism has no answer "{MISSING}"'
        remedy = f"{remedy}, or make the problem of records with missing=, too"
        raise DomainError("missing", "given", rule, remedy)


def refuse_absent(given: npt.NDArray[Any], labels: tuple[str, ...]) -> None:
    """Raise where an entry is missing, or a text among numbers that looks like a missing one and is no label."""
    absent = absences(given, MissingRule(None, drop=True))
    for at in np.flatnonzero(absent):
        # What pandas has for a missing entry compares as neither true nor false.
        absent[at] = not (isinstance(given[at], str) and given[at] in labels)
    if not absent.any():
        return
    entry = given[int(np.argmax(absent))]
    rule, remedy = f"nothing may be missing ({absent.sum()} of {given.size})", "leave those records out"
    if MISSING in labels:
        code = f'"{entry}"' if isinstance(entry, str) else "None"
        remedy += f', or give missing=[{code}], which takes them for the answer "{MISSING}"'
    raise DomainError(f"records[{int(np.argmax(absent))}]", str(entry).strip() or "blank", rule, remedy)
