"""The verdicts as they were last computed: a generated file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

#: Written by ``mechdesign verify --record``, byte for byte from its seed.
FILE = Path(__file__).with_name("verdicts.json")


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
