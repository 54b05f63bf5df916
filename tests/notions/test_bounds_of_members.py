"""What one of several notions allows bounds what all of them allow, with its own charge for a sum over outputs."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.pricing import oracles
from mechdesign.solve.pricing.priced_columns import Columns

LINE = {n: np.abs(np.subtract.outer(range(n), range(n))).astype(float) for n in (4, 8)}


def problem(n, seed=0):
    return md.Problem(prior=np.random.default_rng(seed).dirichlet(np.ones(n)), values=range(n))


@pytest.mark.parametrize("n", [4, 8])
@pytest.mark.parametrize("limit", [0.02, 0.2])
@pytest.mark.parametrize("part", [lambda n: md.LDP(1.0), lambda n: md.MetricDP(1.0, LINE[n])], ids=["LDP", "MetricDP"])
def test_information_under_a_bound_on_it_is_the_lesser_of_the_two(n, limit, part):
    """The bound was the information without privacy, .74 and .76 nats."""
    alone = md.design(problem(n), part(n), md.MutualInformation())
    both = md.design(problem(n), part(n) & md.MutualInformationPrivacy(limit), md.MutualInformation())
    right = min(alone.value, limit)
    assert both.value == pytest.approx(right, rel=1e-6) and both.gap <= 1e-6 and both.audit.holds


@pytest.mark.parametrize("order", [1, -1])
def test_no_private_column_passes_the_bound_of_a_part(order, rng):
    """In either order of the notions, so that each has its own charge."""
    parts = [md.LDP(1.0), md.MutualInformationPrivacy(0.02)][::order]
    given, objective = problem(4), md.MutualInformation()
    notion = parts[0] & parts[1]
    shape = notion.columns(given)
    drawn = np.exp(rng.uniform(0.0, 1.0, (4, 4000)))
    drawn /= shape.normal @ drawn
    for _ in range(10):
        rows, budget = rng.normal(scale=0.02, size=4), rng.uniform(0.0, 1.5, 1)
        columns = Columns(notion, objective, given, Multipliers(rows, budget), rows, budget, 0.0)
        # The charge of information is the information itself.
        excess = (1.0 - budget[0]) * objective.column_utility(drawn, given) - rows @ drawn
        assert oracles._by_parts(columns).bound >= excess.max() - 1e-12


def test_planted_the_charge_of_another_part_is_caught(monkeypatch):
    """A part that is charged for what it does not bound has a bound below what private columns reach."""
    given, objective = problem(4), md.MutualInformation()
    notion, rows = md.LDP(1.0) & md.MutualInformationPrivacy(0.02), np.zeros(4)
    columns = Columns(notion, objective, given, Multipliers(rows, np.ones(1)), rows, np.ones(1), 0.0)
    right = oracles._by_parts(columns)
    honest = oracles._priced_parts
    monkeypatch.setattr(oracles, "_priced_parts", lambda *a: [(part, slice(0)) for part, _ in honest(*a)])
    with pytest.raises((IndexError, ValueError, AssertionError)):
        assert oracles._by_parts(columns).bound == pytest.approx(right.bound, abs=1e-9)
