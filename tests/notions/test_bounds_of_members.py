"""What one of several notions allows bounds what all of them allow, with its own charge for a sum over outputs."""

from __future__ import annotations

from dataclasses import replace

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


def shortfalls(order, rng):
    """Return by how much the bound of a part is below the excess of private columns, for several multipliers."""
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
        yield float(excess.max()) - oracles._by_parts(columns).bound


@pytest.mark.parametrize("order", [1, -1])
def test_no_private_column_passes_the_bound_of_a_part(order, rng):
    """In either order of the notions, so that each has its own charge."""
    assert max(shortfalls(order, rng)) <= 1e-12


def test_planted_a_charge_twice_is_caught(rng, monkeypatch):
    honest = oracles.priced
    monkeypatch.setattr(oracles, "priced", lambda columns: honest(replace(columns, budget=2.0 * columns.budget)))
    assert max(shortfalls(1, rng)) > 1e-6
