"""The docstring of every public name is numpydoc, with its parameters, what it returns, and an example."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import docutils.nodes
import pytest
from docutils.core import publish_doctree
from numpydoc.validate import validate

from mechdesign import baselines, plotting
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.question.members_by_name import members

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "extensions"))
import plain_names

#: Not asked: See Also, an extended summary, and a capital first letter, since the formula comes first.
LEFT_OUT = {"SA01", "ES01", "SS02"}
FUNCTIONS = (
    *("Problem", "audit", "compare", "design", "frontier", "implies"),
    *("installed_solvers", "load", "report", "rounded", "sampler", "sweep"),
    *("HashedVocabulary", "KnownVocabulary", "PrefixSearch"),
)

KNOWN = tuple(f"baselines.{name}" for name in baselines.__all__)
PICTURES = tuple(f"plotting.{name}" for name in plotting.__all__)
METHODS = (
    *(f"Problem.{name}" for name in ("from_counts", "from_records", "from_joint")),
    *(
        f"Mechanism.{name}"
        for name in (
            "sample",
            "simulate",
            "estimate",
            "regression",
            "power",
            "people_needed",
            "posterior",
            "privacy_profile",
            "renyi_profile",
            "renyi_capacity",
        )
    ),
    *("KnownVocabulary.answers_of", "HashedVocabulary.bucket_of", "HashedVocabulary.frequencies"),
    *(f"PrefixSearch.{name}" for name in ("answers_of", "after", "kept_with")),
    "together",
    "Design.plot",
)


@pytest.mark.parametrize("name", [*members(Notion), *members(Objective), *FUNCTIONS, *KNOWN, *METHODS, *PICTURES])
def test_the_docstring_is_numpydoc(name):
    found = [f"{code}: {text}" for code, text in validate(f"mechdesign.{name}")["errors"] if code not in LEFT_OUT]
    assert not found, found


def lettered(lines):
    """Return the lists with letters that reStructuredText reads in a docstring: initials of names, mostly."""
    settings = {"report_level": 5, "halt_level": 5}
    read = publish_doctree("\n".join(lines), settings_overrides=settings)
    return [each.astext() for each in read.findall(docutils.nodes.enumerated_list) if each["enumtype"] != "arabic"]


@pytest.mark.parametrize("name", [*members(Notion), *members(Objective), *FUNCTIONS, *KNOWN, *METHODS, *PICTURES])
def test_no_initial_of_a_name_is_shown_as_a_list(name):
    import mechdesign

    found = mechdesign
    for part in name.split("."):
        found = getattr(found, part)
    assert not lettered(plain_names.plain(inspect.getdoc(found).splitlines()))


def test_an_initial_that_would_be_a_list_is_found():
    lines = ["References", "", "J. Duchi, M. Jordan, M. Wainwright, 2013.", ""]
    assert lettered(lines) and not lettered(plain_names.plain(lines))
