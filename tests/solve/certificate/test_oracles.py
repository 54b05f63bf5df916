"""The table of pricing oracles: what it says of a question is what pricing its columns does."""

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.notions.plain import plain
from mechdesign.objectives.base import is_separable
from mechdesign.solve.certificate.bound import no_certificate
from mechdesign.solve.pricing import oracles
from mechdesign.solve.pricing.oracles import ORACLES, is_priced, priced
from mechdesign.solve.pricing.priced_columns import Columns, Oracle
from mechdesign.testing import sized

PAIRS = [(notion, objective) for notion in sized.NOTIONS for objective in sized.OBJECTIVES]


def columns_of(notion, objective, n):
    """Return the columns of a pair with multipliers of zero; None where the utility is no sum over them."""
    pair = sized.some_pair(notion, objective, n, np.random.default_rng(n))
    if pair is None or not is_separable(pair[2]):
        return None
    problem, given, wanted = pair
    asked, inputs = plain(given, given.inputs(problem))
    rows, budget = np.zeros(inputs.n), np.zeros(len(asked.columns(inputs).budget()))
    return Columns(asked, wanted, inputs, Multipliers(rows, budget), rows, budget, 1e-3)


def is_bounded(columns):
    """Tell whether pricing the columns gives a bound."""
    try:
        return np.isfinite(priced(columns).bound)
    except md.UnsupportedError:
        return False


def disagreements(pairs, n):
    """Return the pairs of which the table says something else than pricing does."""
    found = []
    for notion, objective in pairs:
        columns = columns_of(notion, objective, n)
        if columns is None:
            continue
        question = columns.notion, columns.objective, columns.problem
        said = is_priced(*question)
        assert said == (no_certificate(*question) is None)
        found += [(notion, objective)] if said != is_bounded(columns) else []
    return found


@pytest.mark.parametrize("n", [3, 14, 24])
def test_what_is_said_to_be_priced_is(n):
    assert disagreements(PAIRS, n) == []


@pytest.mark.parametrize(
    ("oracle", "pair"),
    [
        ("continuum", ("LIP", "MMSE")),
        ("sets", ("LDP", "MutualInformation")),
        ("cutting", ("MutualInformationPrivacy", "MutualInformation")),
        ("leakage", ("MaximalLeakage", "MutualInformation")),
        ("likeliest revealed", ("MaximalLeakage", "HistogramMMSE")),
        ("lifts", ("LIP", "MutualInformation")),
        ("near the prior", ("StrongL1", "MutualInformation")),
    ],
)
def test_an_oracle_that_is_left_out_of_pricing_is_caught(oracle, pair, monkeypatch):
    """Planted: the table lists what pricing never asks."""

    def blind(columns):
        return None

    without = tuple(Oracle(each.name, each.applies, blind) if each.name == oracle else each for each in ORACLES)
    monkeypatch.setattr(oracles, "ORACLES", without)
    assert disagreements([pair], 24) == [pair]


def excess_of(columns, seen):
    """Return the reduced cost of columns of mass one, shape (k,), from the definition of each part."""
    charged = columns.budget @ columns.notion.columns(columns.problem).budget().cost(seen)
    return columns.objective.column_utility(seen, columns.problem) - charged - columns.rows @ seen


@pytest.mark.parametrize("n", [3, 14])
def test_columns_of_an_oracle_have_mass_one_and_no_more_than_its_bound(n, rng):
    seen_any = set()
    for pair in PAIRS:
        zero = columns_of(*pair, n)
        if zero is None or not is_bounded(zero):
            continue
        rows = 0.1 * rng.normal(size=len(zero.rows))
        asked = replace(zero, rows=rows, multipliers=Multipliers(rows, zero.budget), for_search=True)
        found = priced(asked)
        if not found.columns.shape[1]:
            continue
        seen_any.add(next(each.name for each in ORACLES if each.applies(asked.notion, asked.objective, asked.problem)))
        assert asked.notion.columns(asked.problem).normal @ found.columns == pytest.approx(1.0, abs=1e-9), pair
        slack = 1e-9 * (1.0 + abs(found.bound))
        assert found.columns.min() >= -1e-12 and excess_of(asked, found.columns).max() <= found.bound + slack, pair
    assert len(seen_any) >= (2 if n == 3 else 3)
