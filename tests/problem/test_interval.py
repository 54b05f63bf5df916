"""Real numbers of an interval: a value of every number, a bound of every mechanism, sentences for what is outside."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives.unbiased_estimates import between
from mechdesign.problem.interval import points, points_for


def variance_at(matrix, problem, estimates, numbers):
    """The variance of the estimate of each number, whose row is a mixture of the rows beside it."""
    found = []
    for number in numbers:
        row = np.array([np.interp(number, problem.values, column) for column in matrix.T])
        assert row @ estimates == pytest.approx(number, abs=1e-9 * np.abs(estimates).max())
        found.append(row @ estimates**2 - number**2)
    return np.array(found)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("ends", [(-1.0, 1.0), (16.0, 99.0)])
def test_the_value_is_the_largest_variance_of_any_number(epsilon, ends):
    problem = md.Problem.from_interval(*ends, points=9)
    made = md.design(problem, md.LDP(epsilon), md.UnbiasedMean(), gap=0.2)
    estimates = md.UnbiasedMean().estimates(made.matrix, problem)
    many = variance_at(made.matrix, problem, estimates, np.linspace(*ends, 4001))
    assert many.max() <= made.value * (1 + 1e-9)
    assert many.max() >= made.value * (1 - 1e-5)
    alone = md.design(md.Problem(values=problem.values), md.LDP(epsilon), md.UnbiasedMean(), gap=1e-5)
    assert made.bound <= alone.value and made.value > alone.value


def test_rows_of_numbers_between_points_are_private():
    problem = md.Problem.from_interval(0, 10, points=5)
    made = md.design(problem, md.LDP(1.0), md.UnbiasedMean(), gap=0.1)
    rows = [[np.interp(v, problem.values, column) for column in made.matrix.T] for v in np.linspace(0, 10, 101)]
    assert np.max(np.max(rows, axis=0) / np.min(rows, axis=0)) <= np.e * (1 + 1e-12)


@pytest.mark.parametrize("gap", [1e-2, 2e-3])
def test_points_are_chosen_for_the_gap(gap):
    """The least variance of all numbers of [-1, 1] at eps = 0.5 is coth(0.25) coth(tanh(0.25)) - 1."""
    made = md.design(md.Problem.from_interval(-1, 1), md.LDP(0.5), md.UnbiasedMean(), gap=gap)
    least = 1 / np.tanh(0.25) / np.tanh(np.tanh(0.25)) - 1
    assert made.gap <= gap
    assert made.bound <= least <= made.value
    assert not made.mechanism.inputs.chooses_points


def test_more_points_are_nearer_to_every_number():
    values = [
        md.design(md.Problem.from_interval(0, 1, points=n), md.LDP(1.0), md.UnbiasedMean(), gap=0.5).value
        for n in (3, 9, 17)
    ]
    assert values == sorted(values, reverse=True)


def test_the_largest_between_two_points_is_found(rng):
    for _ in range(50):
        values = np.sort(rng.normal(size=4))
        variances = rng.uniform(1, 3, size=4)
        numbers = np.union1d(np.linspace(values[0], values[-1], 20001), values)
        second = np.interp(numbers, values, variances + values**2)
        assert between(variances, values) == pytest.approx(np.max(second - numbers**2), rel=1e-4)


def test_points_have_both_ends_and_mirror_images():
    for low, high in ((-1.0, 1.0), (0.1, 0.7), (-1e9, 3.3)):
        for count in (2, 3, 8, 129):
            found = points(low, high, count)
            assert (found[0], found[-1], len(found)) == (low, high, count)
            assert np.all(np.diff(found) > 0)
            assert np.abs(found + found[::-1] - (low + high)).max() <= 1e-15 * max(abs(low), abs(high))
    assert points_for(0.25, 2, 4.0, 1e-2) == 9 and points_for(2500.0, 2, 4e4, 1e-2) == 9


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: md.Problem.from_interval(1, 1), "give an interval in which numbers differ"),
        (lambda: md.Problem.from_interval(2, 1), "give them in their order"),
        (lambda: md.Problem.from_interval(float("nan"), 1), "low is nan"),
        (lambda: md.Problem.from_interval(0, float("inf")), "high is inf"),
        (lambda: md.Problem.from_interval(-1.7e308, 1.7e308), "too long for floats"),
        (lambda: md.Problem.from_interval(0, 1, points=1), "points is 1"),
        (lambda: md.Problem(values=[0, 1], interval=(0, 2)), r"give Problem\.from_interval\(low, high\)"),
        (lambda: md.Problem(values=[0, 1], interval=(0, 1, 2)), "interval"),
        (lambda: md.Problem(values=[0, 1], interval="ab"), "interval"),
        (lambda: md.Problem(values=[0, 1], labels=["a", "b"], interval=(0, 1)), "without labels"),
    ],
)
def test_bad_intervals_are_refused(asked, said):
    with pytest.raises(md.DomainError, match=said):
        asked()


@pytest.mark.parametrize(
    ("notion", "objective", "said"),
    [
        (md.LDP(1.0), md.WorstCaseLoss(np.eye(3)), "ask for MMSE, UnbiasedMean, WorstCaseLoss"),
        (
            md.MetricDP(1.0, 1.0 * np.abs(np.subtract.outer(range(3), range(3)))),
            md.UnbiasedMean(),
            "need not be private",
        ),
        (md.BlockLDP(1.0, [[0, 1], [2]]), md.UnbiasedMean(), "need not be private"),
        (md.LDP(1.0) & md.BlockLDP(1.0, [[0, 1], [2]]), md.UnbiasedMean(), "need not be private"),
    ],
)
def test_what_does_not_hold_between_points_is_refused(notion, objective, said):
    problem = md.Problem.from_interval(0, 2, points=3)
    with pytest.raises(md.DomainError, match=said):
        md.design(problem, notion, objective)


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.ApproximateLDP(1.0, 0.1), md.MaximalLeakage(1.0)])
def test_notions_that_hold_between_points(notion):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(md.Problem.from_interval(0, 2, points=3), notion, md.UnbiasedMean(), gap=0.5)
    rows = np.array([[np.interp(v, [0, 1, 2], column) for column in made.matrix.T] for v in np.linspace(0, 2, 21)])
    assert notion.level(rows, md.Problem(n=21)).excess(notion) <= 1e-9


def test_lifts_hold_between_points():
    problem = md.Problem(prior=[0.2, 0.5, 0.3], values=[0.0, 1.0, 2.0], interval=(0.0, 2.0))
    made = md.design(problem, md.LIP(0.8), md.UnbiasedMean(), gap=0.2)
    rows = np.array([[np.interp(v, [0, 1, 2], column) for column in made.matrix.T] for v in np.linspace(0, 2, 21)])
    assert np.abs(np.log(rows / (problem.prior @ made.matrix))).max() <= 0.8 + 1e-12


def test_an_audit_refuses_a_notion_of_the_points_alone():
    blocks = md.BlockLDP(1.0, [[0, 1], [2]])
    with pytest.raises(md.DomainError, match="need not be private"):
        md.audit(np.full((3, 2), 0.5), blocks, md.Problem.from_interval(0, 2, points=3))


def test_an_interval_is_saved_with_its_points(tmp_path):
    made = md.design(md.Problem.from_interval(0, 100), md.LDP(1.0), md.UnbiasedMean(), gap=0.05)
    again = md.load(made.mechanism.save(tmp_path / "m.json"))
    assert again == made.mechanism and again.inputs.interval == (0.0, 100.0)
    assert "a number from 0 to 100" in str(made)
