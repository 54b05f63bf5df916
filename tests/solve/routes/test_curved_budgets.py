"""Budgets with a curved side at many inputs: certified, at hand where a solver fails, and checked in little time."""

from itertools import count

import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines.strongest import strongest_known
from mechdesign.columns import power_budget, square_ball
from mechdesign.errors import SolverError
from mechdesign.exact import dyadic
from mechdesign.solve.routes import directions

NOTIONS = {
    "Sibson of order 2": md.SibsonLeakage(0.15, 2.0),
    "Sibson of order 3": md.SibsonLeakage(0.15, 3.0),
    "information": md.MutualInformationPrivacy(0.1),
}


def two_populations(n, rng):
    """Return a problem of n inputs, and the distributions of two populations."""
    problem = md.Problem(prior=rng.dirichlet(np.full(n, 2.0)))
    return problem, {"first": rng.dirichlet(np.full(n, 2.0)), "second": rng.dirichlet(np.full(n, 2.0))}


@pytest.mark.parametrize("name", NOTIONS)
def test_divergences_are_certified_at_forty_inputs(name, rng):
    problem, populations = two_populations(40, rng)
    made = md.design(problem, NOTIONS[name], md.KLDivergence(**populations), gap=1e-5)
    assert made.route == "directions" and made.gap <= 1e-5


def squared_error_in_a_ball(epsilon):
    """Return the design of the mean squared error of twenty inputs under a bound of the chi-square divergence."""
    rng = np.random.default_rng(1)
    problem = md.Problem(prior=rng.dirichlet(np.full(20, 2.0)), values=np.arange(20.0))
    return md.design(problem, md.StrongChiSquare(epsilon), md.MMSE())


@pytest.mark.parametrize("epsilon", [0.01, 0.29, 0.3, 1.0, 2.0])
def test_a_ball_of_any_size_is_certified_at_twenty_inputs(epsilon):
    assert squared_error_in_a_ball(epsilon).gap <= 1e-6


def test_a_cone_of_deviations_from_the_mass_is_seen_to_fail_in_a_large_ball(monkeypatch):
    monkeypatch.setattr(square_ball, "LARGE", np.inf)
    with pytest.warns(md.GapWarning):
        assert squared_error_in_a_ball(2.0).gap > 1e-2


@pytest.mark.parametrize("failing", ["first", "second", "every second"])
def test_a_solver_that_fails_in_a_round_stops_no_search(failing, monkeypatch, rng):
    problem, populations = two_populations(6, rng)
    notion, divergence = md.SibsonLeakage(0.1, 2.0), md.KLDivergence(**populations)
    whole = md.design(problem, notion, divergence)
    calls, program = count(), directions._program

    def fails(call):
        return {"first": call == 0, "second": call == 1, "every second": call % 2 == 1}[failing]

    def sometimes(*given):
        if fails(next(calls)):
            raise SolverError("it gave up", status="failed")
        return program(*given)

    monkeypatch.setattr(directions, "_program", sometimes)
    made = md.design(problem, notion, divergence, gap=1e-5)
    assert next(calls) > 1
    assert made.route == "directions" and made.value == pytest.approx(whole.value, rel=1e-4)
    assert made.gap <= 1e-5


def test_an_exponent_is_certified_at_thirty_inputs(rng):
    problem, populations = two_populations(30, rng)
    made = md.design(problem, NOTIONS["Sibson of order 2"], md.ChernoffExponent(**populations), gap=1e-3)
    assert made.route == "orders" and made.gap <= 1e-3


def test_designs_at_further_orders_start_from_columns_that_are_known(monkeypatch, rng):
    problem, populations = two_populations(8, rng)
    program, calls = directions._program, []
    monkeypatch.setattr(directions, "_program", lambda *given: calls.append(given) or program(*given))
    asked = problem, md.SibsonLeakage(0.1, 2.0), md.ChernoffExponent(**populations)
    one = md.design(*asked, gap=1e-4)
    with_known = len(calls)
    monkeypatch.setattr(directions, "MOST_KNOWN", 0)
    other = md.design(*asked, gap=1e-4)
    assert one.value == pytest.approx(other.value, rel=2e-4)
    assert with_known < 0.8 * (len(calls) - with_known)


def test_a_large_matrix_of_one_output_is_known_to_be_private(rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(260)), values=np.arange(260))
    with pytest.warns(md.GapWarning):
        made = md.design(problem, md.MutualInformationPrivacy(0.1), md.AbsoluteError(), route="known")
    assert made.value <= float(np.abs(np.subtract.outer(np.arange(260), np.arange(260))).T[130] @ problem.prior)


def test_an_exact_check_takes_one_power_for_each_value_of_a_column(monkeypatch, rng):
    problem, notion = md.Problem(prior=rng.dirichlet(np.ones(12))), md.SibsonLeakage(0.3, 2.5)
    (name, response, _) = next(iter(strongest_known(notion, problem, md.MutualInformation())))
    powers, above = [], power_budget.power_above
    monkeypatch.setattr(power_budget, "power_above", lambda *given: powers.append(given) or above(*given))
    power_budget._norms_above.cache_clear()
    assert notion.holds_exactly(dyadic(response.matrix), problem), name
    columns = response.matrix.T
    assert 0 < len(powers) == sum(len(set(column)) + 1 for column in columns) < response.matrix.size / 2
