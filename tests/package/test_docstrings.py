"""The docstring of every public name is numpydoc, with its parameters, what it returns, and an example."""

from __future__ import annotations

import pytest
from numpydoc.validate import validate

from mechdesign import baselines, plotting
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.question.members_by_name import members

#: Not asked: See Also, an extended summary, and a capital first letter, since the formula comes first.
LEFT_OUT = {"SA01", "ES01", "SS02"}
FUNCTIONS = (
    *("Problem", "audit", "compare", "design", "frontier", "implies"),
    *("installed_solvers", "load", "report", "rounded", "sweep"),
)

KNOWN = tuple(f"baselines.{name}" for name in baselines.__all__)
PICTURES = tuple(f"plotting.{name}" for name in plotting.__all__)
METHODS = (
    *(f"Problem.{name}" for name in ("from_counts", "from_records", "from_joint")),
    *(f"Mechanism.{name}" for name in ("sample", "simulate", "estimate", "posterior", "privacy_profile")),
    "together",
    "Design.plot",
)


@pytest.mark.parametrize("name", [*members(Notion), *members(Objective), *FUNCTIONS, *KNOWN, *METHODS, *PICTURES])
def test_the_docstring_is_numpydoc(name):
    found = [f"{code}: {text}" for code, text in validate(f"mechdesign.{name}")["errors"] if code not in LEFT_OUT]
    assert not found, found
