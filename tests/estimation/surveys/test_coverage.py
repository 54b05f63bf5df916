"""Intervals of surveys hold the truth as often as they say; what forgets the design, or the noise, is caught."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md

pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

RESPONSE = md.baselines.randomised_response(md.Problem(labels=["no", "yes"], values=[0, 1]), 2.0)
#: Three standard errors of a share of 0.05 among so many samples.
TRIALS = 800
ERROR = 3 * np.sqrt(0.05 * 0.95 / TRIALS)


def schools(rng):
    """Return reports of pupils of 12, 18 and 10 schools that were drawn in three regions, their regions and schools."""
    region = np.repeat(np.arange(3), [12, 18, 10])
    size = rng.integers(10, 50, 40)
    share = rng.beta(*np.array([[4, 8], [8, 8], [6, 3]]).T[:, region])
    school = np.repeat(np.arange(40), size)
    answers = (rng.random(len(school)) < share[school]).astype(int)
    return RESPONSE.simulate(answers, rng, by="index"), region[school], school


#: Schools of a region stand for so many; each has the same number of pupils on average.
WEIGHTS = np.array([3.0, 1.0, 2.0])
TRUTH = (WEIGHTS * [12, 18, 10]) @ [4 / 12, 8 / 16, 6 / 9] / (WEIGHTS @ [12, 18, 10])


def missed(interval):
    """Return in which share of samples an interval of the share of "yes" misses the truth."""
    rng, wrong = np.random.default_rng(7), 0
    for _ in range(TRIALS):
        reports, region, school = schools(rng)
        low, high = interval(reports, WEIGHTS[region], region, school)
        wrong += not low <= TRUTH <= high
    return wrong / TRIALS


def test_clusters_in_strata():
    found = missed(lambda y, w, h, j: RESPONSE.estimate(y, weights=w, strata=h, clusters=j).interval()[1])
    assert abs(found - 0.05) <= ERROR


def test_forgotten_clusters_are_caught():
    assert missed(lambda y, w, h, j: RESPONSE.estimate(y, weights=w, strata=h).interval()[1]) > 0.05 + ERROR


def differences_missed(apart):
    """Return in which share of samples the interval of girls' share of "yes" less boys' misses 0."""
    rng, wrong = np.random.default_rng(11), 0
    for _ in range(TRIALS):
        reports, region, school = schools(rng)
        groups = rng.choice(["boys", "girls"], len(reports))
        found = RESPONSE.estimate(reports, weights=WEIGHTS[region], strata=region, clusters=school, groups=groups)
        low, high = apart(found)
        wrong += not low <= 0.0 <= high
    return wrong / TRIALS


def test_differences_of_groups_that_share_clusters():
    assert abs(differences_missed(lambda found: found.difference("girls", "boys").interval()[1]) - 0.05) <= ERROR


def finite_missed(interval, drawn=450, people=500):
    """Return in which share of samples of a finite population the interval misses its own share of "yes"."""
    rng, wrong = np.random.default_rng(5), 0
    population = np.arange(people) < 0.3 * people
    for _ in range(TRIALS):
        answers = rng.permutation(population)[:drawn].astype(int)
        low, high = interval(RESPONSE.simulate(answers, rng, by="index"), people)
        wrong += not low <= 0.3 <= high
    return wrong / TRIALS


def test_a_finite_population():
    """Most of the population was drawn: what is left to chance is nearly all the mechanism's noise."""
    assert abs(finite_missed(lambda y, size: RESPONSE.estimate(y, population=size).interval()[1]) - 0.05) <= ERROR


def test_a_correction_of_the_noise_is_caught():
    """Takes the share that was drawn off the whole variance, as for answers without noise."""

    def bold(reports, size):
        found = RESPONSE.estimate(reports, weights=np.ones(len(reports)))
        low, high = found.interval()[1]
        half = np.sqrt(1 - len(reports) / size) * (high - low) / 2
        return found.frequencies[1] - half, found.frequencies[1] + half

    assert finite_missed(bold) > 0.05 + ERROR
