"""Covariates as they come: numbers, truths, texts and categories by name, and what is refused with its place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mechdesign as md
from mechdesign.estimation.regression.covariates import Covariates
from mechdesign.estimation.regression.scales import scaled

RESPONSE = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 2.0)
TABLE = {
    "age": [20, 30, 40, 50, 60, 70],
    "region": ["west", "east", "west", "north", "east", "north"],
    "urban": [True, False, False, True, True, False],
}
RIGHT = np.column_stack([np.ones(6), TABLE["age"], [0, 0, 0, 1, 0, 1], [1, 0, 1, 0, 0, 0], TABLE["urban"]])


@pytest.mark.parametrize("form", [dict, pd.DataFrame, pl.DataFrame, lambda t: pd.DataFrame(t).astype(object)])
def test_a_table_becomes_numbers(form):
    known, columns = Covariates.of(form(TABLE), intercept=True)
    assert known.terms == ("intercept", "age", "region=north", "region=west", "urban")
    assert np.array_equal(columns, RIGHT)
    other = form({name: TABLE[name][:2] for name in ("urban", "region", "age")})
    assert np.array_equal(known.read(other), RIGHT[:2])


def test_columns_without_names_are_read_by_position():
    for given in (np.eye(3)[:, :2], np.eye(3)[:, :2].astype(bool), np.eye(3)[:, :2].tolist()):
        known, columns = Covariates.of(given, intercept=False)
        assert known.terms == ("z0", "z1") and np.array_equal(columns, np.eye(3)[:, :2])
    mixed, columns = Covariates.of(np.array([["a", 1], ["b", 2]], dtype=object), intercept=False)
    assert mixed.terms == ("z0=b", "z1") and np.array_equal(columns, [[0, 1], [1, 2]])
    for given in (pd.Series([1.0, 2.0]), [1, 2], (1.0, 2.0), np.array([1, 2])):
        assert Covariates.of(given, intercept=False)[0].terms == ("z0",)
    assert Covariates.of(pd.Series([1.0, 2.0], name="age"), intercept=False)[0].terms == ("age",)
    assert Covariates.of(["b", "a"], intercept=False)[0].terms == ("z0=b",)


def test_categories_have_the_order_that_is_declared():
    sizes = pd.Series(["small", "large", "middle"] * 2, name="size")
    ordered = sizes.astype(pd.CategoricalDtype(["small", "middle", "large", "huge"], ordered=True))
    assert Covariates.of(ordered, intercept=True)[0].terms == ("intercept", "size=middle", "size=large")
    assert Covariates.of(sizes, intercept=True)[0].terms == ("intercept", "size=middle", "size=small")
    coded = pd.Series([2, 10, 2, 3], name="code").astype("category")
    known, columns = Covariates.of(coded, intercept=False)
    assert known.terms == ("code=3", "code=10") and columns.tolist() == [[0, 0], [0, 1], [0, 0], [1, 0]]
    assert known.read({"code": [10.0, 2.0]}).tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"age": [1.0, float("nan")]}, r'covariates\["age"\]\[1\] is nan, but nothing may be missing'),
        ({"age": [1, None]}, r'covariates\["age"\]\[1\] is None'),
        ({"region": ["a", None]}, r'covariates\["region"\]\[1\] is None'),
        (pd.DataFrame({"region": ["a", pd.NA]}), r'covariates\["region"\]\[1\] is'),
        ({"age": [1.0, float("inf")]}, r"every entry has to be finite"),
        ({"age": [1, "old"]}, "of numbers and texts"),
        ({"born": pd.to_datetime(["2001-01-01", "2002-02-02"])}, "objects, but a covariate consists of"),
        ({"a": [1, 2], "b": [1]}, "covariates is of lengths a 2, b 1, but columns have one entry for each person"),
        ({"a": [[1, 2], [3, 4]]}, r'covariates\["a"\] is of shape'),
        ({"a": []}, "covariates is empty"),
        ({}, "covariates is without columns"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "names have to be distinct"),
        ({"intercept": [1, 2]}, "names have to be distinct"),
        ({"name": [f"person {k}" for k in range(1001)]}, "of 1001 different texts, but at most 1000 levels"),
    ],
)
def test_what_is_no_covariate_is_refused(given, said):
    with pytest.raises(md.DomainError, match=said):
        Covariates.of(given, intercept=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"age": [20], "region": ["west"]},
            "with columns age, region, but the regression was fitted to age, region, u",
        ),
        ({**{k: v[:1] for k, v in TABLE.items()}, "more": [1]}, "give these columns, and no others"),
        ({"age": [20], "region": ["south"], "urban": [True]}, r'\["region"\]\[0\] is south, .* are east, north, west'),
        ({"age": ["old"], "region": ["west"], "urban": [True]}, "the regression was fitted to numbers in this column"),
        ([[1.0, 2.0]], "covariates is of 2 columns, but the regression was fitted to 3"),
    ],
)
def test_other_people_have_to_have_the_covariates_that_were_fitted(given, said):
    known, _ = Covariates.of(TABLE, intercept=True)
    with pytest.raises(md.DomainError, match=said):
        known.read(given)


def test_rows_are_matched_with_reports_by_their_index():
    reports = pd.Series([0, 1, 1, 0, 1, 0])
    table = pd.DataFrame({"age": TABLE["age"]}, index=[5, 4, 3, 2, 1, 0])
    with pytest.raises(md.DomainError, match=r"covariates is a column with another index, .* each entry belongs"):
        RESPONSE.regression(reports, table)
    with pytest.raises(md.DomainError, match="weights is a column with another index"):
        RESPONSE.regression(reports, {"age": TABLE["age"]}, weights=pd.Series([1.0] * 6, index=table.index))
    found = RESPONSE.regression(reports.set_axis(table.index), table)
    assert np.array_equal(found.coefficients, RESPONSE.regression(reports.tolist(), TABLE["age"]).coefficients)


def test_scaled_columns_are_without_correlation_and_lead_back(rng):
    known, columns = Covariates.of(rng.normal(size=(50, 2)) * [1e9, 1e-9] + [5.0, 0.0], intercept=True)
    weights = rng.random(50)
    made = scaled(columns, weights, known)
    assert made.columns.T @ (weights[:, None] * made.columns) / weights.sum() == pytest.approx(np.eye(3), abs=1e-6)
    b = rng.normal(size=(2, 3))
    assert made.back(made.forth(b)) == pytest.approx(b)
    assert made.columns @ made.forth(b).T == pytest.approx(columns @ b.T, rel=1e-6)
    spread = rng.normal(size=(6, 6))
    turned = np.kron(np.eye(2), np.linalg.inv(made.triangle)) @ spread
    assert made.covariance_back(spread @ spread.T) == pytest.approx(turned @ turned.T)


def test_people_without_a_report_are_left_out(rng):
    table = pd.DataFrame({"age": rng.integers(18, 80, 400), "sex": rng.choice(["f", "m"], 400)})
    weights = pd.Series(rng.uniform(1.0, 2.0, 400))
    sent = pd.Series(np.where(rng.random(400) < 0.2 + 0.005 * table["age"], "yes", "no"), dtype=object)
    gaps = rng.random(400) < 0.1
    some = sent.where(~gaps, None)
    with pytest.raises(md.DomainError, match="give drop_missing=True"):
        RESPONSE.regression(some, table)
    with pytest.warns(md.DataWarning, match=f"{gaps.sum()} of 400 reports are missing and were left out") as told:
        found = RESPONSE.regression(some, table, weights=weights, drop_missing=True)
    assert told[0].filename == __file__
    # The same as of a table without these people.
    there = ~gaps
    right = RESPONSE.regression(sent[there], table[there], weights=weights[there])
    assert found.terms == right.terms and found.counts.sum() == there.sum()
    assert found.coefficients == pytest.approx(right.coefficients, rel=1e-9)
    assert found.covariance == pytest.approx(right.covariance, rel=1e-9)
    with pytest.warns(md.DataWarning, match="left out"):
        coded = RESPONSE.regression(sent.where(~gaps, "refused"), table, missing="refused", drop_missing=True)
    assert coded.coefficients == pytest.approx(RESPONSE.regression(sent[there], table[there]).coefficients, rel=1e-9)
