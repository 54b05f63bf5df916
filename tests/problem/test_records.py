"""Columns of answers: whole numbers are values too, real numbers are binned, and what is doubtful is said."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mechdesign as md
from mechdesign.problem.bins import Bins, bins_of, bins_of_labels

AGES = [19, 40, 43, 61, 61]


@pytest.mark.parametrize("column", [AGES, np.array(AGES), pd.Series(AGES), pl.Series(AGES), np.array(AGES, float)])
def test_whole_numbers_are_labels_and_values(column):
    problem = md.Problem.from_records(column)
    assert problem.values.tolist() == [19, 40, 43, 61]
    assert [float(label) for label in problem.labels] == [19, 40, 43, 61]
    assert problem.prior == pytest.approx([0.2, 0.2, 0.2, 0.4])


@pytest.mark.parametrize("column", [["a", "b"], [True, False], ["1", "2"], [2**60, 1]], ids=str)
def test_other_answers_have_no_values(column):
    assert md.Problem.from_records(column).values is None


def test_values_that_are_given_count():
    assert md.Problem.from_records([1, 2], values={"1": 10, "2": 20}).values.tolist() == [10, 20]
    assert md.Problem.from_records([1, 2], categories=[2, 1]).values.tolist() == [2, 1]


@pytest.mark.parametrize("by", ["quantiles", "widths"])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_every_record_is_in_one_bin(by, count, rng):
    for numbers in (
        rng.normal(size=500),
        rng.integers(0, 9, 500) * 1.0,
        rng.exponential(size=500) * 1e6,
        -rng.random(500),
    ):
        bins = bins_of(numbers, count, by)
        assert 1 <= len(bins.labels) <= count
        placed = bins.place(numbers)
        assert placed.min() >= 0
        low, high = np.array(bins.edges)[placed], np.array(bins.edges)[placed + 1]
        last = placed == len(bins.labels) - 1
        assert np.all(low <= numbers) and np.all(np.where(last, numbers <= high, numbers < high))
        assert bins_of_labels(bins.labels) == bins


def test_quantiles_hold_about_as_many_each(rng):
    numbers = rng.normal(50, 10, 10_000)
    problem = md.Problem.from_records(numbers, bins=8)
    assert problem.n == 8 and np.abs(problem.prior - 1 / 8).max() < 0.01
    assert problem.values == pytest.approx([0.5 * (a + b) for a, b in zip(*edges_of(problem), strict=True)])


def edges_of(problem):
    edges = bins_of_labels(problem.labels).edges
    return edges[:-1], edges[1:]


def test_edges_are_kept_as_they_are():
    problem = md.Problem.from_records(AGES, bins=[18, 30, 50, 65])
    assert problem.labels == ("[18, 30)", "[30, 50)", "[50, 65]")
    assert problem.prior == pytest.approx([0.2, 0.4, 0.4]) and problem.values.tolist() == [24, 40, 57.5]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: md.Problem.from_records([1.5, 2.5, 2.5]), r"records\[0\] is 1.5, .*2 distinct ones.*give bins=10"),
        (lambda: md.Problem.from_records([1, 2.5]), r"records\[1\] is 2.5, .*bins=\[edges\]"),
        (lambda: md.Problem.from_records(np.ones((5, 2))), "of 2 columns, .*give one column"),
        (lambda: md.Problem.from_records(pd.DataFrame({"a": [1], "b": [2]})), "of 2 columns|of shape"),
        (
            lambda: md.Problem.from_records(AGES, bins=[18, 60]),
            r"records\[3\] is 61.0, .*from 18 to 60.*\(2 are left out",
        ),
        (lambda: md.Problem.from_records(AGES, bins=[18, 18, 70]), r"bins\[1\] is 18.0, but edges rise"),
        (lambda: md.Problem.from_records(AGES, bins=[18]), "a bin has two edges"),
        (lambda: md.Problem.from_records(AGES, bins=0), "bins is 0"),
        (lambda: md.Problem.from_records(AGES, bins=10**9), "at most 100000"),
        (lambda: md.Problem.from_records(AGES, bins="ten"), "bins is ten"),
        (lambda: md.Problem.from_records(AGES, bins=3, by="size"), 'by is size, .*"quantiles" or "widths"'),
        (lambda: md.Problem.from_records(AGES, by="widths"), "by is widths, .*there are none"),
        (lambda: md.Problem.from_records(AGES, bins=3, categories=[1]), "leave out one of the two"),
        (lambda: md.Problem.from_records([7, 7], bins=2), "all records are 7"),
        (lambda: md.Problem.from_records(["a"], bins=2), r"records\[0\] is a, but bins are of numbers"),
        (lambda: md.Problem.from_records([np.inf, 1.0], bins=2), r"records\[0\] is inf"),
        (lambda: md.Problem.from_records([True, False], bins=2), "bins are of numbers"),
        (lambda: md.Problem.from_records(AGES, bins=[18, 20, 30, 65]), r"\[20, 30\)"),
        (lambda: md.Problem.from_records("a.csv"), "records is a.csv, .*mechdesign count reads a column"),
        (lambda: md.Problem.from_records(5), "records is 5, .*an answer for each person"),
        (lambda: md.Problem.from_records(["a", " ", ""]), r"records\[1\] is blank, .*missing \(2 of 3\)"),
        (lambda: md.Problem.from_records(pd.to_datetime(["2020-01-01", "2021-01-01"]), bins=2), "bins are of numbers"),
    ],
)
def test_what_is_no_column_of_categories_is_refused_with_a_remedy(make, said):
    with pytest.raises(md.DomainError, match=said):
        make()


def test_many_distinct_texts_are_warned_of_and_taken():
    names = [f"person {i}" for i in range(1500)]
    with pytest.warns(md.DataWarning, match="1500 distinct texts.*names or free text") as seen:
        assert md.Problem.from_records(names).n == 1500
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        md.Problem.from_records(range(1500))
        md.Problem.from_records(names, categories=names)


def test_bins_that_are_fewer_or_far_from_their_records_are_warned_of(rng):
    with pytest.warns(md.DataWarning, match="1 bins came of the 2 asked for") as seen:
        assert md.Problem.from_records([1, 2, 2], bins=2).n == 1
    assert seen[0].filename == __file__
    incomes = np.append(rng.exponential(30_000, size=500), 900_000)
    with pytest.warns(md.DataWarning, match="put the mean off by .* give narrower bins, or values="):
        md.Problem.from_records(incomes, bins=[0, 20_000, 60_000, 1_000_000])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        md.Problem.from_records(incomes, bins=np.linspace(0, 1e6, 200).tolist(), smoothing=0.5)


@pytest.mark.parametrize(
    "labels", [("a", "b"), ("[1, 2)", "[3, 4]"), ("[1, 2)",), ("[x, y]",), ("[2, 1]",), ("[1, 2]", "[2, 3)"), ()]
)
def test_other_labels_are_no_bins(labels):
    assert bins_of_labels(labels) is None


def test_numbers_are_sampled_by_the_bin_that_holds_them():
    problem = md.Problem.from_records(AGES, bins=[18, 30, 50, 65])
    made = md.design(problem, md.LDP(20.0), md.HammingLoss())
    for records in ([19, 18.0, 49.9, 65, 30], ["19", "[18, 30)", "49.9", "65", "[30, 50)"]):
        named = [made.mechanism.outputs[y] for y in made.mechanism.sample(records)]
        assert named == ["[18, 30)", "[18, 30)", "[30, 50)", "[50, 65]", "[30, 50)"]
    for strangers in ([17.9, 20.0], [65.1], ["old"]):
        with pytest.raises(md.DomainError, match="the bins go from 18 to 65; design with bins that hold all answers"):
            made.mechanism.sample(strangers)


def test_a_bin_that_loses_its_last_end_is_caught(monkeypatch, rng):
    """Planted: the last bin is half-open too."""
    original = Bins.place
    monkeypatch.setattr(Bins, "place", lambda self, x: np.where(x == self.edges[-1], -1, original(self, x)))
    with pytest.raises((AssertionError, md.DomainError)):
        test_edges_hold_their_ends()


def test_edges_hold_their_ends():
    assert Bins((0.0, 1.0, 2.0)).place(np.array([0.0, 1.0, 2.0, 2.1, -0.1])).tolist() == [0, 1, 1, -1, -1]


def test_the_mean_is_unbiased_unless_asked_otherwise(rng):
    values = np.arange(30.0)
    problem = md.Problem(prior=[1 / 30] * 30, values=values)
    mechanism = md.baselines.subset_selection(problem, 1.0, 2)
    truth = rng.dirichlet(np.ones(30))
    found = []
    for _ in range(60):
        drawn = rng.choice(mechanism.matrix.shape[1], size=300, p=truth @ mechanism.matrix)
        estimate = mechanism.estimate(drawn)
        found.append(
            (float(estimate.mean()), float(estimate.mean(method="likelihood")), estimate.mean().standard_error)
        )
    unbiased, likeliest, errors = np.array(found).T
    error = errors.mean() / np.sqrt(len(found))
    assert abs(unbiased.mean() - truth @ values) < 4 * error
    assert np.std(unbiased) == pytest.approx(errors.mean(), rel=0.35)
    # The likeliest population is nearer to the middle than it should be, or further from the truth: another number.
    assert np.abs(unbiased - likeliest).max() > 0.1
    with pytest.raises(md.DomainError, match='"likelihood" or "unbiased"'):
        estimate.mean(method="best")
    assert float(estimate.total(1000)) == pytest.approx(1000 * float(estimate.mean()))
