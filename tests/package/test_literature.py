"""The works that are cited and the words that people look for: each leads to something that runs."""

import ast
import json
import math
import re
import tomllib
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign import literature
from mechdesign.catalogue import vocabulary as words
from mechdesign.catalogue.vocabulary import vocabulary
from mechdesign.cli import main
from mechdesign.errors import DomainError
from mechdesign.testing.catalogue import all_notions, all_objectives

PACKAGE = Path(md.__file__).parent
KNOWN = all_notions() | all_objectives()
WORDS = vocabulary(KNOWN)
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
    if word.members:
        assert any(name in word.example or name in {"together", "Intersection"} for name in word.members)
    else:
        assert word.means.startswith("Not here: ") and "instead" in word.means
    assert (PACKAGE.parent / "docs" / f"{word.page}.md").is_file() or word.page.startswith("catalogue/"), word.page
    exec(compile(word.example, word.names[0], "exec"), {"md": md})  # our own data


def test_no_name_stands_twice():
    names = [name.casefold() for word in WORDS for name in word.names]
    assert len(set(names)) == len(names)


#: What was found under each word of the field before members carried their words themselves: nothing of it is lost.
FOUND = tomllib.loads((Path(__file__).parent / "found_by_name.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FOUND)
def test_no_name_that_found_a_member_is_lost(name):
    assert len(FOUND) > 120
    assert set(FOUND[name]) <= {member for word in words.search(name, KNOWN) for member in word.members}


SOUGHT = {
    "PRAM": "LDP",
    "pml": "MaxLift",
    "histogram": "InformationDesign",
    "Blowfish": "MetricDP",
    "privacy funnel": "MutualInformationPrivacy",
    "geo-indistinguishability": "MetricDP",
    "randomized": "randomised_response",
    "Warner": "randomised_response",
    "sensitive question": "InformationDesign",
    "privacy budget": "LDP",
    "Epsilon": "LDP",
}


@pytest.mark.parametrize(("sought", "member"), SOUGHT.items(), ids=list(SOUGHT))
def test_search_finds_the_words_of_the_field(sought, member, capsys):
    assert any(member in word.members for word in words.search(sought, KNOWN))
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
        words.search("  ", KNOWN)


def search(capsys, word):
    with pytest.raises(SystemExit) as ended:
        main(["notions", "--search", word])
    return ended.value.code, *capsys.readouterr()


@pytest.mark.parametrize("word", ["k-anonymity", "L-diversity"])
def test_what_is_not_here_is_said_with_what_to_use_instead(word, capsys):
    code, out, _ = search(capsys, word)
    assert code == 0 and "Not here: properties of a published table" in " ".join(out.split()) and "Here: ." not in out


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("LPD", "LDP"),
        ("PLM", "PML"),
        ("privacy bugdet", "privacy budget"),
        ("Blowfsh", "Blowfish"),
        ("rapor", "RAPPOR"),
    ],
)
def test_misspelt_words_are_recognised(word, meant, capsys):
    code, _, err = search(capsys, word)
    assert code == 2 and f'did you mean "{meant}"?' in err
    assert err.count(",") <= 9, "a few names, not the whole vocabulary"


@pytest.mark.parametrize(
    "word", ["federated learning", "zero-knowledge", "synthetic data", "blockchain", "xyzzy", "swaps"]
)
def test_nothing_is_suggested_for_words_that_resemble_none(word, capsys):
    code, _, err = search(capsys, word)
    assert code == 2 and "did you mean" not in err and "such as LDP, PML" in err and err.count(",") <= 9


def test_the_example_of_invariant_randomisation_keeps_every_category():
    (word,) = (word for word in WORDS if "PRAM" in word.names)
    *lines, last = word.example.splitlines()
    space = {"md": md}
    exec("\n".join([*lines, f"made = {last}"]), space)  # our own data
    P, made = space["P"], space["made"]
    assert made.matrix.shape == (3, 3) and abs(P @ made.matrix - P).max() <= 1e-3 + 1e-9
    # Without the constraint a category is gone, as the text says.
    assert md.design(space["file"], md.LDP(1.0), md.HammingLoss()).matrix.shape[1] < 3


def test_maximal_leakage_is_what_its_text_says():
    prior, matrix = [0.2, 0.3, 0.5], [[0.7, 0.3, 0.0], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]
    mass = [sum(p * row[y] for p, row in zip(prior, matrix, strict=True)) for y in range(3)]
    pointwise = [math.log(max(row[y] for row in matrix) / mass[y]) for y in range(3)]
    mean = math.log(sum(m * math.exp(leak) for m, leak in zip(mass, pointwise, strict=True)))
    assert float(md.audit(matrix, md.MaximalLeakage(1.0))) == pytest.approx(mean, rel=1e-12)


def test_the_ledger_names_its_papers():
    ledger = md.verify("jiang_lip/T2")
    assert "B. Jiang, M. Li, R. Tandon" in str(ledger)
