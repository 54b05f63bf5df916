"""An append-only file of results, JSON by lines: a header that names what they are of, then a line for each.

A line is written whole, with a checksum of itself and the header, and forced to the disk before the next. A line that
was cut, edited or damaged is named and taken for missing; the other lines stay.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from mechdesign.errors import DomainError, WriteError
from mechdesign.files.atomic_writes import force, refused, write
from mechdesign.files.strict_json import parsed
from mechdesign.mechanism.plain_data import sealed

#: Rows of version 1 have no checksum.
SCHEMA, SCHEMA_VERSION = "mechdesign sweep", 2


class ResultsFile:
    """Opens (or makes) the file at `path`, locked against other sweeps, and reads what it holds already.

    Parameters
    ----------
    path : Path
        The file; its lock is beside it, ``.lock``.
    header : mapping
        What the results are of: a file with another header is refused.
    fault : callable
        Says of a row why it is none of these results, or None.

    Raises
    ------
    DomainError
        Another sweep has the file open; it holds something else, or results of another sweep or version.
    WriteError
        It cannot be written.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], fault: Callable[[Mapping[str, Any]], str | None]) -> None:
        from filelock import FileLock, Timeout

        try:
            if not path.parent.is_dir():
                raise DomainError("path", str(path), "there is no such folder", "make it first")
        except OSError as error:
            raise refused(path, error) from None
        if "\0" in str(path):
            raise WriteError(str(path), "embedded null byte", "choose another path")
        self.path = path
        #: Which lines are damaged, or of the version without checksums; they count as missing, and the file as it was
        #: is kept beside it, ``.old``.
        self.mended = ""
        self._fault = fault
        self._header = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **header}
        self._lock = FileLock(f"{path}.lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            remedy = "wait for it, or give another path"
            raise DomainError("path", str(path), "another sweep is writing to this file", remedy) from None
        except OSError as error:
            raise refused(path, error) from None
        try:
            #: By index, what the file held when it was opened.
            self.held = self._opened()
        except OSError as error:
            self._lock.release()
            # Ours is an OSError too, and says more.
            raise error if hasattr(error, "remedy") else refused(path, error) from None
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
        """Write one row, whole and on the disk when this returns; where that fails the file is as it was.

        Raises
        ------
        WriteError
            The disk is full, say.
        """
        before = os.fstat(self._file).st_size
        try:
            self._put(self._line(row))
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, before)
            raise refused(self.path, error) from None

    def _put(self, line: bytes) -> None:
        # One write, so that a process that is killed leaves a line or a part of one, never two that are mixed.
        if os.write(self._file, line) != len(line):
            raise OSError(errno.ENOSPC, "it took only a part of a line")
        force(self._file)

    def _line(self, row: Mapping[str, Any]) -> bytes:
        return _json({**row, "checksum": self._checksum(row)})

    def _checksum(self, row: Mapping[str, Any]) -> str:
        # With the header, so that a line of another file is none of this one.
        made: str = sealed({"header": self._header, "row": dict(row)})["checksum"]
        return made

    def _opened(self) -> dict[int, dict[str, Any]]:
        held = self.path.read_bytes() if self.path.exists() else b""
        first = _json(self._header)
        lines = held.split(b"\n")
        if len(lines) == 1:
            if not first.startswith(held):
                raise self._refused("it holds something else")
            write(self.path, first.decode("ascii"))
            lines = []
        rows, wrong = self._rows(lines)
        if wrong:
            self._mend(held, first, rows, wrong)
        self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        return rows

    def _rows(self, lines: list[bytes]) -> tuple[dict[int, dict[str, Any]], dict[int, str]]:
        """Return the rows by index, the last of each, and by number why other lines hold none."""
        rows: dict[int, dict[str, Any]] = {}
        wrong: dict[int, str] = {}
        if not lines:
            return rows, wrong
        version = self._check_header(lines[0])
        for number, line in enumerate(lines[1:-1], start=2):
            found = "it has no checksum" if version == 1 else self._row(line)
            if isinstance(found, str):
                wrong[number] = found
            else:
                rows[found["index"]] = found
        if lines[-1]:
            wrong[len(lines)] = "it was cut short"
        elif version != SCHEMA_VERSION:
            wrong.setdefault(1, f"it is of version {version}")
        return rows, wrong

    def _row(self, line: bytes) -> dict[str, Any] | str:
        """Return the row in a line, or why it holds none."""
        try:
            row = parsed(line.decode("ascii"))
        except ValueError:
            row = None
        if not isinstance(row, dict):
            return "it is no line of JSON"
        checksum = row.pop("checksum", None)
        if checksum is None:
            return "it has no checksum"
        if checksum != self._checksum(row):
            return "it was edited: its checksum does not match"
        return self._fault(row) or row

    def _mend(self, held: bytes, first: bytes, rows: dict[int, dict[str, Any]], wrong: dict[int, str]) -> None:
        """Keep the file as it was beside it, write it anew without the lines that hold no row, and say which."""
        said = "; ".join(f"line {number}: {why}" for number, why in list(wrong.items())[:5])
        more = f"; and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        old = write(self.path.with_name(f"{self.path.name}.old"), held)
        write(self.path, first + b"".join(self._line(row) for row in rows.values()))
        self.mended = (
            f"{self.path} has lines that hold no row of this sweep ({said}{more}). Their rows are computed again; "
            f"the file as it was is kept as {old}."
        )

    def _check_header(self, line: bytes) -> int:
        """Return the version of the file's rows; raise where it is of something else."""
        try:
            found = parsed(line.decode("ascii"))
        except ValueError:
            found = None
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise self._refused("it holds something else")
        version = found.get("schema_version")
        for key, wanted in self._header.items():
            # None of the rows of version 1 is taken over, so that it does not matter what wrote them.
            if found.get(key) != wanted and not (version == 1 and key in {"schema_version", "mechdesign"}):
                raise self._refused(f"it holds another sweep (its {key} is {found.get(key)!r:.80}, not {wanted!r})")
        return 1 if version == 1 else SCHEMA_VERSION

    def _refused(self, why: str) -> DomainError:
        return DomainError("path", str(self.path), why, "give another path, or remove the file")


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, allow_nan=False).encode("ascii") + b"\n"
