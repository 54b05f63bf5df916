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
        try:
            with path.open("rb") as file:
                held = file.read(200)
        except OSError as error:
            raise _unwritable(path, f"what it holds cannot be read: {error.strerror}", "the mechanism") from None
        if SCHEMA.encode() not in held:
            raise _unwritable(path, "that file holds something else, which would be lost", "the mechanism")


def require_no_loss(record: Path, keys: Set[str]) -> None:
    """Raise where the file `record` holds verdicts of other statements than those of `keys`."""
    try:
        held = set(json.loads(record.read_text(encoding="utf-8"))["rows"]) if record.exists() else set()
    except (ValueError, LookupError, TypeError, RecursionError, OSError):
        rule = "it holds something else than a record, which would be lost"
        raise DomainError("--record", str(record), rule, "choose another path") from None
    lost = held - keys
    if lost:
        rule = f"it holds {len(lost)} other verdicts, {min(lost)} among them, which would be lost"
        raise DomainError("--record", str(record), rule, "verify every statement, or choose another path")


def _unwritable(path: Path, why: str, what: str) -> DomainError:
    return DomainError("output", str(path), f"{what} cannot be written there ({why})", "choose another path")
