"""ECOS may be missing: it has no wheels from Python 3.13 on."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.solvers import solver

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
WORST = md.WorstCaseLoss(1 - np.eye(3))


@pytest.fixture(autouse=True)
def without_ecos(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    find = importlib.util.find_spec

    def found(name: str, *rest: Any) -> Any:
        return None if name == "ecos" else find(name, *rest)

    solver._is_found.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", found)
    monkeypatch.setitem(sys.modules, "ecos", None)
    yield
    solver._is_found.cache_clear()


def test_it_is_not_listed() -> None:
    assert md.installed_solvers() == ["STRUCTURED", "HIGHS", "CLARABEL", "SCS"]


def test_every_route_answers_without_it() -> None:
    assert md.design(SURVEY, md.LDP(1.0), WORST).gap <= 1e-6
    assert md.design(SURVEY, md.LDP(1.0), WORST, solver=["CLARABEL", "SCS"]).gap <= 1e-6
    table = md.compare(SURVEY, md.LDP(1.0), md.MMSE())
    assert "ECOS" not in {row.solver for row in table} and table.consistent


def test_who_asks_for_it_hears_how_to_have_it() -> None:
    with pytest.raises(md.SolverError, match=r'not installed: pip install "mechdesign\[ecos\]", or choose one of STR'):
        md.design(SURVEY, md.LDP(1.0), WORST, solver="ECOS")


def test_it_is_required_where_it_has_wheels_and_an_extra_everywhere() -> None:
    said = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line for line in said["dependencies"] if "ecos" in line] == ["ecos>=2.0.13; python_version < '3.13'"]
    assert said["optional-dependencies"]["ecos"] == ["ecos>=2.0.13"]
