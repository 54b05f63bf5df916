"""Columns of pandas with indices of their own are never matched by position, whichever of them are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mechdesign as md

RESPONSE = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"])
REPORTS = [0, 1, 1, 0, 0, 1, 0, 1]
TURNED = list(range(8))[::-1]
NUMBERS = np.arange(1.0, 9.0)


@pytest.mark.parametrize(
    "columns",
    [
        {"weights": pd.Series(NUMBERS, index=TURNED), "strata": pd.Series([0, 0, 0, 0, 1, 1, 1, 1])},
        {"strata": pd.Series([0, 0, 1, 1] * 2), "groups": pd.Series(list("abababab"), index=TURNED)},
        {"weights": pd.Series(NUMBERS), "clusters": pd.Series(range(8), index=TURNED)},
        {"weights": pd.Series(NUMBERS), "replicates": "brr", "replicate_weights": pd.DataFrame(np.eye(8), TURNED)},
    ],
)
@pytest.mark.parametrize("drop_missing", [False, True])
def test_columns_beside_a_list_of_reports(columns, drop_missing):
    with pytest.raises(md.DomainError, match="index"):
        RESPONSE.estimate([*REPORTS[:7], None] if drop_missing else REPORTS, drop_missing=drop_missing, **columns)


@pytest.mark.parametrize(
    ("reports", "covariates", "weights"),
    [
        (pd.Series(REPORTS), {"age": pd.Series(NUMBERS, index=TURNED)}, None),
        (REPORTS, {"age": pd.Series(NUMBERS, index=TURNED), "size": pd.Series(NUMBERS**2)}, None),
        (REPORTS, pd.DataFrame({"age": NUMBERS}), pd.Series(NUMBERS, index=TURNED)),
        (pd.Series(REPORTS), pd.DataFrame({"age": NUMBERS}, index=TURNED), None),
    ],
)
def test_covariates_of_a_regression(reports, covariates, weights):
    with pytest.raises(md.DomainError, match=r"(covariates|weights).* is a column with another index.*to_numpy"):
        RESPONSE.regression(reports, covariates, weights=weights)


def test_a_label_is_one_in_every_form_of_unicode():
    forms = ["\u00e9", "e\u0301"] * 4
    assert list(RESPONSE.estimate(REPORTS, groups=forms)) == ["\u00e9"]
    one, two = (RESPONSE.estimate(REPORTS, strata=each).standard_errors for each in (forms, ["e"] * 8))
    np.testing.assert_allclose(one, two)


def test_a_method_that_is_none_is_refused_in_a_survey_too():
    with pytest.raises(md.DomainError, match="method is best"):
        RESPONSE.estimate(REPORTS, weights=NUMBERS, method="best")


@pytest.mark.parametrize("level", ["x", 95, 1.0])
def test_the_level_of_a_quantile_of_one_answer(level):
    with pytest.raises(md.DomainError, match="level"):
        md.Mechanism([[1.0]]).estimate([0, 0]).quantile(0.5, level)
