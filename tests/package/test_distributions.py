"""The check of what is published sees what is missing, what does not belong there, and two builds that differ."""

import importlib.util
import io
import re
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from mechdesign import __version__

ROOT = Path(__file__).parents[2]
INFORMATION = f"mechdesign-{__version__}.dist-info"


def of_ci():
    found = importlib.util.spec_from_file_location("distributions", ROOT / ".ci" / "distributions.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


CHECK = of_ci()


def wheel(path, names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return path


def sdist(path, names):
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"mechdesign-{__version__}/{name}"), io.BytesIO())
    return path


def faults(folder, *, without=(), extra=(), sources_without=(), again_without=()):
    """Return what is found wrong with distributions that lack or hold what is said."""
    own = {*CHECK.files(ROOT, ["mechdesign"]), *CHECK.PROGRAMS}
    package = {*own, f"{INFORMATION}/licenses/LICENSE", f"{INFORMATION}/METADATA"}
    sources = own | CHECK.files(ROOT, CHECK.FOLDERS) | set(CHECK.DOCUMENTS)
    (folder / "again").mkdir()
    name = f"mechdesign-{__version__}-py3-none-any.whl"
    made = package - set(without) | set(extra)
    return CHECK.faults(
        sdist(folder / "mechdesign.tar.gz", sources - set(sources_without)),
        wheel(folder / name, sorted(made)),
        wheel(folder / "again" / name, sorted(made - set(again_without))),
        ROOT,
    )


def test_what_is_whole_passes(tmp_path):
    assert faults(tmp_path) == []


def test_every_module_of_the_package_is_asked_for():
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mechdesign").rglob("*.py")}
    assert found == {name for name in CHECK.files(ROOT, ["mechdesign"]) if name.endswith(".py")}


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ({"without": ["mechdesign/py.typed"]}, "any.whl lacks mechdesign/py.typed"),
        ({"without": ["mechdesign/theorems/verdicts.json"]}, "any.whl lacks mechdesign/theorems/verdicts.json"),
        ({"without": [f"{INFORMATION}/licenses/LICENSE"]}, "lacks .*LICENSE"),
        (
            {"extra": ["tests/package/test_exact.py"]},
            "holds tests/package/test_exact.py, which is no part of the package",
        ),
        ({"sources_without": ["CHANGELOG.md"]}, "tar.gz lacks CHANGELOG.md"),
        ({"sources_without": ["mechdesign/theorems/verdicts.json"]}, "tar.gz lacks mechdesign/theorems/verdicts.json"),
        (
            {"again_without": ["mechdesign/solve/certificate/claims.py"]},
            "mechdesign/solve/certificate/claims.py differs",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else next(iter(each)),
)
def test_planted_faults_are_named(planted, said, tmp_path):
    found = faults(tmp_path, **planted)
    assert len(found) == 1
    assert re.search(said, found[0])


def test_the_sdist_is_asked_for_what_is_checked():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = {name.lstrip("/") for name in settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    assert asked | {"pyproject.toml"} == {"mechdesign", *CHECK.PROGRAMS, *CHECK.FOLDERS, *CHECK.DOCUMENTS}
    assert all((ROOT / name).exists() for name in asked)


def test_a_release_of_the_changelog_is_short():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert len(text) < 15_000 and all(part.count("\n") <= 60 for part in text.split("\n## ")[1:])


def test_the_version_is_written_once_and_has_its_entry():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in settings["project"] and settings["project"]["dynamic"] == ["version"]
    assert settings["tool"]["hatch"]["version"]["path"] == "mechdesign/version.py"
    entries = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert entries[0] == __version__
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
