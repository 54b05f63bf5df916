"""Means of several numbers of one person: the better of two ways, its variance by brute force, and its estimates."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock

UNIT = md.Problem.from_interval(-1.0, 1.0, points=5)
SCORES = md.Problem(values=[0.0, 1.0, 4.0])


@pytest.fixture(scope="module")
def both():
    return md.several_means({"first": UNIT, "second": SCORES}, md.LDP(1.0), md.UnbiasedMean(), gap=0.2)


def largest(design, count):
    """Return the largest variance of the centred estimate that counts `count` times, on a fine grid of numbers."""
    mechanism = design.mechanism
    points, matrix = mechanism.inputs.values, mechanism.matrix
    middle = 0.5 * (points.min() + points.max())
    scores = md.UnbiasedMean().estimates(matrix, mechanism.inputs)
    rows, numbers = matrix, points
    if mechanism.inputs.interval is not None:
        numbers = np.linspace(points[0], points[-1], 2001)
        rows = np.stack([np.interp(numbers, points, column) for column in matrix.T], axis=1)
    # Drawn with the probability 1 / count, else the middle.
    single = rows @ (count * (scores - middle)) ** 2 / count
    return float((single - (numbers - middle) ** 2).max())


def test_the_variance_of_one_number_is_the_largest_of_its_law(both):
    assert both.variances["one"] == pytest.approx(sum(largest(one, 2) for one in both.one), rel=1e-6)
    assert both.variances["all"] == both.every.value
    assert both.how == min(both.variances, key=both.variances.get)


def test_the_reports_of_a_person_keep_the_level(both):
    for made in both.one:
        assert float(md.audit(made.mechanism, md.LDP(1.0))) <= 1.0
    assert both.every.levels.sum() <= 1.0


@pytest.mark.parametrize("how", ["one", "all"])
def test_estimates_are_unbiased_for_whatever_numbers(both, how):
    """The expectation over all reports of one person, from the matrices, is the person's number."""
    asked = replace(both, how=how)
    for at, (made, number) in enumerate(zip(asked.designs, (-0.5, 4.0), strict=True)):
        mechanism = made.mechanism
        x = int(np.flatnonzero(np.isclose(mechanism.inputs.values, number))[0])
        total = 0.0
        for y, p in enumerate(mechanism.matrix[x]):
            pair = [[at, y]] * 2 if how == "one" else [[y * (k == at) for k in range(2)]] * 2
            total += p * float(asked.estimate(np.array(pair))[at])
        middle = 0.5 * (mechanism.inputs.values.min() + mechanism.inputs.values.max())
        # If it is always asked, the estimate counts twice what it does on average.
        expected = number if how == "all" else middle + 2.0 * (number - middle)
        assert total == pytest.approx(expected, abs=1e-9)


def test_samples_are_estimated_from(both, monkeypatch):
    from mechdesign.studies import several_means as module

    rng = np.random.default_rng(5)
    monkeypatch.setattr(module.secrets, "randbelow", lambda count: int(rng.integers(count)))
    monkeypatch.setattr(os, "urandom", rng.bytes)
    people = 4000
    answers = {"second": rng.choice([0.0, 1.0, 4.0], people), "first": rng.uniform(-1.0, 0.5, people)}
    reports = both.sample(answers)
    assert reports.shape == (people, 2)
    for name, found in zip(("first", "second"), both.estimate(reports), strict=True):
        assert abs(float(found) - answers[name].mean()) < 6.0 * found.standard_error
        assert found.standard_error < 1.1 * np.sqrt(sum(both.variances.values()) / people)


def test_two_ways_are_shown(both):
    assert "at the whole level" in " ".join(str(both).split()) and "taken" in str(both) and "first" in str(both)


@pytest.mark.parametrize(
    "asked",
    [
        {"objective": md.MMSE()},
        {"objective": md.UnbiasedMean(worst=False)},
        {"notion": md.LIP(1.0)},
        {"problems": [UNIT]},
    ],
)
def test_other_questions_are_refused(asked):
    question = {"problems": [UNIT, SCORES], "notion": md.LDP(1.0), "objective": md.UnbiasedMean()} | asked
    with pytest.raises(md.DomainError):
        md.several_means(**question)


@pytest.mark.parametrize("reports", [[[0, 0]], [[0, 0, 0]] * 3, [[0, 99]] * 3, [[0.5, 0.0]] * 3])
def test_other_reports_are_refused(both, reports):
    with pytest.raises(md.DomainError, match="reports"):
        both.estimate(np.array(reports))


def test_columns_of_other_people_are_refused(both):
    with pytest.raises(md.DomainError, match="answers"):
        both.sample([[0.0, 0.1], [1.0]])


def test_a_time_limit_holds_for_the_search_of_levels():
    clock = CountingClock(0.01)
    with reading(clock):
        made = md.several_means([SCORES, SCORES], md.LDP(50.0), md.UnbiasedMean(), time_limit=2.0)
    assert clock.seconds < 10.0 and made.how == "all" and not made.every.complete
