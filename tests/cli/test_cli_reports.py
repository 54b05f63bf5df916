"""`mechdesign sample` and `mechdesign estimate`: from a column of answers to frequencies, and what goes wrong."""

import csv
import json
import re
import tracemalloc

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import commands, report_files
from mechdesign.estimation import sampling

SURVEY = md.Problem(prior=[0.5, 0.3, 0.2], labels=["no", "rarely", "often"], values=[0, 1, 2])


@pytest.fixture(scope="module")
def mechanisms():
    return {
        "survey": md.design(SURVEY, md.LDP(2.0), md.InformationDesign("A")).mechanism,
        "other": md.design(SURVEY, md.LDP(1.0), md.InformationDesign("A")).mechanism,
        "blind": md.design(SURVEY, md.LDP(0.5), md.MMSE()).mechanism,
    }


@pytest.fixture
def run(capsys, monkeypatch, tmp_path, mechanisms):
    """Run the command in a folder with mechanisms and answers, and return its exit code, output and complaints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, mechanism in mechanisms.items():
        mechanism.save(f"{name}.json")

    def ran(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            commands.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return ran


def answers(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "smokes", "town"], *rows])
    return path


@pytest.fixture
def people(tmp_path, rng):
    drawn = rng.choice(SURVEY.labels, 20_000, p=[0.2, 0.3, 0.5])
    return answers(tmp_path / "people.csv", [(k, answer, " Bern, CH") for k, answer in enumerate(drawn)])


def test_answers_go_in_and_frequencies_come_out(run, people, tmp_path):
    code, out, err = run("sample", "survey.json", people, "--column", "smokes", "--keep", "id", "-o", "reports.csv")
    assert (code, err) == (0, "") and "20000 reports" in out and "several reports of one person" in out
    first, header, *rows = (tmp_path / "reports.csv").read_text(encoding="utf-8").splitlines()
    assert first == "# mechdesign reports " + json.loads((tmp_path / "survey.json").read_text())["checksum"]
    assert header == "id,report" and len(rows) == 20_000 and rows[7].startswith("7,")
    assert "often" not in "".join(rows)
    code, out, err = run("estimate", "survey.json", "reports.csv", "--output", "shares.csv")
    assert (code, err) == (0, "") and "often" in out and "Private: that value" in out and "mean" in out
    with (tmp_path / "shares.csv").open(encoding="utf-8") as file:
        table = {row["label"]: row for row in csv.DictReader(file)}
    for label, share in zip(SURVEY.labels, (0.2, 0.3, 0.5), strict=True):
        assert float(table[label]["low"]) - 0.02 < share < float(table[label]["high"]) + 0.02
    code, out, _ = run("estimate", "survey.json", "reports.csv", "--json", "--method", "unbiased", "--level", "0.9")
    told = json.loads(out)
    assert code == 0 and told["reports"] == 20_000 and told["level"] == 0.9
    assert sum(row["estimate"] for row in told["frequencies"]) == pytest.approx(1)
    assert told["mean"]["low"] < told["mean"]["estimate"] < told["mean"]["high"]


def test_kept_columns_stay_as_they_are_and_the_answer_never_does(run, people, tmp_path):
    base = ("sample", "survey.json", people, "--column", "smokes", "-o", "r.csv")
    assert run(*base, "--keep", "town", "--keep", "id")[::2] == (0, "")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[1] == ["town", "id", "report"] and rows[2][:2] == [" Bern, CH", "0"]
    code, _, err = run(*base, "--overwrite", "--keep", "smokes")
    assert code == 2 and "may not stand beside the report" in err


def test_a_survey_that_cannot_be_answered_ends_with_1(run, people):
    assert run("sample", "blind.json", people, "--column", "smokes", "-o", "r.csv")[0] == 0
    code, out, _ = run("estimate", "blind.json", "r.csv")
    assert code == 1 and "rank 2 for 3 inputs" in out and "InformationDesign" in out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("smokes\nno\nOften\n", 'records.csv line 3, smokes is Often.*did you mean "often"'),
        ("smokes\nno\n\nx\ny\n", "line 4, smokes is x.*1 rows soon after"),
        ("smokes,id\nno,1\n,2\n", "line 3, smokes is empty"),
        ("smokes,id\nno\n", "line 2 is of 1 cells.*2 columns"),
        ("Smokes\nno\n", 'no column "smokes".*did you mean "Smokes"'),
        ("smokes,smokes\nno,no\n", '2 columns are called "smokes"'),
        ("", "records.csv is empty"),
        ('smokes\n"no\n', "line 2 is broken"),
    ],
)
def test_wrong_records_leave_no_file(run, tmp_path, text, told):
    (tmp_path / "records.csv").write_text(text, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    code, _, err = run("sample", "survey.json", "records.csv", "--column", "smokes", "-o", "out.csv")
    assert code == 2
    assert re.search(told, err.replace("\n", " ")), err
    assert sorted(tmp_path.iterdir()) == before


def test_a_system_without_randomness_leaves_no_file(run, people, tmp_path, monkeypatch):
    calls = []

    def fails_late(wanted):
        calls.append(wanted)
        return bytes(wanted if len(calls) < 2 else wanted - 1)

    monkeypatch.setattr(sampling.os, "urandom", fails_late)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SystemExit) as left:
        commands.main(["sample", "survey.json", str(people), "--column", "smokes", "-o", "out.csv"])
    assert left.value.code == 2 and len(calls) == 2 and sorted(tmp_path.iterdir()) == before


def test_an_interruption_leaves_no_file(run, people, tmp_path, monkeypatch):
    def interrupted(*given, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(md.Mechanism, "sample", interrupted)
    before = sorted(tmp_path.iterdir())
    code, _, err = run("sample", "survey.json", people, "--column", "smokes", "-o", "out.csv")
    assert code == 130 and "nothing was written" in err and sorted(tmp_path.iterdir()) == before


def test_nothing_else_is_written_over(run, people, tmp_path):
    base = ("sample", "survey.json", people, "--column", "smokes", "-o")
    for target in (people, "survey.json", tmp_path):
        code, _, err = run(*base, target)
        assert code == 2 and ("would be lost" in err or "folder" in err or "promises JSON" in err)
    assert run(*base, "none/r.csv")[0] == 2
    assert run(*base, "r.csv")[0] == 0
    code, _, err = run("estimate", "survey.json", "r.csv", "--output", people)
    assert code == 2 and "would be lost" in err
    mine = tmp_path / "mine.csv"
    mine.write_text("label,estimate,low,high,mine\nno,1,2,3,4\n", encoding="utf-8")
    code, _, err = run("estimate", "survey.json", "r.csv", "--output", mine)
    assert code == 2 and "would be lost" in err and mine.read_text(encoding="utf-8").endswith("4\n")
    assert [run("estimate", "survey.json", "r.csv", "--output", "own.csv")[0] for _ in range(2)] == [0, 0]


def test_reports_are_drawn_again_only_where_that_is_asked_for(run, people, tmp_path):
    base = ("sample", "survey.json", people, "--column", "smokes", "-o", "r.csv")
    assert run(*base)[0] == 0
    kept = (tmp_path / "r.csv").read_bytes()
    code, _, err = run(*base)
    assert code == 2 and "reports of these answers are kept" in err and "--overwrite" in err
    assert (tmp_path / "r.csv").read_bytes() == kept
    assert run(*base, "--overwrite")[0] == 0
    assert (tmp_path / "r.csv").read_bytes() != kept
    before = people.read_bytes()
    assert run(*base[:-1], people, "--overwrite")[0] == 2 and people.read_bytes() == before


def test_a_person_who_is_there_twice_is_pointed_out(run, tmp_path):
    records = answers(tmp_path / "few.csv", [(name, "no", "x") for name in "abacab"])
    base = ("sample", "survey.json", records, "--column", "smokes", "-q", "-o")
    code, _, err = run(*base, "r.csv", "--keep", "id")
    assert code == 0 and "3 rows have the same id as a row before" in err
    # Who is there twice reveals more whether or not the report says who it is of.
    code, _, err = run(*base, "none-kept.csv")
    assert code == 0 and "3 rows have the same id as a row before" in err
    code, out, err = run("estimate", "survey.json", "r.csv")
    assert (
        code == 0 and "frequency" in out and "3 reports have the same id as a report before" in err.replace("\n", " ")
    )
    assert "keep one report of each" in err.replace("\n", " ")
    assert run("estimate", "survey.json", "none-kept.csv")[::2] == (0, "")


def test_people_who_share_a_town_are_not_one_person(run, tmp_path):
    records = answers(tmp_path / "few.csv", [(k, "no", "Bern") for k in range(6)])
    base = ("sample", "survey.json", records, "--column", "smokes", "-o")
    assert run(*base, "r.csv", "--keep", "id", "--keep", "town")[::2] == (0, "")
    assert run("estimate", "survey.json", "r.csv")[::2] == (0, "")


def test_kept_cells_are_no_formulas(run, tmp_path):
    cells = ["=1+1", "@SUM(A1)", "-5", "+1.5e3", "-5+cmd", "'quoted", "plain"]
    records = answers(tmp_path / "few.csv", [(cell, "no", "x") for cell in cells])
    assert run("sample", "survey.json", records, "--column", "smokes", "--keep", "id", "-o", "r.csv")[0] == 0
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        kept = [row[0] for row in csv.reader(file)][2:]
    assert kept == ["'=1+1", "'@SUM(A1)", "-5", "+1.5e3", "'-5+cmd", "''quoted", "plain"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text[:-1], "cut in the middle"),
        (lambda text: text[: text.index("report\n") + 5], "cut in the middle"),
        (lambda text: text.replace("sha256:", "sha256:0", 1), "line 1 is sha256:0.*this mechanism's checksum"),
        (lambda text: text.split("\n", 1)[1], "first line has to start with"),
        (lambda text: text + "77\n", "report is 77.*numbered from 0 to"),
        (lambda text: text + "-1\n", "report is -1"),
        (lambda text: text + "1.0\n", "report is 1.0"),
        (lambda text: text + "1,2\n", "of 2 cells"),
        (lambda text: "\n".join(text.split("\n")[:2]) + "\n", "without reports"),
        (lambda text: text.replace("report\n", "rep\n", 1), 'no column "report"'),
        (lambda text: "", "first line"),
    ],
)
def test_wrong_reports_are_refused(run, tmp_path, change, told):
    records = answers(tmp_path / "few.csv", [(k, "no", "x") for k in range(40)])
    assert run("sample", "survey.json", records, "--column", "smokes", "-o", "r.csv")[0] == 0
    path = tmp_path / "r.csv"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    code, out, err = run("estimate", "survey.json", "r.csv", "--output", "shares.csv")
    assert (code, out) == (2, "") and re.search(told, err.replace("\n", " ")), err
    assert not (tmp_path / "shares.csv").exists()


def test_reports_of_another_mechanism_are_refused(run, people):
    assert run("sample", "other.json", people, "--column", "smokes", "-o", "r.csv")[0] == 0
    code, _, err = run("estimate", "survey.json", "r.csv")
    assert code == 2 and "mechanism that drew the reports" in err


def test_memory_does_not_grow_with_the_rows(mechanisms, tmp_path, monkeypatch):
    monkeypatch.setattr(report_files, "BATCH", 1000)
    peaks = []
    for rows in (5_000, 50_000):
        records = answers(tmp_path / "many.csv", ((k, "no", "x") for k in range(rows)))
        tracemalloc.start()
        mechanism = mechanisms["survey"]
        written = report_files.sample_file(mechanism, "c", records, "smokes", ["id"], tmp_path / "r.csv")
        assert (written.reports, written.people.rows) == (rows, 0)
        assert report_files.counted_file(mechanism, "c", tmp_path / "r.csv").counts.sum() == rows
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # A few bytes for each row say whether it was there before; a row itself takes hundreds.
    assert peaks[1] < 1.3 * peaks[0] + 50_000 + 24 * 45_000


def test_indices_are_answers_where_there_are_no_labels(run, tmp_path):
    bare = md.design(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.InformationDesign("A")).mechanism
    bare.save("bare.json")
    records = answers(tmp_path / "few.csv", [(k, k % 2, "x") for k in range(40)])
    assert run("sample", "bare.json", records, "--column", "smokes", "-o", "r.csv")[0] == 0
    code, out, _ = run("estimate", "bare.json", "r.csv", "--json")
    assert code == 0 and np.isclose(sum(row["estimate"] for row in json.loads(out)["frequencies"]), 1)


@pytest.mark.parametrize("command", ["estimate", "report", "sample", "audit"])
@pytest.mark.parametrize(
    "text",
    [
        "[problem]\nprior = [0.5, 0.5]\n",
        "# mechdesign reports sha256:0\nreport\n1\n",
        "{}",
        "[1, 2]",
        '{"a": 1',
        "\xff",
    ],
)
def test_a_file_of_another_kind_is_bad_input(command, text, run, tmp_path):
    (tmp_path / "other.json").write_bytes(text.encode("latin-1"))
    (tmp_path / "r.csv").write_text("smokes\nno\n", encoding="utf-8")
    rest = {
        "estimate": ["r.csv"],
        "report": ["-o", "a.html"],
        "sample": ["r.csv", "--column", "smokes", "-o", "out.csv"],
        "audit": [],
    }
    code, _, err = run(command, "other.json", *rest[command])
    assert code == 2 and "is no mechanism file" in err and "mechdesign design writes one" in err
    assert run(command, "missing.json", *rest[command])[0] == 2


def test_reports_that_are_no_text_are_said_with_their_byte(run, tmp_path):
    (tmp_path / "r.csv").write_bytes(b"\x94\x80abc\n")
    code, _, err = run("estimate", "survey.json", "r.csv")
    assert code == 2 and "r.csv is not UTF-8 at byte 0" in err


def test_a_cut_mechanism_file_is_no_bad_input(run, tmp_path):
    whole = (tmp_path / "survey.json").read_text(encoding="utf-8")
    for end in (0, 1, 20, 40, len(whole) // 2, len(whole) - 3):
        (tmp_path / "cut.json").write_text(whole[:end], encoding="utf-8")
        code, _, err = run("report", "cut.json", "-o", "a.html")
        assert code == 1 and "is no mechanism file, or a cut one (line" in err


@pytest.fixture
def weighted_reports(run, tmp_path):
    """Write reports of 600 people with a weight each, and return the numbers and weights in the file."""
    lines = [f"{('no', 'often', 'rarely')[k % 3]},{1 + k % 4}" for k in range(600)]
    (tmp_path / "heavy.csv").write_text("smokes,weight\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert run("sample", "survey.json", "heavy.csv", "--column", "smokes", "--keep", "weight", "-o", "h.csv")[0] == 0
    rows = [line.split(",") for line in (tmp_path / "h.csv").read_text(encoding="utf-8").splitlines()[2:]]
    return [int(report) for _, report in rows], [float(weight) for weight, _ in rows]


def test_weights_of_a_kept_column(run, mechanisms, tmp_path, weighted_reports):
    mechanism = md.load(tmp_path / "survey.json")
    found = mechanism.estimate(weighted_reports[0], weights=weighted_reports[1])
    code, out, _ = run("estimate", "survey.json", "h.csv", "--weights", "weight", "--output", "shares.csv")
    assert code == 0 and "600 weighted reports" in out and "design effect 1.2" in out
    table = list(csv.DictReader((tmp_path / "shares.csv").read_text(encoding="utf-8").splitlines()))
    assert [float(row["estimate"]) for row in table] == found.frequencies.tolist()
    code, out, _ = run("estimate", "survey.json", "h.csv", "--weights", "weight", "--json", "--level", "0.9")
    data = json.loads(out)
    assert code == 0 and data["design_effect"] == found.design_effect
    assert [row["low"] for row in data["frequencies"]] == found.interval(0.9)[:, 0].tolist()


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("weight,report\n1,0\n-2,1\n", "weight", "line 4, weight is -2.*at least 0"),
        ("weight,report\n1,0\nmuch,1\n", "weight", "line 4, weight is much"),
        ("weight,report\n1,0\n,1\n", "weight", "line 4, weight is empty"),
        ("weight,report\n1,0\n1e999,1\n", "weight", "line 4, weight is 1e999"),
        ("weight,report\n1,0\n1,99\n", "weight", "line 4, report is 99"),
        ("weight,report\n0,0\n0,1\n", "weight", "weights is all zero"),
        ("weight,report\n1,0\n", "heavy", 'no column "heavy"'),
        ("weight,report\n", "weight", "without reports"),
    ],
)
def test_wrong_weights_are_refused(run, tmp_path, text, column, told):
    checksum = json.loads((tmp_path / "survey.json").read_text(encoding="utf-8"))["checksum"]
    (tmp_path / "h.csv").write_text(f"# mechdesign reports {checksum}\n{text}", encoding="utf-8")
    code, _, err = run("estimate", "survey.json", "h.csv", "--weights", column)
    assert code == 2 and re.search(told, err.replace("\n", " ")), err


def test_weighted_estimates_have_a_picture(run, weighted_reports, tmp_path):
    assert run("estimate", "survey.json", "h.csv", "--weights", "weight", "--plot", "a.png")[0] == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
