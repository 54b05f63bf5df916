"""The theorems that `design` may use, by the record of verdicts."""

from __future__ import annotations

import importlib
from functools import cache

from mechdesign.theorems.base import Theorem
from mechdesign.theorems.record import recorded

#: Verdicts under which a formula, or its correction, may be used inside its confirmed domain.
CONFIRMED = ("holds", "holds under a narrower condition", "misprinted")


@cache
def published() -> dict[str, Theorem]:
    """Return the theorems whose mechanism may be handed out: those that give one and were confirmed."""
    found: dict[str, Theorem] = {}
    for key, row in recorded().items():
        if row.answers and row.verdict in CONFIRMED:
            module = importlib.import_module(f"{__package__}.{row.module}")
            found[key] = next(t for t in vars(module).values() if isinstance(t, Theorem) and t.key == key)
    return found
