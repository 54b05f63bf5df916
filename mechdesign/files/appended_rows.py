"""A file of rows that is appended to, JSON by lines: a header that names what they are of, then a line for each.

A line is written whole, with a checksum of itself and the header, and forced to the disk before the next. A line that
was cut, edited or damaged is named and taken for missing; the other lines stay.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Hashable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from mechdesign.errors import DomainError, WriteError
from mechdesign.files.atomic_writes import force, refused, write
from mechdesign.files.rows import Fault, RowFormat, checksum, object_in, row_in


class AppendedRows:
    """Opens (or makes) the file at `path`, locked against other processes, and reads what it holds already.

    Parameters
    ----------
    path : Path
        The file; its lock is beside it, ``.lock``.
    form : RowFormat
        What its rows are.
    header : mapping
        What the results are of: a file with another header is refused.
    fault : callable
        Says of a row why it is none of these results, or None.

    Raises
    ------
    DomainError
        Another process has the file open; it holds something else, or results of another header or version.
    WriteError
        It cannot be written.
    """

    def __init__(self, path: Path, form: RowFormat, header: Mapping[str, Any], fault: Fault) -> None:
        from filelock import FileLock, Timeout

        try:
            if not path.parent.is_dir():
                raise DomainError("path", str(path), "there is no such folder", "make it first")
        except OSError as error:
            raise refused(path, error) from None
        if "\0" in str(path):
            raise WriteError(str(path), "embedded null byte", "choose another path")
        self.path = path
        #: Which lines are damaged, or of an earlier version: they count as missing. The file as it was is ``.old``.
        self.mended = ""
        self._form, self._fault = form, fault
        self._header = {"schema": form.schema, "schema_version": form.version, **header}
        self._lock = FileLock(f"{path}.lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            remedy = "wait for it, or give another path"
            rule = f"another {form.maker} is writing to this file"
            raise DomainError("path", str(path), rule, remedy) from None
        except OSError as error:
            raise refused(path, error) from None
        try:
            #: By key, what the file held when it was opened.
            self.held = self._opened()
        except OSError as error:
            self._lock.release()
            # Ours is an OSError too, and says more.
            raise error if hasattr(error, "remedy") else refused(path, error) from None
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> AppendedRows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and release its lock."""
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
        return _json({**row, "checksum": checksum(self._header, row)})

    def _opened(self) -> dict[Hashable, dict[str, Any]]:
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

    def _rows(self, lines: list[bytes]) -> tuple[dict[Hashable, dict[str, Any]], dict[int, str]]:
        """Return the rows by key, the last of each, and by number why other lines hold none."""
        rows: dict[Hashable, dict[str, Any]] = {}
        wrong: dict[int, str] = {}
        if not lines:
            return rows, wrong
        version = self._check_header(lines[0])
        for number, line in enumerate(lines[1:-1], start=2):
            found = (
                f"it is of version {version}"
                if version != self._form.version
                else row_in(line, self._header, self._fault)
            )
            if isinstance(found, str):
                wrong[number] = found
            else:
                rows[self._form.key(found)] = found
        if lines[-1]:
            wrong[len(lines)] = "it was cut short"
        elif version != self._form.version:
            wrong.setdefault(1, f"it is of version {version}")
        return rows, wrong

    def _mend(self, held: bytes, first: bytes, rows: dict[Hashable, dict[str, Any]], wrong: dict[int, str]) -> None:
        """Keep the file as it was beside it, write it anew without the lines that hold no row, and say which."""
        said = "; ".join(f"line {number}: {why}" for number, why in list(wrong.items())[:5])
        more = f"; and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        old = write(self.path.with_name(f"{self.path.name}.old"), held)
        write(self.path, first + b"".join(self._line(row) for row in rows.values()))
        self.mended = (
            f"{self.path} has lines that hold no row of this {self._form.maker} ({said}{more}). Their rows are "
            f"computed again; the file as it was is kept as {old}."
        )

    def _check_header(self, line: bytes) -> int:
        """Return the version of the file's rows; raise where it is of something else."""
        found = object_in(line)
        if found is None or found.get("schema") != self._form.schema:
            raise self._refused("it holds something else")
        version: Any = found.get("schema_version")
        earlier = version in range(1, self._form.version)
        for key, wanted in self._header.items():
            # No row of an earlier version is taken over, so that it does not matter what wrote them.
            if found.get(key) != wanted and not (earlier and key in {"schema_version", "mechdesign"}):
                rule = f"it holds another {self._form.maker} (its {key} is {found.get(key)!r:.80}, not {wanted!r})"
                raise self._refused(rule)
        return int(version) if earlier else self._form.version

    def _refused(self, why: str) -> DomainError:
        return DomainError("path", str(self.path), why, "give another path, or remove the file")


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, allow_nan=False).encode("ascii") + b"\n"
