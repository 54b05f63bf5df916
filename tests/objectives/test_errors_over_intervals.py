"""Errors of one number of an interval: the value counts every number, the bound every mechanism and every estimate."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.problem.interval import Rounded, uniform_law

DISTANCES = {"absolute": np.abs, "squared": np.square}


def drawn(problem, outputs, rng):
    """A matrix of an LDP mechanism of level one."""
    raw = np.exp(rng.uniform(0, 0.5, (problem.n, outputs)))
    return raw / raw.sum(axis=1, keepdims=True)


def row_of(number, matrix, problem):
    return np.array([np.interp(number, problem.values, column) for column in matrix.T])


@pytest.mark.parametrize("word", DISTANCES)
@pytest.mark.parametrize("ends", [(0.0, 1.0), (-3.0, 5.0)])
def test_the_worst_error_is_the_largest_of_any_number(word, ends, rng):
    problem, distance = md.Problem.from_interval(*ends, points=5), DISTANCES[word]
    for matrix in (drawn(problem, 5, rng), np.eye(5), np.eye(5)[::-1], np.tile(np.eye(5)[1], (5, 1))):
        found = md.WorstCaseLoss(word).value(matrix, problem)
        many = [row_of(x, matrix, problem) @ distance(x - problem.values) for x in np.linspace(*ends, 2001)]
        assert max(many) <= found * (1 + 1e-12)
        assert found == pytest.approx(max(many), rel=1e-5)


def test_the_mean_squared_error_is_an_integral_over_all_numbers(rng):
    problem = md.Problem.from_interval(-1, 2, points=4, prior="uniform")
    for matrix in (drawn(problem, 3, rng), np.eye(4)):
        # The middles of many cells: exact but for the square of their width.
        numbers = -1 + 3 * (np.arange(60_000) + 0.5) / 60_000
        rows = np.array([np.interp(numbers, problem.values, column) for column in matrix.T])
        mass, first = rows.mean(axis=1), (rows * numbers).mean(axis=1)
        exact = 1.0 - sum(f**2 / m for f, m in zip(first, mass, strict=True))
        assert md.MMSE().value(matrix, problem) == pytest.approx(exact, rel=1e-6)
        assert np.allclose(problem.prior @ matrix, mass)


def of_a_finer_grid(epsilon, per_step, points, word):
    """The least worst error of a mechanism of many points, whose rows and decisions lie between ours too."""
    n = per_step * (points - 1) + 1
    values = np.linspace(0, 1, n)
    found = md.design(md.Problem(values=values), md.LDP(epsilon), md.WorstCaseLoss(word), gap=1e-6)
    return found.value


@pytest.mark.parametrize("word", DISTANCES)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_no_finer_mechanism_is_below_the_bound(word, epsilon):
    """A finer grid has more inputs, which raise the optimum, and finer decisions, which lower it: both are bounded."""
    problem = md.Problem.from_interval(0, 1, points=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LDP(epsilon), md.WorstCaseLoss(word))
    for per_step in (2, 4, 8):
        assert made.bound <= of_a_finer_grid(epsilon, per_step, 5, word) * (1 + 1e-6)
    free = least_of_points(epsilon, problem.values, np.linspace(0, 1, 161), word)
    assert made.bound <= free * (1 + 1e-7)
    coarse = least_of_points(epsilon, problem.values, problem.values, word)
    # An absolute error gains nothing by estimates between the points.
    assert word != "absolute" or free == pytest.approx(coarse, rel=1e-7)
    assert word != "squared" or free < coarse * (1 - 1e-4)


def least_of_points(epsilon, values, decisions, word):
    """The least largest error at some points with the estimates given, by a linear program of its own."""
    n, m = len(values), len(decisions)
    loss = DISTANCES[word](np.subtract.outer(values, decisions))
    # Variables: Q row by row, a level for each output, and the error.
    cost = np.append(np.zeros(n * m + m), 1.0)
    upper = []
    for x in range(n):
        line = np.zeros(n * m + m + 1)
        line[x * m : (x + 1) * m], line[-1] = loss[x], -1.0
        upper.append(line)
        for y in range(m):
            low, high = np.zeros(n * m + m + 1), np.zeros(n * m + m + 1)
            low[n * m + y], low[x * m + y] = 1.0, -1.0
            high[x * m + y], high[n * m + y] = 1.0, -np.exp(epsilon)
            upper += [low, high]
    rows = np.hstack([np.kron(np.eye(n), np.ones(m)), np.zeros((n, m + 1))])
    found = linprog(cost, np.array(upper), np.zeros(len(upper)), rows, np.ones(n), bounds=(0, None))
    assert found.success
    return found.fun


def test_the_bound_of_uniform_numbers_holds_for_finer_mechanisms():
    problem = md.Problem.from_interval(0, 1, points=4, prior="uniform")
    made = md.design(problem, md.LDP(1.0), md.MMSE(), gap=0.2)
    for n in (10, 40, 160):
        # Uniform on n cells: each the mean of its numbers, which have a variance of their own.
        cells = md.Problem(values=(np.arange(n) + 0.5) / n, prior=np.full(n, 1 / n))
        finer = md.design(cells, md.LDP(1.0), md.MMSE()).value + 1 / (12 * n**2)
        assert made.bound <= finer * (1 + 1e-9)
    assert made.value >= finer * (1 - 1e-9)


@pytest.mark.parametrize(("objective", "prior"), [("absolute", None), ("squared", None), (None, "uniform")])
def test_points_are_chosen_for_the_gap(objective, prior):
    asked = md.MMSE() if objective is None else md.WorstCaseLoss(objective)
    made = md.design(md.Problem.from_interval(-1, 1, prior=prior), md.LDP(1.0), asked, gap=2e-3)
    assert made.gap <= 2e-3


def test_the_optimum_is_better_than_the_piecewise_mechanism():
    """Published for [0, 1]: .2689 at eps = 2, .1192 at 4."""
    for epsilon, published in ((2.0, 0.2689), (4.0, 0.1192)):
        known = md.baselines.numeric_errors(0, 1, epsilon)
        assert known["absolute"] == pytest.approx(published, abs=1e-4)
        made = md.design(md.Problem.from_interval(0, 1), md.LDP(epsilon), md.WorstCaseLoss("absolute"), gap=1e-2)
        assert made.value < 0.76 * known["absolute"]
        shown = {rival.name: rival.value for rival in made.rivals}
        assert shown["optimal piecewise mechanism"] == known["absolute"]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_errors_of_the_piecewise_mechanism_are_integrals_of_its_density(epsilon):
    inside, outside = np.exp(epsilon / 2), np.exp(-epsilon / 2)
    window = 1 / (inside + 1)
    assert inside * window + outside * (1 - window) == pytest.approx(1)
    found = md.baselines.numeric_errors(2, 4, epsilon)
    for word, scale in (("absolute", 2), ("squared", 4)):
        errors = []
        for number in np.linspace(0, 1, 21):
            start = np.clip(number - window / 2, 0, 1 - window)

            def error(y, number=number, word=word):
                return DISTANCES[word](number - y)

            pieces = ((outside, 0, start), (inside, start, start + window), (outside, start + window, 1))
            errors.append(sum(p * quad(error, a, b, points=[number])[0] for p, a, b in pieces if b > a))
        assert found[word] == pytest.approx(scale * max(errors), rel=1e-6)


def test_the_law_of_rounded_numbers(rng):
    values = np.sort(rng.normal(size=5))
    problem = md.Problem(values=values, prior=uniform_law(values), interval=(values[0], values[-1]))
    numbers = values[0] + (values[-1] - values[0]) * (np.arange(200_000) + 0.5) / 200_000
    for x in range(5):
        rounded = np.interp(numbers, values, np.eye(5)[x])
        assert problem.prior[x] == pytest.approx(rounded.mean(), rel=1e-6)
        assert Rounded.of(problem).means[x] == pytest.approx((rounded @ numbers) / rounded.sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: md.Problem.from_interval(0, 1, prior=[0.5, 0.5]), 'the prior of an interval is "uniform"'),
        (lambda: md.Problem.from_interval(0, 1, prior="normal"), 'the prior of an interval is "uniform"'),
        (
            lambda: md.design(md.Problem(values=[0, 1], prior=[0.2, 0.8], interval=(0, 1)), md.LDP(1.0), md.MMSE()),
            "only if they are uniform",
        ),
        (lambda: md.WorstCaseLoss("l1"), "one of absolute, squared"),
        (lambda: md.design(md.Problem(n=3), md.LDP(1.0), md.WorstCaseLoss("squared")), "give Problem"),
        (
            lambda: md.design(md.Problem.from_interval(0, 1), md.LDP(1.0), md.MMSE()),
            r'from_interval\(\.\.\., prior="uniform"\)',
        ),
        (
            lambda: md.design(
                md.Problem.from_interval(0, 1, prior="uniform"), md.LDP(1.0), md.UnbiasedMean(worst=False)
            ),
            "ask for MMSE",
        ),
    ],
)
def test_bad_input_is_refused(asked, said):
    with pytest.raises(md.DomainError, match=said):
        asked()


def test_points_that_are_chosen_keep_the_prior():
    """Under a notion that is relative to the prior an unbiased mean needs it too."""
    made = md.design(md.Problem.from_interval(0, 1, prior="uniform"), md.LIP(1.0), md.UnbiasedMean(), gap=0.1)
    assert made.gap <= 0.1 and made.mechanism.inputs.prior is not None
