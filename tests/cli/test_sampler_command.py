"""`mechdesign sampler`: a file that has been checked becomes a program whose reports `mechdesign estimate` reads."""

import json

import pytest

import mechdesign as md
from mechdesign.cli import commands
from tests.helpers import sampler_programs as programs

SURVEY = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2], labels=["a", "b", "c"], prior_source="made up")


@pytest.fixture(scope="module")
def kept():
    return md.design(SURVEY, md.LDP(2.0), md.InformationDesign("A")).mechanism


@pytest.fixture
def run(capsys, monkeypatch, tmp_path, kept):
    """Run the command in a folder with the mechanism's file, and return its exit code, output and complaints."""
    monkeypatch.chdir(tmp_path)
    kept.save("survey.json")

    def ran(*arguments):
        with pytest.raises(SystemExit) as left:
            commands.main(list(arguments))
        return left.value.code, *capsys.readouterr()

    return ran


@pytest.mark.parametrize("name", ["survey_sampler.py", "survey.sampler.mjs"])
def test_the_command_estimates_what_its_sampler_drew(name, run, tmp_path):
    code, out, err = run("sampler", "survey.json", "-o", name)
    assert (code, err) == (0, "") and f"Sampler written to {name}." in out and "Draw once for each person" in out
    code, out, err = programs.run(tmp_path / name, b"a\nb\nc\n" * 50)
    assert (code, err) == (0, "")
    (tmp_path / "reports.csv").write_text(out, encoding="utf-8")
    code, out, _ = run("estimate", "survey.json", "reports.csv", "--json")
    assert code == 0 and json.loads(out)["reports"] == 150


def test_it_is_what_the_method_writes(run, kept, tmp_path):
    assert run("sampler", "survey.json", "-o", "a.js", "--quiet") == (0, "", "")
    assert (tmp_path / "a.js").read_bytes() == md.sampler(kept, tmp_path / "b.js").read_bytes()


def test_a_sampler_has_the_checksum_of_its_file_also_where_that_is_of_an_older_version(run, tmp_path):
    from mechdesign.files.checksums import sealed

    data = json.loads((tmp_path / "survey.json").read_text(encoding="utf-8"))
    old = sealed({**data, "schema_version": 3})
    (tmp_path / "old.json").write_text(json.dumps(old), encoding="utf-8")
    with pytest.warns(md.FileWarning):
        assert run("sampler", "old.json", "-o", "a.py")[0] == 0
    text = (tmp_path / "a.py").read_text(encoding="utf-8")
    assert old["checksum"] in text and data["checksum"] not in text


def test_claims_are_derived_again_before_anything_is_written(run, tmp_path):
    from mechdesign.files.checksums import sealed

    data = json.loads((tmp_path / "survey.json").read_text(encoding="utf-8"))
    data["question"]["notion"]["epsilon"] = 0.5
    (tmp_path / "edited.json").write_text(json.dumps(sealed(data)), encoding="utf-8")
    code, out, err = run("sampler", "edited.json", "-o", "a.py")
    assert code and not out and "does not satisfy LDP" in err and not (tmp_path / "a.py").exists()


@pytest.mark.parametrize("name", ["a", "a.txt", "a.py.csv", "a.cjs"])
def test_the_suffix_chooses_the_language(name, run, tmp_path):
    code, out, err = run("sampler", "survey.json", "-o", name)
    assert (code, out) == (2, "") and f"output is {name}, but its name has to end in .py, .js or .mjs" in err
    assert not (tmp_path / name).exists()


def test_a_file_of_another_kind_goes_only_where_asked(run, tmp_path):
    (tmp_path / "a.py").write_text("print('mine')\n", encoding="utf-8")
    code, _, err = run("sampler", "survey.json", "-o", "a.py")
    assert code == 2 and "add --overwrite" in err
    assert run("sampler", "survey.json", "-o", "a.py", "--overwrite", "-q")[0] == 0
    assert run("sampler", "survey.json", "-o", "a.py", "-q")[0] == 0
