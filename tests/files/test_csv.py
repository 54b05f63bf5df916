"""Names in a table are no formulas to a spreadsheet, and come back as they were; numbers are numbers."""

import csv
import math

import pytest

import mechdesign as md
from mechdesign.files.tables import save_csv

HARMLESS = ("LDP", "", "a=b", " ", "1", '"', "a,b", "two\nlines")
EXECUTED = ("=cmd|' /C calc'!A0", "+1", "-2", "-", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", "'=1", "'")
NUMBERS = (-1.0, 5e-324, -0.0, 1 / 3, math.inf, -math.inf, 2**53, -3)


def cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("text", [*HARMLESS, *EXECUTED])
def test_a_text_is_never_executed_and_comes_back(text, tmp_path):
    (header, (shown, number)) = cells(save_csv([{"=name": text, "x": -1.5}], ["=name", "x"], tmp_path / "a.csv"))
    assert shown[:1] not in set("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
    assert (shown == text) == (text in HARMLESS)
    # As the documentation says: one apostrophe less, where there is one.
    assert shown.removeprefix("'") == text and header == ["'=name", "x"] and number == "-1.5"


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_left_as_it_is(number, tmp_path):
    (_, (shown,)) = cells(save_csv([{"x": number}], ["x"], tmp_path / "a.csv"))
    assert shown == repr(number) and type(number)(shown) == number


def test_names_of_a_sweep_are_no_formulas(tmp_path):
    problems = {name: md.Problem(prior=[0.5, 0.5], values=[0, 1]) for name in ("=cmd", "@x", "plain")}
    table = md.sweep(problems, md.LDP, md.MMSE(), [1.0, -1.0], n_jobs=1, progress=False)
    header, *rows = cells(table.save(tmp_path / "a.csv"))
    place = header.index("problem")
    assert [row[place] for row in rows] == ["'=cmd"] * 2 + ["'@x"] * 2 + ["plain"] * 2
    levels = [float(row[header.index("level")]) for row in rows]
    assert levels == [1.0, -1.0] * 3
    assert not any(row[header.index("reason")].startswith(tuple("=+-@")) for row in rows)
    # Nothing but CSV is changed.
    assert table.to_pandas()["problem"][0] == table[0].problem == "=cmd"
