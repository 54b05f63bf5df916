"""Numbers are values: of a problem with values and no labels, the values are what people answer."""

import warnings

import numpy as np
import pandas as pd
import pytest

import mechdesign as md

AGES = md.Problem(values=range(17, 100))
LIKERT = md.Problem(values=[1, 2, 3, 4, 5])
RESPONSE = md.baselines.randomised_response(AGES, 3.0)
SCALE = md.baselines.randomised_response(LIKERT, 1.0)
TRUTHFUL = md.Mechanism(np.eye(83), [f"r{y}" for y in range(83)], problem=AGES)


def test_ages_are_estimated_as_ages():
    ages = np.arange(20_000) % 48 + 18
    answer = RESPONSE.estimate(RESPONSE.simulate(ages, seed=1, by="label"))
    low, high = answer.mean().interval()
    assert low < 41.5 < high and high - low < 5.0
    median = answer.quantile(0.5)
    assert abs(float(median.label) - 41.5) < 4 and median.value == float(median.label)
    assert answer.problem.named(0) == "17" and "17" in str(answer)


@pytest.mark.parametrize(
    "records",
    [[18, 55, 20], [18.0, 55.0, 20.0], ["18", "55.0", " 20 "], pd.Series([18.0, 55.0, 20.0]), np.array([[18, 55, 20]])],
    ids=["integers", "floats", "texts", "pandas", "two axes"],
)
def test_numbers_are_matched_as_numbers(records):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        drawn = TRUTHFUL.sample(records)
    assert drawn.ravel().tolist() == [1, 38, 3] and drawn.shape == np.shape(records)
    assert TRUTHFUL.sample(18.0) == TRUTHFUL.sample("18") == TRUTHFUL.sample(1, by="index") == 1


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([5], r'records is with "5" \(once\), but .* not have this value; .*one of 17, 18, .* and 43 more.*by="index"'),
        ([55.5, 3, 3], r'"3" \(2 times\), "55.5" \(once\), but the problem does not have these values'),
        ([*range(-5, 0), -5, -4], r'"-5" \(2 times\), "-4" \(2 times\), "-3" \(once\) and 2 more, but'),
        (["fifty"], "fifty"),
        ([True], "True"),
        ([18, None], "missing"),
        ([18.0, float("nan")], "missing"),
    ],
)
def test_what_is_no_value_is_refused(records, told):
    with pytest.raises(md.DomainError, match=told):
        RESPONSE.sample(records)


def test_what_could_be_a_row_number_is_said():
    with pytest.warns(FutureWarning, match=r'1 is taken for the value of input 0; .* give by="label"') as seen:
        SCALE.sample([1, 2, 3])
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SCALE.sample([1, 2, 3], by="label")
        SCALE.sample([0, 1, 4], by="index")
        SCALE.sample([5, 5])
        SCALE.sample([1.0, 2.0])
        md.baselines.randomised_response(md.Problem(values=[0, 1, 2]), 1.0).sample([0, 1, 2])
        RESPONSE.sample([17, 90])
    with pytest.raises(
        md.DomainError, match=r'"0" .once., but .* not have this value; use one of 1, 2, 3, 4, 5, or give by="index"'
    ):
        SCALE.sample([0, 1])


def test_a_value_of_several_inputs_is_no_answer():
    twice = md.baselines.randomised_response(md.Problem(values=[1, 1, 7]), 1.0)
    with pytest.raises(md.DomainError, match=r'values is 1 twice, but .* Problem\(labels=...\), or records by="index"'):
        twice.sample([7])
    assert twice.sample([2], by="index").shape == (1,) and twice.inputs.answers == ("0", "1", "2")


def test_labels_come_before_values():
    named = md.Mechanism(np.eye(3), ["a", "b", "c"], problem=md.Problem(values=[1, 2, 3], labels=["3", "2", "1"]))
    assert named.sample([1, 2, 3]).tolist() == [2, 1, 0]
    plain = md.Mechanism(np.eye(3), ["a", "b", "c"], problem=md.Problem(n=3))
    assert plain.sample([0, 2]).tolist() == [0, 2]
    with pytest.raises(md.DomainError, match="no labels and no values"):
        plain.sample([0], by="label")


def test_columns_with_values_as_their_index_are_aligned():
    answer = SCALE.estimate(counts=[10, 20, 30, 20, 10])
    squares = pd.Series({5: 25, 4: 16, 3: 9, 2: 4, 1: 1})
    assert answer.mean(squares).value == pytest.approx(answer.mean([1, 4, 9, 16, 25]).value, abs=1e-12)
    assert SCALE.posterior(pd.Series([0.5, 0.2, 0.1, 0.1, 0.1], index=[5, 4, 3, 2, 1])).prior.tolist()[4] == 0.5
    with pytest.raises(md.DomainError, match="labelled 0, 1, 2, 3, 5, but the problem has 1, 2, 3, 4, 5"):
        answer.mean(pd.Series([1, 2, 3, 4, 5], index=[0, 1, 2, 3, 5]))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_numbers_whose_estimates_are_beyond_floats_are_refused():
    found = md.baselines.randomised_response(md.Problem(n=3), 1.0).estimate(counts=[50, 20, 30])
    with pytest.raises(md.DomainError, match=r"weights\[0\] is 1e\+308"):
        found.mean([1e308, -1e308, 0])
    with pytest.raises(md.DomainError, match="denominator"):
        found.ratio([1, 0, 0], [1e-320, 0, 0])
    assert all(map(np.isfinite, found.mean([1e300, -1e300, 0]).interval()))
    # The same number twice has one ratio, whatever the unit.
    assert found.ratio([1, 0, 0], [1e-200, 0, 0]).interval() == pytest.approx((1e200, 1e200))
