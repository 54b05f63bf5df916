"""Comparisons of many inputs: the family beside known mechanisms by formula, and no matrix."""

from __future__ import annotations

import math
import tracemalloc

import pytest

import mechdesign as md
from mechdesign.errors import UnsupportedError
from mechdesign.question import Question
from mechdesign.rivals.without_matrix import rivals_of

PEOPLE, LEVEL, ASKED = md.Problem(n=5000), md.LDP(1.0), md.InformationDesign("A")


def test_the_family_stands_beside_known_mechanisms_without_a_matrix():
    tracemalloc.start()
    try:
        found = md.compare(PEOPLE, LEVEL, ASKED, gap=1e-2)
        said = str(found)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # One matrix would have 200 MB.
    assert peak < 50e6
    assert [(row.route, row.outcome) for row in found] == [("family", "certified")] and found.consistent
    assert found[0].value == md.design(PEOPLE, LEVEL, ASKED, gap=1e-2).value
    names = {"no privacy", "subset selection", "local hashing", "k-ary response", "Hadamard response"}
    assert names < {rival.name for rival in found.rivals} and all(name in said for name in names)
    assert "all other routes: they make a matrix of 5000 inputs" in said


def test_own_mechanisms_stand_beside_it_by_formula():
    strong, weak = (md.baselines.projective_response(PEOPLE, epsilon, order=3) for epsilon in (1.0, 1.5))
    found = md.compare(PEOPLE, LEVEL, ASKED, mechanisms={"same": strong, "weaker": weak})
    same, weaker = found.rivals[:2]
    assert (same.name, same.private, same.note) == ("same", True, "yours") and not weaker.private
    # The definition: frequencies of 1/n, covers that are binomial.
    own, other = float(strong.family.own), float(strong.family.other)
    share = other + (own - other) / 5000
    assert same.value == pytest.approx(5000 * share * (1.0 - share) / (own - other) ** 2, rel=1e-3)
    assert same.value >= found[0].bound and "matrix" not in vars(strong)


def test_known_mechanisms_have_more_outputs_than_are_allowed():
    found = rivals_of(Question(PEOPLE, LEVEL, ASKED, 5))
    assert [rival.name for rival in found if rival.private and math.isfinite(rival.value)] == []


def test_matrices_that_have_no_memory_are_refused():
    people, asked = md.Problem(n=20_000), md.InformationDesign("D")
    with pytest.raises(UnsupportedError, match="20000 inputs"):
        rivals_of(Question(people, LEVEL, asked))
    found = md.compare(people, LEVEL, asked)
    assert found.rivals == () and all(math.isnan(row.value) for row in found)
