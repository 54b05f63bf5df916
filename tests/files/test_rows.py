"""Files of rows: what was written is read, what is damaged is named, and another file is never written to."""

import errno
import json
import os
import stat

import pytest

import mechdesign as md
from mechdesign.errors import OtherFileError
from mechdesign.files import appended_rows
from mechdesign.files.appended_rows import AppendedRows
from mechdesign.files.checksums import sealed
from mechdesign.files.rows import RowFormat, read_rows

FORM = RowFormat("tries", 3, "trial", lambda row: row["k"])
HEADER = {"mechdesign": "1.0", "of": "these"}
ROWS = [{"k": 1, "x": 0.5}, {"k": 2, "x": None}, {"k": "three", "x": [1]}]


def negative(row):
    return "its x is negative" if isinstance(row["x"], float) and row["x"] < 0 else None


def opened(path, form=FORM, header=HEADER):
    return AppendedRows(path, form, header, negative)


@pytest.fixture
def file(tmp_path):
    """Return a file with a header and three rows, and its lines."""
    path = tmp_path / "a.jsonl"
    with opened(path) as rows:
        for row in ROWS:
            rows.append(row)
    return path, path.read_bytes().splitlines(keepends=True)


def refused(path, match, **keywords):
    """Assert that a file is refused, and stays as it was without anything beside it but the lock."""
    before = path.read_bytes()
    with pytest.raises(md.DomainError, match=match):
        opened(path, **keywords)
    assert path.read_bytes() == before and {each.name for each in path.parent.iterdir()} <= {path.name, "a.jsonl.lock"}


def test_what_is_appended_is_read(file):
    path, lines = file
    assert json.loads(lines[0]) == {"schema": "tries", "schema_version": 3, **HEADER} and len(lines) == 4
    with opened(path) as rows:
        assert list(rows.held.items()) == [(row["k"], row) for row in ROWS] and rows.mended == ""
        rows.append({"k": 1, "x": 7.0})
    assert read_rows(path, FORM, negative) == [{"k": 1, "x": 7.0}, *ROWS[1:]]
    assert path.read_bytes().startswith(b"".join(lines)) and not path.with_name("a.jsonl.old").exists()


def test_the_checksum_is_of_header_and_row(file):
    _, lines = file
    row = json.loads(lines[1])
    body = {"header": json.loads(lines[0]), "row": {"k": 1, "x": 0.5}}
    assert row["checksum"] == sealed(body)["checksum"] == sealed({**body, "checksum": "another"})["checksum"]
    assert sealed({"b": 1, "a": "é"})["checksum"] == sealed({"a": "é", "b": 1})["checksum"] != sealed({})["checksum"]
    known = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    assert sealed({"checksum": 3}) == {"checksum": known}


def test_an_empty_file_and_a_header_that_was_cut_are_begun_anew(tmp_path, file):
    path, lines = tmp_path / "b.jsonl", file[1]
    for held in (b"", lines[0][:1], lines[0][:-1]):
        path.write_bytes(held)
        with opened(path) as rows:
            assert rows.held == {}
            rows.append(ROWS[0])
        assert path.read_bytes() == b"".join(lines[:2])


@pytest.mark.parametrize("held", [b"mine", b"x\n", b'{"schema": "others"}\n', b"[]\n", b'{"a": 1, "a": 1}\n1\n', b"\n"])
def test_something_else_is_not_written_to(held, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(held)
    refused(path, "it holds something else.*give another path, or remove the file")
    with pytest.raises(OtherFileError, match="is no file of a trial"):
        read_rows(path, FORM, negative)


def test_rows_of_other_things_are_not_written_to(file):
    path, _ = file
    refused(path, r"another trial \(its of is 'these', not 'those'\)", header={**HEADER, "of": "those"})
    refused(path, r"its mechdesign is '1.0', not '2'", header={**HEADER, "mechdesign": "2"})
    refused(path, r"its new is None, not 1", header={**HEADER, "new": 1})
    refused(path, r"its schema_version is 3, not 2", form=RowFormat("tries", 2, "trial", FORM.key))


def test_rows_of_an_earlier_version_are_kept_beside_and_count_as_missing(file):
    path, lines = file
    newer = RowFormat("tries", 4, "trial", FORM.key)
    with pytest.raises(OtherFileError, match="is of version 3 and this is version 4"):
        read_rows(path, newer, negative)
    refused(path, "its of is", form=newer, header={**HEADER, "of": "those"})
    with opened(path, newer, {**HEADER, "mechdesign": "2"}) as rows:
        assert rows.held == {} and "line 2: it is of version 3; line 3: it is" in rows.mended
    assert path.with_name("a.jsonl.old").read_bytes() == b"".join(lines) and len(path.read_bytes().splitlines()) == 1
    path.write_bytes(lines[0])
    with opened(path, newer) as rows:
        assert "no row of this trial (line 1: it is of version 3). Their rows" in rows.mended
    assert json.loads(path.read_bytes())["schema_version"] == 4


@pytest.mark.parametrize("version", [0, -1, 4, "2", None, 2.5])
def test_a_version_that_there_never_was_is_refused(version, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"schema": "tries", "schema_version": version, **HEADER}) + "\n")
    refused(path, "its schema_version is")
    path.write_text(json.dumps({"schema": "tries", "schema_version": 1, **HEADER}) + "\n")
    with opened(path) as rows:
        assert "version 1" in rows.mended


DAMAGED = [
    (lambda line: line.replace(b"0.5", b"0.6"), "it was edited: its checksum does not match"),
    (lambda line: b"\n", "it is no line of JSON"),
    (lambda line: b"[1]\n", "it is no line of JSON"),
    (lambda line: b"\xff" + line, "it is no line of JSON"),
    (lambda line: b'{"k": 1, "x": 0.5}\n', "it has no checksum"),
    (lambda line: line.replace(b"sha256:", b"sha256"), "it was edited: its checksum does not match"),
    (lambda line: line.replace(b"sha256:", b"sha256::"), "it was edited: its checksum does not match"),
    (lambda line: line.replace(b"sha256:", b"Sha256:"), "it was edited: its checksum does not match"),
]


@pytest.mark.parametrize(("damage", "why"), DAMAGED)
def test_a_damaged_line_is_named_and_the_others_stay(damage, why, file):
    path, lines = file
    damaged = b"".join([lines[0], damage(lines[1]), *lines[2:]])
    path.write_bytes(damaged)
    with pytest.raises(md.DomainError, match=f"line 2: {why}.*run the trial again with this file"):
        read_rows(path, FORM, negative)
    with opened(path) as rows:
        assert rows.held == {row["k"]: row for row in ROWS[1:]}
        old = path.with_name("a.jsonl.old")
        assert rows.mended == (
            f"{path} has lines that hold no row of this trial (line 2: {why}). Their rows are computed again; the file "
            f"as it was is kept as {old}."
        )
        rows.append(ROWS[0])
    assert old.read_bytes() == damaged and path.read_bytes() == b"".join([lines[0], *lines[2:], lines[1]])


def test_what_a_row_may_not_say_is_named(file):
    path, _ = file
    with opened(path) as rows:
        rows.append({"k": 4, "x": -1.0})
    with pytest.raises(md.DomainError, match="line 5: its x is negative"):
        read_rows(path, FORM, negative)
    with opened(path) as rows:
        assert "line 5: its x is negative" in rows.mended and len(rows.held) == 3


def test_a_last_line_that_was_cut_is_named(file):
    path, lines = file
    path.write_bytes(b"".join(lines)[:-9])
    assert read_rows(path, FORM, negative) == ROWS[:2]
    with opened(path) as rows:
        assert "(line 4: it was cut short)" in rows.mended and list(rows.held) == [1, 2]
    assert path.read_bytes() == b"".join(lines[:3])


@pytest.mark.parametrize(("count", "more"), [(5, ""), (6, "; and 1 more"), (8, "; and 3 more")])
def test_five_lines_are_named_and_the_others_counted(count, more, file):
    path, lines = file
    path.write_bytes(lines[0] + count * b"?\n")
    with opened(path) as rows:
        assert f"; line 6: it is no line of JSON{more}). Their" in rows.mended and "line 7" not in rows.mended


def test_a_file_is_open_once(file):
    path, _ = file
    with opened(path), pytest.raises(md.DomainError, match=r"another trial is writing.*wait for it"):
        opened(path)
    opened(path).close()
    # What was refused has left no lock.
    for header in ({"of": "those"}, HEADER):
        try:
            opened(path, header=header).close()
        except md.DomainError:
            assert header != HEADER


def test_a_folder_that_is_not_there_and_a_name_of_no_file_are_refused(tmp_path):
    with pytest.raises(md.DomainError, match=r"no such folder.*make it first"):
        opened(tmp_path / "no" / "a.jsonl")
    with pytest.raises(md.WriteError, match="null byte"):
        opened(tmp_path / "a\0b")
    with pytest.raises(md.WriteError, match="name too long"):
        opened(tmp_path / (300 * "a"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(md.WriteError, match=r"is a directory.*name of a file in it"):
        opened(tmp_path / "folder")
    with pytest.raises(OtherFileError, match="cannot be read as a file of a trial"):
        read_rows(tmp_path / "none.jsonl", FORM, negative)


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("stage", ["write", "half", "fsync"])
def test_what_does_not_fit_leaves_the_file_as_it_was(stage, file, monkeypatch):
    path, lines = file
    written = os.write
    with opened(path) as rows:
        with monkeypatch.context() as patch:
            half = {"half": lambda file, line: written(file, line[: len(line) // 2])}
            patch.setattr(os, "write" if stage == "half" else stage, half.get(stage, full))
            with pytest.raises(md.WriteError, match=r"make room"):
                rows.append({"k": 4, "x": 1.0})
        assert path.read_bytes() == b"".join(lines)
        rows.append({"k": 5, "x": 1.0})
    assert [row["k"] for row in read_rows(path, FORM, negative)] == [1, 2, "three", 5]


def test_each_row_is_forced_to_the_disk(file, monkeypatch):
    path, _ = file
    forced = []
    with opened(path) as rows:
        monkeypatch.setattr(appended_rows, "force", lambda file: forced.append(os.fstat(file).st_size))
        rows.append({"k": 4, "x": 1.0})
        assert forced == [path.stat().st_size] and stat.S_ISREG(path.stat().st_mode)


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")])
def test_what_fails_while_it_is_opened_leaves_no_lock(failure, file, monkeypatch):
    path, _ = file

    def fails(*_):
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(AppendedRows, "_rows", fails)
        with pytest.raises(KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else md.WriteError):
            opened(path)
    with opened(path) as rows:
        assert len(rows.held) == 3
