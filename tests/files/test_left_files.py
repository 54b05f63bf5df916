"""Of what lies beside a file only what killed writers of that file left is removed, and errors say what to do."""

import errno
import hashlib
import os
import runpy
import secrets
import sys
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign.files import atomic_writes
from mechdesign.files.atomic_writes import force, refused, replacing, write

fcntl = pytest.importorskip("fcntl", reason="this system has no locks of files")

START = f".{hashlib.sha256(b'a.txt').hexdigest()[:8]}."


def test_nothing_else_beside_a_file_is_removed(tmp_path):
    kept = ["b.txt", f"{START}x.txt", f"{START}x", f"{START}x.tmq", f"{START}x.aaa", f".{START}x.tmp", ".0.x.tmp"]
    for name in kept:
        (tmp_path / name).write_text("mine")
    (tmp_path / f"{START}empty.tmp").touch()
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / f"{START}link.tmp").symlink_to(tmp_path / "elsewhere")
    kept += [f"{START}empty.tmp", f"{START}link.tmp", "elsewhere", "a.txt"]
    for name in ("1.tmp", "22.tmp"):
        (tmp_path / f"{START}{name}").write_text("left")
    write(tmp_path / "a.txt", "new")
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(kept)
    assert (tmp_path / "elsewhere").read_text() == "mine"


def test_what_a_writer_has_locked_stays(tmp_path):
    left = tmp_path / f"{START}1.tmp"
    with left.open("w") as file:
        file.write("half")
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        write(tmp_path / "a.txt", "new")
        assert left.exists()
    write(tmp_path / "a.txt", "new")
    assert not left.exists()


def test_the_file_beside_is_named_after_the_file_and_a_chance(tmp_path):
    names = set()
    for _ in range(2):
        with replacing(tmp_path / "a.txt") as file:
            file.write("new")
            names |= {each.name for each in tmp_path.iterdir()} - {"a.txt"}
    assert len(names) == 2 and all(name.startswith(START) and name.endswith(".tmp") for name in names)
    assert {len(name) for name in names} == {len(START) + 16 + 4}


def test_without_locks_files_are_written_whole_and_nothing_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic_writes, "LOCKS", False)
    (tmp_path / f"{START}1.tmp").write_text("left")
    assert write(tmp_path / "a.txt", "new").read_text() == "new"
    assert {each.name for each in tmp_path.iterdir()} == {"a.txt", f"{START}1.tmp"}


def test_without_fcntl_there_are_no_locks(monkeypatch):
    assert runpy.run_path(atomic_writes.__file__)["LOCKS"]
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert not runpy.run_path(atomic_writes.__file__)["LOCKS"]


def test_a_link_in_the_place_of_the_new_file_is_not_followed(tmp_path, monkeypatch):
    """A temporary file has a random name, and a link that stands there is not followed."""
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / f"{START}{16 * '0'}.tmp").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(md.WriteError, match="exists"):
        write(tmp_path / "a.txt", "new")
    assert (tmp_path / "elsewhere").read_text() == "mine" and not (tmp_path / "a.txt").exists()


def test_no_file_is_left_open(tmp_path):
    before = len(list(Path("/dev/fd").iterdir()))
    for number in range(3):
        (tmp_path / f"{START}{number}.tmp").write_text("left")
        write(tmp_path / "a.txt", "new")
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_the_owner_is_kept_where_the_system_allows(tmp_path, monkeypatch):
    target, asked = tmp_path / "a.txt", []
    target.write_text("old")
    held = target.stat()
    monkeypatch.setattr(os, "chown", lambda file, user, group: asked.append((user, group)))
    write(target, "new")
    assert asked == [(held.st_uid, held.st_gid)]

    def forbidden(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", forbidden)
    assert write(target, "newer").read_text() == "newer"


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EIO, errno.ENOSPC])
def test_only_a_file_system_without_fsync_is_forgiven(number, monkeypatch):
    def fails(file):
        raise OSError(number, "no")

    monkeypatch.setattr(os, "fsync", fails)
    if number in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}:
        force(3)
    else:
        with pytest.raises(OSError, match="no"):
            force(3)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space"), "a.txt cannot be written (no space); make room or choose another path"),
        (OSError(errno.EROFS, "R"), "a.txt cannot be written (r); choose a folder that you may write to"),
        (OSError(errno.EIO, "Input/output"), "a.txt cannot be written (input/output); choose another path"),
        (OSError("Odd"), "a.txt cannot be written (odd); choose another path"),
    ],
)
def test_a_refusal_says_why_and_what_to_do(error, said):
    assert str(refused(Path("a.txt"), error)).rstrip(".") == said


def half_written(target, failure):
    with replacing(target) as file:
        file.write("half")
        raise failure


def test_a_block_that_fails_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.txt"
    write(target, "old")
    # Errors of ours say already what they are of.
    for failure in (ValueError("mine"), md.UnsupportedError("ours"), md.WriteError("b.txt", "odd", "choose another")):
        with pytest.raises(type(failure)) as raised:
            half_written(target, failure)
        assert raised.value is failure
    with pytest.raises(md.WriteError, match="odd"):
        half_written(target, OSError(errno.EIO, "Odd"))
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]
    with pytest.raises(md.WriteError, match="make the folder"), replacing(tmp_path / "no" / "a.txt"):
        pass
    with replacing(target) as file:
        file.write("one\r\ntwo\né")
    assert target.read_bytes() == "one\r\ntwo\né".encode()


def test_a_block_may_write_to_what_is_no_file():
    with replacing("/dev/null") as file:
        file.write("new")
    assert not Path("/dev/null").is_file()
