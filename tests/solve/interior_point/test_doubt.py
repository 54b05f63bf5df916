"""Programs over the pairs in doubt against the same programs over all pairs: from good guesses and from bad ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.notions import Band
from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point import variable_fixing as doubt
from mechdesign.solve.interior_point.free_variables import SomePairs
from mechdesign.solve.interior_point.newton import Program, System
from mechdesign.solve.interior_point.primal_dual import solve_band
from mechdesign.solve.interior_point.rank_one_plus_sparse import Lifted, Places
from mechdesign.solve.interior_point.variable_fixing import Guess, solve_guessed


def posed(n: int, count: int, epsilon: float, seed: int) -> tuple[Band, Array, Array]:
    """Return a band about a skewed mass, gains of squared error over decisions, and each input's value."""
    rng = np.random.default_rng(seed)
    prior, values = rng.dirichlet(np.full(n, 0.5)) + 1e-6, rng.normal(size=n)
    prior /= prior.sum()
    high = float(np.exp(epsilon))
    t = np.linspace(values.min(), values.max(), count)
    gains = prior * (2.0 * t[:, None] * values - t[:, None] ** 2)
    return Band(1 / high, high, prior), gains / np.abs(gains).max(), values


def worth(gains: Array, columns: Array) -> float:
    return float(np.vdot(gains.T, columns))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("margin", [1e-4, 1e-2, 1.0])
def test_what_is_found_solves_the_whole_program(
    epsilon: float, seed: int, margin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubt, "WHOLE", 0)
    band, gains, _ = posed(60, 40, epsilon, seed)
    whole = solve_band(band, gains)
    coarse = solve_band(band, gains[::3])
    found = solve_guessed(band, gains, Guess(coarse.rows, margin * np.abs(gains).max()))
    optimum = worth(gains, whole.columns)
    assert worth(gains, found.columns) == pytest.approx(optimum, abs=1e-6 * abs(optimum) + 1e-8)
    assert found.rows.sum() == pytest.approx(optimum, abs=1e-6 * abs(optimum) + 1e-8)
    # Every decision's price is what it is under multipliers of the whole program: none is left to gain.
    assert doubt._priced(band, gains, found.rows)[2] < 1e-6
    assert np.abs(found.columns.sum(axis=1) - 1).max() < 1e-7
    middle = band.middle @ found.columns
    assert np.all(found.columns <= band.high * middle + 1e-8) and np.all(found.columns >= band.low * middle - 1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_a_guess_that_is_nonsense_costs_time_and_nothing_else(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubt, "WHOLE", 0)
    band, gains, _ = posed(40, 25, 2.0, seed)
    nonsense = Guess(np.random.default_rng(seed).normal(size=40), 1e-6)
    optimum = worth(gains, solve_band(band, gains).columns)
    found = solve_guessed(band, gains, nonsense)
    assert worth(gains, found.columns) == pytest.approx(optimum, abs=1e-6 * abs(optimum) + 1e-8)
    assert found.rows.sum() == pytest.approx(optimum, abs=1e-6 * abs(optimum) + 1e-8)


def test_pairs_that_are_held_and_never_asked_again_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubt, "WHOLE", 0)
    monkeypatch.setattr(doubt, "MISSED", np.inf)
    band, gains, _ = posed(40, 25, 2.0, 0)
    nonsense = Guess(np.random.default_rng(0).normal(size=40), 1e-6)
    optimum = worth(gains, solve_band(band, gains).columns)
    assert worth(gains, solve_guessed(band, gains, nonsense).columns) < optimum * (1 - 1e-3)


def test_some_pairs_that_are_all_give_the_direction_of_all() -> None:
    band, gains, _ = posed(30, 12, 1.0, 1)
    every = Program(band, gains)
    all_of_them = np.ones((30, 12), dtype=bool)
    some = Program(band, gains, SomePairs(all_of_them, ~all_of_them))
    found = []
    for program in (every, some):
        point = program.start()
        d = System(program, point).direction(program.residuals(point), -point.z, -point.s)
        assert d is not None
        found.append(np.concatenate([d.z.ravel(), d.t, d.rows, d.masses]))
    assert np.allclose(*found, rtol=1e-9, atol=1e-12)


def test_a_held_pair_is_an_unknown_that_has_come_to_its_end() -> None:
    """Where the optimum has z = t or z = 0, holding it there changes nothing."""
    band, gains, _ = posed(30, 12, 2.0, 2)
    whole = solve_band(band, gains)
    surplus, _, _ = doubt._priced(band, gains, whole.rows)
    free = doubt._in_doubt(surplus, 0.3 * float(np.median(np.abs(surplus))))
    full = (surplus > 0) & ~free
    assert full.any() and not (free | full).all()
    found = solve_band(band, gains, some=SomePairs(free, full))
    assert worth(gains, found.columns) == pytest.approx(worth(gains, whole.columns), abs=2e-8)
    # Held at their other ends, these pairs leave no mechanism: rows do not add up to one.
    wrong = solve_band(band, gains, some=SomePairs(free, ~free & ~full))
    assert wrong.status == "stalled" and np.abs(wrong.columns.sum(axis=1) - 1).max() > 0.1


@pytest.mark.parametrize("share", [0.02, 0.6])
def test_lifted_matrices_are_what_their_arrays_are(share: float) -> None:
    rng = np.random.default_rng(0)
    chosen = rng.random((20, 15)) < share
    base, entries = rng.normal(size=15), rng.normal(size=chosen.sum())
    matrix = np.tile(base, (20, 1))
    matrix[chosen] += entries
    lifted = Lifted(base, entries, Places.of(chosen))
    across, down, by = rng.normal(size=15), rng.normal(size=20), rng.normal(size=15)
    assert np.allclose(lifted @ across, matrix @ across)
    assert np.allclose(down @ lifted, down @ matrix)
    assert np.allclose((lifted * by + lifted).dense(), matrix * by + matrix)
    assert np.allclose(lifted.gram(), matrix @ matrix.T)
    assert not np.allclose(replace(lifted, base=base + 1e-3).gram(), matrix @ matrix.T)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("kind", ["MMSE", "FisherInformation"])
def test_a_design_with_guesses_is_the_one_without(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    problem = md.Problem(prior=rng.dirichlet(np.ones(60)), values=rng.normal(size=60))
    theta = rng.dirichlet(np.ones(60))
    objective = md.MMSE() if kind == "MMSE" else md.FisherInformation(theta, theta - rng.dirichlet(np.ones(60)))
    without = md.design(problem, md.LIP(2.0), objective, route="columns")
    monkeypatch.setattr(doubt, "WHOLE", 0)
    asked: list[bool] = []
    monkeypatch.setattr(doubt, "solve_band", lambda *a, **k: asked.append(len(a) > 3) or solve_band(*a, **k))
    with_them = md.design(problem, md.LIP(2.0), objective, route="columns")
    assert any(asked)
    assert with_them.gap <= 1e-6 and without.gap <= 1e-6
    assert with_them.value == pytest.approx(without.value, rel=2e-6)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("notion", [md.LIP(2.0), md.MaxLift(1.0)])
def test_inputs_of_next_to_no_mass_warn_of_nothing(
    notion: md.LIP | md.MaxLift, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubt, "WHOLE", 0)
    rng = np.random.default_rng(6)
    prior = np.concatenate([np.full(3, 1e-310), rng.dirichlet(np.ones(57))])
    values = rng.normal(size=60)
    # What cannot be told from zero changes nothing: the optimum is that of the others.
    found = md.design(md.Problem(prior=prior, values=values), notion, md.MMSE(), route="columns")
    others = md.design(md.Problem(prior=prior[3:], values=values[3:]), notion, md.MMSE(), route="columns")
    assert found.gap <= 1e-6 and found.value == pytest.approx(others.value, rel=2e-6)
