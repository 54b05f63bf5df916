"""An append-only file of results, JSON by lines: a header that names what they are of, then a line for each.

A line is written whole and forced to the disk before the next; a file that was cut in mid-line loses that line only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from mechdesign.errors import DomainError

SCHEMA, SCHEMA_VERSION = "mechdesign sweep", 1


class ResultsFile:
    """Opens (or makes) the file at `path`, locked against other sweeps, and reads what it holds already.

    Parameters
    ----------
    path : Path
        The file; its lock is beside it, ``.lock``.
    header : mapping
        What the results are of: a file with another header is refused.

    Raises
    ------
    DomainError
        Another sweep has the file open; it holds something else, or results of another sweep or version.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        from filelock import FileLock, Timeout

        if not path.parent.is_dir():
            raise DomainError("path", str(path), "there is no such folder", "make it first")
        self.path = path
        self._header = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **header}
        self._lock = FileLock(f"{path}.lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            remedy = "wait for it, or give another path"
            raise DomainError("path", str(path), "another sweep is writing to this file", remedy) from None
        try:
            #: By index, what the file held when it was opened.
            self.held = self._opened()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
        self._lock.release()

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one row, whole and on the disk when this returns."""
        self._write(_line(row))

    def _write(self, line: bytes) -> None:
        # One write, so that a process that is killed leaves a line or a part of one, never two that are mixed.
        if os.write(self._file, line) != len(line):
            raise OSError(f"{self.path} took only a part of a line; is the disk full?")
        os.fsync(self._file)

    def _opened(self) -> dict[int, dict[str, Any]]:
        held = self.path.read_bytes() if self.path.exists() else b""
        whole = held[: held.rfind(b"\n") + 1]
        header = _line(self._header)
        if not whole and not header.startswith(held):
            raise self._refused("it holds something else")
        lines = whole.splitlines()
        if lines:
            self._check_header(lines[0])
        rows = [self._row(line, number) for number, line in enumerate(lines[1:], start=2)]
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        if len(held) > len(whole):
            os.ftruncate(self._file, len(whole))
        if not lines:
            self._write(header)
        return {row["index"]: row for row in rows}

    def _check_header(self, line: bytes) -> None:
        try:
            found = json.loads(line)
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise self._refused("it holds something else")
        for key, wanted in self._header.items():
            if found.get(key) != wanted:
                raise self._refused(f"it holds another sweep (its {key} is {found.get(key)!r}, not {wanted!r})")

    def _row(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("index"), int):
            raise self._refused(f"its line {number} was edited or damaged")
        return row

    def _refused(self, why: str) -> DomainError:
        return DomainError("path", str(self.path), why, "give another path, or remove the file")


def _line(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, allow_nan=False).encode("ascii") + b"\n"
