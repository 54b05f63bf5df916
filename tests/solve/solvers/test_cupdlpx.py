"""cuPDLPx, by a stand-in that answers as its Python interface does: float32 answers give true bounds."""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading, solver_limit
from mechdesign.solve.solvers import cupdlpx, highs, solver
from mechdesign.solve.solvers.linear_program import LinearProgram, by_rows
from mechdesign.testing.clock import CountingClock

SURVEY = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0, 1, 2, 3])
ERROR = md.AbsoluteError()


class StandIn:
    """The interface of `cupdlpx.Model` over the simplex method of HiGHS, rounded to float32."""

    params: ClassVar[dict[str, Any]] = {}
    duals: ClassVar[float] = 1.0
    answers: ClassVar[bool] = True

    def __init__(
        self,
        objective_vector: Any,
        constraint_matrix: Any,
        constraint_lower_bound: Any,
        constraint_upper_bound: Any,
        variable_lower_bound: Any,
    ) -> None:
        assert not np.any(variable_lower_bound)
        given = objective_vector, constraint_matrix, constraint_lower_bound, constraint_upper_bound
        self.program = LinearProgram(*given)
        self.X = self.Pi = self.StatusName = None
        self.Status, self.IterCount = -1, 0

    def setParams(self, **given: Any) -> None:  # noqa: N802 - the interface's own name
        type(self).params = {**self.params, **given}

    def optimize(self) -> None:
        if not self.answers:
            return
        found = highs.solve(self.program, interior=False, time_limit=None, verbose=False)
        self.X, self.Pi = found.point.astype(np.float32), self.duals * found.multipliers.astype(np.float32)
        self.Status, self.IterCount = 0, 1234


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = types.ModuleType("cupdlpx")
    module.__spec__ = importlib.machinery.ModuleSpec("cupdlpx", None)
    module.Model = StandIn  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupdlpx", module)
    monkeypatch.setattr(StandIn, "params", {})
    found = solver._is_found
    found.cache_clear()
    yield
    found.cache_clear()


def test_a_float32_answer_is_exactly_private_and_has_a_true_bound():
    best = md.design(SURVEY, md.LDP(1.0), ERROR)
    made = md.design(SURVEY, md.LDP(1.0), ERROR, route="columns", solver="cupdlpx", gap=1e-4)
    assert made.solver_stats.name == "CUPDLPX" and made.solver_stats.iterations == 1234
    assert made.audit.holds and made.bound <= best.value * (1 + 1e-12) <= made.value * (1 + 2e-12)
    assert made.gap <= 1e-5


def test_it_is_listed_where_it_is_installed_and_hears_limits():
    assert md.installed_solvers()[-1] == "CUPDLPX"
    program = LinearProgram(np.array([1.0, 2.0]), by_rows(np.array([[1.0, 1.0]])), np.ones(1), np.ones(1))
    with reading(CountingClock(1e-3)):
        # Without a clock that goes on a solver has all the time there is.
        limit = solver_limit(50.0)
        found = cupdlpx.solve(program, interior=True, time_limit=50.0, verbose=False)
    assert found.point.tolist() == [1.0, 0.0] and found.multipliers.tolist() == [1.0]
    assert StandIn.params["OptimalityTol"] == 1e-8 and not StandIn.params["OutputFlag"]
    assert StandIn.params["TimeLimit"] == limit


@pytest.mark.parametrize("factor", [-1.0, 0.5, 2.0])
def test_planted_wrong_multipliers_give_a_wide_gap_and_no_false_bound(monkeypatch, factor):
    best = md.design(SURVEY, md.LDP(1.0), ERROR)
    monkeypatch.setattr(StandIn, "duals", factor)
    with pytest.warns(md.GapWarning):
        made = md.design(SURVEY, md.LDP(1.0), ERROR, route="columns", solver="CUPDLPX")
    assert made.bound <= best.value * (1 + 1e-12) and made.gap > 1e-3


def test_no_answer_and_no_gpu_are_said_in_a_sentence(monkeypatch):
    def refused() -> str:
        with pytest.warns(md.GapWarning, match="route known"):
            return md.design(SURVEY, md.LDP(1.0), ERROR, route="columns", solver="CUPDLPX").refusals["columns"]

    monkeypatch.setattr(StandIn, "answers", False)
    assert "CUPDLPX stopped without a solution (-1)" in refused()
    # The package is there, its library is not.
    monkeypatch.setattr(solver, "_is_found", lambda module: True)
    monkeypatch.setitem(sys.modules, "cupdlpx", None)
    assert "it needs an NVIDIA GPU with CUDA; choose another solver" in refused()


def test_who_asks_for_it_hears_how_to_have_it(monkeypatch):
    monkeypatch.setattr(solver, "_is_found", lambda module: module != "cupdlpx")
    with pytest.raises(md.SolverError, match=r"not installed: pip install cupdlpx, or choose one of STR"):
        md.design(SURVEY, md.LDP(1.0), ERROR, solver="CUPDLPX")
