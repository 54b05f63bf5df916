"""Files are written whole or not at all: at whatever stage the system refuses, the old one is as it was."""

import errno
import os
import secrets
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign.cli import commands, overwriting
from mechdesign.files.atomic_writes import LOCKS, replacing, write
from mechdesign.mechanism.mechanism import MECHANISM_FILE

#: Seconds that a thread is waited for: longer than any machine needs.
PATIENT = 200.0
OLD, NEW = "the old text\n", "the new text, " * 5000
ROOT = Path(__file__).parents[2]
REFUSALS = [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EACCES, "Permission denied")]
FAILURES = [*REFUSALS, OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()]


class Disk:
    """Fails at one stage of every write: where the file is made, written to, forced to the disk or renamed."""

    STAGES = ("made", "written", "flushed", "forced", "renamed")

    def __init__(self, patch, stage, failure):
        self.failure = failure
        opened, made = os.open, os.fdopen
        if stage == "made":
            patch.setattr(os, "open", lambda p, flags, *a: self.fail() if flags & os.O_CREAT else opened(p, flags, *a))
        elif stage in {"written", "flushed"}:
            patch.setattr(os, "fdopen", lambda *a: self.full(made(*a), "write" if stage == "written" else "flush"))
        else:
            patch.setattr(os, {"forced": "fsync", "renamed": "replace"}[stage], self.fail)

    def fail(self, *_):
        raise self.failure

    def full(self, file, method):
        class Full:
            def __getattr__(self, name):
                return getattr(file, name)

            def __enter__(self):
                return self

            def __exit__(self, *_):
                file.close()

        handle = Full()
        setattr(handle, method, self.fail)
        return handle


def old_file_survives(written, folder, patch):
    """Whatever stage fails: the old text, no other file, an error of ours (Ctrl-C is passed on)."""
    target = folder / "a.txt"
    for held in (OLD, None):
        for stage in Disk.STAGES:
            for failure in FAILURES:
                target.unlink(missing_ok=True)
                if held is not None:
                    target.write_text(held)
                with patch.context() as within:
                    Disk(within, stage, failure)
                    with pytest.raises(
                        KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else md.WriteError
                    ) as said:
                        written(target, NEW)
                assert [each.name for each in folder.iterdir()] == ([] if held is None else ["a.txt"]), stage
                assert held is None or target.read_text() == held, stage
                if isinstance(failure, OSError):
                    assert failure.strerror.lower() in str(said.value) and str(target) in str(said.value)


def forced_before_renamed(written, folder, patch):
    """The text is on the disk before the name is, and then the folder; the name before that cannot be guessed."""
    target, steps, force, rename = folder / "a.txt", [], os.fsync, os.replace

    def forcing(file):
        steps.append(os.fstat(file).st_ino)
        force(file)

    def renaming(source, goal):
        assert Path(source).parent == Path(goal).parent == folder and Path(source).read_text() == NEW
        steps.append(Path(source).name)
        rename(source, goal)

    patch.setattr(os, "fsync", forcing)
    patch.setattr(os, "replace", renaming)
    names = set()
    for _ in range(3):
        steps.clear()
        written(target, NEW)
        assert len(steps) == 3 and steps[0] == target.stat().st_ino and steps[2] == folder.stat().st_ino
        names.add(steps[1])
    assert len(names) == 3 and all(len(name) >= 16 for name in names)


def mode_is_kept(written, folder, patch):
    """As a plain open has it: the old file's mode, or what the umask leaves of a new one's."""
    old, fresh = folder / "old.txt", folder / "fresh.txt"
    for mode in (0o600, 0o640, 0o666, 0o755):
        old.write_text(OLD)
        old.chmod(mode)
        written(old, NEW)
        assert stat.S_IMODE(old.stat().st_mode) == mode
    for mask in (0o022, 0o077):
        before = os.umask(mask)
        try:
            written(fresh, NEW)
        finally:
            os.umask(before)
        assert stat.S_IMODE(fresh.stat().st_mode) == 0o666 & ~mask
        fresh.unlink()


def links_are_followed(written, folder, patch):
    """A symbolic link stays one, and what it names is written, whether it was there or not."""
    (folder / "elsewhere").mkdir()
    for name in ("there.txt", "not yet.txt"):
        goal, link = folder / "elsewhere" / name, folder / f"link to {name}"
        if name == "there.txt":
            goal.write_text(OLD)
        link.symlink_to(goal)
        written(link, NEW)
        assert link.is_symlink() and goal.read_text() == link.read_text() == NEW


def pipes_are_written_to(written, folder, patch):
    """What is no regular file is written to, not replaced."""
    pipe, heard = folder / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    reader.start()
    written(pipe, NEW)
    if not stat.S_ISFIFO(pipe.stat().st_mode):
        raise AssertionError("the pipe was replaced")
    reader.join(PATIENT)
    assert heard == [NEW]


CLAUSES = [old_file_survives, forced_before_renamed, mode_is_kept, links_are_followed, pipes_are_written_to]


def truncates(path, text):
    Path(path).write_text(text)


def with_error_of_ours(write_it):
    def written(path, text):
        try:
            write_it(Path(path), text)
        except OSError as error:
            raise md.WriteError(str(path), str(error.strerror).lower(), "choose another path") from None

    return written


def beside(name="{token}.tmp", *, clean=True, force=True, folder=True, follow=True, mode=None, resolve=True):
    """Return an atomic write with one step left out."""

    @with_error_of_ours
    def written(path, text):
        if resolve and path.exists() and not path.is_file():
            path.write_text(text)
            return
        target = Path(os.path.realpath(path)) if follow else path
        held = target.stat().st_mode & 0o777 if target.exists() else None
        other = target.parent / name.format(token=secrets.token_hex(8))
        try:
            with os.fdopen(os.open(other, os.O_WRONLY | os.O_CREAT, 0o666 if mode is None else mode), "w") as file:
                if held is not None and mode is None:
                    other.chmod(held)
                file.write(text)
                file.flush()
                if force:
                    os.fsync(file.fileno())
            other.replace(target)
        except BaseException:
            if clean:
                other.unlink(missing_ok=True)
            raise
        if folder:
            with suppress(OSError):
                opened = os.open(target.parent, os.O_RDONLY)
                try:
                    os.fsync(opened)
                finally:
                    os.close(opened)

    return written


#: The clause that catches it, a write with a defect.
DEFECTS = [
    (old_file_survives, truncates),
    (old_file_survives, beside(clean=False)),
    (forced_before_renamed, beside(force=False)),
    (forced_before_renamed, beside(folder=False)),
    (forced_before_renamed, beside("a.txt.tmp")),
    (mode_is_kept, beside(mode=0o600)),
    (links_are_followed, beside(follow=False)),
    (pipes_are_written_to, beside(resolve=False)),
]


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_a_write_is_atomic(clause, tmp_path, monkeypatch):
    clause(write, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("clause", "wrong"), DEFECTS, ids=[f"{clause.__name__}-{place}" for place, (clause, _) in enumerate(DEFECTS)]
)
def test_a_wrong_write_is_caught(clause, wrong, tmp_path, monkeypatch):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        clause(wrong, tmp_path, monkeypatch)


def test_the_planted_write_is_sound_where_nothing_is_left_out(tmp_path, monkeypatch):
    for clause in CLAUSES:
        (tmp_path / clause.__name__).mkdir()
        with monkeypatch.context() as patch:
            clause(beside(), tmp_path / clause.__name__, patch)


SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
SAVED = {
    "mechanism": md.design(SURVEY, md.LDP(1.0), md.MMSE()).mechanism.save,
    "frontier": lambda path: md.frontier(SURVEY, md.LDP, md.MMSE(), [0.5, 1.0]).save(path),
    "sweep": lambda path: md.sweep(SURVEY, md.LDP, md.MMSE(), [0.5], n_jobs=1, progress=False).save(path),
    "ledger.json": lambda path: md.verify("ours/M4").save(path),
    "ledger.html": lambda path: md.verify("ours/M4").save(path),
}


@pytest.mark.parametrize("what", SAVED)
def test_every_file_of_the_package_is_written_so(what, tmp_path, monkeypatch):
    """Each writer by itself: with the disk full at the last moment its old file is whole, and it says so."""
    target = tmp_path / what
    SAVED[what](target)
    first = target.read_bytes()
    assert len(first) > 100
    for stage in Disk.STAGES:
        with monkeypatch.context() as patch:
            Disk(patch, stage, REFUSALS[0])
            with pytest.raises(md.WriteError, match=r"no space left on device.*make room"):
                SAVED[what](target)
        assert target.read_bytes() == first and [each.name for each in tmp_path.iterdir()] == [what]


@pytest.mark.parametrize("arguments", [("--record", "v.json"), ("--output", "l.json")])
def test_the_command_writes_so_too(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / arguments[1]).write_text('{"rows": {}}')
    with monkeypatch.context() as patch:
        Disk(patch, "forced", REFUSALS[0])
        with pytest.raises(SystemExit) as ended:
            commands.main(["verify", "ours/M4", "--json", *arguments])
    assert ended.value.code == commands.BAD_INPUT and "cannot be written" in capsys.readouterr().err
    assert (tmp_path / arguments[1]).read_text() == '{"rows": {}}' and len(list(tmp_path.iterdir())) == 1


def test_no_other_place_of_the_package_opens_a_file_for_writing():
    allowed = {"atomic_writes.py", "appended_rows.py"}
    for path in [*(ROOT / "mechdesign").rglob("*.py"), ROOT / "benchmarks/report.py", ROOT / "benchmarks/optima.py"]:
        code = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith((">>>", "...")))
        for way in (".write_text(", ".write_bytes(", 'open("w', "O_WRONLY", '"wb"', '"w",'):
            assert path.name in allowed or way not in code, (path, way)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: folder, "that is a folder.*give the name of a file in it"),
        (lambda folder: folder / "no such" / "a.txt", "no such file or directory.*make the folder first"),
        (lambda folder: folder / "file" / "a.txt", "not a directory.*make the folder first"),
        (lambda folder: folder / ("a" * 300), "name too long.*choose a shorter name"),
        (lambda folder: folder / "loop", "symbolic links.*choose another path"),
        (lambda folder: f"{folder}/a\0b", "null"),
    ],
)
def test_what_cannot_be_written_says_why_and_what_to_do(make, said, tmp_path):
    (tmp_path / "file").write_text(OLD)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    held = sorted(tmp_path.iterdir())
    with pytest.raises(md.WriteError, match=f"(?is){said}"):
        write(make(tmp_path), NEW)
    assert sorted(tmp_path.iterdir()) == held and (tmp_path / "loop").is_symlink()


def test_what_is_no_path_or_no_text_is_refused(tmp_path):
    with pytest.raises(md.DomainError, match="path is 3"):
        write(3, NEW)
    with pytest.raises(md.WriteError, match=r"'\\ud800', which UTF-8 cannot hold"):
        write(tmp_path / "a.txt", "a\ud800")
    assert not list(tmp_path.iterdir())


def test_the_longest_name_that_a_folder_takes_can_be_written(tmp_path):
    assert write(tmp_path / ("a" * 255), NEW).read_text() == NEW


def test_no_permission_on_the_file_itself_is_a_refusal(tmp_path, monkeypatch):
    """A rename would not ask: the folder's permission is enough for it. (Root may do anything, so the seam is open.)"""
    target, opened = tmp_path / "a.txt", os.open
    target.write_text(OLD)

    def forbidden(path, flags, *mode):
        if Path(path) == target and flags & os.O_WRONLY:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, flags, *mode)

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(md.WriteError, match=r"permission denied.*may write to"):
        write(target, NEW)
    assert target.read_text() == OLD


def test_a_file_system_without_fsync_is_written_to(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", Disk(monkeypatch, "forced", OSError(errno.EINVAL, "Invalid argument")).fail)
    assert write(tmp_path / "a.txt", NEW).read_text() == NEW


def test_a_disk_that_is_really_full(tmp_path):
    """The kernel itself refuses: a process may write no more than 500 bytes to a file."""
    target = tmp_path / "a.json"
    made = md.design(SURVEY, md.LDP(1.0), md.MMSE()).mechanism
    first = made.save(target).read_bytes()
    code = f"""
import resource, mechdesign as md, numpy as np
made = md.design(md.Problem(prior=np.full(9, 1 / 9), values=np.arange(9.0)), md.LDP(1.0), md.MMSE()).mechanism
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
try:
    made.save({str(target)!r}, overwrite=True)
except md.WriteError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "a.json cannot be written (file too large); make room" in done.stdout
    assert target.read_bytes() == first and list(tmp_path.iterdir()) == [target] and md.load(target) == made


def test_what_cannot_be_read_is_not_overwritten(tmp_path, monkeypatch):
    """Who may not read a file cannot tell that it is a mechanism (root may read anything, so the seam is open)."""
    target = tmp_path / "a.json"
    target.write_text(OLD)

    def forbidden(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(md.DomainError, match="cannot be read: Permission denied"):
        overwriting.require_writable(target, MECHANISM_FILE)


@pytest.mark.parametrize("held", ["[" * 100_000, "{}", "[]", '{"rows": 3}', '{"rows": ' + "9" * 5000 + "}"])
def test_what_is_no_record_is_not_overwritten(held, tmp_path):
    (tmp_path / "v.json").write_text(held)
    with pytest.raises(md.DomainError, match="which would be lost"):
        overwriting.require_no_loss(tmp_path / "v.json", {"ours/M4"})


def killed_while_writing(target, *, times=1):
    """Let processes be killed outright at the moment at which they force the new file to the disk."""
    code = (
        "import os, signal, sys; from mechdesign.files.atomic_writes import write;"
        "os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL); write(sys.argv[1], 'half')"
    )
    for _ in range(times):
        done = subprocess.run([sys.executable, "-c", code, str(target)], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode != 0, done.stderr


@pytest.mark.skipif(not LOCKS, reason="this system has no locks of files")
def test_what_killed_processes_left_is_gone_after_the_next_write(tmp_path):
    killed_while_writing(tmp_path / "a.txt", times=3)
    killed_while_writing(tmp_path / "b.txt")
    assert len(list(tmp_path.iterdir())) == 4
    write(tmp_path / "a.txt", NEW)
    # What belongs to another file is left to the next write of that.
    assert len(list(tmp_path.iterdir())) == 2
    write(tmp_path / "b.txt", NEW)
    assert {each.name for each in tmp_path.iterdir()} == {"a.txt", "b.txt"}


def test_a_writer_that_is_at_work_keeps_its_file(tmp_path):
    target = tmp_path / "a.txt"
    with replacing(target) as file:
        file.write(OLD)
        for text in ("first", "second"):
            assert write(target, text).read_text() == text
        file.write(OLD)
    assert target.read_text() == OLD + OLD and list(tmp_path.iterdir()) == [target]


def test_many_writers_of_one_file_leave_it_whole_and_nothing_beside(tmp_path):
    target = tmp_path / "a.txt"
    texts = [f"{number} " * 3000 for number in range(4)]

    def work(text):
        for _ in range(20):
            write(target, text)

    threads = [threading.Thread(target=work, args=(text,), daemon=True) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENT)
    assert target.read_text() in texts and list(tmp_path.iterdir()) == [target]
