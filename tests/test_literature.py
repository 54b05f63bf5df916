"""The works that are cited and the words that people look for: each leads to something that runs."""

import ast
import json
import re
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign import literature
from mechdesign.cli import main
from mechdesign.errors import DomainError

PACKAGE = Path(md.__file__).parent
WORDS = literature.vocabulary()
SECTION = re.compile(r"^References\n-{10}\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)
KEYS = re.compile(r"\b(zamani|jiang_lip|jiang_bounded_prior|geumlek|yoshida)\b")


def references():
    """Yield where it stands and the text of each docstring's section of references."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found = SECTION.search(ast.get_docstring(node) or "")
                if found:
                    yield f"{path.name}:{node.name}", " ".join(found[1].split())


REFERENCES = list(references())


def unknown(text):
    """Return what a section of references cites that no work is, and bare keys."""
    known = [" ".join(str(work).split()) for work in literature.works().values()]
    return KEYS.findall(text) or not (any(work in text for work in known) or text == "This package.")


@pytest.mark.parametrize(("where", "text"), REFERENCES, ids=[where for where, _ in REFERENCES])
def test_docstrings_cite_works_of_the_one_list(where, text):
    assert not unknown(text), where


def test_wrong_citations_are_caught():
    assert len(REFERENCES) >= 30
    assert unknown("zamani, Section V-B, (34).")
    assert unknown(str(literature.cited("zamani")).replace("2025", "2024"))


def test_works_are_distinct_and_whole():
    works = literature.works().values()
    assert len({work.title for work in works}) == len(works)
    for work in works:
        assert 1900 < work.year <= 2026
        assert all(re.fullmatch(r"(\S+\. ?)+[\w -]+", author) for author in work.authors), work.authors
    assert literature.bibtex().count("@misc{") == len(works)
    with pytest.raises(DomainError, match='did you mean "zamani"'):
        literature.cited("zamany")


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.names[0])
def test_every_word_has_members_and_an_example_that_runs(word):
    for name in word.members:
        assert hasattr(md, name) or hasattr(md.baselines, name), name
    assert any(name in word.example or name == "together" for name in word.members) or "subject_to" in word.example
    exec(compile(word.example, word.names[0], "exec"), {"md": md})  # our own data


def test_no_name_stands_twice():
    names = [name.casefold() for word in WORDS for name in word.names]
    assert len(set(names)) == len(names)


SOUGHT = {
    "PRAM": "LDP",
    "pml": "MaxLift",
    "histogram": "InformationDesign",
    "Blowfish": "MetricDP",
    "privacy funnel": "MutualInformationPrivacy",
    "geo-indistinguishability": "MetricDP",
    "randomized": "randomised_response",
}


@pytest.mark.parametrize(("sought", "member"), SOUGHT.items(), ids=list(SOUGHT))
def test_search_finds_the_words_of_the_field(sought, member, capsys):
    assert any(member in word.members for word in literature.search(sought))
    with pytest.raises(SystemExit) as ended:
        main(["notions", "--search", sought])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert "md." in shown
    assert "In the documentation: " in shown


def test_search_in_json_and_for_nothing(capsys):
    with pytest.raises(SystemExit):
        main(["notions", "--search", "PML", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["words"][0]["members"] == ["MaxLift"]
    with pytest.raises(SystemExit) as ended:
        main(["notions", "--search", "histogrm"])
    assert ended.value.code == 2
    assert 'did you mean "histogram"' in capsys.readouterr().err
    with pytest.raises(DomainError, match="has to be a word"):
        literature.search("  ")


def test_the_ledger_names_its_papers():
    ledger = md.verify("jiang_lip/T2")
    assert "B. Jiang, M. Li, R. Tandon" in str(ledger)
