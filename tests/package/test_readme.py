"""What the documents promise: their code runs, their commands are those of CI, their output is the command's."""

import math
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import mechdesign_check
from mechdesign import cli
from mechdesign.cli import commands
from mechdesign.objectives import Objective
from mechdesign.question.members_by_name import members
from mechdesign.solve.choose import ROUTES
from mechdesign.theorems import recorded

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
#: The words of the first command, behind its name.
FIRST = ["quickstart", "examples/adult-people.csv", "--column", "occupation", "--epsilon", "1", "--missing", "?"]


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "REFEREE.md"])
def test_python_blocks_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = blocks((ROOT / name).read_text(encoding="utf-8"), "python")
    assert code
    # One namespace for the document: a reader goes from top to bottom.
    space = {"__name__": "document"}
    for block in code:
        exec(compile(block, name, "exec"), space)


def test_the_two_commands_are_those_of_ci():
    lines = blocks(README, "sh")[0].splitlines()
    assert lines == [
        f"python -m pip install . && mechdesign {shlex.join(FIRST).replace(chr(39), chr(34))}",
        "python -m pip install -c .ci/lock.txt '.[test]' && python -m pytest",
    ]
    run = subprocess.run(["bash", str(ROOT / ".ci" / "run"), "--commands"], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == lines


def test_ci_fails_where_the_readme_lost_a_command(tmp_path):
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "run"
    for name in ("run", "steps.sh"):
        (tmp_path / ".ci" / name).write_text((ROOT / ".ci" / name).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "README.md").write_text(README.replace("python -m pip install . &&", ""), encoding="utf-8")
    run = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "1 commands" in run.stderr


def test_printed_output_is_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copytree(ROOT / "examples", "examples")
    with pytest.raises(SystemExit) as left:
        cli.main(FIRST)
    assert left.value.code == 0
    printed = [section(text) for text in re.split(r"\n\s*\n", capsys.readouterr().out)]
    for text in re.split(r"\n\s*\n", blocks(README, "text")[0]):
        promised = section(text)
        assert any(same(promised, found[: len(promised)]) for found in printed), text


def test_the_first_example_needs_no_explanation():
    first = blocks(README, "text")[0]
    assert "LDP" in first and not re.search(r"\b(inf|nan|LIP)\b", first)
    assert 13 <= int(re.search(r"one of (\d+) values", first)[1]) <= 16
    assert float(re.search(r"k-ary randomised response .* (\S+) %", first)[1]) >= 39


def section(text):
    return text.split()


def same(promised, found):
    """Equal words, and numbers within what a solver may leave open; gaps need only be below what was asked."""
    return len(promised) == len(found) and all(
        a == b or (number(a) and number(b) and (close(float(a), float(b)) or max(float(a), float(b)) < 1e-6))
        for a, b in zip(promised, found, strict=True)
    )


def close(a, b):
    return math.isclose(a, b, rel_tol=3e-6)


def number(word):
    return re.fullmatch(r"\d+(\.\d+)?(e-\d+)?", word) is not None


@pytest.mark.parametrize(
    ("promised", "found", "verdict"),
    [
        ("gap 4.1e-08 relative", "gap 9e-09 relative", True),
        ("value 4.539020", "value 4.539021", True),
        ("value 4.539020", "value 4.539120", False),
        ("gap 4.1e-08", "gap 4.1e-06", False),
        ("16 values", "15 values", False),
        ("gain 31.3", "no gain", False),
    ],
)
def test_what_counts_as_the_same_output(promised, found, verdict):
    assert same(section(promised), section(found)) == verdict


def test_every_command_of_the_readme_runs_in_its_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    lines = [line for language in ("sh", "text") for text in blocks(README, language) for line in text.splitlines()]
    commands = [line.split("mechdesign ", 1)[1] for line in lines if re.search(r"(^|&& )mechdesign ", line)]
    assert [line.split()[0] for line in commands] == ["quickstart", "design", "sample", "estimate"]
    for line in commands:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main(shlex.split(line))
        assert ended.value.code == 0, line
    answers = Path("examples/survey-answers.csv").read_text(encoding="utf-8").split()[1:]
    reports = [
        line for line in Path("reports.csv").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    assert len(reports) - 1 == len(answers) == 2000
    assert "2000 reports, method likelihood" in capsys.readouterr().out


def test_it_is_short():
    lines = README.splitlines()
    assert len(lines) <= 150
    assert max(map(len, lines)) <= 120


def test_what_it_names_is_shipped():
    linked = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(r"\b(?:examples|docs)/[\w./-]+\w", README)
    assert "examples/survey.toml" in linked and "docs/reference/commands.md" in linked
    assert [path for path in linked if not (ROOT / path).is_file()] == []


def test_what_the_objectives_are_called():
    asked = README.split("| You want back")[1].split("\n\n")[0]
    names = set(re.findall(r"`(\w+)", asked))
    assert len(names) >= 10 and names <= set(members(Objective))


def test_routes_are_all_named_or_none():
    said = [name for name in ROUTES if re.search(rf"[`\"]{name}[`\"]", README)]
    assert said in ([], sorted(ROUTES))


def test_every_command_has_a_line_on_its_page():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`mechdesign ([a-z]+)", page))
    assert named == set(commands.VERBS)


def test_the_referees_table_is_what_is_recorded():
    text = (ROOT / "REFEREE.md").read_text(encoding="utf-8")
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    verdicts = [name if name != "narrower condition" else "holds under a narrower condition" for name in lines[0][1:]]
    rows = recorded()
    for paper, *counts in lines[1:]:
        mine = [row.verdict for key, row in rows.items() if paper in ("all", key.split("/")[0])]
        assert counts == [str(mine.count(verdict)) for verdict in verdicts], paper
    assert {line[0] for line in lines[1:]} == {"all", *(key.split("/")[0] for key in rows)}


def test_the_survey_of_the_tutorial_is_designed_sampled_and_estimated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (question,) = blocks((ROOT / "docs" / "tutorials" / "survey.md").read_text(encoding="utf-8"), "toml")
    Path("survey.toml").write_text(question, encoding="utf-8")
    table = (ROOT / "examples" / "adult-education.csv").read_text(encoding="utf-8")
    Path("adult-education.csv").write_text(table, encoding="utf-8")
    Path("answers.csv").write_text("id,education\n" + "".join(f"{k},HS-grad\n" for k in range(50)), encoding="utf-8")
    (commands,) = blocks((ROOT / "docs" / "tutorials" / "survey.md").read_text(encoding="utf-8"), "sh")
    for line in commands.strip().splitlines():
        with pytest.raises(SystemExit) as ended:
            cli.main(line.split()[1:])
        assert ended.value.code == 0, line
    assert Path("survey.html").is_file()


def test_the_reader_prints_what_is_promised(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", "examples")
    with pytest.raises(SystemExit):
        cli.main(FIRST)
    capsys.readouterr()
    assert mechdesign_check.main(["occupation.mechanism.json"]) == 0
    printed, promised = capsys.readouterr().out, blocks(README, "text")[1]
    assert [re.sub(r"[\d.e-]+", "#", line) for line in printed.split()] == [
        re.sub(r"[\d.e-]+", "#", line) for line in promised.split()
    ]
    assert same(section(re.sub("[;),]", " ", promised)), section(re.sub("[;),]", " ", printed)))
