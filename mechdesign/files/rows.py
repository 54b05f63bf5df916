"""Rows of a file, JSON by lines, each with a checksum of itself and the file's header."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechdesign.errors import DomainError, OtherFileError
from mechdesign.files.checksums import sealed
from mechdesign.files.strict_json import parsed

#: Says of a row why it is none of those that are asked for, or None.
Fault = Callable[[Mapping[str, Any]], str | None]


@dataclass(frozen=True)
class RowFormat:
    """What the rows of a file are.

    Attributes
    ----------
    schema : str
        The name of the format, in the header.
    version : int
        Its version; rows of earlier ones count as missing.
    maker : str
        What makes the rows, a "sweep" say.
    key : callable
        The key of a row: of rows with equal keys the last counts.
    """

    schema: str
    version: int
    maker: str
    key: Callable[[Mapping[str, Any]], Hashable]


def read_rows(path: str | Path, form: RowFormat, fault: Fault) -> list[dict[str, Any]]:
    """Return the rows of a file, of those with the same key the last; a last line that was cut does not count.

    Raises
    ------
    OtherFileError
        It cannot be read, holds something else, or rows of another version.
    DomainError
        A line that was damaged or holds no row.
    """
    source = Path(path)
    try:
        header, *lines = source.read_bytes().split(b"\n")
    except OSError as error:
        raise OtherFileError(f"{source} cannot be read as a file of a {form.maker} ({error}).") from error
    head = object_in(header)
    if head is None or head.get("schema") != form.schema:
        raise OtherFileError(f"{source} is no file of a {form.maker}: choose another file.")
    if head.get("schema_version") != form.version:
        raise OtherFileError(
            f"{source} is of version {head.get('schema_version')} and this is version {form.version}: run the "
            f"{form.maker} again, or read it with the mechdesign that wrote it."
        )
    rows: dict[Hashable, dict[str, Any]] = {}
    for number, line in enumerate(lines[:-1], start=2):
        found = row_in(line, head, fault)
        if isinstance(found, str):
            remedy = f"run the {form.maker} again with this file, which computes the row anew"
            raise DomainError("path", str(source), f"line {number}: {found}", remedy)
        rows[form.key(found)] = found
    return list(rows.values())


def row_in(line: bytes, header: Mapping[str, Any], fault: Fault) -> dict[str, Any] | str:
    """Return the row in a line, or why it holds none."""
    row = object_in(line)
    if row is None:
        return "it is no line of JSON"
    said = row.pop("checksum", None)
    if said is None:
        return "it has no checksum"
    if said != checksum(header, row):
        return "it was edited: its checksum does not match"
    return fault(row) or row


def object_in(line: bytes) -> dict[str, Any] | None:
    """Return the object of JSON in a line, None where it holds none."""
    try:
        found = parsed(line.decode("ascii"))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def checksum(header: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return the checksum of a row and the header of its file."""
    # With the header, so that a line of another file is none of this one.
    made: str = sealed({"header": dict(header), "row": dict(row)})["checksum"]
    return made
