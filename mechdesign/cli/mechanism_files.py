"""The mechanism that a command is given as a file."""

from __future__ import annotations

import json
from pathlib import Path

from mechdesign.designing.loading import load
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism


def mechanism_in(file: Path, own: tuple[type, ...] = ()) -> tuple[Mechanism, str]:
    """Return the mechanism in a file, its claims derived again, and the file's checksum."""
    require_file("FILE", file)
    mechanism = load(file, members=own)
    return mechanism, str(json.loads(file.read_text(encoding="utf-8-sig"))["checksum"])


def require_file(argument: str, path: Path) -> None:
    """Raise if there is no file at a path that a command reads, more than once."""
    if path.is_dir():
        raise DomainError(argument, str(path), "that is a folder", "give a file in it")
    if not path.exists():
        raise DomainError(argument, str(path), "there is no such file", "check the path")
    if not path.is_file():
        raise DomainError(argument, str(path), "it is a pipe or device, and is read twice", "save it as a file")
