"""The figures of Yoshida, Yung and Hayashi show what the definitions give, by hand; planted defects are caught."""

from fractions import Fraction

import numpy as np
import pytest

from mechdesign.figures import keys, recomputed
from mechdesign.figures.yoshida import pairs
from tests.helpers.figure_contract import faults

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@pytest.mark.parametrize("key", [key for key in keys() if key.startswith("yoshida/")])
def test_a_figure_keeps_the_contract(key):
    assert not faults(recomputed(key))


def test_figure_2_has_theorem_1_by_hand_at_weight_one_half():
    figure = recomputed("yoshida/fig2_upper")
    three, two, optimum, _ = figure.curves
    theta = three.x
    assert np.allclose(three.y, 0.25 / (theta * (1 - theta)), rtol=1e-12)
    assert np.allclose(optimum.y, three.y, rtol=1e-9)
    # a = 3/8: (1/8) / (theta (1/2 (1 - theta) + 3/8 theta)) up to 1/2, and the mirror image beyond.
    less = np.minimum(theta, 1 - theta)
    assert np.allclose(two.y, 0.125 / (less * (0.5 * (1 - less) + 0.375 * less)), rtol=1e-12)
    assert figure.conclusion == "kept"
    assert figure.published_is_private == "yes"
    # At theta = 1/2: 1 against (1/8) / (1/2 * 7/16) = 4/7.
    assert "to 75 % more" in figure.because


def test_figure_2_at_the_other_weight_by_hand():
    three, two, optimum, _ = recomputed("yoshida/fig2_lower").curves
    # w = 2/5, a = 3/8, theta_0 = (2/5 - 3/8)/(1/4) = 1/10. Rows [5/8, 3/8, 0] and [15/16, 0, 1/16].
    theta = three.x
    shared = 5 / 8 * (1 - theta) + 15 / 16 * theta
    by_hand = (5 / 16) ** 2 / shared + 3 / 8 / (1 - theta) + 1 / 16 / theta
    assert np.allclose(three.y, by_hand, rtol=1e-12)
    assert np.allclose(optimum.y, by_hand, rtol=1e-9)
    beyond = theta > 0.1 + 1e-9
    assert np.allclose(
        two.y[beyond], (9 / 40 / ((1 - theta) * (3 / 8 * (1 - theta) + 3 / 5 * theta)))[beyond], rtol=1e-12
    )
    assert np.allclose(two.y[~beyond], (1 / 40 / (theta * (2 / 5 * (1 - theta) + 3 / 8 * theta)))[~beyond], rtol=1e-12)


def test_figure_3_has_the_values_of_a_separate_computation():
    # Relative entropy of the three outputs at delta = 1/4, w = 1/2: 1/4 that of the bits.
    figure = recomputed("yoshida/fig3_upper")
    for second in (0.2, 0.8):
        x = figure.curves[0].x
        bits = x * np.log(x / second) + (1 - x) * np.log((1 - x) / (1 - second))
        assert np.allclose(figure.curve(f"Corollary 2, theta_2 = {second}").y, bits / 4, atol=1e-12)
        assert np.allclose(figure.curve(f"certified optimum, theta_2 = {second}").y, bits / 4, atol=1e-9)
        # As printed, the third term has the weight 1 - theta_2.
        more = 0.25 * (1 - 2 * second) * x / second * np.log(x / second)
        printed = figure.curve(f"Theorem 4 as printed, {second}")
        assert np.allclose(printed.y, bits / 4 + more, atol=1e-12)
    assert figure.conclusion == "kept"


def test_figure_4_and_the_second_table_compare_the_earlier_schemes():
    figure = recomputed("yoshida/fig4")
    theta = figure.curves[0].x
    # Warner: (1/4)^2 / (p (1 - p)) with p = 3/8 + theta/4.
    yes = 0.375 + theta / 4
    assert np.allclose(figure.curves[1].y, 0.0625 / (yes * (1 - yes)), rtol=1e-12)
    assert figure.conclusion == "kept"
    table = recomputed("yoshida/table2")
    assert table.conclusion == "kept"
    assert [set(curve.private.tolist()) for curve in table.curves[:4]] == [{True}] * 4
    # eta = 1/10: yes with probability 3/4 * 1/10 + theta/4.
    yes = 0.075 + theta / 4
    assert np.allclose(table.curves[1].y, 0.0625 / (yes * (1 - yes)), rtol=1e-12)


@pytest.mark.parametrize(
    "pair",
    [
        pairs.three(QUARTER + Fraction(1, 10**9), HALF),
        pairs.two(Fraction(1, 3), QUARTER + Fraction(1, 10**9), HALF),
        pairs.warner(QUARTER + Fraction(1, 10**9)),
        pairs.unrelated(QUARTER + Fraction(1, 10**9), Fraction(1, 10)),
    ],
)
def test_a_pair_of_a_delta_that_is_a_billionth_larger_is_not_private(pair):
    assert not pairs.is_private(pair, QUARTER, HALF)


def test_adults_share_is_that_of_the_data():
    assert float(pairs.ADULT) == pytest.approx(0.2393, abs=5e-5)
    # 5.4 reports of Warner's scheme for one: (1/4)/(theta (1 - theta)) against (1/16)/(p (1 - p)), p = 3/8 + theta/4.
    theta = 11687 / 48842
    yes = 0.375 + theta / 4
    assert (
        f"{4 * yes * (1 - yes) / (theta * (1 - theta)):.3g} times as many reports" in recomputed("yoshida/fig4").because
    )


@pytest.mark.parametrize("key", ["yoshida/fig1", "yoshida/table1", "geumlek/fig1", "zamani/fig1"])
def test_what_has_no_numbers_says_why(key):
    figure = recomputed(key)
    assert figure.conclusion == "cannot be recomputed"
    assert figure.curves == ()
    assert len(figure.because) > 30
