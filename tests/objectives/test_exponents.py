"""Exponents of hypothesis tests: values against their definitions, closed forms, limits and bad input."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

import mechdesign as md

COIN = np.array([[0.8, 0.2], [0.2, 0.8]])
ENDS = {"first": [1.0, 0.0], "second": [0.0, 1.0]}
TWO = md.Problem(n=2)


def entropy(z, w):
    """Return the relative entropy ``D(z || w)`` of positive vectors, in nats."""
    return float(np.sum(z * np.log(z / w)))


def largest(function, low, high, points=4001):
    """Return the largest value of a function of one number, on a grid and then between its neighbours."""
    grid = np.linspace(low, high, points)
    best = int(np.argmax([function(t) for t in grid]))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, points - 1)]
    found = minimize_scalar(lambda t: -function(t), bounds=ends, method="bounded", options={"xatol": 1e-12})
    return max(-found.fun, function(grid[best]))


def drawn(rng, n=3, m=4):
    return rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m), size=n)


def test_chernoff_is_the_largest_renyi_divergence_times_its_order(rng):
    for _ in range(10):
        first, second, Q = drawn(rng)
        p, s = first @ Q, second @ Q
        # yoshida, eq. (17): (-u) D_{1+u}(p || s) over u in (-1, 0).
        defined = largest(lambda u, p=p, s=s: -math.log(np.sum(p ** (1 + u) * s**-u)), -1.0, 0.0)
        assert md.ChernoffExponent(first, second).value(Q, md.Problem(n=3)) == pytest.approx(defined, abs=1e-12)


@pytest.mark.parametrize("rate", [1e-3, 0.02, 0.3])
def test_hoeffding_is_its_definition(rng, rate):
    for _ in range(10):
        first, second, Q = drawn(rng)
        p, s = first @ Q, second @ Q

        def at(v, p=p, s=s):
            # yoshida, eq. (18), with v in (-1, 0).
            renyi = math.log(np.sum(s ** (1 + v) * p**-v)) / v
            return v / (1 + v) * (rate - renyi)

        defined = max(largest(at, -1 + 1e-3, -1e-9), 0.0)
        found = md.HoeffdingExponent(rate, first, second).value(Q, md.Problem(n=3))
        assert found == pytest.approx(defined, abs=2e-9)


@pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
def test_han_kobayashi_is_its_definition(rng, rate):
    for _ in range(10):
        first, second, Q = drawn(rng)
        p, s = first @ Q, second @ Q

        def at(t, p=p, s=s):
            # yoshida, eq. (19), with v = t / (1 - t) > 0.
            v = t / (1 - t)
            renyi = math.log(np.sum(s ** (1 + v) * p**-v)) / v
            return v / (1 + v) * (rate - renyi)

        limit = rate - float(np.max(np.log(s / p)))
        defined = max(largest(at, 1e-9, 0.99), limit, 0.0)
        found = md.HanKobayashiExponent(rate, first, second).value(Q, md.Problem(n=3))
        assert found >= defined - 1e-10
        if defined > limit + 1e-3:
            # The best order lies well inside, where the grid of the definition sees it.
            assert found == pytest.approx(defined, abs=1e-9)


@pytest.mark.parametrize("q", [0.6, 0.8, 0.999])
def test_symmetric_coin_has_closed_forms(q):
    Q, s = np.array([[q, 1 - q], [1 - q, q]]), np.array([1 - q, q])
    assert md.ChernoffExponent(**ENDS).value(Q, TWO) == pytest.approx(-math.log(2 * math.sqrt(q * (1 - q))), rel=1e-12)
    divergence = (2 * q - 1) * math.log(q / (1 - q))
    assert md.HoeffdingExponent(0.0, **ENDS).value(Q, TWO) == pytest.approx(divergence, rel=1e-12)
    assert md.HoeffdingExponent(divergence, **ENDS).value(Q, TWO) == pytest.approx(0.0, abs=1e-14)
    rate = divergence / 3

    def coin(x):
        return np.array([x, 1 - x])

    # The distribution between both hypotheses at the relative entropy `rate` from the first.
    x = brentq(lambda x: entropy(coin(x), s[::-1]) - rate, 1 - q, q - 1e-12, xtol=1e-15)
    assert md.HoeffdingExponent(rate, **ENDS).value(Q, TWO) == pytest.approx(entropy(coin(x), s), rel=1e-10)
    beyond = -math.log(1 - q) + 0.5
    expected = beyond - math.log(q / (1 - q))
    assert md.HanKobayashiExponent(beyond, **ENDS).value(Q, TWO) == pytest.approx(expected, rel=1e-12)
    # Between D(s || p) and -ln p(argmax s/p) the tilted coin beyond the second hypothesis decides.
    rate = (divergence - math.log(1 - q)) / 2
    x = brentq(lambda x: entropy(coin(x), s[::-1]) - rate, 1e-15, 1 - q, xtol=1e-16)
    assert md.HanKobayashiExponent(rate, **ENDS).value(Q, TWO) == pytest.approx(entropy(coin(x), s), rel=1e-9)


def test_exponents_fall_or_rise_with_the_rate(rng):
    first, second, Q = drawn(rng)
    rates = [0.0, 1e-6, 1e-3, 0.01, 0.1, 1.0, 10.0, 1e6]
    problem = md.Problem(n=3)
    falls = [md.HoeffdingExponent(r, first, second).value(Q, problem) for r in rates]
    rises = [md.HanKobayashiExponent(r, first, second).value(Q, problem) for r in rates]
    assert falls == sorted(falls, reverse=True) and falls[-1] == 0.0
    assert rises == sorted(rises) and rises[0] == 0.0
    assert falls[0] == pytest.approx(entropy(first @ Q, second @ Q), rel=1e-12)
    # Both are 0 on one side of D(s || p) and not on the other.
    edge = entropy(second @ Q, first @ Q)
    for side, objective in ((-1e-3, md.HoeffdingExponent), (1e-3, md.HanKobayashiExponent)):
        assert objective(edge * (1 + side), first, second).value(Q, problem) > 0
        assert objective(edge * (1 - side), first, second).value(Q, problem) == pytest.approx(0.0, abs=1e-15)


def test_values_near_no_information_do_not_cancel():
    for step in (1e-3, 1e-5, 1e-7):
        Q = np.array([[0.5 + step, 0.5 - step], [0.5 - step, 0.5 + step]])
        # -ln sqrt(1 - 4 step^2)
        expected = -0.5 * math.log1p(-4 * step**2)
        assert md.ChernoffExponent(**ENDS).value(Q, TWO) == pytest.approx(expected, rel=1e-8)


def test_outputs_of_one_hypothesis_alone():
    erasure = np.array([[0.7, 0.3, 0.0], [0.0, 0.3, 0.7]])
    # Every power sum is 0.3 inside the range of orders, and at its ends by the limit.
    assert md.ChernoffExponent(**ENDS).value(erasure, TWO) == pytest.approx(-math.log(0.3), rel=1e-12)
    assert md.HoeffdingExponent(2.0, **ENDS).value(erasure, TWO) == pytest.approx(-math.log(0.3), rel=1e-12)
    assert md.HoeffdingExponent(1.0, **ENDS).value(erasure, TWO) == math.inf
    assert md.HoeffdingExponent(0.0, **ENDS).value(erasure, TWO) == math.inf
    assert md.HanKobayashiExponent(5.0, **ENDS).value(erasure, TWO) == 0.0
    assert md.ChernoffExponent(**ENDS).value(np.eye(2), TWO) == math.inf


def test_vectors_of_another_length_than_the_inputs_are_refused():
    with pytest.raises(md.DomainError, match="first"):
        md.design(md.Problem(n=3), md.LDP(1.0), md.ChernoffExponent(**ENDS))


@pytest.mark.parametrize("objective", [md.ChernoffExponent(**ENDS), md.HoeffdingExponent(0.1, **ENDS)])
def test_infinite_optima_are_refused(objective):
    free = md.WeightedTV(1.0)
    with pytest.raises(md.DomainError, match="infinite"):
        md.design(TWO, free, objective)


def test_hoeffding_is_finite_beyond_the_rate_of_the_outputs_of_one_hypothesis():
    # At delta 0.5 the output that only the first hypothesis gives has at most the mass 1/2.
    notion = md.WeightedTV(0.5)
    with pytest.raises(md.DomainError, match="infinite"):
        md.design(TWO, notion, md.HoeffdingExponent(0.69, **ENDS))
    made = md.design(TWO, notion, md.HoeffdingExponent(0.7, **ENDS))
    assert made.value == pytest.approx(math.log(2), rel=1e-6) and made.gap <= 1e-6


def test_han_kobayashi_has_no_expression():
    import cvxpy as cp

    with pytest.raises(md.UnsupportedError, match="neither convex nor concave"):
        md.HanKobayashiExponent(1.0, **ENDS).expression(cp.Variable((2, 2)), TWO)


def test_questions_survive_their_dictionary():
    for objective in (
        md.ChernoffExponent(**ENDS),
        md.HoeffdingExponent(0.2, **ENDS),
        md.HanKobayashiExponent(2, **ENDS),
    ):
        question = md.Question(TWO, md.LDP(1.0), objective)
        assert md.Question.from_dict(question.to_dict()) == question
