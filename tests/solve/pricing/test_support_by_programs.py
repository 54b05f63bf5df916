"""Support functions by programs: sound whatever multipliers a solver returns, and exact at the largest value."""

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing import support_by_programs as programs
from mechdesign.solve.pricing.support import support

PLACES = np.stack(np.meshgrid(np.arange(4.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
STREETS = np.abs(PLACES[:, None] - PLACES).sum(axis=2)
NOTION, PROBLEM = md.MetricDP(1.0, STREETS), md.Problem(n=20)
FUNCTIONALS = np.sin(np.arange(240.0)).reshape(12, 20)


@pytest.fixture
def careless(monkeypatch):
    """A solver for many programs that returns nine tenths of each multiplier."""
    own = programs.solve_costs

    def solved(program, costs):
        return [replace(each, multipliers=0.9 * each.multipliers) for each in own(program, costs)]

    return lambda: monkeypatch.setattr(programs, "solve_costs", solved)


def test_the_largest_value_is_as_good_as_that_of_another_solver(careless):
    exact = support(NOTION, PROBLEM, FUNCTIONALS).values
    careless()
    plain = support(NOTION, PROBLEM, FUNCTIONALS).values
    largest = support(NOTION, PROBLEM, FUNCTIONALS, for_largest=True).values
    assert np.all(plain >= exact - 1e-9) and plain.max() > exact.max() + 1e-3
    assert np.all(largest >= exact - 1e-9) and largest.max() <= exact.max() + 1e-7


def test_a_second_solver_that_fails_leaves_what_is_known(careless, monkeypatch):
    def failing(*arguments, **options):
        raise programs.SolverError("no", status="no")

    careless()
    plain = support(NOTION, PROBLEM, FUNCTIONALS).values
    monkeypatch.setattr(programs, "solve_linear", failing)
    assert np.array_equal(support(NOTION, PROBLEM, FUNCTIONALS, for_largest=True).values, plain)
