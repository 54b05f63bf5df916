"""The verdicts as they were last computed: a generated file, which says what `design` may use."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mechdesign.theorems.base import Theorem

#: Written by ``mechdesign verify --record``, byte for byte from its seed.
FILE = Path(__file__).with_name("verdicts.json")

#: Verdicts under which a formula, or its correction, may be used inside its confirmed domain.
CONFIRMED = ("holds", "holds under a narrower condition", "misprinted")


@dataclass(frozen=True)
class Recorded:
    """What the file keeps of a row."""

    verdict: str
    condition: str
    counterexample: str
    points: int
    #: The module of the theorem, below this package.
    module: str
    #: Whether it gives a mechanism.
    answers: bool


@cache
def recorded() -> dict[str, Recorded]:
    """Return the recorded rows by key; none where the file is missing."""
    if not FILE.exists():
        return {}
    rows = json.loads(FILE.read_text(encoding="utf-8"))["rows"]
    return {key: Recorded(**row) for key, row in rows.items()}


@cache
def published() -> dict[str, Theorem]:
    """Return the theorems whose mechanism may be handed out: those that give one and were confirmed."""
    found: dict[str, Theorem] = {}
    for key, row in recorded().items():
        if row.answers and row.verdict in CONFIRMED:
            module = importlib.import_module(f"{__package__}.{row.module}")
            found[key] = next(t for t in vars(module).values() if isinstance(t, Theorem) and t.key == key)
    return found
