"""Samplers of mechanisms without a matrix: the law of the family, and the same reports in both languages."""

from __future__ import annotations

import json
import os
import runpy
import subprocess

import numpy as np
import pytest

import mechdesign as md
from mechdesign.families import Hadamard, KaryResponse, LocalHashing, ProjectiveGeometry, SubsetSelection
from mechdesign.families.best import ratio_below
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.testing.sampler_contract import chi_square_chance
from tests.helpers import sampler_programs as programs

RATIO = ratio_below(1.0)
FAMILIES = {
    "response": KaryResponse(5, RATIO),
    "hadamard": Hadamard(6, RATIO),
    "points of order 2": ProjectiveGeometry(7, RATIO, 2, 3),
    "points of order 3": ProjectiveGeometry(13, RATIO, 3, 3),
    "points of order 4": ProjectiveGeometry(20, RATIO, 4, 3),
    "hashing by 3": LocalHashing(8, RATIO, 3, 2),
    "hashing by 4": LocalHashing(10, RATIO, 4, 2),
    "sets of 2 of 7": SubsetSelection(7, RATIO, 7, 1, 2),
    "sets of 3 of 4": SubsetSelection(10, RATIO, 4, 2, 3),
}
#: Bytes of a linear congruence, which both languages can make.
BYTES = """
let state = 12345n;
globalThis.crypto.getRandomValues = (array) => array.map(() => {
  state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
  return Number(state >> 56n);
});
"""
DRAWS = 30_000


def congruence():
    state = 12345
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 56


def drawn(name, folder, monkeypatch, wrong=lambda program: program):
    """The reports of an input in the middle, by the Python sampler after its text is changed."""
    family = FAMILIES[name]
    path = md.sampler(ImplicitMechanism(family, notion=md.LDP(1.0)), folder / "drawn_sampler.py")
    path.write_text(wrong(path.read_text()))
    source = congruence()
    monkeypatch.setattr(os, "urandom", lambda size: bytes(next(source) for _ in range(size)))
    report = runpy.run_path(str(path))["report"]
    return [report(family.n // 2) for _ in range(DRAWS)]


def chance_of(name, reports):
    family = FAMILIES[name]
    law = [float(family.probability(family.n // 2, y)) for y in range(family.outputs)]
    return chi_square_chance(np.bincount(reports, minlength=family.outputs), np.array(law))


@pytest.mark.parametrize("name", FAMILIES)
def test_both_languages_draw_the_law_alike(name, tmp_path, monkeypatch):
    reports = drawn(name, tmp_path, monkeypatch)
    assert chance_of(name, reports) > 1e-4
    module = md.sampler(ImplicitMechanism(FAMILIES[name], notion=md.LDP(1.0)), tmp_path / "drawn.mjs")
    code = f"""
        import {{ mechanism, report }} from {json.dumps(module.as_uri())};
        {BYTES}
        console.log(JSON.stringify([mechanism.outputs.length, Array.from({{ length: 2000 }},
          () => report({FAMILIES[name].n // 2}))]));
    """
    (tmp_path / "asking.mjs").write_text(code, encoding="utf-8")
    ran = subprocess.run([programs.node(), str(tmp_path / "asking.mjs")], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [FAMILIES[name].outputs, reports[:2000]]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("response", "other + (other >= place)", "other"),
        ("hadamard", "_elements(place + 1)", "_elements(place)"),
        ("points of order 2", "any(drawn) or not nonzero", "True"),
        ("points of order 3", "_INVERSE[plane[last]]", "plane[last] and 1"),
        ("points of order 4", "_NEGATIVE[_dot(point, drawn)]", "0"),
        ("hashing by 3", "_COVERED + outside", "outside"),
        ("sets of 2 of 7", "_Q**_T - _FIRST", "_Q**_T"),
        ("sets of 3 of 4", "_below(_COVERED)", "_below(1)"),
        ("hashing by 4", "_PLUS[total]", "_PLUS[0]"),
    ],
)
def test_a_planted_error_is_caught(name, old, new, tmp_path, monkeypatch):
    def wrong(program):
        assert old in program
        return program.replace(old, new)

    try:
        reports = drawn(name, tmp_path, monkeypatch, wrong)
    except (IndexError, ValueError):
        return
    family = FAMILIES[name]
    assert min(reports) < 0 or max(reports) >= family.outputs or chance_of(name, reports) < 1e-9


def test_a_million_answers_need_no_list(tmp_path):
    path = md.sampler(md.baselines.projective_response(md.Problem(n=10**6), 1.0), tmp_path / "words_sampler.py")
    assert path.stat().st_size < 10_000 and "range(1000000)" in path.read_text()
