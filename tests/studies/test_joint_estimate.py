"""Tables of two questions: shares and conditional shares person by person, with weights and clusters, and refusals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mechdesign as md

pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

SMOKES, DRINKS, CITY = md.Problem(labels=["no", "yes"]), md.Problem(n=3), md.Problem(labels=["in", "out"])
#: People who report.
COUNT = 900


@pytest.fixture(scope="module")
def split():
    questions = {"smokes": SMOKES, "drinks": DRINKS, "city": CITY}
    return md.split_budget(questions, md.LDP(6.0), md.InformationDesign("A"), gap=0.3)


@pytest.fixture(scope="module")
def people(split):
    """Reports of 900 people with weights in 30 villages of two regions, and what each report counts for."""
    rng = np.random.default_rng(4)
    village = rng.integers(0, 30, COUNT)
    smokes = (rng.random(COUNT) < 0.2 + 0.02 * village).astype(int)
    answers = (smokes, np.minimum(rng.integers(0, 3, COUNT) + smokes, 2), rng.integers(0, 2, COUNT))
    parts = [made.mechanism for made in split.designs]
    reports = np.stack([part.simulate(x, rng, by="index") for part, x in zip(parts, answers, strict=True)], axis=1)
    each = np.ones((COUNT, 1))
    for k, part in enumerate(parts):
        # The matrices are square here: what a report counts for is a row of the inverse, and of all a product.
        each = (each[:, :, None] * np.linalg.inv(part.matrix)[reports[:, k]][:, None, :]).reshape(COUNT, -1)
    return reports, rng.lognormal(sigma=0.5, size=COUNT), village % 2, village, each.reshape(COUNT, 2, 3, 2)


def linearised(each, weights, region, village):
    """Return the estimates of numbers of each person, shape (people, k), and their covariance."""
    estimate = weights @ each / weights.sum()
    moved = weights[:, None] * (each - estimate) / weights.sum()
    covariance = np.zeros((each.shape[1],) * 2)
    for h in (0, 1):
        names = np.unique(village[region == h])
        totals = np.array([moved[(region == h) & (village == name)].sum(axis=0) for name in names])
        apart = totals - totals.mean(axis=0)
        covariance += len(names) / (len(names) - 1) * apart.T @ apart
    return estimate, covariance


@pytest.fixture(scope="module")
def joint(split, people):
    reports, weights, region, village, _ = people
    return split.estimate_jointly(reports, weights=weights, strata=region, clusters=village)


def test_shares_of_everybody(joint, people):
    *_, each = people
    table = each.sum(axis=3).reshape(COUNT, 6)
    estimate, covariance = linearised(table, *people[1:4])
    rows = joint.crosstab("smokes", "drinks", margins=False).rows()
    assert [(row["row"], row["column"]) for row in rows[:4]] == [("no", "0"), ("no", "1"), ("no", "2"), ("yes", "0")]
    np.testing.assert_allclose([row["share"] for row in rows], estimate, atol=1e-7)
    np.testing.assert_allclose([row["standard_error"] for row in rows], np.sqrt(np.diag(covariance)), rtol=1e-5)


@pytest.mark.parametrize("within", ["rows", "columns"])
def test_conditional_shares(joint, people, within):
    *_, each = people
    table = each.sum(axis=3)
    whole = np.repeat(table.sum(axis=2), 3, axis=1) if within == "rows" else np.tile(table.sum(axis=1), (1, 2))
    estimate, covariance = linearised(np.hstack([table.reshape(COUNT, 6), whole]), *people[1:4])
    rows = joint.crosstab(0, "drinks", within=within, margins=False).rows(0.9)
    for k, row in enumerate(rows):
        share = estimate[k] / estimate[6 + k]
        gradient = np.eye(12)[k] / estimate[6 + k] - share * np.eye(12)[6 + k] / estimate[6 + k]
        error = np.sqrt(gradient @ covariance @ gradient)
        assert row["share"] == pytest.approx(share, rel=1e-5)
        assert row["standard_error"] == pytest.approx(error, rel=1e-4)
        # Student's quantile of 28 degrees of freedom, where the interval is far from 0 and 1.
        assert row["low"] <= row["share"] <= row["high"] and row["low"] > min(share, 0) - 1e-9
        if 0.2 < share < 0.8:
            # As if it were of reports of equal weight, if the strata would make it narrower.
            assert 0.95 <= (row["high"] - row["low"]) / (2 * 1.70113 * error) <= 1.25
        assert row["high"] == pytest.approx(max(1, share)) or row["high"] - row["share"] > error


def test_margins_are_totals(joint):
    table = joint.crosstab("drinks", "city")
    rows = {(row["row"], row["column"]): row["share"] for row in table.rows()}
    assert rows["(all)", "(all)"] == pytest.approx(1.0)
    assert rows["1", "(all)"] == pytest.approx(rows["1", "in"] + rows["1", "out"])
    within = {
        (row["row"], row["column"]): row["share"] for row in joint.crosstab("drinks", "city", within="rows").rows()
    }
    assert within["1", "(all)"] == pytest.approx(1.0) and within["(all)", "in"] == pytest.approx(rows["(all)", "in"])
    assert within["1", "in"] == pytest.approx(rows["1", "in"] / rows["1", "(all)"])
    assert "shares of everybody" in str(table) and len(table.to_pandas()) == 12


def test_margins_of_questions_by_themselves_take_the_survey_too(split, people, joint):
    reports, weights, region, village, _ = people
    alone = split.estimate(reports, weights=weights, strata=region, clusters=village)
    rows = [row for row in joint.crosstab("smokes", "drinks").rows() if row["column"] == "(all)"]
    np.testing.assert_allclose([row["share"] for row in rows[:2]], alone[0].frequencies, atol=1e-6)
    np.testing.assert_allclose([row["standard_error"] for row in rows[:2]], alone[0].standard_errors, rtol=1e-4)


def test_groups_have_tables_of_their_own(split, people):
    reports, weights, region, village, _ = people
    found = split.estimate_jointly(reports, weights=weights, clusters=village, groups=region)
    assert list(found) == [0, 1] and found[1].crosstab("smokes", "city").joint.reports == (region == 1).sum()
    assert found.difference(0, 1).frequencies.shape == (12,)


def test_unweighted_tables_and_people_who_are_not_there(split):
    reports = np.array([[0, k % 3, k % 2] for k in range(300)])
    found = split.estimate_jointly(reports)
    assert found.method == "likelihood"
    rows = found.crosstab("smokes", "city", within="rows", margins=False).rows()
    assert all(np.isnan(row["share"]) or row["share"] >= 0.0 for row in rows)
    assert "smokes" in str(found.crosstab("smokes", "city"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("smokes", "smokes"), "a table has two questions"),
        (("smoke", "drinks"), "the questions are smokes, drinks, city"),
        ((0, 3), "columns is 3"),
        ((True, 1), "rows is True"),
    ],
)
def test_questions_that_are_not_there(joint, arguments, words):
    with pytest.raises(md.DomainError, match=words):
        joint.crosstab(*arguments)
    with pytest.raises(md.DomainError, match="within is row"):
        joint.crosstab(0, 1, within="row")
    with pytest.raises(md.DomainError, match="margins is 1"):
        joint.crosstab(0, 1, margins=1)


def test_what_is_told_of_a_survey_is_refused_as_of_one_question(split, people):
    reports, weights, region, *_ = people
    for estimate in (split.estimate, split.estimate_jointly):
        with pytest.raises(md.DomainError, match="strata is of length 3"):
            estimate(reports, strata=region[:3])
        table = pd.DataFrame(reports)
        with pytest.raises(md.DomainError, match="weights is a column with another index"):
            estimate(table, weights=pd.Series(weights, index=np.arange(COUNT)[::-1]))


def test_columns_of_reports_are_matched_by_the_names_of_questions():
    split = md.split_budget(
        {"1": md.Problem(labels=["a", "b"]), "0": md.Problem(labels=["c", "d"])}, md.LDP(4.0), md.InformationDesign("A")
    )
    reports = np.array([[0, 0]] * 5 + [[0, 1]] * 20 + [[1, 0]] * 3 + [[1, 1]] * 30)
    right = split.estimate_jointly(reports).counts
    tables = (
        pd.DataFrame(reports[:, ::-1], columns=["0", "1"]),
        pd.DataFrame(reports, columns=["1", "0"]),
        {"0": reports[:, 1], "1": reports[:, 0]},
        # Columns that are only counted have no names.
        pd.DataFrame(reports),
    )
    for table in tables:
        np.testing.assert_array_equal(split.estimate_jointly(table).counts, right)
        for found, alone in zip(split.estimate(table), split.estimate(reports), strict=True):
            np.testing.assert_array_equal(found.counts, alone.counts)
    with pytest.raises(md.DomainError, match="reports is labelled x, y, but the split has 1, 0"):
        split.estimate(pd.DataFrame(reports, columns=["x", "y"]))


def test_weights_that_are_read_once_are_those_of_every_question():
    split = md.split_budget([md.Problem(n=2), md.Problem(n=2)], md.LDP(4.0), md.InformationDesign("A"))
    reports, weights = np.array([[0, 1], [1, 1], [0, 0], [1, 0]] * 20), np.arange(1.0, 81.0)
    for once, often in zip(
        split.estimate(reports, weights=iter(weights)), split.estimate(reports, weights=weights), strict=True
    ):
        np.testing.assert_array_equal(once.frequencies, often.frequencies)
