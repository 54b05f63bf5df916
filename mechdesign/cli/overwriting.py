"""Where the command may write an answer: to a folder that is there, and over nothing of another kind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path

import click

from mechdesign.errors import DomainError
from mechdesign.files.kinds import FileKind
from mechdesign.question import Question
from mechdesign.question.plain_values import in_json

#: Of a command that writes a file.
option = click.option("--overwrite", is_flag=True, help="Replace a file of another kind, or of another question, too.")


def require_folder(path: Path, what: str) -> None:
    """Raise where the folder of `path` is missing."""
    if not path.parent.is_dir():
        raise _unwritable(path, "there is no such folder", what)


def require_writable(path: Path, kind: FileKind, overwrite: bool = False) -> None:
    """Raise where a file of the kind has no place at `path`: before the work of an hour, not after it."""
    require_folder(path, kind.what)
    if path.is_dir():
        raise _unwritable(path, "that is a folder", kind.what)
    with as_option():
        kind.require_place(path, overwrite=overwrite, argument="output")


@contextmanager
def as_option() -> Iterator[None]:
    """Say the remedies of a block's errors as options of the command."""
    try:
        yield
    except DomainError as error:
        remedy = error.remedy.replace("give overwrite=True", "add --overwrite")
        argument = "output" if error.argument == "path" else error.argument
        raise DomainError(argument, error.value, error.rule, remedy) from None


def require_no_file(path: Path, kind: FileKind, overwrite: bool) -> None:
    """Raise where a file is at `path`: it is not known beforehand whether what will be written is the same.

    Raises
    ------
    DomainError
        There is one that is not empty, and `overwrite` is not given.
    """
    if not overwrite and path.is_file() and path.stat().st_size > 0:
        raise DomainError("output", str(path), kind.another, "give --output another name; --overwrite replaces it")


def require_no_loss(record: Path, keys: Set[str]) -> None:
    """Raise if the file `record` holds verdicts of other statements than `keys`."""
    try:
        held = set(json.loads(record.read_text(encoding="utf-8"))["rows"]) if record.exists() else set()
    except (ValueError, LookupError, TypeError, RecursionError, OSError):
        rule = "it holds something else than a record, which would be lost"
        raise DomainError("--record", str(record), rule, "choose another path") from None
    lost = held - keys
    if lost:
        rule = f"it holds {len(lost)} other verdicts, {min(lost)} among them, which would be lost"
        raise DomainError("--record", str(record), rule, "verify every statement, or choose another path")


def require_same_question(path: Path, question: Question, overwrite: bool) -> None:
    """Raise where the mechanism file at `path` answers another question: its reports would be lost with it.

    Raises
    ------
    DomainError
        It does, and `overwrite` is not given.
    """
    if overwrite or not path.is_file():
        return
    try:
        held = json.loads(path.read_text(encoding="utf-8")).get("question")
    except (OSError, ValueError, AttributeError, RecursionError):
        # Cut or damaged: no reports can be estimated with it.
        return
    if held != json.loads(json.dumps(in_json(question.to_dict()))):
        rule = "it holds the mechanism of another question, and reports that were drawn from it are estimated with it"
        raise DomainError("output", str(path), rule, "give --output another name; --overwrite replaces it")


def _unwritable(path: Path, why: str, what: str) -> DomainError:
    return DomainError("output", str(path), f"{what} cannot be written there ({why})", "choose another path")
