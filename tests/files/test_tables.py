"""Tables as frames and files: all columns in order, and each ending its format."""

import csv
import sys

import pytest

import mechdesign as md
from mechdesign.files.table_formats import format_of, page, tabular
from mechdesign.files.tables import OfRows, Tabular, kind_of, save_table, table_of

ROWS = [{"a": "x", "b": 0.123456789, "c": None}, {"a": "=y", "b": -0.0, "c": 3}]
COLUMNS = ("a", "b", "c")


class Table(Tabular):
    def _columns(self):
        return COLUMNS

    def _records(self):
        return ROWS


def test_frames_have_the_columns_in_order():
    found = Table().to_pandas()
    assert list(found.columns) == list(COLUMNS) and found["a"].tolist() == ["x", "=y"] and found["c"][1] == 3
    found = Table().to_polars()
    assert found.columns == list(COLUMNS) and found.rows() == [("x", 0.123456789, None), ("=y", -0.0, 3)]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_without_a_library_it_is_said_what_to_install(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(md.UnsupportedError, match=rf"{library} is not installed: pip install 'mechdesign\[tables\]'"):
        getattr(Table(), f"to_{library}")()


def test_the_ending_of_a_name_says_the_format(tmp_path):
    for name in ("a.csv", "a", "a.1", "a.CSV"):
        assert format_of(name) is None and Table().save(tmp_path / name).read_text().startswith("a,b,c\n")
    for name in ("a.html", "a.HTML"):
        assert Table().save(tmp_path / name).read_text() == page(ROWS, COLUMNS)
        assert save_table(ROWS, COLUMNS, tmp_path / f"other {name}").read_text() == page(ROWS, COLUMNS)
    assert Table().save(tmp_path / "a.tex").read_text() == tabular(ROWS, COLUMNS)
    assert format_of(3) is None


def test_csv_has_a_header_and_a_line_for_each_row(tmp_path):
    path = save_table(ROWS, COLUMNS, tmp_path / "a.csv")
    with path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a", "b", "c"], ["x", "0.123456789", ""], ["'=y", "-0.0", "3"]]
    assert path.read_bytes().startswith(b"a,b,c\r\n")


@pytest.mark.parametrize("name", ["a.csv", "a.html", "a.tex"])
def test_a_table_of_other_columns_is_not_replaced(name, tmp_path):
    path = tmp_path / name
    save_table(ROWS, ("a", "b"), path)
    before = path.read_bytes()
    for columns in (COLUMNS, ("a",), ("b", "a")):
        with pytest.raises(md.DomainError, match="would be lost"):
            kind_of(path, columns).require_place(path)
    with pytest.raises(md.DomainError, match="would be lost"):
        Table().save(path)
    assert path.read_bytes() == before
    kind_of(path, ("a", "b")).require_place(path)
    assert Table().save(path, overwrite=True).read_bytes() != before


def test_signs_of_patterns_in_names_of_columns_are_plain(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("axb\n1\n")
    with pytest.raises(md.DomainError, match="would be lost"):
        table_of(["a.b"]).require_place(path)
    path.write_text('"a,b",\'=c\n1\n')
    table_of(["a,b", "=c"]).require_place(path)


def test_a_name_that_promises_another_format_has_all_of_ours_as_remedies():
    with pytest.raises(md.DomainError, match=r"end the name in \.csv or \.html or \.tex or \.xlsx"):
        Table().save("a.json")
    with pytest.raises(md.DomainError, match=r"end the name in \.csv or \.html or \.tex or \.xlsx"):
        kind_of("a.json", COLUMNS).require_place("a.json")


def test_a_page_and_tex_round_floats_and_leave_out_what_is_none():
    shown = page(ROWS, COLUMNS)
    assert shown.startswith(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Table of a, b, c</title>'
    )
    assert "<tr><th>a</th><th>b</th><th>c</th></tr>" in shown
    assert "<tr><td>x</td><td>0.123457</td><td></td></tr>" in shown and "<td>=y</td><td>0</td><td>3</td>" in shown
    assert shown.endswith("</table></body></html>\n")
    lines = tabular(ROWS, COLUMNS, 2).split("\n")
    assert lines[:2] == ["% table of a, b, c", r"\begin{tabular}{lrl}"]
    assert lines[2:7] == [r"\toprule", r"a & b & c \\", r"\midrule", r"x & 0.12 &  \\", r"=y & 0 & 3 \\"]
    assert lines[7:] == [r"\bottomrule", r"\end{tabular}", ""]
    assert tabular([], COLUMNS).split("\n")[1] == r"\begin{tabular}{lll}"
    assert tabular([{"a": True}], ["a"]).split("\n")[1] == r"\begin{tabular}{l}"


def test_formulas_of_latex_are_set_as_formulas():
    lines = tabular([{"latex": r"\frac{1}{2}", "a": r"\x"}, {"latex": "", "a": ""}], ["latex", "a"]).split("\n")
    assert lines[5:7] == [r"$\frac{1}{2}$ & \textbackslash{}x \\", r" &  \\"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"columns": ["d"]}, "the table has no such column"),
        ({"columns": []}, "there has to be a column; give a, b, c"),
        ({"digits": True}, "whole number from 1 on"),
        ({"digits": 0}, "whole number from 1 on"),
        ({"digits": 1.0}, "whole number from 1 on"),
    ],
)
def test_other_columns_and_digits_are_refused(given, said):
    with pytest.raises(md.DomainError, match=said):
        Table().to_latex(**given)


def test_latex_has_the_columns_asked_for_and_four_digits():
    assert Table().to_latex(["b", "a"]) == tabular(ROWS, ["b", "a"], 4)
    assert Table().to_latex(digits=1) == tabular(ROWS, COLUMNS, 1)


def test_a_table_of_rows_is_a_sequence():
    class Few(OfRows):
        rows = ("p", "q", "r")

        def _columns(self):
            return COLUMNS

    few = Few()
    assert len(few) == 3 and list(few) == ["p", "q", "r"] and few[1] == "q" and few[-1] == "r"
