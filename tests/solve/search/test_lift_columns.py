"""Columns that fill lifts: of mass one, between the ends, with one input between them."""

from functools import partial

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.pricing.bounded_lift import lifts, majorant
from mechdesign.solve.programs.nearest_weights import nearest_weights
from mechdesign.solve.search.lift_columns import by_tiers, in_sequence

PRIORS = {
    "equal": np.full(30, 1 / 30),
    "zipf": 1 / np.arange(1, 31) / (1 / np.arange(1, 31)).sum(),
    "one heavy": np.append(0.6, np.full(29, 0.4 / 29)),
    "tiny": np.append(np.full(10, 0.1 - 1e-7), np.full(10, 1e-7)),
}


def columns_of(name, notion, made):
    """Return the bounds and what `made` makes of them."""
    prior = PRIORS[name] / PRIORS[name].sum()
    bounds = lifts(notion, md.Problem(prior=prior))
    return bounds, made(bounds)


@pytest.mark.parametrize("notion", [md.LIP(0.5), md.LIP(3.0), md.MaxLift(1.0)], ids=str)
@pytest.mark.parametrize("name", PRIORS)
def test_columns_have_mass_one_and_one_input_between_the_ends(name, notion):
    for least, exchanged in ((2.0, False), (20.0, False), (2.0, True)):
        made = partial(by_tiers, count=200, least=least, exchanged=exchanged)
        bounds, (columns, weights) = columns_of(name, notion, made)
        assert bounds.prior @ columns == pytest.approx(np.ones(columns.shape[1]), abs=1e-12)
        assert np.all(columns >= bounds.low - 1e-12) and np.all(columns <= bounds.high[:, None] + 1e-12)
        between = (columns > bounds.low + 1e-9) & (columns < bounds.high[:, None] - 1e-9)
        assert between.sum(axis=0).max() <= 1
        assert weights.sum() == pytest.approx(1.0)
    bounds, columns = columns_of(name, notion, in_sequence)
    assert bounds.prior @ columns == pytest.approx(np.ones(columns.shape[1]), abs=1e-12)


def missed(name, least):
    """Return by how much the rows of 4,000 draws with their weights miss 1 at most."""
    _, (columns, weights) = columns_of(name, md.LIP(1.0), lambda bounds: by_tiers(bounds, 4000, least))
    return float(np.abs(columns @ weights - 1.0).max())


def test_each_input_comes_near_its_share():
    assert missed("zipf", 20.0) <= 0.2 and missed("tiny", 20.0) <= 0.2


def test_planted_no_room_in_the_smallest_tier_is_caught():
    """Planted: the smallest tier is the one smallest input, which then fills what is left of nearly every column."""
    assert missed("tiny", 0.0) > 0.5


def below_the_chords(exchanged):
    """Return by what share the mechanism of 1,500 drawn columns of 60 inputs is below the chords of the entropy."""
    rng = np.random.default_rng(3)
    problem, objective = md.Problem(prior=rng.dirichlet(np.full(60, 2.0))), md.MutualInformation()
    bounds = lifts(md.LIP(1.0), problem)
    columns, near = by_tiers(bounds, 1500, 2.0, exchanged=exchanged)
    weights = nearest_weights(columns, near)
    assert columns @ weights == pytest.approx(np.ones(60), abs=1e-12)
    return 1.0 - float(objective.column_utility(columns, problem) @ weights) / float(majorant(bounds, objective).sum())


def test_whole_inputs_are_exchanged_until_columns_meet_the_chords():
    assert 0.0 < below_the_chords(True) <= 5e-7


def test_planted_nothing_exchanged_is_caught():
    """Planted: the input between the ends keeps what the draw leaves it."""
    assert below_the_chords(False) > 1e-3
