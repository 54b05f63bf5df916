"""What no value of a hidden secret sees may be disclosed at every level: bounds and ranges of decisions know it."""

from importlib import import_module

import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.drawn import random_channel, random_prior
from mechdesign.notions import Rays
from mechdesign.solve.pricing import continuum_of_decisions as continuum
from mechdesign.solve.pricing import extreme_rays
from mechdesign.solve.pricing.continuum_of_decisions import ratio_range
from mechdesign.solve.pricing.exact_rays import exact_rays
from mechdesign.testing.unseen_by_secret import (
    UnseenQuestion,
    nearly_alike_question,
    nothing_unseen_is_left_out,
    nothing_unseen_passes,
    unseen_columns,
    unseen_question,
)

all_rays = import_module("mechdesign.solve.pricing.all_rays")

#: Questions of the gate, and of the slow tests.
FEW, MANY, MANY_BOUNDS = 60, 5000, 600

pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.errors.GapWarning")


def next_to_nothing(rng):
    """Return a question whose bound was once 8.757567e-07, where an unseen mechanism has 8.743322e-07."""
    prior = np.array([1.000997995001016e-06, 1.000997995001016e-06, 0.9999969970060151, 1.000997995001016e-06])
    channel = np.array(
        [
            [0.012017065110934026, 0.04333023735137185, 0.03248399337633565, 0.09819310324893653],
            [0.003436338675889044, 0.0008046129261083468, 0.001272026991746605, 0.9018064537807826],
        ]
    )
    values = [0.05806411781477509, -0.4838411861601846, 0.3792473696621651, 0.21552012355126135]
    problem = md.Problem(prior=prior / prior.sum(), values=values)
    problem = problem.hidden(np.vstack([channel, 1.0 - channel.sum(axis=0)]))
    return UnseenQuestion(problem, md.StrongL1(1e-10), md.MMSE(), unseen_columns(problem, rng))


def questions(first, last):
    return [unseen_question(np.random.default_rng([12, seed])) for seed in range(first, last)]


def test_unseen_columns_are_what_they_are_said_to_be(rng):
    for asked in questions(0, 20):
        problem = asked.problem
        for column in asked.columns:
            assert max(column) == 1 and min(column) == 0
            seen = problem.exactly_seen_by_secret(np.eye(problem.n, dtype=int).astype(object))
            given = {sum(int(w) * v for w, v in zip(row, column, strict=True)) for row in seen}
            assert len(given) == 1


NUMBERS = [*range(FEW), *(pytest.param(number, marks=pytest.mark.slow) for number in range(FEW, MANY_BOUNDS))]


@pytest.mark.thinned(36)
@pytest.mark.parametrize("number", NUMBERS)
def test_no_unseen_mechanism_passes_a_bound(number):
    (asked,) = questions(number, number + 1)
    nothing_unseen_is_left_out(ratio_range, asked)
    try:
        made = md.design(asked.problem, asked.notion, asked.objective)
    except (md.DomainError, md.UnsupportedError):
        # A notion without hidden secrets, or a divergence that is infinite here.
        return
    nothing_unseen_passes(asked, made.bound)


def test_no_unseen_mechanism_passes_the_bound_at_next_to_no_mass(rng):
    asked = next_to_nothing(rng)
    nothing_unseen_is_left_out(ratio_range, asked)
    made = md.design(asked.problem, asked.notion, asked.objective)
    nothing_unseen_passes(asked, made.bound)
    assert made.gap < 0.01


@pytest.mark.slow
def test_no_unseen_column_is_left_out_of_many_ranges():
    for asked in questions(0, MANY):
        nothing_unseen_is_left_out(ratio_range, asked)


def as_before(ratio, notion, problem):
    """Return the range as it once was: a margin that nothing proves is 0, and a low end stays beyond half of itself."""
    low, high = (continuum._end(sign, ratio, notion, problem) for sign in (-1.0, 1.0))
    margin = 1e-9 * (high.reached - low.reached) + 4e-16 * max(abs(low.reached), abs(high.reached))
    below, above = (max(margin, end.beyond if np.isfinite(end.beyond) else 0.0) for end in (low, high))
    return (max(low.reached - below, low.reached / 2) if low.reached > 0 else low.reached - below), high.reached + above


def by_nothing_proved(*_):
    return continuum._End(1.0, np.inf)


def test_a_range_whose_margin_is_not_proved_is_caught(rng, monkeypatch):
    asked = next_to_nothing(rng)
    monkeypatch.setattr(continuum, "_end", by_nothing_proved)
    with pytest.raises(AssertionError, match="outside of the range"):
        nothing_unseen_is_left_out(as_before, asked)
    continuum._range_in_time.cache_clear()
    nothing_unseen_is_left_out(ratio_range, asked)


def test_a_bound_that_an_unseen_mechanism_passes_is_caught(rng):
    with pytest.raises(AssertionError, match="beyond that of the bound"):
        nothing_unseen_passes(next_to_nothing(rng), 8.757567210219236e-07)


#: Of nearly equal rows: questions of the gate, and of the slow tests.
FEW_ALIKE, MANY_ALIKE = 40, 600


def nearly_alike(number):
    return nearly_alike_question(np.random.default_rng([13, number]))


ALIKE = [*range(FEW_ALIKE), *(pytest.param(k, marks=pytest.mark.slow) for k in range(FEW_ALIKE, MANY_ALIKE))]


@pytest.mark.thinned(24)
@pytest.mark.parametrize("number", ALIKE)
def test_no_unseen_mechanism_passes_a_bound_where_secrets_are_nearly_alike(number):
    asked = nearly_alike(number)
    nothing_unseen_is_left_out(ratio_range, asked)
    nothing_unseen_passes(asked, md.design(asked.problem, asked.notion, asked.objective).bound)


def total_variation_at_zero():
    """Return a question of nearly equal rows whose enumerated rays were once wrong."""
    channel = np.array(
        [
            [0.4099108071996317, 0.40991080849734324, 0.409910782628043, 0.4099107696148633, 0.4099108030752487],
            [0.05295552771301621, 0.05295546707232085, 0.05295551396436958, 0.052955506922271314, 0.052955495736245514],
            [0.14278001502435453, 0.14278004022429017, 0.1427800013939634, 0.14278003479599163, 0.1427800072837235],
            [0.39435365006299744, 0.3943536842060456, 0.39435370201362413, 0.39435368866687387, 0.3943536939047822],
        ]
    )
    least = 1.7934331836381847e-09
    problem = md.Problem(prior=[0.540285077678731, least, least, 0.45971491694096933, least]).hidden(channel)
    first = [0.058722535261813286, 0.0018515037692385602, 0.5006068054099164, 0.41212714865659006, 0.026692006902441553]
    second = [0.2920305697030034, 0.038565328019162064, 0.12427796507075303, 0.10063306475308324, 0.44449307245399833]
    columns = unseen_columns(problem, np.random.default_rng(0))
    return UnseenQuestion(problem, md.LDP(0.0), md.TotalVariation(first, second), columns)


def trusting_floats(monkeypatch):
    """Take a row for tight wherever its terms say so, as once: rays are lost where rows differ by less."""
    monkeypatch.setattr(extreme_rays, "CANCELLED", np.inf)
    monkeypatch.setattr(all_rays, "exact_rays", lambda notion, problem: None)
    for kept in (all_rays._cone_rays, all_rays._all_rays, extreme_rays._enumerated):
        kept.cache_clear()
    return total_variation_at_zero()


@pytest.fixture
def forgetting():
    yield
    for kept in (all_rays._cone_rays, all_rays._all_rays, extreme_rays._enumerated):
        kept.cache_clear()


def test_rays_that_rounding_decides_are_caught(monkeypatch, forgetting):
    asked = trusting_floats(monkeypatch)
    monkeypatch.setattr(all_rays, "holds_constant", lambda rays: True)
    with pytest.raises(AssertionError, match="beyond that of the bound"):
        nothing_unseen_passes(asked, md.design(asked.problem, asked.notion, asked.objective).bound)


def test_rays_without_the_constant_column_are_not_taken(monkeypatch, forgetting):
    asked = trusting_floats(monkeypatch)
    assert all_rays.all_rays(asked.notion, asked.problem) is None
    nothing_unseen_passes(asked, md.design(asked.problem, asked.notion, asked.objective).bound)


@pytest.mark.parametrize("columns", [np.zeros((3, 0)), np.eye(3)[:, :1], np.eye(3)[:, :2]])
def test_lists_without_the_constant_column_are_none(columns):
    assert not all_rays.holds_constant(Rays(columns, np.zeros((0, columns.shape[1]))))
    assert all_rays.holds_constant(Rays(np.eye(3), np.zeros((0, 3))))


@pytest.mark.parametrize("seed", range(12))
def test_rays_in_integers_are_those_in_floats_where_rounding_does_not_decide(seed):
    rng = np.random.default_rng([14, seed])
    n = int(rng.integers(3, 7))
    problem = md.Problem(prior=random_prior(n, rng)).hidden(random_channel(n, int(rng.integers(2, 4)), rng).T)
    for notion in (md.LDP(1.0), md.LIP(0.5), md.MaxLift(0.3), md.StrongL1(0.2)):
        found, exact = extreme_rays.enumeration(notion.columns(problem).facets()).rays, exact_rays(notion, problem)
        assert found is not None and exact is not None
        apart = np.abs(found.columns[:, :, None] - exact.columns[:, None, :]).max(axis=0)
        assert apart.min(axis=0).max() <= 1e-9 and apart.min(axis=1).max() <= 1e-9
