"""Tables as pages, TeX and workbooks: all rows are there, no text is a command or a formula, no file is lost."""

from __future__ import annotations

import importlib
import math
import re
import zipfile
from xml.etree import ElementTree as ET

import pytest

import mechdesign as md
from mechdesign.files import table_formats
from mechdesign.files.table_formats import page, tabular, workbook

HOSTILE = ("<script>", "=cmd|' /C calc'!A0", "a & b % c_d $e$ #1 {x} \\y ~ ^", "\x1b[31m", "\ud800", "+1")


def estimate(labels=("no", "yes")):
    return md.baselines.randomised_response(md.Problem(labels=list(labels)), 1.0).estimate(counts=[60, 40])


def test_a_page_has_every_cell(tmp_path):
    found = estimate(("<b>", "yes"))
    path = found.save(tmp_path / "shares.html")
    read = ET.fromstring(
        re.sub(r"<!DOCTYPE html>", "", path.read_text(encoding="utf-8")).replace('<meta charset="utf-8">', "")
    )
    cells = [[cell.text for cell in row] for row in read.iter("tr")]
    assert cells[0] == ["label", "estimate", "standard_error", "low", "high"]
    assert [row[0] for row in cells[1:]] == ["<b>", "yes"]
    assert [float(row[1]) for row in cells[1:]] == pytest.approx(found.frequencies, rel=1e-5)


def test_tex_has_every_cell():
    text = tabular([{"a": name, "x": 1.5} for name in HOSTILE[:3]], ["a", "x"])
    assert text.count(r"\\") == 4 and r"a \& b \% c\_d \$e\$ \#1 \{x\} \textbackslash{}y" in text
    assert not re.search(r"(?<!\\)[%$#_]", text.split("\n", 1)[1])


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_runs_on_a_page(text):
    shown = page([{"=name": text}], ["=name"])
    assert "<script" not in shown and "\x1b" not in shown
    shown.encode("utf-8")
    tabular([{"a": text}], ["a"]).encode("utf-8")


def test_a_workbook_holds_texts_and_numbers(tmp_path):
    library = pytest.importorskip("openpyxl")
    (tmp_path / "a.xlsx").write_bytes(workbook([{"=a": text, "x": -1 / 3} for text in HOSTILE], ["=a", "x"]))
    sheet = library.load_workbook(tmp_path / "a.xlsx").active
    rows = list(sheet.iter_rows())
    assert all(row[0].data_type == "s" for row in rows) and [row[1].value for row in rows[1:]] == [-1 / 3] * 6
    assert rows[2][0].value == HOSTILE[1] and rows[4][0].value == "\\x1b[31m"
    with zipfile.ZipFile(tmp_path / "a.xlsx") as file:
        assert b"<f>" not in file.read("xl/worksheets/sheet1.xml")


class Book:
    """Stands for openpyxl's workbook: remembers its cells, and is saved as their texts."""

    class Cell:
        data_type = "n"

    def __init__(self):
        self.active, self.cells = self, {}

    def cell(self, row, column, value):
        self.cells[row, column] = value
        return self.Cell()

    def save(self, file):
        file.write(repr(self.cells).encode())


def test_workbooks_are_written_by_openpyxl_and_never_over_another_file(tmp_path, monkeypatch):
    class Library:
        Workbook = Book

    real = importlib.import_module
    monkeypatch.setattr(
        importlib, "import_module", lambda name, *of: Library if name == "openpyxl" else real(name, *of)
    )
    path = estimate().save(tmp_path / "a.xlsx")
    assert b"(1, 1): 'label'" in path.read_bytes() and b"(3, 1): 'yes'" in path.read_bytes()
    with pytest.raises(md.DomainError, match="something else, which would be lost"):
        estimate().save(path)
    assert estimate().save(path, overwrite=True) == path


def test_only_finite_numbers_are_numbers_in_a_workbook(monkeypatch):
    made = []

    class Kept(Book):
        def cell(self, row, column, value):
            made.append((row, column, value, super().cell(row, column, value)))
            return made[-1][-1]

    monkeypatch.setattr(importlib, "import_module", lambda name: type("Library", (), {"Workbook": Kept}))
    workbook([{"a": "=x", "b": 1.5, "c": math.inf, "d": True, "e": None, "f": 3}], "abcdef")
    assert [(*each[:3], each[3].data_type) for each in made[6:]] == [
        (2, 1, "=x", "s"),
        (2, 2, 1.5, "n"),
        (2, 3, "inf", "s"),
        (2, 4, "True", "s"),
        (2, 5, "", "s"),
        (2, 6, 3, "n"),
    ]
    assert [(*each[:3], each[3].data_type) for each in made[:6]] == [(1, y, "abcdef"[y - 1], "s") for y in range(1, 7)]


def test_without_openpyxl_a_sentence_says_what_to_do(tmp_path, monkeypatch):
    real = importlib.import_module

    def missing(name, *of):
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *of)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(md.UnsupportedError, match="pip install openpyxl, or save as CSV"):
        estimate().save(tmp_path / "a.xlsx")
    assert not (tmp_path / "a.xlsx").exists()


@pytest.mark.parametrize("suffix", [".html", ".tex"])
def test_a_table_is_written_over_and_another_file_is_not(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    first = estimate().save(path).read_text(encoding="utf-8")
    assert estimate().save(path).read_text(encoding="utf-8") == first
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(md.DomainError, match="something else, which would be lost"):
        estimate().save(path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_groups_are_one_table(tmp_path):
    mechanism = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
    found = mechanism.estimate([0, 1, 1, 0] * 20, groups=["north", "south"] * 40)
    text = found.save(tmp_path / "a.tex").read_text(encoding="utf-8")
    assert text.count("north & ") == 2 and text.count("south & ") == 2
    assert list(found.to_pandas().columns)[:2] == ["group", "label"] and len(found.to_polars()) == 4
    assert set(table_formats.FORMATS) == {".html", ".tex", ".xlsx"}


def test_a_table_for_a_paper_has_the_rules_of_booktabs():
    found = md.compare(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.HammingLoss())
    text = found.to_latex(["route", "value"], digits=3)
    lines = text.splitlines()
    assert lines[1] == r"\begin{tabular}{lr}" and lines[2] == r"\toprule" and lines[-1] == r"\end{tabular}"
    assert r"closed\_form & 0.269 \\" in lines
    assert len(found.to_latex().splitlines()) == len(lines)
    for columns, digits, word in (
        (["vaule"], 4, "value"),
        ([], 4, "column"),
        (None, 0, "from 1 on"),
        (None, 1.5, "whole"),
    ):
        with pytest.raises(md.DomainError, match=word):
            found.to_latex(columns, digits=digits)


def test_brackets_and_signs_are_texts_in_tex():
    """After a rule or the end of a row a bracket would begin an option."""
    rows = [{"label": "[18, 25)", "share": 0.5}, {"label": "a < b | c >= d", "share": 0.5}]
    lines = tabular(rows, ["label", "share"]).splitlines()
    assert r"{[}18, 25) & 0.5 \\" in lines
    assert r"a \textless{} b \textbar{} c \textgreater{}= d & 0.5 \\" in lines
    assert not any(line.startswith("[") for line in lines)
