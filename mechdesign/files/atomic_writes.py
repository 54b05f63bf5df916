"""Atomic writes: a file holds what it held before or the whole of the new text, whatever happens in between."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from mechdesign.errors import DomainError, MechdesignError, WriteError

try:
    import fcntl

    #: Whether files can be locked: those in use are then known from those left behind.
    LOCKS = True
except ImportError:  # Windows
    LOCKS = False

#: What some file systems answer to fsync where they have no such thing.
NO_FSYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
_MAKE_ROOM = "make room or choose another path"
_PERMISSION = "choose a folder that you may write to"
REMEDIES = {
    errno.ENOSPC: _MAKE_ROOM,
    errno.EDQUOT: _MAKE_ROOM,
    errno.EFBIG: _MAKE_ROOM,
    errno.ENOENT: "make the folder first",
    errno.ENOTDIR: "make the folder first",
    errno.EISDIR: "give the name of a file in it",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EACCES: _PERMISSION,
    errno.EPERM: _PERMISSION,
    errno.EROFS: _PERMISSION,
}


def write(path: str | Path, text: str | bytes) -> Path:
    """Write `text` (as UTF-8) or bytes to the file at `path`, whole or not at all, and return the path.

    It is written to a temporary file in the same folder, forced to the disk, and renamed over the old file. The new
    file has the old one's mode and, where the system allows, owner; without an old one the mode is that of any new
    file. A symbolic link stays one: the file that it names is replaced. Further hard links keep the old text. What is
    no regular file (a terminal, a pipe) cannot be renamed over and is written to directly.

    Raises
    ------
    WriteError
        The disk is full, the folder is missing, the name too long, permission is refused, ...: the old file is as it
        was, and the temporary file is gone. (Only a process that is killed outright can leave one behind, which the
        next write to the same path removes where the system has locks of files.)

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(f"{folder}/a.txt", "whole").read_text()
    'whole'
    """
    target = _path(path)
    try:
        data = text.encode("utf-8") if isinstance(text, str) else text
        held = _status(target)
        if held is not None and not stat.S_ISREG(held.st_mode):
            with target.open("wb") as file:
                file.write(data)
        else:
            with _new(target, held) as file:
                file.write(data)
    except OSError as error:
        raise refused(target, error) from None
    except UnicodeEncodeError as error:
        reason = f"its text has the character {error.object[error.start]!a}, which UTF-8 cannot hold"
        raise WriteError(str(target), reason, "rename what holds it") from None
    except ValueError as error:
        raise WriteError(str(target), str(error), "choose another path") from None
    return target


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[str]]:
    """Open a new text file that takes the place of the one at `path` at the end, where nothing fails, like `write`.

    Raises
    ------
    WriteError
        The file cannot be written: what was there is as it was, and the temporary file is gone.
    """
    target = _path(path)
    try:
        held = _status(target)
        regular = held is None or stat.S_ISREG(held.st_mode)
        with _new(target, held) if regular else target.open("wb") as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
            yield text
            text.detach()
    except MechdesignError:
        raise
    except OSError as error:
        raise refused(target, error) from None


def refused(path: Path, error: OSError) -> WriteError:
    """Return the system's refusal to write to `path` as an error of ours, with the remedy for that kind."""
    reason = error.strerror or str(error) or type(error).__name__
    return WriteError(str(path), reason[:1].lower() + reason[1:], REMEDIES.get(error.errno or 0, "choose another path"))


def force(file: int) -> None:
    """Force what was written to an open file to the disk, on every file system that can."""
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in NO_FSYNC:
            raise


def _path(path: str | Path) -> Path:
    try:
        return Path(path)
    except TypeError:
        raise DomainError("path", path, "it has to be a path", "give a text or a pathlib.Path") from None


def _status(target: Path) -> os.stat_result | None:
    """Return the status of the file, None if it does not exist; raise if it may not be written."""
    try:
        held = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(held.st_mode):
        raise IsADirectoryError(errno.EISDIR, "that is a folder")
    if stat.S_ISREG(held.st_mode):
        # A rename asks for no permission on the file itself: to open it does, and changes nothing.
        os.close(os.open(target, os.O_WRONLY))
    return held


@contextmanager
def _new(path: Path, held: os.stat_result | None) -> Iterator[BinaryIO]:
    """Open a file beside the one that `path` names, and rename it over that at the end."""
    target = Path(os.path.realpath(path))
    # The name is no longer than it has to be, so that any name that the folder takes can be written.
    of_target = f".{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]}."
    beside = target.with_name(f"{of_target}{secrets.token_hex(8)}.tmp")
    try:
        mode = 0o666 if held is None else stat.S_IMODE(held.st_mode)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(beside, flags, mode), "wb") as file:
            _lock(file.fileno())
            if held is not None:
                _keep_owner(file.fileno(), beside, held)
            yield file
            file.flush()
            force(file.fileno())
            if LOCKS:
                # Before it is closed: what nobody has locked is taken for left behind.
                beside.replace(target)
        if not LOCKS:
            beside.replace(target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    _clear(target.parent, of_target)
    _force_folder(target.parent)


def _lock(file: int) -> bool:
    """Lock an open file for as long as it is open, and return whether nobody else has it."""
    if not LOCKS:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # In use, or of a file system without locks.
        return False
    return True


def _clear(folder: Path, of_target: str) -> None:
    """Remove what killed processes left of writing to the same path: temporary files that nobody has locked."""
    if not LOCKS:
        return
    with suppress(OSError):
        left = [entry for entry in folder.iterdir() if entry.name.startswith(of_target) and entry.suffix == ".tmp"]
        for entry in left:
            _remove_unused(entry)


def _remove_unused(path: Path) -> None:
    """Remove a file, unless its writer still has it or it is empty: a writer locks it before it writes."""
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            if os.fstat(opened).st_size > 0 and _lock(opened):
                path.unlink()
        finally:
            os.close(opened)


def _keep_owner(file: int, path: Path, held: os.stat_result) -> None:
    """Give the new file the owner and the mode of the old one, the owner where the system allows."""
    with suppress(OSError, AttributeError):
        os.chown(file, held.st_uid, held.st_gid)
    path.chmod(stat.S_IMODE(held.st_mode))


def _force_folder(folder: Path) -> None:
    """Force the rename to the disk where folders can be opened; the file is whole in any case."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
