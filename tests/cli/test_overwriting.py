"""The command writes over nothing that it did not write itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.referee import ledger

QUESTION = """[problem]
data = "counts.csv"
count = "people"
label = "answer"
prior_source = "made up"
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "ErrorProbability"
"""
COUNTS = "answer,people\nyes,3\nno,1\n"
#: What each output is asked by, and the name of its file.
OUTPUTS = {
    "a mechanism": (("design", "asked.toml", "-q", "--output"), "made.json"),
    "a table": (("frontier", "asked.toml", "--levels", "0.5,1", "--output"), "made.csv"),
    "a ledger": (("verify", "ours/M4", "--output"), "made.json"),
    "a ledger's table": (("verify", "ours/M4", "--output"), "made.csv"),
    "a report": (("report", "kept.json", "-q", "--output"), "made.html"),
    "a sampler": (("sampler", "kept.json", "-q", "--output"), "made.py"),
    "a sampler for browsers": (("sampler", "kept.json", "-q", "--output"), "made.mjs"),
    "a ledger's page": (("verify", "ours/M4", "--output"), "made.html"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asked.toml").write_text(QUESTION)
    (tmp_path / "counts.csv").write_text(COUNTS)
    (tmp_path / "kept.json").write_text(kept)
    return tmp_path


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the text of a mechanism file."""
    problem = md.Problem(prior=[0.75, 0.25], prior_source="made up")
    made = md.design(problem, md.LDP(1.0), md.ErrorProbability()).mechanism
    return made.save(tmp_path_factory.mktemp("kept") / "kept.json").read_text()


#: Files of somebody's that contain the words of ours.
IMPOSTORS = {
    "a script": "#!/bin/sh\nmechdesign report a.json -o a.html\nmechdesign verify -o all.json\n",
    "notes": 'The schema is mechdesign mechanism, with "thorough": and "schema": "mechdesign mechanism".\n',
    "a page about it": "<!DOCTYPE html>\n<html><head><title>On The papers' statements, by computation</title></head>\n"
    "<p>A mechdesign report</p>\n",
    "a page that quotes the mark": '<!DOCTYPE html>\n<p>&lt;meta name="generator" content="mechdesign report 1"&gt;',
    "a longer table": "epsilon,value,bound,gap,outputs,route,solver,seconds,notes\n1,2,3,4,5,6,7,8,9\n",
    "settings": '{"mine": 1, "seed": 1, "thorough": true, "schema": "mechdesign mechanism"}\n',
    "a table's second line": "mine\n" + ",".join(ledger.COLUMNS) + "\n",
}


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("impostor", IMPOSTORS)
def test_words_of_ours_do_not_make_a_file_ours(name: str, impostor: str, folder: Path) -> None:
    command, own = OUTPUTS[name]
    (folder / own).write_text(IMPOSTORS[impostor])
    assert run(*command, own) == 2
    assert (folder / own).read_text() == IMPOSTORS[impostor]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        commands.main(list(arguments))
    return int(str(left.value.code))


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("victim", ["asked.toml", "counts.csv", "other"])
def test_a_file_of_another_kind_stays(name: str, victim: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, own = OUTPUTS[name]
    target = folder / (own if victim == "other" else victim)
    if victim == "other":
        target.write_text("somebody's work\n")
    before = target.read_bytes()
    assert run(*command, str(target)) == 2
    assert target.read_bytes() == before
    said = capsys.readouterr().err
    assert "would be lost" in said or "its name has to end in" in said or "its name promises" in said


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", OUTPUTS)
def test_its_own_is_written_again(name: str, folder: Path) -> None:
    command, own = OUTPUTS[name]
    assert run(*command, own) == 0
    before = (folder / own).read_bytes()
    assert before and run(*command, own) == 0
    (folder / own).write_bytes(b"")
    assert run(*command, own) == 0
    assert (folder / own).stat().st_size > 0
