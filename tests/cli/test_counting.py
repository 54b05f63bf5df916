"""`mechdesign count`, and question files that name a column of answers."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli.commands import cli
from mechdesign.cli.question_file import read_question

ANSWERS = "age,job\n19,clerk\n40,clerk\n43,nurse\n61,nurse\n61,smith\n"
QUESTION = """
[problem]
records = "answers.csv"
column = "{column}"
{more}
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "InformationDesign"
criterion = "A"
"""


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS)
    return path


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=True)


def asked(folder, column="age", more=""):
    path = folder / "question.toml"
    path.write_text(QUESTION.format(column=column, more=more))
    return path


def test_counts_are_a_table_that_question_files_take(answers, tmp_path):
    found = run("count", answers, "--column", "age", "--bins", "18,30,65", "-o", tmp_path / "counts.csv")
    assert found.exit_code == 0 and "These counts are not private" in found.output
    assert (tmp_path / "counts.csv").read_text() == 'label,count,value\n"[18, 30)",1,24.0\n"[30, 65]",4,47.5\n'
    named = tmp_path / "by_counts.toml"
    columns = 'data = "counts.csv"\nlabel = "label"\ncount = "count"\nvalue = "value"'
    named.write_text(asked(tmp_path).read_text().replace('records = "answers.csv"\ncolumn = "age"', columns))
    assert read_question(named).question.problem == md.Problem.from_records([19, 40, 43, 61, 61], bins=[18, 30, 65])


def test_a_question_file_counts_a_column(answers, tmp_path):
    assert read_question(asked(tmp_path)).question.problem == md.Problem.from_records([19, 40, 43, 61, 61])
    jobs = read_question(asked(tmp_path, "job")).question.problem
    assert jobs.labels == ("clerk", "nurse", "smith") and jobs.values is None
    made = read_question(asked(tmp_path, more="bins = [10, 50, 90]\nprior_source = 'all staff'")).question.problem
    assert made.labels == ("[10, 50)", "[50, 90]") and made.prior_source == "all staff"
    valued = read_question(asked(tmp_path, more="bins = [10, 50, 90]\nvalues = [30, 61]")).question.problem
    assert valued.values.tolist() == [30, 61]
    smooth = read_question(asked(tmp_path, more="bins = [10, 15, 90]\nsmoothing = 1")).question.problem
    assert smooth.prior == pytest.approx([1 / 7, 6 / 7])


@pytest.mark.parametrize(
    ("column", "more", "said"),
    [
        ("age", "bins = [18, 60]", r"answers.csv line 5, age is 61.0, but the bins go from 18 to 60"),
        ("age", 'bins = "ten"', r"question.toml line 5, \[problem\] bins is ten"),
        ("age", "bins = [3, 2]", r"question.toml line 5, \[problem\] bins\[1\] is 2.0, but edges rise"),
        ("age", 'bins = 2\nby = "size"', r"question.toml line 6, \[problem\] by is size"),
        ("job", "bins = 2", r"answers.csv line 2, job is clerk, but bins are of numbers"),
        ("wage", "", r'has no column "wage"'),
        ("age", 'count = "n"', "the file of answers already gives it"),
        ("age", "prior = [1.0]", "the file of answers already gives it"),
        ("age", "bins = [10, 15, 90]", "give smoothing=0.5"),
    ],
)
def test_mistakes_name_file_line_and_key(answers, tmp_path, column, more, said):
    with pytest.raises(md.DomainError, match=said):
        read_question(asked(tmp_path, column, more))


def test_keys_of_answers_need_answers(tmp_path):
    path = asked(tmp_path)
    path.write_text(path.read_text().replace('records = "answers.csv"\n', "n = 3\n"))
    with pytest.raises(md.DomainError, match="column is age, but it speaks of a file of answers; add records"):
        read_question(path)
    path.write_text(path.read_text().replace('n = 3\ncolumn = "age"', 'records = "answers.csv"'))
    (tmp_path / "answers.csv").write_text(ANSWERS)
    with pytest.raises(md.DomainError, match="it needs the name of the column"):
        read_question(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age\n19\n\n \n", "line 4, age is blank.*1 of 2"),
        ("age\n19.5\n20\n", "line 2, age is 19.5, but real numbers are no categories"),
        ("age\n", "without rows"),
        ("", "empty"),
    ],
)
def test_broken_answers_are_refused_with_their_line(text, said, tmp_path):
    (tmp_path / "answers.csv").write_text(text)
    found = run("count", tmp_path / "answers.csv", "--column", "age")
    assert found.exit_code != 0 and isinstance(found.exception, md.DomainError)
    assert re.search(said, str(found.exception)), str(found.exception)


def test_many_names_are_warned_of_on_stderr(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("name\n" + "".join(f"person {i}\n" for i in range(1200)))
    found = run("count", path, "--column", "name")
    assert found.exit_code == 0 and "1200 distinct texts" in found.stderr and "and 1180 more" in found.stdout


def test_a_number_is_sampled_into_its_bin_and_its_estimate_printed_as_python_prints_it(answers, tmp_path):
    question = asked(tmp_path, more="bins = [18, 30, 50, 65]")
    mechanism, reports = tmp_path / "m.mechanism.json", tmp_path / "reports.csv"
    assert run("design", question, "--output", mechanism, "-q").exit_code == 0
    assert run("sample", mechanism, answers, "--column", "age", "-o", reports).exit_code == 0
    picture, table = tmp_path / "e.png", tmp_path / "e.csv"
    more = ("--population", 100, "--level", 0.9, "--plot", picture, "--output", table)
    found = run("estimate", mechanism, reports, *more)
    assert found.exit_code == 0 and picture.read_bytes()[1:4] == b"PNG"
    drawn = [int(line) for line in reports.read_text().splitlines()[2:]]
    estimate = md.load(mechanism).estimate(drawn)
    assert f"total of 100 people {estimate.total(100).value:.6g}" in found.output
    assert f"{estimate.rows(0.9)[0]['standard_error']:.6f}" in found.output and "90 % from" in found.output
    assert table.read_text().startswith("label,estimate,standard_error,low,high\n")
    data = json.loads(run("estimate", mechanism, reports, "--json", "--population", 100).output)
    assert data["total"]["estimate"] == pytest.approx(float(estimate.total(100)))
    for more, said in (
        (("--plot", tmp_path / "e.txt"), "name ends in .png, .svg, .pdf, .pgf; rename it"),
        (("--population", 3), "it has to be at least the 5 reports"),
    ):
        wrong = run("estimate", mechanism, reports, *more)
        assert isinstance(wrong.exception, md.DomainError) and said in str(wrong.exception)
    again = run("sample", mechanism, answers, "--column", "age", "-o", reports)
    assert "go on with the reports that are there" in str(again.exception)
    answers.write_text(ANSWERS + "70,smith\n")
    outside = run("sample", mechanism, answers, "--column", "age", "-o", tmp_path / "new.csv")
    assert "answers.csv line 7, age is 70, but the bins go from 18 to 65" in str(outside.exception)
    # Again over its own kind, and never over another.
    assert run("estimate", mechanism, reports, "--plot", picture).exit_code == 0
    (tmp_path / "e.svg").write_text("notes")
    refused = run("estimate", mechanism, reports, "--plot", tmp_path / "e.svg")
    assert isinstance(refused.exception, md.DomainError) and (tmp_path / "e.svg").read_text() == "notes"


def test_answers_without_numbers_have_totals_of_people(answers, tmp_path):
    mechanism, reports = tmp_path / "m.mechanism.json", tmp_path / "reports.csv"
    assert run("design", asked(tmp_path, "job"), "--output", mechanism, "-q").exit_code == 0
    assert run("sample", mechanism, answers, "--column", "job", "-o", reports).exit_code == 0
    found = run("estimate", mechanism, reports, "--population", 1000)
    assert found.exit_code == 0 and "Of 1000 people" in found.output and "mean" not in found.output


def test_answers_that_begin_as_formulas_keep_their_names(tmp_path):
    texts = ["-x", "+y", "@z", "=w", "'v", "'s Gravenhage"]
    (tmp_path / "answers.csv").write_text("job,town\n" + "".join(f"{text},{text}\n" for text in texts))
    assert run("count", tmp_path / "answers.csv", "--column", "job", "-o", tmp_path / "counts.csv").exit_code == 0
    named, mechanism, reports = tmp_path / "by_counts.toml", tmp_path / "m.json", tmp_path / "r.csv"
    columns = 'data = "counts.csv"\nlabel = "label"\ncount = "count"'
    named.write_text(asked(tmp_path).read_text().replace('records = "answers.csv"\ncolumn = "age"', columns))
    assert set(read_question(named).question.problem.labels) == set(texts)
    assert run("design", named, "-o", mechanism, "-q").exit_code == 0
    sampled = run("sample", mechanism, tmp_path / "answers.csv", "--column", "job", "--keep", "town", "-o", reports)
    assert sampled.exit_code == 0
    told = run("estimate", mechanism, reports, "--by", "town", "--json")
    assert told.exit_code == 0 and all(json.dumps(text) in told.output for text in texts)


def test_a_picture_of_another_program_is_not_replaced(answers, tmp_path):
    mechanism, reports, picture = tmp_path / "m.json", tmp_path / "r.csv", tmp_path / "photo.png"
    assert run("design", asked(tmp_path), "-o", mechanism, "-q").exit_code == 0
    assert run("sample", mechanism, answers, "--column", "age", "-o", reports).exit_code == 0
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"a photo" * 100)
    refused = run("estimate", mechanism, reports, "--plot", picture)
    assert isinstance(refused.exception, md.DomainError) and b"a photo" in picture.read_bytes()
    assert run("estimate", mechanism, reports, "--plot", picture, "--overwrite").exit_code == 0
    assert run("estimate", mechanism, reports, "--plot", picture).exit_code == 0
