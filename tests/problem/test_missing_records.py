"""Missing records: what Python takes for one, and the two ways out, wherever records are read."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mechdesign as md

NUMBERS = {
    "a list": [20, None, 31, 20],
    "a list with NaN": [20, float("nan"), 31, 20],
    "a column of pandas": pd.Series([20, None, 31, 20]),
    "nullable integers": pd.Series([20, None, 31, 20], dtype="Int64"),
    "a column of polars": pl.Series([20, None, 31, 20]),
    "an array": np.array([20, np.nan, 31, 20]),
    "texts among numbers": [20, "NA", 31, 20],
}
TEXTS = {
    "None": ["a", None, "b", "a"],
    "empty": ["a", "", "b", "a"],
    "an object column": pd.Series(["a", None, "b", "a"]),
    "a column of polars": pl.Series(["a", None, "b", "a"]),
}


@pytest.mark.parametrize("bins", [None, [18, 25, 40]], ids=["numbers", "bins"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name, bins):
    given, labels = NUMBERS[name], ("20", "31") if bins is None else ("[18, 25)", "[25, 40]")
    with pytest.raises(md.DomainError, match=r"records\[1\] is .*\(1 of 4\); give drop_missing=True .*or missing=\["):
        md.Problem.from_records(given, bins=bins)
    dropped = md.Problem.from_records(given, bins=bins, drop_missing=True)
    assert dropped.labels == labels and dropped.prior == pytest.approx([2 / 3, 1 / 3])
    assert dropped == md.Problem.from_records([20, 31, 20], bins=bins)
    counted = md.Problem.from_records(given, bins=bins, missing="NA")
    assert counted.labels == (*labels, "missing") and counted.prior == pytest.approx([0.5, 0.25, 0.25])
    assert counted.values is None


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name):
    with pytest.raises(md.DomainError, match=r"records\[1\] is .*\(1 of 4\)"):
        md.Problem.from_records(TEXTS[name])
    assert md.Problem.from_records(TEXTS[name], drop_missing=True).labels == ("a", "b")
    assert md.Problem.from_records(TEXTS[name], missing="").labels == ("a", "b", "missing")


def test_a_text_that_looks_missing_is_warned_of():
    with pytest.warns(md.DataWarning, match=r'1 of 2 answers is NA \(records\[1\]\).*missing=\["NA"\]') as seen:
        assert md.Problem.from_records(["a", "NA"]).labels == ("NA", "a")
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        md.Problem.from_records(["a", "NA", "none"], missing=["NA"])
        md.Problem.from_records(["a", "NA"], drop_missing=True)


def test_complaints_keep_their_place_beside_dropped_records():
    with pytest.raises(md.DomainError, match=r"records\[2\] is 50.0, but the bins go from 18 to 40"):
        md.Problem.from_records([20, None, 50], bins=[18, 40], drop_missing=True)
    with pytest.raises(md.DomainError, match=r"records\[2\] is 1.5, but real numbers"):
        md.Problem.from_records([20, None, 1.5], missing=[None])


def test_missing_may_have_its_place_among_categories():
    problem = md.Problem.from_records(["b", None, "a"], categories=["missing", "a", "b"], missing="NA")
    assert problem.labels == ("missing", "a", "b")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"missing": []}, "missing is .*leave it out"),
        ({"missing": [["NA"]]}, "a code for a missing answer is a text or a number"),
        ({"drop_missing": "yes"}, "drop_missing is yes, but it has to be True or False"),
        ({"missing": ["-1"], "records": ["missing", "-1"]}, 'declare "missing" as missing too'),
        ({"records": [None, None], "drop_missing": True}, "records is empty"),
    ],
)
def test_wrong_declarations(more, said):
    with pytest.raises(md.DomainError, match=said):
        md.Problem.from_records(**{"records": ["a", "b"], **more})


@pytest.mark.parametrize("bins", [None, [18, 25, 40]], ids=["numbers", "bins"])
@pytest.mark.parametrize("name", NUMBERS)
def test_sample_and_simulate_read_them(name, bins):
    given = NUMBERS[name]
    problem = md.Problem.from_records(given, bins=bins, missing="NA")
    #: Every input has an output of its own, so that a report says which it was.
    mechanism = md.Mechanism(np.eye(3), ["0", "1", "2"], problem=problem)
    assert mechanism.sample(given, missing="NA").tolist() == [0, 2, 1, 0]
    assert mechanism.simulate(given, 1, missing="NA").tolist() == [0, 2, 1, 0]
    with pytest.raises(md.DomainError, match=r"missing=\["):
        mechanism.sample(given)
    without = md.Mechanism(np.eye(2), ["0", "1"], problem=md.Problem.from_records([20, 31], bins=bins))
    with pytest.raises(md.DomainError, match='missing is given, but the mechanism has no answer "missing"'):
        without.sample(given, missing="NA")


def test_whole_floats_match_their_labels():
    mechanism = md.Mechanism(np.eye(2), ["0", "1"], problem=md.Problem.from_records(pd.Series([55.0, 56.0])))
    assert mechanism.problem.labels == ("55", "56")
    for records in ([55, 56], [55.0, 56.0], ["55.0", "56"], pd.Series([55.0, 56.0])):
        assert mechanism.sample(records).tolist() == [0, 1]
    former = md.Mechanism(np.eye(2), ["0", "1"], problem=md.Problem(labels=["55.0", "56.0"]))
    assert former.sample([55, 56]).tolist() == [0, 1]
    versions = md.Mechanism(np.eye(2), ["0", "1"], problem=md.Problem(labels=["1.10", "1.1"]))
    assert versions.sample(["1.10", "1.1"]).tolist() == [0, 1]
    with pytest.raises(md.DomainError, match=r"1\.100"):
        versions.sample(["1.100"])


@pytest.mark.parametrize("entry", [None, np.nan, pd.NA, pd.NaT])
def test_what_pandas_has_for_a_missing_answer_is_refused_in_a_sentence(entry):
    mechanism = md.Mechanism(np.eye(2), ["0", "1"], problem=md.Problem(labels=["no", "yes"]))
    with pytest.raises(md.DomainError, match=r"records\[1\] is .*nothing may be missing"):
        mechanism.sample(["no", entry])
