"""The command: what it prints, what it writes, how it ends."""

import json
import os
import re
import shlex
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import click
import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import commands, designing
from mechdesign.cli.question_file import read_question
from mechdesign.displays.numbers import rounded_up

EXAMPLES = Path(__file__).parents[2] / "examples"
EDUCATION = EXAMPLES / "adult-education.toml"
SURVEY = """\
[problem]
prior = [0.2, 0.3, 0.5]
values = [0, 1, 2]
labels = {labels}
prior_source = "public: made up"

[notion]
name = "LIP"
epsilon = 1.0

[objective]
name = "MMSE"
"""


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder, and return its exit code, output and complaints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def ran(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            commands.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return left.value.code, out, err

    return ran


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.toml"
    path.write_text(SURVEY.format(labels='["no", "rarely", "often"]'), encoding="utf-8")
    return path


def test_design_says_everything(run):
    code, out, err = run("design", EDUCATION, "--why")
    assert (code, err) == (0, "")
    for said in (
        "Each person holds one of 16 values (Preschool, ..., Doctorate)",
        "LIP(epsilon=1)",
        "mean squared error",
        "48842 records",
        "proved: nothing private is better than",
        "Route: columns",
        "not rays: ",
        "not convex: ",
        "not closed_form: jiang_lip Theorem 3",
        "LIP(epsilon=1) holds exactly.",
        "rounded up",
        "relative to the prior: public: education",
        "no privacy",
        "uninformative",
        "k-ary randomised response",
        "NOT PRIVATE: min prior",
        "written to adult-education.mechanism.json (16 inputs, ",
        "gap relative to what is gained",
    ):
        assert said in " ".join(out.split()), said
    mechanism = md.load("adult-education.mechanism.json")
    assert f"value {mechanism.certificate.value!r} " in " ".join(out.split())
    assert md.audit(mechanism).holds


@pytest.mark.parametrize("question", sorted(EDUCATION.parent.glob("*.toml")), ids=lambda path: path.stem)
def test_a_design_fits_a_screen(run, monkeypatch, question):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("design", question, "--output", "made.mechanism.json")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    made = md.load("made.mechanism.json")
    words, shown = " ".join(out.split()), "proved" if made.certificate.proved else "certified in floating point"
    for said in (
        f"value {made.certificate.value!r} ",
        f"{shown}: nothing private is better than {made.certificate.bound!r} (gap ",
        "holds exactly, at epsilon = ",
        "What one would use instead",
        "uninformative",
        "What can be estimated",
        "written to made.mechanism.json",
        "next: mechdesign sample draws reports, report writes a page",
    ):
        assert said in words, said
    titles = [line.split(",")[0] for line in lines if line and not line.startswith(" ")]
    about = ["Optimum", "What one would use instead", "Guarantee", "What can be estimated", "Mechanism"]
    assert titles == ["Question", *about]
    assert "not told" not in out and "of what is gained" not in out
    # Why not the other routes, and forms that are not private, are what --why is for.
    assert "not rays:" not in out and "NOT PRIVATE" not in out and "--why" in out


def test_a_screen_shows_what_the_design_gains(run, survey):
    code, out, err = run("design", survey)
    assert (code, err) == (0, "")
    made = md.load("survey.mechanism.json")
    prior, values = np.array([0.2, 0.3, 0.5]), np.arange(3.0)
    idle = prior @ values**2 - (prior @ values) ** 2
    gained = f"{100.0 * (idle - made.certificate.value) / idle:.1f} %"
    row = next(line for line in out.splitlines() if line.strip().startswith("uninformative"))
    assert gained in row and "yes" in row
    assert "NO" in next(line for line in out.splitlines() if line.strip().startswith("no privacy"))


def test_design_as_json_is_the_file(run, survey):
    code, out, err = run("design", survey, "--json", "--output", "made.mechanism.json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    mechanism = md.load("made.mechanism.json")
    assert told["mechanism_file"] == "made.mechanism.json"
    assert told["value"] == mechanism.certificate.value
    assert told["bound"] == mechanism.certificate.bound <= told["value"]
    assert told["gap"] <= told["gap_asked"] == 1e-6
    assert told["outputs"] == list(mechanism.outputs)
    assert md.Question.from_dict(told["question"]) == mechanism.question
    assert told["audit"]["holds"] is True
    rivals = {rival["name"]: rival for rival in told["rivals"]}
    prior, values = np.array([0.2, 0.3, 0.5]), np.arange(3.0)
    variance = prior @ values**2 - (prior @ values) ** 2
    assert rivals["uninformative"]["value"] == pytest.approx(variance, rel=1e-12)
    assert rivals["no privacy"]["level"] == "inf"
    assert rivals["no privacy"]["value"] == pytest.approx(0.0, abs=1e-12)
    assert told["value"] <= rivals["k-ary randomised response"]["value"]


def test_quiet_prints_nothing_and_writes(run, survey):
    assert run("design", survey, "-q") == (0, "", "")
    assert md.load("survey.mechanism.json").question.problem.labels == ("no", "rarely", "often")


def test_output_section_is_beside_the_question(run, survey, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "asked.toml").write_text(survey.read_text() + "\n[output]\npath = 'made.json'\n")
    assert run("design", folder / "asked.toml", "-q") == (0, "", "")
    assert md.load(folder / "made.json").matrix.shape[0] == 3


@pytest.mark.parametrize("target", ["survey.toml", "notes.txt", "nowhere/made.json", "folder"])
def test_nothing_else_is_overwritten(run, survey, tmp_path, target):
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    before = survey.read_text()
    code, out, err = run("design", survey, "--output", target)
    assert (code, out) == (2, "")
    assert "the mechanism cannot be written there" in err
    assert (survey.read_text(), (tmp_path / "notes.txt").read_text()) == (before, "mine")


def test_a_mechanism_may_be_written_again(run, survey):
    assert run("design", survey, "-q")[0] == 0
    assert run("design", survey, "-q")[0] == 0


def test_a_disk_that_refuses(run, survey, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, err = run("design", survey, "-q")
    assert code == 2
    assert "survey.mechanism.json cannot be written (no space left on device); make room" in err


def test_a_gap_wider_than_asked_is_said(run, survey):
    survey.write_text(survey.read_text() + "\n[solve]\nroute = 'columns'\ngap = 1e-300\n")
    code, out, err = run("design", survey, "--json")
    told = json.loads(out)
    assert code == (1 if told["gap"] > 0 else 0)
    assert ("The certified gap is" in err) == (told["gap"] > 0)


def test_what_falls_short_is_written_and_ends_with_one(run, survey, monkeypatch):
    def design(problem, notion, objective, **keywords):
        warnings.warn("The certified gap is 1e-3, wider than asked.", md.GapWarning, stacklevel=2)
        return md.design(problem, notion, objective, **keywords)

    monkeypatch.setattr(designing, "designed", design)
    code, _, err = run("design", survey, "-q")
    assert code == 1
    assert err == "mechdesign: The certified gap is 1e-3, wider than asked.\n"
    assert md.audit(md.load("survey.mechanism.json")).holds


def test_design_talks_to_stderr_when_json_is_asked(run, survey):
    survey.write_text(survey.read_text() + "\n[solve]\nverbose = true\nsolver_verbose = true\n")
    code, out, err = run("design", survey, "--json")
    assert code == 0
    assert json.loads(out)["value"] > 0
    assert "route" in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (md.SolverError("No solver answered."), 1),
        (md.CertificateError("Not confirmed."), 1),
        (md.InfeasibleError("No mechanism."), 2),
        (md.UnsupportedError("No route."), 2),
        (md.DomainError("x", 1, "it has to be 2", "correct it"), 2),
    ],
)
def test_errors_are_one_sentence(run, survey, monkeypatch, error, code):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(designing, "designed", fail)
    assert run("design", survey, "-q") == (code, "", f"mechdesign: {error}\n")
    assert not Path("survey.mechanism.json").exists()


def test_interruption(run, survey, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(designing, "designed", stop)
    code, out, err = run("design", survey, "-q")
    assert (code, out) == (130, "")
    assert err.strip() == "mechdesign: Interrupted; nothing was written."


@pytest.mark.parametrize(
    "arguments",
    [
        ("design",),
        ("design", "nowhere.toml"),
        ("desing", "survey.toml"),
        ("design", "survey.toml", "--jsno"),
        ("audit", "nowhere.mechanism.json"),
        ("audit", "matrix.csv"),
        ("compare", "nowhere.toml"),
    ],
)
def test_bad_input_ends_with_two(run, survey, arguments):
    Path("matrix.csv").write_text("1,0\n0,1\n")
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err


def test_audit_of_a_mechanism(run, survey):
    run("design", survey, "-q")
    code, out, err = run("audit", "survey.mechanism.json")
    assert (code, err) == (0, "")
    assert "Certificate, derived again" in out
    assert "LIP(epsilon=1) holds exactly." in out
    assert "relative to the prior: public: made up" in out
    told = json.loads(run("audit", "survey.mechanism.json", "--json")[1])
    assert told["level"] == float(md.audit(md.load("survey.mechanism.json"))) <= 1.0


def test_audit_against_another_question(run, survey, tmp_path):
    run("design", survey, "-q")
    (tmp_path / "strict.toml").write_text(survey.read_text().replace("epsilon = 1.0", "epsilon = 0.25"))
    code, out, err = run("audit", "survey.mechanism.json", "--question", "strict.toml")
    assert (code, err) == (1, "")
    assert "LIP(epsilon=0.25) does NOT hold." in out


def test_audit_of_anyones_matrix(run, survey):
    Path("truth.csv").write_text("1/2,1/4,1/4\n0.25,0.5,0.25\n2.5e-1,1/4,1/2\n")
    told = json.loads(run("audit", "truth.csv", "--question", survey, "--json")[1])
    # Masses are 0.3, 0.325 and 0.375 by hand: the lowest ratio is 0.25 / 0.375, the highest 0.5 / 0.3,
    # and ln(5/3) is further from 0 than ln(2/3).
    assert told["level"] == pytest.approx(np.log(5 / 3), rel=1e-12)
    assert told["holds"] is True
    Path("truth.csv").write_text("1,0\n0,1\n1,0\n")
    code, out, _ = run("audit", "truth.csv", "--question", survey)
    assert code == 1
    assert "epsilon = inf" in out
    Path("truth.csv").write_text("1,0\n0,1\n")
    assert run("audit", "truth.csv", "--question", survey)[0] == 2


def test_edited_and_truncated_files_end_with_one(run, survey):
    run("design", survey, "-q")
    path = Path("survey.mechanism.json")
    whole = path.read_text()
    number = re.search(r"\d{16}", whole)[0]
    for broken in (whole[:200], whole.replace(number, str(int(number) - 1), 1), ""):
        path.write_text(broken)
        code, out, err = run("audit", path)
        assert (code, out) == (1, ""), broken[:20]
        assert err.startswith("mechdesign: ")
    for other in (b"{}", b"\x00", b"\xff\xfe"):
        path.write_bytes(other)
        assert run("audit", path)[0] == 2


def test_compare(run, survey):
    code, out, err = run("compare", survey)
    assert (code, err) == (0, "")
    assert "no value passes another's bound" in out
    assert re.search(r"rays +HIGHS +0\.\d+ +0\.\d+", out)
    rows = json.loads(run("compare", survey, "--json")[1])["rows"]
    values = [row["value"] for row in rows if row["outcome"] == "certified"]
    assert len(values) >= 2
    assert max(values) - min(values) <= 2e-6 * max(values)
    assert {row["route"] for row in rows if row["value"] is None}


@pytest.mark.parametrize(("command", "name"), [("notions", "LIP"), ("objectives", "MMSE")])
def test_catalogue(run, command, name):
    code, out, err = run(command)
    assert (code, err) == (0, "")
    assert f"{name}(" in out
    entries = {entry["name"]: entry for entry in json.loads(run(command, "--json")[1])}
    assert set(entries) == set(re.findall(r"^(\w+)\(", out, flags=re.MULTILINE))
    assert entries[name]["formula"] in " ".join(out.split())


def test_help_and_version(run):
    assert run("--version")[1] == f"mechdesign, version {md.__version__}\n"
    code, out, _ = run("--help")
    assert code == 0
    for command in ("design", "compare", "audit", "notions", "objectives"):
        assert f"  {command} " in out
        assert run(command, "--help")[0] == 0


HOSTILE = ["[bold]no[/]", "\\u001b[2J:warning:\\n", "[/nothing]"]


@pytest.mark.parametrize("columns", ["24", "40", "80", "200"])
def test_labels_cannot_steer_the_terminal(run, tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    path = tmp_path / "hostile.toml"
    path.write_text(SURVEY.format(labels=json.dumps(HOSTILE).replace("\\\\", "\\")), encoding="utf-8")
    assert read_labels(path) == ("[bold]no[/]", "\x1b[2J:warning:\n", "[/nothing]")
    code, out, err = run("design", path)
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    assert "([bold]no[/],\\x1b[2J:warning:\\n,[/nothing])" in "".join(out.split())
    Path("matrix.csv").write_text("1,0\n0,1\n1,0\n")
    assert "\x1b" not in run("audit", "matrix.csv", "--question", path)[1]


def read_labels(path):
    return read_question(path).question.problem.labels


@pytest.mark.thinned(3)
@pytest.mark.parametrize("columns", ["20", "33", "60", "80", "132"])
def test_numbers_are_whole_at_every_width(run, survey, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    out = run("design", survey)[1]
    proof = md.load("survey.mechanism.json").certificate
    level = float(md.audit(md.load("survey.mechanism.json")))
    for number in (repr(proof.value), repr(proof.bound), rounded_up(level, 9), f"{proof.value:.8g}"):
        assert number in out
    assert "…" not in out
    out = run("compare", survey)[1]
    assert f"{proof.bound:.9g}"[:8] in out
    assert "…" not in out


def test_rounding_is_outward():
    rng = np.random.default_rng(7)
    for number in rng.lognormal(0, 8, 200):
        text = rounded_up(float(number), 3)
        assert Fraction(text) >= Fraction(float(number))
        assert float(text) <= number * (1 + 1e-2)


def test_as_a_module(tmp_path):
    found = subprocess.run(
        [sys.executable, "-m", "mechdesign", "design", str(EDUCATION)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(EXAMPLES.parent), "PATH": ""},
        stdin=subprocess.DEVNULL,
    )
    assert found.stderr == ""
    assert (tmp_path / "adult-education.mechanism.json").is_file()
    # Not a terminal: no colour, no cursor.
    assert "\x1b" not in found.stdout


@pytest.mark.parametrize(
    ("words", "solve", "proved"),
    [
        ([], "", True),
        (["--no-proof"], "", False),
        ([], "proof = false", False),
        (["--proof"], "proof = false", True),
    ],
)
def test_a_proof_is_looked_for_unless_it_is_not_wanted(words, solve, proved, run, tmp_path):
    question = tmp_path / "q.toml"
    text = '[problem]\nprior = [0.2, 0.3, 0.5]\n[notion]\nname = "LDP"\nepsilon = 1.0\n'
    question.write_text(f'{text}[objective]\nname = "ErrorProbability"\n[solve]\n{solve}\n')
    code, out, err = run("design", question, "--output", "a.json", *words)
    assert (code, err) == (0, "")
    assert md.load("a.json").claimed.proved == proved == ("proved: nothing private" in out)
    code, out, err = run("compare", question, *words, "--json")
    assert (code, err.count("No proof")) == (0, 0)
    assert {row["proved"] for row in json.loads(out)["rows"] if row["outcome"] == "certified"} == {proved}
    code, out, err = run("frontier", question, "--levels", "0.5,1", *words)
    assert (code, err) == (0, "")
    assert ("all bounds are proved in integers" in out) == proved


def test_a_proof_that_is_asked_for_and_not_known_is_said(run, tmp_path):
    question = tmp_path / "q.toml"
    text = '[problem]\nn = 3\n[notion]\nname = "LDP"\nepsilon = 1.0\n[objective]\n'
    question.write_text(f'{text}name = "InformationDesign"\ncriterion = "D"\n')
    code, out, err = run("design", question, "--output", "a.json", "--proof")
    assert code == 0 and "No proof in integers: InformationDesign is not covered yet" in err
    code, out, err = run("design", question, "--output", "a.json", "--json")
    assert (code, err) == (0, "") and not json.loads(out)["proved"]


@pytest.mark.parametrize(("solve", "said"), [("proof = true", True), ("proof = false", False), ("", False)])
def test_a_calibration_says_that_it_looks_for_no_proof(solve, said, run, tmp_path):
    question = tmp_path / "q.toml"
    text = (
        '[problem]\nprior = [0.5, 0.5]\n[notion]\nname = "LDP"\nepsilon = 1.0\n[objective]\nname = "ErrorProbability"\n'
    )
    question.write_text(f"{text}[solve]\n{solve}\n")
    code, _, err = run("calibrate", question, "--target", "0.25")
    assert code == 0 and err.count("no proof is looked for here") == said


#: Commands that print what they find, and write no file.
PRINTS = {"audit", "compare", "notions", "objectives"}


def commands_of(group, path=()):
    """Each command, by the words that one types."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands_of(found, (*path, name))
        else:
            yield (*path, name), found


def test_every_command_that_writes_says_where_by_one_option():
    from mechdesign.cli.commands import cli

    without = set()
    for path, command in commands_of(cli):
        names = {name for each in command.params for name in each.opts}
        assert not names & {"--csv", "--save", "--out"}, path
        assert ("-o" in names) == ("--output" in names), path
        if "-o" not in names:
            without.add(path[0])
    assert without - {"bench"} == PRINTS


def ended(command, into):
    """Return the exit code and the complaints of a command whose output goes to a file."""
    with Path(into).open("wb") as target:
        arguments = [sys.executable, "-m", "mechdesign", *command]
        done = subprocess.run(arguments, stdout=target, stderr=subprocess.PIPE, check=False, text=True)
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("command", [["notions"], ["--help"], ["notions", "--json"]])
def test_output_that_cannot_be_printed_is_no_answer_that_fell_short(command):
    assert ended(command, "/dev/full") == (2, "mechdesign: the output cannot be printed: No space left on device.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are closed in another way")
def test_a_pipe_that_is_closed_is_no_audit_that_fails():
    arguments = [sys.executable, "-m", "mechdesign", "notions"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        said = running.stderr.read()
    assert (running.returncode, said) == (141, b"")


def test_folders_and_pipes_are_named_as_such(run, tmp_path):
    code, _, err = run("audit", tmp_path)
    assert code == 2 and "that is a folder; give a file in it" in err
    code, _, err = run("audit", "/dev/null")
    assert code == 2 and "it is a pipe or device, and is read twice; save it as a file" in err


def test_a_mark_of_the_byte_order_changes_nothing(run, survey, tmp_path):
    assert run("design", survey, "-q")[0] == 0
    marked = tmp_path / "marked.mechanism.json"
    marked.write_text((tmp_path / "survey.mechanism.json").read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert run("audit", marked)[0] == 0
    assert md.load(marked).matrix.tolist() == md.load(tmp_path / "survey.mechanism.json").matrix.tolist()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the output")
def test_without_an_output_the_work_is_done():
    command = f"{shlex.quote(sys.executable)} -m mechdesign --version >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
