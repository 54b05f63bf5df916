"""Where the command may write an answer: to a folder that is there, and over nothing of another kind."""

from __future__ import annotations

import json
import re
from collections.abc import Set
from pathlib import Path

from mechdesign.errors import DomainError
from mechdesign.mechanism.mechanism import SCHEMA
from mechdesign.referee import ledger
from mechdesign.referee.ledger_page import TITLE
from mechdesign.reports.page import MARK
from mechdesign.studies.frontier import COLUMNS


def require_folder(path: Path, what: str) -> None:
    """Raise where the folder of `path` is missing."""
    if not path.parent.is_dir():
        raise _unwritable(path, "there is no such folder", what)


def _kinds(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


#: How each kind of file that the command writes starts, as it writes it; an empty file is free for all. That words of
#: ours occur somewhere is no sign: scripts and notes name the command, too.
STARTS = {
    "the mechanism": _kinds(rf'\{{\s*"schema": {re.escape(json.dumps(SCHEMA))},'),
    "the table": _kinds(rf"[^\r\n]+,{re.escape(','.join(COLUMNS))}\r?\n"),
    "the report": _kinds(
        rf'<!DOCTYPE html>\n<html [^>]*><head>(<meta [^>]*>)*?<meta name="generator" content="{MARK} '
    ),
    "the ledger": _kinds(
        r'\{\s*"seed": -?\d+,\s*"thorough": (true|false),',
        rf"<!DOCTYPE html>\n<html [^>]*><head>(<meta [^>]*>)*<title>{re.escape(TITLE)}</title>",
        rf"{re.escape(','.join(ledger.COLUMNS))}\r?\n",
    ),
}
_FIRST_BYTES = 500


def require_writable(path: Path, what: str = "the mechanism") -> None:
    """Raise where `what` has no place at `path`, or would go over something that is not of its kind."""
    require_folder(path, what)
    if path.is_dir():
        raise _unwritable(path, "that is a folder", what)
    if path.is_file():
        try:
            with path.open("rb") as file:
                held = file.read(_FIRST_BYTES)
        except OSError as error:
            raise _unwritable(path, f"what it holds cannot be read: {error.strerror}", what) from None
        if held and not _starts_as(held, what):
            raise _unwritable(path, "that file holds something else, which would be lost", what)


def _starts_as(held: bytes, what: str) -> bool:
    text = held.decode("utf-8", errors="replace")
    return any(start.match(text) for start in STARTS[what])


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
