"""Estimates of linear queries: one by one what `functional` says, by label, together with simultaneous intervals."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md

SURVEY = md.Problem(labels=["a", "b", "c", "d"])
FOUND = md.baselines.randomised_response(SURVEY, 1.5).estimate(counts=[300, 400, 200, 350])


def test_each_query_is_a_functional():
    queries = md.queries.ranges(4)
    for row, line in zip(FOUND.queries(queries, level=0.9), queries, strict=True):
        one = FOUND.functional(line)
        assert row["standard error"] == pytest.approx(one.standard_error, rel=1e-9)
        assert row["value"] == pytest.approx(float(FOUND.linear.unbiased(line[None, :])[0]), rel=1e-12)
        assert (row["from"], row["to"]) == pytest.approx(one.interval(0.9), rel=1e-9)


def test_a_table_is_read_by_its_labels():
    import pandas as pd

    table = pd.DataFrame([[1, 0, 0, 1], [0, 2, 0, 0]], columns=["d", "c", "b", "a"], index=["ends", "twice c"])
    rows = FOUND.queries(table)
    assert [row["query"] for row in rows] == ["ends", "twice c"]
    plain = FOUND.queries([[1, 0, 0, 1], [0, 0, 2, 0]])
    assert [row["value"] for row in rows] == [row["value"] for row in plain]
    with pytest.raises(md.DomainError, match="queries"):
        FOUND.queries(table.rename(columns={"a": "z"}))


@pytest.mark.filterwarnings("ignore::mechdesign.errors.FitWarning")
def test_simultaneous_intervals_cover_all_at_once():
    mechanism = md.design(
        md.Problem(n=6), md.LDP(2.0), md.InformationDesign("A", queries=md.queries.prefix(6))
    ).mechanism
    truth = np.array([0.3, 0.1, 0.2, 0.15, 0.05, 0.2])
    wanted, missed = np.cumsum(truth)[:-1], 0
    rng = np.random.default_rng(8)
    for _ in range(200):
        counts = rng.multinomial(2000, truth @ mechanism.matrix)
        rows = mechanism.estimate(counts=counts).queries(md.queries.prefix(6), simultaneous=True)
        missed += any(not row["from"] <= value <= row["to"] for row, value in zip(rows, wanted, strict=True))
    # At most 5 in 100: 18 or more of 200 have a chance of 1e-2.
    assert missed < 18


def test_bad_queries_are_refused():
    for given in ([[1.0, 0.0]], [1.0, 0.0, 0.0, 0.0], [[float("nan"), 0, 0, 0]]):
        with pytest.raises(md.DomainError):
            FOUND.queries(given)
    blind = md.Mechanism([[0.6, 0.4], [0.4, 0.6], [0.6, 0.4], [0.4, 0.6]], problem=SURVEY).estimate(counts=[50, 50])
    with pytest.raises(md.UnsupportedError):
        blind.queries(md.queries.prefix(4))
