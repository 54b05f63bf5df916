"""The catalogue of theorems: found by crawling, refused with sentences, bad files named."""

import importlib
import sys
import zlib
from dataclasses import replace

import pytest

from mechdesign.errors import DomainError
from mechdesign.notions import LDP, LIP
from mechdesign.objectives import MMSE, MaxOffDiagonal
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems import all_theorems, found_in, theorem


def test_every_first_member_is_found_by_its_key():
    wanted = {
        "jiang_lip/T2": "jiang_lip Theorem 2",
        "jiang_lip/T3": "jiang_lip Theorem 3",
        "ours/M4": "ours exact binary optimum of LIP",
        "jiang_lip/P4a": "jiang_lip Proposition 4, eq. (24)",
        "yoshida/T1iii": "yoshida Theorem 1 (iii)",
        "yoshida/T2": "yoshida Theorem 2",
        "geumlek/eq4": "geumlek eq. (4), Algorithm 1",
    }
    found = all_theorems()
    assert {key: found[key].name for key in wanted} == wanted
    assert list(found) == sorted(found)
    assert all(found[key].form is not None and found[key].key == key for key in wanted)


def test_the_catalogue_that_is_handed_out_is_a_copy():
    all_theorems().clear()
    assert "jiang_lip/T3" in all_theorems()


def test_an_unknown_key_names_the_nearest():
    with pytest.raises(DomainError, match=r'did you mean "jiang_lip/T3"'):
        theorem("jiang-lip/t3")


BAD = """
from mechdesign.theorems import Condition, Family, Theorem
from mechdesign.theorems.variables import Real

X = Theorem(
    key={key!r},
    place="Theorem 1",
    kind={kind!r},
    words="w",
    family=Family({{"t": Real(0.0, 1.0)}}),
    printed=lambda point: {printed},
    test=lambda point, given: (),
    claimed=(Condition("t", "bound", lambda point: (point.t, {bound})),),
)
"""


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"claim": ("", "identity")}, r"claim\.py: key is '', but it has to be a text that is not empty"),
        ({"claim": ("paper", "identity")}, r"claim\.py: key is paper, but it has to be paper/number"),
        ({"claim": ("paper/T1", "exact optimim")}, r'claim\.py: kind is .* did you mean "exact optimum"'),
        ({"claim": ("other/T1", "identity")}, r"claim\.py: key is other/T1, but its first part has to be its folder"),
        (
            {"claim": ("paper/T1", "identity", ("printed", "float('nan')"))},
            r"claim\.py: printed is nan, but it is not a number at t = ",
        ),
        (
            {"claim": ("paper/T1", "identity", ("bound", 2))},
            r"claim\.py: claimed is t >= bound, but no point of the family",
        ),
        ({"a": ("paper/T1", "identity"), "b": ("paper/T1", "identity")}, r"b\.py: key is paper/T1, but another"),
    ],
)
def test_a_bad_file_fails_when_loaded_with_its_name_and_field(tmp_path, monkeypatch, request, files, said):
    name = f"crawled_{zlib.crc32(request.node.name.encode())}"
    folder = tmp_path / name / "paper"
    folder.mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").write_text('"""A catalogue."""\n')
    for file, (key, kind, *rest) in files.items():
        more = {"printed": "point.t", "bound": 0.5}
        (folder / f"{file}.py").write_text(BAD.format(key=key, kind=kind, **{**more, **dict(rest)}))
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    with pytest.raises(DomainError, match=said):
        found_in(importlib.import_module(name))
    for loaded in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[loaded]


def test_a_formula_that_is_none_is_refused():
    with pytest.raises(DomainError, match=r"printed is 0\.5, but it has to be a formula"):
        replace(theorem("jiang_lip/T3"), printed=0.5)


def test_a_correction_needs_its_words():
    with pytest.raises(DomainError, match="come together"):
        replace(theorem("jiang_lip/T3"), correction="another constant")


@pytest.mark.parametrize(
    ("key", "problem", "notion", "objective", "said"),
    [
        ("jiang_lip/T3", Problem(prior=[0.5, 0.5], values=[0, 1]), LDP(1.0), MMSE(), "it is about LIP, not LDP"),
        (
            "jiang_lip/T2",
            Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2]),
            LIP(1.0),
            MMSE(),
            "it is about 2 inputs, not 3",
        ),
        ("ours/M2", Problem(n=2), LIP(1.0), MaxOffDiagonal(), "sums over outputs, not MaxOffDiagonal"),
        (
            "jiang_lip/P4a",
            Problem(prior=[0.5, 0.5], values=[0, 1]).hidden(
                data_given_secret=[[0.9, 0.1], [0.1, 0.9]], secret_prior=[0.5, 0.5]
            ),
            LDP(1.0),
            MMSE(),
            "a secret that is the input itself",
        ),
    ],
)
def test_a_question_of_another_form_is_refused_with_a_sentence(key, problem, notion, objective, said):
    assert said in theorem(key).form.refusal(Question(problem, notion, objective))
