"""The transport program: decisions in rounds, priced exactly over a band, against brute force and other routes."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.notions import Band
from mechdesign.solve.interior_point import newton
from mechdesign.solve.interior_point.schur_complement import ByDecisions, ByInputs
from mechdesign.solve.pricing.continuum_of_decisions import ratio_range
from mechdesign.solve.pricing.squared_ratio_on_band import BandPrice
from mechdesign.solve.pricing.support import support
from mechdesign.solve.search import line_of_decisions as transport
from mechdesign.testing.manners import within
from tests.helpers import brute_force as brute

NOTIONS = {
    "LIP": md.LIP,
    "max-lift": md.MaxLift,
    "asymmetric": lambda epsilon: md.AsymmetricLIP(0.7 * epsilon, 1.3 * epsilon),
}


def posed(n: int, seed: int) -> md.Problem:
    """Return a skewed prior with ties among the values."""
    rng = np.random.default_rng(seed)
    return md.Problem(prior=rng.dirichlet(np.full(n, 0.5)) * 0.999 + 0.001 / n, values=np.round(rng.normal(size=n), 1))


def objectives(n: int, seed: int) -> list[md.MMSE | md.FisherInformation]:
    """Return a utility about the prior and one about another distribution."""
    rng = np.random.default_rng(seed)
    theta, other = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    return [md.MMSE(), md.FisherInformation(theta, theta - other)]


@pytest.mark.parametrize("name", NOTIONS)
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("n", [2, 7, 40])
def test_the_price_over_a_band_is_the_largest_of_a_dense_sample(n: int, epsilon: float, name: str) -> None:
    problem, notion = posed(n, n), NOTIONS[name](epsilon)
    for objective in objectives(n, n):
        ratio = objective.ratio(problem)
        pricing = BandPrice.of(ratio, notion.columns(problem).cone())
        assert pricing is not None
        low, high = ratio_range(ratio, notion, problem)
        rng = np.random.default_rng(1)
        for multipliers in (np.zeros(n), rng.normal(size=n) * ratio.b, ratio.a * rng.normal(size=n)):
            dense = np.linspace(low, high, 4001)
            sampled = float(support(notion, problem, ratio.functionals(dense) - multipliers).values.max())
            size = float(np.abs(multipliers).sum()) + abs(sampled) + 1e-12
            priced = pricing.price(multipliers, np.linspace(low, high, 5), 1e-9 * size)
            assert priced.bound >= sampled - 1e-12 * size
            assert priced.bound <= float(priced.values.max()) + 2e-9 * size
            exact = support(notion, problem, ratio.functionals(priced.decisions) - multipliers).values
            assert np.abs(exact - priced.values).max() <= 1e-12 * size * max(1.0, np.abs(exact).max() / size)


@pytest.mark.parametrize("wrong", ["room", "low"])
def test_a_wrong_band_is_seen_by_the_sample(wrong: str) -> None:
    problem, notion = md.Problem(prior=np.full(7, 1 / 7), values=np.arange(7.0)), md.LIP(1.0)
    ratio = md.MMSE().ratio(problem)
    pricing = BandPrice.of(ratio, notion.columns(problem).cone())
    assert pricing is not None
    planted = replace(pricing, high=0.9 * pricing.high) if wrong == "room" else replace(pricing, low=1.1 * pricing.low)
    low, high = ratio_range(ratio, notion, problem)
    dense = np.linspace(low, high, 4001)
    sampled = float(support(notion, problem, ratio.functionals(dense)).values.max())
    assert planted.price(np.zeros(7), dense, 0.0).bound < sampled * (1 - 1e-3)


@pytest.mark.parametrize("massive", [False, True])
def test_both_reductions_give_one_direction(massive: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    n, count = 30, 12
    prior = rng.dirichlet(np.ones(n))
    program = newton.Program(Band(0.4, 2.5, prior) if massive else Band(1.0, 2.5, None), rng.normal(size=(count, n)))
    point = program.start()
    point.at_zero *= rng.uniform(0.5, 2.0, size=point.at_zero.shape)
    found = []
    for reduction in (ByDecisions, ByInputs):
        monkeypatch.setattr(newton, "ByDecisions", reduction)
        d = newton.System(program, point).direction(program.residuals(point), -point.z, -point.s)
        assert d is not None
        found.append(np.concatenate([d.z.ravel(), d.t, d.rows, d.masses]))
    assert np.allclose(*found, rtol=1e-9, atol=1e-9)
    # The direction removes what is missing.
    missing = program.residuals(point.moved(d, 1.0, 1.0))
    assert max(float(np.abs(part).max()) for part in missing) < 1e-9


def held_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, epsilon = int(rng.integers(2, 6)), float(rng.uniform(0.05, 5.0))
    problem = posed(n, seed)
    columns = brute.vertices(brute.lip_rows(problem.prior, epsilon), problem.prior)
    utilities = brute.squared_error(columns, problem.prior, problem.values)
    best = -brute.optimum(columns, -utilities)
    made = md.design(problem, md.LIP(epsilon), md.MMSE(), route="columns")
    assert made.value == pytest.approx(best, rel=2e-6, abs=1e-12), (seed, n, epsilon)
    assert made.gap <= 1e-6 and made.bound <= best + 1e-8 * abs(best) + 1e-14


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_optimum_of_brute_force(seed: int) -> None:
    held_against_brute_force(seed)


@pytest.mark.parametrize("name", NOTIONS)
def test_it_agrees_with_rays(name: str) -> None:
    for objective in objectives(8, 5):
        problem, notion = posed(8, 5), NOTIONS[name](1.5)
        rays, columns = (md.design(problem, notion, objective, route=route) for route in ("rays", "columns"))
        assert columns.value == pytest.approx(rays.value, rel=2e-6)
        assert columns.gap <= 1e-6


@pytest.mark.slow
def test_it_agrees_with_a_packaged_solver() -> None:
    problem = posed(30, 2)
    made = [md.design(problem, md.LIP(1.0), md.MMSE(), route="columns", solver=s) for s in ("STRUCTURED", "HIGHS")]
    assert made[0].value == pytest.approx(made[1].value, rel=2e-6)


def test_a_time_limit_returns_the_best_so_far_with_its_gap() -> None:
    problem = posed(200, 4)
    keywords = {"route": "columns", "time_limit": 0.3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = within(0.3 * 1.1 + 1.0, lambda: md.design(problem, md.LIP(3.0), md.MMSE(), **keywords))
    assert made.audit.holds and made.bound <= made.value
    assert made.gap == pytest.approx((made.value - made.bound) / made.value, rel=1e-6)


def test_an_interruption_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    from mechdesign.solve.programs import over_columns

    asked, solved = [], over_columns.solve_guessed

    def interrupted(*arguments: object) -> object:
        asked.append(1)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return solved(*arguments)

    monkeypatch.setattr(over_columns, "solve_guessed", interrupted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(posed(50, 4), md.LIP(2.0), md.MMSE(), route="columns")
    assert "interrupted" in made.note and "2 rounds" in made.note
    assert made.audit.holds and 0 < made.gap < 0.5


def test_without_spread_nothing_is_solved() -> None:
    made = md.design(md.Problem(prior=np.full(30, 1 / 30), values=np.ones(30)), md.LIP(1.0), md.MMSE())
    assert made.gap == 0 and made.value == 0 and made.matrix.shape[1] == 1


@pytest.mark.parametrize("spread", [1e-12, 1e12])
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_spreads_and_levels_at_their_ends(spread: float, epsilon: float) -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(size=25)
    problem = md.Problem(prior=np.full(25, 0.04), values=values * spread)
    made = md.design(problem, md.LIP(epsilon), md.MMSE(), route="columns")
    unit = md.design(md.Problem(prior=np.full(25, 0.04), values=values), md.LIP(epsilon), md.MMSE(), route="columns")
    assert made.gap <= 1e-6
    assert made.value / spread**2 == pytest.approx(unit.value, rel=1e-5, abs=1e-6)


@pytest.mark.slow
def test_next_to_no_privacy_the_error_is_next_to_none_and_the_gap_is_told() -> None:
    problem = posed(25, 6)
    with warnings.catch_warnings():
        # The gap is relative to an error of e^-50, or to a millionth of the variance.
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LIP(50.0), md.MMSE(), route="columns")
    variance = md.MMSE().uninformative(problem)
    assert made.audit.holds and 0 <= made.bound <= made.value <= 1e-8 * variance
    assert made.gap <= 1e-2


def test_an_atom_leaves_a_certificate() -> None:
    prior = np.full(20, 1e-4 / 19)
    prior[3] = 0.9999
    made = md.design(md.Problem(prior=prior, values=np.arange(20.0)), md.LIP(1.0), md.MMSE(), route="columns")
    assert made.gap <= 1e-6 and made.audit.holds


def test_decisions_are_kept_between_rounds() -> None:
    # Fewer than the first program's would mean that a round forgot some: the bound would go up and down.
    made = md.design(posed(60, 8), md.LIP(2.0), md.MMSE(), route="columns")
    assert int(made.note.split()[1]) >= transport.FIRST_DECISIONS
