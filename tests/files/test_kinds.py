"""Nothing that saves replaces a file of another kind, in Python and by the command, unless it is told to."""

import json
from dataclasses import FrozenInstanceError

import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.files.kinds import FORMATS, FileKind
from mechdesign.testing.estimator_contract import response

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
MADE = md.design(SURVEY, md.LDP(1.0), md.MMSE())
TABLE = (".csv", ".html", ".tex")
#: Whatever the package saves, and the endings that its name may have.
SAVED = {
    "mechanism": (MADE.mechanism.save, (".json",)),
    "report": (MADE.report, (".html", ".htm")),
    "report by function": (lambda path, **given: md.report(MADE, path, **given), (".html", ".htm")),
    "frontier": (md.frontier(SURVEY, md.LDP, md.MMSE(), [0.5, 1.0]).save, TABLE),
    "sweep": (md.sweep(SURVEY, md.LDP, md.MMSE(), [0.5], n_jobs=1, progress=False).save, TABLE),
    "comparison": (md.compare(SURVEY, md.LDP(1.0), md.ErrorProbability()).save, TABLE),
    "estimate": (response(3, 1.0).estimate([0, 1, 2, 2]).save, TABLE),
    "ledger": (md.verify("ours/M4").save, (".json", ".csv", ".html", ".tex")),
}
#: Somebody's files; words of ours occur in some of them.
OTHERS = [
    '[notion]\nname = "LDP"\n',
    "answer,people\nyes,3\n",
    '{"mine": "mechdesign mechanism"}',
    "x",
    "\n",
    "\x00\xff",
]
#: What lies in a folder beside ours and is of another kind though its format is the same.
FOREIGN = {
    ".csv": "label,estimate\na,1\n",
    ".json": '{"schema": "another"}',
    ".html": "<!DOCTYPE html>\n<p>mine",
    ".tex": "% table of mine\n",
}


@pytest.mark.parametrize("what", SAVED)
def test_a_file_of_another_kind_is_kept_unless_that_is_asked_for(what, tmp_path):
    save, suffixes = SAVED[what]
    for suffix in suffixes:
        target = tmp_path / f"a{suffix}"
        for held in (*OTHERS, FOREIGN.get(suffix, "other")):
            target.write_text(held)
            with pytest.raises(md.DomainError, match=r"would be lost\); .*overwrite=True"):
                save(target)
            assert target.read_text() == held
            assert save(target, overwrite=True) == target and target.read_text() != held
            # A file of its own kind, and an empty one, may be replaced.
            first = target.read_bytes()
            assert save(target).read_bytes() == first
            target.write_bytes(b"")
            assert save(str(target)) == target and target.read_bytes() == first


def test_the_file_of_another_mechanism_is_kept_unless_that_is_asked_for(tmp_path):
    path = MADE.mechanism.save(tmp_path / "a.json")
    before = path.read_bytes()
    proved = md.design(SURVEY, md.LDP(1.0), md.MMSE(), proof=True).mechanism
    renamed = md.Mechanism(MADE.matrix, [f"output {y}" for y in range(MADE.matrix.shape[1])], notion=md.LDP(1.0))
    others = [md.design(SURVEY, md.LDP(2.0), md.MMSE()).mechanism, proved, renamed]
    for other in others:
        with pytest.raises(md.DomainError, match=r"holds another mechanism, without which the reports.*overwrite=True"):
            other.save(path)
        assert path.read_bytes() == before
        assert md.load(other.save(path, overwrite=True)).outputs == other.outputs
        assert MADE.mechanism.save(path, overwrite=True).read_bytes() == before
    # What was loaded is the same, and a file that was cut holds something else.
    assert md.load(path).save(path).read_bytes() == before
    path.write_bytes(before[:-40])
    with pytest.raises(md.DomainError, match="overwrite=True"):
        MADE.mechanism.save(path)


@pytest.mark.parametrize("what", SAVED)
def test_what_one_saves_another_does_not_replace(what, tmp_path):
    for suffix in SAVED[what][1]:
        for other, (save, suffixes) in SAVED.items():
            if suffix in suffixes and {what, other} != {"report", "report by function"} and what != other:
                target = SAVED[what][0](tmp_path / f"{what}{suffix}")
                before = target.read_bytes()
                with pytest.raises(md.DomainError, match="would be lost"):
                    save(target)
                assert target.read_bytes() == before


@pytest.mark.parametrize("what", SAVED)
def test_a_name_that_promises_another_format_is_refused(what, tmp_path):
    save, suffixes = SAVED[what]
    # A workbook is a table too, and is tried beside the other formats of tables.
    for suffix in sorted(FORMATS - set(suffixes) - ({".xlsx"} if suffixes == TABLE else set())):
        for given in (suffix, suffix.upper()):
            with pytest.raises(md.DomainError, match=r"promises|has to end in"):
                save(tmp_path / f"a{given}", overwrite=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("what", [name for name in SAVED if name != "ledger"])
@pytest.mark.parametrize("name", ["a", "a.1", "a.txt", "v1.2 final", ".hidden"])
def test_a_name_that_promises_nothing_is_free(what, name, tmp_path):
    save, _ = SAVED[what]
    assert save(tmp_path / name).stat().st_size > 0


def test_a_report_as_pdf_is_printed_by_a_browser(tmp_path):
    with pytest.raises(md.DomainError, match=r"promises PDF\); end the name in \.html.*browser"):
        MADE.report(tmp_path / "a.pdf")


def test_what_is_no_file_is_left_to_the_writing(tmp_path):
    kind = FileKind("the table", (".csv",), ("a",))
    for path in (tmp_path, tmp_path / "no such" / "a.csv", "/dev/null", "a\0b", tmp_path / (300 * "a"), 3, None):
        kind.require_place(path)
    with pytest.raises(md.DomainError, match="overwrite"):
        kind.require_place(tmp_path / "a.csv", overwrite=1)


def test_a_file_on_which_others_depend_is_kept_unless_it_is_the_same(tmp_path):
    kind = FileKind("the key", (".txt",), ("a",), "that file holds another key")
    path = tmp_path / "a.txt"
    with pytest.raises(FrozenInstanceError):
        kind.starts = ("b",)
    for free in (path, tmp_path, 3):
        kind.require_same(free, "a new one")
    path.write_text("")
    kind.require_same(path, "a new one")
    path.write_text("an old one")
    for given in (path, str(path)):
        kind.require_same(given, "an old one")
        kind.require_same(given, "a new one", overwrite=True)
        with pytest.raises(md.DomainError, match=r"the key cannot be .*another key.*overwrite=True"):
            kind.require_same(given, "a new one")


QUESTION = '[problem]\nprior = [0.5, 0.5]\n[notion]\nname = "LDP"\nepsilon = 1.0\n[objective]\nname = "HammingLoss"\n'
COMMANDS = {
    "design": (["design", "asked.toml", "-q", "--output"], "a.json"),
    "frontier": (["frontier", "asked.toml", "--levels", "0.5,1", "--output"], "a.csv"),
    "verify": (["verify", "ours/M4", "--output"], "a.json"),
    "report": (["report", "kept.json", "-q", "--output"], "a.html"),
    "estimate": (["estimate", "kept.json", "reports.csv", "--output"], "a.csv"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_does_so_too(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asked.toml").write_text(QUESTION)
    problem = md.Problem(prior=[0.5, 0.5])
    kept = md.design(problem, md.LDP(1.0), md.InformationDesign("A")).mechanism.save("kept.json")
    seal = json.loads(kept.read_text())["checksum"]
    (tmp_path / "reports.csv").write_text(f"# mechdesign reports {seal}\nreport\n0\n1\n1\n")
    arguments, name = COMMANDS[command]

    def run(*further):
        with pytest.raises(SystemExit) as left:
            commands.main([*arguments, *further])
        return int(left.value.code or 0), capsys.readouterr().err

    (tmp_path / name).write_text("mine")
    code, said = run(name)
    assert code == 2 and "would be lost" in said and "--overwrite" in said
    assert (tmp_path / name).read_text() == "mine"
    assert run(name, "--overwrite")[0] == 0 and (tmp_path / name).read_text() != "mine"
    assert run(name)[0] == 0
    code, said = run("a.docx", "--overwrite")
    assert code == 2 and ("promises DOCX" in said or "has to end in" in said)
    assert command != "estimate" or "end the name in .csv or .html or .tex or .xlsx" in said


def test_a_calibration_replaces_no_mechanism_unless_that_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asked.toml").write_text(QUESTION)
    MADE.mechanism.save("a.json")
    before = (tmp_path / "a.json").read_bytes()
    command = ["calibrate", "asked.toml", "--target", "0.25", "--output", "a.json"]
    for further, code in ([], 2), (["--overwrite"], 0):
        with pytest.raises(SystemExit) as left:
            commands.main([*command, *further])
        assert int(left.value.code or 0) == code
        assert ((tmp_path / "a.json").read_bytes() == before) == (code == 2)
    assert "holds another mechanism" in capsys.readouterr().err
