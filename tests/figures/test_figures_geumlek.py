"""The figures of Geumlek and Chaudhuri show what the definitions give, by hand; planted defects in them are caught."""

import math
from fractions import Fraction

import numpy as np
import pytest

from mechdesign.figures import keys, recomputed
from mechdesign.figures.geumlek import bernoulli_chain, categorical_chain
from mechdesign.figures.geumlek.bernoulli_couplet import flips_are_private, from_zero
from tests.helpers.figure_contract import faults

E = math.e


@pytest.mark.thinned(24)
@pytest.mark.parametrize("key", [key for key in keys() if key.startswith("geumlek/")])
def test_a_figure_keeps_the_contract(key):
    assert not faults(recomputed(key))


def test_figure_2a_has_the_flips_by_hand():
    figure = recomputed("geumlek/fig2a")
    d = figure.curves[0].x
    assert np.allclose(figure.curve("randomised response (LDP)").y, 1 / (1 + E))
    # Program (5) around 1/2: alpha = 1/2 - tanh(eps/2)/(2 d) or 0; for 0 and d <= 1/2 it is d/e, else as in (4).
    centred = figure.curve("smooth one bit, around 1/2").y
    assert np.allclose(centred, np.maximum(0, 0.5 - math.tanh(0.5) / (2 * d)), atol=1e-12)
    excess = np.maximum(d, 1 - E * (1 - d))
    from_zero = np.where(d <= 0.5, d / E, excess / (2 * excess + E - 1))
    assert np.allclose(figure.curve("smooth one bit, 0 and d").y, from_zero, atol=1e-12)
    # With two different flips: the larger of d/(d + e), for a one, and (1 - e (1 - d))/(1 + e d), for a zero.
    least = np.maximum(d / (d + E), (1 - E * (1 - d)) / (1 + E * d))
    assert np.allclose(figure.curve("certified optimum, 0 and d").y, least, rtol=1e-9)
    assert figure.conclusion == "kept"


def test_the_printed_bound_has_gaps_where_it_is_no_probability():
    figure = recomputed("geumlek/fig2a")
    printed = figure.curve("bound (7), 0 and d")
    # Its third term, with B = 1 - e (1 - d), has the denominator 2 B + e - 1: negative for d < (e - 1)/(2 e) = .316.
    assert np.isnan(printed.y).tolist() == (printed.x < (E - 1) / (2 * E)).tolist()
    assert not printed.private[np.isnan(printed.y)].any()
    # The appendix's third term is one less the other fraction.
    appendix = figure.curve("bound in the appendix, 0 and d")
    assert appendix.y.min() > 0.5


def test_flips_a_millionth_too_small_are_not_private():
    # The first profile's zeros become ones as often as 1/e times the second profile's own, which stay as they are.
    least = np.array([0.2 / E, 0.0])
    assert flips_are_private(least, from_zero(0.2), 1.0)
    assert not flips_are_private(least * [1 - 1e-6, 1.0], from_zero(0.2), 1.0)


def test_figure_2b_has_one_curve_for_all_categories():
    figure = recomputed("geumlek/fig2b")
    epsilon = figure.curves[0].x
    for curve in figure.curves[:4]:
        assert np.allclose(curve.y, 0.6 / (np.exp(epsilon) + 3), rtol=1e-12)
        assert curve.private.all()
    assert figure.conclusion == "kept"


def test_the_least_cost_is_of_a_mechanism_that_ignores_the_datum():
    matrix = categorical_chain.regardless(0.3)
    blocks = matrix.reshape(3, 4, 4)
    assert np.ptp(blocks, axis=1).max() < 1e-12
    assert categorical_chain.is_private(matrix, 0.3)
    # Category 3 over the edge of profiles 2 and 3: |.3 - a| and |.1 - b| <= c with a <= e^eps b.
    grown = math.exp(0.3)
    edge = (0.3 - 0.1 * grown) / (1 + grown)
    both = (0.4 - 0.1 * grown**2) / (1 + grown**2)
    assert categorical_chain.costs_of(matrix).max() == pytest.approx(max(edge, both), rel=1e-6)


def test_figure_2c_holds_the_baseline_against_every_optimum():
    figure = recomputed("geumlek/fig2c")
    assert figure.conclusion == "weakened"
    third, base = figure.curve("category 3, least over optima of (6)"), figure.curve("k-ary response, each category")
    grown = np.exp(third.x)
    optimum = np.maximum((0.3 - 0.1 * grown) / (0.9 * (1 + grown)), (0.4 - 0.1 * grown**2) / (1.2 + 0.9 * grown**2))
    # Where two edges decide, category 3 costs 1.2 t at least; that is more than the baseline's below eps = .0949719.
    early = third.x < 0.25
    assert np.allclose(third.y[early], 1.2 * optimum[early], rtol=1e-6)
    assert (third.y > base.y).tolist() == (third.x < 0.0949719).tolist()
    assert all(curve.private.all() for curve in figure.curves)
    low, high = categorical_chain.cost_range(0.3, 1)
    assert low < 1e-9
    assert high > 0.09


def in_closed_form(n, epsilon):
    """Pr(1) of the lower half: q in the middle is 1/2, or 1/(1 + e^eps) where that leaves p be; then down the chain."""
    if n % 2:
        q = [0.5]
        start = n // 2 - 1
    else:
        start = n // 2 - 2
        q = [max((n // 2 - 1) / (n - 1), 1 / (1 + math.exp(epsilon)))]
    for i in range(start, -1, -1):
        q.append(max(i / (n - 1), math.exp(-epsilon) * q[-1]))
    return q[::-1]


@pytest.mark.thinned(8)
@pytest.mark.parametrize(("key", "n"), [("geumlek/fig3c", 6), ("geumlek/fig3d", 21)])
def test_figure_3_has_the_least_largest_flip_in_closed_form(key, n):
    figure = recomputed(key)
    ends = figure.curves[0], next(c for c in figure.curves if c.name == f"p = {n - 1}/{n - 1}")
    largest = np.maximum(ends[0].y, 1 - ends[1].y)
    assert np.allclose(largest, [in_closed_form(n, e)[0] for e in figure.curves[0].x], rtol=1e-8)
    assert all(curve.private.all() for curve in figure.curves)
    assert figure.conclusion == "kept"


@pytest.mark.parametrize(("key", "n"), [("geumlek/fig3a", 6), ("geumlek/fig3b", 21)])
def test_figure_3_has_the_baseline_by_hand(key, n):
    figure = recomputed(key)
    for curve in figure.curves:
        if curve.kind == "published":
            p = Fraction(curve.name.removeprefix("p = "))
            assert np.allclose(curve.y, 0.5 + (float(p) - 0.5) * np.tanh(curve.x / 2), rtol=1e-12)
    # At the paper's vertical line: tanh(.1).
    assert f"randomised response spread over {math.tanh(0.1):.4f}" in figure.because


def test_no_private_mechanism_spreads_further_than_the_edges_allow():
    # n odd: 1/2 in the middle, e^-eps for each of the (n - 1)/2 edges below it.
    assert bernoulli_chain.widest(21, 0.2) == pytest.approx(1 - math.exp(-2.0))
    assert bernoulli_chain.widest(3, 1.0) == pytest.approx(1 - math.exp(-1.0))
    # n even: the middle edge from 1/(1 + e^eps) to 1 - that.
    assert bernoulli_chain.widest(6, 0.2) == pytest.approx(1 - 2 / (1 + math.exp(0.2)) * math.exp(-0.4))


def test_the_flips_of_a_larger_epsilon_are_not_private():
    flips = bernoulli_chain.method_flips(6, 0.2)
    assert bernoulli_chain.is_private(6, 0.2, flips)
    assert not bernoulli_chain.is_private(6, 0.2 - 1e-6, flips)
