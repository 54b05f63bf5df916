"""Rows of a results file: a damaged one is named and computed again, and none is accepted that does not hold."""

import errno
import json
import math
import os

import pytest

import mechdesign as md
from mechdesign.files.appended_rows import AppendedRows
from mechdesign.files.checksums import sealed
from mechdesign.studies.sweeps import sweeping

PROBLEM = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
ASKED = ({"=cmd": PROBLEM}, [md.LDP, md.AsymmetricLIP(1.0, 1.0)], md.MMSE(), [0.5, (0.5, math.inf)])
#: The second is refused (LDP has one level), so that rows without numbers are among them.
ROWS = 4


def swept(path, **keywords):
    return md.sweep(*ASKED, n_jobs=1, path=path, progress=False, **keywords)


def plain(table):
    return [(*row.to_line().values(),)[:-1] for row in table]


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a results file, its lines, its table, and the list of what is computed from now on."""
    path = tmp_path / "a.jsonl"
    table = swept(path)
    assert [row.status for row in table] == ["certified", "bad input", "bad input", "certified"] or table.failures
    computed, original = [], sweeping._row
    monkeypatch.setattr(sweeping, "_row", lambda asked: computed.append(asked.index) or original(asked))
    return path, path.read_bytes().splitlines(keepends=True), table, computed


def resealed(lines, number, change):
    """Return the lines with a row changed and its checksum made again, as someone would who knows how."""
    row = json.loads(lines[number])
    del row["checksum"]
    change(row)
    header = json.loads(lines[0])
    row["checksum"] = sealed({"header": header, "row": dict(row)})["checksum"]
    return [*lines[:number], json.dumps(row).encode() + b"\n", *lines[number + 1 :]]


def test_the_checksum_is_of_the_row_and_its_header(file):
    path, lines, *_ = file
    path.write_bytes(b"".join(resealed(lines, 1, lambda row: None)))
    assert path.read_bytes() == b"".join(lines)


def set_to(**parts):
    return lambda row: row.update(parts)


#: What a row can be changed to, which its checksum shows.
EDITS = [
    lambda line: line.replace(b'"value": ', b'"value": 1', 1),
    lambda line: line.replace(b'"certified"', b'"certifie"', 1).replace(b'"bad input"', b'"certified"', 1),
    lambda line: line[: len(line) // 2] + b"\n",
    lambda line: b"\n",
    lambda line: b"[]\n",
    lambda line: b"\xff\xfe" + line,
    lambda line: line.replace(b'"n": 3', b'"n": 3, "n": 3'),
    lambda line: line.replace(b'"n": 3', b'"n": NaN'),
    lambda line: line.replace(b'"n": 3', b'"n": ' + b"9" * 5000),
    lambda line: line.replace(b'"n": 3', b'"n": ' + b"[" * 5000 + b"]" * 5000),
    lambda line: line.replace(b"sha256:", b"sha256:0"),
    lambda line: line.replace(b'"checksum": "', b'"checksum": ["').replace(b'"}\n', b'"]}\n'),
    lambda line: line.split(b', "checksum"')[0] + b"}\n",
]


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("number", [1, ROWS])
def test_a_damaged_row_is_named_and_computed_again(edit, number, file):
    path, lines, table, computed = file
    damaged = [*lines[:number], edit(lines[number]), *lines[number + 1 :]]
    assert damaged != lines
    path.write_bytes(b"".join(damaged))
    with pytest.warns(md.FileWarning, match=f"line {number + 1}: it (is|was|has)"):
        again = swept(path)
    assert computed == [json.loads(lines[number])["index"]] and plain(again) == plain(table)
    # What was damaged is kept beside it, what is mended is whole: nothing is said or computed any more.
    assert path.with_name("a.jsonl.old").read_bytes() == b"".join(damaged)
    assert plain(swept(path)) == plain(table) and len(computed) == 1
    assert len(path.read_bytes().splitlines()) == ROWS + 1


#: What a row cannot say, though its checksum be right.
WRONG = [
    set_to(index=99),
    set_to(index=-1),
    set_to(index=1.0),
    set_to(index=True),
    set_to(problem="another"),
    set_to(n=4),
    set_to(objective="HammingLoss"),
    set_to(level=0.25),
    set_to(value="0.5"),
    set_to(value=True),
    set_to(value=[0.5]),
    set_to(bound=10**400),
    set_to(gap=None, remark="mine"),
    lambda row: row.pop("gap"),
    lambda row: row.pop("index"),
]


@pytest.mark.parametrize("change", WRONG)
def test_a_row_that_is_none_of_this_sweep_is_named_and_computed_again(change, file):
    path, lines, table, computed = file
    path.write_bytes(b"".join(resealed(lines, 1, change)))
    with pytest.warns(md.FileWarning, match="line 2: "):
        assert plain(swept(path)) == plain(table)
    assert computed == [0]


def test_a_row_of_another_sweep_is_none_of_this(file, tmp_path):
    path, lines, table, computed = file
    other = tmp_path / "b.jsonl"
    md.sweep(*ASKED[:3], [0.7], n_jobs=1, path=other, progress=False)
    computed.clear()
    path.write_bytes(b"".join([lines[0], other.read_bytes().splitlines(keepends=True)[1], *lines[2:]]))
    with pytest.warns(md.FileWarning, match="line 2: it was edited"):
        assert plain(swept(path)) == plain(table)
    assert computed == [0]


#: What only designing again can tell.
LIES = [
    set_to(value=0.0, bound=0.0),
    lambda row: row.update(value=row["value"] * (1 + 1e-6)),
    lambda row: row.update(bound=row["bound"] * (1 - 1e-6)),
    set_to(gap=0.5),
    set_to(gap=1e-7),
    set_to(status="gap wider than asked", reason="said so"),
    set_to(status="infeasible", value=None, bound=None, gap=None),
    set_to(outputs=9),
    set_to(route="closed_form"),
    set_to(solver="SCS"),
]


@pytest.mark.parametrize("change", LIES)
def test_a_row_that_does_not_hold_is_replaced_where_it_is_verified(change, file):
    path, lines, table, computed = file
    path.write_bytes(b"".join(resealed(lines, 1, change)))
    # Who only goes on with the file trusts its checksums.
    assert plain(swept(path)) != plain(table) and not computed
    with pytest.warns(md.FileWarning, match="rows 0 did not come out again and were replaced"):
        assert plain(swept(path, verify=True)) == plain(table)
    assert computed == list(range(ROWS))
    assert plain(swept(path)) == plain(table) and len(computed) == ROWS
    assert plain(swept(path, verify=True)) == plain(table)


@pytest.mark.parametrize("change", [set_to(gap=0.0), lambda row: row.update(value=math.nextafter(row["value"], 1))])
def test_numbers_that_were_changed_within_rounding_are_those_of_this_run_where_they_are_verified(change, file):
    path, lines, table, _ = file
    number = next(n for n in range(1, ROWS + 1) if json.loads(lines[n])["gap"])
    path.write_bytes(b"".join(resealed(lines, number, change)))
    assert plain(swept(path)) != plain(table)
    # No row came out otherwise, so that nothing is warned of.
    assert plain(swept(path, verify=True)) == plain(table)
    assert plain(swept(path)) == plain(table)


def test_a_failure_that_was_made_up_is_replaced(file):
    path, lines, table, _ = file
    number = next(n for n in range(1, ROWS + 1) if json.loads(lines[n])["status"] == "bad input")
    path.write_bytes(b"".join(resealed(lines, number, set_to(status="certified", value=0.1, bound=0.1, gap=0.0))))
    with pytest.warns(md.FileWarning, match=f"rows {number - 1} did not"):
        assert plain(swept(path, verify=True)) == plain(table)


def test_a_file_that_holds_is_verified_in_silence_and_left_alone(file):
    path, lines, table, computed = file
    assert plain(swept(path, verify=True)) == plain(table)
    assert path.read_bytes() == b"".join(lines) and computed == list(range(ROWS))


def test_only_a_file_can_be_verified(tmp_path):
    with pytest.raises(md.DomainError, match="give path"):
        md.sweep(*ASKED, n_jobs=1, verify=True)
    with pytest.raises(md.DomainError, match="verify"):
        swept(tmp_path / "a.jsonl", verify="yes")
    assert swept(tmp_path / "new.jsonl", verify=True).complete


def test_rows_of_the_version_without_checksums_are_computed_again_and_said(file):
    path, lines, table, computed = file
    header = {**json.loads(lines[0]), "schema_version": 1, "mechdesign": "0.0.9"}
    old = [header, *({k: v for k, v in json.loads(line).items() if k != "checksum"} for line in lines[1:])]
    text = "".join(json.dumps(each) + "\n" for each in old)
    path.write_text(text)
    with pytest.warns(md.FileWarning, match=r"line 2: it is of version 1.*kept as .*a\.jsonl\.old"):
        assert plain(swept(path)) == plain(table)
    assert computed == list(range(ROWS)) and path.with_name("a.jsonl.old").read_text() == text
    assert plain(swept(path)) == plain(table) and len(computed) == ROWS


@pytest.mark.parametrize("stage", ["half a line", "write", "fsync"])
def test_a_full_disk_leaves_whole_lines_and_is_said(stage, tmp_path, monkeypatch):
    path, written = tmp_path / "a.jsonl", os.write
    file = AppendedRows(path, sweeping.ROWS, {"sweep": "s"}, lambda row: None)
    with file:
        file.append({"index": 0})
        before = path.read_bytes()

        def full(descriptor, line=b""):
            if stage == "half a line":
                return written(descriptor, line[: len(line) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync" if stage == "fsync" else "write", full)
            with pytest.raises(md.WriteError, match=r"a\.jsonl cannot be written.*make room"):
                file.append({"index": 1})
        assert path.read_bytes() == before
        file.append({"index": 2})
    with AppendedRows(path, sweeping.ROWS, {"sweep": "s"}, lambda row: None) as again:
        assert (sorted(again.held), again.mended) == ([0, 2], "")


@pytest.mark.parametrize("name", [".", "a" * 252])
def test_a_place_that_takes_no_file_is_said(name, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(md.WriteError):
        swept(tmp_path / "folder" / name)
