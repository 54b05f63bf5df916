"""Estimates of linear queries: one by one what `functional` says, by label, together with simultaneous intervals."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md

SURVEY = md.Problem(labels=["a", "b", "c", "d"])
FOUND = md.baselines.randomised_response(SURVEY, 1.5).estimate(counts=[300, 400, 200, 350])


@pytest.mark.parametrize("method", ["unbiased", "likelihood"])
def test_each_query_is_a_functional(method):
    queries = md.queries.ranges(4)
    found = FOUND.queries(queries, method=method)
    assert len(found) == 10 and found.interval(0.9).shape == (10, 2)
    for value, error, ends, line in zip(found.values, found.standard_errors, found.interval(0.9), queries, strict=True):
        one = FOUND.functional(line) if method == "likelihood" else None
        if one is not None:
            assert value == pytest.approx(one.value, rel=1e-12)
            assert error == pytest.approx(one.standard_error, rel=1e-9, abs=1e-15)
            assert tuple(ends) == pytest.approx(one.interval(0.9), rel=1e-9)
        else:
            # k-ary response: shares of outputs, less what everybody adds, over the difference of probabilities.
            own, other = np.exp(1.5) / (np.exp(1.5) + 3), 1 / (np.exp(1.5) + 3)
            shares = np.array([300, 400, 200, 350]) / 1250
            assert value == pytest.approx(line @ (shares - other) / (own - other), rel=1e-9)
            counted = line @ np.eye(4) / (own - other)
            spread = np.sqrt((shares @ counted**2 - (shares @ counted) ** 2) / 1250)
            assert error == pytest.approx(spread, rel=1e-9, abs=1e-12)


def test_a_table_is_read_by_its_labels():
    import pandas as pd

    table = pd.DataFrame([[1, 0, 0, 1], [0, 2, 0, 0]], columns=["d", "c", "b", "a"], index=["ends", "twice c"])
    found = FOUND.queries(table)
    assert found.names == ("ends", "twice c") and list(found.to_pandas()["query"]) == ["ends", "twice c"]
    plain = FOUND.queries([[1, 0, 0, 1], [0, 0, 2, 0]])
    assert found.values.tolist() == plain.values.tolist() and "twice c" in str(found)
    with pytest.raises(md.DomainError, match="queries"):
        FOUND.queries(table.rename(columns={"a": "z"}))


def test_a_word_names_a_workload():
    assert FOUND.queries("prefix").values.tolist() == FOUND.queries(md.queries.prefix(4)).values.tolist()
    assert (FOUND.queries("prefix").values[-1], FOUND.queries("prefix").standard_errors[-1]) == (
        pytest.approx(1.0),
        0.0,
    )


@pytest.mark.filterwarnings("ignore::mechdesign.errors.FitWarning")
def test_simultaneous_intervals_cover_all_at_once():
    mechanism = md.design(md.Problem(n=6), md.LDP(2.0), md.InformationDesign("A", queries="prefix")).mechanism
    truth = np.array([0.3, 0.1, 0.2, 0.15, 0.05, 0.2])
    wanted, missed = np.cumsum(truth)[:-1], 0
    rng = np.random.default_rng(8)
    for _ in range(200):
        counts = rng.multinomial(2000, truth @ mechanism.matrix)
        low, high = mechanism.estimate(counts=counts).queries("prefix").interval(simultaneous=True)[:-1].T
        missed += not bool(np.all((low <= wanted) & (wanted <= high)))
    # At most 5 in 100: 18 or more of 200 have a chance of 1e-2.
    assert missed < 18


def test_people_needed_for_queries():
    response = md.baselines.randomised_response(SURVEY, 1.5)
    assert response.people_needed(0.02, queries=np.eye(4)) == response.people_needed(0.02)
    own, other = np.exp(1.5) / (np.exp(1.5) + 3), 1 / (np.exp(1.5) + 3)
    # At equal frequencies reports of the first two answers have half of the mass: the variance of one report is 1/4.
    widest = 0.25 / (own - other) ** 2
    wanted = np.ceil(1.959963984540054**2 * widest / 0.02**2)
    assert response.people_needed(0.02, queries="prefix") == wanted
    with pytest.raises(md.DomainError, match="by an error alone"):
        response.people_needed(difference=0.1, queries="prefix")
    with pytest.raises(md.DomainError, match="constant rows alone"):
        response.people_needed(0.1, queries=[[1, 1, 1, 1]])


def test_bad_queries_are_refused():
    for given in ([[1.0, 0.0]], [1.0, 0.0, 0.0, 0.0], [[float("nan"), 0, 0, 0]], "prefixes"):
        with pytest.raises(md.DomainError):
            FOUND.queries(given)
    blind = md.Mechanism([[0.6, 0.4], [0.4, 0.6], [0.6, 0.4], [0.4, 0.6]], problem=SURVEY).estimate(counts=[50, 50])
    with pytest.raises(md.UnsupportedError):
        blind.queries("prefix")
