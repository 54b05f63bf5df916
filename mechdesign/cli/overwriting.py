"""Where the command may write an answer: to a folder that is there, and over nothing of another kind."""

from __future__ import annotations

import json
from collections.abc import Set
from pathlib import Path

from mechdesign.errors import DomainError
from mechdesign.mechanism import SCHEMA


def require_folder(path: Path, what: str) -> None:
    """Raise where the folder of `path` is missing."""
    if not path.parent.is_dir():
        raise _unwritable(path, "there is no such folder", what)


def require_writable(path: Path) -> None:
    """Raise where a mechanism has no place at `path`, or would go over something else than a mechanism."""
    require_folder(path, "the mechanism")
    if path.is_dir():
        raise _unwritable(path, "that is a folder", "the mechanism")
    if path.is_file():
        with path.open("rb") as file:
            if SCHEMA.encode() not in file.read(200):
                raise _unwritable(path, "that file holds something else, which would be lost", "the mechanism")


def require_no_loss(record: Path, keys: Set[str]) -> None:
    """Raise where the file `record` holds verdicts of other statements than those of `keys`."""
    try:
        held = json.loads(record.read_text(encoding="utf-8"))["rows"] if record.exists() else {}
    except (ValueError, LookupError, TypeError):
        rule = "it holds something else than a record, which would be lost"
        raise DomainError("--record", str(record), rule, "choose another path") from None
    lost = set(held) - keys
    if lost:
        rule = f"it holds {len(lost)} other verdicts, {min(lost)} among them, which would be lost"
        raise DomainError("--record", str(record), rule, "verify every statement, or choose another path")


def _unwritable(path: Path, why: str, what: str) -> DomainError:
    return DomainError("output", str(path), f"{what} cannot be written there ({why})", "choose another path")
