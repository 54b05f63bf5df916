"""The structured interior point against a packaged solver on the same program, written as rows."""

from __future__ import annotations

import numpy as np
import pytest

from mechdesign.notions import Band, Cone
from mechdesign.solve.interior_point.primal_dual import solve_band
from mechdesign.solve.routes.columns import decision_program
from mechdesign.solve.solvers.linear import solve_linear


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
@pytest.mark.parametrize("massive", [False, True])
@pytest.mark.parametrize(("n", "decisions"), [(1, 1), (2, 3), (5, 2), (12, 30)])
def test_it_agrees_with_a_packaged_solver(n: int, decisions: int, massive: bool, epsilon: float) -> None:
    rng = np.random.default_rng(n)
    prior = rng.dirichlet(np.ones(n))
    gains = rng.normal(size=(decisions, n)) * prior
    gains /= np.abs(gains).max()
    high = float(np.exp(epsilon))
    band = Band(1 / high, high, prior) if massive else Band(1.0, high, None)
    found = solve_band(band, gains)
    cone = Cone.band(np.eye(n), band.low, band.high, band.middle)
    program, _ = decision_program(cone, gains)
    other = solve_linear(program, "HIGHS")
    optimum = -float(program.cost @ other.point)
    assert found.status == "optimal"
    assert np.vdot(gains.T, found.columns) == pytest.approx(optimum, abs=2e-8)
    # Strong duality: the rows' multipliers add up to the optimum, as every row's right-hand side is one.
    assert found.rows.sum() == pytest.approx(optimum, abs=2e-8)
    assert np.abs(found.columns.sum(axis=1) - 1).max() < 1e-8
    middle = prior @ found.columns if massive else found.columns.min(axis=0)
    assert np.all(found.columns <= high * middle + 1e-9) and np.all(found.columns >= band.low * middle - 1e-9)
