"""Missing answers, in every command that reads answers: said with the line and both ways out, dropped or counted."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.cli.matrix_file import read_matrix
from mechdesign.parameters.labels import Carried

#: How tables write a missing answer.
KINDS = ["", "NA", "NaN", "nan", "null", "NULL", "n/a", "N/A", "#N/A", "<NA>", " "]
DELIMITERS = [",", ";", "\t"]
#: Columns with their missing answer in line 4, and a second one in line 6.
COLUMNS = {"numbers": ["20", "31"], "reals": ["20.5", "31.5"], "texts": ["yes", "no"]}
BINS = {"numbers": [18, 25, 40], "reals": [18, 25, 40], "texts": None}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def called(*arguments):
        with pytest.raises(SystemExit) as left:
            commands.main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, " ".join(err.split())

    return called


def write(path, kind, column, delimiter, second=True):
    """Write a column of answers as the second of two, with missing ones in lines 4 and 6."""
    first, other = COLUMNS[column]
    cells = [first, other, kind, first, *([kind] if second else [])]
    path.write_text(
        "id,age\n".replace(",", delimiter) + "".join(f"{at}{delimiter}{each}\n" for at, each in enumerate(cells))
    )


def edges(column):
    return [] if BINS[column] is None else ["--bins", ",".join(map(str, BINS[column]))]


def mechanism_with(column, missing, **keywords):
    """Return the mechanism of the column without its missing answers, or with the answer "missing"."""
    answers = [float(each) if column != "texts" else each for each in COLUMNS[column]]
    given = [*answers, None] if missing else answers
    problem = md.Problem.from_records(given, bins=BINS[column], missing=[None] if missing else None)
    return md.baselines.randomised_response(problem, 1.0)


QUESTION = """
[problem]
records = "a.csv"
column = "age"
{more}
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "InformationDesign"
criterion = "A"
"""


class Count:
    """`mechdesign count`."""

    drop, declare = ("--drop-missing",), staticmethod(lambda kind: ("--missing", kind.strip()))

    @staticmethod
    def call(run, column, more):
        return run("count", "a.csv", "--column", "age", *edges(column), "-o", "c.csv", "--overwrite", *more)

    @staticmethod
    def labels():
        with Path("c.csv").open(encoding="utf-8", newline="") as file:
            return [row[0] for row in csv.reader(file)][1:]


class Design:
    """`mechdesign design` of a question file."""

    drop, declare = ("drop_missing = true",), staticmethod(lambda kind: (f"missing = ['{kind.strip()}']",))

    @staticmethod
    def call(run, column, more):
        bins = [] if BINS[column] is None else [f"bins = {BINS[column]}"]
        Path("q.toml").write_text(QUESTION.format(more="\n".join([*bins, *more])), encoding="utf-8")
        return run("design", "q.toml", "-q", "--output", "d.json", "--overwrite")

    @staticmethod
    def labels():
        return list(md.load("d.json").inputs.labels)


COMMANDS = {"count": Count, "design": Design}


@pytest.mark.parametrize("delimiter", DELIMITERS, ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize(("command", "column"), [(name, column) for name in COMMANDS for column in COLUMNS])
def test_a_missing_answer_is_never_read_in_silence(command, column, delimiter, run, tmp_path):
    asked = COMMANDS[command]
    for kind in KINDS:
        write(tmp_path / "a.csv", kind, column, delimiter)
        code, _, err = asked.call(run, column, ())
        hard = column != "texts" or not kind.strip()
        assert code == (2 if hard else 0), (kind, err)
        shown = kind.strip() or "blank"
        if hard:
            assert f"a.csv line 4, age is {shown}, but nothing may be missing (2 of 5): line 4, line 6" in err, kind
        else:
            assert f"a.csv, age: 2 of 5 answers are {shown} (line 4, line 6)" in err, kind
        # Both ways out are said as they are written there.
        assert asked.drop[0] in err and 'to count them as the answer "missing"' in err
        known = Count.labels() if command == "count" and not hard else []
        assert not known or kind in known


@pytest.mark.parametrize("delimiter", DELIMITERS, ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize(("command", "column"), [(name, column) for name in COMMANDS for column in COLUMNS])
def test_both_ways_out_lead_out(command, column, delimiter, run, tmp_path):
    asked, answers = COMMANDS[command], sorted(COLUMNS[column])
    labels = ["[18, 25)", "[25, 40]"] if BINS[column] else answers
    for kind in KINDS[:: 1 if command == "count" else 5]:
        write(tmp_path / "a.csv", kind, column, delimiter)
        code, _, err = asked.call(run, column, asked.drop)
        assert (code, err) == (0, "mechdesign: a.csv, age: 2 rows are left out: their answers are missing."), kind
        assert asked.labels() == labels
        code, _, err = asked.call(run, column, asked.declare(kind))
        assert (code, err) == (0, ""), kind
        assert asked.labels() == [*labels, "missing"]
        code, _, err = asked.call(run, column, (*asked.declare(kind), *asked.drop))
        assert code == 0 and "2 rows are left out" in err and asked.labels() == labels
        # Another code than is declared is still pointed out.
        code, _, err = asked.call(run, column, asked.declare("99"))
        assert "line 4" in err


@pytest.mark.parametrize("delimiter", DELIMITERS, ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("column", COLUMNS)
def test_sample_reads_them_as_count_does(column, delimiter, run, tmp_path):
    mechanism_with(column, missing=False).save("m.json")
    mechanism_with(column, missing=True).save("with.json")
    for kind in KINDS:
        write(tmp_path / "a.csv", kind, column, delimiter)
        asked = ("a.csv", "--column", "age", "--keep", "id", "-q", "--overwrite", "-o", "r.csv")
        said = (
            f"a.csv line 4, age is {kind.strip() or 'empty'}, but nothing may be missing (2 of 5); give --drop-missing"
        )
        for mechanism in ("m.json", "with.json"):
            code, _, err = run("sample", mechanism, *asked)
            assert code == 2 and said in err, (kind, err)
            code, _, err = run("sample", mechanism, *asked, "--drop-missing")
            assert code == 0 and "2 rows are left out" in err
            assert [row.split(",")[0] for row in (tmp_path / "r.csv").read_text().splitlines()[2:]] == ["0", "1", "3"]
        code, _, err = run("sample", "m.json", *asked, "--missing", kind)
        assert code == 2 and 'no answer "missing"' in err and "--drop-missing" in err
        assert run("sample", "with.json", *asked, "--missing", kind)[::2] == (0, "")
        assert len((tmp_path / "r.csv").read_text().splitlines()) == 7


def test_the_whole_file_is_counted_however_it_is_read(run, tmp_path, monkeypatch):
    monkeypatch.setattr("mechdesign.cli.report_files.BATCH", 2)
    mechanism_with("texts", missing=False).save("m.json")
    write(tmp_path / "a.csv", "NA", "texts", ",")
    code, _, err = run("sample", "m.json", "a.csv", "--column", "age", "-o", "r.csv")
    assert code == 2 and "line 4, age is NA, but nothing may be missing (2 of 5)" in err
    assert not (tmp_path / "r.csv").exists()
    code, out, _ = run("sample", "m.json", "a.csv", "--column", "age", "-o", "r.csv", "--drop-missing")
    assert code == 0 and "3 reports written" in out


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("age\n20.5\n33.1\nsome\n41.2\n", ("--bins", "18,50"), r"line 4, age is some, but bins are of numbers"),
        ("id;age\n1;20,5\n2;30,5\n", ("--bins", "18,50"), r"line 2, age is 20,5, .*write 20.5, with a decimal point"),
        ("id;age\n1;20,5\n2;30,5\n", (), r"20,5 \(line 2\) is taken as a text: if it is a number, write 20.5"),
        ("age\n1\n2\n3\nsome\n", (), r'1 of 4 answers are no numbers, such as "some" \(line 5\)'),
        ("age\nmissing\nNA\n", ("--missing", "NA"), r'1 answers are that text; declare "missing" as missing too'),
        ("age\nNA\n\n", ("--drop-missing",), "records is empty"),
    ],
)
def test_the_culprit_is_blamed(text, more, said, run, tmp_path):
    (tmp_path / "a.csv").write_text(text)
    _, _, err = run("count", "a.csv", "--column", "age", *more)
    assert re.search(said, err), err


def test_a_code_is_a_number_too(run, tmp_path):
    (tmp_path / "a.csv").write_text("age\n20\n-9.0\n31\n-9\n")
    code, out, _ = run("count", "a.csv", "--column", "age", "--missing", "-9")
    assert code == 0 and re.search(r"missing +2 ", out)


@pytest.mark.parametrize(
    ("text", "column", "labels"),
    [
        ("rating;scale\n1\n2\n", "rating;scale", ["1", "2"]),
        ("rating;scale\n1;2\n2;3\n", "rating;scale", ["1;2", "2;3"]),
        ("id,likes\n1,a;b\n2,c;d\n", "likes", ["a;b", "c;d"]),
        ("id;likes\n1;a,b\n2;c,d\n", "likes", ["a,b", "c,d"]),
        ('id;likes\n1;"a;b"\n2;"c\nd"\n', "likes", ["a;b", "c\nd"]),
        ("likes\na;b\nc\td\n", "likes", ["a;b", "c\td"]),
        ('"a;b",x\nyes,1\nno,2\n', "a;b", ["no", "yes"]),
        ("a,b;c\nu,v;w\nx,y;z\n", "b;c", ["v;w", "y;z"]),
        ("\ufeffid\tage\r\n1\t20\r\n2\t31\r\n", "age", ["20", "31"]),
    ],
)
def test_delimiters_are_recognised_and_one_column_is_not_cut(text, column, labels, run, tmp_path):
    (tmp_path / "a.csv").write_text(text, newline="")
    assert run("count", "a.csv", "--column", column, "-o", "c.csv")[::2] == (0, "")
    assert Count.labels() == labels


def test_a_row_of_another_length_is_refused_in_a_file_of_semicolons(run, tmp_path):
    (tmp_path / "a.csv").write_text("id;age\n1;20\n2;31;4\n")
    code, _, err = run("count", "a.csv", "--column", "age")
    assert code == 2 and "a.csv line 3 is of 3 cells, but the header has 2 columns" in err


@pytest.mark.parametrize("delimiter", DELIMITERS, ids=["comma", "semicolon", "tab"])
def test_a_matrix_may_be_separated_otherwise(delimiter, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("3/4,1/4\n0.1,9e-1\n".replace(",", delimiter))
    assert read_matrix(path) == Carried([["3/4", "1/4"], ["0.1", "9e-1"]])
    path.write_text("0,5;0,5\n0,1;0,9\n")
    with pytest.raises(md.DomainError, match=r"line 1, column 1 is 0,5, .*write 0.5, with a decimal point"):
        read_matrix(path)


def test_a_pandas_column_with_a_missing_number_matches_its_labels(run, tmp_path):
    mechanism = md.baselines.randomised_response(md.Problem.from_records([55, 56]), 1.0)
    mechanism.save("m.json")
    (tmp_path / "a.csv").write_text("age\n55.0\n56.0\n")
    assert run("sample", "m.json", "a.csv", "--column", "age", "-o", "r.csv")[0] == 0
    assert run("count", "a.csv", "--column", "age", "-o", "c.csv")[0] == 0
    assert Count.labels() == ["55", "56"]


COUNTS = '[problem]\ndata = "n.csv"\nlabel = "a"\ncount = "n"\n'


@pytest.mark.parametrize(
    ("table", "more", "prior", "said"),
    [
        ("a,n\nx,1\ny,2\nx,1\n", "", [0.5, 0.5], 'lines 2 and 4 have the label "x": counts are added up'),
        ("a;n\nx;1\ny;3\n", "", [0.25, 0.75], ""),
        ("a,n\nx,0\ny,2\nx,2\n", "", [0.5, 0.5], "counts are added up"),
        ("a,n\nx,0\ny,2\n", "smoothing = 1\n", [0.25, 0.75], ""),
        ("a,n\nx,0\ny,2\n", "", None, "line 2, n is 0, .*drop the symbol's row, or add smoothing = 0.5"),
        ("a;n\nx;1,5\ny;2\n", "", None, "line 2, n is 1,5, .*write 1.5, with a decimal point"),
    ],
)
def test_tables_of_counts(table, more, prior, said, run, tmp_path):
    (tmp_path / "n.csv").write_text(table)
    (tmp_path / "q.toml").write_text(COUNTS + more + QUESTION.split("{more}\n")[1])
    code, _, err = run("design", "q.toml", "-q", "--output", "d.json")
    assert code == (2 if prior is None else 0) and re.search(said, err), err
    assert bool(err) == bool(said)
    if prior:
        assert md.load("d.json").inputs.prior == pytest.approx(prior)


def test_weights_and_regions_are_no_people(run, tmp_path):
    mechanism_with("texts", missing=False).save("m.json")
    rows = "1,2.5,n,yes\n2,2.5,n,no\n3,2.5,n,yes\n3,2.5,s,no\n"
    (tmp_path / "a.csv").write_text(f"wave,weight,region,age\n{rows}")
    (tmp_path / "b.csv").write_text(f"id,weight,region,age\n{rows}")
    kept = ("--column", "age", "-q", "--keep", "weight", "--keep", "region", "-o")
    assert run("sample", "m.json", "a.csv", *kept, "r.csv")[::2] == (0, "")
    for more in ((), ("--keep", "id")):
        code, _, err = run("sample", "m.json", "b.csv", *kept, f"s{len(more)}.csv", *more)
        assert code == 0 and "1 row has the same id as a row before" in err
