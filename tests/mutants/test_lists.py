"""The lists of mutants speak of code that is there."""

import pytest

from tests.mutants.__main__ import equivalents
from tests.mutants.groups import GROUPS, ROOT
from tests.mutants.mutant import named


def test_each_named_mutant_changes_one_place():
    """`text` asserts that what it replaces stands once in its file."""
    for mutant in named():
        assert mutant.text() != (ROOT / mutant.path).read_text(encoding="utf-8"), mutant.what
        assert all((ROOT / each).exists() for each in mutant.tests), mutant.what


@pytest.mark.parametrize("change", equivalents())
def test_each_equivalent_change_takes_out_a_line_that_is_there(change):
    path, *lines = change.splitlines()
    text = (ROOT / path).read_text(encoding="utf-8").splitlines()
    assert all(line[1:] in text for line in lines if line.startswith("-"))


def test_each_group_has_sources_and_tests():
    for group in GROUPS.values():
        assert group.files() and all((ROOT / each).exists() for each in group.tests)
