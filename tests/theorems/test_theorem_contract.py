"""Every theorem's contract: an error in its constant or its domain is caught, or it is said why not."""

import re
from collections import Counter

import pytest

from mechdesign.referee.row import row_of
from mechdesign.referee.verdict import Ruling
from mechdesign.testing import check_theorem
from mechdesign.theorems import NotCheckable, Theorem, all_theorems, recorded, statements
from mechdesign.theorems.variables import Seed, Variable

#: The statements of the papers that were numbered, of ours, and of what was found, by folder.
COUNTS = {
    "found": 13,
    "geumlek": 26,
    "jiang_bounded_prior": 26,
    "jiang_lip": 60,
    "ours": 55,
    "pan": 2,
    "yoshida": 27,
    "zamani": 43,
}


def test_every_statement_has_a_row_with_its_theorem_or_a_reason():
    found = statements()
    assert Counter(key.split("/")[0] for key in found) == COUNTS
    assert list(recorded()) == list(found)
    for key, row in recorded().items():
        assert (row.verdict == "not checkable") == isinstance(found[key], NotCheckable)
        assert row.verdict != "inconclusive"
        assert row.points >= 2 or row.verdict == "not checkable"


@pytest.mark.parametrize("key", [key for key in all_theorems() if key.startswith(("ours/", "found/"))])
def test_a_statement_of_ours_says_where_it_was_published(key):
    theorem = all_theorems()[key]
    row = row_of(theorem, Ruling("holds", "", "", 2, 0.0, False, None))
    assert re.search(r"\b(19|20)\d\d\b|not published|elementary|proved|conjecture", theorem.origin)
    assert f"origin: {theorem.origin}" in row.particulars and "origin:" in str(row)


def test_what_was_tried_says_from_where():
    variables = {variable for theorem in all_theorems().values() for variable in theorem.family.variables.values()}
    kinds = {type(variable) for variable in variables}
    assert len(kinds) >= 10
    assert [kind for kind in kinds - {Seed} if kind.in_words is Variable.in_words] == []


def test_what_may_be_handed_out_is_what_was_confirmed():
    for key, row in recorded().items():
        claim = statements()[key]
        assert row.answers == (not isinstance(claim, NotCheckable) and claim.form is not None)
        # Words and verdict belong together.
        correction = isinstance(claim, Theorem) and row.verdict == "misprinted" and claim.corrected_domain
        assert bool(row.condition) == (row.verdict == "holds under a narrower condition" or bool(correction))
        assert bool(row.counterexample) == (row.verdict not in {"holds", "not checkable"})


@pytest.mark.thinned(4)
@pytest.mark.parametrize("key", list(all_theorems()))
def test_a_planted_error_in_a_theorem_is_caught(key):
    check_theorem(all_theorems()[key], recorded()[key].verdict)
