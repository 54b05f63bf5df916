"""`mechdesign estimate` with weights, strata, clusters and groups: the numbers of Python, and every refusal."""

import csv
import json

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import commands

pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder, and return its exit code, output and complaints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def ran(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            commands.main(list(arguments))
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return ran


@pytest.fixture
def survey(tmp_path):
    """Write a mechanism and reports of 600 people with weights, regions, schools and sexes; return what is in them."""
    made = md.design(md.Problem(labels=["never", "often"]), md.LDP(1.5), md.InformationDesign("A")).mechanism
    made.save(tmp_path / "m.json")
    rng = np.random.default_rng(1)
    region = rng.choice(["north", "south"], 600)
    school = rng.integers(0, 12, 600)
    sex = rng.choice(["f", "m"], 600)
    reports = made.simulate(np.where(np.arange(600) % 3 > 0, "often", "never"), seed=2)
    rows = [f"{1 + k % 4},{region[k]},{school[k]},{sex[k]},{reports[k]}" for k in range(600)]
    checksum = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["checksum"]
    lines = [f"# mechdesign reports {checksum}", "weight,region,school,sex,report", *rows, ""]
    (tmp_path / "r.csv").write_text("\n".join(lines), encoding="utf-8")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        file.readline()
        rows = list(csv.DictReader(file))
    return made, {name: [row[name] for row in rows] for name in rows[0]}


def told(columns):
    """Return the arguments of an estimate from the columns of the file."""
    return {
        "weights": list(map(float, columns["weight"])),
        "strata": columns["region"],
        "clusters": columns["school"],
    }


OPTIONS = ("--weights", "weight", "--strata", "region", "--clusters", "school")


def test_strata_and_clusters(run, survey, tmp_path):
    made, columns = survey
    found = made.estimate(list(map(int, columns["report"])), **told(columns))
    code, out, _ = run("estimate", "m.json", "r.csv", *OPTIONS, "--json", "--population", "9000")
    data = json.loads(out)
    assert code == 0 and data["design"] == "2 strata, 24 clusters" and data["degrees_of_freedom"] == 22
    assert data["frequencies"] == found.rows() and data["totals"] == found.totals(9000)
    code, out, _ = run("estimate", "m.json", "r.csv", *OPTIONS, "--population", "9000", "--plot", "a.svg")
    assert code == 0 and "2 strata, 24 clusters" in out and "Of 9000 people" in out
    assert (tmp_path / "a.svg").exists()


def test_groups(run, survey, tmp_path):
    made, columns = survey
    reports = list(map(int, columns["report"]))
    found = made.estimate(reports, **told(columns), groups=columns["sex"])
    code, out, _ = run("estimate", "m.json", "r.csv", *OPTIONS, "--by", "sex", "--json", "--output", "a.csv")
    data = json.loads(out)
    assert code == 0 and [part["group"] for part in data["groups"]] == ["f", "m"]
    assert data["groups"][1]["frequencies"] == found["m"].rows()
    table = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["group"] for row in table] == ["f", "f", "m", "m"]
    assert [float(row["low"]) for row in table] == [row["low"] for row in found.rows()]
    alone = made.estimate(reports, groups=columns["sex"])
    code, out, _ = run("estimate", "m.json", "r.csv", "--by", "sex", "--json", "--level", "0.9")
    assert code == 0 and json.loads(out)["groups"][0]["frequencies"] == alone["f"].rows(0.9)
    code, out, _ = run("estimate", "m.json", "r.csv", "--by", "sex")
    assert code == 0 and "600 reports of 2 groups" in out and "Drawn" not in out
    code, out, _ = run("estimate", "m.json", "r.csv", "--by", "sex", *OPTIONS)
    assert (
        code == 0 and "600 weighted reports of 2 groups" in out and out.count("Drawn from 2 strata, 24 clusters") == 1
    )


def test_two_groups_are_compared(run, survey, tmp_path):
    made, columns = survey
    found = made.estimate(list(map(int, columns["report"])), **told(columns), groups=columns["sex"]).difference(
        "m", "f"
    )
    asked = ("estimate", "m.json", "r.csv", *OPTIONS, "--by", "sex", "--difference")
    code, out, _ = run(*asked, "m", "f", "--level", "0.9", "--json", "-o", "a.csv")
    data = json.loads(out)
    assert code == 0 and data["differences"] == found.rows(0.9) and data["level"] == 0.9
    table = list(csv.DictReader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()))
    assert [float(row["difference"]) for row in table] == found.frequencies.tolist()
    code, out, _ = run(*asked, "m", "f", "--level", "0.9")
    assert code == 0 and "90 % from" in out and "reports against" in out
    assert "use one of f, m" in " ".join(run(*asked, "m", "x")[2].split())
    assert "it is the first group, too" in " ".join(run(*asked, "m", "m")[2].split())
    code, _, err = run("estimate", "m.json", "r.csv", "--difference", "m", "f")
    assert code == 2 and "name their column with --by" in " ".join(err.split())


def test_the_table_is_written_as_its_name_says(run, survey, tmp_path):
    made, columns = survey
    found = made.estimate(list(map(int, columns["report"])), **told(columns), groups=columns["sex"])
    for name in ("a.html", "a.tex", "A.TEX"):
        assert run("estimate", "m.json", "r.csv", *OPTIONS, "--by", "sex", "--output", name)[0] == 0
        right = found.save(tmp_path / f"right.{name[-4:].strip('.').lower()}").read_text(encoding="utf-8")
        assert (tmp_path / name).read_text(encoding="utf-8") == right
    # It is replaced by one like it; what is no table is not.
    assert run("estimate", "m.json", "r.csv", *OPTIONS, "--by", "sex", "--output", "a.tex")[0] == 0
    (tmp_path / "mine.tex").write_text("My thesis.", encoding="utf-8")
    code, _, err = run("estimate", "m.json", "r.csv", "--output", "mine.tex")
    assert code == 2 and "which would be lost" in " ".join(err.split())
    assert (tmp_path / "mine.tex").read_text(encoding="utf-8") == "My thesis."


def test_people_with_each_answer_without_a_survey(run, survey):
    made, columns = survey
    found = made.estimate(list(map(int, columns["report"])))
    code, out, _ = run("estimate", "m.json", "r.csv", "--population", "9000", "--json")
    assert code == 0 and json.loads(out)["totals"] == found.totals(9000)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--strata", "province"), 'no column "province"'),
        (("--by", "sex", "--population", "9000"), "each group is another population"),
        (("--by", "sex", "--plot", "a.svg"), "a picture is of one estimate"),
        (("--population", "10"), "at least the 600 reports"),
    ],
)
def test_it_is_refused(run, survey, options, words):
    code, _, err = run("estimate", "m.json", "r.csv", *options)
    assert code == 2 and words in " ".join(err.split())


def test_an_empty_label_and_a_stratum_of_one(run, survey, tmp_path):
    start = (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()[0]
    (tmp_path / "r.csv").write_text(f"{start}\nregion,report\nnorth,0\n,1\n", encoding="utf-8")
    code, _, err = run("estimate", "m.json", "r.csv", "--strata", "region")
    assert code == 2 and "r.csv line 4, region is empty" in " ".join(err.split())
    (tmp_path / "r.csv").write_text(f"{start}\nregion,report\nnorth,0\nnorth,0\nsouth,1\n", encoding="utf-8")
    code, _, err = run("estimate", "m.json", "r.csv", "--strata", "region")
    assert code == 2 and "with one report in 'south'" in " ".join(err.split())
