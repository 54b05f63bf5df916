"""What is told of a survey and does not fit together is refused, with the argument, the rule and a remedy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mechdesign as md
from mechdesign.estimation import Replicates

pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

RESPONSE = md.baselines.randomised_response(md.Problem(labels=["no", "yes"], values=[0, 1]), 1.5)
REPORTS = [0, 1, 1, 0]
ONES = [1.0] * 4
HALVES = np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 0.0], [0.0, 2.0]])


def test_the_name_of_a_column_is_refused_where_reports_are_missing():
    for name in ("weights", "strata", "clusters", "groups"):
        told = pytest.raises(md.DomainError, match=rf"{name} is where, but it has an entry for each report")
        with pytest.warns(md.DataWarning), told:
            RESPONSE.estimate(["no", "yes", None, "no"], drop_missing=True, **{name: "where"})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"weights": "weight"},
            r"weights is weight, but it has an entry for each report; .* such as table\['weight'\]",
        ),
        ({"strata": "region"}, r"such as table\['region'\]"),
        ({"groups": "region", "drop_missing": True}, r"such as table\['region'\]"),
        ({"weights": 2.0}, "weights is 2.0, but it has an entry for each report"),
        ({"strata": ["a", "b"]}, "strata is of length 2, but there are 4 reports"),
        ({"clusters": ["a"] * 5}, "clusters is of length 5, but there are 4 reports"),
        ({"groups": [["a"], ["b"], ["a"], ["b"]]}, r"groups is of shape \(4, 1\)"),
        ({"strata": ["a", None, "a", "b"]}, r"strata\[1\] is None.*nothing may be missing"),
        ({"clusters": [1.0, 2.0, float("nan"), 2.0]}, r"clusters\[2\] is nan"),
        ({"groups": pd.Series(["a", "b", pd.NA, "b"])}, r"groups\[2\]"),
        ({"strata": ["a", 1, "a", 1]}, "strata is of numbers and texts"),
        ({"groups": [0.5, 1.5, 0.5, 1.5]}, "groups is of fractions.*pandas.cut"),
        (
            {"groups": pd.Categorical(["a", "b", "a", "b"], categories=["a", "b", "c"])},
            "the category 'c' has no report",
        ),
        ({"groups": ["a", "b", "a", "b"], "weights": [1.0, 0.0, 1.0, 0.0]}, "groups is with 'b'.*weigh nothing"),
        ({"weights": [1.0, float("nan"), 1.0, 1.0]}, r"weights\[1\] is nan"),
        ({"strata": ["a", "a", "a", "b"]}, "strata is with one report in 'b'.*merge the stratum"),
        ({"strata": ["a", "a", "b", "b"], "clusters": [1, 2, 1, 1]}, "with one cluster in 'b'"),
        ({"clusters": ["a"] * 4}, "clusters is one cluster, but a variance takes two"),
        ({"population": 3}, "population is 3.0, but 4 were drawn"),
        ({"clusters": [1, 1, 2, 2], "population": 1}, "2 were drawn.*number of clusters"),
        ({"population": {"a": 10}}, "population is of several sizes.*give strata"),
        ({"strata": ["a", "a", "b", "b"], "population": 10}, "every stratum has a size of its own.*mapping"),
        ({"strata": ["a", "a", "b", "b"], "population": {"a": 10}}, "labelled a, but the sample has a, b"),
        ({"strata": ["a", "a", "b", "b"], "population": {"a": 10, "b": 1}}, r"population\['b'\] is 1.0, but 2 were"),
        ({"population": float("nan")}, "population is nan"),
        ({"replicate_weights": HALVES, "replicates": "brr"}, "weights is None.*beside replicate_weights"),
        ({"replicate_weights": HALVES, "weights": ONES}, "replicates is None.*how they were made"),
        ({"replicate_weights": HALVES, "weights": ONES, "replicates": "best"}, "kind is best"),
        ({"replicate_weights": HALVES, "weights": ONES, "replicates": "brr", "strata": REPORTS}, "strata is given bes"),
        (
            {"replicate_weights": HALVES[:3], "weights": ONES, "replicates": "brr"},
            r"of shape \(3, 2\), but there are 4",
        ),
        ({"replicate_weights": HALVES[:, :1], "weights": ONES, "replicates": "brr"}, "one replicate shows no variance"),
        ({"replicate_weights": -HALVES, "weights": ONES, "replicates": "brr"}, r"replicate_weights\[0, 0\] is -2.0"),
        (
            {"replicate_weights": HALVES, "weights": ONES, "replicates": Replicates("jkn", rscales=[1.0])},
            "rscales is of length 1, but there are 2 replicates",
        ),
        (
            {"replicate_weights": HALVES, "weights": ONES, "replicates": "brr", "groups": ["a", "b", "a", "a"]},
            r"replicate_weights\[:, 0\] is all zero.*leave the group or replicate out",
        ),
        ({"replicates": "brr"}, "replicates is brr, but there are no replicate weights"),
    ],
)
def test_it_is_refused(arguments, words):
    with pytest.raises(md.DomainError, match=words):
        RESPONSE.estimate(REPORTS, **arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("best",), "kind is best"),
        (("fay",), "rho is 0.0"),
        (("fay", 1.5), "rho is 1.5"),
        (("brr", 0.5), "rho is 0.5"),
        (("jkn",), "rscales is None.*a scale for each replicate"),
        (("brr", 0.0, -1.0), "scale is -1.0"),
        (("jkn", 0.0, None, [0.5, -0.5]), r"rscales\[1\] is -0.5"),
        (("brr", 0.0, None, None, 1), "mse is 1"),
        (("brr", 0.0, 0.0), "scale is 0, but no deviation of a replicate would count"),
        (("jkn", 0.0, None, [0.0, 0.0]), "rscales is 0, but no deviation"),
    ],
)
def test_replicates_that_cannot_be(arguments, words):
    with pytest.raises(md.DomainError, match=words):
        Replicates(*arguments)


@pytest.mark.parametrize("name", ["strata", "clusters", "groups", "population"])
def test_counts_say_nothing_of_people(name):
    with pytest.raises(md.DomainError, match=f"{name} is given beside counts"):
        RESPONSE.estimate(counts=[1, 1], **{name: REPORTS})


@pytest.mark.parametrize("name", ["strata", "clusters", "groups"])
def test_columns_of_another_index_are_refused(name):
    reports, column = pd.Series(REPORTS), pd.Series(["a", "a", "b", "b"], index=[3, 2, 1, 0])
    with pytest.raises(md.DomainError, match=f"{name} is a column with another index"):
        RESPONSE.estimate(reports, **{name: column})


def test_a_stratum_of_one_that_was_drawn_with_certainty():
    sizes = {"a": 10, "b": 1}
    found = RESPONSE.estimate(REPORTS, strata=["a", "a", "a", "b"], population=sizes)
    assert np.isfinite(found.standard_errors).all()


def test_likelihood_and_counting_intervals_are_of_simple_samples():
    found = RESPONSE.estimate(REPORTS, strata=["a", "a", "b", "b"])
    with pytest.raises(md.DomainError, match="weights, strata and clusters have no likelihood"):
        found.mean(method="likelihood")
    with pytest.raises(md.UnsupportedError, match='"profile" counts reports of a simple sample'):
        found.interval(how="profile")
    with pytest.raises(md.DomainError, match="how is best"):
        found.interval(how="best")
    np.testing.assert_array_equal(found.interval(how="score"), found.interval())
    with pytest.raises(md.DomainError, match="level is 95"):
        found.interval(95)


def test_a_denominator_of_nobody_and_a_population_below_the_sample():
    found = RESPONSE.estimate(counts=[50, 50])
    with pytest.raises(md.DomainError, match=r"denominator is 0"):
        found.ratio([1, 0], [0, 0])
    with pytest.raises(md.DomainError, match=r"size is 3.* at least the 4 reports"):
        RESPONSE.estimate(REPORTS, weights=ONES).total(3.5)


def test_a_group_that_is_not_there():
    found = RESPONSE.estimate(REPORTS, groups=["north", "south", "north", "south"])
    with pytest.raises(md.DomainError, match=r"group is nort.*did you mean"):
        found["nort"]
    assert "nort" not in found and "north" in found and len(found) == 2


def test_one_person_of_a_group_shows_no_variance():
    found = RESPONSE.estimate(REPORTS, strata=["a", "a", "a", "a"], groups=["x", "x", "x", "y"])
    assert np.isinf(found["y"].standard_errors).all() and np.isinf(found["y"].interval()).all()
    assert "No variance is known" in found["y"].notes[0]


def test_groups_that_do_not_fit_are_named():
    reports = [0] * 300 + [0, 1] * 300
    groups = ["all alike"] * 300 + ["mixed"] * 600
    with pytest.warns(md.FitWarning, match="^Group all alike: The reports do not fit") as seen:
        RESPONSE.estimate(reports, groups=groups)
    assert len(seen) == 1 and seen[0].filename == __file__
    with pytest.warns(md.FitWarning, match="^The reports do not fit") as seen:
        RESPONSE.estimate(reports[:300], weights=np.ones(300))
    assert seen[0].filename == __file__
